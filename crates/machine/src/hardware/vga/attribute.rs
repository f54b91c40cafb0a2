//! The attribute controller (ports 3C0h, 3C1h): converts attributes and plane bits to DAC indices;
//! panning and the border.
//!
//! Index and data share port 3C0h; a flip-flop, cleared by reading input status 1, selects which is
//! next. Source: IBM VGA technical reference, attribute controller.

use serde::{Deserialize, Serialize};

/// The implemented bits of each register, by index: sixteen palette registers, then 10h to 14h.
const IMPLEMENTED: [u8; 21] = [
    0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0xEF,
    0xFF, 0x3F, 0x0F, 0x0F,
];

/// Registers 0 to 14h, the index with its "palette address source" bit, and the flip-flop.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Attribute {
    index: u8,
    pub(super) data_next: bool,
    registers: [u8; 21],
}

impl Attribute {
    /// Resets the flip-flop (a read of input status 1): the next write to 3C0h is an index.
    pub(super) fn reset_flip_flop(&mut self) {
        self.data_next = false;
    }

    /// OUT to port 3C0h.
    pub(super) fn write(&mut self, value: u8) {
        if self.data_next {
            let index = usize::from(self.index & 0x1F);
            if let (Some(register), Some(mask)) = (self.registers.get_mut(index), IMPLEMENTED.get(index)) {
                *register = value & mask;
            }
        } else {
            self.index = value & 0x3F;
        }
        self.data_next = !self.data_next;
    }

    /// IN from port 3C0h.
    pub(super) fn index(&self) -> u8 {
        self.index
    }

    /// IN from port 3C1h; does not change the flip-flop.
    pub(super) fn read(&self) -> u8 {
        self.value_at(self.index & 0x1F)
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

    pub(super) fn change_index(&mut self, change: impl FnOnce(u8) -> u8) {
        self.index = change(self.index);
    }

    /// Whether index bit 5 is clear: the processor can access the palette, and the whole screen
    /// shows the border colour.
    pub(super) fn palette_released(&self) -> bool {
        self.index & 0x20 == 0
    }

    /// Register 10h bit 2: line-drawing characters C0h to DFh repeat their eighth dot as the ninth.
    pub(super) fn line_graphics(&self) -> bool {
        self.registers[0x10] & 0x04 != 0
    }

    /// Register 10h bit 3: attribute bit 7 blinks instead of selecting bright backgrounds.
    pub(super) fn blink(&self) -> bool {
        self.registers[0x10] & 0x08 != 0
    }

    /// Register 10h bit 5: panning ends at the line compare.
    pub(super) fn panning_ends_at_split(&self) -> bool {
        self.registers[0x10] & 0x20 != 0
    }

    /// Register 10h bit 6: two successive 4-bit values are one 8-bit pixel.
    pub(super) fn pixels_of_8_bits(&self) -> bool {
        self.registers[0x10] & 0x40 != 0
    }

    /// Register 11h: the DAC index of the border.
    pub(super) fn overscan(&self) -> u8 {
        self.registers[0x11]
    }

    /// Returns register 13h in pixels to the left. With nine dots per character, 8 means none and n
    /// means n + 1. An 8-bit pixel is two dots.
    pub(super) fn panning(&self, nine_dots: bool) -> usize {
        let value = usize::from(self.registers[0x13]);
        match value {
            0..8 if self.pixels_of_8_bits() => value / 2,
            0..8 if nine_dots => value + 1,
            0..8 => value,
            _ => 0,
        }
    }

    /// Masks a 4-bit value with colour plane enable.
    fn enabled(&self, value: u8) -> u8 {
        value & 0x0F & self.registers[0x12]
    }

    fn palette(&self, index: u8) -> u8 {
        self.registers[usize::from(index & 0x0F)]
    }

    /// Returns the DAC index of a palette register's colour.
    fn selected(&self, colour: u8) -> u8 {
        let (mode, select) = (self.registers[0x10], self.registers[0x14]);
        let colour = if mode & 0x80 == 0 { colour } else { colour & 0x0F | select << 4 & 0x30 };
        colour | select << 4 & 0xC0
    }

    /// Returns the DAC index of a text colour, or of a 4-bit pixel outside of blinking.
    pub(super) fn dac_index(&self, value: u8) -> u8 {
        self.selected(self.palette(self.enabled(value)))
    }

    /// Returns the DAC index of a 4-bit pixel in the other half of a blink: bit 3 is inverted after
    /// colour plane enable. So in mode 0Fh, whose planes are 0 and 2, pixel 4 blinks (palette
    /// registers 4 and 0Ch differ), and 1 and 5 do not.
    pub(super) fn dac_index_blinking(&self, value: u8) -> u8 {
        self.selected(self.palette(self.enabled(value) ^ 0x08))
    }

    /// Returns the DAC index of an 8-bit pixel. Both halves pass the palette, which must hold 0 to
    /// 15 to leave the value unchanged.
    pub(super) fn dac_index_8(&self, value: u8) -> u8 {
        self.palette(self.enabled(value >> 4)) << 4 | self.palette(self.enabled(value)) & 0x0F
    }
}
