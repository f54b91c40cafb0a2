//! `--trace`, `--coverage`, `--profile`.

use super::{SUM, folder, oxbox};
use std::fs;

/// Opens, reads and closes IN.TXT, fails to open NONE.TXT, prints, asks for a key.
const FILES: &str = "        .model tiny
        .code
        org 100h
start:  mov dx, offset in_
        mov ax, 3D00h
        int 21h
        mov bx, ax
        mov cx, 20
        mov dx, offset buffer
        mov ah, 3Fh
        int 21h
        mov ah, 3Eh
        int 21h
        mov dx, offset none
        mov ax, 3D02h
        int 21h
        mov dx, offset text
        mov ah, 9
        int 21h
        mov ah, 0
        int 16h
        mov bl, 3
again:  mov dl, '*'
        mov ah, 2
        int 21h
        dec bl
        jnz again
        in al, 61h
        out 61h, al
        mov ax, 4C07h
        int 21h
in_     db 'IN.TXT', 0
none    db 'NONE.TXT', 0
text    db 'Key?$'
buffer  db 20 dup (?)
        end start
";

#[test]
fn calls_read_as_sentences() {
    let folder = folder(&[("f.asm", FILES), ("IN.TXT", "a \"b\"\n")]);
    let (code, _, stderr) = oxbox(&folder, "run f.asm --headless --keys A --trace calls");
    assert_eq!(code, Some(7), "{stderr}");
    let expected = [
        "f.asm:6  INT 21h/3Dh open existing file \"IN.TXT\", to read -> handle 5",
        "f.asm:11  INT 21h/3Fh read from file or device handle 5, at most 20 -> bytes 6, \"a \\\"b\\\"\\n\"",
        "f.asm:13  INT 21h/3Eh close file handle 5",
        "f.asm:16  INT 21h/3Dh open existing file \"NONE.TXT\", to read and write -> error 2, file not found",
        "f.asm:19  INT 21h/09h write string \"Key?\"",
        "f.asm:21  INT 16h/00h get keystroke -> 'A' scan code 1Eh",
        "f.asm:25  INT 21h/02h write character '*'",
        "  2 times more",
        "f.asm:31  INT 21h/4Ch terminate with return code 7",
    ];
    assert_eq!(stderr.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn ports_and_code_go_to_files() {
    let folder = folder(&[("f.asm", FILES), ("IN.TXT", "")]);
    let line = "run f.asm --headless --keys A --trace ports=p.txt --trace code=c.txt";
    assert_eq!(oxbox(&folder, line).0, Some(7));
    let ports = fs::read_to_string(folder.path().join("p.txt")).unwrap();
    assert_eq!(ports, "f.asm:28  in 061h -> 30h\nf.asm:29  out 061h, 30h\n");
    let code = fs::read_to_string(folder.path().join("c.txt")).unwrap();
    let lines: Vec<&str> = code.lines().collect();
    let (first, last) = (lines[0], lines[lines.len() - 1]);
    assert!(first.starts_with("0638:0100 f.asm:4") && first.ends_with("DX=0140"), "{first}");
    assert!(last.contains("f.asm:31") && last.contains("int 21h"), "{last}");
    let jumps = lines.iter().filter(|line| line.contains("jne again") || line.contains("jnz again")).count();
    assert_eq!(jumps, 3, "{code}");
}

#[test]
fn coverage_counts_lines_and_branches_and_adds_up() {
    let folder = folder(&[("sum.asm", SUM)]);
    let run = "run sum.asm --headless --coverage c.info";
    assert_eq!(oxbox(&folder, run).0, Some(6));
    let once = fs::read_to_string(folder.path().join("c.info")).unwrap();
    let expected = [
        "SF:sum.asm",
        "FN:18,add_",
        "FN:22,fail",
        "FNDA:3,add_",
        "FNDA:0,fail",
        "FNF:2",
        "FNH:1",
        "BRDA:10,0,0,2",
        "BRDA:10,0,1,1",
        "BRDA:12,0,0,1",
        "BRDA:12,0,1,0",
        "BRDA:23,0,0,-",
        "BRDA:23,0,1,-",
        "DA:6,1",
        "DA:9,3",
        "DA:10,3",
        "DA:13,0",
        "DA:14,1",
        "DA:18,3",
        "DA:22,0",
        "end_of_record",
    ];
    for line in expected {
        assert!(once.lines().any(|other| other == line), "{line}\n{once}");
    }
    assert_eq!(oxbox(&folder, run).0, Some(6));
    let twice = fs::read_to_string(folder.path().join("c.info")).unwrap();
    for line in ["DA:9,6", "BRDA:10,0,0,4", "FNDA:6,add_", "DA:13,0"] {
        assert!(twice.lines().any(|other| other == line), "{line}\n{twice}");
    }
    fs::write(folder.path().join("bad.info"), "SF:a\nDA:x\n").unwrap();
    let (code, _, stderr) = oxbox(&folder, "run sum.asm --headless --coverage bad.info");
    assert_eq!(code, Some(125));
    assert!(stderr.contains("cannot write bad.info: line 2: 'DA:x' is not understood"), "{stderr}");
}

#[test]
fn a_profile_has_callers() {
    let folder = folder(&[("sum.asm", SUM)]);
    assert_eq!(oxbox(&folder, "run sum.asm --headless --profile p.txt").0, Some(6));
    let profile = fs::read_to_string(folder.path().join("p.txt")).unwrap();
    let expected = ["sum.EXE;start 14", "sum.EXE;start;INT 21h 2", "sum.EXE;start;add_ 6"];
    assert_eq!(profile.lines().collect::<Vec<_>>(), expected);
}

/// Runs CHILD.COM and ends with its code.
const PARENT: &str = "        .model small
        .stack 100h
        .data
block   dw 0, 80h, ?, 5Ch, ?, 6Ch, ?
child   db 'CHILD.COM', 0
        .code
start:  mov bx, ss
        add bx, 20h
        mov ax, es
        sub bx, ax
        mov ah, 4Ah
        int 21h
        mov ax, @data
        mov ds, ax
        mov [block+4], es
        mov [block+8], es
        mov [block+12], es
        push ds
        pop es
        mov dx, offset child
        mov bx, offset block
        mov ax, 4B00h
        int 21h
        mov ah, 4Dh
        int 21h
        mov ah, 4Ch
        int 21h
        end start
";

const CHILD: &str = "        .model tiny
        .code
        org 100h
start:  call twice
        mov ax, 4C03h
        int 21h
twice   proc
        nop
        ret
twice   endp
        end start
";

#[test]
fn programs_that_a_program_executes_have_their_own_lines() {
    let folder = folder(&[("parent.asm", PARENT), ("child.asm", CHILD)]);
    assert_eq!(oxbox(&folder, "build child.asm -o CHILD.COM --debug CHILD.DBG").0, Some(0));
    let line = "run parent.asm --headless --trace calls --coverage c.info --profile p.txt";
    let (code, _, stderr) = oxbox(&folder, line);
    assert_eq!(code, Some(3), "{stderr}");
    for line in [
        "parent.asm:23  INT 21h/4B00h load program, load and execute \"CHILD.COM\"",
        "child.asm:6  INT 21h/4Ch terminate with return code 3",
        "parent.asm:25  INT 21h/4Dh get return code -> code 3, how 0",
    ] {
        assert!(stderr.lines().any(|other| other == line), "{line}\n{stderr}");
    }
    let coverage = fs::read_to_string(folder.path().join("c.info")).unwrap();
    let child = coverage.split("end_of_record").find(|part| part.contains("SF:child.asm")).unwrap();
    assert!(child.contains("DA:8,1") && child.contains("FNDA:1,twice"), "{coverage}");
    let profile = fs::read_to_string(folder.path().join("p.txt")).unwrap();
    assert!(profile.contains("INT 21h;") && profile.contains(";twice 2"), "{profile}");
    let after = profile.lines().filter(|line| line.contains("twice")).count();
    assert_eq!(after, 1, "{profile}");
}

/// Prints a letter, and returns to an address without code.
const STRAY: &str = "        .model tiny
        .code
        org 100h
start:  mov dl, 'C'
        mov ah, 2
        int 21h
        mov ax, 0F000h
        push ax
        ret
        end start
";

#[test]
fn a_crash_of_an_executed_program_is_told_by_its_own_lines() {
    for told_by in ["debug CHILD.DBG", "listing CHILD.LST"] {
        let folder = folder(&[("parent.asm", PARENT), ("child.asm", STRAY)]);
        assert_eq!(oxbox(&folder, &format!("build child.asm -o CHILD.COM --{told_by}")).0, Some(0));
        let (code, _, stderr) = oxbox(&folder, "run parent.asm --headless");
        assert_eq!(code, Some(122), "{stderr}");
        assert!(stderr.contains("the ret at child.asm:9 pops"), "{told_by}: {stderr}");
        let (code, stdout, stderr) = oxbox(&folder, "run parent.asm --who 0,0");
        assert_eq!(code, Some(0), "{stderr}");
        assert!(stdout.contains("child.asm:6  INT 21h AH=02h"), "{told_by}: {stdout}");
        assert!(stdout.contains("child.asm:4  "), "{told_by}: {stdout}");
    }
}

#[test]
fn a_watched_run_is_the_same_run() {
    let folder = folder(&[("f.asm", FILES)]);
    // The output is not on drive C:, whose contents are part of the state.
    fs::create_dir(folder.path().join("d")).unwrap();
    fs::write(folder.path().join("d/IN.TXT"), "x").unwrap();
    let json =
        |options: &str| oxbox(&folder, &format!("run f.asm --dir d --headless --json --keys A{options}")).1;
    let plain = json("");
    for options in
        [" --trace calls", " --trace ports=p.txt", " --trace code=c.txt --coverage c.info --profile p.info"]
    {
        assert_eq!(json(options), plain, "{options}");
    }
}
