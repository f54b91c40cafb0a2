//! The processors 8086 to Pentium in real mode with their coprocessors, over any [`Bus`].
//!
//! This crate depends on iced-x86 and knows no PC: it has no device, no BIOS and no DOS, reads no
//! file, and never asks the host for the time.
//!
//! `decode` and `block` decode code once into blocks of small operations, which `run` executes. A
//! deadline ends a run at an exact instruction boundary, whether blocks are cached or every
//! instruction is decoded at each execution.
//!
//! Modules are listed in order of dependency: each uses only those above it.

pub mod directions;
mod memory;
mod mistake;
// State.
mod bus;
mod fpu;
mod model;
mod number_hash;
mod frequency;
mod registers;
mod status;
mod system;
mod state;
mod observer;

mod size;
// Operands and arithmetic.
mod access;
mod alu;
mod arithmetic;
mod op;
mod operand;
mod shift;

mod exception;

mod form;
// Decoding and execution.
mod decoded;
mod ops;

// Translation of hot blocks to host code, on hosts with a translator.
#[cfg(all(feature = "translator", target_arch = "x86_64", any(unix, windows)))]
mod translate;
#[cfg(not(all(feature = "translator", target_arch = "x86_64", any(unix, windows))))]
#[path = "translate/absent.rs"]
mod translate;

mod known;
mod overwritten;
mod block;
mod restore;
mod decode;

mod run;

mod observed;

pub mod flat;
#[cfg(test)]
mod tests;

pub use block::{Blocks, TRANSLATE_AFTER};
pub use bus::{Bus, Width};
pub use memory::{
    Data, DirectMemory, PLANE, PLANE_PAGE, PlainMemory, PlanarMapping, PlanarMemory, PlanarRegisters,
};
pub use mistake::TranslationMistake;
pub use model::Model;
pub use number_hash::{NumberHash, NumberHasher};
pub use observer::{BlockEnd, BlockObserver, Note};
pub use registers::{Flags, Registers, Segment};
pub use state::{Cpu, Exit, Served, Step};

/// Compiles and runs the README's examples as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
