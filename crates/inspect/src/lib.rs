//! What can be told of a program from outside it: names and source lines, instructions as text, its calls, what it has executed, why
//! it crashed, who wrote what.
//!
//! Plain data, pure functions and observers: the toolchain fills the symbols, whoever explains a run reads them.

mod disassembly;
mod ending;
mod access;
mod arguments;
mod breakpoints;
mod program;
mod processes;
mod programs;
mod calls;
mod check;
mod last;
mod hint;
mod hints;
mod stack;
mod explanation;
mod code;
mod lcov;
mod coverage;
mod writers;
mod ports;
mod profile;
mod reach;
mod transcript;

pub use breakpoints::{Breakpoints, Holds, Place, Reached};
pub use calls::CallTrace;
pub use check::{Check, Finding, Kind, Kinds, UnknownKind};
pub use code::CodeTrace;
pub use coverage::Coverage;
pub use disassembly::{Disassembled, LONGEST, Names, disassemble};
pub use ending::EndingCall;
pub use explanation::{Explanation, Step};
pub use hint::{Hint, HintId};
pub use last::{LastInstructions, Moment};
pub use lcov::{FileCoverage, Lcov};
pub use ports::PortTrace;
pub use processes::{Brought, Lookup, Process};
pub use profile::Profile;
pub use program::{Program, SourcePlace, named};
pub use programs::Programs;
pub use reach::Unreached;
pub use stack::Frame;
// The language of conditions stands below scripts.
pub use oxbox_machine::expression;
// Filled by the toolchain, read here.
pub use oxbox_toolchain::symbols::{self, Local, SourceLine, Symbol, SymbolKind, Symbols};
pub use transcript::Transcript;
pub use writers::{ParseRegisterError, RegisterPart, Writer, Written, last_moment, last_writer};

/// The examples of the README are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
