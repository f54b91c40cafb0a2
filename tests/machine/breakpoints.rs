//! Breakpoints, forwards and backwards: both directions stop at the same places.

use super::*;
use oxbox::inspect::{Breakpoints, Place, StopReason};
use oxbox::machine::{End, Machine, Timeline};

/// A loop of three iterations with an INT, a port, and writes by an instruction, a string
/// instruction, DOS and the timer's handler.
const PROGRAM: &str = "
        mov ax, 251Ch
        mov dx, offset tick
        int 21h
        mov bp, 3
again:  mov al, 34h
        out 80h, al
        mov byte ptr [1000h], 1
        mov di, 1010h
        mov cx, 20h
        cld
        rep stosb
        mov ah, 2Ch
        int 21h
        mov al, [1000h]
        mov dx, 1100h
        mov ah, 1Ah
        int 21h
        mov dx, 0
        mov ah, 4Eh
        push bp
        mov cx, 3000h
wait1:  nop
        loop wait1
        mov cx, 0FFFFh
        loop $
        pop bp
        dec bp
        jnz again
        mov al, 0
        jmp quit
ticks   dw 0
tick:   inc cs:[ticks]
        iret";

fn always(_: usize, _: &mut Machine) -> bool {
    true
}

#[test]
fn both_directions_pass_the_same_moments() {
    let program = machine(PROGRAM);
    let base = u32::from(program.cpu().regs.ds()) * 16;
    let offset = |timeline: &mut Timeline, text: &[u8]| {
        let bytes = timeline.machine_mut().read_memory(base, 0x300);
        let at = bytes.windows(text.len()).position(|window| window == text);
        base + at.expect("those bytes") as u32
    };
    let mut timeline = Timeline::new(program, 8 << 20);
    let again = offset(&mut timeline, b"\xB0\x34");
    let nop = offset(&mut timeline, b"\x90\xE2");
    let tick = offset(&mut timeline, b"\x2E\xFF\x06");
    let ticks = tick - 2;
    let rows: [(&str, Vec<Place>, usize); 11] = [
        ("an address", vec![Place::Address(again)], 3),
        ("in a tight loop", vec![Place::Address(nop)], 3 * 0x3000),
        ("an interrupt's handler", vec![Place::Address(tick)], 1),
        ("a port", vec![Place::Port(0x80)], 3),
        ("a function", vec![Place::Interrupt { vector: 0x21, ah: Some(0x2C), ax: None }], 3),
        ("an interrupt", vec![Place::Interrupt { vector: 0x21, ah: None, ax: None }], 8),
        ("a write", vec![Place::Write(base + 0x1000..base + 0x1001)], 3),
        ("a write by REP STOS", vec![Place::Write(base + 0x1018..base + 0x1019)], 3),
        ("a read", vec![Place::Read(base + 0x1000..base + 0x1001)], 3),
        ("a write in a handler", vec![Place::Write(ticks..ticks + 2)], 1),
        ("two kinds", vec![Place::Write(base + 0x1000..base + 0x1001), Place::Port(0x80)], 6),
    ];
    for (name, places, times) in rows {
        timeline.go_to(timeline.start());
        let breakpoints = Breakpoints::new(places);
        let mut forwards = Vec::new();
        let mut numbers = Vec::new();
        loop {
            match breakpoints.run(&mut timeline, &LIMIT, &always) {
                StopReason::Breakpoint(number) => {
                    numbers.push(number);
                    forwards.push(timeline.machine().instructions());
                }
                reached => break assert_eq!(reached, StopReason::Ended(End::Exited(0)), "{name}"),
            }
        }
        assert_eq!(forwards.len(), times, "{name}");
        if times > 100 {
            continue;
        }
        for (&instructions, &number) in forwards.iter().zip(&numbers).rev() {
            assert_eq!(
                breakpoints.run_back(&mut timeline, &always),
                StopReason::Breakpoint(number),
                "{name}"
            );
            // After a write forwards, before it backwards.
            let is_write = matches!(breakpoints.places()[number], Place::Write(_));
            assert_eq!(timeline.machine().instructions() + u64::from(is_write), instructions, "{name}");
        }
        assert_eq!(breakpoints.run_back(&mut timeline, &always), StopReason::Beginning, "{name}");
    }
}

#[test]
fn conditions_are_asked_at_each() {
    let mut timeline = Timeline::new(machine(PROGRAM), 8 << 20);
    let base = u32::from(timeline.machine().cpu().regs.ds()) * 16;
    let breakpoints = Breakpoints::new(vec![Place::Port(0x80), Place::Write(base + 0x1000..base + 0x1001)]);
    let last = |_: usize, machine: &mut Machine| machine.cpu().regs.bp() == 1;
    assert_eq!(breakpoints.run(&mut timeline, &LIMIT, &last), StopReason::Breakpoint(0));
    assert_eq!(breakpoints.run(&mut timeline, &LIMIT, &last), StopReason::Breakpoint(1));
    assert_eq!(breakpoints.run(&mut timeline, &LIMIT, &last), StopReason::Ended(End::Exited(0)));
    let first = |_: usize, machine: &mut Machine| machine.cpu().regs.bp() == 3;
    assert_eq!(breakpoints.run_back(&mut timeline, &first), StopReason::Breakpoint(1));
    assert_eq!(breakpoints.run_back(&mut timeline, &first), StopReason::Breakpoint(0));
    assert_eq!(breakpoints.run_back(&mut timeline, &first), StopReason::Beginning);
}
