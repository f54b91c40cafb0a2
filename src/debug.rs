//! Debuggers over the history of a run: in the terminal, for gdb, and for editors.

#[cfg(feature = "terminal")]
pub(crate) mod console;
mod console_words;
pub(crate) mod dap;
pub(crate) mod debuggee;
pub(crate) mod gdb;
mod known;
mod monitor;
pub(crate) mod origin;
mod stepping;
