//! What the user holds and has done, recorded as a script that plays the session again.

use std::collections::VecDeque;

use oxbox::hardware::DEFAULT_SPEED;
use oxbox::machine::{Action, Key, Script, Step};

/// What a user has typed and the program has not got yet.
pub(super) enum Stroke {
    Key(Key),
    /// A character that no key has.
    Character(char),
}

/// What the user holds and has done.
pub(super) struct Hands {
    /// The script, and what the user has done after it.
    pub(super) recording: Script,
    pub(super) strokes: VecDeque<Stroke>,
    /// The stroke that is down, and when it goes up, in nanoseconds.
    pub(super) held: Option<(Key, u64)>,
    /// Where the host's pointer was last.
    pub(super) pointer: Option<(u16, u16)>,
    /// When the user did each thing that the recording ends with, in nanoseconds: two steps of it for each.
    pub(super) times: Vec<u64>,
}

impl Hands {
    /// Nothing is held; the script is played on a machine of this speed.
    pub(super) fn new(script: &Script, speed: u32) -> Hands {
        Hands::after(with_speed(script, speed))
    }

    /// Nothing is held; this has been done so far.
    pub(super) fn after(recording: Script) -> Hands {
        Hands { recording, strokes: VecDeque::new(), held: None, pointer: None, times: Vec::new() }
    }

    /// Forgets what the program has not got yet.
    pub(super) fn let_go(&mut self) {
        self.strokes.clear();
        self.held = None;
    }

    /// Forgets what was done at or after a moment, in nanoseconds.
    pub(super) fn forget_from(&mut self, moment: u64) {
        let kept = self.times.partition_point(|time| *time < moment);
        let steps = self.recording.steps.len() - 2 * (self.times.len() - kept);
        self.recording.steps.truncate(steps);
        self.times.truncate(kept);
        self.pointer = None;
    }
}

/// A script that begins with setting the speed, where that is not the usual one.
fn with_speed(script: &Script, speed: u32) -> Script {
    let mut recording = Script::default();
    if speed != DEFAULT_SPEED && !matches!(script.steps.first(), Some(Step { action: Action::Speed(_), .. }))
    {
        recording.push(Action::Speed(speed));
    }
    recording.steps.extend(script.steps.iter().cloned());
    recording
}
