//! What can be told of a program from outside it: names and source lines of its addresses.
//!
//! Plain data and pure functions: the toolchain fills them, whoever explains a run reads them.

mod access;
mod breakpoints;
mod expression;
pub mod symbols;
mod writers;

pub use breakpoints::{Breakpoints, Holds, Place, Reached};
pub use expression::{ExpressionError, Named, Scope, evaluate, number};
pub use symbols::{Local, SourceLine, Symbol, SymbolKind, Symbols};
pub use writers::{ParseRegisterError, RegisterPart, Writer, Written, last_writer};
