//! The rules of the five systems in Rust: for each an engine, the twin (reference model) that its
//! program is compared with, tunes and models.
//!
//! Everything is computed natively from the descriptions in the documents. The binaries of the
//! programs belong to the package `oxbox`; this crate reads no files and contains no ROM.

mod quit_keys;

pub mod chip;
pub mod course;
pub mod eecs2100;
pub mod grid18;
pub mod oxo;
pub mod relatives;
pub mod ttt1;

#[cfg(test)]
mod walk_tests;

/// Compiles and runs the README's examples as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
