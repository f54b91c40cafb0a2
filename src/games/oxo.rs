//! OXO: Julian Skidmore's game for the FIGnition of 2011, as plain Rust.
//!
//! The rules in eight numbers, the tunes, and the twin that shows them as the program does.

mod rules;
mod tunes;
mod twin;

pub use rules::Oxo;
pub(crate) use twin::OxoTwin;
