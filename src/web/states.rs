//! A run that is kept: saved as the desktop saves it, and gone on from.
//!
//! A saved state has the keys since power-on. Where they lead to it once more, the whole past comes back with it; where they do not, since
//! it was saved in a machine of another make, the run begins there.

use super::player::{PlayError, Player, history_of};
use crate::machine::{Machine, SavedState, SavedStateError};
use thiserror::Error;

/// Why a state cannot be gone on from.
#[derive(Debug, Error)]
pub(super) enum StateError {
    #[error(transparent)]
    Saved(#[from] SavedStateError),
    #[error(transparent)]
    Play(#[from] PlayError),
}

impl Player {
    /// The state at the next whole millisecond; `saved_at` is the host's hour, in seconds since 1970.
    ///
    /// # Errors
    /// When memory runs out.
    pub(super) fn save(&mut self, saved_at: u64) -> Result<SavedState, SavedStateError> {
        let keys = self.recording().to_string();
        let program = self.cartridge().identity();
        let mut state = SavedState::of(self.history().machine_mut(), program)?;
        state.title.clone_from(&self.cartridge().name);
        state.saved_at = saved_at;
        state.keys = keys;
        Ok(state)
    }

    /// The keys of a state have been played, as far as anybody wanted to wait: if that is not the state, the run begins there.
    ///
    /// # Errors
    /// When the state cannot be restored.
    pub(super) fn settle(&mut self) -> Result<(), StateError> {
        let Some(state) = self.take_state() else { return Ok(()) };
        let mut machine: Machine = self.cartridge().power_on()?;
        machine.restore(&state.snapshot()?);
        if machine.state_hash() != self.machine().state_hash() {
            self.begin_at(history_of(machine));
        }
        self.let_go();
        Ok(())
    }
}
