//! Converts one scan line to pixels: text through the glyphs in plane 2, graphics through the shift
//! register.

use super::super::adapter::Vga;
use super::super::cga::{Cga, Look};
use super::super::graphics::Shift;
use super::ScanLine;

/// The parameters that all text lines of a frame share.
pub(super) struct TextLook {
    colours: [u32; 16],
    /// Whether blinking characters are visible.
    characters_on: bool,
    /// Address counter and scan lines of the cursor, if it is visible.
    cursor: Option<(u16, u8, u8)>,
    /// The addresses in plane 2 of the glyphs for attribute bit 3 clear and set.
    fonts: [u16; 2],
    dots: usize,
}

/// The colours of a graphics frame, by pixel value.
pub(super) enum GraphicsColours {
    /// 4-bit pixels.
    Sixteen([u32; 16]),
    /// 8-bit pixels.
    All(Box<[u32; 256]>),
}

/// Characters blink with a period of 32 frames, the cursor with one of 16; both begin visible.
const CHARACTER_BLINK: u64 = 16;
const CURSOR_BLINK: u64 = 8;

impl Vga {
    pub(super) fn cga_look(&self, cga: &Cga, now_ns: u64) -> Look {
        let frame = self.raster().frame_number(now_ns);
        let on = |frames: u64| (frame / frames).is_multiple_of(2);
        cga.look(on(CHARACTER_BLINK), on(CURSOR_BLINK))
    }

    pub(super) fn text_look(&self, now_ns: u64) -> TextLook {
        let frame = self.raster().frame_number(now_ns);
        let cursor_on = (frame / CURSOR_BLINK).is_multiple_of(2);
        let cursor = self.registers.crtc.cursor_lines().filter(|_| cursor_on);
        TextLook {
            colours: std::array::from_fn(|i| {
                self.registers.dac.rgb(self.registers.attribute.dac_index(i as u8))
            }),
            characters_on: (frame / CHARACTER_BLINK).is_multiple_of(2),
            cursor: cursor.map(|(start, end)| (self.registers.crtc.cursor_address(), start, end)),
            fonts: [self.registers.sequencer.font_offset(false), self.registers.sequencer.font_offset(true)],
            dots: if self.registers.sequencer.nine_dots() { 9 } else { 8 },
        }
    }

    pub(super) fn graphics_colours(&self, now_ns: u64) -> GraphicsColours {
        if self.registers.attribute.pixels_of_8_bits() {
            let all: Vec<u32> =
                (0..=255).map(|i| self.registers.dac.rgb(self.registers.attribute.dac_index_8(i))).collect();
            return GraphicsColours::All(
                all.into_boxed_slice().try_into().unwrap_or_else(|_| Box::new([0; 256])),
            );
        }
        let second_half = !(self.raster().frame_number(now_ns) / CHARACTER_BLINK).is_multiple_of(2);
        let blinking = self.registers.attribute.blink() && second_half;
        GraphicsColours::Sixteen(std::array::from_fn(|i| {
            let value = i as u8;
            let index = if blinking {
                self.registers.attribute.dac_index_blinking(value)
            } else {
                self.registers.attribute.dac_index(value)
            };
            self.registers.dac.rgb(index)
        }))
    }

    /// Draws whole characters from the left edge, `out.len() / dots` of them.
    pub(super) fn draw_text(&self, line: ScanLine, look: &TextLook, out: &mut [u32]) {
        for (column, pixels) in (0u16..).zip(out.chunks_exact_mut(look.dots)) {
            let counter = line.counter.wrapping_add(column / self.registers.crtc.characters_a_count());
            let (dots, colours) = self.cell_line(counter, line.row_scan, look);
            for (dot, pixel) in pixels.iter_mut().enumerate() {
                *pixel = colours[usize::from(dots >> (8 - dot) & 1)];
            }
        }
    }

    /// Returns nine dots of a cell, the left one in bit 8, and the colours of clear and set dots.
    fn cell_line(&self, counter: u16, row_scan: u8, look: &TextLook) -> (u16, [u32; 2]) {
        let address = self.registers.crtc.memory_address(counter, row_scan);
        let [character, attribute, ..] = self.planes.at(address).to_le_bytes();
        let font = look.fonts[usize::from(attribute >> 3 & 1)];
        let glyph_line = font.wrapping_add(u16::from(character) * 32 + u16::from(row_scan));
        let glyph = u16::from(self.planes.at(glyph_line).to_le_bytes()[2]);
        let joins = self.registers.attribute.line_graphics() && (0xC0..=0xDF).contains(&character);
        let mut dots = glyph << 1 | if joins { glyph & 1 } else { 0 };
        if attribute & 0x77 == 0x01 && row_scan == self.registers.crtc.underline() {
            dots = 0x1FF;
        }
        let blinks = self.registers.attribute.blink() && attribute & 0x80 != 0;
        if blinks && !look.characters_on {
            dots = 0;
        }
        if let Some((at, start, end)) = look.cursor
            && at == counter
            && (start..=end).contains(&row_scan)
        {
            dots = 0x1FF;
        }
        let background = if self.registers.attribute.blink() { attribute >> 4 & 7 } else { attribute >> 4 };
        (dots, [look.colours[usize::from(background)], look.colours[usize::from(attribute & 0x0F)]])
    }

    /// Draws whole characters from the left edge: eight dots (or nine with an empty one), or four
    /// pixels of two dots.
    pub(super) fn draw_graphics(&self, line: ScanLine, colours: &GraphicsColours, out: &mut [u32]) {
        let shift = self.registers.graphics.shift();
        let fetch = |column: u16| {
            let counter = line.counter.wrapping_add(column / self.registers.crtc.characters_a_count());
            self.planes.at(self.registers.crtc.memory_address(counter, line.row_scan))
        };
        let characters = (0..).zip(out.chunks_exact_mut(self.pixels_a_character()));
        match colours {
            GraphicsColours::Sixteen(colours) => {
                for (column, pixels) in characters {
                    // The shift register is empty at the ninth dot.
                    let values = shifted(fetch(column), shift).into_iter().chain([0]);
                    for (pixel, value) in pixels.iter_mut().zip(values) {
                        *pixel = colours[usize::from(value & 0x0F)];
                    }
                }
            }
            // Two consecutive halves of a byte form the byte.
            GraphicsColours::All(colours) if shift == Shift::Nibbles => {
                for (column, pixels) in characters {
                    for (pixel, byte) in pixels.iter_mut().zip(fetch(column).to_le_bytes()) {
                        *pixel = colours[usize::from(byte)];
                    }
                }
            }
            GraphicsColours::All(colours) => {
                for (column, pixels) in characters {
                    for (pixel, pair) in pixels.iter_mut().zip(shifted(fetch(column), shift).chunks_exact(2))
                    {
                        *pixel = colours[usize::from(pair[0] << 4 | pair[1])];
                    }
                }
            }
        }
    }
}

/// For each byte its eight bits as bytes, the left one (bit 7) in the lowest.
const BITS: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut dot = 0;
        while dot < 8 {
            table[byte] |= (byte as u64 >> (7 - dot) & 1) << (dot * 8);
            dot += 1;
        }
        byte += 1;
    }
    table
};

/// Converts the bytes of the four planes to eight 4-bit values, in the order of display.
fn shifted(planes: u32, shift: Shift) -> [u8; 8] {
    let bytes = planes.to_le_bytes();
    match shift {
        Shift::Planar => {
            let [p0, p1, p2, p3] = bytes.map(|byte| BITS[usize::from(byte)]);
            (p0 | p1 << 1 | p2 << 2 | p3 << 3).to_le_bytes()
        }
        Shift::Interleaved => std::array::from_fn(|dot| {
            let (low, high) = (bytes[dot / 4], bytes[2 + dot / 4]);
            let at = 6 - dot % 4 * 2;
            low >> at & 3 | (high >> at & 3) << 2
        }),
        Shift::Nibbles => std::array::from_fn(|dot| bytes[dot / 2] >> (4 - dot % 2 * 4) & 0x0F),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shift_register_orders() {
        let rows = [
            (Shift::Planar, [0b1000_0001, 0b1100_0000, 0, 0b0000_0001], "3 2 0 0 0 0 0 9"),
            (Shift::Interleaved, [0b00_01_10_11, 0b11_00_11_00, 0, 0b01_00_00_01], "0 1 2 3 7 0 3 4"),
            (Shift::Nibbles, [0x12, 0x34, 0x56, 0x78], "1 2 3 4 5 6 7 8"),
        ];
        for (shift, bytes, expected) in rows {
            let values = shifted(u32::from_le_bytes(bytes), shift).map(|v| v.to_string()).join(" ");
            assert_eq!(values, expected, "{shift:?}");
        }
    }
}
