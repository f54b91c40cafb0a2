//! Short lines in the upper right corner of the window's picture: states that are not the default.
//!
//! In the PC's font, white on the dimmed picture, large enough to be read in any window.

use oxbox::hardware::vga::cp437;

/// The VGA's glyphs: 16 bytes each, from the top, bit 7 the left pixel.
use oxbox::fonts::VGA_8X16;

/// Columns and lines of a glyph.
const GLYPH: (usize, usize) = (8, 16);

/// The height of a window in which a pixel of a glyph is one window pixel.
const HEIGHT_OF_ONE: usize = 400;

/// Glyph pixels between the lines and the edge, and around the letters.
const MARGIN: usize = 8;
const PADDING: usize = 4;

pub(crate) fn draw(lines: &[String], width: usize, height: usize, pixels: &mut [u32]) {
    let scale = (height / HEIGHT_OF_ONE).max(1);
    let line_height = (GLYPH.1 + 2 * PADDING) * scale;
    for (number, line) in lines.iter().enumerate() {
        let top = MARGIN * scale + number * (line_height + PADDING * scale);
        if top + line_height > height {
            return;
        }
        draw_line(line, scale, top, width, pixels);
    }
}

fn draw_line(line: &str, scale: usize, top: usize, width: usize, pixels: &mut [u32]) {
    let room = width.saturating_sub(2 * (MARGIN + PADDING) * scale) / (GLYPH.0 * scale);
    let codes: Vec<u8> =
        line.chars().take(room).map(|character| cp437::from_char(character).unwrap_or(b'?')).collect();
    let (wide, high) = ((codes.len() * GLYPH.0 + 2 * PADDING) * scale, (GLYPH.1 + 2 * PADDING) * scale);
    let Some(left) = width.checked_sub(wide + MARGIN * scale) else { return };
    for y in 0..high {
        let row = &mut pixels[(top + y) * width + left..][..wide];
        for (x, pixel) in row.iter_mut().enumerate() {
            *pixel = if is_ink(&codes, x / scale, y / scale) { 0xFF_FF_FF } else { *pixel >> 2 & 0x3F_3F_3F };
        }
    }
}

/// Whether a letter covers a position of the line, in glyph pixels.
fn is_ink(codes: &[u8], x: usize, y: usize) -> bool {
    let (Some(x), Some(y)) = (x.checked_sub(PADDING), y.checked_sub(PADDING)) else { return false };
    let Some(&code) = codes.get(x / GLYPH.0) else { return false };
    y < GLYPH.1 && VGA_8X16[usize::from(code) * GLYPH.1 + y] & 0x80 >> (x % GLYPH.0) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_in_the_corner() {
        let (width, height) = (200, 100);
        let mut pixels = vec![0x80_80_80; width * height];
        draw(&["paused".to_owned(), "\u{2022}".to_owned()], width, height, &mut pixels);
        let at = |x: usize, y: usize| pixels[y * width + x];
        assert_eq!(at(0, 0), 0x80_80_80);
        assert_eq!(at(width - MARGIN - 1, MARGIN), 0x20_20_20, "darkened");
        let white = pixels.iter().filter(|&&pixel| pixel == 0xFF_FF_FF).count();
        assert!((100..400).contains(&white), "{white}");
        let lowest = (0..height).rev().find(|&y| (0..width).any(|x| at(x, y) != 0x80_80_80));
        assert_eq!(lowest, Some(MARGIN + 2 * (GLYPH.1 + 2 * PADDING) + PADDING - 1));
    }

    #[test]
    fn no_size_panics() {
        let lines = vec!["a line that is longer than most windows are wide".to_owned(); 9];
        for (width, height) in [(0, 0), (1, 1), (30, 500), (500, 30), (64, 64), (1000, 2000)] {
            draw(&lines, width, height, &mut vec![0; width * height]);
        }
    }
}
