//! Analysis of programs from outside: symbols and source lines, disassembly, call traces, coverage,
//! crash reports, and finding writers.
//!
//! Plain data, pure functions and observers. The toolchain creates the symbols that this crate
//! reads.

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
mod crash_report;
mod code;
mod lcov;
mod coverage;
mod writers;
mod stepping;
mod ports;
mod profile;
mod reach;
mod transcript;

pub use breakpoints::{Breakpoints, Holds, Place, StopReason};
pub use calls::CallTrace;
pub use check::{Check, Finding, Kind, Kinds, UnknownKind};
pub use code::CodeTrace;
pub use coverage::Coverage;
pub use crash_report::{CrashReport, Step};
pub use disassembly::{Disassembled, LONGEST, Names, disassemble};
pub use ending::EndingCall;
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
pub use stepping::{ROM, StepKind, Stepper};
// The language for conditions is defined with scripts.
pub use oxbox_machine::expression;
// Created by the toolchain, used here.
pub use oxbox_toolchain::symbols::{self, Local, SourceLine, Symbol, SymbolKind, Symbols};
pub use transcript::Transcript;
pub use writers::{ParseRegisterError, RegisterPart, WriteTarget, Writer, last_moment, last_write};

/// Compiles and runs the README's examples as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
