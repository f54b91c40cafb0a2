//! What can be told of a program from outside it: names and source lines of its addresses.
//!
//! Plain data and pure functions: the toolchain fills them, whoever explains a run reads them.

pub mod symbols;

pub use symbols::{Local, SourceLine, Symbol, SymbolKind, Symbols};
