//! From source to a running program: the built-in assembler, includes in DOS notation, messages
//! with file and line, other tools' objects. Tests that need JWasm or NASM are ignored by default.
#![cfg(feature = "assembler")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use oxbox::inspect::{Local, Symbol, Symbols};
use oxbox::machine::{Config, Key, Machine, Stop, Until};
use oxbox::toolchain::{BuildRequest, Content, Format, LinkOptions, Linked, ToolError, build};
use tempfile::TempDir;

/// Returns a folder with these files; the names may contain folders.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("make a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("make a folder");
        fs::write(path, text).expect("write a file");
    }
    folder
}

/// Builds the given files of a folder.
fn built(folder: &Path, names: &[&str]) -> Result<Linked, ToolError> {
    let inputs = names.iter().map(|name| folder.join(name)).collect();
    build(&BuildRequest { inputs, ..oxbox::built_in::build_request() })
}

/// Runs a program and types keys when it reads them. Returns its exit code and the screen.
fn run(program: &Linked, keys: &[&str]) -> (Stop, String) {
    let mut machine = Machine::new(&Config::default()).expect("switch the machine on");
    let name = if program.format == Format::Com { "P.COM" } else { "P.EXE" };
    machine.load(&program.bytes, name, "").expect("load the program");
    let mut stop = machine.run(&Until::KEY_WAIT, &mut ());
    for key in keys {
        assert_eq!(stop, Stop::KeyWait, "before {key}");
        machine.type_key(key.parse::<Key>().expect("a key"));
        stop = machine.run(&Until::KEY_WAIT, &mut ());
    }
    let screen = machine.text().expect("a text mode").to_string();
    let lines: Vec<&str> = screen.lines().map(str::trim_end).collect();
    (stop, lines.join("\n").trim_end().to_owned())
}

const HELLO: &str = "        .model small
        .stack 100h
        .data
text    db 'Hello', '$'
        .code
start:  mov ax, @data
        mov ds, ax
        mov dx, offset text
        mov ah, 9
        int 21h
        mov ax, 4C07h
        int 21h
        end start
";

const HELLO_COM: &str = "        .model tiny
        .code
        org 100h
start:  mov dx, offset text
        mov ah, 9
        int 21h
        mov ax, 4C07h
        int 21h
text    db 'Hello$'
        end start
";

#[test]
fn sources_as_dos_users_wrote_them() {
    let crlf = format!("{}\x1Aleft over", HELLO.replace('\n', "\r\n"));
    // The data moves to an included file.
    let data = "        .data\ntext    db 'Hello', '$'\n\x1A";
    let code = HELLO
        .replace(".data\n", "INCLUDE C:\\ASM\\Parts\\DATA.INC\n")
        .replace("text    db 'Hello', '$'\n", "");
    let rows: [(&str, &[(&str, &str)], Format); 4] = [
        ("unix line ends", &[("a.asm", HELLO)], Format::Exe),
        ("DOS line ends, Ctrl-Z", &[("a.asm", &crlf)], Format::Exe),
        (
            "an include in another case, with a drive and folders that are not there",
            &[("a.asm", &code), ("data.inc", data)],
            Format::Exe,
        ),
        ("tiny", &[("a.asm", HELLO_COM)], Format::Com),
    ];
    for (name, files, format) in rows {
        let folder = folder(files);
        let before = listing(folder.path());
        let program = built(folder.path(), &["a.asm"]).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(program.format, format, "{name}");
        assert_eq!(run(&program, &[]), (Stop::Exited(7), "Hello".to_owned()), "{name}");
        assert_eq!(listing(folder.path()), before, "{name}: nothing is left behind");
    }
}

/// Sources are recognised without their extensions, and other files of this project are not sources.
#[test]
fn sources_are_recognised_by_their_content() {
    let mut folders = vec![PathBuf::from("asm"), "tests".into(), "docs".into(), "src".into(), ".ci".into()];
    let mut counts = [0, 0];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
            let expected = match extension.as_str() {
                "asm" | "nasm" => Content::Source,
                // Some tests contain whole sources.
                "rs" if path.starts_with("src") => Content::Text,
                "md" | "toml" | "css" | "js" | "json" | "html" | "svg" => Content::Text,
                _ => continue,
            };
            let bytes = fs::read(&path).unwrap();
            // A source without an instruction is not recognised.
            if bytes.len() < 80 {
                continue;
            }
            assert_eq!(Content::of(Path::new("UNNAMED"), &bytes), expected, "{}", path.display());
            counts[usize::from(expected == Content::Text)] += 1;
        }
    }
    assert!(counts[0] > 150 && counts[1] > 150, "{counts:?}");
}

#[test]
fn what_claims_to_be_an_object_is_none_of_the_assembler_s() {
    for (name, contents, message) in [
        ("a.obj", HELLO, "a.obj:record 1 "),
        ("empty.OBJ", "", "empty.OBJ:record 1 "),
        ("text.lib", "a library?", "text.lib:record 1 "),
    ] {
        let folder = folder(&[(name, contents)]);
        let error = built(folder.path(), &[name]).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn names_and_contents_of_sources_do_not_get_in_the_way() {
    for name in ["include0.inc", "messages.txt", "Include0.INC"] {
        let code = HELLO.replace(".data\n", "include data.inc\n").replace("text    db 'Hello', '$'\n", "");
        let folder = folder(&[(name, &code), ("data.inc", "        .data\ntext    db 'Hello', '$'\n")]);
        let program = built(folder.path(), &[name]).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(run(&program, &[]).1, "Hello", "{name}");
    }
    // The same file as a text, which ends at Ctrl-Z, and as bytes.
    let code = HELLO.replace("text    db 'Hello', '$'\n", "include part\ntext label byte\nincbin <part>\n");
    let folder = folder(&[("a.asm", &code), ("part", ";Hello\x1A!$")]);
    let program = built(folder.path(), &["a.asm"]).unwrap_or_else(|error| panic!("{error}"));
    assert!(program.bytes.windows(9).any(|bytes| bytes == b";Hello\x1A!$"));
}

#[test]
fn a_default_library_that_cannot_be_read_is_named() {
    let code = HELLO.replace(".data\n", ".data\nincludelib large.lib\n");
    let folder = folder(&[("a.asm", &code)]);
    let file = fs::File::create(folder.path().join("LARGE.LIB")).expect("make a file");
    file.set_len(17 << 20).expect("make it large");
    let message = built(folder.path(), &["a.asm"]).expect_err("it is too large").to_string();
    assert!(message.contains("LARGE.LIB"), "{message}");
}

/// A library elsewhere is ignored, however the source or a link leads to it.
#[test]
fn default_libraries_come_from_the_folders_of_the_build() {
    let secret = tempfile::tempdir().expect("make a folder");
    fs::write(secret.path().join("secret.lib"), "no library").expect("write a file");
    let absolute = secret.path().join("secret.lib").display().to_string();
    let names =
        ["..\\other\\secret.lib", "../other/secret", "own\\..\\..\\other\\secret.lib", "link.lib", &absolute];
    for name in names {
        let code = HELLO.replace(".data\n", &format!(".data\nincludelib {name}\n"));
        let folder =
            folder(&[("src/a.asm", &code), ("src/own/a.inc", ""), ("other/secret.lib", "no library")]);
        #[cfg(unix)]
        std::os::unix::fs::symlink("../other/secret.lib", folder.path().join("src/link.lib"))
            .expect("make a link");
        // The file there is not a library: reading it would be an error.
        built(&folder.path().join("src"), &["a.asm"]).unwrap_or_else(|error| panic!("{name}: {error}"));
        // If it may be read, it is.
        let open = BuildRequest {
            inputs: vec![folder.path().join("src/a.asm")],
            includes: vec![folder.path().join("other")],
            ..oxbox::built_in::build_request()
        };
        assert_eq!(build(&open).is_err(), name != absolute, "{name}");
    }
}

fn listing(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> =
        fs::read_dir(folder).expect("read the folder").map(|entry| entry.expect("an entry").path()).collect();
    names.sort();
    names
}

#[test]
fn messages_name_file_and_line() {
    let rows: [(&str, &[(&str, &str)], &str); 12] = [
        (
            "an unknown symbol",
            &[("a.asm", ".model small\n.code\n mov ax, nowhere\nend\n")],
            "a.asm:3: `nowhere` is not defined",
        ),
        (
            "in an included file",
            &[("a.asm", ".model small\n.code\n include B.INC\nend\n"), ("b.inc", "\n mov al, bx\n")],
            "b.inc:2: the operands have different sizes (1 - 2 bytes)",
        ),
        (
            "a file that is not there",
            &[("a.asm", ".model small\n include gone.inc\nend\n")],
            "a.asm:2: cannot find \"gone.inc\" beside the source",
        ),
        (
            "two faults",
            &[("a.asm", ".model small\n.code\n mov al, bx\n mov ah, cx\nend\n")],
            "a.asm:4: the operands",
        ),
        (
            "an undefined symbol",
            &[("a.asm", ".model small\n.code\n extern there:near\nstart: nop\n call there\nend start\n")],
            "a.asm:5: undefined symbol THERE",
        ),
        (
            "an undefined symbol in an included file",
            &[
                ("a.asm", ".model small\n.code\n extern there:near\nstart: nop\n include b.inc\nend start\n"),
                ("B.INC", " nop\n call there\n"),
            ],
            "B.INC:2: undefined symbol THERE",
        ),
        (
            "a warning",
            &[("a.asm", ".model small\n.code\nstart: nop\n mov ax, 4C00h\n int 21h\nend start\n")],
            "link: warning: the program has no stack segment",
        ),
        (
            "a file that includes itself",
            &[("a.asm", "\n include a.asm\nend\n")],
            "a.asm:2: a.asm includes itself",
        ),
        (
            "a file that includes itself until its names are used up",
            &[("a.asm", ".model tiny\n.code\nstart: nop\n include a.asm\nend start\n")],
            "a.asm:4: a.asm includes itself",
        ),
        (
            "files that include each other",
            &[("a.asm", " include B.INC\nend\n"), ("b.inc", "\n include a.asm\n")],
            "a.asm:1: b.inc includes itself",
        ),
        (
            "a repetition without end",
            &[("a.asm", ".model small\n.code\nrept 100000000\n nop\nendm\nend\n")],
            if cfg!(target_os = "linux") { "a.asm:5: out of memory (it has 256 MiB)" } else { "a.asm:" },
        ),
        (
            "a macro without end",
            &[("a.asm", "again macro\n again\nendm\n again\nend\n")],
            "a.asm:4: Nesting level too deep",
        ),
    ];
    for (name, files, expected) in rows {
        let folder = folder(files);
        let messages = match built(folder.path(), &["a.asm"]) {
            Ok(program) => program.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
            Err(error) => error.to_string(),
        };
        let messages =
            messages.replace(&format!("{}{}", folder.path().display(), std::path::MAIN_SEPARATOR), "");
        assert!(messages.lines().any(|line| line.starts_with(expected)), "{name}: {messages}");
    }
}

/// A source reads only its own folder and the include folders, wherever names and links lead.
#[test]
fn files_beside_the_folder_are_not_read() {
    let outer = folder(&[("secret.inc", "secret equ 7\n")]);
    let inner = outer.path().join("inner");
    fs::create_dir(&inner).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(outer.path().join("secret.inc"), inner.join("link.inc")).unwrap();
    let mut rows = vec![("include ..\\secret.inc", 3), ("incbin \"../secret.inc\"", 3)];
    if cfg!(unix) {
        rows.push(("include link.inc", 3));
    }
    if cfg!(target_os = "linux") {
        // The assembler itself builds the name.
        rows.push(("up textequ <../secret.inc>\n % include up", 4));
    }
    for (line, number) in rows {
        let source = inner.join("a.asm");
        fs::write(&source, format!(".model small\n.code\n{line}\nstart: mov al, 7\nend start\n")).unwrap();
        let error = built(&inner, &["a.asm"]).expect_err(line).to_string();
        let place = format!("{}:{number}: ", source.display());
        assert!(error.starts_with(&place), "{line}: {error}");
        let request = BuildRequest {
            inputs: vec![source],
            includes: vec![outer.path().to_owned()],
            ..oxbox::built_in::build_request()
        };
        assert!(build(&request).is_ok() || number == 4, "{line}: with the folder named");
    }
}

#[test]
fn includes_have_a_depth() {
    let names: Vec<String> = (0..150).map(|number| format!("n{number}.inc")).collect();
    let texts: Vec<String> = (1..=150).map(|number| format!(" include n{number}.inc\n")).collect();
    let mut files: Vec<_> = names.iter().zip(&texts).map(|(name, text)| (&name[..], &text[..])).collect();
    files.push(("a.asm", ".model tiny\n include n0.inc\nend\n"));
    let folder = folder(&files);
    let error = built(folder.path(), &["a.asm"]).expect_err("too deep").to_string();
    assert!(error.contains("n99.inc:1: ") && error.contains("which is too deep"), "{error}");
}

/// A pipe without a writer.
#[cfg(unix)]
#[test]
fn a_pipe_is_not_included() {
    let folder = folder(&[("a.asm", ".model tiny\n include pipe.inc\nend\n")]);
    let made = Command::new("mkfifo").arg(folder.path().join("pipe.inc")).status();
    assert!(made.expect("mkfifo").success());
    let error = built(folder.path(), &["a.asm"]).expect_err("a pipe").to_string();
    assert!(error.contains("a.asm:2: ") && error.contains("pipe.inc is not a file"), "{error}");
}

#[test]
fn include_folders_and_a_library_beside_the_source() {
    let folder = folder(&[
        ("src/a.asm", "        include outer.inc\n        includelib other.lib\n        end start\n"),
        ("inc/OUTER.INC", "        include Inner\\INNER.INC\n"),
        ("inc/inner/inner.inc", HELLO.trim_end().strip_suffix("end start").expect("the last line")),
    ]);
    let inputs = vec![folder.path().join("src/a.asm")];
    let includes = vec![folder.path().join("inc")];
    let program = build(&BuildRequest { inputs, includes, ..oxbox::built_in::build_request() });
    // The missing library contains nothing that is needed.
    assert_eq!(
        run(&program.unwrap_or_else(|error| panic!("{error}")), &[]),
        (Stop::Exited(7), "Hello".to_owned())
    );
}

/// All requirements of a program for the UCR library's macros.
const UCR: &str = r#"
        .xlist
        include         UCRLIB.A
        includelib      ucrlib.lib
        .list

pair    struct
a       word    1
b       word    2
pair    ends

dseg    segment para public 'data'
both    pair    {}
list    word    1, 2,
                3
letter  byte    'x'
dseg    ends

cseg    segment para public 'code'
        assume  cs:cseg, ds:dseg
Report  textequ <call _Report>
_Report proc    near
        putc
        putcr
        ret
_Report endp
Main    proc
        mov     ax, dseg
        mov     ds, ax
        print   "A list: ", '1', '2', "34", nl, "on the next line", nl, 0
        mov     ax, 1234h
        mov     bx, both.b
        putc    "b"
        putc    letter
        putc    bl
        cmp     ax, 1234h
        je      kept
        putc    '!'
kept:   shl     bl, 2
        ror     bl, 3
        putcr
        rawgetc
        tolower
        Report
        putc    Bell
        mov     al, '='
        toupper
        Report
        mov     al, 9
        ExitPgm
Main    endp
cseg    ends
sseg    segment para stack 'stack'
        byte    512 dup (?)
sseg    ends
        end     Main
"#;

#[test]
fn programs_for_the_ucr_library_build_and_run() {
    let folder = folder(&[("A.ASM", UCR)]);
    let program = built(folder.path(), &["A.ASM"]).unwrap_or_else(|error| panic!("{error}"));
    let (stop, screen) = run(&program, &["Q"]);
    assert_eq!(stop, Stop::Exited(9));
    assert_eq!(screen.replace('☻', "<2>"), "A list: 1234\non the next line\nbx<2>\nq\n=");
}

#[test]
#[ignore = "needs JWasm: OXBOX_JWASM=PATH cargo test --test library -- --ignored jwasm"]
fn jwasm_gives_the_same_programs() {
    let jwasm = std::env::var_os("OXBOX_JWASM").expect("OXBOX_JWASM names a JWasm");
    let asm = Path::new(env!("CARGO_MANIFEST_DIR")).join("asm");
    let folder = folder(&[("A.ASM", UCR), ("B.ASM", HELLO)]);
    let eecs =
        ["main", "board", "screen", "vga", "font", "sound"].map(|n| asm.join(format!("eecs2100/{n}.asm")));
    let video = ["cga", "fonts", "linear", "planes", "split", "text", "unchain"];
    let video = video.map(|n| vec![asm.join(format!("video/{n}.asm"))]);
    let programs = [
        vec![folder.path().join("A.ASM")],
        vec![folder.path().join("B.ASM")],
        vec![asm.join("ttt1/ttt1.asm")],
        vec![asm.join("oxo/oxo.asm")],
        vec![asm.join("chip/chip.asm")],
        vec![asm.join("grid18/grid.asm"), asm.join("grid18/grid18.asm")],
        eecs.to_vec(),
    ];
    for inputs in programs.into_iter().chain(video) {
        let request = BuildRequest { inputs, ..oxbox::built_in::build_request() };
        let other = BuildRequest { assembler: Some(PathBuf::from(&jwasm)), ..request.clone() };
        let (ours, theirs) =
            (build(&request).expect("UASM builds it"), build(&other).expect("JWasm builds it"));
        assert!(ours.bytes == theirs.bytes, "{:?}", request.inputs);
    }
}

#[test]
fn an_assembler_that_cannot_be_run_is_named() {
    let folder = folder(&[("A.ASM", HELLO)]);
    let request = BuildRequest {
        inputs: vec![folder.path().join("A.ASM")],
        assembler: Some(folder.path().join("no-such-assembler")),
        ..oxbox::built_in::build_request()
    };
    let error = build(&request).expect_err("there is no such assembler").to_string();
    assert!(error.starts_with("cannot run the assembler ") && error.contains("no-such-assembler"), "{error}");
}

/// The other half of a program whose start is MASM: far and near procedures, data in a group, a
/// common block, a constant, 16- and 8-bit offsets. NASM writes names unchanged.
const NASM: &str = "
        group   DGROUP _DATA
        segment _TEXT class=CODE public align=2 use16
        global  NEAR_PRINT, FAR_PRINT
        extern  FROM_MASM
NEAR_PRINT:
        mov     dx, text wrt DGROUP
        mov     ah, 9
        int     21h
        ret
        segment OTHER class=CODE public align=16 use16
FAR_PRINT:
        push    ds
        mov     ax, seg FROM_MASM
        mov     ds, ax
        mov     dx, FROM_MASM
        mov     ah, 9
        int     21h
        mov     ax, SHARED wrt DGROUP
        pop     ds
        mov     bx, ax
        mov     word [bx+2], CONSTANT
        retf
        segment _DATA class=DATA public align=2 use16
        extern  CONSTANT
        common  SHARED 6:near
text    db      'near, $'
";

const MASM: &str = "        .model small
        .stack 100h
        comm near SHARED:word:3
        extern NEAR_PRINT:near
        extern FAR_PRINT:far
        public FROM_MASM, CONSTANT
CONSTANT equ 42
        .fardata
FROM_MASM db 'far$'
        .code
start:  mov ax, @data
        mov ds, ax
        call NEAR_PRINT
        call FAR_PRINT
        mov ax, SHARED[2]
        mov ah, 4Ch
        int 21h
        end start
";

#[test]
#[ignore = "needs NASM: cargo test --test library -- --ignored nasm"]
fn objects_of_nasm_link_and_run() {
    let folder = folder(&[("a.asm", MASM), ("b.nas", NASM)]);
    let (source, object) = (folder.path().join("b.nas"), folder.path().join("b.obj"));
    let assembled = Command::new("nasm").args(["-f", "obj", "-o"]).arg(&object).arg(&source).status();
    let status = assembled.expect("nasm is installed");
    assert!(status.success(), "nasm assembles its half");
    for translate_far_calls in [false, true] {
        let request = BuildRequest {
            inputs: vec![folder.path().join("a.asm"), object.clone()],
            options: LinkOptions { translate_far_calls, ..LinkOptions::default() },
            ..oxbox::built_in::build_request()
        };
        let program = build(&request).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(run(&program, &[]), (Stop::Exited(42), "near, far".to_owned()));
    }
}

/// Files that would be lost if an output overwrote them.
#[test]
#[ignore = "needs NASM: cargo test --test library -- --ignored nasm"]
fn what_a_source_for_nasm_includes_is_known() {
    let org = "%include \"in/one.inc\"\norg 100h\nret\n";
    let section = "%include \"in/one.inc\"\nsection .text\n..start: ret\nsection stack stack\nresb 64\n";
    for source in [org, section] {
        let folder = folder(&[("a.nasm", source)]);
        fs::create_dir(folder.path().join("in")).unwrap();
        fs::write(folder.path().join("in/one.inc"), "%include \"in/two.inc\"\n").unwrap();
        fs::write(folder.path().join("in/two.inc"), "two equ 2\n").unwrap();
        let program = built(folder.path(), &["a.nasm"]).unwrap_or_else(|error| panic!("{error}"));
        for name in ["a.nasm", "in/one.inc", "in/two.inc"] {
            assert!(program.files.contains(&folder.path().join(name)), "{name}: {:?}", program.files);
        }
    }
}

/// Returns every name of `symbols` with its address, and every line that has code: `name kind
/// frame:offset`, `file:line at..end`.
fn told(symbols: &Symbols, folder: &Path) -> String {
    let mut text = String::new();
    for symbol in symbols.symbols() {
        let Symbol { name, kind, frame, offset, length, locals } = symbol;
        text += &format!("{name} {kind:?} {frame:X}:{offset:X}");
        text += &length.map_or(String::new(), |length| format!(" long {length:X}"));
        for Local { name, offset } in locals {
            text += &format!(" {name}{offset:+}");
        }
        text += "\n";
    }
    for (line, at) in symbols.lines() {
        text += &format!("{line} {:X}..{:X}\n", at.start, at.end);
    }
    text.replace(&format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR), "")
}

#[test]
fn names_and_lines_of_a_program() {
    let main = "        .model small
        .stack 100h
limit   equ 5
        .data
total   dw limit
        .code
        extern helper:near
add2    proc near c a:word, b:word
        local sum:word
        mov ax, a
        ret
add2    endp
start:  call helper
again:  jmp again
        end start
";
    let other = "        .model small
        .code
        include part.inc
        end
";
    let part = "        public helper
helper: inc total2
        ret
        .data
total2  db 3 dup (0)
";
    let folder = folder(&[("main.asm", main), ("other.asm", other), ("part.inc", part)]);
    let program = built(folder.path(), &["main.asm", "other.asm"]).expect("it builds");
    let expected = "\
add2 Procedure 0:0 long D b+6 a+4 sum-2
_ADD2 Unknown 0:0
start Label 0:D
again Label 0:10
helper Label 0:12
total Data 1:8
total2 Data 1:A
main.asm:8 0..6
main.asm:10 6..9
main.asm:11 9..D
main.asm:13 D..10
main.asm:14 10..12
part.inc:2 12..16
part.inc:3 16..17
";
    let told = told(&program.symbols, folder.path());
    assert_eq!(told, expected);
}
