//! The processor: 8086 to 80386 in real mode, over any [`Bus`].
//!
//! Code is decoded once into blocks of small operations (`decode`, `block`), which `run` executes. A deadline cuts a
//! run at an exact instruction boundary, the same whether blocks are cached or every instruction is decoded each time.
//!
//! The modules stand in order of dependency, each built on those above it.

// What the machine is made of.
mod bus;
mod fpu;
mod model;
mod planar;
mod registers;
mod state;
mod status;
mod system;

// What an operation works with.
mod access;
mod alu;
mod arithmetic;
mod op;
mod operand;
mod shift;
mod size;

mod exception;

// From bytes to operations, and their execution.
mod decoded;
mod form;
mod ops;

// Blocks that run often, as the host's own code: where there is a translator for the host.
#[cfg(all(feature = "translator", target_arch = "x86_64", any(unix, windows)))]
mod translate;
#[cfg(not(all(feature = "translator", target_arch = "x86_64", any(unix, windows))))]
#[path = "cpu/translate/absent.rs"]
mod translate;

mod block;
mod decode;

mod run;

pub mod flat;
#[cfg(test)]
mod tests;

pub use block::{Blocks, TRANSLATE_AFTER};
pub use bus::{Bus, PlainMemory, Width};
pub use model::Model;
pub use planar::{Data, DirectMemory, PLANE, PLANE_PAGE, PlanarMemory, Reach};
pub use registers::{Flags, Registers, Segment};
pub use state::{Cpu, Exit};
