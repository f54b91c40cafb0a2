//! Saved states: a session is saved with its keys, and goes on from a state.

use super::recording::Recording;
use super::rewind::Rewind;
use super::{Session, SessionHost};
use crate::machine::saved::{SavedState, SavedStateError};
use crate::machine::script::{Action, Script};

impl<H: SessionHost> Session<H> {
    /// The state at the next whole millisecond, of a program that [`SavedState::program`] tells from others. `saved_at` is the host's
    /// time in seconds since 1970.
    ///
    /// # Errors
    /// When memory runs out.
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

    /// Goes on from a state of this program. `then` is the script that is played from there, which the recording tells after the keys of
    /// the state.
    ///
    /// # Errors
    /// When the state is another program's or another version's; the session is as it was then.
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

    /// Plays a script from now on, in place of what is left of the present one. The recording does not tell it.
    pub fn set_script(&mut self, script: Script) {
        self.timeline.set_script(script);
    }
}
