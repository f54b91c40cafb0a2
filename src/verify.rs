//! Holds a program in the machine against its native twin, over every line of play.
//!
//! ```text
//!   engine ──> twin (keys in, screens out) ──┐
//!                                            ├──> walk ──> report
//!   machine ──> emulated (the same) ─────────┘
//! ```
//! An [engine](crate::engine) states rules; its twin adds the keys and the screens that a user meets. The
//! [walk](walk()) knows nothing of DOS and of no game: it types the same keys to both sides and compares their
//! screens at every prompt. It goes back by snapshots, so that each position is reached once and no game is started
//! twice. [`Twins`] is all of this for a game's row.

mod emulated;
#[cfg(test)]
pub(crate) mod native;
mod part;
mod program;
mod proof;
mod report;
mod screen;
mod sound;
mod text_page;
mod tree;
mod twin;
mod walk;

pub use crate::machine::StartError;
pub use emulated::Emulated;
pub use part::{ProofPart, merge_proofs};
pub use program::{Program, ProgramState};
pub use proof::{Proof, Twins};
pub use report::{Divergence, Figure, GameReport, Lines, Report};
pub use screen::{Picture, Screen, Shown, Text};
pub use text_page::TextPage;
pub use tree::{Node, Tree};
pub use twin::Twin;
pub use walk::walk;
