//! The debuggers as their users meet them: an editor's requests, gdb itself.
#![cfg(all(feature = "cli", feature = "assembler"))]
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

mod dap;
mod expressions;
mod gdb;
mod who;

use std::path::PathBuf;
use std::process::Command;

/// The program: sums 1 to 5 in a procedure, prints "Sum: 15" and waits for a key.
fn source() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/debug/sum.asm")
}

/// Returns the sources of the 2007 game, in the syntax of `run`.
fn game() -> String {
    let asm = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("asm");
    let sources = oxbox::games::find("eecs2100").unwrap().sources;
    sources.iter().map(|source| asm.join(source).display().to_string()).collect::<Vec<_>>().join("+")
}

fn oxbox() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oxbox"));
    command.env_remove("RUST_LOG");
    command
}

/// Returns the number of the source's line that contains a text.
fn line_of(text: &str) -> u64 {
    let source = std::fs::read_to_string(source()).unwrap();
    source.lines().position(|line| line.contains(text)).unwrap() as u64 + 1
}
