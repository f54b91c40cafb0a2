//! The rules of the five systems in Rust: an engine for each, the twin that its program is held against, its tunes and models.
//!
//! Everything here is computed natively from the documents' descriptions. The programs themselves, as bytes, belong to the package
//! `oxbox`; this crate never reads a file and holds no ROM.

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

/// The examples of the README are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
