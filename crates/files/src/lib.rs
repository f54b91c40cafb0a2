//! Files of the host, written so that a reader finds the old contents or the new ones.
//!
//! This crate never runs a guest and knows nothing of a machine.

pub mod group;
pub mod scratch;
pub mod atomic_file;

/// The examples of the README are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
