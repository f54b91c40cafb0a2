//! The usual mistakes of a program: what `run` says of each, and where.
#![cfg(feature = "assembler")]
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

use assert_cmd::Command;
use std::path::Path;

/// Runs a program of this folder for a while: exit code, stderr and JSON.
fn run(program: &str) -> (Option<i32>, String, serde_json::Value) {
    run_with(program, "")
}

fn run_with(program: &str, keys: &str) -> (Option<i32>, String, serde_json::Value) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    let output = Command::cargo_bin("oxbox")
        .unwrap()
        .args(["run", program, "--headless", "--json", "--read-only", "--instruction-limit", "3000000"])
        .args(["--keys", keys])
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let report = serde_json::from_slice(&output.stdout).unwrap();
    (output.status.code(), stderr, report)
}

/// Program, exit code, the line at which it stands (none where that is outside of its code), and what the hint says.
const MISTAKES: [(&str, i32, Option<u64>, &str); 40] = [
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
    ("push", 122, None, "the ret at push.asm:14 takes 0648:F000 from the stack, which is no return address"),
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
        "jmp word ptr [bx+table] at zeros.asm:10 leads to 0648:8000, where there is no code",
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
    (
        "lock",
        122,
        Some(5),
        "LOCK before an instruction that is not locked (F0h 8Bh) works on an 8086, not on an 80386: --cpu 8086",
    ),
    ("popcs", 122, Some(6), "POP CS (0Fh) works on an 8086, not on an 80386: --cpu 8086"),
    ("movcs", 122, Some(5), "MOV to CS (8Eh C8h) works on an 8086, not on an 80386: --cpu 8086"),
    ("handler", 122, Some(14), "BL is 0: DIV divides by zero"),
    (
        "data_next",
        122,
        None,
        "the program runs on past data_next.asm:7, its last instruction there, into the data of text",
    ),
    (
        "data_first",
        122,
        None,
        "a COM program begins with its first byte, and there stands the variable numbers: put the variables behind",
    ),
    ("retf", 122, None, "the RETF at retf.asm:11 returns from the near CALL at retf.asm:5"),
    ("farcall", 122, None, "the RET at farcall.asm:13 returns from the far CALL at farcall.asm:8"),
    ("interrupts_off", 124, None, "interrupts are off here, so that its own interrupt routine never runs"),
    ("old_exit", 122, None, "the int 21h at old_exit.asm:6 has AH = 0 and AL = 4Ch: mov ah, 4Ch was meant"),
    (
        "letters",
        122,
        None,
        "the program runs on past letters.asm:7, its last instruction there, into the data of text",
    ),
    ("name", 122, Some(11), "BL is 0: DIV divides by zero; DS still points to the PSP"),
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

/// They end as programs do, so that there is no crash to explain.
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

/// Its notice has the place of the instruction, where that of a call has the place behind it.
#[test]
fn an_instruction_that_is_not_there_is_told_with_its_own_line() {
    let (_, stderr, _) = run("cpuid.asm");
    let notice = stderr.lines().find(|line| line.contains("not there: CPUID")).expect(&stderr);
    assert!(notice.ends_with(" (cpuid.asm:7)"), "{notice}");
}

#[test]
fn a_routine_without_an_eoi_is_told() {
    for (keys, hint) in [
        ("a b", "its own routine of INT 09h has not ended IRQ 1 for the interrupt controller"),
        ("", "only its own routine of INT 09h can end it"),
    ] {
        let (status, stderr, report) = run_with("noeoi.asm", keys);
        assert_eq!(status, Some(124), "{stderr}");
        assert!(
            report["hint"].as_str().unwrap().ends_with(hint) || stderr.contains(hint),
            "{hint}: {stderr}"
        );
    }
}

/// DS points to the PSP: the source does not name what stands there.
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
