//! The coprocessor: 8087, 80287 and 80387.
//!
//! The lower half is arithmetic on the double extended format, in integers alone, so that results do not depend on the
//! host: `extended` (values), `calculation` (exceptions and rounding), `arithmetic`, `remainder`, `convert`, and on 128
//! bits (`wide`) `trigonometry` and `logarithm`. It is our own, since the soft float that is kept (`rustc_apfloat`) has
//! neither precision control nor square root, does not say that an operand was a denormal or that a result was rounded
//! up, and knows no unmasked responses. The upper half is the `unit` that programs see: `stack`, `environment`, and the
//! instructions, `register` and `memory`.

mod arithmetic;
mod calculation;
mod control;
mod convert;
mod environment;
mod extended;
mod logarithm;
mod memory;
mod model;
mod register;
mod remainder;
mod stack;
#[cfg(test)]
mod tests;
mod trigonometry;
mod unit;
mod wide;

pub(super) use environment::{Environment, LONGEST};
pub(super) use memory::{Memory, Transfer};
pub(super) use model::Model;
pub(super) use unit::{Fpu, is_control};
