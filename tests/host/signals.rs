//! Signals: the first ends a run in order, in every front end; the second ends oxbox at once.

use super::terminal::Terminal;
use super::{oxbox, send, until};
use rustix::process::Signal;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;

/// Creates F, writes "hi" to it, and loops indefinitely with the file open.
const HANG: &[u8] =
    b"\xB4\x3C\x31\xC9\xBA\x16\x01\xCD\x21\x93\xB4\x40\xB9\x02\x00\xBA\x18\x01\xCD\x21\xEB\xFEF\0hi";

/// The same, but waits for keys.
const WAIT: &[u8] =
    b"\xB4\x3C\x31\xC9\xBA\x1A\x01\xCD\x21\x93\xB4\x40\xB9\x02\x00\xBA\x1C\x01\xCD\x21\xB4\x00\xCD\x16\xEB\xFAF\0hi";

/// Prints indefinitely.
const PRINT: &[u8] = b"\xB4\x02\xB2\x41\xCD\x21\xEB\xFA";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, program) in [("HANG.COM", HANG), ("WAIT.COM", WAIT), ("PRINT.COM", PRINT)] {
        fs::write(folder.path().join(name), program).unwrap();
    }
    folder
}

const OUTPUTS: &str = "--shot out.png --text out.txt --wav out.wav --record out.script";

/// Checks that every output file of the run exists and is complete.
fn outputs_are_whole(folder: &Path, what: &str) {
    assert_eq!(fs::read(folder.join("F")).unwrap(), b"hi", "{what}");
    let wav = fs::read(folder.join("out.wav")).unwrap();
    let length = u32::from_le_bytes(wav[4..8].try_into().unwrap());
    assert_eq!(length as usize + 8, wav.len(), "{what}: the WAV file");
    assert!(fs::read_to_string(folder.join("out.script")).unwrap().contains("recorded by oxbox"), "{what}");
    if folder.join("out.png").exists() {
        assert!(fs::read(folder.join("out.png")).unwrap().ends_with(b"IEND\xAE\x42\x60\x82"), "{what}");
        assert!(folder.join("out.txt").exists(), "{what}");
    }
}

#[test]
fn a_signal_ends_every_front_end_in_order() {
    let all = format!("{OUTPUTS} --mute");
    let console = "--wav out.wav --record out.script";
    // Arguments, on a terminal.
    let table = [
        (format!("run HANG.COM --headless --json {all}"), false),
        (format!("run HANG.COM {console}"), false),
        (format!("run WAIT.COM {console}"), false),
        (format!("run HANG.COM --terminal {all}"), true),
        (format!("run WAIT.COM --terminal {all}"), true),
        (format!("run HANG.COM {console}"), true),
        (format!("run WAIT.COM {console}"), true),
    ];
    for (line, on_terminal) in table {
        for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
            let what = format!("{line}, {signal:?}, {}", if on_terminal { "terminal" } else { "pipes" });
            let folder = folder();
            let mut command = oxbox(folder.path(), &line);
            command.stdin(Stdio::piped());
            let terminal = on_terminal.then(|| Terminal::of(&mut command));
            let mut child = command.spawn().unwrap();
            // Closes the child's ends of the terminal.
            drop(command);
            until("the program", || folder.path().join("F").exists());
            send(&child, signal);
            let mut stdout = String::new();
            child.stdout.take().into_iter().for_each(|mut out| drop(out.read_to_string(&mut stdout)));
            let status = child.wait().unwrap();
            let mut stderr = String::new();
            child.stderr.take().into_iter().for_each(|mut err| drop(err.read_to_string(&mut stderr)));
            assert_eq!(status.code(), Some(code), "{what}: {status} {stderr}");
            outputs_are_whole(folder.path(), &what);
            if line.contains("--json") {
                let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
                assert_eq!(report["end"], "signal", "{what}");
            }
            if !on_terminal {
                assert_eq!(
                    stderr.contains("a second Ctrl-C ends oxbox at once"),
                    signal == Signal::INT,
                    "{what}"
                );
            }
            drop(terminal);
        }
    }
}

/// A process that is stuck: its output is not read.
#[test]
fn the_second_signal_ends_it_at_once() {
    let folder = folder();
    let mut child = oxbox(folder.path(), "run PRINT.COM").spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0]).unwrap();
    send(&child, Signal::INT);
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("a second Ctrl-C ends oxbox at once"), "{line}");
    send(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().signal(), Some(2));
}

/// On a terminal Ctrl-C is a key of the program. A program that hangs never reads it.
#[test]
fn the_second_ctrl_c_ends_a_program_that_hangs() {
    let folder = folder();
    let mut command = oxbox(folder.path(), "run HANG.COM --wav out.wav --record out.script");
    let mut terminal = Terminal::of(&mut command);
    let mut child = command.spawn().unwrap();
    drop(command);
    until("the program", || folder.path().join("F").exists());
    terminal.ours.write_all(b"\x03").unwrap();
    until("the advice", || terminal.shows("a second one ends oxbox"));
    assert!(child.try_wait().unwrap().is_none());
    terminal.ours.write_all(b"\x03").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    outputs_are_whole(folder.path(), "Ctrl-C twice");
}

#[test]
fn ctrl_c_leaves_the_terminal_in_order() {
    let folder = folder();
    let mut command = oxbox(folder.path(), &format!("run HANG.COM --terminal --mute {OUTPUTS}"));
    let mut terminal = Terminal::of(&mut command);
    let mut child = command.spawn().unwrap();
    drop(command);
    until("the program", || folder.path().join("F").exists());
    terminal.ours.write_all(b"\x03").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    outputs_are_whole(folder.path(), "Ctrl-C");
}
