//! The first minute: `oxbox new`, a file or a folder instead of a command, and suggestions for a
//! mistyped one.
#![cfg(feature = "assembler")]
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

use assert_cmd::Command;
use std::fs;
use std::process::Output;
use tempfile::TempDir;

fn oxbox(folder: &TempDir, line: &str, input: &str) -> Output {
    Command::cargo_bin("oxbox")
        .unwrap()
        .args(line.split_whitespace())
        .current_dir(folder.path())
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env("NO_COLOR", "1")
        .write_stdin(input)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn has_nasm() -> bool {
    std::process::Command::new("nasm").arg("-v").output().is_ok()
}

#[test]
fn every_kind_assembles_and_passes_its_suite() {
    for kind in ["hello", "com", "exe", "boot", "tsr", "nasm", "game"] {
        let folder = TempDir::new().unwrap();
        let made = oxbox(&folder, &format!("new {kind} mine"), "");
        assert!(made.status.success(), "{kind}: {}", text(&made.stderr));
        for file in ["mine/mine.asm", "mine/mine.toml", "mine/.vscode/launch.json"] {
            assert!(text(&made.stdout).contains(file), "{kind}: {file}");
            let written = fs::read_to_string(folder.path().join(file)).unwrap();
            assert!(!written.contains("{name}") && written.contains("mine"), "{kind}: {file}");
        }
        let launch = fs::read(folder.path().join("mine/.vscode/launch.json")).unwrap();
        let launch: serde_json::Value = serde_json::from_slice(&launch).unwrap();
        assert_eq!(launch["configurations"][0]["program"], "${workspaceFolder}/mine.asm");
        if kind == "nasm" && !has_nasm() {
            println!("nasm is not installed: its source is not assembled");
            continue;
        }
        let tested = oxbox(&folder, "test mine/mine.toml", "");
        assert!(tested.status.success(), "{kind}: {}{}", text(&tested.stdout), text(&tested.stderr));
    }
}

#[test]
fn nothing_is_overwritten() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("hello")).unwrap();
    fs::write(folder.path().join("hello/hello.toml"), "mine").unwrap();
    let refused = oxbox(&folder, "new hello", "");
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("already exists; nothing was written"), "{refused:?}");
    assert_eq!(fs::read(folder.path().join("hello/hello.toml")).unwrap(), b"mine");
    assert_eq!(fs::read_dir(folder.path().join("hello")).unwrap().count(), 1);
    for name in ["..", "muchtoolonganame", "sub/a+b"] {
        let refused = oxbox(&folder, &format!("new com {name}"), "");
        assert_eq!(refused.status.code(), Some(2), "{name}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_resident_program_knows_itself_and_leaves() {
    let folder = TempDir::new().unwrap();
    assert!(oxbox(&folder, "new tsr clock", "").status.success());
    assert!(oxbox(&folder, "build clock/clock.asm -o CLOCK.COM", "").status.success());
    let prompt = oxbox(&folder, ".", "clock\r\nclock\r\nclock /u\r\nclock /u\r\nexit\r\n");
    let said = text(&prompt.stdout);
    let expected = ["Resident. /u", "I am resident already.", "Out of memory.", "I am not resident."];
    let mut rest = said.as_str();
    for line in expected {
        rest = rest.split_once(line).unwrap_or_else(|| panic!("{line}\n{said}")).1;
    }
}

#[test]
fn a_file_or_a_folder_alone_runs() {
    let folder = TempDir::new().unwrap();
    let hello = "        .model tiny\n        .code\n        org 100h\ns:  mov dx, offset t\n mov ah, 9\n int 21h\n \
                 mov ax, 4C07h\n int 21h\nt db 'hi$'\n end s\n";
    for name in ["hi.asm", "play.S", "zwei+drei.a86", "grüße.masm"] {
        fs::write(folder.path().join(name), hello).unwrap();
    }
    fs::write(folder.path().join("HI.BAT"), "@echo from a batch file\r\n").unwrap();
    let rows = [
        ("hi.asm", 7, "hi"),
        ("--headless hi.asm --text -", 7, "hi"),
        ("-v play.S", 7, "hi"),
        ("zwei+drei.a86", 7, "hi"),
        ("./hi.asm a b", 7, "hi"),
        ("grüße.masm", 7, "hi"),
        ("HI.BAT", 0, "from a batch file"),
        ("none.asm", 125, "cannot read none.asm"),
        ("no/such", 125, "cannot read no/such"),
        ("hi", 2, "did you mean 'oxbox hi.asm'?"),
        ("exlpore", 2, "did you mean 'oxbox explore'?"),
        ("ttt1", 2, "did you mean 'oxbox play ttt1'?"),
        ("rnu HI.COM", 2, "unrecognized subcommand 'rnu' (did you mean 'oxbox run'?)"),
        ("frobnicate", 2, "unrecognized subcommand 'frobnicate' (see 'oxbox --help')"),
        ("explore play.S --choices 1", 0, "play.S never waits for a key"),
    ];
    for (line, code, part) in rows {
        let output = oxbox(&folder, line, "");
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(said.contains(part), "{line}: {said}");
        assert_eq!(output.status.code(), Some(code), "{line}: {said}");
    }
}
