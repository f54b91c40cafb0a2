//! Searches with the command's defaults: the screen is excluded unless the program or a condition
//! reads it.

use assert_cmd::Command;
use std::path::Path;

/// Echoes each key but Q, which ends with the bits of A and B. `extra` runs with the key in AL.
fn echo(extra: &str) -> String {
    format!(
        "        .model tiny
        .386
        .code
        org 100h
start:  xor bl, bl
again:  mov ah, 8
        int 21h
        {extra}
        cmp al, 'q'
        je leave_it
        mov bh, al
        mov dl, al
        mov ah, 2
        int 21h
        sub bh, 'a'
        cmp bh, 1
        ja again
        inc bh
        xor bl, bh
        jmp again
leave_it:
        mov al, bl
        mov ah, 4Ch
        int 21h
        end start
"
    )
}

/// Ends with the character in the corner of the screen, which it reads back.
const READS_BACK: &str = "cmp al, 'r'
        jne writes
        push 0B800h
        pop es
        mov bl, es:[0]
        mov al, 'q'
writes:";

/// Keeps every refused key in a list of moves that is never read.
const KEEPS_MOVES: &str = "inc bp
        and bp, 15
        mov moves[bp], al
        jmp listed
moves   db 16 dup (0)
listed:";

/// Returns exit code, stdout and stderr of a command line in a folder.
fn oxbox(folder: &Path, line: &str) -> (Option<i32>, String, String) {
    let mut command = Command::cargo_bin("oxbox").expect("the command");
    // An underscore represents a blank within a word.
    let words = line.split(' ').map(|word| word.replace('_', " "));
    let output = command.args(words).current_dir(folder).env("NO_COLOR", "1").output().expect("it runs");
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (output.status.code(), out, err)
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, extra) in [("echo", ""), ("back", READS_BACK), ("moves", KEEPS_MOVES)] {
        std::fs::write(folder.path().join(format!("{name}.asm")), echo(extra)).expect("a file");
    }
    folder
}

#[test]
fn an_echo_of_refused_keys_has_an_end() {
    let folder = folder();
    let (code, out, _) = oxbox(folder.path(), "explore echo.asm --choices a-e --never crash");
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("crash: cannot be reached") && !out.contains("not complete"), "{out}");
    let (_, out, _) = oxbox(folder.path(), "explore echo.asm --choices a-e --same state --states 300");
    assert!(out.contains("not complete"), "{out}");
}

#[test]
fn what_is_read_back_from_the_screen_keeps_states_apart() {
    let folder = folder();
    let ends = |same: &str| {
        let line = format!("explore back.asm --choices a-d_r_q --depth 3 --same {same} --json");
        serde_json::from_str::<serde_json::Value>(&oxbox(folder.path(), &line).1).expect("JSON")
    };
    let (auto, state) = (ends("auto"), ends("state"));
    assert_eq!(auto["seen"], serde_json::json!(["screen"]));
    assert_eq!(auto["exact"], true);
    for what in ["states", "choices_tried", "ends"] {
        assert_eq!(auto[what], state[what], "{what}");
    }
    // The first character that was echoed is in the corner.
    for first in "abcd".bytes() {
        assert!(auto["ends"][format!("exit:{first}")].as_u64() > Some(0), "{auto}");
    }
}

#[test]
fn a_question_about_the_screen_is_answered_as_with_state() {
    let folder = folder();
    let asked = "explore echo.asm --choices a-c --depth 4 --find text:cab --never text:d";
    let (auto, state) = (oxbox(folder.path(), asked), oxbox(folder.path(), &format!("{asked} --same state")));
    assert_eq!(auto, state);
    assert!(auto.1.contains("text:cab: c a b"), "{}", auto.1);
    let (code, _, told) = oxbox(folder.path(), &format!("{asked} --same program"));
    assert!(code == Some(2) && told.contains("--same program leaves out"), "{told}");
}

#[test]
fn parts_of_a_walk_that_leaves_the_screen_out_are_the_whole() {
    let folder = folder();
    let walks = [
        "explore echo.asm --choices a-e --never crash --json",
        "explore echo.asm --choices a-f --find-all output:b --find bl==3",
        "same echo.asm back.asm --choices a-d --compare output",
        "same echo.asm moves.asm --choices a-d --compare output --depth 3",
    ];
    for walk in walks {
        let whole = oxbox(folder.path(), walk);
        for number in 1..=3 {
            let (code, _, told) = oxbox(folder.path(), &format!("{walk} --shard {number}/3 --out p{number}"));
            assert_eq!(code, Some(0), "{walk}: {told}");
        }
        let merged = oxbox(folder.path(), "merge p2 p1 p3");
        assert_eq!((merged.0, &merged.1), (whole.0, &whole.1), "{walk}");
    }
}

#[test]
fn what_makes_many_states_is_named() {
    let folder = folder();
    let (_, out, told) = oxbox(folder.path(), "explore moves.asm --choices a-d --states 200");
    assert!(out.contains("not complete"), "{out}");
    assert!(told.contains("many states: ") && told.contains("at moves"), "{told}");
    let (_, _, told) = oxbox(folder.path(), "explore moves.asm --choices a-d --depth 2");
    assert!(!told.contains("many states"), "{told}");
    let (_, _, told) = oxbox(folder.path(), "same moves.asm moves.asm --choices a-d --states 100");
    assert!(told.contains("many states: "), "{told}");
}

/// Counts keys in SI; CX has the same number, but is never read.
const COUNTS: &str = "        .model tiny
        .code
        org 100h
start:  xor si, si
again:  mov ah, 8
        int 21h
        inc si
        mov cx, si
        jmp again
        end start
";

#[test]
fn registers_that_make_no_states_are_not_named() {
    let folder = folder();
    std::fs::write(folder.path().join("counts.asm"), COUNTS).expect("a file");
    let (_, _, told) = oxbox(folder.path(), "explore counts.asm --choices a-d --states 20");
    assert!(told.contains("many states: ") && told.contains("ESI: "), "{told}");
    assert!(!told.contains("ECX: "), "{told}");
}

#[test]
fn what_makes_many_states_is_named_while_their_number_grows() {
    let folder = folder();
    std::fs::write(folder.path().join("counts.asm"), COUNTS).expect("a file");
    let (_, out, told) = oxbox(folder.path(), "explore counts.asm --choices a --depth 10500");
    assert!(out.contains("10501 states"), "{out}");
    assert_eq!(told.matches("many states: ").count(), 1, "{told}");
    assert!(told.contains("ESI: ") && !told.contains("ECX: "), "{told}");
}

/// Accepts two keys: A switches a bit, Q ends with it.
const TWO_KEYS: &str = "        .model tiny
        .386
        .code
        org 100h
start:  xor bl, bl
again:  mov ah, 8
        int 21h
        cmp al, 'a'
        jne other
        xor bl, 1
other:  cmp al, 'q'
        jne again
        mov al, bl
        mov ah, 4Ch
        int 21h
        end start
";

#[test]
fn every_key_reports_as_keys_by_class() {
    let folder = folder();
    std::fs::write(folder.path().join("two.asm"), TWO_KEYS).expect("a file");
    let walk = "explore two.asm --choices any --never crash --never exit:2";
    let by_class = oxbox(folder.path(), walk);
    assert_eq!(by_class.0, Some(0), "{}", by_class.2);
    assert!(by_class.1.starts_with("2 states, 242 choices tried"), "{}", by_class.1);
    assert_eq!(by_class.1, oxbox(folder.path(), &format!("{walk} --every-key")).1);
}
