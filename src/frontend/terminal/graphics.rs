//! Pictures for terminals that support them: kitty's graphics protocol, and sixels.
//!
//! Both are byte strings for a cursor at the picture's upper left corner.

use std::collections::BTreeMap;
use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use oxbox::hardware::vga::Frame;
use oxbox::media::picture::Picture;

/// Bytes of base64 per chunk of the protocol.
const PIECE: usize = 4096;

/// The picture's number for kitty: a picture with the same number replaces it.
const NUMBER: u32 = 79;

/// Colour registers of a sixel picture.
const MOST_COLOURS: usize = 256;

/// Returns the picture over these columns and rows, for kitty: a PNG that the terminal scales.
pub(super) fn kitty(frame: &Frame, columns: usize, rows: usize) -> Vec<u8> {
    let Ok(png) = Picture::from(frame.clone()).encode() else { return Vec::new() };
    let text = STANDARD.encode(png);
    let mut out = Vec::with_capacity(text.len() + 256);
    let pieces = text.as_bytes().chunks(PIECE);
    let last = pieces.len().saturating_sub(1);
    for (number, piece) in pieces.enumerate() {
        let more = u8::from(number < last);
        // Shown at once, without a response, without moving the cursor.
        let control = if number == 0 {
            format!("a=T,f=100,i={NUMBER},p=1,q=2,C=1,c={columns},r={rows},m={more}")
        } else {
            format!("m={more}")
        };
        out.extend(format!("\x1b_G{control};").as_bytes());
        out.extend(piece);
        out.extend(b"\x1b\\");
    }
    out
}

/// Returns the command that removes kitty's picture.
pub(super) fn kitty_delete() -> Vec<u8> {
    format!("\x1b_Ga=d,d=I,i={NUMBER},q=2\x1b\\").into_bytes()
}

/// Returns the picture as sixels, `width` by `height` pixels of the terminal.
pub(super) fn sixel(frame: &Frame, width: usize, height: usize) -> Vec<u8> {
    let (pixels, palette) = indexed(frame, width, height);
    // Background unchanged, square pixels.
    let mut out = format!("\x1bP0;1;0q\"1;1;{width};{height}");
    for (number, rgb) in palette.iter().enumerate() {
        let [_, red, green, blue] = rgb.to_be_bytes().map(|channel| u32::from(channel) * 100 / 255);
        let _ = write!(out, "#{number};2;{red};{green};{blue}");
    }
    for band in pixels.chunks(width.max(1) * 6) {
        let mut planes: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
        for (y, line) in band.chunks(width).enumerate() {
            for (x, &colour) in line.iter().enumerate() {
                planes.entry(colour).or_insert_with(|| vec![0; width])[x] |= 1 << y;
            }
        }
        for (colour, plane) in planes {
            let _ = write!(out, "#{colour}");
            write_runs(&plane, &mut out);
            out.push('$');
        }
        out.push('-');
    }
    out.push_str("\x1b\\");
    out.into_bytes()
}

/// Returns the picture scaled to another size by repeating or skipping pixels, as colour numbers.
/// If there are more colours than registers, they are quantised more coarsely.
fn indexed(frame: &Frame, width: usize, height: usize) -> (Vec<u8>, Vec<u32>) {
    let coarse = |mask: u32| -> Option<(Vec<u8>, Vec<u32>)> {
        let mut numbers: BTreeMap<u32, u8> = BTreeMap::new();
        let mut palette = Vec::new();
        let mut pixels = Vec::with_capacity(width * height);
        for y in 0..height {
            let line = &frame.pixels[y * frame.height / height * frame.width..][..frame.width];
            for x in 0..width {
                let colour = line[x * frame.width / width] & mask;
                let next = palette.len();
                let number = *numbers.entry(colour).or_insert_with(|| {
                    palette.push(colour);
                    next as u8
                });
                if palette.len() > MOST_COLOURS {
                    return None;
                }
                pixels.push(number);
            }
        }
        Some((pixels, palette))
    };
    [0xFF_FF_FF, 0xF0_F0_F0, 0xE0_E0_C0].into_iter().find_map(coarse).unwrap_or_default()
}

/// Writes a line of sixels, with runs compressed.
fn write_runs(plane: &[u8], out: &mut String) {
    let filled = plane.iter().rposition(|&bits| bits != 0).map_or(0, |last| last + 1);
    for run in plane[..filled].chunk_by(|a, b| a == b) {
        let sixel = char::from(0x3F + run[0]);
        if run.len() > 3 {
            let _ = write!(out, "!{}{sixel}", run.len());
        } else {
            out.extend(std::iter::repeat_n(sixel, run.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> Frame {
        Frame { width: 2, height: 2, pixels: vec![0xFF0000, 0, 0, 0xFF0000], pixel_aspect: (1, 1), border: 0 }
    }

    #[test]
    fn sixels_have_registers_and_bands() {
        let text = String::from_utf8(sixel(&frame(), 2, 2)).unwrap();
        assert_eq!(text, "\x1bP0;1;0q\"1;1;2;2#0;2;100;0;0#1;2;0;0;0#0@A$#1A@$-\x1b\\");
        let large = String::from_utf8(sixel(&frame(), 20, 14)).unwrap();
        assert_eq!(large.matches('-').count(), 3);
        assert!(large.contains("#0!10~$#1!10?!10~$"), "{large}");
    }

    #[test]
    fn more_colours_than_registers_are_told_apart_coarsely() {
        let pixels = (0..64 * 64).map(|at| (at * 0x0004_0301) & 0xFF_FF_FF).collect();
        let frame = Frame { width: 64, height: 64, pixels, pixel_aspect: (1, 1), border: 0 };
        let (pixels, palette) = indexed(&frame, 64, 64);
        assert!(pixels.len() == 64 * 64 && palette.len() <= MOST_COLOURS, "{}", palette.len());
    }

    #[test]
    fn kittys_pieces_are_as_long_as_they_may_be() {
        let pixels = (0..200 * 200).map(|at: u32| at.wrapping_mul(2_654_435_761) >> 8).collect();
        let noise = Frame { width: 200, height: 200, pixels, pixel_aspect: (1, 1), border: 0 };
        let text = String::from_utf8(kitty(&noise, 80, 24)).unwrap();
        let pieces: Vec<&str> = text.split("\x1b\\").filter(|piece| !piece.is_empty()).collect();
        assert!(pieces.len() > 2);
        let starts_well = |piece: &&str| piece.starts_with("\x1b_G");
        assert!(pieces.iter().all(|piece| starts_well(piece) && piece.len() < PIECE + 100));
        assert!(pieces[0].contains("c=80,r=24,m=1;") && pieces[pieces.len() - 1].starts_with("\x1b_Gm=0;"));
    }
}
