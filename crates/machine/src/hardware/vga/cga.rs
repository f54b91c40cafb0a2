//! The Color/Graphics Adapter: a Motorola 6845, the mode and colour select registers, and 16 KiB at
//! B8000h that appear twice.
//!
//! An even byte of its memory is in plane 0 and the following odd one in plane 1, both at the even
//! address. The character ROM, which the processor cannot access, is in plane 2. Sources: IBM's
//! Options and Adapters Technical Reference, Motorola's data sheet of the MC6845. Not emulated:
//! snow, interlace, the light pen and the colours of composite monitors.

mod picture;

use super::history::Shown;
use super::kind::Adapter;
use serde::{Deserialize, Serialize};

pub(super) use picture::{Look, sixteen};

/// The implemented bits of each register of the 6845, by index. The last two belong to the light
/// pen and cannot be written.
const IMPLEMENTED: [u8; 18] = [
    0xFF, 0xFF, 0xFF, 0x0F, 0x7F, 0x1F, 0x7F, 0x7F, 0x03, 0x1F, 0x7F, 0x1F, 0x3F, 0xFF, 0x3F, 0xFF, 0x00,
    0x00,
];

/// Lines of a vertical retrace: the 6845 has no register for it.
const RETRACE_LINES: u32 = 16;
/// The maximum number of scan lines drawn per frame, whatever the registers contain.
const MOST_LINES: u32 = 1024;
const OFFSETS: u16 = 0x3FFE;

/// Registers of the 6845, and ports 3D8h and 3D9h.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cga {
    index: u8,
    registers: [u8; 18],
    mode: u8,
    colour: u8,
}

impl Cga {
    /// IN of one byte, except 3DAh. Of the 6845 only cursor and light pen positions can be read.
    pub(super) fn input(&self, port: u16) -> u8 {
        match (port, self.index) {
            (0x3D1 | 0x3D3 | 0x3D5 | 0x3D7, 0x0E..=0x11) => self.registers[usize::from(self.index)],
            (0x3D1 | 0x3D3 | 0x3D5 | 0x3D7, _) => 0,
            _ => 0xFF,
        }
    }

    /// OUT of one byte.
    pub(super) fn output(&mut self, port: u16, value: u8) {
        match port {
            0x3D0 | 0x3D2 | 0x3D4 | 0x3D6 => self.index = value & 0x1F,
            0x3D8 => self.mode = value & 0x3F,
            0x3D9 => self.colour = value & 0x3F,
            _ => {
                if let Some(register) = self.register_at(port) {
                    self.registers[register] = value & IMPLEMENTED[register];
                }
            }
        }
    }

    fn register_at(&self, port: u16) -> Option<usize> {
        let register = usize::from(self.index);
        (matches!(port, 0x3D1 | 0x3D3 | 0x3D5 | 0x3D7) && register < self.registers.len()).then_some(register)
    }

    /// Returns the part of the picture's state that a write of a byte to a port may change.
    pub(super) fn shown_by(&self, port: u16) -> Option<Shown> {
        match port {
            0x3D8 => Some(Shown::CgaMode),
            0x3D9 => Some(Shown::CgaColour),
            // Characters per line, row height, start address.
            _ => match self.register_at(port)? {
                register @ (1 | 9 | 12 | 13) => Some(Shown::Motorola(register as u8)),
                _ => None,
            },
        }
    }

    pub(super) fn shown(&self, register: Shown) -> u8 {
        match register {
            Shown::CgaMode => self.mode,
            Shown::CgaColour => self.colour,
            Shown::Motorola(register) => self.registers.get(usize::from(register)).copied().unwrap_or(0),
            _ => 0,
        }
    }

    pub(super) fn show(&mut self, register: Shown, value: u8) {
        match register {
            Shown::CgaMode => self.mode = value & 0x3F,
            Shown::CgaColour => self.colour = value & 0x3F,
            Shown::Motorola(register) => {
                let at = usize::from(register);
                if let (Some(slot), Some(mask)) = (self.registers.get_mut(at), IMPLEMENTED.get(at)) {
                    *slot = value & mask;
                }
            }
            _ => {}
        }
    }

    /// Sets registers 0Eh and 0Fh.
    pub(super) fn set_cursor_address(&mut self, address: u16) {
        let [high, low] = address.to_be_bytes();
        (self.registers[14], self.registers[15], self.index) = (high & IMPLEMENTED[14], low, 0x0F);
    }

    /// Mode select bit 1.
    pub(super) fn is_graphics(&self) -> bool {
        self.mode & 0x02 != 0
    }

    /// Mode select bit 4: 640 pixels of one bit instead of 320 of two.
    fn is_640(&self) -> bool {
        self.mode & 0x10 != 0
    }

    /// Mode select bit 5: attribute bit 7 blinks.
    pub(super) fn blink(&self) -> bool {
        self.mode & 0x20 != 0
    }

    fn word(&self, high: usize) -> u16 {
        u16::from_be_bytes([self.registers[high], self.registers[high + 1]])
    }

    pub(super) fn start_address(&self) -> u16 {
        self.word(12)
    }

    /// Returns the number of rows displayed.
    pub(super) fn rows(&self) -> u8 {
        self.registers[6]
    }

    pub(super) fn cursor_address(&self) -> u16 {
        self.word(14)
    }

    /// Returns the characters displayed per line. The address grows by the same number per row.
    pub(super) fn columns(&self) -> u16 {
        u16::from(self.registers[1])
    }

    /// Returns the scan lines per row.
    pub(super) fn row_height(&self) -> u8 {
        self.registers[9] + 1
    }

    /// Returns the number of scan lines displayed.
    pub(super) fn lines(&self) -> u32 {
        (u32::from(self.registers[6]) * u32::from(self.row_height()))
            .min(self.total_lines())
            .clamp(1, MOST_LINES)
    }

    fn total_lines(&self) -> u32 {
        (u32::from(self.registers[4]) + 1) * u32::from(self.row_height()) + u32::from(self.registers[5])
    }

    /// Returns the dots of a character clock; mode select bit 0 selects the fast dot clock.
    pub(super) fn dots_a_character(&self) -> u32 {
        if self.mode & 0x01 != 0 { 8 } else { 16 }
    }

    /// Returns the characters per line, the dots per line, the lines per frame (all with retrace),
    /// and the lines of the vertical retrace as (first, number).
    pub(super) fn timing(&self) -> (u32, u32, u32, (u32, u32)) {
        let total = u32::from(self.registers[0]) + Adapter::Cga.beyond_horizontal_total();
        let retrace = u32::from(self.registers[7]) * u32::from(self.row_height());
        (u32::from(self.columns()), total, self.total_lines(), (retrace, RETRACE_LINES))
    }

    pub(super) fn pixels_a_character(&self) -> usize {
        if self.is_graphics() && self.is_640() { 16 } else { 8 }
    }

    /// Returns the width of a pixel in dots, of 640 per line.
    pub(super) fn dots_a_pixel(&self) -> u32 {
        (self.dots_a_character() / self.pixels_a_character() as u32).max(1)
    }

    /// Returns the plane address of the two bytes that a character clock fetches. In graphics modes
    /// odd scan lines are 8 KiB higher.
    pub(super) fn address(&self, counter: u16, row_scan: u8) -> u16 {
        match self.is_graphics() {
            true => (counter << 1 & 0x1FFE) | u16::from(row_scan & 1) << 13,
            false => counter << 1 & OFFSETS,
        }
    }

    /// Returns the bits, in the two bytes of a character clock, of one of its pixels.
    pub(super) fn pixel_mask(&self, pixel: usize) -> u32 {
        match (self.is_graphics(), self.is_640()) {
            (false, _) => 0xFFFF,
            (true, false) => 3 << (6 - pixel % 4 * 2 + pixel / 4 * 8),
            (true, true) => 1 << (7 - pixel % 8 + pixel / 8 * 8),
        }
    }

    /// Returns the first and last scan line of the cursor; `None` if it is off. A cursor whose
    /// start is above its end covers the whole row.
    pub(super) fn cursor_lines(&self) -> Option<(u8, u8)> {
        let (start, end) = (self.registers[10], self.registers[11]);
        match start & 0x60 {
            0x20 => None,
            _ if start & 0x1F > end => Some((0, 0x1F)),
            _ => Some((start & 0x1F, end)),
        }
    }
}
