//! The sequencer (ports 3C4h, 3C5h): dot clock, character width, the planes enabled for writing,
//! and the font.
//!
//! Registers keep only the bits that the chip implements. Source: IBM VGA technical reference,
//! sequencer registers.

use serde::{Deserialize, Serialize};

/// The implemented bits of each register, by index.
const IMPLEMENTED: [u8; 5] = [0x03, 0x3D, 0x0F, 0x3F, 0x0E];

/// Registers 0 to 4 and the index that selects one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Sequencer {
    pub(super) index: u8,
    registers: [u8; 5],
}

impl Sequencer {
    /// Returns the register that the index selects, 0 if it does not exist.
    pub(super) fn read(&self) -> u8 {
        self.value_at(self.index)
    }

    #[inline]
    pub(super) fn write(&mut self, value: u8) {
        let index = usize::from(self.index);
        if let (Some(register), Some(mask)) = (self.registers.get_mut(index), IMPLEMENTED.get(index)) {
            *register = value & mask;
        }
    }

    /// Returns a register by its index, 0 if it does not exist.
    pub(super) fn value_at(&self, index: u8) -> u8 {
        self.registers.get(usize::from(index)).copied().unwrap_or(0)
    }

    /// Changes a register, ignoring write protection.
    pub(super) fn change(&mut self, index: u8, change: impl FnOnce(u8) -> u8) {
        if let Some(register) = self.registers.get_mut(usize::from(index)) {
            *register = change(*register);
        }
    }

    /// Register 1 bit 0 clear: a character is nine dots wide instead of eight.
    pub(super) fn nine_dots(&self) -> bool {
        self.registers[1] & 0x01 == 0
    }

    /// Register 1 bit 3: every dot lasts two master clocks (40 columns, 320 pixels).
    pub(super) fn half_dot_clock(&self) -> bool {
        self.registers[1] & 0x08 != 0
    }

    /// Register 1 bit 5: the picture is off, and the processor has all the memory's bandwidth.
    pub(super) fn screen_off(&self) -> bool {
        self.registers[1] & 0x20 != 0
    }

    /// Register 2: the planes that processor writes reach, one bit per plane.
    pub(super) fn map_mask(&self) -> u8 {
        self.registers[2]
    }

    /// Returns the index and the map mask.
    pub(super) fn map_mask_mut(&mut self) -> (&mut u8, &mut u8) {
        (&mut self.index, &mut self.registers[2])
    }

    /// Register 3: the offset in plane 2 of the glyphs, for attribute bit 3 clear (`false`, map B)
    /// and set (`true`, map A).
    pub(super) fn font_offset(&self, attribute_bit_3: bool) -> u16 {
        let select = self.registers[3];
        let map = match attribute_bit_3 {
            true => select >> 2 & 3 | select >> 3 & 4,
            false => select & 3 | select >> 2 & 4,
        };
        u16::from(map & 3) * 0x4000 + u16::from(map >> 2) * 0x2000
    }

    /// Register 4 bit 2 clear: even addresses write planes 0 and 2, odd ones planes 1 and 3.
    pub(super) fn odd_even_writes(&self) -> bool {
        self.registers[4] & 0x04 == 0
    }

    /// Register 4 bit 3: the two low address bits select the plane.
    pub(super) fn chain_4(&self) -> bool {
        self.registers[4] & 0x08 != 0
    }
}
