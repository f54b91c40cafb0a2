//! State that outlives a program, besides vectors and the screen.

use super::pc::Machine;
use crate::bios::{data, keyboard};
use crate::dos::{Dos, LastingSettings};
use crate::hardware::{IRQ_TIMER, SideEffect};
use std::ops::Range;

/// Bits of port 61h that enable the speaker.
const SPEAKER_BITS: u8 = 3;
/// Bits of the shift flags that persist: Scroll Lock, Num Lock, Caps Lock, Insert.
const LOCKS: u8 = 0xF0;
/// Request lines of both interrupt controllers.
const LINES: Range<u8> = 0..16;

/// State that outlives a program.
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
    /// Delay and rate of held keys: the typematic byte of the keyboard.
    pub typematic: u8,
    /// Whether an unread key is in the keyboard's ring.
    pub unread_key: bool,
    /// The BIOS data area. Bytes that the BIOS itself changes, or that other fields contain, are 0.
    pub bios_data: Vec<u8>,
    /// Memory and registers of the real-time clock, without the time.
    pub cmos: Vec<u8>,
    /// The settings of DOS.
    pub dos: LastingSettings,
}

/// Bytes of the BIOS data area that the BIOS changes with keys, time, the cursor and disks, or that
/// are compared otherwise.
const CHANGING: [Range<u32>; 5] = [
    data::SHIFT_FLAGS..data::VIDEO_MODE,
    data::ALL_CURSORS,
    data::TICKS..data::BREAK_FLAG + 1,
    data::FIXED_STATUS..data::FIXED_COUNT,
    data::KEYBOARD_STATUS..data::KEYBOARD_STATUS + 2,
];
const BIOS_DATA: Range<u32> = data::at(0)..data::at(0x100);

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
            typematic: hardware.keyboard.typematic(),
            unread_key: !keyboard::is_empty(hardware),
            bios_data: self.lasting_bios_data(),
            cmos: hardware.rtc.kept().to_vec(),
            dos: self.dos.lasting_settings(hardware),
        }
    }

    fn lasting_bios_data(&self) -> Vec<u8> {
        let kept = |at: u32| !CHANGING.iter().any(|range| range.contains(&at));
        BIOS_DATA.map(|at| if kept(at) { self.hardware.memory.read8(at) } else { 0 }).collect()
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
        Dos::keeps_memory_of(&self.hardware, psp)
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
        type Changed = fn(&Remains, &Remains) -> bool;
        let int_21: &[u8] = &[0xCD, 0x21];
        let rows: [(&str, u16, &[u8], Changed); 9] = [
            ("typematic", 0x0305, &[0x31, 0xDB, 0xCD, 0x16], |a, b| a.typematic != b.typematic),
            ("unread key", 0x0500, &[0xCD, 0x16], |a, b| (a.unread_key, b.unread_key) == (false, true)),
            // MOV ES, AX; MOV BYTE PTR ES:[00F0h], 5
            ("BIOS data", 0x0040, &[0x8E, 0xC0, 0x26, 0xC6, 0x06, 0xF0, 0x00, 0x05], |a, b| {
                b.bios_data[0xF0] == 5 && a.bios_data[..0xF0] == b.bios_data[..0xF0]
            }),
            // OUT 70h, AL; OUT 71h, AL
            ("CMOS", 0x0040, &[0xE6, 0x70, 0xE6, 0x71], |a, b| a.cmos != b.cmos),
            // MOV DL, 0
            ("drive", 0x0E00, &[0xB2, 0x00, 0xCD, 0x21], |a, b| a.dos.drive != b.dos.drive),
            ("break flag", 0x3301, &[0xB2, 0x01, 0xCD, 0x21], |a, b| a.dos.break_check != b.dos.break_check),
            ("verify flag", 0x2E01, &[0xB2, 0x00, 0xCD, 0x21], |a, b| a.dos.verify != b.dos.verify),
            // MOV BX, 2
            ("strategy", 0x5801, &[0xBB, 2, 0, 0xCD, 0x21], |a, b| a.dos.strategy != b.dos.strategy),
            ("nothing", 0x3000, int_21, |a, b| a == b),
        ];
        for (name, ax, code, changed) in rows {
            let [before, after] = ran(ax, code).map(|machine| machine.remains());
            assert!(changed(&before, &after), "{name}: {before:?} {after:?}");
        }
    }

    #[test]
    fn what_a_program_sends_and_sets() {
        let rows: [(u16, &[u8], Option<SideEffect>); 12] = [
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
        ];
        for (ax, code, effect) in rows {
            let [_, after] = ran(ax, code);
            assert_eq!(after.side_effect(), effect, "{ax:04X} {code:X?}");
        }
    }
}
