//! State that outlives a program, and effects outside the machine, besides vectors, the screen and
//! [`SystemState`](super::SystemState).

use super::pc::Machine;
use crate::bios::{data, keyboard};
use crate::dos::Dos;
use crate::hardware::{IRQ_TIMER, SideEffect};
use std::ops::Range;

/// Bits of port 61h that enable the speaker.
const SPEAKER_BITS: u8 = 3;
/// Bits of the shift flags that persist: Scroll Lock, Num Lock, Caps Lock, Insert.
const LOCKS: u8 = 0xF0;
/// Request lines of both interrupt controllers.
const LINES: Range<u8> = 0..16;

/// State that outlives a program and has its own rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remains {
    /// Whether the speaker is on: bits 0 and 1 of port 61h. The beep of a BEL ends by itself and does
    /// not count.
    pub speaker: u8,
    /// The divisor of the system timer.
    pub timer: u32,
    /// For each interrupt request line, whether it is unmasked.
    pub interrupts: u16,
    /// Scroll Lock, Num Lock, Caps Lock and Insert, as in the BIOS's shift flags.
    pub locks: u8,
    /// Whether address line 20 is enabled.
    pub a20: bool,
    /// Whether an unread key is in the keyboard's ring.
    pub unread_key: bool,
}

impl Machine {
    /// Returns the state that would remain if the program ended now.
    pub fn remains(&self) -> Remains {
        let hardware = &self.hardware;
        let let_through = |bits: u16, irq: u8| bits | u16::from(hardware.pic.enabled(irq)) << irq;
        Remains {
            speaker: if self.bios.beeps() { 0 } else { hardware.ppi.port_b() & SPEAKER_BITS },
            timer: hardware.pit.timer().count(),
            interrupts: LINES.fold(0, let_through),
            locks: hardware.memory.read8(data::SHIFT_FLAGS) & LOCKS,
            a20: hardware.a20(),
            unread_key: !keyboard::is_empty(hardware),
        }
    }

    /// Returns the bytes that were added to folders; a new file or folder counts as a cluster.
    pub fn added_to_drives(&self) -> u64 {
        self.dos.added_to_drives()
    }

    /// Returns the BIOS tick count, and the virtual time in nanoseconds.
    pub fn ticks_and_time(&self) -> (u32, u64) {
        (self.hardware.memory.read32(data::TICKS), self.nanoseconds())
    }

    /// Whether the timer's interrupt is masked: then the BIOS clock does not count.
    pub fn stops_clock(&self) -> bool {
        !self.hardware.pic.enabled(IRQ_TIMER)
    }

    /// Returns the first effect of the program since [`Machine::watch`] that neither the screen nor the
    /// speaker, the files or memory show.
    pub fn side_effect(&self) -> Option<SideEffect> {
        self.hardware.side_effect()
    }

    /// Whether a memory block belongs to the program whose PSP is at a segment.
    pub fn keeps_memory_of(&self, psp: u16) -> bool {
        Dos::first_block_of(&self.hardware, psp).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Config, Until};

    /// Runs code that begins with MOV AX, `ax`, and then ends with INT 20h. Returns the machine before and
    /// after.
    fn ran(ax: u16, code: &[u8]) -> [Machine; 2] {
        let program = [&[0xB8], &ax.to_le_bytes()[..], code, &[0xCD, 0x20]].concat();
        [false, true].map(|runs| {
            let mut machine = Machine::start(&Config::default(), &program, "X.COM", "").expect("no folder");
            machine.watch(&Default::default());
            if runs {
                machine.run(&Until::KEY_WAIT, &mut ());
            }
            machine
        })
    }

    #[test]
    fn what_outlives_a_program() {
        let rows: [(&str, u16, &[u8]); 15] = [
            ("keyboard.device.typematic of devices", 0x0305, &[0x31, 0xDB, 0xCD, 0x16]),
            // MOV ES, AX; MOV BYTE PTR ES:[00F0h], 5
            ("the BIOS data at 0040:00F0", 0x0040, &[0x8E, 0xC0, 0x26, 0xC6, 0x06, 0xF0, 0x00, 0x05]),
            // The byte at 0080:0026
            ("the memory of DOS at 0082:0006", 0x0080, &[0x8E, 0xC0, 0x26, 0xFE, 0x06, 0x26, 0x00]),
            // OUT 70h, AL; OUT 71h, AL
            ("rtc.memory of devices", 0x0040, &[0xE6, 0x70, 0xE6, 0x71]),
            // MOV DL, 0
            ("the current drive", 0x0E00, &[0xB2, 0x00, 0xCD, 0x21]),
            ("the break flag", 0x3301, &[0xB2, 0x01, 0xCD, 0x21]),
            ("settings.verify of DOS", 0x2E01, &[0xB2, 0x00, 0xCD, 0x21]),
            // MOV BX, 2
            ("settings.strategy of DOS", 0x5801, &[0xBB, 2, 0, 0xCD, 0x21]),
            // OUT 60h, AL; MOV CX, AX; LOOP $; MOV AL, 7; OUT 60h, AL
            (
                "keyboard.device.lights of devices",
                0x10ED,
                &[0xE6, 0x60, 0x89, 0xC1, 0xE2, 0xFE, 0xB0, 7, 0xE6, 0x60],
            ),
            // OUT 64h, AL
            ("keyboard.ram.0 of devices", 0x00AD, &[0xE6, 0x64]),
            // OUT 43h, AL; OUT 40h, AL twice
            ("pit.counters.0.control of devices", 0x0034, &[0xE6, 0x43, 0xE6, 0x40, 0xE6, 0x40]),
            // MOV BX, 4; INT 67h
            ("ems.handles of DOS", 0x4300, &[0xBB, 4, 0, 0xCD, 0x67]),
            // MOV BX, 1; MOV DX, 00F3h; INT 21h: raw output
            ("disk.files.1.flags of DOS", 0x4401, &[0xBB, 1, 0, 0xBA, 0xF3, 0, 0xCD, 0x21]),
            ("nothing", 0x3000, &[0xCD, 0x21]),
            ("nothing", 0x0E41, &[0xCD, 0x10]),
        ];
        for (changed, ax, code) in rows {
            let [before, after] = ran(ax, code);
            let found = after.changed_system(&before.system_state());
            assert_eq!(found.as_deref().unwrap_or("nothing"), changed, "{code:X?}");
        }
    }

    #[test]
    fn an_unread_key() {
        let [before, after] = ran(0x0500, &[0xCD, 0x16]);
        assert_eq!([before, after].map(|machine| machine.remains().unread_key), [false, true]);
    }

    #[test]
    fn what_a_program_sends_and_sets() {
        let rows: [(u16, &[u8], Option<SideEffect>); 16] = [
            (0x0041, &[0x31, 0xD2, 0xCD, 0x17], Some(SideEffect::Printer)),
            (0x0200, &[0x31, 0xD2, 0xCD, 0x17], None),
            (0x0141, &[0x31, 0xD2, 0xCD, 0x14], Some(SideEffect::SerialPort)),
            (0x0500, &[0xCD, 0x21], Some(SideEffect::Printer)),
            (0x0400, &[0xCD, 0x21], Some(SideEffect::SerialPort)),
            // One byte to handle 4, and to handle 3; DX is 0: MOV BX, n; MOV CX, 1
            (0x4000, &[0xBB, 4, 0, 0xB9, 1, 0, 0xCD, 0x21], Some(SideEffect::Printer)),
            (0x4000, &[0xBB, 3, 0, 0xB9, 1, 0, 0xCD, 0x21], Some(SideEffect::SerialPort)),
            // MOV DX, 378h; OUT DX, AL
            (0x0041, &[0xBA, 0x78, 0x03, 0xEE], Some(SideEffect::Printer)),
            (0x2D00, &[0x31, 0xC9, 0x31, 0xD2, 0xCD, 0x21], Some(SideEffect::Clock)),
            (0x0100, &[0x31, 0xC9, 0x31, 0xD2, 0xCD, 0x1A], Some(SideEffect::Clock)),
            // The hours of the real-time clock: OUT 70h, AL; OUT 71h, AL
            (0x0004, &[0xE6, 0x70, 0xE6, 0x71], Some(SideEffect::Clock)),
            (0x0A41, &[0xCD, 0x10], None),
            (0x0E41, &[0xCD, 0x10], Some(SideEffect::Text)),
            (0x0E07, &[0xCD, 0x10], Some(SideEffect::Text)),
            // MOV DL, 7
            (0x0200, &[0xB2, 0x07, 0xCD, 0x21], None),
            (0x0200, &[0xB2, 0x41, 0xCD, 0x21], None),
        ];
        for (ax, code, effect) in rows {
            let [_, after] = ran(ax, code);
            assert_eq!(after.side_effect(), effect, "{ax:04X} {code:X?}");
        }
    }
}
