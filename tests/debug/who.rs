//! `run --who`: the origin of something, step by step.

use super::oxbox;
use std::fs;

const TEXT: &str = "        .model small
        .stack 100h
        .data
msg     db 'Hi$'
        .code
start:  mov ax, @data
        mov ds, ax
        mov dx, offset msg
        mov ah, 9
        int 21h
        mov ah, 1
        int 21h
        mov ax, 4C00h
        int 21h
        end start
";

const PICTURE: &str = "        .model small
        .stack 100h
        .data
colour  db 12
        .code
start:  mov ax, @data
        mov ds, ax
        mov ax, 13h
        int 10h
        mov ax, 0A000h
        mov es, ax
        mov al, colour
        mov es:[5], al
        mov ah, 0
        int 16h
        mov ax, 4C00h
        int 21h
        end start
";

/// The letter is written first, then the colour; then the program ends.
const COLOURED: &str = "        .model small
        .stack 100h
        .code
start:  mov ax, 0B800h
        mov es, ax
        mov al, 'Q'
        mov es:[0], al
        mov al, 1Eh
        mov es:[1], al
        mov byte ptr es:[3], 4Fh
        mov dx, 1234h
        push dx
        pop cx
        mov ax, 4C00h
        int 21h
        end start
";

#[test]
fn a_letters_writer_is_not_its_colours() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c.asm"), COLOURED).unwrap();
    let rows: [(&str, &[&str]); 5] = [
        ("0,0", &["row 0, column 0: 'Q' (51h)", "c.asm:7 ", "c.asm:6 "]),
        ("0,1", &["c.asm:10 "]),
        ("dx", &["dx: 1234h", "c.asm:11 "]),
        ("sp", &["sp: 100h", "c.asm:13 "]),
        ("ax", &["ax: 4C00h", "c.asm:14 "]),
    ];
    for (what, expected) in rows {
        let run = oxbox()
            .args(["run", "c.asm", "--headless", "--who", what])
            .current_dir(&folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        for part in expected {
            assert!(
                said.contains(part),
                "{what}: no '{part}' in\n{said}{}",
                String::from_utf8_lossy(&run.stderr)
            );
        }
    }
}

#[test]
fn a_chain_leads_to_the_data_or_a_key() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("text.asm"), TEXT).unwrap();
    fs::write(folder.path().join("pict.asm"), PICTURE).unwrap();
    // Program, the object, exit code, the answer.
    let rows: [(&str, &str, i32, &[&str]); 9] = [
        (
            "text.asm",
            "0,1",
            0,
            &[
                "row 0, column 1: 'i' (69h)",
                "text.asm:10  INT 21h AH=09h",
                "msg+1h",
                "data of the program: 69h 'i'",
            ],
        ),
        ("text.asm", "0,2", 0, &["row 0, column 2: 'x' (78h)", "text.asm:12  INT 21h AH=01h"]),
        ("pict.asm", "es", 0, &["es: A000h", "pict.asm:11"]),
        ("text.asm", "msg", 0, &["msg: 48h 'H'", "data of the program"]),
        ("text.asm", "30,0", 2, &["--who 30,0: the screen has 25 rows and 80 columns, from 0"]),
        ("text.asm", "nothing", 2, &["unknown name 'nothing'"]),
        (
            "pict.asm",
            "pixel=5,0",
            0,
            &["pixel 5, 0: ", "pict.asm:13", "pict.asm:12", "data of the program: 0Ch"],
        ),
        ("pict.asm", "0,0", 2, &["the screen shows a picture: use pixel X,Y"]),
        ("pict.asm", "pixel=5000,0", 2, &["the picture has "]),
    ];
    for (program, what, code, expected) in rows {
        let keys = if program == "text.asm" { "x" } else { "" };
        let output = oxbox()
            .args(["run", program, "--headless", "--keys", keys, "--who", what])
            .current_dir(&folder)
            .output();
        let output = output.unwrap();
        let said =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{what}: {said}");
        for part in expected {
            assert!(said.contains(part), "{what}: no '{part}' in\n{said}");
        }
    }
}
