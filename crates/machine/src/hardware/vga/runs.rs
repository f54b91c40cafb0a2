//! Block copies and fills in video memory, with the same result as single byte accesses.

use super::access::{Access, Write};
use super::adapter::Vga;
use super::planes::SIZE;
use crate::hardware::pages::Cell;
use oxbox_cpu::PlanarMapping;
use std::ops::Range;

impl Vga {
    /// Copies `length` bytes upwards, with the effect of byte reads and writes on the latches.
    pub(crate) fn copy(&mut self, from: u32, to: u32, length: u32) {
        self.know_access();
        let Access { write, length: window, reach, .. } = self.access;
        let PlanarMapping { base, readable, index_mask, lanes, .. } = reach;
        let (source, target) = (from.wrapping_sub(base), to.wrapping_sub(base));
        // If the target overlaps the rest of the source, the copy reads its own writes.
        let apart = target <= source || target - source >= length;
        let whole = length > 0 && apart && self.in_64k(source, length) && self.in_64k(target, length);
        let (first, target, count) = (source as usize, target as usize, length as usize);
        let aligned = (first | target | count) & 3 == 0;
        if whole && write == Write::Latches && index_mask == !0 && lanes == [u32::MAX; 4] {
            self.latch = self.planes.at((first + count - 1) as u16);
            self.planes.copy(first..first + count, target);
        } else if whole
            && aligned
            && readable == window
            && [from, to].iter().all(|&at| self.pixels(at, count).is_some())
        {
            self.latch = self.planes.at((first + count - 4) as u16);
            // Four pixels are in one word; the next three words are unused.
            for i in (0..count).step_by(4) {
                *self.planes.at_mut((target + i) as u16) = self.planes.at((first + i) as u16);
            }
        } else if length & 1 != 0 || !self.copy_cells(from, to, length / 2) {
            for i in 0..length {
                let byte = self.read8(from.wrapping_add(i));
                self.write8(to.wrapping_add(i), byte);
            }
        }
    }

    /// Copies text cells upwards, one after the other, with the effect of reads and writes of bytes or
    /// words on the latches. Returns false, having done nothing, unless reads and writes are plain.
    pub(crate) fn copy_cells(&mut self, from: u32, to: u32, cells: u32) -> bool {
        const CELLS: [u8; 4] = [0, 8, 0, 8];
        let are_text = [from, to].iter().all(|&at| self.text_cells(at, cells as usize).is_some());
        let PlanarMapping { base, readable, shifts, .. } = self.access.reach;
        if !are_text || readable != self.access.length || shifts != CELLS {
            return false;
        }
        let (source, target) = (from.wrapping_sub(base), to.wrapping_sub(base));
        for at in (0..2 * cells).step_by(2) {
            self.latch = self.planes.at((source + at) as u16);
            let cell = self.planes.at_mut((target + at) as u16);
            *cell = *cell & !0xFFFF | self.latch & 0xFFFF;
        }
        true
    }

    /// Returns the offset of `length` bytes in chain-4 mode, where byte N is in plane N & 3 at the plane address
    /// N & !3. `None` unless all planes are enabled and every byte reaches its plane unchanged.
    #[inline(always)]
    fn pixels(&mut self, address: u32, length: usize) -> Option<usize> {
        self.know_access();
        let offset = address.wrapping_sub(self.access.reach.base);
        let length = u32::try_from(length).ok()?;
        (self.access.are_pixels && length > 0 && self.in_64k(offset, length)).then_some(offset as usize)
    }

    /// Fills bytes from an offset that [`Vga::pixels`] has returned with an element of 1, 2 or 4 bytes.
    fn fill_pixels(&mut self, offset: usize, length: usize, element: &[u8]) {
        // The size of an element divides 4, so a plane receives the same byte everywhere.
        let pixels =
            [0, 1, 2, 3].map(|plane: usize| element[plane.wrapping_sub(offset) & (element.len() - 1)]);
        let cells = whole_cells(offset, length);
        for cell in self.planes.run_mut(cells.clone()).iter_mut().step_by(4) {
            *cell = u32::from_le_bytes(pixels);
        }
        self.write_ends(offset..offset + length, cells, |at| pixels[at & 3]);
    }

    /// Writes the bytes of a run of pixels that are before or after its whole cells.
    #[inline(always)]
    fn write_ends(&mut self, run: Range<usize>, cells: Range<usize>, byte: impl Fn(usize) -> u8) {
        for at in (run.start..cells.start).chain(cells.end..run.end) {
            self.planes.at_mut((at & !3) as u16).set_byte(at & 3, byte(at));
        }
    }

    /// Reads bytes in ascending order.
    pub(crate) fn read_bytes(&mut self, address: u32, bytes: &mut [u8]) {
        let offset = self.pixels(address, bytes.len());
        let is_readable = self.access.reach.readable == self.access.length;
        let Some(offset) = offset.filter(|_| is_readable) else {
            for (at, byte) in (address..).zip(bytes) {
                *byte = self.read8(at);
            }
            return;
        };
        for (at, byte) in (offset..).zip(bytes) {
            self.latch = self.planes.at((at & !3) as u16);
            *byte = self.latch.to_le_bytes()[at & 3];
        }
    }

    /// Writes the same byte `length` times, in ascending order.
    pub(crate) fn fill(&mut self, address: u32, length: u32, value: u8) {
        self.know_access();
        let Access { write, reach: PlanarMapping { base, index_mask, lanes, .. }, .. } = self.access;
        let offset = address.wrapping_sub(base);
        let whole = length > 0 && write != Write::Slow && self.in_64k(offset, length);
        let range = offset as usize..offset as usize + length as usize;
        if whole && index_mask == !0 && lanes == [lanes[0]; 4] {
            // Writes do not change the latches: all of them store the same bytes.
            let data = match write {
                Write::Masked => self.access.masked(value, self.latch),
                _ => self.registers.graphics.write_data(value, self.latch),
            };
            for bytes in self.planes.run_mut(range) {
                *bytes = *bytes & !lanes[0] | data & lanes[0];
            }
        } else if let Some(offset) = self.pixels(address, length as usize) {
            self.fill_pixels(offset, length as usize, &[value]);
        } else {
            for i in 0..length {
                self.write8(address.wrapping_add(i), value);
            }
        }
    }

    /// Writes the same element of 1, 2 or 4 bytes `count` times, in ascending order.
    pub(crate) fn fill_elements(&mut self, address: u32, element: &[u8], count: u32) {
        let length = count as usize * element.len();
        if let Some(offset) = self.pixels(address, length) {
            return self.fill_pixels(offset, length, element);
        }
        if let [value, rest @ ..] = element
            && rest.iter().all(|byte| byte == value)
        {
            return self.fill(address, count.saturating_mul(element.len() as u32), *value);
        }
        if let [character, attribute] = *element
            && let Some(pairs) = self.text_cells(address, count as usize)
        {
            let cell = u32::from(u16::from_le_bytes([character, attribute]));
            pairs.iter_mut().step_by(2).for_each(|first| *first = *first & !0xFFFF | cell);
            return;
        }
        for (at, &byte) in (address..).zip(element.iter().cycle()).take(length) {
            self.write8(at, byte);
        }
    }

    /// Writes bytes in ascending order.
    pub fn write_bytes(&mut self, address: u32, bytes: &[u8]) {
        let Some(offset) = self.pixels(address, bytes.len()) else {
            for (at, &byte) in (address..).zip(bytes) {
                self.write8(at, byte);
            }
            return;
        };
        let cells = whole_cells(offset, bytes.len());
        let (whole, _) = bytes[cells.start - offset..cells.end - offset].as_chunks();
        for (cell, pixels) in self.planes.run_mut(cells.clone()).iter_mut().step_by(4).zip(whole) {
            *cell = u32::from_le_bytes(*pixels);
        }
        self.write_ends(offset..offset + bytes.len(), cells, |at| bytes[at - offset]);
    }

    /// Whether a range is in the window and in its first 64 KiB.
    fn in_64k(&self, offset: u32, length: u32) -> bool {
        let end = u64::from(offset) + u64::from(length);
        end <= u64::from(self.access.length.min(SIZE as u32))
    }
}

/// Returns the offsets of the whole cells in a run of pixels.
fn whole_cells(offset: usize, length: usize) -> Range<usize> {
    let end = offset + length;
    let first = offset.next_multiple_of(4).min(end);
    first..(end / 4 * 4).max(first)
}
