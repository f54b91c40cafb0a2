//! Children, resident programs, and the entry points of DOS.

use super::{END, machine, run_in};
use oxbox::machine::Stop;
use std::fs;

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
fn calls_as_cp_m_and_through_the_psp() {
    let folder = tempfile::tempdir().unwrap();
    // A COM: MOV CL,9 / MOV DX,text / CALL 5 / MOV AH,2 / MOV DL,'!' / PUSH CS / CALL 50h / RET
    let mut program =
        b"\xB1\x09\xBA\x14\x01\xE8\xFD\xFE\xB4\x02\xB2!\x9A\x50\x00\x00\x00\xC3\x90\x90cp/m$".to_vec();
    let mut machine = machine(folder.path(), &program, "");
    // The far call needs the PSP's segment.
    let psp = machine.cpu().regs.ds();
    program[15..17].copy_from_slice(&psp.to_le_bytes());
    machine.write_memory(u32::from(psp) * 16 + 0x100, &program);
    assert_eq!(machine.run(&END, &mut ()), Stop::Exited(0));
    assert_eq!(machine.take_output(), b"cp/m!");
}
