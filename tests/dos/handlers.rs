//! Vectors that a program can hook: INT 21h, 23h, 24h, 28h, 29h, and one that it does not.

use super::{END, assemble, machine, run};
use oxbox::dos::DosOptions;
use oxbox::machine::{Config, Machine, Stop, Until};

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
fn ctrl_c_by_the_program_s_own_handler() {
    // The first Ctrl-C is answered with IRET, the second with STC and RETF, which ends the program.
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
        assert_eq!(String::from_utf8(machine.take_output()).unwrap(), output, "{keys}");
        if matches!(stop, Stop::Exited(_)) {
            break;
        }
    }
}

#[test]
fn critical_errors_reach_the_program_s_handler() {
    // Retry twice, then fail: 3 calls; the open returns 53h. AL was the drive, DI the error.
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
    assert!(matches!(&stop, Stop::Crashed(crash) if crash.exception == 0), "{stop:?}");
}

#[test]
fn a_resident_clock_calls_dos_while_dos_waits() {
    // INT 28h runs while 08h waits for a key, and prints by handle; it shares nothing with 08h.
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
    assert_eq!(machine.take_output(), b"...");
    machine.type_key("k".parse().unwrap());
    assert_eq!(machine.run(&END, &mut ()), Stop::Exited(0));
    assert_eq!(machine.take_output(), b"k");
}
