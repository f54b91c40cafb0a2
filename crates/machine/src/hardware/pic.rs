//! The two interrupt controllers: a master for IRQ 0 to 7, and a slave for IRQ 8 to 15 on the
//! master's input 2.
//!
//! Invariant: after every method, the master's input 2 has the level of the slave's INT output.

mod controller;

#[cfg(test)]
mod tests;

use controller::{Acknowledged, Controller};

use serde::{Deserialize, Serialize};

const CASCADE: u8 = 2;

/// The 8259A pair of an AT.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pic {
    master: Controller,
    slave: Controller,
}

impl Pic {
    /// Returns the controllers after power-on, before the BIOS has initialised them.
    pub(crate) fn new() -> Self {
        Pic::default()
    }

    /// Sets the level of request line `irq` (0 to 15). Line 2 is the cascade and cannot be set from
    /// outside: on an AT its pin is line 9.
    pub(crate) fn set_irq(&mut self, irq: u8, high: bool) {
        match irq {
            CASCADE => self.set_irq(9, high),
            0..8 => self.master.set_input(irq, high),
            _ if self.slave.input(irq & 7) == high => {}
            _ => {
                self.slave.set_input(irq & 7, high);
                self.cascade();
            }
        }
    }

    /// Whether line `irq` (0 to 7) has a request.
    pub(crate) fn requests(&self, irq: u8) -> bool {
        self.master.irr() >> irq & 1 != 0
    }

    /// Sets line `irq` (0 to 7) high as if its request had been served.
    pub(crate) fn set_served(&mut self, irq: u8) {
        self.master.set_served(irq);
    }

    /// Whether a request on line `irq` (0 to 15) can reach the processor: no mask blocks it.
    pub(crate) fn enabled(&self, irq: u8) -> bool {
        match irq {
            0..8 => self.master.enabled(irq),
            _ => self.slave.enabled(irq & 7) && self.master.enabled(CASCADE),
        }
    }

    /// The requests in service, IRQ 0 in the lowest bit: acknowledged, but not yet ended by an EOI.
    pub(crate) fn in_service(&self) -> u16 {
        u16::from_le_bytes([self.master.isr(), self.slave.isr()])
    }

    pub(crate) fn intr(&self) -> bool {
        self.master.int()
    }

    /// Acknowledges the interrupt. Returns its vector.
    pub(crate) fn acknowledge(&mut self) -> u8 {
        let Acknowledged { level, vector } = self.master.acknowledge();
        if level != CASCADE || !self.master.has_slave(CASCADE) {
            return vector;
        }
        let vector = self.slave.acknowledge().vector;
        // The slave's INT falls at its acknowledge: a further request of the slave is a new edge
        // for the master.
        self.master.set_input(CASCADE, false);
        self.cascade();
        vector
    }

    /// IN from 20h, 21h, A0h or A1h.
    pub(crate) fn input(&mut self, port: u16) -> u8 {
        let value = match port {
            0x20 => self.master.read_command(),
            0x21 => self.master.read_data(),
            0xA0 => self.slave.read_command(),
            _ => self.slave.read_data(),
        };
        self.cascade();
        value
    }

    /// OUT to 20h, 21h, A0h or A1h.
    pub(crate) fn output(&mut self, port: u16, value: u8) {
        match port {
            0x20 => self.master.write_command(value),
            0x21 => self.master.write_data(value),
            0xA0 => self.slave.write_command(value),
            _ => self.slave.write_data(value),
        }
        self.cascade();
    }

    fn cascade(&mut self) {
        self.master.set_input(CASCADE, self.slave.int());
    }
}
