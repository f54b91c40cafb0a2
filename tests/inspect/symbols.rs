//! Names and lines of programs that were built before: debug files, maps, listings, several
//! sources, messages with their lines.

use super::{SUM, folder, oxbox};
use std::fs;

const CRASH: &str = "        .model small
        .stack 100h
        .code
start:  mov ax, 1
        call divide
        mov ax, 4C00h
        int 21h
divide  proc
        xor bl, bl
        div bl
        ret
divide  endp
        public divide
        end start
";

#[test]
fn debug_files_and_maps_are_found_beside_the_program() {
    let folder = folder(&[("crash.asm", CRASH), ("sum.asm", SUM)]);
    let build = |line: &str| assert_eq!(oxbox(&folder, line).0, Some(0), "{line}");
    build("build crash.asm -o C.EXE --debug C.DBG --map X.MAP --listing C.LST");
    let line_of = |line: &str| {
        let (_, stdout, stderr) = oxbox(&folder, line);
        let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        let at = &report["at"];
        (at["line"].as_u64(), at["symbol"].as_str().unwrap_or("-").to_owned(), stderr)
    };
    let (line, symbol, _) = line_of("run C.EXE --json --headless");
    assert_eq!((line, symbol.as_str()), (Some(10), "divide+2"));
    // A map without lines: given, then found.
    let (line, symbol, _) = line_of("run C.EXE --json --headless --symbols X.MAP");
    assert_eq!((line, symbol.as_str()), (None, "DIVIDE+2"));
    fs::remove_file(folder.path().join("C.DBG")).unwrap();
    fs::rename(folder.path().join("X.MAP"), folder.path().join("c.map")).unwrap();
    // The listing is found before the map.
    let (line, symbol, _) = line_of("run C.EXE --json --headless");
    assert_eq!((line, symbol.as_str()), (Some(10), "divide+2"));
    let listing = fs::read_to_string(folder.path().join("C.LST")).unwrap();
    fs::remove_file(folder.path().join("C.LST")).unwrap();
    assert_eq!(line_of("run C.EXE --json --headless").1, "DIVIDE+2");
    // Of another build.
    build("build sum.asm -o S.EXE --debug c.dbg");
    let (line, _, stderr) = line_of("run C.EXE --json --headless");
    assert_eq!(line, None);
    assert!(stderr.contains("c.dbg belongs to a different build of the program"), "{stderr}");
    let (code, _, stderr) = oxbox(&folder, "run C.EXE --headless --symbols crash.asm");
    assert_eq!(code, Some(2));
    assert!(stderr.contains("neither oxbox's debug information, nor a linker's map"), "{stderr}");
    assert!(listing.starts_with("crash.asm\n"), "{listing}");
    assert!(
        listing.lines().any(|line| line.starts_with("0000000B") && line.ends_with("xor bl, bl")),
        "{listing}"
    );
}

#[test]
fn several_files_are_one_program() {
    let main = "        .model small\n        .stack 100h\n        extern give:near\n        .code\nstart:  call give\n        mov ah, 4Ch\n        int 21h\n        end start\n";
    let give = "        .model small\n        .code\n        public give\ngive    proc\n        mov al, 42\n        ret\ngive    endp\n        end\n";
    let folder = folder(&[("a.asm", main), ("b.asm", give)]);
    assert_eq!(oxbox(&folder, "run a.asm+b.asm --headless").0, Some(42));
    let (code, _, stderr) = oxbox(&folder, "run a.asm --headless");
    assert_eq!(code, Some(126));
    let expected = [
        "a.asm:5:14: error: undefined symbol GIVE",
        "    start:  call give",
        "                 ^^^^",
        "    help: b.asm beside it defines it; name both: a.asm+b.asm",
    ];
    assert_eq!(stderr.lines().map(str::trim_end).collect::<Vec<_>>(), expected);
    let (code, _, stderr) = oxbox(&folder, "run a.asm+none.asm --headless");
    assert_eq!(code, Some(125));
    assert!(stderr.contains("cannot read none.asm"), "{stderr}");
}

#[test]
fn each_error_has_its_line() {
    let source = "        .model small\n        .code\nstart:  mov ax, nowhere\n        mov al, bx\n        end start\n";
    let folder = folder(&[("a.asm", source)]);
    let (code, _, stderr) = oxbox(&folder, "run a.asm");
    assert_eq!(code, Some(126));
    let lines: Vec<&str> = stderr.lines().collect();
    let expected = [
        "a.asm:3:17: error[A2102]: `nowhere` is not defined",
        "    start:  mov ax, nowhere",
        "                    ^^^^^^^",
        "    help: define it: nowhere db 0 in .data for a variable, nowhere: for a label, or check its spelling",
    ];
    let first = lines.iter().position(|line| line.starts_with("a.asm:3:")).unwrap();
    assert_eq!(lines[first..first + 4], expected);
    assert!(lines.iter().any(|line| line.starts_with("a.asm:4:9: error[A2048]: ")), "{stderr}");
}

#[test]
fn other_dialects_are_named() {
    let ideal = "        ideal\n        model small\n        stack 100h\n        codeseg\nproc    go near\n        ret\nendp    go\n        end\n";
    let folder = folder(&[("t.asm", ideal)]);
    let (code, _, stderr) = oxbox(&folder, "build t.asm -o T.EXE -v");
    assert_eq!(code, Some(0), "{stderr}");
    assert!(
        stderr.contains("t.asm: note: read as Turbo Assembler's ideal mode: line 1 has `ideal`"),
        "{stderr}"
    );
}

#[test]
#[ignore = "needs NASM: cargo test --test library -- --ignored inspect::"]
fn nasm_assembles_what_is_written_for_it() {
    let flat = "        org 100h\nsection .text\nstart:  mov bl, 0\n        mov ax, 5\n        div bl\n        ret\n";
    let linked = "segment code\n..start:\n        mov ax, data\n        mov ds, ax\n        mov al, [code_]\n        call end_\nend_:   mov ah, 4Ch\n        int 21h\nsegment data\ncode_:  db 9\nsegment stack stack\n        resb 64\n";
    let wrong = "section .text\n        mov ax, nowhere\n        global start\n";
    let folder =
        folder(&[("flat.asm", flat), ("linked.asm", linked), ("wrong.asm", wrong), ("flat.txt", flat)]);
    let (code, _, stderr) = oxbox(&folder, "run flat.asm --headless");
    assert_eq!(code, Some(122));
    assert!(stderr.contains("flat.asm:5: BL is 0: DIV divides by zero"), "{stderr}");
    assert_eq!(oxbox(&folder, "run linked.asm --headless").0, Some(9));
    assert_eq!(oxbox(&folder, "build flat.txt -o F.COM --assembler nasm").0, Some(0));
    let (code, _, stderr) = oxbox(&folder, "run wrong.asm --headless");
    assert_eq!(code, Some(126));
    assert!(stderr.starts_with("wrong.asm:2:17: error: symbol `nowhere' not defined\n"), "{stderr}");
}
