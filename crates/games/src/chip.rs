//! CHIP: the tic-tac-toe chip of P. M. Geiser and A. Marzetta (semester project, winter 1989/90), as plain Rust.
//!
//! [`model`] is the chip clock by clock, a [`ChipGame`] plays on it, [`trace`] shows its registers as a table and
//! [`vcd`] as a waveform for viewers, [`waveform`] as a drawing of one. The chip searches by minimax with alpha-beta pruning; [`search`] is the same as a recursion,
//! the second witness.

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

/// How a program is held against the twin.
pub static PROOF: &dyn Proof = &Twins::new(|| vec![ChipTwin::new()]);
