//! What can be told of a program from outside it: names and source lines, instructions as text, its calls, what it has executed, why
//! it crashed, who wrote what.
//!
//! Plain data, pure functions and observers: the toolchain fills the symbols, whoever explains a run reads them.

mod access;
mod arguments;
mod breakpoints;
mod calls;
mod code;
mod coverage;
mod disassembly;
mod explanation;
mod expression;
mod hints;
mod last;
mod lcov;
mod ports;
mod processes;
mod profile;
mod program;
mod programs;
mod reach;
mod stack;
pub mod symbols;
mod transcript;
mod writers;

pub use breakpoints::{Breakpoints, Holds, Place, Reached};
pub use calls::CallTrace;
pub use code::CodeTrace;
pub use coverage::Coverage;
pub use disassembly::{Disassembled, LONGEST, Names, disassemble};
pub use explanation::{Ending, Explanation, Step};
pub(crate) use expression::segment_and_offset;
pub use expression::{ExpressionError, Named, Scope, evaluate, number};
pub use last::{LastInstructions, Moment};
pub use lcov::{FileCoverage, Lcov};
pub use ports::PortTrace;
pub use processes::{Brought, Lookup, Process};
pub use profile::Profile;
pub use program::{Program, SourcePlace};
pub use programs::Programs;
pub use reach::Unreached;
pub use stack::Frame;
pub use symbols::{Local, SourceLine, Symbol, SymbolKind, Symbols};
pub use transcript::Transcript;
pub use writers::{ParseRegisterError, RegisterPart, Writer, Written, last_moment, last_writer};
