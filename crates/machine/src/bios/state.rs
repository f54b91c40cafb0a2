//! State that the BIOS keeps between traps, and helpers for its functions.

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
/// Bits of port 61h that enable channel 2 and connect it to the speaker.
const SPEAKER_ON: u32 = 0x03;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Bios {
    /// The cycle at which the beep of a BEL ends.
    beep_until: Option<u64>,
    /// The cycle at which the wait of INT 15h AH=86h ends.
    pub(super) wait_until: Option<u64>,
    pub(crate) mouse: Driver,
}

impl Bios {
    /// Returns the next time (in cycles) at which the BIOS has something to do, or `u64::MAX`.
    pub(crate) fn next_event(&self) -> u64 {
        self.beep_until.unwrap_or(u64::MAX)
    }

    /// Returns the time (in cycles) at which a wait in a stub ends, or `u64::MAX`.
    pub(crate) fn wake(&self) -> u64 {
        self.wait_until.unwrap_or(u64::MAX)
    }

    /// Ends the beep when it is due.
    pub(crate) fn advance(&mut self, hw: &mut Hardware, now: u64) {
        if self.beep_until.is_some_and(|end| end <= now) {
            self.end_beep(hw);
        }
    }

    /// Whether the beep of a BEL sounds.
    pub(crate) fn beeps(&self) -> bool {
        self.beep_until.is_some()
    }

    pub(crate) fn end_beep(&mut self, hw: &mut Hardware) {
        if self.beep_until.take().is_some() {
            let port = u32::from(hw.ppi.port_b());
            hw.output(0x61, Width::Byte, port & !SPEAKER_ON, hw.now());
        }
    }

    /// Starts the beep for a BEL. Unlike on a PC it does not delay the program. If the program
    /// itself has switched the speaker on, nothing changes.
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

/// A function: takes its arguments from the registers and returns its results in them.
pub(super) type Handler = fn(&mut Bios, &mut Guest<'_>) -> Resume;

/// A subfunction that needs only the registers and the board.
pub(super) type Subfunction = fn(&mut Registers, &mut Hardware);

/// Ends a function that reports success in CF.
pub(super) fn done(g: &mut Guest) -> Resume {
    g.set_caller_carry(false);
    Resume::Return
}

/// Ends a function that reports failure in CF.
pub(super) fn failed(g: &mut Guest) -> Resume {
    g.set_caller_carry(true);
    Resume::Return
}
