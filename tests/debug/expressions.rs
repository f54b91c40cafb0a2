//! All users of expressions accept the same ones, compute the same values, and refuse with the same
//! messages.

use super::dap::Editor;
use super::oxbox;
use serde_json::json;
use std::path::Path;

/// Waits for a key with SI at the second value and BX before the last byte.
const PROGRAM: &str = "
.model small
.stack 100h
.data
vals    dw 1, 3, 0FFFEh
bytes   db 5, 11h
.code
start:  mov ax, @data
        mov ds, ax
        mov si, 2
        mov bx, offset bytes
        mov ah, 0
        int 16h
        mov ax, 4C00h
        int 21h
end start
";

/// An expression, and its value at the wait or its error.
const ROWS: [(&str, Result<&str, &str>); 12] = [
    ("vals[si] == 3 && byte ptr [bx+1] > 10h", Ok("FFFFh (65535)")),
    ("vals[si] eq 4", Ok("0h (0)")),
    ("si + 0x10 - 10b", Ok("10h (16)")),
    ("sword ptr vals[si+2] < 0 and not (byte ptr ds:[bx] ne 5)", Ok("FFFFh (65535)")),
    ("vals[4] < 0", Ok("0h (0)")),
    ("(high offset vals) or (seg vals ne ds)", Ok("0h (0)")),
    ("byte ptr 40:4A == 80 || vals / 0", Ok("FFFFh (65535)")),
    ("vals[si", Err("column 8: expected ']', found the end")),
    ("si == 0x1G", Err("column 7: cannot parse '0x1G' as a value; use 1Fh, 0x1F or 0001b")),
    ("1 < si < 3", Err("column 8: comparisons cannot be chained; write a < b && b < c")),
    ("vals[si] == nowhere", Err("column 13: unknown name 'nowhere'")),
    ("'AB", Err("column 1: the text 'AB is not closed; write ' after it")),
];

/// Returns the exit code of a command, and all its output.
fn run(folder: &Path, args: &[&str]) -> (i32, String) {
    let output = oxbox().current_dir(folder).args(args).output().unwrap();
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.code().unwrap(), text)
}

/// Exit code 0 if a condition is true, 1 if it is false, 2 if it is refused with the right message.
fn check(who: &str, text: &str, expected: Result<&str, &str>, if_true: i32, (code, said): &(i32, String)) {
    let wanted = match expected {
        Ok("0h (0)") => 1 - if_true,
        Ok(_) => if_true,
        Err(_) => 2,
    };
    assert_eq!(*code, wanted, "{who} {text}: {said}");
    if let Err(why) = expected {
        assert!(said.contains(why), "{who} {text}: {said}");
    }
}

#[test]
fn walks_and_suites_answer_alike() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.asm"), PROGRAM).unwrap();
    for (text, expected) in ROWS {
        let explore =
            |option: &str| run(folder.path(), &["explore", "p.asm", "--choices", "a", option, text]);
        check("--find", text, expected, 0, &explore("--find"));
        check("--never", text, expected, 1, &explore("--never"));
        let suite = format!("program = \"p.asm\"\n[[test]]\nname = \"a\"\nwhere = '''{text}'''\n");
        std::fs::write(folder.path().join("s.toml"), suite).unwrap();
        let (code, said) = run(folder.path(), &["test", "s.toml"]);
        if text.contains("nowhere") {
            // A suite knows the names if it has a program.
            assert_eq!(code, 1, "{said}");
            assert!(said.contains("nowhere: the program has no such symbol"), "{said}");
        } else {
            check("where", text, expected, 0, &(code, said));
        }
    }
}

#[test]
fn breakpoints_editors_and_monitors_answer_alike() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("p.asm");
    std::fs::write(&program, PROGRAM).unwrap();
    let mut editor = Editor::start();
    editor.launch(json!({ "program": program }));
    editor.ok("configurationDone", json!({}));
    editor.ok("continue", json!({ "threadId": 1 }));
    assert_eq!(editor.stop(), "pause");
    for (text, expected) in ROWS {
        // Without a terminal the debugger ends after its breakpoints.
        let breakpoint = format!("start if {text}");
        for (option, argument) in [("--break", breakpoint.as_str()), ("--watch", text)] {
            let (code, said) = run(folder.path(), &["debug", "p.asm", option, argument]);
            match expected {
                Ok(_) => assert!(code == 125 && said.contains("needs a terminal"), "{option} {text}: {said}"),
                Err(why) => assert!(code == 2 && said.contains(why), "{option} {text}: {said}"),
            }
        }
        for (context, expression) in [("watch", text.to_owned()), ("repl", format!("print {text}"))] {
            let answer = editor.request("evaluate", json!({ "expression": expression, "context": context }));
            let said =
                if answer["success"] == json!(true) { &answer["body"]["result"] } else { &answer["message"] };
            let (Ok(wanted) | Err(wanted)) = expected;
            assert_eq!(said, &json!(wanted), "{context} {text}");
        }
        let asked = json!({ "breakpoints": [{ "name": "start", "condition": text }] });
        let answer = editor.ok("setFunctionBreakpoints", asked);
        assert_eq!(answer["breakpoints"][0]["verified"], json!(expected.is_ok()), "{text}: {answer}");
    }
}

/// A search includes registers that a condition reads, not others that are never read.
#[test]
fn a_walk_keeps_what_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    // BH contains the last key; the program does not read it from there.
    let program = PROGRAM.replace(
        "mov ah, 0\n        int 16h",
        "mov bh, 0\nagain: mov ah, 0\n int 16h\n mov bh, al\n cmp al, 'q'\n jne again",
    );
    std::fs::write(folder.path().join("p.asm"), program).unwrap();
    let rows = [
        ("bh == 'a'", 0, "bh == 'a': a\n"),
        ("bh == 'q' && exit(0)", 0, "bh == 'q' && exit(0): q\n"),
        ("bh == 'x'", 1, "2 states, 4 choices tried"),
        ("vals[2] == 4", 1, "1 states, 2 choices tried"),
    ];
    for (text, code, told) in rows {
        let args = ["explore", "p.asm", "--choices", "a q", "--find", text];
        let (found, said) = run(folder.path(), &args);
        assert!(found == code && said.contains(told), "{text}: {found}: {said}");
    }
}
