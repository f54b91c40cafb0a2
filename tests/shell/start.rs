//! Starting the shell: with a command, by EXEC of COMSPEC, from a command line of oxbox; and its
//! memory.

use super::{folder, session, shell};
use oxbox::machine::Stop;
use std::fs;
use std::process::Command;

#[test]
fn a_command_gives_its_code() {
    for (arguments, expected) in [
        ("/C code 5", (Stop::Exited(5), "")),
        ("/c code 5 | cat", (Stop::Exited(0), "")),
        ("/C echo a b", (Stop::Exited(0), "a b\n")),
        ("/Cecho a", (Stop::Exited(0), "a\n")),
        ("/E:4096 /C code 7", (Stop::Exited(7), "")),
        ("/C", (Stop::Exited(0), "")),
        ("/C b.bat 1 2", (Stop::Exited(4), "1-2-\n")),
        ("/C command /c code 6", (Stop::Exited(6), "")),
        (
            "/C for %a in (1 2 3) do code %a",
            (Stop::Exited(3), "\nC:\\>code 1\n\nC:\\>code 2\n\nC:\\>code 3\n"),
        ),
        ("/C for1 8", (Stop::Exited(8), "")),
        ("/C if_a 9", (Stop::Exited(9), "")),
        ("/C zero", (Stop::Exited(122), "")),
        ("/K ver", (Stop::Exited(0), "\noxbox, DOS version 5.00\n\nC:\\>\n")),
    ] {
        let folder = folder();
        fs::write(folder.path().join("B.BAT"), "@echo %1-%2-%3\r\n@code 4").unwrap();
        for name in ["FOR1.COM", "IF_A.COM"] {
            fs::copy(folder.path().join("CODE.COM"), folder.path().join(name)).unwrap();
        }
        let (stop, output) = session(folder.path(), arguments, "");
        assert_eq!((stop, output.as_str()), expected, "{arguments}");
    }
}

/// A program that passes its command line to COMSPEC, like `system()`, and returns its code.
#[cfg(feature = "assembler")]
const SYSTEM: &str = "
        .model  tiny
        .code
        org     100h
start:  mov     sp, offset stack_end
        mov     bx, offset stack_end + 15
        mov     cl, 4
        shr     bx, cl
        mov     ah, 4Ah
        int     21h
        mov     es, ds:[2Ch]
        xor     di, di                  ; COMSPEC is the first variable
        mov     si, offset block
        mov     [si + 4], cs
        mov     ax, es
        mov     ds, ax
        mov     dx, 8
        push    cs
        pop     es
        mov     bx, offset block
        mov     ax, 4B00h
        int     21h
        mov     ah, 4Dh
        jnc     code
        mov     al, 99
code:   int     21h
        mov     ah, 4Ch
        int     21h
block   dw      0, 80h, 0, 5Ch, 0, 6Ch, 0
        db      200 dup (0)
stack_end label byte
        end     start
";

#[cfg(feature = "assembler")]
#[test]
fn programs_find_it_by_comspec() {
    use oxbox::toolchain::{BuildRequest, build};

    let folder = folder();
    let source = folder.path().join("system.asm");
    fs::write(&source, SYSTEM).unwrap();
    let built = build(&BuildRequest { inputs: vec![source], ..oxbox::built_in::build_request() }).unwrap();
    fs::write(folder.path().join("SYSTEM.COM"), built.bytes).unwrap();
    let input = "system /C echo inside > x\nsystem /C code 9\nif errorlevel 9 echo nine\ntype x\ndir z:\\ /b\n\
                 type z:\\nothing\ncopy x z:\\\ndel z:\\command.com\ncd z:\\\nz:\n";
    let (stop, output) = session(folder.path(), "", input);
    let expected = "
C:\\>system /C echo inside > x

C:\\>system /C code 9

C:\\>if errorlevel 9 echo nine
nine

C:\\>type x
inside 

C:\\>dir z:\\ /b
COMMAND.COM

C:\\>type z:\\nothing

C:\\>copy x z:\\
        0 file(s) copied

C:\\>del z:\\command.com

C:\\>cd z:\\

C:\\>z:

C:\\>

---- standard error
File not found - Z:\\NOTHING
Access denied
Access denied
Invalid drive specification
";
    assert_eq!((stop, output.as_str()), (Stop::Exited(9), expected));
}

/// The memory for a program that the shell starts: the resident shell takes less than 4 KiB, its
/// environment included.
#[test]
fn programs_keep_their_memory() {
    let folder = folder();
    // MOV AX,CS / SUB AX,[16] / MOV CL,3 / SHR AX,CL / MOV AH,4C / INT 21: paragraphs from the parent's PSP to its own, by 8.
    fs::write(folder.path().join("GAP.COM"), b"\x8C\xC8\x2B\x06\x16\x00\xB1\x03\xD3\xE8\xB4\x4C\xCD\x21")
        .unwrap();
    let gap = |arguments| match session(folder.path(), arguments, "gap\n").0 {
        Stop::Exited(code) => usize::from(code) * 128,
        stop => panic!("{stop:?}"),
    };
    let (typed, single) = (gap(""), gap("/C gap"));
    assert!((3000..5200).contains(&typed) && (2000..3800).contains(&single), "{typed} {single}");
    // A program loaded without a shell has as much memory as before.
    assert!(shell(folder.path(), "").cpu().regs.cs() < 0x1100);
}

fn oxbox() -> Command {
    Command::new(env!("CARGO_BIN_EXE_oxbox"))
}

#[test]
fn comspec_names_a_command_interpreter_of_the_users_own() {
    let folder = folder();
    fs::write(folder.path().join("COMMAND.COM"), oxbox::built_in::COMMAND_COM).unwrap();
    let options = ["run", "COMMAND.COM", "--headless", "/C", "SET"];
    let output = oxbox().current_dir(folder.path()).args(options).output().unwrap();
    let variables = String::from_utf8_lossy(&output.stdout);
    assert!(variables.starts_with("COMSPEC=C:\\COMMAND.COM"), "{variables}");
}

#[test]
fn batch_files_are_run_from_the_command_line() {
    let folder = folder();
    let batch = folder.path().join("a long name.bat");
    fs::write(&batch, "@echo off\r\necho %1 and %2\r\ncode 7\r\n").unwrap();
    let output = oxbox().arg("run").arg(&batch).args(["one", "two"]).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(7), b"one and two\r\n".as_slice()));
    // Below --dir, and on drive A:, which is a folder too.
    let below = folder.path().join("CODE");
    fs::create_dir(&below).unwrap();
    fs::write(below.join("A.BAT"), "@echo %0 %1\r\n@if x%1==x a:a again\r\n").unwrap();
    let options = ["run", "--dir", ".", "--drive", "A=CODE", "CODE/A.BAT"];
    let output = oxbox().current_dir(folder.path()).args(options).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).replace(" \r", "\r");
    assert_eq!((output.status.code(), text.as_str()), (Some(0), "C:\\CODE\\A.BAT\r\na:a again\r\n"));
    let missing = oxbox().args(["run", "/nowhere/x.bat"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(125));
    let keys = oxbox()
        .arg("shell")
        .arg(folder.path())
        .args(["--keys", "v e r ENTER", "--text", "-"])
        .output()
        .unwrap();
    let text = String::from_utf8(keys.stdout).unwrap();
    assert_eq!((keys.status.code(), text.contains("DOS version 5.00")), (Some(123), true), "{text}");
}
