//! Host files: atomic replacement, scratch files and folders, and process groups.
//!
//! This crate has no machine and runs no guest.

pub mod group;
pub mod scratch;
pub mod atomic_file;

/// Compiles and runs the README's examples as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
