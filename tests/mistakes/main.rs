//! The usual mistakes of a program: what `run` says of each, and where.
#![cfg(feature = "assembler")]
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

use assert_cmd::Command;
use std::path::Path;

/// Runs a program of this folder for a while: exit code, stderr and JSON.
fn run(program: &str) -> (Option<i32>, String, serde_json::Value) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    let output = Command::cargo_bin("oxbox")
        .unwrap()
        .args(["run", program, "--headless", "--json", "--read-only", "--instruction-limit", "3000000"])
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let report = serde_json::from_slice(&output.stdout).unwrap();
    (output.status.code(), stderr, report)
}

/// Program, exit code, the line at which it stands (none where that is outside of its code), and what the hint says.
const MISTAKES: [(&str, i32, Option<u64>, &str); 29] = [
    ("nods", 122, Some(11), "DS still points to the PSP, not to the data: begin with mov ax, @data"),
    ("noexit", 122, None, "the program runs on past noexit.asm:11, its last instruction there"),
    ("noexit2", 122, None, "the program runs on past noexit2.asm:7, its last instruction there"),
    (
        "dxfull",
        122,
        Some(16),
        "DX:AX is 300000, divided by BX = 2 that is 150000, more than AX holds: clear DX",
    ),
    ("byte", 122, Some(7), "AX is 600, divided by BL = 2 that is 300, more than AL holds: divide a word"),
    (
        "digit",
        122,
        Some(11),
        "more than AL holds: AH holds something from before: clear it before DIV (xor ah, ah)",
    ),
    ("zero", 122, Some(11), "count is 0: IDIV divides by zero"),
    ("push", 122, None, "the ret at push.asm:14 takes 1008:F000 from the stack, which is no return address"),
    ("ret", 122, None, "the RET at ret.asm:8 finds nothing on the stack; a main program does not return"),
    ("noorg", 122, Some(7), "no ORG 100h before its first instruction"),
    (
        "recurse",
        124,
        None,
        "the stack is full (it has 256 bytes): the call at recurse.asm:11 comes again and again",
    ),
    ("recurse2", 122, None, "the stack is full: the call at recurse2.asm:9 comes again and again"),
    (
        "zeros",
        122,
        None,
        "jmp word ptr [bx+table] at zeros.asm:10 leads to 1008:8000, where there is no code",
    ),
    ("sldt", 122, Some(7), "SLDT belongs to protected mode"),
    ("pmode", 125, Some(8), "setting CR0.PE enters protected mode"),
    (
        "cpuid",
        122,
        Some(7),
        "CPUID is an instruction of the Pentium or a later processor; the processor is an 80386",
    ),
    ("loop", 124, None, "each time the LOOP at loop.asm:"),
    ("itself", 124, Some(6), "the jump at itself.asm:6 leads to itself"),
    ("flag", 124, None, "each round of the loop leaves every register as it was"),
    ("vector", 122, None, "the int 60h at vector.asm:6 finds no routine"),
    (
        "ranon",
        122,
        None,
        "main has no end: behind ranon.asm:10 the program runs on into lower, whose RET at ranon.asm:14 finds nothing on the stack",
    ),
    (
        "overrun",
        122,
        None,
        "the return address of the call at overrun.asm:5 was overwritten by the rep stosb at overrun.asm:19",
    ),
    (
        "tick",
        122,
        None,
        "the routine of INT 1Ch that begins at tick.asm:13 ends with the ret at tick.asm:14: the routine of an interrupt ends with IRET",
    ),
    (
        "inner",
        124,
        None,
        "CX is 0 each time the LOOP at inner.asm:7 comes: something within the loop sets CX anew",
    ),
    ("decimal", 122, None, "was written as int 21, which is decimal"),
    ("table", 122, None, "where there is no code: an entry of a table of words is 2 bytes"),
    (
        "es",
        122,
        None,
        "was overwritten by the rep stosw at es.asm:9: ES still points to the PSP, not to the data or the screen",
    ),
    (
        "buffer",
        122,
        None,
        "where there is no code: next was last written by the mov byte ptr [bx+buffer],78h at buffer.asm:12",
    ),
    ("handler", 122, Some(14), "BL is 0: DIV divides by zero"),
];

#[test]
fn each_is_named() {
    for (program, code, line, hint) in MISTAKES {
        let (status, stderr, report) = run(&format!("{program}.asm"));
        assert_eq!(status, Some(code), "{program}: {stderr}");
        let told = report["hint"].as_str().unwrap_or_default();
        assert!(told.contains(hint), "{program}: {told}\n{stderr}");
        assert!(stderr.contains(hint), "{program}: {stderr}");
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

/// It ends as programs do, so that there is no crash to explain.
#[test]
fn a_string_without_its_end_is_told() {
    let (status, stderr, _) = run("dollar.asm");
    assert_eq!(status, Some(0), "{stderr}");
    for part in ["INT 21 AH=09 has written ", "1009:0002 has no '$' at its end", "(dollar.asm:11)"] {
        assert!(stderr.contains(part), "{part}: {stderr}");
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
    assert!(stderr.to_lowercase().contains("b.asm:4: go is already defined in a.asm:6"), "{stderr}");
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
        "7 mov ax,1009h [\"AX=1009\"]",
        "8 mov ds,ax [\"DS=1009\"]",
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
    for part in [">   16 |         div bx", "AX=93E0 (37856)", "DS=1009 (data)", "called from", "start+12"] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
}
