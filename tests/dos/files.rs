//! Files by handle.

use super::run_in;
use oxbox::machine::Stop;
use std::fs;

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
