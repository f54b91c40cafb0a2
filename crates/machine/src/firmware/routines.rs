//! The machine code in the system ROM, and the initial interrupt vectors.
//!
//! The code is ours, written as bytes with the instruction beside it. Fixed addresses follow the
//! IBM PC/AT (reset at FFFF:0000, date at F000:FFF5, model byte at F000:FFFE), because programs use
//! them.

use super::{ROM_SEGMENT, stub};
use iced_x86::{Decoder, DecoderOptions, Mnemonic};

/// Length of a trap, `0F FF ib`.
pub(super) const TRAP_LENGTH: u16 = 3;
/// Offset of the waiting loop within a service stub.
pub(super) const WAIT_TAIL: u16 = 4;

/// IRQ 0: counts the tick, runs the program's 1Ch, acknowledges.
const TIMER: u16 = 0x2000;
/// IRQ 1: reads the scan code, passes it to INT 15h, translates it, acknowledges.
const KEYBOARD: u16 = 0x2040;
/// IRQ 2 to 7, and the slave's 8 to 15: acknowledges.
const MASTER_EOI: u16 = 0x20C0;
const SLAVE_EOI: u16 = 0x20D0;
/// IRQ 8: the real-time clock's alarm and periodic interrupts.
const RTC: u16 = 0x20E0;
/// IRQ 13: clears the coprocessor's error and raises the NMI that it was on the first PC.
const COPROCESSOR: u16 = 0x2180;
/// IRQ 12: the mouse driver, which calls the program's handler.
const MOUSE: u16 = 0x2140;
/// A lone IRET, for vectors that do nothing.
const IRET: u16 = 0x20F8;
/// A trap with its waiting loop that holds the machine during a pause.
const PAUSE: u16 = 0x2100;
/// The entry of XMS functions: a short jump with room for a hook, a trap, and a far return.
pub(super) const XMS: u16 = 0x2120;
/// Number of its trap; it is not used as an interrupt.
pub(crate) const XMS_TRAP: u8 = 0xF9;
/// The return address of a routine called by INT 67h AH=56h: a trap, and the INT's return.
pub(super) const EMS_RETURN: u16 = 0x2130;
/// Number of its trap; it is not used as an interrupt.
pub(crate) const EMS_RETURN_TRAP: u8 = 0xFA;
/// Number of the trap in the routine of the Pause key; it is not used as an interrupt.
pub(crate) const PAUSE_TRAP: u8 = 0xF8;

/// Returns the stub of a service: the trap, IRET, and the loop for [`super::Resume::Wait`].
pub(super) fn service_stub(vector: u8) -> [u8; 16] {
    [
        0x0F, 0xFF, vector, // trap
        0xCF,   // iret
        0xFB,   // sti              the waiting loop
        0xF4,   // hlt
        0xEB, 0xF8, // jmp trap
        0, 0, 0, 0, 0, 0, 0, 0,
    ]
}

/// Returns the routines that are longer than a stub, with their offsets.
pub(super) fn fixed() -> Vec<(u16, Vec<u8>)> {
    vec![
        (TIMER, timer()),
        (KEYBOARD, keyboard()),
        (MASTER_EOI, vec![0x50, 0xB0, 0x20, 0xE6, 0x20, 0x58, 0xCF]),
        (SLAVE_EOI, vec![0x50, 0xB0, 0x20, 0xE6, 0xA0, 0xE6, 0x20, 0x58, 0xCF]),
        (RTC, rtc()),
        (COPROCESSOR, coprocessor()),
        (MOUSE, mouse()),
        (IRET, vec![0xCF]),
        (PAUSE, service_stub(PAUSE_TRAP).to_vec()),
        // jmp short +3 / nop / nop / nop / trap / retf
        (XMS, vec![0xEB, 0x03, 0x90, 0x90, 0x90, 0x0F, 0xFF, XMS_TRAP, 0xCB]),
        // trap / iret
        (EMS_RETURN, vec![0x0F, 0xFF, EMS_RETURN_TRAP, 0xCF]),
        // FFFF:0000, where a reset starts: INT 19h, which boots.
        (0xFFF0, vec![0xCD, 0x19, 0xF4, 0xEB, 0xFD]),
        (0xFFF5, b"11/21/26\0".to_vec()),
        (0xFFFE, vec![0xFC, 0x00]), // model FCh: PC/AT
    ]
}

/// Returns the number of words that a routine has pushed when it reaches an offset. Code after its
/// end is reached only with all of them pushed.
pub(super) fn pushed(offset: u16) -> u16 {
    if offset < TIMER {
        // The stubs of services push nothing.
        return 0;
    }
    let holds =
        |start: u16, code: &[u8]| offset.checked_sub(start).is_some_and(|at| usize::from(at) < code.len());
    let Some((start, code)) = fixed().into_iter().find(|(start, code)| holds(*start, code)) else { return 0 };
    let (mut words, mut most) = (0, 0);
    let mut at = 0;
    while at < offset - start {
        let instruction = Decoder::new(16, &code[usize::from(at)..], DecoderOptions::NONE).decode();
        let is_trap = code[usize::from(at)..].starts_with(&[0x0F, 0xFF]);
        at += if is_trap { TRAP_LENGTH } else { instruction.len().max(1) as u16 };
        match instruction.mnemonic() {
            Mnemonic::Push => words += 1,
            Mnemonic::Pop => words -= 1,
            Mnemonic::Iret => words = most,
            _ => {}
        }
        most = most.max(words);
    }
    words
}

fn timer() -> Vec<u8> {
    vec![
        0xFB, // sti
        0x1E, 0x52, 0x50, // push ds / dx / ax
        0x0F, 0xFF, 0x08, // trap 08h: the tick count
        0xCD, 0x1C, // int 1Ch
        0xFA, // cli
        0xB0, 0x20, // mov al, 20h
        0xE6, 0x20, // out 20h, al
        0x58, 0x5A, 0x1F, // pop ax / dx / ds
        0xCF, // iret
    ]
}

/// The trap returns in AH what follows: 0 nothing, 1 INT 1Bh (Ctrl-Break), 2 INT 05h (print
/// screen), 3 the pause.
fn keyboard() -> Vec<u8> {
    let [pause_low, pause_high] = PAUSE.to_le_bytes();
    let [segment_low, segment_high] = ROM_SEGMENT.to_le_bytes();
    vec![
        0xFB, // 00 sti
        0x50, // 01 push ax
        0xE4,
        0x60, // 02 in al, 60h
        0xB4,
        0x4F, // 04 mov ah, 4Fh
        0xF9, // 06 stc
        0xCD,
        0x15, // 07 int 15h
        0x73,
        0x05, // 09 jnc +5
        0x0F,
        0xFF,
        0x09, // 0B trap 09h
        0xEB,
        0x02, // 0E jmp +2
        0xB4,
        0x00, // 10 mov ah, 0
        0xFA, // 12 cli
        0xB0,
        0x20, // 13 mov al, 20h
        0xE6,
        0x20, // 15 out 20h, al
        0x80,
        0xFC,
        0x01, // 17 cmp ah, 1
        0x72,
        0x0D, // 1A jb end
        0x77,
        0x04, // 1C ja not_break
        0xCD,
        0x1B, // 1E int 1Bh
        0xEB,
        0x07, // 20 jmp end
        // 22 not_break: the comparison with 3 (the pause)
        0x80,
        0xFC,
        0x03, // 22 cmp ah, 3
        0x74,
        0x04, // 25 je pause
        0xCD,
        0x05, // 27 int 05h
        // 29 end:
        0x58, // 29 pop ax
        0xCF, // 2A iret
        // 2B pause:
        0x9C, // 2B pushf
        0x9A,
        pause_low,
        pause_high,
        segment_low,
        segment_high, // 2C call far PAUSE
        0xEB,
        0xF6, // 31 jmp end
    ]
}

/// The trap returns in AH whether the alarm time has been reached: then INT 4Ah follows.
fn rtc() -> Vec<u8> {
    vec![
        0x50, // push ax
        0x0F, 0xFF, 0x70, // trap 70h
        0x0A, 0xE4, // or ah, ah
        0x74, 0x02, // jz +2
        0xCD, 0x4A, // int 4Ah
        0xB0, 0x20, // mov al, 20h
        0xE6, 0xA0, // out A0h, al
        0xE6, 0x20, // out 20h, al
        0x58, 0xCF, // pop ax / iret
    ]
}

/// The trap takes a report of the mouse. If the program's handler must be called, the trap jumps
/// to it, with the address after the trap on the stack.
fn mouse() -> Vec<u8> {
    vec![
        0x50, 0x53, 0x51, 0x52, // push ax / bx / cx / dx
        0x56, 0x57, 0x55, 0x1E, 0x06, // push si / di / bp / ds / es
        0xB0, 0x20, // mov al, 20h
        0xE6, 0xA0, // out A0h, al
        0xE6, 0x20, // out 20h, al
        0xFC, // cld
        0x0F, 0xFF, 0x74, // trap 74h
        0x07, 0x1F, 0x5D, 0x5F, 0x5E, // pop es / ds / bp / di / si
        0x5A, 0x59, 0x5B, 0x58, // pop dx / cx / bx / ax
        0xCF, // iret
    ]
}

fn coprocessor() -> Vec<u8> {
    vec![
        0x50, // push ax
        0x30, 0xC0, // xor al, al
        0xE6, 0xF0, // out F0h, al
        0xB0, 0x20, // mov al, 20h
        0xE6, 0xA0, // out A0h, al
        0xE6, 0x20, // out 20h, al
        0x58, // pop ax
        0xCD, 0x02, // int 02h
        0xCF, // iret
    ]
}

/// Returns the initial vector, set by the BIOS (or DOS, for 20h and up): segment and offset.
const fn initial_vector(vector: u8) -> (u16, u16) {
    let offset = match vector {
        0x08 => TIMER,
        0x09 => KEYBOARD,
        0x0A | 0x0B | 0x0E | 0x0F => MASTER_EOI,
        0x70 => RTC,
        0x74 => MOUSE,
        0x75 => COPROCESSOR,
        0x71..=0x77 => SLAVE_EOI,
        // Debugger traps, overflow, print screen, timer tick and alarm: an IRET.
        0x01..=0x05 | 0x1C | 0x4A => IRET,
        // Pointers to tables (1Dh to 1Fh, 41h, 43h, 46h), set by the owner of the table; free
        // vectors are zero.
        0x1D..=0x1F | 0x41 | 0x43 | 0x46 | 0x60..=0x67 | 0xF1..=0xFF => return (0, 0),
        _ => stub(vector),
    };
    (ROM_SEGMENT, offset)
}

/// The initial interrupt vectors as they are in memory.
pub(super) static VECTORS: [[u8; 4]; 256] = {
    let mut vectors = [[0; 4]; 256];
    let mut vector = 0;
    while vector < vectors.len() {
        let (segment, offset) = initial_vector(vector as u8);
        vectors[vector] = ((segment as u32) << 16 | offset as u32).to_le_bytes();
        vector += 1;
    }
    vectors
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routines_do_not_overlap() {
        let mut spans: Vec<(u16, usize)> = fixed().iter().map(|(at, code)| (*at, code.len())).collect();
        spans.push((stub(0), 4096));
        spans.sort();
        for pair in spans.windows(2) {
            assert!(usize::from(pair[0].0) + pair[0].1 <= usize::from(pair[1].0), "{pair:04X?}");
        }
    }

    #[test]
    fn jumps_of_the_keyboard_routine_meet_their_labels() {
        let code = keyboard();
        for (at, target) in
            [(0x09, 0x10), (0x0E, 0x12), (0x1A, 0x29), (0x1C, 0x22), (0x20, 0x29), (0x25, 0x2B), (0x31, 0x29)]
        {
            let end = at + 2;
            assert_eq!((end as i32 + i32::from(code[at + 1] as i8)) as usize, target, "jump at {at:02X}");
        }
    }
}
