//! How a user meets the machine: window, terminal, console, headless.
//!
//! The only part of oxbox that knows the wall clock, the screen and the sound card of the host. Everything here goes through
//! the public API of [`crate::machine`] and knows no program by name.

#[cfg(feature = "audio")]
pub mod audio;
