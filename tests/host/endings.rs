//! Every command with every way in which a process can end: killed, told to end, with a full disk,
//! without a reader.
//!
//! `fault.c` makes each event happen at each system call that writes. In every case each output
//! file is the old one or the new one, nothing else is beside it after the next run, and no child
//! process remains.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use super::{oxbox, send, until};
use rustix::process::Signal;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Creates F with "new", and ends.
const REPLACE: &[u8] =
    b"\xB4\x3C\x31\xC9\xBA\x1A\x01\xCD\x21\x93\xB4\x40\xB9\x03\x00\xBA\x1C\x01\xCD\x21\xB8\x00\x4C\xCD\x21\xC3F\0new";

/// Creates F with "hi" and prints indefinitely, with F open.
const PRINT: &[u8] =
    b"\xB4\x3C\x31\xC9\xBA\x1C\x01\xCD\x21\x93\xB4\x40\xB9\x02\x00\xBA\x1E\x01\xCD\x21\xB4\x02\xB2\x41\xCD\x21\xEB\xFAF\0hi";

/// Prints hello.
const HELLO: &str = ".model tiny\n.code\norg 100h\nstart: mov ah,9\nmov dx,offset text\nint 21h\nmov ax,4C00h\nint 21h\n\
                     text db 'hello',13,10,'$'\nend start\n";

/// Waits for keys, and ends at a "q".
const KEYS: &str = ".model tiny\n.code\norg 100h\nstart: mov ah,0\nint 16h\ncmp al,'q'\njne start\nmov ax,4C00h\nint 21h\nend start\n";

const SUITE: &str = "program = \"hello.asm\"\n[[test]]\nname = \"greets\"\noutput = \"hello\\r\\n\"\nfiles = { \"A.TXT\" = \"x\" }\n";

/// A command, and the files that it writes.
type Row = (&'static str, &'static [&'static str]);

/// Commands that write files or keep data in the host's temporary folder.
const WRITERS: &[Row] = &[
    (
        "run REPLACE.COM --headless --shot s.png --text t.txt --wav w.wav --record r.script --gif g.gif --cast c.cast \
         --transcript tr.txt --trace calls=trace.txt --profile p.txt",
        &["F", "s.png", "t.txt", "w.wav", "r.script", "g.gif", "c.cast", "tr.txt", "trace.txt", "p.txt"],
    ),
    ("build hello.asm -o h.com --map h.map --listing h.lst", &["h.com", "h.map", "h.lst"]),
    (
        "test suite.toml --junit j.xml --csv c.csv --html h.html --gradescope g.json",
        &["j.xml", "c.csv", "h.html", "g.json"],
    ),
    ("run hello.asm", &[]),
    ("explore keys.asm --choices q --shard 1/1 --out p.part", &["p.part"]),
    ("same keys.asm keys.asm --choices q", &[]),
    ("play ttt1 --headless --keys q --wav w.wav --text t.txt", &["w.wav", "t.txt"]),
    ("tune eecs2100 nbc --wav w.wav", &["w.wav"]),
    ("verify ttt1 --html v.html", &["v.html"]),
    ("arena --html a.html", &["a.html"]),
    ("man --out manual", &[]),
];

/// Commands that only print.
const PRINTERS: &[&str] =
    &["list", "claims", "model ttt1", "relatives", "chip --help", "help expressions", "completions bash"];

/// Returns the path of `fault`, which is built once.
fn fault() -> &'static Path {
    static BUILT: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("fault");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/host/fault.c");
        assert!(
            Command::new("cc").arg("-O1").arg(source).arg("-o").arg(&program).status().unwrap().success()
        );
        (folder, program)
    });
    &built.1
}

/// Returns a folder with programs and sources, and one for temporary files.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files: [(&str, &[u8]); 5] = [
        ("REPLACE.COM", REPLACE),
        ("PRINT.COM", PRINT),
        ("hello.asm", HELLO.as_bytes()),
        ("keys.asm", KEYS.as_bytes()),
        ("suite.toml", SUITE.as_bytes()),
    ];
    for (name, contents) in files {
        fs::write(folder.path().join(name), contents).unwrap();
    }
    fs::create_dir(folder.path().join("tmp")).unwrap();
    folder
}

fn command(folder: &Path, line: &str) -> Command {
    let mut command = oxbox(folder, line);
    command.env("TMPDIR", folder.join("tmp")).env("XDG_CACHE_HOME", folder.join("tmp"));
    command
}

/// The end of a command under `fault`.
#[derive(Debug, PartialEq)]
struct Ended {
    calls: u64,
    code: i32,
    signal: i32,
    stderr: String,
}

/// Runs a command with an event at its Nth call.
fn run(folder: &Path, line: &str, event: &str, at: u64) -> Ended {
    let log = folder.join("tmp/log");
    let plain = command(folder, line);
    let mut faulty = Command::new(fault());
    faulty.args([event, &at.to_string()]).arg(&log).arg(plain.get_program()).args(plain.get_args());
    faulty.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => faulty.env(name, value),
            None => faulty.env_remove(name),
        };
    }
    let output = faulty.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "fault {event} {at} {line}");
    let told = fs::read_to_string(&log).unwrap();
    fs::remove_file(log).unwrap();
    let numbers: Vec<i64> = told.split_whitespace().map(|number| number.parse().unwrap()).collect();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Ended { calls: numbers[0] as u64, code: numbers[1] as i32, signal: numbers[2] as i32, stderr }
}

/// Returns the temporary files and folders below a folder.
fn leftovers(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let is_folder = entry.file_type().unwrap().is_dir();
        if name.ends_with(".scratch") || name.starts_with(".oxbox-") {
            found.push(entry.path());
        } else if is_folder {
            found.extend(leftovers(&entry.path()));
        }
    }
    found
}

/// Returns the processes that work in a folder or below it.
fn processes_in(folder: &Path) -> Vec<PathBuf> {
    let places =
        fs::read_dir("/proc").unwrap().filter_map(|entry| fs::read_link(entry.ok()?.path().join("cwd")).ok());
    places.filter(|place| place.starts_with(folder)).collect()
}

fn is_run(line: &str) -> bool {
    line.starts_with("run ") || line.starts_with("play ")
}

/// Whether a file of an interrupted run is complete, as far as its format shows.
fn is_finished(name: &str, bytes: &[u8]) -> bool {
    let text = || String::from_utf8_lossy(bytes);
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "wav" => {
            bytes.len() >= 44
                && u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize + 8 == bytes.len()
        }
        "png" => bytes.ends_with(b"IEND\xAE\x42\x60\x82"),
        "gif" => bytes.starts_with(b"GIF8") && bytes.ends_with(b";"),
        "cast" => text().lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()),
        "script" => text().contains("recorded by oxbox"),
        "txt" => bytes.is_empty() || bytes.ends_with(b"\n"),
        // The guest's own file: it was created, or contains the guest's data.
        _ => bytes.is_empty() || bytes == b"new",
    }
}

/// Runs a command with an event at every `step`th of its calls.
fn inject((line, outputs): &Row, event: &str, step: u64) {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let make_old = || outputs.iter().for_each(|name| fs::write(at(name), "old").unwrap());
    make_old();
    let whole = run(folder.path(), line, "none", 0);
    assert_eq!((whole.code, whole.signal), (0, 0), "{line}: {}", whole.stderr);
    assert_eq!(leftovers(folder.path()), Vec::<PathBuf>::new(), "{line}");
    let new: Vec<Vec<u8>> = outputs.iter().map(|name| fs::read(at(name)).unwrap()).collect();
    for call in (1..=whole.calls).step_by(step as usize) {
        make_old();
        let what = format!("{line}, {event} at call {call} of {}", whole.calls);
        let ended = run(folder.path(), line, event, call);
        for (name, new) in outputs.iter().zip(&new) {
            let found = fs::read(at(name)).unwrap_or_else(|error| panic!("{what}: {name}: {error}"));
            // An interrupted run stores the data so far, as complete files.
            let is_earlier = ended.code > 128 && is_run(line) && is_finished(name, &found);
            let is_whole = found == b"old" || found == *new || is_earlier;
            assert!(is_whole, "{what}: {name} is a part: {} bytes", found.len());
        }
        assert!(!ended.stderr.contains("panicked"), "{what}: {}", ended.stderr);
        match event {
            // The disk may have been full for the rest of the data, or it may not have mattered.
            "full" => assert!([0, 1, 125].contains(&ended.code), "{what}: {ended:?}"),
            "kill" => assert_eq!(ended.signal, 9, "{what}: {ended:?}"),
            signal => {
                let code = 128 + signal.parse::<i32>().unwrap();
                // The command may have ended before.
                assert!(ended.signal == 0 && [0, code].contains(&ended.code), "{what}: {ended:?}");
            }
        }
        if event == "kill" {
            // The next run removes leftovers.
            run(folder.path(), line, "none", 0);
        }
        assert_eq!(leftovers(folder.path()), Vec::<PathBuf>::new(), "{what}: {ended:?}");
        until("the end of its children", || processes_in(folder.path()).is_empty());
    }
}

const EVENTS: [&str; 5] = ["kill", "full", "2", "15", "1"];

#[test]
fn a_sample_of_commands_and_events() {
    for (row, step) in WRITERS[..3].iter().zip([7, 3, 9]) {
        EVENTS.iter().for_each(|event| inject(row, event, step));
    }
}

#[test]
#[ignore = "minutes: .ci/release runs it"]
fn every_command_at_every_event_at_every_call() {
    for row in WRITERS {
        EVENTS.iter().for_each(|event| inject(row, event, 1));
    }
}

#[test]
fn every_command_without_a_reader() {
    let lines = WRITERS.iter().map(|row| row.0).chain(PRINTERS.iter().copied());
    for line in lines {
        let folder = folder();
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(folder.path(), line).stdout(writer).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        // 113 is TTT1's own exit code after q.
        assert!(
            [Some(0), Some(113), Some(141)].contains(&output.status.code()),
            "{line}: {:?} {stderr}",
            output.status
        );
        assert!(!stderr.contains("panicked"), "{line}: {stderr}");
        assert_eq!(leftovers(folder.path()), Vec::<PathBuf>::new(), "{line}");
    }
}

/// Output that is not read any more ends a run like any other end.
#[test]
fn a_broken_pipe_loses_no_file() {
    for front in ["", "--json"] {
        let folder = folder();
        let line = format!("run PRINT.COM --wav w.wav --record r.script {front} --time-limit 20000");
        let mut child = command(folder.path(), &line).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        if front.is_empty() {
            std::io::Read::read_exact(&mut stdout, &mut [0; 10]).unwrap();
        }
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(141), "{line}: {stderr}");
        let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
        assert_eq!(read("F"), b"hi", "{line}");
        let wav = read("w.wav");
        assert_eq!(u32::from_le_bytes(wav[4..8].try_into().unwrap()) as usize + 8, wav.len(), "{line}");
        assert!(read("r.script").starts_with(b"# PRINT"), "{line}");
    }
}

#[test]
fn an_output_on_stdout_is_whole_and_alone() {
    let rows: [(&str, &[u8]); 6] = [
        ("run HI.COM --wav -", b"RIFF"),
        ("run HI.COM --record -", b"# HI.COM"),
        ("run HI.COM --shot -", b"\x89PNG"),
        ("run HI.COM --gif -", b"GIF89a"),
        ("run HI.COM --profile -", b"HI.COM;"),
        ("tune oxo win --svg -", b"<svg"),
    ];
    for (line, begins) in rows {
        let folder = folder();
        // MOV DL,'h' / MOV AH,2 / INT 21 / RET
        fs::write(folder.path().join("HI.COM"), b"\xB2h\xB4\x02\xCD\x21\xC3").unwrap();
        let output = command(folder.path(), line).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stdout.starts_with(begins), "{line}: {:?}", String::from_utf8_lossy(&output.stdout));
        assert!(!folder.path().join("-").exists(), "{line}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(folder.path(), line).stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(141), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let folder = folder();
    for line in ["run PRINT.COM --wav - --record -", "run PRINT.COM --wav - --json"] {
        assert_eq!(command(folder.path(), line).output().unwrap().status.code(), Some(2), "{line}");
    }
}

/// A command that hangs in its assembler, a child process, ends together with it.
#[test]
fn a_signal_ends_the_children_too() {
    let folder = folder();
    fs::write(folder.path().join("loop.asm"), "x = 0\nwhile 1\nx = x + 1\nendm\nend\n").unwrap();
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let child = command(folder.path(), "build loop.asm -o loop.com").spawn().unwrap();
        until("the assembler", || {
            processes_in(&folder.path().join("tmp")).iter().any(|place| place.exists())
        });
        send(&child, signal);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
        until("the end of the assembler", || processes_in(folder.path()).is_empty());
        assert_eq!(leftovers(folder.path()), Vec::<PathBuf>::new());
    }
}

/// The files of a program under a debugger are stored; the debugger ends with the signal's code.
#[test]
fn a_signal_ends_the_debuggers_in_order() {
    for (line, starts) in [("run PRINT.COM --gdb 0", "waiting for gdb"), ("dap", "Content-Length")] {
        let folder = folder();
        let mut child = command(folder.path(), line).stdin(Stdio::piped()).spawn().unwrap();
        // A disconnected editor would end it, too: its end of the pipe stays open.
        let mut stdin = child.stdin.take().unwrap();
        let request =
            r#"{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"oxbox"}}"#;
        let mut output: Box<dyn BufRead> = if line == "dap" {
            write!(stdin, "Content-Length: {}\r\n\r\n{request}", request.len()).unwrap();
            Box::new(BufReader::new(child.stdout.take().unwrap()))
        } else {
            Box::new(BufReader::new(child.stderr.take().unwrap()))
        };
        let mut first = String::new();
        output.read_line(&mut first).unwrap();
        assert!(first.contains(starts), "{line}: {first}");
        send(&child, Signal::TERM);
        assert_eq!(child.wait().unwrap().code(), Some(143), "{line}");
        drop((stdin, output));
    }
}

/// `nohup` requests that the loss of the terminal is ignored.
#[test]
fn an_ignored_signal_stays_ignored() {
    let folder = folder();
    let program = command(folder.path(), "").get_program().to_owned();
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg("trap '' HUP; exec \"$0\" run PRINT.COM --headless --time-limit 1000000")
        .arg(program);
    let mut child =
        shell.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until("the program", || folder.path().join("F").exists());
    send(&child, Signal::HUP);
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it was ended");
    send(&child, Signal::TERM);
    assert_eq!(child.wait().unwrap().code(), Some(143));
}
