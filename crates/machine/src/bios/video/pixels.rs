//! INT 10h in graphics modes: draws pixels and glyphs, recognises glyphs, scrolls windows.
//!
//! There are three layouts: the CGA's (two interleaved halves at B800h), planes through the
//! graphics controller, and one byte per pixel. The graphics controller keeps the values of the
//! mode set: set/reset off, rotate 0, write mode 0, bit mask FFh.

use super::characters::Window;
use super::{area, ports, rom};
use crate::hardware::vga::Adapter;
use crate::hardware::{Hardware, linear};
use oxbox_cpu::Bus;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Packed pixels of 1 or 2 bits; odd lines are 2000h bytes after even ones.
    Cga {
        bits: u8,
    },
    Planes,
    /// One byte per pixel, chained.
    Bytes,
}

fn layout(mode: u8) -> Option<Layout> {
    match mode {
        4 | 5 => Some(Layout::Cga { bits: 2 }),
        6 => Some(Layout::Cga { bits: 1 }),
        0x0D..=0x12 => Some(Layout::Planes),
        0x13 => Some(Layout::Bytes),
        _ => None,
    }
}

impl Layout {
    /// Returns the pixels per byte of memory.
    fn pixels_a_byte(self) -> u32 {
        match self {
            Layout::Cga { bits } => 8 / u32::from(bits),
            Layout::Planes => 8,
            Layout::Bytes => 1,
        }
    }
}

/// The layout of the current mode and the length of its lines in bytes.
#[derive(Debug, Clone, Copy)]
struct Raster {
    layout: Layout,
    bytes_a_line: u32,
    page_start: u32,
}

impl Raster {
    fn of(hw: &Hardware, page: u8) -> Option<Raster> {
        let layout = layout(area::mode(hw))?;
        let bytes_a_line = u32::from(area::columns(hw)) * 8 / layout.pixels_a_byte();
        let page_start = match layout {
            Layout::Planes => u32::from(area::page_start(hw, page & 7)),
            _ => 0,
        };
        Some(Raster { layout, bytes_a_line, page_start })
    }

    /// Returns the number of lines in the mode's memory.
    fn lines(&self) -> u32 {
        match self.layout {
            Layout::Cga { .. } => 0x4000 / self.bytes_a_line,
            _ => 0x1_0000 / self.bytes_a_line,
        }
    }

    /// Returns the linear address of byte `byte` of line `y`; every line is in the mode's window.
    fn address(&self, byte: u32, y: u32) -> u32 {
        match self.layout {
            Layout::Cga { .. } => 0xB_8000 + (((y & 1) * 0x2000 + y / 2 * self.bytes_a_line + byte) & 0x3FFF),
            _ => 0xA_0000 + ((self.page_start + y * self.bytes_a_line + byte) & 0xFFFF),
        }
    }
}

// Register numbers and values of the graphics controller.
const FUNCTION: u8 = 3;
const MODE: u8 = 5;
const BIT_MASK: u8 = 8;
const XOR: u8 = 0x18;

/// Sets write mode and function for `draw`, then restores the values of the mode set.
fn with_write_mode(hw: &mut Hardware, write_mode: u8, function: u8, draw: impl FnOnce(&mut Hardware)) {
    let mode = ports::read_graphics(hw, MODE);
    ports::graphics(hw, MODE, mode & !3 | write_mode);
    ports::graphics(hw, FUNCTION, function);
    draw(hw);
    ports::graphics(hw, BIT_MASK, 0xFF);
    ports::graphics(hw, FUNCTION, 0);
    ports::graphics(hw, MODE, mode & !3);
}

/// Sets the pixels of a byte of the planes whose bits are set to `colour`. Write mode 2 must be on.
fn put_planes(hw: &mut Hardware, at: u32, bits: u8, colour: u8) {
    ports::graphics(hw, BIT_MASK, bits);
    hw.vga.read8(at);
    hw.vga.write8(at, colour);
}

/// AH=0Ch: writes a pixel. Colour bit 7 selects XOR; in mode 13h it belongs to the colour.
pub(super) fn write_pixel(hw: &mut Hardware, page: u8, x: u16, y: u16, colour: u8) {
    let Some(screen) = Raster::of(hw, page) else { return };
    let (x, y) = (u32::from(x), u32::from(y));
    let at = screen.address(x / screen.layout.pixels_a_byte(), y);
    let xor = colour & 0x80 != 0;
    match screen.layout {
        Layout::Cga { bits } => {
            let shift = 8 - u32::from(bits) - x % (8 / u32::from(bits)) * u32::from(bits);
            let pixel = ((1 << bits) - 1) << shift;
            let value = colour << shift & pixel;
            let old = hw.vga.read8(at);
            hw.vga.write8(at, if xor { old ^ value } else { old & !pixel | value });
        }
        Layout::Planes => with_write_mode(hw, 2, if xor { XOR } else { 0 }, |hw| {
            put_planes(hw, at, 0x80 >> (x & 7), colour & 0x0F);
        }),
        Layout::Bytes => hw.vga.write8(at, colour),
    }
}

/// AH=0Dh: returns the colour of a pixel.
pub(super) fn read_pixel(hw: &mut Hardware, page: u8, x: u16, y: u16) -> u8 {
    let Some(screen) = Raster::of(hw, page) else { return 0 };
    let (x, y) = (u32::from(x), u32::from(y));
    let at = screen.address(x / screen.layout.pixels_a_byte(), y);
    match screen.layout {
        Layout::Cga { bits } => {
            let shift = 8 - u32::from(bits) - x % (8 / u32::from(bits)) * u32::from(bits);
            hw.vga.read8(at) >> shift & ((1 << bits) - 1)
        }
        Layout::Planes => {
            let read_map = ports::read_graphics(hw, 4);
            let colour = (0..4).fold(0, |colour, plane| {
                ports::graphics(hw, 4, plane);
                colour | (hw.vga.read8(at) >> (7 - (x & 7)) & 1) << plane
            });
            ports::graphics(hw, 4, read_map);
            colour
        }
        Layout::Bytes => hw.vga.read8(at),
    }
}

/// Returns a line of a character's glyph: through vector 43h, or in CGA modes through vector 1Fh
/// for codes from 80h. On a CGA the lower codes are in the system ROM.
fn glyph_line(hw: &mut Hardware, character: u8, line: u8, height: u8) -> u8 {
    let cga = matches!(layout(area::mode(hw)), Some(Layout::Cga { .. }));
    let (vector, code) = if cga && character >= 0x80 { (0x1F, character - 0x80) } else { (0x43, character) };
    let table = match (vector, hw.vga.kind()) {
        (0x43, Adapter::Cga) => linear(rom::SYSTEM_FONT.0, rom::SYSTEM_FONT.1),
        _ => linear(hw.memory.read16(vector * 4 + 2), hw.memory.read16(vector * 4)),
    };
    hw.read8(table + u32::from(code) * u32::from(height) + u32::from(line))
}

/// Widens a glyph's line to the pixels of CGA memory: each bit is repeated for each bit of a pixel.
fn widen(line: u8, bits: u8) -> u16 {
    match bits {
        1 => u16::from(line),
        _ => (0..8).fold(0, |wide, bit| wide | (u16::from(line >> bit & 1) * 3) << (bit * 2)),
    }
}

/// Draws a character in the cell (row, column). `colour` bit 7 selects XOR. In mode 13h bit 7
/// belongs to the colour, and `page` is the background colour.
pub(super) fn draw_glyph(hw: &mut Hardware, page: u8, (row, column): (u8, u8), character: u8, colour: u8) {
    let Some(screen) = Raster::of(hw, page) else { return };
    let height = area::character_height(hw);
    let xor = colour & 0x80 != 0;
    for line in 0..height {
        let glyph = glyph_line(hw, character, line, height);
        let y = u32::from(row) * u32::from(height) + u32::from(line);
        match screen.layout {
            Layout::Cga { bits } => {
                let pattern = widen(glyph, bits);
                // All pixels of a byte in the colour.
                let solid =
                    if bits == 1 { 0xFF * u16::from(colour & 1) } else { 0x5555 * u16::from(colour & 3) };
                for byte in 0..u32::from(bits) {
                    let shift = (u32::from(bits) - 1 - byte) * 8;
                    let value = ((pattern & solid) >> shift) as u8;
                    let at = screen.address(u32::from(column) * u32::from(bits) + byte, y);
                    let old = if xor { hw.vga.read8(at) } else { 0 };
                    hw.vga.write8(at, old ^ value);
                }
            }
            Layout::Planes => {
                let at = screen.address(u32::from(column), y);
                with_write_mode(hw, 2, if xor { XOR } else { 0 }, |hw| {
                    put_planes(hw, at, glyph, colour & 0x0F);
                    if !xor {
                        put_planes(hw, at, !glyph, 0);
                    }
                });
            }
            Layout::Bytes => {
                for dot in 0..8 {
                    let lit = glyph >> (7 - dot) & 1 != 0;
                    let at = screen.address(u32::from(column) * 8 + dot, y);
                    hw.vga.write8(at, if lit { colour } else { page });
                }
            }
        }
    }
}

/// Returns the character whose glyph is in a cell, in any colours on background 0; else 0.
pub(super) fn read_glyph(hw: &mut Hardware, page: u8, (row, column): (u8, u8)) -> u8 {
    let height = area::character_height(hw);
    let (left, top) = (u16::from(column) * 8, u16::from(row) * u16::from(height));
    let lines: Vec<u8> = (0..u16::from(height))
        .map(|line| {
            (0..8)
                .fold(0, |bits, dot| bits << 1 | u8::from(read_pixel(hw, page, left + dot, top + line) != 0))
        })
        .collect();
    let matches = |hw: &mut Hardware, code: u8| {
        (0..height).zip(&lines).all(|(line, &bits)| glyph_line(hw, code, line, height) == bits)
    };
    (0..=255).find(|&code| matches(hw, code)).unwrap_or(0)
}

/// Moves a window of cells by `by` rows, and fills the empty rows with a colour.
pub(super) fn scroll(hw: &mut Hardware, page: u8, window: Window, by: u8, fill: u8, up: bool) {
    let Some(screen) = Raster::of(hw, page) else { return };
    let height = u32::from(area::character_height(hw));
    let bytes_a_cell = 8 / screen.layout.pixels_a_byte();
    let (left, width) =
        (u32::from(window.left) * bytes_a_cell, (u32::from(window.right - window.left) + 1) * bytes_a_cell);
    // If the data area claims more lines than there are, only the existing ones move.
    let lines_there = screen.lines();
    let (top, bottom) =
        (u32::from(window.top) * height, ((u32::from(window.bottom) + 1) * height).min(lines_there));
    let distance = u32::from(by) * height;
    let kept = bottom.saturating_sub(top + distance);
    let copy = |hw: &mut Hardware| {
        for i in 0..kept {
            let (to, from) =
                if up { (top + i, top + i + distance) } else { (bottom - 1 - i, bottom - 1 - i - distance) };
            hw.vga.copy(screen.address(left, from), screen.address(left, to), width);
        }
    };
    let freed = if up { top + kept..bottom } else { top..bottom - kept };
    let blank = |hw: &mut Hardware, value: u8| {
        for y in freed.clone() {
            hw.vga.fill(screen.address(left, y), width, value);
        }
    };
    match screen.layout {
        Layout::Cga { bits: 2 } => (copy(hw), blank(hw, (fill & 3) * 0x55)),
        Layout::Cga { .. } => (copy(hw), blank(hw, (fill & 1) * 0xFF)),
        Layout::Bytes => (copy(hw), blank(hw, fill)),
        Layout::Planes => {
            // Write mode 1 copies all four planes through the latches.
            (with_write_mode(hw, 1, 0, copy), with_write_mode(hw, 2, 0, |hw| blank(hw, fill & 0x0F)))
        }
    };
}
