//! OXO: Julian Skidmore's game for the FIGnition of 2011, as plain Rust.
//!
//! The rules in eight numbers, the tunes, and the twin that shows them as the program does.

mod rules;
mod tunes;
mod twin;

pub use rules::Oxo;
pub use twin::OxoTwin;

use oxbox_proof::verify::{Proof, Twins};

/// How a program is held against the twin.
pub static PROOF: &dyn Proof = &Twins::new(|| vec![OxoTwin::new()]);
