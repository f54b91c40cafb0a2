//! GRID18: Patrick Pedersen's grid of 18 bits, 2018, as plain Rust.
//!
//! The four procedures and the game around them, its twin, and the check of the program's own
//! procedures.

mod procedures;
pub mod published;
mod rules;
mod tunes;
mod twin;

pub use rules::{Grid, Grid18, Stone};
pub use twin::Grid18Twin;

use oxbox_proof::verify::{Proof, Twins};

/// The proof that compares a program with the twin, and checks its procedures.
pub static PROOF: &dyn Proof = &Twins::new(|| vec![Box::new(Grid18Twin::new())]).and(procedures::check);
