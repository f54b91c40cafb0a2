//! The common mistakes of a program: the message of `run` for each, and the position.
#![cfg(feature = "assembler")]
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

use assert_cmd::Command;
use std::path::Path;

/// Runs a program of this folder for a while. Returns exit code, stderr and JSON.
fn run(program: &str) -> (Option<i32>, String, serde_json::Value) {
    run_with(program, "")
}

fn run_with(program: &str, keys: &str) -> (Option<i32>, String, serde_json::Value) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    let output = Command::cargo_bin("oxbox")
        .unwrap()
        .args(["run", program, "--headless", "--json", "--read-only", "--instruction-limit", "3000000"])
        .args(["--keys", keys])
        // Otherwise a trial selects the processor that it needs.
        .args(if program == "cpuid.asm" { &["--cpu", "386"][..] } else { &[] })
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let report = serde_json::from_slice(&output.stdout).unwrap();
    (output.status.code(), stderr, report)
}

/// Program, exit code, the line at which it stops (none if that is outside of its code), the hint's
/// identifier, and the line of the instruction in the hint.
const MISTAKES: [(&str, i32, Option<u64>, &str, Option<u64>); 40] = [
    ("nods", 122, Some(11), "ds-is-psp", Some(11)),
    ("noexit", 122, None, "no-exit", Some(11)),
    ("noexit2", 122, None, "no-exit", Some(7)),
    ("dxfull", 122, Some(16), "quotient-too-large", Some(16)),
    ("byte", 122, Some(7), "quotient-too-large", Some(7)),
    ("digit", 122, Some(11), "quotient-too-large", Some(11)),
    ("zero", 122, Some(11), "divide-by-zero", Some(11)),
    ("push", 122, None, "stack-unbalanced", Some(14)),
    ("ret", 122, None, "return-without-call", Some(8)),
    ("noorg", 122, Some(7), "no-org", Some(7)),
    ("recurse", 124, None, "recursion", Some(11)),
    ("recurse2", 122, None, "recursion", Some(9)),
    ("zeros", 122, None, "jump-astray", Some(10)),
    ("sldt", 122, Some(7), "protected-mode", Some(7)),
    ("pmode", 125, Some(8), "protected-mode", Some(8)),
    ("cpuid", 122, Some(7), "later-processor", Some(7)),
    ("loop", 124, None, "count-set-again", Some(9)),
    ("itself", 124, Some(6), "jump-to-itself", Some(6)),
    ("flag", 124, None, "endless-loop", Some(6)),
    ("vector", 122, None, "vector-not-set", Some(6)),
    ("ranon", 122, None, "falls-into-procedure", Some(10)),
    ("overrun", 122, None, "return-address-overwritten", Some(19)),
    ("tick", 122, None, "handler-without-iret", Some(14)),
    ("inner", 124, None, "count-set-again", Some(7)),
    ("decimal", 122, None, "decimal-interrupt", Some(6)),
    ("table", 122, None, "jump-by-half-entry", Some(10)),
    ("es", 122, None, "code-overwritten", Some(9)),
    ("buffer", 122, None, "jump-overwritten", Some(15)),
    ("lock", 122, Some(5), "earlier-processor", Some(5)),
    ("popcs", 122, Some(6), "earlier-processor", Some(6)),
    ("movcs", 122, Some(5), "earlier-processor", Some(5)),
    ("handler", 122, Some(14), "divide-by-zero", Some(14)),
    ("data_next", 122, None, "no-exit", Some(7)),
    ("data_first", 122, None, "begins-with-data", None),
    ("retf", 122, None, "near-far-mismatch", Some(11)),
    ("farcall", 122, None, "near-far-mismatch", Some(13)),
    ("interrupts_off", 124, None, "interrupts-off", Some(10)),
    ("old_exit", 122, None, "exit-in-al", Some(6)),
    ("letters", 122, None, "no-exit", Some(7)),
    ("name", 122, Some(11), "ds-is-psp", Some(11)),
];

#[test]
fn each_is_named() {
    for (program, code, line, id, hint_line) in MISTAKES {
        let (status, stderr, report) = run(&format!("{program}.asm"));
        assert_eq!(status, Some(code), "{program}: {stderr}");
        assert_eq!(report["hint_id"], id, "{program}: {stderr}");
        assert_eq!(report["hint_at"]["line"].as_u64(), hint_line, "{program}: {stderr}");
        let told = report["hint"].as_str().unwrap();
        assert!(stderr.contains(told), "{program}: {told}\n{stderr}");
        if code == 122 {
            assert_eq!(report["crash"]["hint"], report["hint"], "{program}");
        }
        if line.is_some() {
            let at = if code == 125 {
                &report["last"].as_array().unwrap().last().unwrap()["line"]
            } else {
                &report["at"]["line"]
            };
            assert_eq!(at.as_u64(), line, "{program}: {stderr}");
        }
    }
}

/// The table in the guide has the hints word for word.
#[test]
fn the_guide_quotes_the_hints() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/find-a-mistake.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let rows: Vec<_> =
        guide.lines().filter_map(|line| line.strip_prefix("| `")?.split_once(".asm` | ")).collect();
    assert_eq!(rows.len(), 43);
    for (program, rest) in rows {
        let hint = rest.trim_end_matches(" |").rsplit_once(" | ").unwrap().1;
        let keys = if program == "noeoi" { "a b" } else { "" };
        let (_, stderr, _) = run_with(&format!("{program}.asm"), keys);
        assert!(stderr.contains(hint), "{program}: {hint}\n{stderr}");
    }
}

/// The programs end normally, so no crash has to be explained.
#[test]
fn a_text_that_is_none_is_told() {
    let rows = [
        ("dollar", "has no '$' at its end, called before", 11),
        ("psp_text", "is in the PSP: DS still points there, not to the data: begin with mov ax, @data", 9),
        ("contents", "DX holds the value at 0649:0002, not the address of the text", 11),
        ("backwards", "has no '$' at its end; the direction flag is set", 20),
    ];
    for (program, words, line) in rows {
        let (status, stderr, _) = run(&format!("{program}.asm"));
        assert_eq!(status, Some(0), "{stderr}");
        for part in ["INT 21 AH=09 has written ", words, &format!("({program}.asm:{line})")] {
            assert!(stderr.contains(part), "{part}: {stderr}");
        }
    }
}

/// The notice contains the position of the instruction; for a call it is the position after it.
#[test]
fn an_instruction_that_is_not_there_is_told_with_its_own_line() {
    let (_, stderr, _) = run("cpuid.asm");
    let notice = stderr.lines().find(|line| line.contains("missing: CPUID")).expect(&stderr);
    assert!(notice.ends_with(" (cpuid.asm:7)"), "{notice}");
}

#[test]
fn a_routine_without_an_eoi_is_told() {
    for (keys, id) in [("a b", "no-end-of-interrupt"), ("", "waits-for-its-handler")] {
        let (status, stderr, report) = run_with("noeoi.asm", keys);
        assert_eq!(status, Some(124), "{stderr}");
        assert_eq!(report["hint_id"], id, "{stderr}");
    }
}

/// DS points to the PSP: the source has no name for this address.
#[test]
fn names_are_those_of_the_source() {
    let (_, stderr, _) = run("name.asm");
    assert!(stderr.contains("mov dl,ds:[10Ah]") && !stderr.contains("[finish]"), "{stderr}");
}

#[test]
fn right_programs_have_no_hint() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes/right");
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let (status, stderr, report) = run_with(&format!("right/{name}"), "a b");
        assert_eq!(status, Some(0), "{name}: {stderr}");
        assert!(stderr.is_empty() && report["hint"].is_null(), "{name}: {stderr}");
    }
}

#[test]
fn two_objects_that_define_one_name_are_told_by_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let main =
        " .model small\n .stack\n .code\n public go\ngo proc\n ret\ngo endp\nstart: call go\n end start\n";
    std::fs::write(folder.path().join("a.asm"), main).unwrap();
    std::fs::write(folder.path().join("b.asm"), " .model small\n .code\n public go\ngo: nop\n ret\n end\n")
        .unwrap();
    let output = Command::cargo_bin("oxbox")
        .unwrap()
        .args(["build", "a.asm", "b.asm"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(126), "{stderr}");
    assert!(stderr.to_lowercase().contains("b.asm:4:1: error: go is already defined in a.asm:6"), "{stderr}");
}

#[test]
fn the_last_instructions_and_the_calls_have_lines() {
    let (_, stderr, report) = run("dxfull.asm");
    let steps: Vec<String> = report["last"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| format!("{} {} {}", step["line"], step["text"].as_str().unwrap(), step["changes"]))
        .collect();
    let expected = [
        "7 mov ax,649h [\"AX=0649\"]",
        "8 mov ds,ax [\"DS=0649\"]",
        "9 mov ax,3E8h [\"AX=03E8\"]",
        "10 mul word ptr [width_] [\"AX=93E0\",\"DX=0004\"]",
        "11 call average []",
        "15 mov bx,2 [\"BX=0002\"]",
        "16 div bx []",
    ];
    assert_eq!(steps, expected);
    let calls: Vec<(u64, &str)> = report["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| (call["line"].as_u64().unwrap(), call["symbol"].as_str().unwrap()))
        .collect();
    assert_eq!(calls, [(16, "average+3"), (11, "start+12")]);
    for part in [">   16 |         div bx", "AX=93E0 (37856)", "DS=0649 (data)", "called from", "start+12"] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
}
