//! The interface of a program under exploration.

use super::screen::Screen;
use oxbox_machine::hardware::speaker::Note;

/// The state of a program after a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramState {
    /// The program waits for a key.
    Waiting,
    /// The program has ended.
    Ended,
    /// It neither waits nor has ended within its limits, or cannot continue, for this reason.
    Broken(String),
}

/// A program as its user sees it: keys in, screens out.
pub trait Program {
    /// A saved position.
    type Saved: Send + Sync;

    /// Returns the state.
    fn state(&self) -> ProgramState;

    /// Returns the current screen.
    fn screen(&mut self) -> Screen;

    /// Types keys (ASCII codes), each after the program has processed the previous one. Does
    /// nothing unless the program waits.
    fn press(&mut self, keys: &[u8]);

    /// Saves the current position.
    fn save(&mut self) -> Self::Saved;

    /// Restores a position, which another program of the same kind may have saved.
    fn restore(&mut self, saved: &Self::Saved);

    /// Like [`restore`](Self::restore), for a position that is not needed again.
    fn resume(&mut self, saved: Self::Saved) {
        self.restore(&saved);
    }

    /// Returns the notes since the last [`press`](Self::press); `None` without sound.
    fn heard(&self) -> Option<&[Note]> {
        None
    }

    /// Returns the number of executed instructions; 0 for programs that are not emulated.
    fn instructions(&self) -> u64 {
        0
    }
}
