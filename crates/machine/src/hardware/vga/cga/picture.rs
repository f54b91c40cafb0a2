//! Converts scan lines of a CGA to pixels.

use super::super::colours::{four_bits, rgb};
use super::super::planes::Planes;
use super::Cga;

/// The parameters with which lines are drawn while no register changes.
pub(in crate::hardware::vga) struct Look {
    colours: [u32; 16],
    /// Whether blinking characters are visible.
    characters_on: bool,
    /// Address and scan lines of the cursor, if it is visible.
    cursor: Option<(u16, u8, u8)>,
}

/// Returns the sixteen colours as 00RRGGBB.
pub(in crate::hardware::vga) fn sixteen() -> [u32; 16] {
    std::array::from_fn(|index| rgb(four_bits(index as u8)))
}

impl Cga {
    /// Returns the parameters for a state of blinking.
    pub(in crate::hardware::vga) fn look(&self, characters_on: bool, cursor_on: bool) -> Look {
        let cursor = self.cursor_lines().filter(|_| cursor_on);
        Look {
            colours: sixteen(),
            characters_on,
            cursor: cursor.map(|(first, last)| (self.cursor_address(), first, last)),
        }
    }

    /// Returns the border colour of colour select, which in 640x200 is the pixels' colour.
    pub(in crate::hardware::vga) fn border(&self) -> u32 {
        let border = if self.is_graphics() && self.is_640() { 0 } else { self.colour & 0x0F };
        rgb(four_bits(border))
    }

    /// Draws whole characters from the left edge.
    pub(in crate::hardware::vga) fn draw(
        &self,
        planes: &Planes,
        (counter, row_scan): (u16, u8),
        look: &Look,
        out: &mut [u32],
    ) {
        // Mode select bit 3: the picture is enabled.
        if self.mode & 0x08 == 0 {
            return out.fill(self.border());
        }
        let palette = self.palette();
        for (column, pixels) in (0u16..).zip(out.chunks_exact_mut(self.pixels_a_character())) {
            let counter = counter.wrapping_add(column);
            let bytes = planes.at(self.address(counter, row_scan));
            if self.is_graphics() {
                for (number, pixel) in pixels.iter_mut().enumerate() {
                    let mask = self.pixel_mask(number);
                    let value = (bytes & mask) >> mask.trailing_zeros();
                    *pixel = look.colours[usize::from(palette[value as usize & 3])];
                }
            } else {
                let (dots, [ground, ink]) = self.cell_line(planes, bytes, counter, row_scan, look);
                for (number, pixel) in pixels.iter_mut().enumerate() {
                    *pixel = look.colours[usize::from(if dots << number & 0x80 != 0 { ink } else { ground })];
                }
            }
        }
    }

    /// Returns the dots of one line of a character, and its background and foreground colours. The
    /// ROM has eight lines per character: taller rows repeat them.
    fn cell_line(
        &self,
        planes: &Planes,
        bytes: u32,
        counter: u16,
        row_scan: u8,
        look: &Look,
    ) -> (u8, [u8; 2]) {
        let [character, attribute, ..] = bytes.to_le_bytes();
        let glyph = planes.at(u16::from(character) * 32 + u16::from(row_scan & 7)).to_le_bytes()[2];
        let blinks = self.blink() && attribute & 0x80 != 0;
        let at_cursor = look
            .cursor
            .is_some_and(|(at, first, last)| at == counter & 0x3FFF && (first..=last).contains(&row_scan));
        let dots = match (at_cursor, blinks && !look.characters_on) {
            (true, _) => 0xFF,
            (false, true) => 0,
            (false, false) => glyph,
        };
        let ground = if self.blink() { attribute >> 4 & 7 } else { attribute >> 4 };
        (dots, [ground, attribute & 0x0F])
    }

    /// Returns the colours of a graphics mode's pixels. 320x200 has three sets: red, green and
    /// brown; magenta, cyan and white; and, with the black-and-white bit (mode select bit 2), red,
    /// cyan and white. Bit 4 of colour select makes them bright.
    fn palette(&self) -> [u8; 4] {
        let own = self.colour & 0x0F;
        if self.is_640() {
            return [0, own, 0, own];
        }
        let set = match (self.mode & 0x04 != 0, self.colour & 0x20 != 0) {
            (true, _) => [3, 4, 7],
            (false, true) => [3, 5, 7],
            (false, false) => [2, 4, 6],
        };
        let bright = self.colour >> 1 & 8;
        [own, set[0] | bright, set[1] | bright, set[2] | bright]
    }
}
