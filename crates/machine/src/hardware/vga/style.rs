//! The appearance of text independent of its content: font, height and width of characters, border,
//! and whether there is a picture.

use super::adapter::Vga;

/// The maximum number of lines of a character in a font.
const LINES: usize = 32;
/// The size of a font in its plane: 256 characters.
const FONT: usize = 256 * LINES;
/// The byte of plane 2, which holds the fonts.
const FONT_PLANE: u32 = 0x00FF_0000;

/// The appearance of text. Attributes, colours, cursor: see [`TextScreen`](super::TextScreen).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextStyle {
    /// The offsets of the glyphs for attribute bit 3 clear and set, and how they are drawn.
    fonts: [u16; 2],
    glyphs: Vec<u32>,
    cell: (u8, bool, bool),
    size: (u32, u32),
    shift: (usize, u8, u16),
    border: u32,
    is_shown: bool,
}

impl Vga {
    /// Returns the appearance of text; `None` in graphics, and on a CGA, where it cannot change.
    pub fn text_style(&self) -> Option<TextStyle> {
        let (registers, crtc) = (&self.registers, &self.registers.crtc);
        if self.cga.is_some() || registers.is_graphics() {
            return None;
        }
        let fonts = [false, true].map(|bit| registers.sequencer.font_offset(bit));
        let first = usize::from(fonts[0]);
        let nine_dots = registers.sequencer.nine_dots();
        Some(TextStyle {
            fonts,
            glyphs: self.planes.run(first..first + FONT).to_vec(),
            cell: (crtc.row_height(), nine_dots, registers.attribute.line_graphics()),
            size: (crtc.horizontal_displayed(), crtc.vertical_displayed()),
            shift: (registers.attribute.panning(nine_dots), crtc.preset_row_scan(), crtc.byte_panning()),
            border: registers.dac.rgb(registers.attribute.overscan()),
            is_shown: !registers.sequencer.screen_off() && !registers.attribute.palette_released(),
        })
    }

    /// Returns the changed part of the appearance: in graphics only the border, on a CGA nothing.
    pub fn text_style_difference(&self, was: &TextStyle) -> Option<&'static str> {
        let (registers, crtc) = (&self.registers, &self.registers.crtc);
        let has_same_border = registers.dac.rgb(registers.attribute.overscan()) == was.border;
        if self.cga.is_some() || registers.is_graphics() {
            return (self.cga.is_none() && !has_same_border).then_some("the border");
        }
        let nine_dots = registers.sequencer.nine_dots();
        let fonts = [false, true].map(|bit| registers.sequencer.font_offset(bit));
        let first = usize::from(fonts[0]);
        let glyphs = self.planes.run(first..first + FONT);
        let height = usize::from(crtc.row_height()).min(LINES);
        // Lines below the height of a character are not shown.
        let changed = || {
            let pairs = glyphs.chunks(LINES).zip(was.glyphs.chunks(LINES));
            pairs.fold(0, |bits, (now, was)| {
                now[..height].iter().zip(was).fold(bits, |bits, (now, was)| bits | (now ^ was))
            })
        };
        let is_shown = !registers.sequencer.screen_off() && !registers.attribute.palette_released();
        let parts = [
            ("whether there is a picture", is_shown == was.is_shown),
            ("the size of the screen", (crtc.horizontal_displayed(), crtc.vertical_displayed()) == was.size),
            (
                "the size of the characters",
                (crtc.row_height(), nine_dots, registers.attribute.line_graphics()) == was.cell,
            ),
            (
                "the position of the picture",
                (registers.attribute.panning(nine_dots), crtc.preset_row_scan(), crtc.byte_panning())
                    == was.shift,
            ),
            ("the border", has_same_border),
            ("the font", fonts == was.fonts && changed() & FONT_PLANE == 0),
        ];
        parts.into_iter().find(|(_, is_same)| !is_same).map(|(part, _)| part)
    }
}

#[cfg(test)]
mod tests {
    use crate::machine::{Config, Machine, Until};

    #[test]
    fn what_looks_otherwise() {
        let rows: [(&str, &[u8], Option<&str>); 5] = [
            ("nothing", b"\xB4\x00\xCD\x16", None),
            // mov ax, 1112h; mov bl, 0; int 10h
            (
                "the font of 8 lines",
                b"\xB8\x12\x11\xB3\x00\xCD\x10\xB4\x00\xCD\x16",
                Some("the size of the characters"),
            ),
            // mov ax, 1001h; mov bh, 4; int 10h
            ("the border", b"\xB8\x01\x10\xB7\x04\xCD\x10\xB4\x00\xCD\x16", Some("the border")),
            // mov ax, 1100h; mov bx, 1000h; mov cx, 1; mov dx, 'A'; mov bp, 100h; int 10h
            (
                "a glyph",
                b"\xB8\x00\x11\xBB\x00\x10\xB9\x01\x00\xBA\x41\x00\xBD\x00\x01\xCD\x10\xB4\x00\xCD\x16",
                Some("the font"),
            ),
            // mov dx, 3C4h; mov ax, 2001h; out dx, ax
            (
                "no picture",
                b"\xBA\xC4\x03\xB8\x01\x20\xEF\xB4\x00\xCD\x16",
                Some("whether there is a picture"),
            ),
        ];
        for (name, program, expected) in rows {
            let mut machine = Machine::start(&Config::default(), program, "P.COM", "").expect("a machine");
            let was = machine.hardware().vga.text_style().expect("a text mode");
            machine.run(&Until::KEY_WAIT, &mut ());
            assert_eq!(machine.hardware().vga.text_style_difference(&was), expected, "{name}");
        }
    }
}
