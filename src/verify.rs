//! Holds a program in the machine against its native twin, over every line of play.
//!
//! ```text
//!   engine ──> twin (keys in, screens out) ──┐
//!                                            ├──> walk ──> report
//!   machine ──> emulated (the same) ─────────┘
//! ```
//! The [walk](walk::walk) knows nothing of DOS: it types the same keys to both and looks at both screens at every prompt. It goes back by
//! snapshots, so each position is reached once and no game is started twice.

pub mod console;
pub mod report;
pub mod screen;
pub mod sound;
pub mod twin;
pub mod walk;

pub use report::{Divergence, GameReport, Report};
pub use screen::{Picture, Screen};
pub use twin::Twin;

use crate::hardware::speaker::Note;

/// What a program is up to, once it has done what a key asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
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
    fn state(&self) -> State;

    /// The screen now.
    fn screen(&self) -> Screen;

    /// Types a key (its ASCII code) and lets the program do what follows. Nothing happens unless it waits.
    fn press(&mut self, key: u8);

    /// The position now.
    fn save(&self) -> Self::Saved;

    /// Goes back to a position, which another program of the same kind may have saved.
    fn restore(&mut self, saved: &Self::Saved);

    /// What the speaker has played since the last key; `None` if this program cannot be heard.
    fn heard(&self) -> Option<&[Note]> {
        None
    }

    /// What it has cost so far, in executed instructions; 0 for what executes none.
    fn instructions(&self) -> u64 {
        0
    }
}
