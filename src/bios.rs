//! The BIOS: what the firmware traps 05h to 1Ch and 70h do.
//!
//! Services work on the registers, on the data area at 0040: and on the chips' ports, as the code in a ROM would.
//! The little state that a ROM would keep on its stack or in loops is in [`Bios`].

pub(crate) mod data;
mod equipment;
mod interrupts;
pub(crate) mod keyboard;
mod system_services;
pub(crate) mod timer;
pub(crate) mod us_keyboard;
pub(crate) mod video;

pub(crate) use interrupts::names_of;

use crate::cpu::{Bus, Width};
use crate::firmware::{Guest, Resume};
use crate::hardware::{Hardware, IRQ_COPROCESSOR};
use serde::{Deserialize, Serialize};

/// Length of the BIOS's beep in milliseconds of virtual time.
const BEEP_MS: u64 = 250;
/// Divisor of the beep: 1193182 / 1331 = 896 Hz.
const BEEP_DIVISOR: u16 = 1331;
/// Bits of port 61h that gate channel 2 and let it to the speaker.
const SPEAKER_ON: u32 = 0x03;

/// What the BIOS remembers between traps.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Bios {
    /// Cycle at which the beep of a BEL ends.
    beep_until: Option<u64>,
    /// Cycle at which the wait of INT 15h AH=86h is over.
    wait_until: Option<u64>,
}

impl Bios {
    /// Power-on: programs the chips, fills the data area, sets the video mode.
    pub(crate) fn init(&mut self, hw: &mut Hardware) {
        *self = Bios::default();
        program_chips(hw);
        data::init(hw);
        system_services::init(hw);
        video::init(hw);
        timer::init(hw);
    }

    /// The power-on test has found a coprocessor: the equipment word and the CMOS memory say so, and IRQ 13 is open.
    pub(crate) fn add_coprocessor(&self, hw: &mut Hardware) {
        data::add_coprocessor(hw);
        unmask(hw, IRQ_COPROCESSOR);
    }

    /// The next instant (in cycles) at which the BIOS has something to do, or `u64::MAX`.
    pub(crate) fn next_event(&self) -> u64 {
        self.beep_until.unwrap_or(u64::MAX)
    }

    /// The instant (in cycles) at which a wait in a stub is over, or `u64::MAX`.
    pub(crate) fn wake(&self) -> u64 {
        self.wait_until.unwrap_or(u64::MAX)
    }

    /// Ends the beep when its time has come.
    pub(crate) fn advance(&mut self, hw: &mut Hardware, now: u64) {
        if self.beep_until.is_some_and(|end| end <= now) {
            self.beep_until = None;
            let port = hw.input(0x61, Width::Byte, now);
            hw.output(0x61, Width::Byte, port & !SPEAKER_ON, now);
        }
    }

    /// BEL was written: starts the beep. Unlike a PC's it does not hold the program up; a speaker that the program itself
    /// has switched on is left alone.
    fn beep(&mut self, hw: &mut Hardware) {
        let now = hw.now();
        let port = hw.input(0x61, Width::Byte, now);
        if self.beep_until.is_none() && port & SPEAKER_ON == SPEAKER_ON {
            return;
        }
        let [low, high] = BEEP_DIVISOR.to_le_bytes();
        for (port, value) in
            [(0x43, 0xB6), (0x42, u32::from(low)), (0x42, u32::from(high)), (0x61, port | SPEAKER_ON)]
        {
            hw.output(port, Width::Byte, value, now);
        }
        let end = hw.clock.nanoseconds(now) + BEEP_MS * 1_000_000;
        self.beep_until = Some(hw.clock.cycle_at_nanoseconds(end));
    }
}

/// A function: does what it is asked by the registers, and answers in them.
type Handler = fn(&mut Bios, &mut Guest<'_>) -> Resume;

/// A function that tells its success by CF is done.
fn done(g: &mut Guest) -> Resume {
    g.set_caller_carry(false);
    Resume::Return
}

/// A function that tells its success by CF has failed.
fn failed(g: &mut Guest) -> Resume {
    g.set_caller_carry(true);
    Resume::Return
}

/// Opens an interrupt line at its controller.
fn unmask(hw: &mut Hardware, irq: u8) {
    let now = hw.now();
    let (port, bit) = if irq < 8 { (0x21, irq) } else { (0xA1, irq - 8) };
    let mask = hw.input(port, Width::Byte, now) & !(1 << bit);
    hw.output(port, Width::Byte, mask, now);
}

/// Interrupt controllers at 08h and 70h with timer, keyboard and cascade open; timer channel 0 at 18.2 Hz, 1 for the
/// refresh, 2 for the speaker: all three left in the modes that an AT's power-on test leaves.
fn program_chips(hw: &mut Hardware) {
    const SEQUENCE: [(u16, u8); 20] = [
        (0x20, 0x11),
        (0x21, 0x08),
        (0x21, 0x04),
        (0x21, 0x01),
        (0xA0, 0x11),
        (0xA1, 0x70),
        (0xA1, 0x02),
        (0xA1, 0x01),
        (0x21, 0xB8),
        (0xA1, 0xFF),
        (0x43, 0x36),
        (0x40, 0x00),
        (0x40, 0x00),
        (0x43, 0x54),
        (0x41, 0x12),
        (0x43, 0xB6),
        (0x42, 0x33),
        (0x42, 0x05),
        (0x64, 0x60), // keyboard controller's command byte: IRQ 1, system flag, translation
        (0x60, 0x45),
    ];
    let now = hw.now();
    for (port, value) in SEQUENCE {
        hw.output(port, Width::Byte, u32::from(value), now);
    }
}
