//! PNG files: one file pixel per guest pixel, with the pixel's aspect ratio in the pHYs chunk.

use std::collections::BTreeMap;
use std::io::{self, Cursor};

use png::{BitDepth, ColorType, Decoder, Encoder, PixelDimensions, Transformations, Unit};

use crate::pixels::Pixels;
use oxbox_machine::hardware::vga::Frame;

/// No VGA picture has more pixels than this.
const MOST_PIXELS: u64 = 4 << 20;

/// The reason why bytes are not a picture of a screen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// Not a PNG file, or a damaged one.
    #[error("not a PNG file, or a damaged one: {0}")]
    Damaged(#[from] png::DecodingError),
    /// The picture has more pixels than any screen.
    #[error("it has {0} by {1} pixels, more than any screen")]
    TooLarge(u32, u32),
}

/// A picture, one entry per pixel.
///
/// ```
/// use oxbox_media::picture::Picture;
///
/// let picture = Picture { width: 2, height: 1, pixels: vec![0x112233, 0xFFAA00], aspect: (5, 6) };
/// let read = Picture::decode(&picture.encode()?)?;
/// assert_eq!(read.pixels, picture.pixels);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels per line.
    pub width: usize,
    /// Number of lines.
    pub height: usize,
    /// 00RRGGBB, in rows from the top.
    pub pixels: Vec<u32>,
    /// Width and height of a pixel on the monitor, as a ratio.
    pub aspect: (u32, u32),
}

impl From<Frame> for Picture {
    fn from(frame: Frame) -> Picture {
        let Frame { width, height, pixels, pixel_aspect, .. } = frame;
        Picture { width, height, pixels, aspect: pixel_aspect }
    }
}

impl<'a> From<&'a Picture> for Pixels<'a> {
    fn from(picture: &'a Picture) -> Self {
        Pixels { width: picture.width, pixels: &picture.pixels }
    }
}

impl Picture {
    /// Decodes a PNG file. Palettes and other bit depths become eight bits per colour. The pixels
    /// are assumed to be square.
    ///
    /// # Errors
    /// Fails if the bytes are not a PNG file, or if the picture is larger than any screen.
    pub fn decode(bytes: &[u8]) -> Result<Picture, PictureError> {
        let mut decoder = Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(Transformations::normalize_to_color8());
        let mut reader = decoder.read_info()?;
        let (width, height) = reader.info().size();
        if u64::from(width) * u64::from(height) > MOST_PIXELS {
            return Err(PictureError::TooLarge(width, height));
        }
        let size = reader.output_buffer_size().ok_or(PictureError::TooLarge(width, height))?;
        let mut samples = vec![0; size];
        let info = reader.next_frame(&mut samples)?;
        let rgb = |r: u8, g: u8, b: u8| u32::from_be_bytes([0, r, g, b]);
        let pixels = samples[..info.buffer_size()].chunks_exact(info.color_type.samples());
        let pixels = pixels.map(|pixel| match *pixel {
            [r, g, b] | [r, g, b, _] => rgb(r, g, b),
            [grey] | [grey, _] => rgb(grey, grey, grey),
            _ => 0,
        });
        Ok(Picture {
            width: width as usize,
            height: height as usize,
            pixels: pixels.collect(),
            aspect: (1, 1),
        })
    }

    /// Encodes a PNG file, with a palette for up to 256 colours, which takes a third of the space
    /// of true colour.
    ///
    /// # Errors
    /// Fails if the picture has no pixels.
    pub fn encode(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        // Pixels per unit: if a pixel is twice as wide, there are half as many.
        let (across, down) = (self.aspect.1.max(1), self.aspect.0.max(1));
        encoder.set_pixel_dims(Some(PixelDimensions { xppu: across, yppu: down, unit: Unit::Unspecified }));
        let data = if let Some((colours, indices)) = indexed(&self.pixels) {
            let (depth, bits) = match colours.len() {
                ..=2 => (BitDepth::One, 1),
                3..=4 => (BitDepth::Two, 2),
                5..=16 => (BitDepth::Four, 4),
                _ => (BitDepth::Eight, 8),
            };
            encoder.set_color(ColorType::Indexed);
            encoder.set_depth(depth);
            encoder.set_palette(rgb(&colours));
            packed(&indices, self.width, bits)
        } else {
            encoder.set_color(ColorType::Rgb);
            rgb(&self.pixels)
        };
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        writer.write_image_data(&data).map_err(io::Error::other)?;
        drop(writer);
        Ok(bytes)
    }
}

fn rgb(colours: &[u32]) -> Vec<u8> {
    colours.iter().flat_map(|colour| colour.to_be_bytes().into_iter().skip(1)).collect()
}

/// Returns the colours in the order of their first occurrence, and the colour index of each pixel;
/// `None` for more than 256 colours.
fn indexed(pixels: &[u32]) -> Option<(Vec<u32>, Vec<u8>)> {
    let (mut colours, mut numbers) = (Vec::new(), BTreeMap::new());
    let mut indices = Vec::with_capacity(pixels.len());
    let mut last = None;
    for &pixel in pixels {
        let index = match last {
            Some((same, index)) if same == pixel => index,
            _ => match numbers.get(&pixel) {
                Some(&index) => index,
                None => {
                    let index = u8::try_from(colours.len()).ok()?;
                    colours.push(pixel);
                    numbers.insert(pixel, index);
                    index
                }
            },
        };
        last = Some((pixel, index));
        indices.push(index);
    }
    Some((colours, indices))
}

/// Packs indices of `bits` bits, the first in the highest bits. Each line starts with a new byte.
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

    #[test]
    fn a_picture_survives_the_file() {
        for colours in [1, 2, 3, 4, 5, 16, 17, 256, 257, 300] {
            let pixels: Vec<u32> = (0..7 * 60).map(|at| (at % colours * 0x01_03_05) & 0xFF_FFFF).collect();
            let picture = Picture { width: 7, height: 60, pixels, aspect: (5, 6) };
            let bytes = picture.encode().unwrap();
            let read = Picture::decode(&bytes).unwrap();
            assert_eq!((read.width, &read.pixels), (7, &picture.pixels), "{colours} colours");
            let reader = Decoder::new(Cursor::new(bytes)).read_info().unwrap();
            let dimensions = reader.info().pixel_dims.unwrap();
            assert_eq!((dimensions.xppu, dimensions.yppu), (6, 5));
        }
        assert!(Picture::decode(b"no picture").is_err());
    }
}
