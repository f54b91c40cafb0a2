//! Saved states: saves a session with its keys, and continues from a state.

use super::recording::Recording;
use super::rewind::Rewind;
use super::{Session, SessionHost};
use crate::machine::saved::{SavedState, SavedStateError};
use crate::machine::script::{Action, Script};

impl<H: SessionHost> Session<H> {
    /// Saves the state at the next whole millisecond. `program` is the result of
    /// [`SavedState::program`]; `saved_at` is the host's time in seconds since 1970.
    ///
    /// # Errors
    /// Fails if memory runs out.
    pub fn save(&mut self, program: u64, title: &str, saved_at: u64) -> Result<SavedState, SavedStateError> {
        if self.end.is_none() {
            self.reach_whole_millisecond();
        }
        let mut state = SavedState::of(self.timeline.machine_mut(), program)?;
        state.title = title.to_owned();
        state.saved_at = saved_at;
        state.keys = self.script().to_string();
        Ok(state)
    }

    /// Continues from a state of this program. `then` is the script to play from there; the
    /// recording has it after the keys of the state.
    ///
    /// # Errors
    /// Fails if the state belongs to another program or version; the session does not change.
    pub fn restore(
        &mut self,
        state: &SavedState,
        program: u64,
        then: &Script,
    ) -> Result<(), SavedStateError> {
        state.check_program(program)?;
        let snapshot = state.snapshot()?;
        let mut keys: Script = state.keys.parse()?;
        self.drain();
        let from = self.machine().nanoseconds();
        self.timeline.restart_at(&snapshot);
        self.host.jumped(from, self.timeline.machine());
        self.due_ns = self.machine().nanoseconds();
        keys.push(Action::At(self.due_ns.div_ceil(1_000_000)));
        keys.steps.extend(then.steps.iter().cloned());
        self.recording = Recording::after(keys);
        self.strokes.clear();
        self.strokes.pointer = None;
        self.rewind = Rewind::default();
        self.script_end_ns = self.due_ns;
        self.end = None;
        Ok(())
    }

    /// Plays a script instead of the rest of the current one. The recording does not include it.
    pub fn set_script(&mut self, script: Script) {
        self.timeline.set_script(script);
    }
}
