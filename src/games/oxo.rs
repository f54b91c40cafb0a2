//! OXO: Julian Skidmore's game for the FIGnition of 2011, as plain Rust.
//!
//! The rules in eight numbers, and the twin that shows them as the program does.

mod rules;
mod twin;

pub use rules::Oxo;
pub use twin::OxoTwin;
