//! One 8259A: eight requests in, one interrupt out.
//!
//! Terms and names follow Intel's data sheet 231468: IRR holds the requests, ISR the interrupts in
//! service, IMR the masks. In edge mode a request is a low-to-high edge that lasts while its input
//! stays high: an input that falls before the acknowledge causes a spurious IR7.

use serde::{Deserialize, Serialize};

/// The level that is acknowledged when the request has disappeared.
const SPURIOUS: u8 = 7;

/// The initialisation command word that the next write to the odd address contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Expected {
    /// No ICW is expected: the write is OCW1, the mask.
    Mask,
    Icw2,
    Icw3,
    Icw4,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Controller {
    /// Levels of IR0 to IR7.
    inputs: u8,
    /// Edges on inputs that are still high.
    edges: u8,
    in_service: u8,
    mask: u8,
    icw1: u8,
    icw2: u8,
    icw3: u8,
    icw4: u8,
    expected: Expected,
    initialized: bool,
    /// The level with the lowest priority. The next one (modulo 8) has the highest.
    lowest: u8,
    special_mask: bool,
    rotate_on_automatic_eoi: bool,
    read_in_service: bool,
    poll: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Acknowledged {
    /// The level, 0 to 7.
    pub(super) level: u8,
    /// The vector for an 8086.
    pub(super) vector: u8,
}

impl Controller {
    /// Returns a controller after power-on, which ignores requests before its initialisation.
    pub(super) fn new() -> Self {
        Controller {
            inputs: 0,
            edges: 0,
            in_service: 0,
            mask: 0,
            icw1: 0,
            icw2: 0,
            icw3: 0,
            icw4: 0,
            expected: Expected::Mask,
            initialized: false,
            lowest: 7,
            special_mask: false,
            rotate_on_automatic_eoi: false,
            read_in_service: false,
            poll: false,
        }
    }

    /// Sets the level of input `level` (0 to 7).
    pub(super) fn set_input(&mut self, level: u8, high: bool) {
        let bit = 1 << (level & 7);
        if high {
            self.edges |= bit & !self.inputs;
            self.inputs |= bit;
        } else {
            self.edges &= !bit;
            self.inputs &= !bit;
        }
    }

    /// Sets input `level` (0 to 7) high as if its edge had been served.
    pub(super) fn set_served(&mut self, level: u8) {
        self.inputs |= 1 << (level & 7);
    }

    /// Returns the level of input `level` (0 to 7).
    pub(super) fn input(&self, level: u8) -> bool {
        self.inputs >> (level & 7) & 1 != 0
    }

    /// Returns IRR, the interrupt request register.
    pub(super) fn irr(&self) -> u8 {
        if self.icw1 & 0x08 != 0 { self.inputs } else { self.edges }
    }

    /// Returns ISR, the in-service register.
    pub(super) fn isr(&self) -> u8 {
        self.in_service
    }

    /// Whether requests of this level can reach the processor: initialised and not masked.
    pub(super) fn enabled(&self, level: u8) -> bool {
        self.initialized && self.mask >> (level & 7) & 1 == 0
    }

    /// Returns the level of the INT output.
    pub(super) fn int(&self) -> bool {
        self.request().is_some()
    }

    /// Whether a slave is connected to this input (ICW3 of a master).
    pub(super) fn has_slave(&self, level: u8) -> bool {
        self.icw1 & 0x02 == 0 && self.icw3 >> (level & 7) & 1 != 0
    }

    /// Interrupt acknowledge: puts the request with the highest priority into service. Without a
    /// request, returns the spurious level 7, which is not put into service.
    pub(super) fn acknowledge(&mut self) -> Acknowledged {
        let level = match self.request() {
            Some(level) => {
                self.serve(level);
                level
            }
            None => SPURIOUS,
        };
        Acknowledged { level, vector: self.vector(level) }
    }

    /// Reads the even address (A0 = 0): IRR or ISR as selected by OCW3, or the poll word.
    pub(super) fn read_command(&mut self) -> u8 {
        if self.poll {
            return self.read_poll();
        }
        if self.read_in_service { self.isr() } else { self.irr() }
    }

    /// Reads the odd address (A0 = 1): IMR, or the poll word.
    pub(super) fn read_data(&mut self) -> u8 {
        if self.poll { self.read_poll() } else { self.mask }
    }

    /// Writes the even address (A0 = 0): ICW1, OCW2 or OCW3.
    pub(super) fn write_command(&mut self, value: u8) {
        match value & 0x18 {
            _ if value & 0x10 != 0 => self.icw1(value),
            0x00 => self.ocw2(value),
            _ => self.ocw3(value),
        }
    }

    /// Writes the odd address (A0 = 1): ICW2 to ICW4 in turn, then OCW1.
    pub(super) fn write_data(&mut self, value: u8) {
        match self.expected {
            Expected::Mask => self.mask = value,
            Expected::Icw2 => {
                self.icw2 = value;
                self.expect_after_icw2();
            }
            Expected::Icw3 => {
                self.icw3 = value;
                self.expect_after_icw3();
            }
            Expected::Icw4 => {
                self.icw4 = value;
                self.expect(Expected::Mask);
            }
        }
    }

    fn icw1(&mut self, value: u8) {
        self.icw1 = value;
        self.icw4 = 0;
        self.edges = 0;
        self.mask = 0;
        self.lowest = 7;
        self.special_mask = false;
        self.read_in_service = false;
        self.poll = false;
        // The data sheet does not say so, but an initialisation clears ISR and the rotation.
        self.in_service = 0;
        self.rotate_on_automatic_eoi = false;
        self.expect(Expected::Icw2);
    }

    fn expect_after_icw2(&mut self) {
        if self.icw1 & 0x02 == 0 { self.expect(Expected::Icw3) } else { self.expect_after_icw3() }
    }

    fn expect_after_icw3(&mut self) {
        self.expect(if self.icw1 & 0x01 != 0 { Expected::Icw4 } else { Expected::Mask });
    }

    fn expect(&mut self, next: Expected) {
        self.expected = next;
        self.initialized = next == Expected::Mask;
    }

    fn ocw2(&mut self, value: u8) {
        let level = value & 7;
        match value >> 5 {
            0b000 => self.rotate_on_automatic_eoi = false,
            0b001 => {
                self.non_specific_eoi();
            }
            0b011 => self.in_service &= !(1 << level),
            0b100 => self.rotate_on_automatic_eoi = true,
            0b101 => {
                if let Some(ended) = self.non_specific_eoi() {
                    self.lowest = ended;
                }
            }
            0b110 => self.lowest = level,
            0b111 => {
                self.in_service &= !(1 << level);
                self.lowest = level;
            }
            _ => {}
        }
    }

    fn ocw3(&mut self, value: u8) {
        if value & 0x40 != 0 {
            self.special_mask = value & 0x20 != 0;
        }
        if value & 0x04 != 0 {
            self.poll = true;
        } else if value & 0x02 != 0 {
            self.read_in_service = value & 0x01 != 0;
        }
    }

    /// Ends the level in service with the highest priority; in special mask mode skips masked ones.
    fn non_specific_eoi(&mut self) -> Option<u8> {
        let level = self.highest(self.blocking())?;
        self.in_service &= !(1 << level);
        Some(level)
    }

    fn read_poll(&mut self) -> u8 {
        self.poll = false;
        match self.request() {
            Some(level) => {
                self.serve(level);
                0x80 | level
            }
            None => 0,
        }
    }

    /// Returns the next level to serve, if its priority is above all that are in service.
    fn request(&self) -> Option<u8> {
        if !self.initialized {
            return None;
        }
        let level = self.highest(self.irr() & !self.mask)?;
        let mut blocking = self.blocking();
        if self.icw4 & 0x10 != 0 && self.has_slave(level) {
            // Special fully nested mode: a slave in service may request again for a higher level of
            // its own.
            blocking &= !(1 << level);
        }
        match self.highest(blocking) {
            Some(serving) if self.priority(serving) <= self.priority(level) => None,
            _ => Some(level),
        }
    }

    /// Returns the levels in service that block others.
    fn blocking(&self) -> u8 {
        if self.special_mask { self.in_service & !self.mask } else { self.in_service }
    }

    fn serve(&mut self, level: u8) {
        self.edges &= !(1 << level);
        if self.icw4 & 0x02 == 0 {
            self.in_service |= 1 << level;
        } else if self.rotate_on_automatic_eoi {
            self.lowest = level;
        }
    }

    fn vector(&self, level: u8) -> u8 {
        self.icw2 & 0xF8 | level
    }

    /// Returns the priority of a level; 0 is the highest.
    fn priority(&self, level: u8) -> u8 {
        level.wrapping_sub(self.lowest).wrapping_sub(1) & 7
    }

    fn highest(&self, levels: u8) -> Option<u8> {
        let first = self.lowest.wrapping_add(1) & 7;
        let rotated = levels.rotate_right(u32::from(first));
        (rotated != 0).then(|| (rotated.trailing_zeros() as u8 + first) & 7)
    }
}

impl Default for Controller {
    fn default() -> Self {
        Controller::new()
    }
}
