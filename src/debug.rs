//! Debuggers over the history of a run: in the terminal, for gdb, and for editors.

#[cfg(feature = "terminal")]
pub(crate) mod console;
mod repl;
pub(crate) mod dap;
pub(crate) mod debuggee;
pub(crate) mod gdb;
mod loaded_programs;
mod monitor;
pub(crate) mod origin;
mod stepping;
