//! Port 61h: the part of the XT's 8255 port B that an AT has.
//!
//! Bits 0 to 3 are written and read back. Bit 4 changes with each memory refresh, bit 5 is OUT 2 of
//! the timer. Bits 6 and 7 report memory errors and are always 0. Source: IBM AT Technical
//! Reference, "System Board I/O".

use serde::{Deserialize, Serialize};

/// The register at port 61h.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ppi {
    port_b: u8,
    refresh: bool,
}

impl Ppi {
    /// Returns the register with all bits low.
    pub(crate) fn new() -> Self {
        Ppi::default()
    }

    /// Returns bit 0: GATE of the timer's counter 2.
    pub(crate) fn timer_gate(&self) -> bool {
        self.port_b & 1 != 0
    }

    /// Returns bit 1: passes OUT 2 to the speaker.
    pub(crate) fn speaker_data(&self) -> bool {
        self.port_b & 2 != 0
    }

    /// Counts memory refreshes: counter 1 has requested `requests` of them.
    pub(crate) fn count_refresh(&mut self, requests: u64) {
        self.refresh ^= requests & 1 != 0;
    }

    /// Lowers the refresh bit.
    pub(crate) fn end_refresh(&mut self) {
        self.refresh = false;
    }

    /// Returns the value that was last written.
    pub(crate) fn port_b(&self) -> u8 {
        self.port_b
    }

    /// IN from 61h; `timer_out` is OUT 2.
    pub(crate) fn read(&self, timer_out: bool) -> u8 {
        self.port_b | u8::from(self.refresh) << 4 | u8::from(timer_out) << 5
    }

    /// OUT to 61h.
    pub(crate) fn write(&mut self, value: u8) {
        self.port_b = value & 0x0F;
    }
}
