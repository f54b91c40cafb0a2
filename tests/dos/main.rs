//! DOS under real programs: sources assembled here, run in the whole machine, told by what they print and their exit code.
#![cfg(feature = "assembler")]
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

use oxbox::dos::DosOptions;
use oxbox::machine::{Config, Machine, Stop, Until};
use oxbox::toolchain::{BuildRequest, build};
use std::fs;
use std::path::Path;

/// Assembles the body of a program: `.data` and `.code` of a small model, between a start that sets DS and `END`.
fn assemble(folder: &Path, name: &str, body: &str) -> Vec<u8> {
    let source =
        format!("        .model small\n        .386\n        .stack 512\n{body}\n        end start\n");
    let path = folder.join(name);
    fs::write(&path, source).unwrap();
    let built = build(&BuildRequest { inputs: vec![path], ..BuildRequest::default() });
    built.unwrap_or_else(|e| panic!("{name}: {e}")).bytes
}

/// A machine with a program loaded; its standard output is kept.
fn machine(folder: &Path, program: &[u8], arguments: &str) -> Machine {
    let dos = DosOptions { folder: Some(folder.to_path_buf()), ..DosOptions::default() };
    let mut machine = Machine::new(&Config { dos, ..Config::default() }).unwrap();
    machine.dos.redirect_output(&mut machine.hardware);
    machine.load(program, "TEST.EXE", arguments).unwrap();
    machine
}

/// Until the program ends, waits for a key, or has had far more than it needs.
const END: Until = Until { cycle: 50_000_000, instructions: u64::MAX, key_wait: true };

/// Runs a program: how it stopped and what it printed.
fn run(body: &str) -> (Stop, String) {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), body, "")
}

fn run_in(folder: &Path, body: &str, arguments: &str) -> (Stop, String) {
    let program = assemble(folder, "test.asm", body);
    let mut machine = machine(folder, &program, arguments);
    let stop = machine.run(&END, &mut ());
    (stop, String::from_utf8(machine.dos.take_output()).unwrap())
}

#[test]
fn a_child_is_started_and_its_code_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    // MOV DX,10C / MOV AH,9 / INT 21 / MOV AX,4C2A / INT 21 / "child$"
    let child = b"\xBA\x0C\x01\xB4\x09\xCD\x21\xB8\x2A\x4C\xCD\x21child, $";
    fs::write(folder.path().join("CHILD.COM"), child).unwrap();
    let (stop, output) = run_in(
        folder.path(),
        "
        .data
name_   db 'child.com', 0
tail    db 0, 13
block   dw 0
        dw offset tail, seg tail, 5Ch, 0, 6Ch, 0
back    db 'back$'
        .code
start:  mov bx, ss              ; keep what lies up to the stack's end
        mov ax, es
        sub bx, ax
        add bx, 40h
        mov ah, 4Ah
        int 21h
        mov ax, @data
        mov ds, ax
        mov es, ax
        mov dx, offset name_
        mov bx, offset block
        mov bp, 1234h
        mov ax, 4B00h
        int 21h
        jc failed
        cmp bp, 1234h
        jne failed
        mov dx, offset back
        mov ah, 9
        int 21h
        mov ah, 4Dh
        int 21h
        mov ah, 4Ch
        int 21h
failed: mov ax, 4C63h
        int 21h",
        "",
    );
    assert_eq!((stop, output.as_str()), (Stop::Exited(42), "child, back"));
}

#[test]
fn a_resident_child_serves_its_parent() {
    let folder = tempfile::tempdir().unwrap();
    // At 100h: MOV DX,10F / MOV AX,2560 / INT 21 / MOV DX,120 / INT 27; at 10Ch the handler: ADD AX,7 / IRET
    let child = b"\xBA\x0C\x01\xB8\x60\x25\xCD\x21\xBA\x20\x01\x90\x05\x07\x00\xCF";
    let mut child = child.to_vec();
    child[11] = 0x90;
    child.splice(11..12, [0xEB, 0x04]);
    child.extend_from_slice(&[0xCD, 0x27]);
    child[1] = 0x0D;
    fs::write(folder.path().join("TSR.COM"), &child).unwrap();
    let (stop, _) = run_in(
        folder.path(),
        "
        .data
name_   db 'tsr.com', 0
block   dw 7 dup (0)
        .code
start:  mov bx, ss
        mov ax, es
        sub bx, ax
        add bx, 40h
        mov ah, 4Ah
        int 21h
        mov ax, @data
        mov ds, ax
        mov es, ax
        mov dx, offset name_
        mov bx, offset block
        mov ax, 4B00h
        int 21h
        mov ax, 4C00h + 35
        int 60h
        int 21h",
        "",
    );
    assert_eq!(stop, Stop::Exited(42));
}

#[test]
fn a_program_may_hook_int_21_and_chain() {
    let (stop, output) = run("
        .data
text    db 'a$'
        .code
old     dd ?
count   db 0
hook:   cmp ah, 9
        jne chain
        inc cs:count
chain:  jmp cs:old
start:  mov ax, @data
        mov ds, ax
        mov ax, 3521h
        int 21h
        mov word ptr cs:old, bx
        mov word ptr cs:old+2, es
        push ds
        push cs
        pop ds
        mov dx, offset hook
        mov ax, 2521h
        int 21h
        pop ds
        mov dx, offset text
        mov cx, 3
again:  mov ah, 9
        int 21h
        loop again
        mov al, cs:count
        mov ah, 4Ch
        int 21h");
    assert_eq!((stop, output.as_str()), (Stop::Exited(3), "aaa"));
}

#[test]
fn calls_as_cp_m_and_through_the_psp() {
    let folder = tempfile::tempdir().unwrap();
    // A COM: MOV CL,9 / MOV DX,text / CALL 5 / MOV AH,2 / MOV DL,'!' / PUSH CS / CALL 50h / RET
    let mut program =
        b"\xB1\x09\xBA\x14\x01\xE8\xFD\xFE\xB4\x02\xB2!\x9A\x50\x00\x00\x00\xC3\x90\x90cp/m$".to_vec();
    let mut machine = machine(folder.path(), &program, "");
    // The far call needs the PSP's segment.
    let psp = machine.cpu.regs.ds();
    program[15..17].copy_from_slice(&psp.to_le_bytes());
    machine.hardware.memory.write_bytes(u32::from(psp) * 16 + 0x100, &program);
    assert_eq!(machine.run(&END, &mut ()), Stop::Exited(0));
    assert_eq!(machine.dos.take_output(), b"cp/m!");
}

#[test]
fn ctrl_c_by_the_program_s_own_handler() {
    // The first Ctrl-C is answered by IRET, the second by STC and RETF, which ends the program.
    let body = "
        .data
text    db 'break$'
        .code
seen    db 0
handler:
        push ds
        push dx
        push ax
        mov ax, @data
        mov ds, ax
        mov dx, offset text
        mov ah, 9
        int 21h
        pop ax
        pop dx
        pop ds
        inc cs:seen
        cmp cs:seen, 2
        je stop
        iret
stop:   stc
        retf
start:  mov ax, @data
        mov ds, ax
        push ds
        push cs
        pop ds
        mov dx, offset handler
        mov ax, 2523h
        int 21h
        pop ds
again:  mov ah, 8
        int 21h
        mov dl, al
        mov ah, 2
        int 21h
        jmp again";
    let folder = tempfile::tempdir().unwrap();
    let program = assemble(folder.path(), "test.asm", body);
    let mut machine = machine(folder.path(), &program, "");
    for (keys, stop, output) in [
        ("a", Stop::KeyWait, "a"),
        ("CTRL+c", Stop::KeyWait, "break"),
        ("b", Stop::KeyWait, "b"),
        ("CTRL+c", Stop::Exited(0), "break"),
    ] {
        assert_eq!(machine.run(&END, &mut ()), Stop::KeyWait);
        machine.type_key(keys.parse().unwrap());
        let until = Until { cycle: machine.now() + 10_000_000, ..END };
        assert_eq!(machine.run(&until, &mut ()), stop, "{keys}");
        assert_eq!(String::from_utf8(machine.dos.take_output()).unwrap(), output, "{keys}");
        if matches!(stop, Stop::Exited(_)) {
            break;
        }
    }
}

#[test]
fn critical_errors_reach_the_program_s_handler() {
    // Retry twice, then fail: 3 calls; the open answers 53h. AL told the drive, DI the error.
    let (stop, output) = run("
        .data
name_   db 'b:file', 0
        .code
calls   db 0
drive   db 0
handler:
        mov cs:drive, al
        inc cs:calls
        mov al, 1
        cmp cs:calls, 3
        jb done
        mov al, 3
done:   iret
start:  push cs
        pop ds
        mov dx, offset handler
        mov ax, 2524h
        int 21h
        mov ax, @data
        mov ds, ax
        mov dx, offset name_
        mov ax, 3D00h
        int 21h
        jnc bad
        cmp ax, 53h
        jne bad
        cmp cs:drive, 1
        jne bad
        mov dl, cs:calls
        add dl, '0'
        mov ah, 2
        int 21h
        mov ax, 4C00h
        int 21h
bad:    mov ax, 4C01h
        int 21h");
    assert_eq!((stop, output.as_str()), (Stop::Exited(0), "3"));
}

#[test]
fn the_screen_through_a_program_s_int_29() {
    let folder = tempfile::tempdir().unwrap();
    let program = assemble(
        folder.path(),
        "test.asm",
        "
        .data
text    db 'Shout', 13, 10, '$'
        .code
old     dd ?
handler:
        cmp al, 'a'
        jb chain
        and al, 0DFh
chain:  jmp cs:old
start:  mov ax, 3529h
        int 21h
        mov word ptr cs:old, bx
        mov word ptr cs:old+2, es
        push cs
        pop ds
        mov dx, offset handler
        mov ax, 2529h
        int 21h
        mov ax, @data
        mov ds, ax
        mov dx, offset text
        mov ah, 9
        int 21h
        mov bx, 1
        mov cx, 5
        mov ah, 40h
        int 21h
        mov ax, 4C00h
        int 21h",
    );
    let dos = DosOptions::default();
    let mut machine = Machine::new(&Config { dos, ..Config::default() }).unwrap();
    machine.load(&program, "TEST.EXE", "").unwrap();
    assert_eq!(machine.run(&END, &mut ()), Stop::Exited(0));
    let screen = machine.text().unwrap().to_string();
    assert_eq!(screen.trim_end(), "SHOUT\nSHOUT");
}

#[test]
fn a_divide_error_ends_the_program_with_a_word() {
    let (stop, _) = run("
        .code
start:  xor cx, cx
        div cl
        mov ax, 4C05h
        int 21h");
    assert_eq!(stop, Stop::Exited(0));
}

#[test]
fn a_file_is_copied_and_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let content: String = (0..5000).map(|i| format!("line {i}\r\n")).collect();
    fs::write(folder.path().join("in.txt"), &content).unwrap();
    let (stop, output) = run_in(
        folder.path(),
        "
        .data
from    db 'IN.TXT', 0
to      db 'OUT.TXT', 0
source  dw ?
target  dw ?
        .data?
buffer  db 777 dup (?)
        .code
start:  mov ax, @data
        mov ds, ax
        mov dx, offset from
        mov ax, 3D00h
        int 21h
        jc bad
        mov source, ax
        mov dx, offset to
        xor cx, cx
        mov ah, 3Ch
        int 21h
        jc bad
        mov target, ax
copy:   mov bx, source
        mov cx, 777
        mov dx, offset buffer
        mov ah, 3Fh
        int 21h
        jc bad
        or ax, ax
        jz done
        mov cx, ax
        mov bx, target
        mov ah, 40h
        int 21h
        jc bad
        jmp copy
done:   mov dx, 80h
        mov ah, 62h
        int 21h
        mov ds, bx
        mov bx, 1
        mov cl, ds:[80h]        ; and the command tail is printed
        mov ch, 0
        mov dx, 81h
        mov ah, 40h
        int 21h
        mov ax, 4C00h           ; leaves the files open
        int 21h
bad:    mov ax, 4C01h
        int 21h",
        "some words",
    );
    assert_eq!((stop, output.as_str()), (Stop::Exited(0), " some words"));
    assert_eq!(fs::read_to_string(folder.path().join("OUT.TXT")).unwrap(), content);
}

#[test]
fn a_resident_clock_calls_dos_while_dos_waits() {
    // INT 28h runs while 08h waits for a key, and prints by handle in its turn; with 08h it shares nothing.
    let body = "
        .data
dot     db '.'
        .code
count   db 0
handler:
        cmp cs:count, 3
        jae over
        inc cs:count
        push ds
        push ax
        push bx
        push cx
        push dx
        mov ax, @data
        mov ds, ax
        mov dx, offset dot
        mov cx, 1
        mov bx, 1
        mov ah, 40h
        int 21h
        pop dx
        pop cx
        pop bx
        pop ax
        pop ds
over:   iret
start:  push cs
        pop ds
        mov dx, offset handler
        mov ax, 2528h
        int 21h
        mov ah, 8
        int 21h
        mov dl, al
        mov ah, 2
        int 21h
        mov ax, 4C00h
        int 21h";
    let folder = tempfile::tempdir().unwrap();
    let program = assemble(folder.path(), "test.asm", body);
    let mut machine = machine(folder.path(), &program, "");
    let until = Until { key_wait: false, cycle: 3_000_000, ..END };
    assert_eq!(machine.run(&until, &mut ()), Stop::Cycle);
    assert_eq!(machine.dos.take_output(), b"...");
    machine.type_key("k".parse().unwrap());
    assert_eq!(machine.run(&END, &mut ()), Stop::Exited(0));
    assert_eq!(machine.dos.take_output(), b"k");
}

#[test]
fn input_is_fed_as_by_a_redirection() {
    let folder = tempfile::tempdir().unwrap();
    let program = assemble(
        folder.path(),
        "test.asm",
        "
        .data
buffer  db 20, 0, 20 dup (0)
        .code
start:  mov ax, @data
        mov ds, ax
        mov dx, offset buffer
        mov ah, 0Ah
        int 21h
next:   mov ah, 8
        int 21h
        cmp al, 1Ah
        je done
        inc al
        mov dl, al
        mov ah, 2
        int 21h
        jmp next
done:   mov al, buffer+1
        mov ah, 4Ch
        int 21h",
    );
    let mut machine = machine(folder.path(), &program, "");
    machine.dos.redirect_input(&mut machine.hardware);
    assert_eq!(machine.run(&END, &mut ()), Stop::InputWait);
    machine.dos.feed_input(b"seven!!\rHAL");
    assert_eq!(machine.run(&END, &mut ()), Stop::InputWait);
    machine.dos.close_input();
    assert_eq!(machine.run(&END, &mut ()), Stop::Exited(7));
    assert_eq!(machine.dos.take_output(), b"seven!!\rIBM");
}

#[test]
fn a_snapshot_in_the_middle_of_a_line_goes_on_twice() {
    let folder = tempfile::tempdir().unwrap();
    let program = assemble(
        folder.path(),
        "test.asm",
        "
        .data
buffer  db 20, 0, 20 dup (0)
        .code
start:  mov ax, @data
        mov ds, ax
        mov dx, offset buffer
        mov ah, 0Ah
        int 21h
        mov al, buffer+1
        mov ah, 4Ch
        int 21h",
    );
    let mut machine = machine(folder.path(), &program, "");
    let type_all = |machine: &mut Machine, keys: &[&str]| {
        for key in keys {
            assert_eq!(machine.run(&END, &mut ()), Stop::KeyWait);
            machine.type_key(key.parse().unwrap());
        }
    };
    type_all(&mut machine, &["a", "b"]);
    assert_eq!(machine.run(&END, &mut ()), Stop::KeyWait);
    let snapshot = machine.snapshot();
    type_all(&mut machine, &["c", "ENTER"]);
    assert_eq!(machine.run(&END, &mut ()), Stop::Exited(3));
    machine.restore(&snapshot);
    type_all(&mut machine, &["BKSP", "ENTER"]);
    assert_eq!(machine.run(&END, &mut ()), Stop::Exited(1));
}
