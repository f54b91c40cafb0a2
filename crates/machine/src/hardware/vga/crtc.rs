//! The CRT controller (ports 3x4h, 3x5h): the raster, the start address and the formation of
//! addresses.
//!
//! Values wider than a byte are assembled here. Source: IBM VGA technical reference, CRT controller
//! registers.

use serde::{Deserialize, Serialize};

/// The implemented bits of each register, by index.
const IMPLEMENTED: [u8; 25] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0x3F, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xEF, 0xFF,
];

/// Registers 0 to 18h and the index that selects one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Crtc {
    pub(super) index: u8,
    registers: [u8; 25],
}

impl Crtc {
    /// Returns the register that the index selects, 0 if it does not exist.
    pub(super) fn read(&self) -> u8 {
        self.value_at(self.index)
    }

    /// Writes the register that the index selects. Bit 7 of register 11h protects 0 to 7, except
    /// for the line compare bit in 7.
    pub(super) fn write(&mut self, value: u8) {
        let index = usize::from(self.index);
        let (Some(&mask), Some(register)) = (IMPLEMENTED.get(index), self.registers.get(index)) else {
            return;
        };
        let protected = self.registers[0x11] & 0x80 != 0;
        let writable = match index {
            7 if protected => 0x10,
            0..7 if protected => 0,
            _ => mask,
        };
        self.registers[index] = register & !writable & mask | value & writable;
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

    /// Writes the register pair 0Eh, 0Fh.
    pub(super) fn set_cursor_address(&mut self, address: u16) {
        [self.registers[0x0E], self.registers[0x0F]] = address.to_be_bytes();
        self.index = 0x0F;
    }

    fn value(&self, index: usize) -> u32 {
        u32::from(self.registers[index])
    }

    /// Returns a bit of a register, moved to another position.
    fn bit(&self, index: usize, from: u32, to: u32) -> u32 {
        (self.value(index) >> from & 1) << to
    }

    /// Returns the characters per line with retrace, without the constant that the chip adds.
    pub(super) fn horizontal_total(&self) -> u32 {
        self.value(0x00)
    }

    /// Returns the characters displayed per line.
    pub(super) fn horizontal_displayed(&self) -> u32 {
        self.value(0x01) + 1
    }

    /// Returns the scan lines per frame, with retrace.
    pub(super) fn vertical_total(&self) -> u32 {
        ((self.value(0x06) | self.bit(7, 0, 8) | self.bit(7, 5, 9)) + 2) * self.lines_a_count()
    }

    /// Returns the scan lines displayed.
    pub(super) fn vertical_displayed(&self) -> u32 {
        ((self.value(0x12) | self.bit(7, 1, 8) | self.bit(7, 6, 9)) + 1) * self.lines_a_count()
    }

    /// Returns the scan lines of the vertical retrace as (first, number). The end register holds
    /// the four low bits of the first line after it.
    pub(super) fn vertical_retrace(&self) -> (u32, u32) {
        let start = self.value(0x10) | self.bit(7, 2, 8) | self.bit(7, 7, 9);
        let length = self.value(0x11).wrapping_sub(start) & 0x0F;
        let length = if length == 0 { 16 } else { length };
        (start * self.lines_a_count(), length * self.lines_a_count())
    }

    /// Returns the scan line at which vertical blanking starts.
    pub(super) fn vertical_blank_start(&self) -> u32 {
        (self.value(0x15) | self.bit(7, 3, 8) | self.bit(9, 5, 9)) * self.lines_a_count()
    }

    /// Returns the last scan line before the picture continues at memory address 0.
    pub(super) fn line_compare(&self) -> u32 {
        let line = self.value(0x18) | self.bit(7, 4, 8) | self.bit(9, 6, 9);
        line * self.lines_a_count() + (self.lines_a_count() - 1)
    }

    /// Register 17h bit 2: the vertical counter counts every second scan line.
    fn lines_a_count(&self) -> u32 {
        1 + self.bit(0x17, 2, 0)
    }

    /// Register 9 bit 7: every scan line is shown twice.
    pub(super) fn double_scan(&self) -> bool {
        self.registers[0x09] & 0x80 != 0
    }

    /// Returns the scan lines per row (of characters, or of equal pixels), 1 to 32.
    pub(super) fn row_height(&self) -> u8 {
        (self.registers[0x09] & 0x1F) + 1
    }

    /// Register 8 bits 0 to 4: the first scan line shown of the first row.
    pub(super) fn preset_row_scan(&self) -> u8 {
        self.registers[0x08] & 0x1F
    }

    /// Register 8 bits 5 and 6: the number of characters by which the picture moves left.
    pub(super) fn byte_panning(&self) -> u16 {
        u16::from(self.registers[0x08] >> 5 & 3)
    }

    /// Returns the address counter at the top of the picture.
    pub(super) fn start_address(&self) -> u16 {
        u16::from_be_bytes([self.registers[0x0C], self.registers[0x0D]])
    }

    /// Returns the increment of the address counter from row to row.
    pub(super) fn row_offset(&self) -> u16 {
        u16::from(self.registers[0x13]) * 2
    }

    /// Returns the address counter of the cursor, skew included.
    pub(super) fn cursor_address(&self) -> u16 {
        let skew = u16::from(self.registers[0x0B] >> 5 & 3);
        u16::from_be_bytes([self.registers[0x0E], self.registers[0x0F]]).wrapping_add(skew)
    }

    /// Returns the first and last scan line of the cursor; `None` if it is off or its start is
    /// below its end.
    pub(super) fn cursor_lines(&self) -> Option<(u8, u8)> {
        let (start, end) = (self.registers[0x0A], self.registers[0x0B] & 0x1F);
        (start & 0x20 == 0 && start & 0x1F <= end).then_some((start & 0x1F, end))
    }

    /// Register 14h: the scan line of the underline.
    pub(super) fn underline(&self) -> u8 {
        self.registers[0x14] & 0x1F
    }

    /// Register 17h bit 7: whether the retrace signals are enabled. Without, there is no picture.
    pub(super) fn retraces(&self) -> bool {
        self.registers[0x17] & 0x80 != 0
    }

    /// Whether register 17h bits 0 and 1 are set: the address does not depend on the scan line.
    pub(super) fn rows_are_uniform(&self) -> bool {
        self.registers[0x17] & 0x03 == 0x03
    }

    /// Returns the number of characters per step of the address counter (17h bit 3, 14h bit 5).
    pub(super) fn characters_a_count(&self) -> u16 {
        match (self.registers[0x14] & 0x20, self.registers[0x17] & 0x08) {
            (0, 0) => 1,
            (0, _) => 2,
            _ => 4,
        }
    }

    /// Converts the counter to a plane address: unchanged, times two, or times four, with the high
    /// bits moved to the low end. Then address bits 13 and 14 may come from the scan line, as on
    /// the CGA and the Hercules.
    pub(super) fn memory_address(&self, counter: u16, row_scan: u8) -> u16 {
        let mode = self.registers[0x17];
        let mut address = if self.registers[0x14] & 0x40 != 0 {
            counter.rotate_left(2)
        } else if mode & 0x40 != 0 {
            counter
        } else {
            let top = if mode & 0x20 != 0 { 15 } else { 13 };
            counter << 1 | counter >> top & 1
        };
        if mode & 0x01 == 0 {
            address = address & !0x2000 | u16::from(row_scan & 1) << 13;
        }
        if mode & 0x02 == 0 {
            address = address & !0x4000 | u16::from(row_scan & 2) << 13;
        }
        address
    }
}
