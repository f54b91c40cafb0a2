//! The machine of a web page: requests and answers.
//!
//! The worker of a page calls [`requests::answer`] with JSON and bytes and receives JSON and bytes.
//! The functions that it calls in the WebAssembly module are in `exports`. Drawing, sound and input
//! belong to the page (`web/`). Everything that determines a run is here, so that a run is the same
//! in every browser and without one: a function of the program and the timed keys.

mod player;
mod film;
mod study;
pub mod requests;
#[cfg(target_family = "wasm")]
mod exports;
