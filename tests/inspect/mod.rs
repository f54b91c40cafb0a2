//! Traces, coverage, profile and debug information on the command line.
#![cfg(feature = "assembler")]
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

mod screens;
mod symbols;
mod traces;

use assert_cmd::Command;
use std::fs;
use tempfile::TempDir;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Runs the binary there. Returns exit code, stdout, stderr.
fn oxbox(folder: &TempDir, line: &str) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("oxbox")
        .unwrap()
        .args(line.split(' '))
        .current_dir(folder.path())
        .env_remove("RUST_LOG")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Two procedures, a loop, a branch taken two times out of three, and one never reached.
const SUM: &str = "        .model small
        .stack 100h
        .data
total   dw 0
        .code
start:  mov ax, @data
        mov ds, ax
        mov cx, 3
again:  call add_
        loop again
        cmp total, 6
        je done
        call fail
done:   mov ax, total
        mov ah, 4Ch
        int 21h
add_    proc
        add total, cx
        ret
add_    endp
fail    proc
        or ax, ax
        jz @F
        nop
@@:     ret
fail    endp
        end start
";
