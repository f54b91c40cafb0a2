//! CHIP: the tic-tac-toe chip of P. M. Geiser and A. Marzetta (semester project, winter 1989/90), as plain Rust.
//!
//! [`model`] is the chip at clock level, and a [`ChipGame`] plays on it. [`trace`] formats its
//! signals as a table, [`vcd`] as a waveform file for viewers, and [`waveform`] as a drawing. The
//! chip searches by minimax with alpha-beta pruning. [`search`] is the same search as a recursion,
//! an independent check.

pub mod model;
mod rules;
pub mod search;
mod signals;
mod stimulus;
#[cfg(test)]
mod tests;
pub mod trace;
mod tunes;
mod twin;
pub mod vcd;
pub mod waveform;

pub use rules::ChipGame;
pub use stimulus::UnknownWord;
pub use twin::ChipTwin;

use oxbox_proof::verify::{Proof, Twins};

/// The proof that compares a program with the twin.
pub static PROOF: &dyn Proof = &Twins::new(|| vec![Box::new(ChipTwin::new())]);
