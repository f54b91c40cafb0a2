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
    /// Write mode 1: the latches into the planes of this mask; reads from the plane of this shift.
    Latches { mask: u32, read_shift: u32 },
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
            Path::Planar { read_shift, .. } | Path::Latches { read_shift, .. } => {
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
            Path::Latches { mask, .. } => {
                let bytes = self.planes.at_mut(offset as u16);
                *bytes = *bytes & !mask | self.latch & mask;
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

    /// Copies `length` bytes as so many reads and writes of a byte, upwards; whole runs at once where nothing tells the difference.
    pub(crate) fn copy(&mut self, from: u32, to: u32, length: u32) {
        if self.access.path == Path::Stale {
            self.access = self.work_out_access();
        }
        let Access { base, length: window, path } = self.access;
        let (source, target) = (from.wrapping_sub(base), to.wrapping_sub(base));
        let end = u64::from(source.max(target)) + u64::from(length);
        let below_64k = end <= u64::from(window.min(SIZE as u32));
        // Upwards onto itself a copy repeats what it has written.
        let apart = target <= source || target - source >= length;
        let (source, target, count) = (source as usize, target as usize, length as usize);
        match path {
            Path::Latches { mask: u32::MAX, .. } if below_64k && apart && count > 0 => {
                self.latch = self.planes.0[source + count - 1];
                self.planes.0.copy_within(source..source + count, target);
            }
            Path::Chain4 if below_64k && apart && (source | target | count) & 3 == 0 && count > 0 => {
                // Four pixels in one word, the next three words unused.
                for i in (0..count).step_by(4) {
                    self.planes.0[target + i] = self.planes.0[source + i];
                }
                self.latch = self.planes.0[target + count - 4];
            }
            _ => {
                for i in 0..length {
                    let byte = self.read8(from.wrapping_add(i));
                    self.write8(to.wrapping_add(i), byte);
                }
            }
        }
    }

    /// Writes `length` times the same byte, upwards.
    pub(crate) fn fill(&mut self, address: u32, length: u32, value: u8) {
        if self.access.path == Path::Stale {
            self.access = self.work_out_access();
        }
        let Access { base, length: window, path } = self.access;
        let offset = address.wrapping_sub(base);
        let below_64k = u64::from(offset) + u64::from(length) <= u64::from(window.min(SIZE as u32));
        let range = offset as usize..offset as usize + length as usize;
        match path {
            Path::Planar { mask, .. } if below_64k => {
                for bytes in &mut self.planes.0[range] {
                    *bytes = *bytes & !mask | in_all_planes(value) & mask;
                }
            }
            Path::Chain4 if below_64k && (offset | length) & 3 == 0 => {
                for pixels in self.planes.0[range].iter_mut().step_by(4) {
                    *pixels = in_all_planes(value);
                }
            }
            _ => {
                for i in 0..length {
                    self.write8(address.wrapping_add(i), value);
                }
            }
        }
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
        let (map_mask, read_map) = (self.sequencer.map_mask(), self.graphics.read_map());
        let odd_even = [
            self.sequencer.odd_even_writes(),
            self.graphics.odd_even_reads(),
            self.graphics.chain_odd_even(),
        ];
        let chained = self.sequencer.chain_4();
        let in_64k = self.graphics.window().1 <= SIZE as u32;
        let (mask, read_shift) = (expand(map_mask), u32::from(read_map) * 8);
        if self.graphics.read_mode_1() {
            return Path::General;
        }
        match (self.graphics.writes_pass_through(), chained, odd_even) {
            (true, true, _) if in_64k && map_mask == 0x0F => Path::Chain4,
            (true, false, [true, true, true]) if in_64k && map_mask == 0x03 && read_map & 2 == 0 => {
                Path::Text
            }
            (true, false, [false, false, false]) => Path::Planar { mask, read_shift },
            (false, false, [false, false, false]) if self.graphics.writes_latches() => {
                Path::Latches { mask, read_shift }
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
