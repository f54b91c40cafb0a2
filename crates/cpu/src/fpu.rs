//! The coprocessors 8087, 80287 and 80387.
//!
//! The lower half is arithmetic on the double extended format with integers only, so that results
//! do not depend on the host (the translator uses a host's x87 where that gives the same): `extended`
//! (values), `calculation` (exceptions and rounding), `arithmetic` (and `ordinary`, a short way for
//! normal numbers), `remainder`, `convert`, and, with 128 bits (`wide`), `trigonometry` and
//! `logarithm`. No maintained soft-float crate fits: `rustc_apfloat` has no precision control and
//! no square root, does not report denormal operands or that a result was rounded up, and has no
//! unmasked responses. The upper half is the programmer's model in `unit`: `stack`, `environment`,
//! and the instructions in `register` and `memory`.

mod arithmetic;
mod calculation;
mod control;
mod convert;
mod environment;
mod extended;
#[cfg(all(feature = "translator", target_arch = "x86_64", any(unix, windows)))]
mod layout;
mod logarithm;
mod memory;
mod model;
mod ordinary;
mod register;
mod remainder;
mod stack;
#[cfg(test)]
mod tests;
mod trigonometry;
mod unit;
mod wide;

pub(super) use environment::{Environment, LONGEST};
#[cfg(all(feature = "translator", target_arch = "x86_64", any(unix, windows)))]
pub(super) use layout::{control_word, field, status};
#[cfg(all(feature = "translator", target_arch = "x86_64", any(unix, windows)))]
pub(super) use memory::{Format, Kind as MemoryKind, Pop};
pub(super) use memory::{Memory, Transfer};
pub(super) use model::Model;
#[cfg(all(feature = "translator", target_arch = "x86_64", any(unix, windows)))]
pub(super) use register::Binary;
pub(super) use unit::{Fpu, is_control};
