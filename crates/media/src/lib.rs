//! Pictures of a machine: scaling for windows, comparison, PNG (feature `png`), animated GIF
//! (feature `gif`), and escaping of text for HTML and SVG.
//!
//! Pure functions that return bytes or text. This crate accesses no files and runs no machine.

#[cfg(feature = "gif")]
pub mod animation;
pub mod contrast;
pub mod markup;
pub mod pixels;
#[cfg(feature = "png")]
pub mod picture;
pub mod scale;

/// Compiles and runs the README's examples as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
