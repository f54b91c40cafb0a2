//! The memory of the VGA and the processor's way to it: four planes of 64 KiB, one `u32` an address, plane 0 in the low byte.
//!
//! [`Access`] condenses the registers that matter to an access into a window, masks and shifts. It is derived: any write to
//! those registers forgets it, and the next access works it out again.

use super::Vga;
use super::graphics::{expand, in_all_planes};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Addresses in a plane.
pub(super) const SIZE: usize = 0x1_0000;

/// 256 KiB; index by plane address.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub(super) struct Planes(pub(super) Box<[u32; SIZE]>);

impl Planes {
    pub(super) fn new() -> Self {
        Planes(vec![0; SIZE].into_boxed_slice().try_into().expect("the length is SIZE"))
    }

    /// The bytes of the four planes at an address.
    #[inline]
    pub(super) fn at(&self, address: u16) -> u32 {
        self.0[usize::from(address)]
    }

    #[inline]
    fn at_mut(&mut self, address: u16) -> &mut u32 {
        &mut self.0[usize::from(address)]
    }
}

impl fmt::Debug for Planes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Planes(256 KiB)")
    }
}

impl From<Planes> for Vec<u8> {
    fn from(planes: Planes) -> Self {
        planes.0.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

impl TryFrom<Vec<u8>> for Planes {
    type Error = &'static str;

    fn try_from(bytes: Vec<u8>) -> Result<Self, Self::Error> {
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        let words = words.into_boxed_slice().try_into().map_err(|_| "video memory must have 256 KiB")?;
        Ok(Planes(words))
    }
}

/// How a write reaches the planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Write {
    /// The processor's byte, unchanged.
    Plain,
    /// Write mode 1: the latches.
    Latches,
    /// Through the whole data path, or not known yet.
    Slow,
}

/// Where the memory answers and how. In every mode the low two bits of an offset choose the planes, and the rest of it,
/// with none, one or two low bits cleared, is the plane address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) base: u32,
    pub(super) length: u32,
    pub(super) write: Write,
    /// Reads give a byte of a plane; otherwise they compare, or how is not known yet.
    pub(super) plain_reads: bool,
    /// The registers have not changed since.
    known: bool,
    /// The bits of an offset that are the plane address.
    pub(super) index_mask: u16,
    /// By the offset's low two bits: the planes that are written.
    pub(super) lanes: [u32; 4],
    /// By the offset's low two bits: the plane that is read, as a shift.
    shifts: [u8; 4],
}

impl Default for Access {
    /// To be worked out at the next access anywhere in the range that the chip can take.
    fn default() -> Self {
        Access {
            base: 0xA_0000,
            length: 0x2_0000,
            write: Write::Slow,
            plain_reads: false,
            known: false,
            index_mask: 0,
            lanes: [0; 4],
            shifts: [0; 4],
        }
    }
}

impl Access {
    /// Characters in plane 0, attributes in plane 1: a word is a cell.
    const TEXT: [u32; 4] = [0xFF, 0xFF00, 0xFF, 0xFF00];

    fn is_text(&self) -> bool {
        self.write == Write::Plain && self.index_mask == !1 && self.lanes == Access::TEXT
    }
}

impl Vga {
    /// Reads a byte at a linear address A0000h to BFFFFh and loads the latches. FFh where the memory does not answer.
    #[inline]
    pub fn read8(&mut self, address: u32) -> u8 {
        let access = &self.access;
        let offset = address.wrapping_sub(access.base);
        if offset >= access.length {
            return 0xFF;
        }
        if !access.plain_reads {
            return self.read_slow(address, offset);
        }
        self.latch = self.planes.at(offset as u16 & access.index_mask);
        (self.latch >> access.shifts[(offset & 3) as usize]) as u8
    }

    /// As [`Vga::read8`], but leaves the latches as they are.
    pub fn fetch8(&mut self, address: u32) -> u8 {
        let latch = self.latch;
        let value = self.read8(address);
        self.latch = latch;
        value
    }

    /// Writes a byte at a linear address A0000h to BFFFFh.
    #[inline]
    pub fn write8(&mut self, address: u32, value: u8) {
        let access = &self.access;
        let offset = address.wrapping_sub(access.base);
        if offset >= access.length {
            return;
        }
        let data = match access.write {
            Write::Plain => in_all_planes(value),
            Write::Latches => self.latch,
            Write::Slow => return self.write_slow(address, offset, value),
        };
        let mask = access.lanes[(offset & 3) as usize];
        let bytes = self.planes.at_mut(offset as u16 & access.index_mask);
        *bytes = *bytes & !mask | data & mask;
    }

    /// Reads a word, low byte first; as two reads of a byte.
    #[inline]
    pub fn read16(&mut self, address: u32) -> u16 {
        u16::from(self.read8(address)) | u16::from(self.read8(address + 1)) << 8
    }

    /// Writes a word, low byte first; as two writes of a byte.
    #[inline]
    pub fn write16(&mut self, address: u32, value: u16) {
        let offset = address.wrapping_sub(self.access.base);
        if offset & 1 == 0 && offset < self.access.length && self.access.is_text() {
            let cell = self.planes.at_mut(offset as u16);
            *cell = *cell & 0xFFFF_0000 | u32::from(value);
            return;
        }
        self.write8(address, value as u8);
        self.write8(address + 1, (value >> 8) as u8);
    }

    /// The cells of text memory at a linear address, as the pairs of 32-bit words that hold them: character and attribute
    /// are the two low bytes of each pair's first word, everything else must stay. `None` unless the processor would
    /// reach all of it as plain text.
    pub(crate) fn text_cells(&mut self, address: u32, cells: usize) -> Option<&mut [u32]> {
        self.know_access();
        let offset = address.wrapping_sub(self.access.base) as usize;
        let length = self.access.length as usize;
        let fits = offset & 1 == 0 && offset < length && offset + cells * 2 <= length;
        if self.access.is_text() && fits { self.planes.0.get_mut(offset..offset + cells * 2) } else { None }
    }

    pub(super) fn know_access(&mut self) {
        if !self.access.known {
            self.access = self.work_out_access();
        }
    }

    fn work_out_access(&self) -> Access {
        let known = Access { known: true, ..Access::default() };
        if self.misc & 0x02 == 0 || !self.enabled {
            // Miscellaneous output bit 1: the processor has no access.
            return Access { length: 0, ..known };
        }
        let (base, length) = self.graphics.window();
        let known = Access { base, length, ..known };
        let low_bits_replaced = self.sequencer.chain_4() || self.graphics.chain_odd_even();
        if low_bits_replaced && length > SIZE as u32 {
            // Address bit 16 takes the place of bit 0: no mask does that.
            return known;
        }
        let index_mask = match (self.sequencer.chain_4(), self.graphics.chain_odd_even()) {
            (true, _) => !3,
            (false, true) => !1,
            (false, false) => !0,
        };
        let write = match (self.graphics.writes_pass_through(), self.graphics.writes_latches()) {
            (true, _) => Write::Plain,
            (_, true) => Write::Latches,
            _ => Write::Slow,
        };
        Access {
            write,
            plain_reads: !self.graphics.read_mode_1(),
            index_mask,
            lanes: self.lanes(),
            shifts: self.shifts(),
            ..known
        }
    }

    /// By an offset's low two bits: the planes that a write reaches.
    fn lanes(&self) -> [u32; 4] {
        let open = expand(self.sequencer.map_mask());
        let reachable = if self.sequencer.chain_4() {
            [0x0000_00FF, 0x0000_FF00, 0x00FF_0000, 0xFF00_0000]
        } else if self.sequencer.odd_even_writes() {
            [0x00FF_00FF, 0xFF00_FF00, 0x00FF_00FF, 0xFF00_FF00]
        } else {
            [u32::MAX; 4]
        };
        reachable.map(|planes| planes & open)
    }

    /// By an offset's low two bits: the plane that a read in read mode 0 gives, as a shift.
    fn shifts(&self) -> [u8; 4] {
        let chosen = self.graphics.read_map() * 8;
        if self.sequencer.chain_4() {
            [0, 8, 16, 24]
        } else if self.graphics.odd_even_reads() {
            let pair = chosen & 16;
            [pair, pair + 8, pair, pair + 8]
        } else {
            [chosen; 4]
        }
    }

    /// A register has been written through `port`. Programs that draw pixel by pixel change the map mask and the read map
    /// all the time: what follows from these two is put right on the spot.
    pub(super) fn forget_access(&mut self, port: u16) {
        match port {
            0x3C5 if self.sequencer.index == 2 => self.access.lanes = self.lanes(),
            0x3CF if self.graphics.index == 4 => self.access.shifts = self.shifts(),
            _ => self.access = Access::default(),
        }
    }

    /// The plane address of a window offset.
    fn plane_address(&self, offset: u32) -> u16 {
        let beyond_64k = (offset >> 16) as u16 & 1;
        if self.sequencer.chain_4() {
            offset as u16 & !3 | beyond_64k
        } else if self.graphics.chain_odd_even() {
            offset as u16 & !1 | beyond_64k
        } else {
            offset as u16
        }
    }

    #[cold]
    #[inline(never)]
    fn read_slow(&mut self, address: u32, offset: u32) -> u8 {
        if !self.access.known {
            self.know_access();
            return self.read8(address);
        }
        self.latch = self.planes.at(self.plane_address(offset));
        if self.graphics.read_mode_1() {
            return self.graphics.compare(self.latch);
        }
        (self.latch >> self.shifts()[(offset & 3) as usize]) as u8
    }

    #[cold]
    #[inline(never)]
    fn write_slow(&mut self, address: u32, offset: u32, value: u8) {
        if !self.access.known {
            self.know_access();
            return self.write8(address, value);
        }
        let mask = self.lanes()[(offset & 3) as usize];
        let data = self.graphics.write_data(value, self.latch);
        let bytes = self.planes.at_mut(self.plane_address(offset));
        *bytes = *bytes & !mask | data & mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_access_is_not_serialised_and_comes_back() {
        let mut vga = Vga::new();
        vga.output(0x3C2, 0x03);
        vga.write8(0xA_0000, 0);
        assert_ne!(vga.access, Access::default());
        let bytes = postcard::to_allocvec(&vga).unwrap();
        let copy: Vga = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(copy.access, Access::default());
        assert_eq!(postcard::to_allocvec(&copy).unwrap(), bytes);
    }
}
