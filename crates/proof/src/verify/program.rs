//! A program as the walk sees it.

use super::screen::Screen;
use oxbox_machine::hardware::speaker::Note;

/// What a program is up to, once it has done what a key asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramState {
    /// It waits for a key.
    Waiting,
    /// It has ended.
    Ended,
    /// It neither waits nor has ended within its limits, or cannot go on: what has happened.
    Broken(String),
}

/// A program as its user meets it: keys in, screens out.
pub trait Program {
    /// A position to come back to.
    type Saved: Send + Sync;

    /// What it is up to.
    fn state(&self) -> ProgramState;

    /// The screen now.
    fn screen(&mut self) -> Screen;

    /// Types keys (their ASCII codes), each once the program has done what the one before asked for. Nothing
    /// happens unless it waits.
    fn press(&mut self, keys: &[u8]);

    /// The position now.
    fn save(&mut self) -> Self::Saved;

    /// Goes back to a position, which another program of the same kind may have saved.
    fn restore(&mut self, saved: &Self::Saved);

    /// As [`restore`](Self::restore), for a position that is not needed again.
    fn resume(&mut self, saved: Self::Saved) {
        self.restore(&saved);
    }

    /// What the speaker has played since the last [`press`](Self::press); `None` if this program cannot be
    /// heard.
    fn heard(&self) -> Option<&[Note]> {
        None
    }

    /// What it has cost so far, in executed instructions; 0 for what executes none.
    fn instructions(&self) -> u64 {
        0
    }
}
