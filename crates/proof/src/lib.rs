//! Proofs by exhaustive exploration: every state that a user can bring a program into, every line
//! of play of a game, and comparison of a program with its twin.
//!
//! Modules are listed in order of dependency. `walk` and `verify` know nothing of DOS, and no game
//! by name. This crate never reads the host's clock, and accesses no files except the unnamed
//! temporary ones of the feature `spill`.

pub mod engine;

pub mod picture;

pub mod walk;

pub mod verify;

pub mod referee;

/// Compiles and runs the README's examples as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
