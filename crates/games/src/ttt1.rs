//! TTT1: Randall Hyde's bitmap pattern game of 1996, as plain Rust.
//!
//! The rules as the program executes them, and the twin with the program's screens.

pub mod patterns;
mod rules;
mod twin;

pub use rules::{Ttt1, turned};
pub use twin::Ttt1Twin;

use oxbox_proof::verify::{Proof, Twins};

/// The proof that compares a program with the twin.
pub static PROOF: &dyn Proof = &Twins::new(|| vec![Box::new(Ttt1Twin::new())]);
