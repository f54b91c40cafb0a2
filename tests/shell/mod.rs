//! COMMAND.COM: sessions of commands compared with transcripts in `tests/goldens/shell`, keys at
//! the prompt, batch files and EXEC.
//!
//! Each `NAME.cmd` here is fed to the shell as its input; `NAME.txt` there is all its output,
//! standard error at the end. `OXBOX_BLESS=1 cargo test --test library shell::` writes the
//! transcripts again.
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

mod keys;
mod start;

use oxbox::built_in::{self, COMMAND_COM};
use oxbox::dos::{COMSPEC, DosOptions, Timestamp};
use oxbox::machine::{Config, Machine, Stop, Until};
use std::fs;
use std::path::{Path, PathBuf};

const END: Until = Until { cycle: 300_000_000, ..Until::KEY_WAIT };

const PROGRAMS: [(&str, &[u8]); 5] = [
    // Ends with the digit of its command line: MOV AL,[82] / SUB AL,'0' / MOV AH,4C / INT 21
    ("CODE.COM", b"\xA0\x82\x00\x2C\x30\xB4\x4C\xCD\x21"),
    // Prints its tail: MOV AH,40 / MOV BX,1 / MOV CL,[80] / MOV CH,0 / MOV DX,81 / INT 21 / RET
    ("TAIL.COM", b"\xB4\x40\xBB\x01\x00\x8A\x0E\x80\x00\xB5\x00\xBA\x81\x00\xCD\x21\xC3"),
    // Copies its input: MOV AH,3F / XOR BX,BX / MOV CX,200 / MOV DX,300 / INT 21 / OR AX,AX / JZ +0C / XCHG CX,AX / MOV AH,40 /
    // MOV BX,1 / INT 21 / JMP 100 / RET
    (
        "CAT.COM",
        b"\xB4\x3F\x31\xDB\xB9\x00\x02\xBA\x00\x03\xCD\x21\x09\xC0\x74\x0A\x91\xB4\x40\xBB\x01\x00\xCD\x21\xEB\xE6\xC3",
    ),
    // XOR CX,CX / DIV CX
    ("ZERO.COM", b"\x31\xC9\xF7\xF1\xC3"),
    // An EXE that requests more memory than there is: header, no image.
    (
        "HUGE.EXE",
        b"MZ\x20\x00\x01\x00\x00\x00\x02\x00\xFF\xFF\xFF\xFF\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x1C\x00\x00\x00\x00\x00\x00\x00",
    ),
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in PROGRAMS {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

/// Starts the shell in a folder, with its own command line. Clock and dates of files are fixed.
fn shell(folder: &Path, arguments: &str) -> Machine {
    let stamp = Timestamp { date: 16 << 9 | 7 << 5 | 31, time: 12 << 11 | 34 << 5 };
    let dos = DosOptions {
        folder: Some(folder.to_path_buf()),
        fixed_stamp: Some(stamp),
        ..built_in::dos_options()
    };
    let mut machine = Machine::new(&Config { dos, ..Config::default() }).unwrap();
    machine.load(COMMAND_COM, COMSPEC, arguments).unwrap();
    machine
}

/// Returns a session's output and its end.
fn session(folder: &Path, arguments: &str, input: &str) -> (Stop, String) {
    let mut machine = shell(folder, arguments);
    machine.redirect_output();
    machine.redirect_errors();
    machine.redirect_input();
    machine.feed_input(input.replace('\n', "\r\n").as_bytes());
    machine.close_input();
    let stop = machine.run(&END, &mut ());
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
    let (output, errors) = (text(machine.take_output()), text(machine.take_errors()));
    let errors = if errors.is_empty() { errors } else { format!("\n---- standard error\n{errors}") };
    (stop, output + &errors)
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/shell").join(name)
}

#[test]
fn sessions_print_what_they_did() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shell");
    let mut differences = String::new();
    let mut count = 0;
    for case in fs::read_dir(cases).unwrap().map(|entry| entry.unwrap().path()) {
        if case.extension().is_none_or(|extension| extension != "cmd") {
            continue;
        }
        count += 1;
        let folder = folder();
        let (stop, output) = session(folder.path(), "", &fs::read_to_string(&case).unwrap());
        let output = format!("{output}\n---- {stop:?}\n");
        let path = golden(&format!("{}.txt", case.file_stem().unwrap().to_str().unwrap()));
        if std::env::var_os("OXBOX_BLESS").is_some() {
            fs::write(&path, &output).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        if output != expected {
            differences += &format!("{}:\n{output}", path.display());
        }
    }
    assert!(count >= 8 && differences.is_empty(), "{count} sessions; these differ:\n{differences}");
}
