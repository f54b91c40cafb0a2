//! The EECS-2100 game: the University of Toledo's assembly project of 2007, as plain Rust.
//!
//! The rules as the program executes them, its three tunes, its screens, and the twin of them all.

mod draw;
mod rules;
mod tunes;
mod twin;

pub use rules::{Eecs2100, keypad};
pub(crate) use twin::Eecs2100Twin;
