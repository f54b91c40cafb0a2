//! Generated input: every case is tried, the smallest that fails is reported, and points are given
//! by share.

use super::failures;
use oxbox::suite::{Options, Report, Suite, SuiteError, run};

/// Reads a number from standard input and prints AX after these lines, unsigned, 16 bits.
fn calculates(lines: &str) -> String {
    format!(
        "        .model tiny
        .code
        org 100h
start:  mov ah, 3Fh
        xor bx, bx
        mov cx, 20
        mov dx, offset buffer
        int 21h
        mov si, offset buffer
        xor ax, ax
        xor bh, bh
        mov cx, 10
digit:  mov bl, [si]
        sub bl, '0'
        cmp bl, 9
        ja known
        mul cx
        add ax, bx
        inc si
        jmp digit
known:
{lines}
        mov di, offset last
next:   xor dx, dx
        div cx
        add dl, '0'
        dec di
        mov [di], dl
        or ax, ax
        jnz next
        mov dx, di
        mov ah, 9
        int 21h
        mov ax, 4C00h
        int 21h
buffer  db 20 dup (0)
digits  db 5 dup (?)
last    db 13, 10, '$'
        end start
"
    )
}

const DOUBLES: &str = "        add ax, ax";
/// Correct up to 127.
const DOUBLES_A_BYTE: &str = "        add al, al";
/// Correct, but from 1000 it never ends.
const HANGS: &str = "        cmp ax, 1000\nstuck:  jae stuck\n        add ax, ax";

/// Returns the report of a program on one test; `model.asm` doubles.
fn graded(program: &str, test: &str) -> Result<Report, SuiteError> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.asm"), program).unwrap();
    std::fs::write(path("model.asm"), calculates(DOUBLES)).unwrap();
    let text = format!("program = \"a.asm\"\nlimit_ms = 50\n[[test]]\nname = \"a\"\npoints = 10\n{test}\n");
    let suite = Suite::parse(&path("suite.toml"), &text)?;
    run(&[suite], &[], &Options::default())
}

const DOUBLED: &str = "input = { n = \"0..65535\" }\nstdin = \"{n}\\n\"";
const EXPECTED: &str = "expect = { output = \"{n * 2 and 0FFFFh}\\r\\n\", exit = \"0\" }";

#[test]
fn the_smallest_input_that_fails_is_told() {
    let rows = [
        (DOUBLES, EXPECTED, 10.0, ""),
        (DOUBLES, "same_as = \"model.asm\"", 10.0, ""),
        (DOUBLES_A_BYTE, EXPECTED, 0.0, "input: n = 128: the smallest input that was found to fail"),
        (DOUBLES_A_BYTE, "same_as = \"model.asm\"", 0.0, "input: n = 128: "),
        // Runs to the limit are expensive: the search for a smaller input ends before the smallest,
        // 1000.
        (HANGS, EXPECTED, 0.0, "input: n = 10"),
        ("", EXPECTED, 0.0, "input: n = 1: "),
    ];
    for (lines, test, points, told) in rows {
        let report = graded(&calculates(lines), &format!("{DOUBLED}\n{test}")).unwrap();
        let submission = &report.suites[0].submissions[0];
        let failures = failures(&report);
        assert_eq!(submission.points(), points, "{lines} {test}: {failures:?}");
        assert_eq!(
            failures.first().is_some_and(|first| first.starts_with(told)),
            points == 0.0,
            "{failures:?}"
        );
        // Both outputs, and the command that repeats it with this input.
        if lines == DOUBLES_A_BYTE {
            let test = &submission.tests[0];
            let difference = test.failures.iter().flat_map(|failure| &failure.difference).cloned();
            let difference: Vec<String> = difference.collect();
            assert!(
                difference.contains(&"- 256".to_owned()) && difference.contains(&"+ 0".to_owned()),
                "{difference:?}"
            );
            assert!(test.command.contains("printf '128\\r\\n'"), "{}", test.command);
        }
    }
}

#[test]
fn a_small_range_is_tried_whole() {
    // One value of 65,536 is wrong.
    let table = "        cmp ax, 12345\n        jne fine\n        inc ax\nfine:   add ax, ax";
    let all = format!("{DOUBLED}\ncases = 65536\n{EXPECTED}");
    if std::env::var_os("OXBOX_ALL_CASES").is_some() {
        let found = failures(&graded(&calculates(table), &all).unwrap());
        assert!(
            found[0].starts_with("input: n = 12345: ") && found[0].contains("of 65536, all"),
            "{found:?}"
        );
    }
    let few = "input = { n = \"12300..12399\" }\nstdin = \"{n}\\n\"";
    let found = failures(&graded(&calculates(table), &format!("{few}\n{EXPECTED}")).unwrap());
    assert!(
        found[0].starts_with("input: n = 12345: ") && found[0].contains("(case 46 of 100, all)"),
        "{found:?}"
    );
}

#[test]
fn points_are_given_by_share() {
    // 0 to 127 of 0 to 255 are correct.
    let bytes = "input = { n = \"0..255\" }\ncases = 256\nstdin = \"{n}\\n\"";
    let report =
        graded(&calculates(DOUBLES_A_BYTE), &format!("{bytes}\n{EXPECTED}\npartial = \"cases\"")).unwrap();
    assert_eq!(report.suites[0].submissions[0].points(), 5.0, "{:?}", failures(&report));
    assert!(failures(&report)[0].ends_with("(128 of 256 cases are right)"), "{:?}", failures(&report));
    // A program that does not end is not tried with all inputs.
    let report = graded(&calculates(HANGS), &format!("{DOUBLED}\n{EXPECTED}\npartial = \"cases\"")).unwrap();
    assert!(failures(&report)[0].contains("at the limit the other"), "{:?}", failures(&report));
    assert!(report.suites[0].submissions[0].points() < 5.0);
    // The second of two lines is missing, and then the program ends.
    let lines = "expect = { output = \"{n * 2 and 0FFFFh}\\r\\nbye\\r\\n\" }\npartial = \"lines\"";
    let report = graded(&calculates(DOUBLES), &format!("{bytes}\n{lines}")).unwrap();
    assert_eq!(report.suites[0].submissions[0].points(), 5.0, "{:?}", failures(&report));
    let fixed = "stdin = \"3\\n\"\noutput = \"6\\r\\nbye\\r\\n\"\npartial = \"lines\"";
    let report = graded(&calculates(DOUBLES), fixed).unwrap();
    assert_eq!(report.suites[0].submissions[0].points(), 5.0, "{:?}", failures(&report));
    // A different exit code is not a difference of lines.
    let report = graded(&calculates(DOUBLES), &format!("{fixed}\nexit = 3")).unwrap();
    assert_eq!(report.suites[0].submissions[0].points(), 0.0, "{:?}", failures(&report));
}

/// Inputs as texts, keys, arguments and files, and a condition on the program's memory.
#[test]
fn inputs_go_wherever_a_program_reads() {
    // Prints the command tail.
    let tail = "        .model tiny\n        .code\n        org 100h\nstart:  mov cl, ds:[80h]\n        mov ch, 0\n        mov si, 81h\n\
                again:  jcxz done\n        mov dl, [si]\n        mov ah, 2\n        int 21h\n        inc si\n        loop again\n\
                done:   mov ax, 4C00h\n        int 21h\n        end start\n";
    // Counts its keys up to Enter, then ends with the count.
    let keys = "        .model tiny\n        .code\n        org 100h\nstart:  mov ah, 0\n        int 16h\n        cmp al, 13\n        je done\n\
                        inc count\n        jmp start\ndone:   mov al, count\n        mov ah, 4Ch\n        int 21h\ncount   db 0\n        end start\n";
    let rows = [
        (
            tail,
            "input = { s = \"string 1..9 of a-zA-Z\" }\nargs = \"{s, reverse}\"\nexpect = { output = \" {s, reverse}\" }",
            true,
        ),
        (
            tail,
            "input = { s = \"string 1..9 of a-z\" }\nargs = \"{s}\"\nexpect = { output = \" {s, upper}\" }",
            false,
        ),
        (
            keys,
            "input = { s = \"string 0..9 of a-z \" }\nkeys = \"{s} ENTER\"\nexpect = { exit = \"s_length\" }",
            true,
        ),
        (
            keys,
            "input = { s = \"string 0..9 of a-z \" }\nkeys = \"{s} ENTER\"\nwhere = \"byte ptr count == s_length\"",
            true,
        ),
        (
            keys,
            "input = { s = \"string 0..9 of a-z \" }\nkeys = \"{s} ENTER\"\nwhere = \"byte ptr count < s_length\"",
            false,
        ),
    ];
    for (program, test, passes) in rows {
        let report = graded(program, &format!("cases = 40\n{test}")).unwrap();
        assert_eq!(report.passed(), passes, "{test}: {:?}", failures(&report));
    }
}

#[test]
fn mistakes_have_their_line() {
    let rows = [
        (
            "input = { n = \"5..1\" }\nexpect = { output = \"\" }",
            "suite.toml:6: input n: \"5..1\": a range must ascend",
        ),
        ("input = { ax = \"1..5\" }\nexpect = { output = \"\" }", "suite.toml:6: input ax: it is not a name"),
        ("input = { n = \"1..5\" }", "suite.toml:4: a test with input needs expect"),
        ("input = { n = \"1..5\" }\nexpect = { output = \"{k}\" }", "suite.toml:7: {k}: "),
        ("input = { n = \"1..5\" }\nexpect = { output = \"{1/(n-1)}\" }", "suite.toml:4: with n = 1: "),
        ("input = { n = \"1..5\" }\nexpect = { exit = \"n + 300\" }", "an exit code is 0 to 255"),
        ("input = { n = \"1..5\" }\nexpect = {}", "suite.toml:7: expect is empty"),
        ("cases = 5", "suite.toml:6: cases and expect need input"),
        ("partial = \"cases\"", "suite.toml:6: partial = \"cases\" needs a test with input"),
        ("partial = \"some\"", "suite.toml:6: partial must be \"cases\" or \"lines\""),
        (
            "input = { n = \"1..5\" }\ncases = 0\nexpect = { exit = \"n\" }",
            "suite.toml:7: cases must be 1 to 1000000",
        ),
    ];
    for (lines, part) in rows {
        let error = graded(&calculates(DOUBLES), lines).unwrap_err().to_string();
        assert!(error.contains(part), "{lines}: {error}");
    }
}
