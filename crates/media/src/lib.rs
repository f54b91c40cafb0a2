//! Pictures of a machine for people and files: scaled for a window, PNG (feature `png`), animated GIF (feature `gif`), and text escaped for
//! HTML and SVG.
//!
//! Pure: everything returns bytes or text. This crate never touches a file, and never runs a machine.

#[cfg(feature = "gif")]
pub mod animation;
pub mod contrast;
pub mod markup;
#[cfg(feature = "png")]
pub mod picture;
pub mod scale;

/// The examples of the README are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
