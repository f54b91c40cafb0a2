//! The graphics controller (ports 3CEh, 3CFh): the data path between the processor, the latches and the planes.
//!
//! Four planes are in one `u32`, plane 0 in the low byte. Source: IBM VGA technical reference,
//! graphics controller.

use serde::{Deserialize, Serialize};

/// The implemented bits of each register, by index.
const IMPLEMENTED: [u8; 9] = [0x0F, 0x0F, 0x0F, 0x1F, 0x03, 0x7B, 0x0F, 0x0F, 0xFF];

/// The conversion of fetched bytes to pixels (register 5 bits 5 and 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    /// A pixel is one bit of each plane.
    Planar,
    /// A pixel is two bits of a plane, even planes first: the CGA's 320x200.
    Interleaved,
    /// Four bits at a time, plane after plane: 256 colours.
    Nibbles,
}

/// Registers 0 to 8 and the index that selects one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Graphics {
    pub(super) index: u8,
    registers: [u8; 9],
}

pub(super) fn in_all_planes(value: u8) -> u32 {
    u32::from(value) * 0x0101_0101
}

/// Returns FFh in each plane whose bit is set.
pub(super) fn expand(planes: u8) -> u32 {
    // Four copies, 7 bits apart: bit n becomes the lowest bit of byte n.
    let spread = (u32::from(planes & 0x0F) * 0x0020_4081) & 0x0101_0101;
    spread * 0xFF
}

impl Graphics {
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

    /// Returns the index and the registers.
    pub(super) fn all_mut(&mut self) -> (&mut u8, &mut [u8; 9]) {
        (&mut self.index, &mut self.registers)
    }

    /// Register 4: the plane that the processor reads in read mode 0.
    pub(super) fn read_map(&self) -> u8 {
        self.registers[4]
    }

    /// Register 5 bit 3: reads compare colours.
    pub(super) fn read_mode_1(&self) -> bool {
        self.registers[5] & 0x08 != 0
    }

    /// Register 5 bit 4: the low address bit selects between the planes of a pair when reading.
    pub(super) fn odd_even_reads(&self) -> bool {
        self.registers[5] & 0x10 != 0
    }

    /// Register 5 bits 5 and 6.
    pub(super) fn shift(&self) -> Shift {
        match self.registers[5] >> 5 & 3 {
            0 => Shift::Planar,
            1 => Shift::Interleaved,
            _ => Shift::Nibbles,
        }
    }

    /// Register 6 bit 0: graphics instead of text.
    pub(super) fn is_graphics(&self) -> bool {
        self.registers[6] & 0x01 != 0
    }

    /// Register 6 bit 1: a higher address bit replaces the low one, which selects the plane.
    pub(super) fn chain_odd_even(&self) -> bool {
        self.registers[6] & 0x02 != 0
    }

    /// Register 6 bits 2 and 3: the range of the memory, as (linear base, length in bytes).
    pub(super) fn window(&self) -> (u32, u32) {
        match self.registers[6] >> 2 & 3 {
            0 => (0xA_0000, 0x2_0000),
            1 => (0xA_0000, 0x1_0000),
            2 => (0xB_0000, 0x8000),
            _ => (0xB_8000, 0x8000),
        }
    }

    /// Whether write mode 0 is active without rotation or function: only set/reset and the bit mask
    /// change a processor byte.
    pub(super) fn writes_masked(&self) -> bool {
        self.registers[3] == 0 && self.registers[5] & 3 == 0
    }

    /// Registers 1 and 0: the planes that write mode 0 fills with a fixed value, and these values.
    pub(super) fn set_reset(&self) -> (u8, u8) {
        (self.registers[1], self.registers[0])
    }

    /// Register 8: the bits that do not come from the latches.
    pub(super) fn bit_mask(&self) -> u8 {
        self.registers[8]
    }

    /// Write mode 1: a processor write stores the latches and ignores its data.
    pub(super) fn writes_latches(&self) -> bool {
        self.registers[5] & 3 == 1
    }

    /// Returns the bytes that a processor write stores in the four planes, given their latches.
    pub(super) fn write_data(&self, value: u8, latch: u32) -> u32 {
        let [set_reset, enable_set_reset, _, rotate, _, mode, _, _, bit_mask] = self.registers;
        let rotated = value.rotate_right(u32::from(rotate & 7));
        let (data, mask) = match mode & 3 {
            0 => {
                let fixed = expand(enable_set_reset);
                (expand(set_reset) & fixed | in_all_planes(rotated) & !fixed, bit_mask)
            }
            1 => return latch,
            2 => (expand(value), bit_mask),
            _ => (expand(set_reset), bit_mask & rotated),
        };
        let combined = match rotate >> 3 & 3 {
            0 => data,
            1 => data & latch,
            2 => data | latch,
            _ => data ^ latch,
        };
        let mask = in_all_planes(mask);
        combined & mask | latch & !mask
    }

    /// Read mode 1: sets a bit where the selected planes contain the colour to compare.
    pub(super) fn compare(&self, latch: u32) -> u8 {
        let [_, _, colour, _, _, _, _, matters, _] = self.registers;
        let differs = (latch ^ expand(colour)) & expand(matters);
        !differs.to_le_bytes().iter().fold(0, |all, plane| all | plane)
    }
}
