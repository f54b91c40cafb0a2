//! Pictures as PNG in a `data:` address. Screens have few colours, so a palette makes them a third of what true colour takes.

use std::collections::BTreeMap;
use std::io;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use png::{BitDepth, ColorType, Compression, Encoder};

/// The address of a picture of so many pixels a line, 00RRGGBB each.
///
/// # Errors
/// When it has no pixels.
pub(super) fn address(width: usize, pixels: &[u32]) -> io::Result<String> {
    Ok(format!("data:image/png;base64,{}", STANDARD.encode(encoded(width, pixels)?)))
}

fn encoded(width: usize, pixels: &[u32]) -> io::Result<Vec<u8>> {
    let mut colours: BTreeMap<u32, u8> = BTreeMap::new();
    let mut indices = Vec::with_capacity(pixels.len());
    for pixel in pixels {
        let next = colours.len();
        let index = *colours.entry(*pixel).or_insert(next as u8);
        indices.push(index);
        if colours.len() > 256 {
            break;
        }
    }
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width as u32, (pixels.len() / width.max(1)) as u32);
    encoder.set_compression(Compression::High);
    let rgb = |colour: &u32| colour.to_be_bytes().into_iter().skip(1);
    let data = if indices.len() < pixels.len() || colours.len() > 256 {
        encoder.set_color(ColorType::Rgb);
        pixels.iter().flat_map(rgb).collect()
    } else {
        let mut palette = vec![0; 3 * colours.len()];
        for (colour, &index) in &colours {
            palette[3 * usize::from(index)..][..3].copy_from_slice(&colour.to_be_bytes()[1..]);
        }
        encoder.set_color(ColorType::Indexed);
        encoder.set_palette(palette);
        let bits = match colours.len() {
            ..=2 => 1,
            3..=4 => 2,
            5..=16 => 4,
            _ => 8,
        };
        encoder.set_depth(match bits {
            1 => BitDepth::One,
            2 => BitDepth::Two,
            4 => BitDepth::Four,
            _ => BitDepth::Eight,
        });
        packed(&indices, width, bits)
    };
    let mut writer = encoder.write_header().map_err(io::Error::other)?;
    writer.write_image_data(&data).map_err(io::Error::other)?;
    drop(writer);
    Ok(bytes)
}

/// Indices of so many bits each, the first in the highest bits; a line begins with a byte of its own.
fn packed(indices: &[u8], width: usize, bits: usize) -> Vec<u8> {
    let line = |line: &[u8]| -> Vec<u8> {
        let byte = |few: &[u8]| {
            few.iter().enumerate().fold(0, |byte, (at, index)| byte | index << (8 - bits * (at + 1)))
        };
        line.chunks(8 / bits).map(byte).collect()
    };
    indices.chunks(width.max(1)).flat_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxbox::picture::Picture;

    #[test]
    fn pictures_survive() {
        for colours in [1, 2, 3, 4, 5, 16, 17, 256, 257, 300] {
            let pixels: Vec<u32> = (0..7 * 60).map(|at| (at % colours * 0x01_03_05) & 0xFF_FFFF).collect();
            let picture = Picture::decode(&encoded(7, &pixels).unwrap()).unwrap();
            assert!(picture.width == 7 && picture.pixels == pixels, "{colours} colours");
        }
    }
}
