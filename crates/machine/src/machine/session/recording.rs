//! The recording of a session: a script that plays it again.

use crate::hardware::DEFAULT_SPEED;
use crate::machine::record::Input;
use crate::machine::script::{Action, Script, Step};
use crate::machine::timeline::Timeline;

/// The given script, and the user's actions.
#[derive(Debug)]
pub(super) struct Recording {
    given: Script,
    done: Vec<Done>,
}

#[derive(Debug)]
struct Done {
    ms: u64,
    /// The number of the timeline's inputs up to and including it.
    inputs: usize,
    action: Action,
}

impl Recording {
    /// Returns a recording of a script that is played on a machine of this speed.
    pub(super) fn new(script: &Script, speed: u32) -> Recording {
        let mut given = Script { settings: script.settings, ..Script::default() };
        let sets_speed = |step: &Step| matches!(step.action, Action::Speed(_));
        if speed != DEFAULT_SPEED && !script.steps.first().is_some_and(sets_speed) {
            given.push(Action::Speed(speed));
        }
        given.steps.extend(script.steps.iter().cloned());
        Recording::after(given)
    }

    /// Returns a recording that continues a script of earlier actions.
    pub(super) fn after(given: Script) -> Recording {
        Recording { given, done: Vec::new() }
    }

    /// Adds an action that the timeline has just received.
    pub(super) fn push(&mut self, ms: u64, action: Action, timeline: &Timeline) {
        self.done.push(Done { ms, inputs: timeline.input_count(), action });
    }

    /// Discards the actions after the current time.
    pub(super) fn forget_future(&mut self, timeline: &Timeline) {
        self.done.truncate(self.before(timeline));
        self.given.steps.truncate(self.given_before(timeline));
    }

    /// Returns the actions before the current time.
    pub(super) fn script(&self, timeline: &Timeline) -> Script {
        let mut script = self.given.clone();
        script.steps.truncate(self.given_before(timeline));
        for Done { ms, action, .. } in &self.done[..self.before(timeline)] {
            script.push(Action::At(*ms));
            script.push(action.clone());
        }
        script
    }

    /// Returns the number of user actions before the current time.
    fn before(&self, timeline: &Timeline) -> usize {
        let inputs = timeline.input_count();
        self.done.partition_point(|done| done.inputs <= inputs)
    }

    /// Returns the number of given steps that have been played by now. In a timeline without its
    /// beginning all have been.
    fn given_before(&self, timeline: &Timeline) -> usize {
        let steps = &self.given.steps;
        if !timeline.is_past() || !timeline.is_whole() || self.before(timeline) > 0 {
            return steps.len();
        }
        let inputs = timeline.inputs().filter(|input| !matches!(input, Input::ForgetPolls));
        let mut left = inputs.count();
        let mut kept = 0;
        for (index, step) in steps.iter().enumerate() {
            match inputs_of(&step.action) {
                0 => continue,
                count if count <= left => left -= count,
                _ => break,
            }
            kept = index + 1;
        }
        kept
    }
}

/// Returns the number of inputs to the machine of a step.
fn inputs_of(action: &Action) -> usize {
    match action {
        Action::Key(_) | Action::Click(_) => 2,
        Action::Press(_) | Action::Release(_) | Action::Mouse(..) | Action::Button(..) | Action::Speed(_) => {
            1
        }
        _ => 0,
    }
}
