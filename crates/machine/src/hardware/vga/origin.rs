//! The position in video memory of a character or pixel on the screen, to find out which
//! instruction wrote it.

use super::adapter::Vga;
use super::graphics::Shift;

/// Bits of the four planes at a plane address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaneBits {
    /// Address in the planes.
    pub address: u16,
    /// Bits of the four planes, one byte each, plane 0 in the lowest.
    pub mask: u32,
}

/// A character and its attribute.
const CELL: u32 = 0xFFFF;

const ATTRIBUTE: u32 = 0xFF00;

impl PlaneBits {
    /// Returns the two halves of a text cell: its character, and its attribute.
    pub fn halves_of_cell(self) -> [PlaneBits; 2] {
        [!ATTRIBUTE, ATTRIBUTE].map(|half| PlaneBits { mask: self.mask & half, ..self })
    }
}

impl Vga {
    /// Returns the planes' values of these bits.
    pub fn plane_bits(&self, bits: PlaneBits) -> u32 {
        self.planes.at(bits.address) & bits.mask
    }

    /// Returns the bits of the character at a row and column; `None` in graphics and off screen.
    pub fn bits_of_cell(&self, row: usize, column: usize) -> Option<PlaneBits> {
        let text = self.text()?;
        if column >= text.columns || row >= text.rows {
            return None;
        }
        let line = *self.scan_lines().get(row * self.scan_lines_a_row())?;
        let counter = line.counter.wrapping_add(column as u16);
        if let Some(cga) = &self.cga {
            return Some(PlaneBits { address: cga.address(counter, 0), mask: CELL });
        }
        Some(PlaneBits { address: self.registers.crtc.memory_address(counter, 0), mask: CELL })
    }

    /// Returns the bits of a pixel of the frame; `None` off the screen. In text mode they are the
    /// character's cell.
    pub fn bits_of_pixel(&self, x: usize, y: usize) -> Option<PlaneBits> {
        let lines = self.scan_lines();
        let line = *lines.get(y * self.equal_lines(&lines))?;
        if x >= self.width() {
            return None;
        }
        let x = x + line.panning;
        let (column, dot) = (x / self.pixels_a_character(), x % self.pixels_a_character());
        if let Some(cga) = &self.cga {
            let address = cga.address(line.counter.wrapping_add(column as u16), line.row_scan);
            return Some(PlaneBits { address, mask: cga.pixel_mask(dot) });
        }
        let crtc = &self.registers.crtc;
        if !self.is_graphics() {
            let counter = line.counter.wrapping_add(column as u16);
            return Some(PlaneBits { address: crtc.memory_address(counter, 0), mask: CELL });
        }
        let counter = line.counter.wrapping_add(column as u16 / crtc.characters_a_count());
        let mask = match self.registers.graphics.shift() {
            _ if dot > 7 => 0,
            Shift::Planar => 0x0101_0101 << (7 - dot),
            Shift::Interleaved => 0x0003_0003 << (6 - dot % 4 * 2 + dot / 4 * 8),
            Shift::Nibbles if self.registers.attribute.pixels_of_8_bits() => 0xFF << (dot * 8),
            Shift::Nibbles => 0x0F << (dot / 2 * 8 + (1 - dot % 2) * 4),
        };
        Some(PlaneBits { address: crtc.memory_address(counter, line.row_scan), mask })
    }

    /// Returns a colour of the DAC as 00RRGGBB, ignoring the PEL mask.
    pub fn colour(&self, index: u8) -> u32 {
        self.registers.dac.colour(index)
    }

    /// Returns the number of colours written since power-on.
    pub(crate) fn colours_written(&self) -> u64 {
        self.registers.dac.written
    }
}
