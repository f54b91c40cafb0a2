//! The processor's access to the planes: bytes, words and cells of text.

use super::access::{Access, Write, lanes, plane_address, shifts};
use super::adapter::Vga;
use oxbox_cpu::PlanarMemory;

impl Vga {
    /// Reads a byte at a linear address A0000h to BFFFFh and loads the latches. Returns FFh where
    /// the memory does not answer.
    #[inline]
    pub(crate) fn read8(&mut self, address: u32) -> u8 {
        let access = &self.access;
        let offset = address.wrapping_sub(access.reach.base);
        if offset >= access.reach.readable {
            return self.read_slow(address, offset);
        }
        self.read_plane(offset)
    }

    /// Returns the byte of the selected plane at an offset, and loads the latches.
    #[inline(always)]
    fn read_plane(&mut self, offset: u32) -> u8 {
        let reach = &self.access.reach;
        self.latch = self.planes.at(offset as u16 & reach.index_mask);
        (self.latch >> reach.shifts[(offset & 3) as usize]) as u8
    }

    /// Like [`Vga::read8`], but leaves the latches unchanged.
    pub(crate) fn fetch8(&mut self, address: u32) -> u8 {
        let latch = self.latch;
        let value = self.read8(address);
        self.latch = latch;
        value
    }

    /// Writes a byte at a linear address A0000h to BFFFFh.
    #[inline]
    pub(crate) fn write8(&mut self, address: u32, value: u8) {
        let access = &self.access;
        let offset = address.wrapping_sub(access.reach.base);
        if offset >= access.length {
            return;
        }
        let data = match access.write {
            Write::Masked => access.masked(value, self.latch),
            Write::Latches => self.latch,
            Write::Combined => self.registers.graphics.write_data(value, self.latch),
            Write::Slow => return self.write_slow(address, offset, value),
        };
        self.put(offset, data);
    }

    /// Stores the planes' bytes for a write at this offset.
    #[inline(always)]
    fn put(&mut self, offset: u32, data: u32) {
        let reach = &self.access.reach;
        let mask = reach.lanes[(offset & 3) as usize];
        let bytes = self.planes.at_mut(offset as u16 & reach.index_mask);
        *bytes = (data ^ *bytes) & mask ^ *bytes;
    }

    /// Like single reads, for one byte whose mapping is known.
    #[inline(always)]
    pub(in crate::hardware) fn read_at_once<const N: usize>(&mut self, address: u32) -> Option<[u8; N]> {
        let reach = &self.access.reach;
        let offset = address.wrapping_sub(reach.base);
        (N == 1 && offset < reach.readable).then(|| [self.read_plane(offset); N])
    }

    /// Like single writes, for a byte or a text cell with known mapping. Returns whether it wrote.
    #[inline(always)]
    pub(in crate::hardware) fn write_at_once<const N: usize>(
        &mut self,
        address: u32,
        bytes: [u8; N],
    ) -> bool {
        let access = &self.access;
        let offset = address.wrapping_sub(access.reach.base);
        match bytes[..] {
            [value] if offset < access.reach.writable => {
                self.put(offset, access.masked(value, self.latch));
                true
            }
            [character, attribute] if offset & 1 == 0 && offset < access.reach.text => {
                let cell = self.planes.at_mut(offset as u16);
                *cell = *cell & 0xFFFF_0000 | u32::from(u16::from_le_bytes([character, attribute]));
                true
            }
            _ => false,
        }
    }

    /// Reads a word, low byte first, as two byte reads.
    #[inline]
    pub(crate) fn read16(&mut self, address: u32) -> u16 {
        u16::from(self.read8(address)) | u16::from(self.read8(address + 1)) << 8
    }

    /// Writes a word, low byte first, as two byte writes.
    #[inline]
    pub(crate) fn write16(&mut self, address: u32, value: u16) {
        if self.write_at_once(address, value.to_le_bytes()) {
            return;
        }
        self.write8(address, value as u8);
        self.write8(address + 1, (value >> 8) as u8);
    }

    /// Returns the cells of text memory at a linear address, as pairs of 32-bit words: character
    /// and attribute are the two low bytes of each pair's first word, and everything else must
    /// stay. `None` unless the processor would access all of it as plain text.
    pub(crate) fn text_cells(&mut self, address: u32, cells: usize) -> Option<&mut [u32]> {
        self.know_access();
        let offset = address.wrapping_sub(self.access.reach.base) as usize;
        let length = self.access.length as usize;
        let fits = offset & 1 == 0 && offset < length && offset + cells * 2 <= length;
        (self.access.is_text() && fits).then(|| self.planes.run_mut(offset..offset + cells * 2))
    }

    /// Returns the planes with the current mapping for the processor.
    #[inline]
    pub(in crate::hardware) fn planar(&mut self) -> PlanarMemory<'_> {
        let (cells, written) = self.planes.all_mut();
        let registers = self.access.is_uniform.then(|| self.registers.of_pixels());
        PlanarMemory { cells, written, latch: &mut self.latch, reach: &mut self.access.reach, registers }
    }

    #[inline(always)]
    pub(super) fn know_access(&mut self) {
        if !self.access.known {
            self.find_access();
        }
    }

    #[cold]
    fn find_access(&mut self) {
        self.access = if self.cga.is_some() { Access::of_cga() } else { Access::of(&self.registers) };
        if self.reads_watched {
            self.access.reach.readable = 0;
        }
    }

    #[cold]
    #[inline(never)]
    fn read_slow(&mut self, address: u32, offset: u32) -> u8 {
        if offset >= self.access.length {
            return 0xFF;
        }
        if !self.access.known {
            self.know_access();
            return self.read8(address);
        }
        if self.cga.is_some() {
            // The fast path is off only because reads are watched.
            return self.read_plane(offset);
        }
        self.latch = self.planes.at(plane_address(&self.registers, offset));
        if self.registers.graphics.read_mode_1() {
            return self.registers.graphics.compare(self.latch);
        }
        (self.latch >> shifts(&self.registers)[(offset & 3) as usize]) as u8
    }

    #[cold]
    #[inline(never)]
    fn write_slow(&mut self, address: u32, offset: u32, value: u8) {
        if !self.access.known {
            self.know_access();
            return self.write8(address, value);
        }
        let mask = lanes(&self.registers)[(offset & 3) as usize];
        let data = self.registers.graphics.write_data(value, self.latch);
        let bytes = self.planes.at_mut(plane_address(&self.registers, offset));
        *bytes = *bytes & !mask | data & mask;
    }
}
