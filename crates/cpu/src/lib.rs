//! The processors from the 8086 to the Pentium in real mode with their coprocessors, over any [`Bus`].
//!
//! This crate knows iced-x86 and nothing of a PC: it has no device, no BIOS and no DOS, reads no file, and never asks the host for the
//! time.
//!
//! Code is decoded once into blocks of small operations (`decode`, `block`), which `run` executes. A deadline cuts a
//! run at an exact instruction boundary, the same whether blocks are cached or every instruction is decoded each time.
//!
//! The modules stand in order of dependency, each built on those above it.

mod memory;
// What the machine is made of.
mod bus;
mod fpu;
mod model;
mod registers;
mod status;
mod system;
mod state;

mod size;
// What an operation works with.
mod access;
mod alu;
mod arithmetic;
mod op;
mod operand;
mod shift;

mod exception;

mod form;
// From bytes to operations, and their execution.
mod decoded;
mod ops;

// Blocks that run often, as the host's own code: where there is a translator for the host.
#[cfg(all(feature = "translator", target_arch = "x86_64", any(unix, windows)))]
mod translate;
#[cfg(not(all(feature = "translator", target_arch = "x86_64", any(unix, windows))))]
#[path = "translate/absent.rs"]
mod translate;

mod block;
mod decode;

mod run;

pub mod flat;
#[cfg(test)]
mod tests;

pub use block::{Blocks, TRANSLATE_AFTER};
pub use bus::{Bus, Width};
pub use memory::{Data, DirectMemory, PLANE, PLANE_PAGE, PlainMemory, PlanarMemory, Reach};
pub use model::Model;
pub use registers::{Flags, Registers, Segment};
pub use state::{Cpu, Exit, Steps};

/// The examples of the README are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
