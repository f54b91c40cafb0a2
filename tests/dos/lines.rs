//! Lines of input, typed and fed.

use super::{END, assemble, machine};
use oxbox::machine::{Machine, Stop};
use std::path::Path;

/// Reads a line with 0Ah, then prints the following characters, each incremented, up to Ctrl-Z, and
/// ends with the line's length.
fn line_reader(folder: &Path) -> Vec<u8> {
    assemble(
        folder,
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
    )
}

#[test]
fn input_is_fed_as_by_a_redirection() {
    let folder = tempfile::tempdir().unwrap();
    let program = line_reader(folder.path());
    let mut machine = machine(folder.path(), &program, "");
    machine.redirect_input();
    assert_eq!(machine.run(&END, &mut ()), Stop::InputWait);
    machine.feed_input(b"seven!!\rHAL");
    assert_eq!(machine.run(&END, &mut ()), Stop::InputWait);
    machine.close_input();
    assert_eq!(machine.run(&END, &mut ()), Stop::Exited(7));
    assert_eq!(machine.take_output(), b"seven!!\rIBM");
}

#[test]
fn a_snapshot_in_the_middle_of_a_line_goes_on_twice() {
    let folder = tempfile::tempdir().unwrap();
    let program = line_reader(folder.path());
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
    type_all(&mut machine, &["c", "ENTER", "CTRL+z"]);
    assert_eq!(machine.run(&END, &mut ()), Stop::Exited(3));
    machine.restore(&snapshot);
    type_all(&mut machine, &["BKSP", "ENTER", "CTRL+z"]);
    assert_eq!(machine.run(&END, &mut ()), Stop::Exited(1));
}

/// A tail at an odd address: a program that reads the ring until it is empty would never stop.
#[test]
fn services_wait_when_the_tail_of_the_ring_cannot_be_reached() {
    for service in [0x0100, 0x0700, 0x0800, 0x0A00, 0x0C01, 0x3F00] {
        let (stop, _) = super::run(&format!(
            "
        .data
buffer  db 20, 0, 20 dup (0)
        .code
start:  mov ax, 40h
        mov es, ax
        mov word ptr es:[1Ah], 1Eh
        mov word ptr es:[1Ch], 21h
        mov ax, @data
        mov ds, ax
        mov dx, offset buffer
        xor bx, bx
        mov cx, 5
        mov ax, 0{service:04X}h
        int 21h
        mov ax, 4C00h
        int 21h"
        ));
        assert_eq!(stop, Stop::KeyWait, "AX={service:04X}h");
    }
}
