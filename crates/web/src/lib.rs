//! The machine behind a web page: what the page asks, what it gets.
//!
//! A page's worker calls [`requests::answer`] with JSON and bytes, and gets JSON and bytes back; the functions that it calls in the module of
//! WebAssembly are in `exports`. What is drawn, heard and typed is the page's (`web/`), all that a run consists of is here, so that
//! a run is the same in every browser and in none: a function of the program and the keys with their instants.

mod player;
mod film;
mod study;
pub mod requests;
#[cfg(target_family = "wasm")]
mod exports;
