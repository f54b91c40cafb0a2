//! DOS used by real programs: sources assembled here, run in the whole machine, compared by their
//! output and exit code.
#![cfg(feature = "assembler")]
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

mod files;
mod handlers;
mod lines;
mod processes;

use oxbox::dos::DosOptions;
use oxbox::machine::{Config, Machine, Stop, Until};
use oxbox::toolchain::{BuildRequest, build};
use std::fs;
use std::path::Path;

/// Assembles the body of a program: `.data` and `.code` of a small model, between a start that sets
/// DS, and `END`.
fn assemble(folder: &Path, name: &str, body: &str) -> Vec<u8> {
    let source =
        format!("        .model small\n        .386\n        .stack 512\n{body}\n        end start\n");
    let path = folder.join(name);
    fs::write(&path, source).unwrap();
    let built = build(&BuildRequest { inputs: vec![path], ..oxbox::built_in::build_request() });
    built.unwrap_or_else(|e| panic!("{name}: {e}")).bytes
}

/// Returns a machine with a program loaded; its standard output is kept.
fn machine(folder: &Path, program: &[u8], arguments: &str) -> Machine {
    let dos = DosOptions { folder: Some(folder.to_path_buf()), ..DosOptions::default() };
    let mut machine = Machine::new(&Config { dos, ..Config::default() }).unwrap();
    machine.redirect_output();
    machine.load(program, "TEST.EXE", arguments).unwrap();
    machine
}

/// Until the program ends, waits for a key, or has had far more time than it needs.
const END: Until = Until { cycle: 50_000_000, ..Until::KEY_WAIT };

/// Runs a program. Returns how it stopped and its output.
fn run(body: &str) -> (Stop, String) {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), body, "")
}

fn run_in(folder: &Path, body: &str, arguments: &str) -> (Stop, String) {
    let program = assemble(folder, "test.asm", body);
    let mut machine = machine(folder, &program, arguments);
    let stop = machine.run(&END, &mut ());
    (stop, String::from_utf8(machine.take_output()).unwrap())
}
