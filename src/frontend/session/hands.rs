//! What the user does to the machine: keys, the mouse, the speed. All of it is recorded, as a script that plays the session again.

use std::collections::VecDeque;
use std::path::Path;

use super::{End, Session};
use oxbox::hardware::DEFAULT_SPEED;
use oxbox::hardware::vga::cp437;
use oxbox::machine::{Action, Key, MouseButton, Script, Step};
use oxbox::whole_file;

/// How long a stroke is held for a program that watches the keyboard's ports, in milliseconds.
const STROKE_MS: u64 = 50;

/// What a user has typed and the program has not got yet.
enum Stroke {
    Key(Key),
    /// A character that no key has, by its code.
    Code(u8),
}

/// What the user holds and has done.
pub(super) struct Hands {
    /// The script, and what the user has done after it.
    recording: Script,
    strokes: VecDeque<Stroke>,
    /// The stroke that is down, and when it goes up, in nanoseconds.
    held: Option<(Key, u64)>,
    /// Where the host's pointer was last.
    pointer: Option<(u16, u16)>,
    /// When the user did each thing that the recording ends with, in nanoseconds: two steps of it for each.
    times: Vec<u64>,
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
    fn forget_from(&mut self, moment: u64) {
        let kept = self.times.partition_point(|time| *time < moment);
        let steps = self.recording.steps.len() - 2 * (self.times.len() - kept);
        self.recording.steps.truncate(steps);
        self.times.truncate(kept);
        self.pointer = None;
    }

    /// What has gone down and not up: the ways in which it goes up.
    fn still_down(&self) -> Vec<Action> {
        let mut down: Vec<Action> = Vec::new();
        for step in &self.recording.steps {
            match &step.action {
                Action::Press(key) => down.push(Action::Release(*key)),
                Action::Button(button, true) => down.push(Action::Button(*button, false)),
                up => down.retain(|action| action != up),
            }
        }
        down.dedup();
        down
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

impl Session {
    /// Bytes for the program's standard input.
    pub(crate) fn feed_input(&mut self, bytes: &[u8]) {
        self.machine.feed_input(bytes);
    }

    /// The program's standard input ends.
    pub(crate) fn close_input(&mut self) {
        self.machine.close_input();
    }

    /// A key goes down.
    pub(crate) fn press(&mut self, key: Key) {
        self.act(Action::Press(key));
    }

    /// A key goes up.
    pub(crate) fn release(&mut self, key: Key) {
        self.act(Action::Release(key));
    }

    /// The pointer of a program that asks for the mouse goes to a point of the picture, given as its place and how many there are, across and
    /// down.
    pub(crate) fn point(&mut self, across: (u32, u32), down: (u32, u32)) {
        let place = self.machine.mouse_place(across, down);
        if self.machine.program_uses_mouse() && self.hands.pointer != Some(place) {
            self.hands.pointer = Some(place);
            self.act(Action::Mouse(place.0, place.1));
        }
    }

    /// A button of the mouse goes down or up.
    pub(crate) fn button(&mut self, button: MouseButton, down: bool) {
        if self.machine.program_uses_mouse() {
            self.act(Action::Button(button, down));
        }
    }

    /// A key is struck, after the strokes before it: for front ends that do not see keys go up.
    pub(crate) fn strike(&mut self, key: Key) {
        self.hands.strokes.push_back(Stroke::Key(key));
    }

    /// A character is typed, after the strokes before it: by its key, or where no key of a US keyboard types it, as its number in code
    /// page 437. What that has not either is left out.
    pub(crate) fn strike_character(&mut self, character: char) {
        match (Key::typing(character), cp437::from_text(character)) {
            (Some(key), _) => self.strike(key),
            (None, Some(code)) => self.hands.strokes.push_back(Stroke::Code(code)),
            (None, None) => {}
        }
    }

    /// True while keys that were struck have not been read by the program.
    pub(crate) fn has_unread_keys(&self) -> bool {
        !self.hands.strokes.is_empty() || self.hands.held.is_some() || self.machine.has_unread_keys()
    }

    /// Lets the next stroke go down, or the last one up when it has been held for long enough.
    pub(super) fn stroke(&mut self) {
        if let Some((key, until)) = self.hands.held {
            if self.machine.nanoseconds() < until {
                return;
            }
            self.hands.held = None;
            self.release(key);
        }
        match self.hands.strokes.pop_front() {
            Some(Stroke::Key(key)) => {
                self.press(key);
                let hold = if self.machine.program_reads_keyboard() { STROKE_MS * 1_000_000 } else { 0 };
                self.hands.held = Some((key, self.machine.nanoseconds() + hold));
            }
            Some(Stroke::Code(code)) => self.type_code(code),
            None => {}
        }
    }

    /// Alt is held while the digits of a number are typed on the keypad: the BIOS makes a character of it.
    fn type_code(&mut self, code: u8) {
        let Ok(alt) = "LALT".parse::<Key>() else { return };
        self.press(alt);
        for digit in code.to_string().chars() {
            if let Ok(key) = format!("KP{digit}").parse::<Key>() {
                self.press(key);
                self.release(key);
            }
        }
        self.release(alt);
    }

    /// Does something at the next whole millisecond, and records it.
    pub(super) fn act(&mut self, action: Action) {
        if self.end.is_some() || self.is_going_back() {
            return;
        }
        let ms = self.reach_whole_millisecond();
        self.hands.times.push(self.machine.nanoseconds());
        match &action {
            Action::Press(key) => self.machine.key_down(*key),
            Action::Release(key) => self.machine.key_up(*key),
            Action::Mouse(x, y) => self.machine.move_mouse(*x, *y),
            Action::Button(button, down) => self.machine.set_mouse_button(*button, *down),
            Action::Speed(speed) => self.machine.set_speed(*speed),
            _ => {}
        }
        self.hands.recording.push(Action::At(ms));
        self.hands.recording.push(action);
    }

    /// What was done after the present has not been done, and what was held then is let go.
    pub(super) fn forget_later_keys(&mut self) {
        self.hands.forget_from(self.machine.nanoseconds());
        self.release_what_is_down();
    }

    /// What the program takes to be held goes up.
    pub(super) fn release_what_is_down(&mut self) {
        for action in self.hands.still_down() {
            self.act(action);
        }
    }

    /// The keys since power-on, as a script.
    pub(super) fn recording(&self) -> String {
        self.hands.recording.to_string()
    }

    /// Writes the keys since power-on as a script.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn save_recording(&self, path: &Path) -> std::io::Result<()> {
        let end = match self.end {
            // Played again, the run ends there by itself.
            Some(End::Exited(_) | End::Crashed(_) | End::Dead(_) | End::KeysRanOut) => String::new(),
            _ => format!("at {}\n", self.machine.nanoseconds().div_ceil(1_000_000)),
        };
        let text = format!("# {}, recorded by oxbox\n{}{end}", self.name, self.recording());
        whole_file::write(path, text.as_bytes())
    }
}
