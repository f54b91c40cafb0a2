//! Proofs by walking: every state that a user can bring a program into, every line of play of a game, a program beside its twin.
//!
//! The modules stand in order of dependency. `walk` and `verify` know nothing of DOS and of no game by name. This crate never reads
//! the host's clock, and touches no file but what the feature `spill` keeps in nameless ones.

pub mod engine;

pub mod walk;

pub mod verify;

pub mod referee;

/// The examples of the README are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
