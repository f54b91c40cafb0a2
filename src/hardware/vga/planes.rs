//! The memory of the VGA and the processor's way to it: four planes of 64 KiB, one `u32` an address, plane 0 in the low byte.
//!
//! [`Access`] condenses the registers that matter to an access into a window and a path. It is derived: any write to those
//! registers sets it to [`Path::Stale`], and the next access works it out again.

use super::Vga;
use super::graphics::{expand, in_all_planes};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Addresses in a plane.
const SIZE: usize = 0x1_0000;

/// 256 KiB; index by plane address.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub(super) struct Planes(Box<[u32; SIZE]>);

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

/// How an access reaches the planes: the common cases, each a few instructions, and the general one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Path {
    /// The registers have changed since.
    Stale,
    /// Text: even addresses plane 0, odd ones plane 1, bytes unchanged.
    Text,
    /// 256 colours chained: the low address bits are the plane, bytes unchanged.
    Chain4,
    /// The same byte into the planes of this mask; reads from the plane of this shift.
    Planar { mask: u32, read_shift: u32 },
    /// Everything else.
    General,
}

/// Where the memory answers and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access {
    base: u32,
    length: u32,
    path: Path,
}

impl Default for Access {
    /// To be worked out at the next access anywhere in the range that the chip can take.
    fn default() -> Self {
        Access { base: 0xA_0000, length: 0x2_0000, path: Path::Stale }
    }
}

impl Vga {
    /// Reads a byte at a linear address A0000h to BFFFFh and loads the latches. FFh where the memory does not answer.
    #[inline]
    pub fn read8(&mut self, address: u32) -> u8 {
        let offset = address.wrapping_sub(self.access.base);
        if offset >= self.access.length {
            return 0xFF;
        }
        match self.access.path {
            Path::Text => {
                self.latch = self.planes.at(offset as u16 & !1);
                self.latch.to_le_bytes()[(offset & 1) as usize]
            }
            Path::Chain4 => {
                self.latch = self.planes.at(offset as u16 & !3);
                self.latch.to_le_bytes()[(offset & 3) as usize]
            }
            Path::Planar { read_shift, .. } => {
                self.latch = self.planes.at(offset as u16);
                (self.latch >> read_shift) as u8
            }
            Path::General => self.read_general(offset),
            Path::Stale => {
                self.access = self.work_out_access();
                self.read8(address)
            }
        }
    }

    /// Writes a byte at a linear address A0000h to BFFFFh.
    #[inline]
    pub fn write8(&mut self, address: u32, value: u8) {
        let offset = address.wrapping_sub(self.access.base);
        if offset >= self.access.length {
            return;
        }
        match self.access.path {
            Path::Text => {
                let shift = (offset & 1) * 8;
                let cell = self.planes.at_mut(offset as u16 & !1);
                *cell = *cell & !(0xFF << shift) | u32::from(value) << shift;
            }
            Path::Chain4 => {
                let shift = (offset & 3) * 8;
                let pixels = self.planes.at_mut(offset as u16 & !3);
                *pixels = *pixels & !(0xFF << shift) | u32::from(value) << shift;
            }
            Path::Planar { mask, .. } => {
                let bytes = self.planes.at_mut(offset as u16);
                *bytes = *bytes & !mask | in_all_planes(value) & mask;
            }
            Path::General => self.write_general(offset, value),
            Path::Stale => {
                self.access = self.work_out_access();
                self.write8(address, value);
            }
        }
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
        if self.access.path == Path::Text && offset < self.access.length && offset & 1 == 0 {
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
        if self.access.path == Path::Stale {
            self.access = self.work_out_access();
        }
        let offset = address.wrapping_sub(self.access.base) as usize;
        let fits = offset < self.access.length as usize && offset + cells * 2 <= self.access.length as usize;
        if self.access.path != Path::Text || !fits || offset & 1 != 0 {
            return None;
        }
        self.planes.0.get_mut(offset..offset + cells * 2)
    }

    fn work_out_access(&self) -> Access {
        if self.misc & 0x02 == 0 || !self.enabled {
            // Miscellaneous output bit 1: the processor has no access.
            return Access { base: 0xA_0000, length: 0, path: Path::General };
        }
        let (base, length) = self.graphics.window();
        Access { base, length, path: self.path() }
    }

    fn path(&self) -> Path {
        let plain = self.graphics.writes_pass_through() && !self.graphics.read_mode_1();
        if !plain {
            return Path::General;
        }
        let map_mask = self.sequencer.map_mask();
        if self.sequencer.chain_4() {
            let small_window = self.graphics.window().1 <= SIZE as u32;
            return if map_mask == 0x0F && small_window { Path::Chain4 } else { Path::General };
        }
        let odd_even = [
            self.sequencer.odd_even_writes(),
            self.graphics.odd_even_reads(),
            self.graphics.chain_odd_even(),
        ];
        match odd_even {
            [true, true, true]
                if map_mask == 0x03
                    && self.graphics.read_map() & 2 == 0
                    && self.graphics.window().1 <= SIZE as u32 =>
            {
                Path::Text
            }
            [false, false, false] => {
                Path::Planar { mask: expand(map_mask), read_shift: u32::from(self.graphics.read_map()) * 8 }
            }
            _ => Path::General,
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

    fn read_general(&mut self, offset: u32) -> u8 {
        self.latch = self.planes.at(self.plane_address(offset));
        if self.graphics.read_mode_1() {
            return self.graphics.compare(self.latch);
        }
        let plane = if self.sequencer.chain_4() {
            offset & 3
        } else if self.graphics.odd_even_reads() {
            u32::from(self.graphics.read_map() & 2) | offset & 1
        } else {
            u32::from(self.graphics.read_map())
        };
        (self.latch >> (plane * 8)) as u8
    }

    fn write_general(&mut self, offset: u32, value: u8) {
        let reachable = if self.sequencer.chain_4() {
            1 << (offset & 3)
        } else if self.sequencer.odd_even_writes() {
            0x05 << (offset & 1)
        } else {
            0x0F
        };
        let mask = expand(self.sequencer.map_mask() & reachable);
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
        vga.output(0x3C2, 0x03, 0);
        vga.write8(0xA_0000, 0);
        assert_ne!(vga.access, Access::default());
        let bytes = postcard::to_allocvec(&vga).unwrap();
        let copy: Vga = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(copy.access, Access::default());
        assert_eq!(postcard::to_allocvec(&copy).unwrap(), bytes);
    }
}
