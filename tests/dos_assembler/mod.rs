//! DOS assemblers with `--assembler`: run in the machine, their messages converted to the user's
//! files and lines, their programs debugged with their own tables. A small assembler of ours
//! represents them.
#![cfg(feature = "assembler")]
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

use assert_cmd::Command;
use std::fs;
use tempfile::TempDir;

/// Returns exit code, standard output, standard error.
fn oxbox(folder: &TempDir, line: &str) -> (i32, String, String) {
    let output = Command::cargo_bin("oxbox")
        .unwrap()
        .args(line.split_whitespace())
        .current_dir(folder.path())
        .env_remove("DISPLAY")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// Returns a folder with the assembler under the names of others, and sources.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("hexer.asm"), include_str!("hexer.asm")).unwrap();
    let (code, _, said) = oxbox(&folder, "build hexer.asm -o HEXER.COM");
    assert_eq!(code, 0, "{said}");
    let copy = |name: &str| {
        fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
        fs::copy(folder.path().join("HEXER.COM"), folder.path().join(name)).unwrap();
    };
    ["tools/TASM.COM", "tools/masm5.com"].into_iter().for_each(copy);
    for (name, text) in [
        // Prints AL from an included line, and ends with code 5.
        ("say it.asm", "; says x\nB4 02\ninclude letter_of_it.hex\nCD 21\nB8 05 4C\nCD 21\n"),
        ("letter_of_it.hex", "B2 78\n"),
        ("bad.asm", "B4 02\nmov ax, 1\ninclude worse.hex\nxyz\n"),
        ("worse.hex", "90\n\n9\n"),
        ("lost.asm", "include nowhere.hex\n90\n"),
        ("stuck.asm", "90\n"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    fs::rename(folder.path().join("say it.asm"), folder.path().join("say_it_all.asm")).unwrap();
    // XOR AH,AH; INT 16h; RET: waits for a key.
    fs::write(folder.path().join("tools/tasm_w.com"), b"\x30\xE4\xCD\x16\xC3").unwrap();
    folder
}

#[test]
fn it_builds_and_the_program_runs() {
    let folder = folder();
    for tool in ["tools/TASM.COM", "tools/masm5.com"] {
        let (code, said, errors) = oxbox(&folder, &format!("run say_it_all.asm --assembler {tool}"));
        assert_eq!((code, said.as_str()), (5, "x"), "{tool}: {errors}");
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 9, "nothing is left in the user's folder: {left:?}");
}

#[test]
fn it_is_debugged_by_the_lines_of_its_object() {
    let folder = folder();
    let (_, _, trace) = oxbox(&folder, "run say_it_all.asm --assembler tools/TASM.COM --trace code");
    for place in ["0100 say_it_all.asm:2 ", "0104 say_it_all.asm:4 ", "0106 say_it_all.asm:5 "] {
        assert!(trace.contains(place), "{place}\n{trace}");
    }
}

#[test]
fn messages_name_the_users_files_and_lines() {
    let folder = folder();
    let rows = [
        ("bad.asm", "tools/TASM.COM", "bad.asm:2:", "Illegal instruction"),
        ("bad.asm", "tools/TASM.COM", "worse.hex:3:", "Illegal instruction"),
        ("bad.asm", "tools/TASM.COM", "bad.asm:4:", "    xyz\n"),
        ("bad.asm", "tools/masm5.com", "bad.asm:2:", "A2008: Illegal instruction"),
        ("bad.asm", "tools/masm5.com", "worse.hex:3:", "A2008: Illegal instruction"),
        ("lost.asm", "tools/masm5.com", "lost.asm:1:", "A2008"),
        ("stuck.asm", "tools/tasm_w.com", "stuck.asm:", "tasm_w.com: it waits for a key"),
        ("stuck.asm", "HEXER.COM", "HEXER.COM:", "its name must begin with"),
    ];
    for (source, tool, place, text) in rows {
        let (code, said, errors) = oxbox(&folder, &format!("run {source} --assembler {tool}"));
        assert_eq!(code, 126, "{source} {tool}: {said}{errors}");
        assert!(errors.contains(place) && errors.contains(text), "{source} {tool}: {errors}");
    }
}

#[test]
fn suites_use_it_too() {
    let folder = folder();
    let suite = "program = \"say_it_all.asm\"\ninclude = [\"letter_of_it.hex\"]\n[[test]]\nname = \"says x\"\noutput = \"x\"\nexit = 5\n";
    fs::write(folder.path().join("suite.toml"), suite).unwrap();
    let (code, said, errors) = oxbox(&folder, "test suite.toml --assembler tools/TASM.COM");
    assert_eq!(code, 0, "{said}{errors}");
}
