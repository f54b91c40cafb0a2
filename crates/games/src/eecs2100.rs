//! The EECS-2100 game: the University of Toledo's assembly project of 2007, as plain Rust.
//!
//! The rules as the program executes them, its three tunes, its screens, and the twin that combines
//! them.

mod draw;
mod rules;
mod tunes;
mod twin;

pub use rules::{Eecs2100, keypad};
pub use twin::Eecs2100Twin;

use oxbox_proof::verify::{Proof, Twins};

/// The proof that compares a program with the twin.
pub static PROOF: &dyn Proof = &Twins::new(|| vec![Box::new(Eecs2100Twin::new())]);
