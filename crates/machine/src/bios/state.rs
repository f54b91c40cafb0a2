//! What the BIOS remembers between traps, and how a function of it answers.

use super::mouse::state::Driver;
use crate::{
    firmware::{Guest, Resume},
    hardware::Hardware,
};
use oxbox_cpu::{Bus, Registers, Width};
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
    pub(super) wait_until: Option<u64>,
    pub(crate) mouse: Driver,
}

impl Bios {
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
            self.end_beep(hw);
        }
    }

    /// Ends the beep, if there is one.
    pub(crate) fn end_beep(&mut self, hw: &mut Hardware) {
        if self.beep_until.take().is_some() {
            let port = u32::from(hw.ppi.port_b());
            hw.output(0x61, Width::Byte, port & !SPEAKER_ON, hw.now());
        }
    }

    /// BEL was written: starts the beep. Unlike a PC's it does not hold the program up; a speaker that the program itself
    /// has switched on is left alone.
    pub(super) fn beep(&mut self, hw: &mut Hardware) {
        let now = hw.now();
        let port = u32::from(hw.ppi.port_b());
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
pub(super) type Handler = fn(&mut Bios, &mut Guest<'_>) -> Resume;

/// A subfunction that needs the registers and the board alone.
pub(super) type Subfunction = fn(&mut Registers, &mut Hardware);

/// A function that tells its success by CF is done.
pub(super) fn done(g: &mut Guest) -> Resume {
    g.set_caller_carry(false);
    Resume::Return
}

/// A function that tells its success by CF has failed.
pub(super) fn failed(g: &mut Guest) -> Resume {
    g.set_caller_carry(true);
    Resume::Return
}
