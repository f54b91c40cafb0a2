//! OXO: Julian Skidmore's game for the FIGnition of 2011, as plain Rust.
//!
//! The rules in eight numbers, the tunes, and the twin with the program's screens.

mod rules;
mod tunes;
mod twin;

pub use rules::Oxo;
pub use twin::OxoTwin;

use oxbox_proof::verify::{Proof, Twins};

/// The proof that compares a program with the twin.
pub static PROOF: &dyn Proof = &Twins::new(|| vec![Box::new(OxoTwin::new())]);
