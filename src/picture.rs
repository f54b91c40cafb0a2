//! Pictures as PNG files: one file pixel a guest pixel, the pixel's shape in the pHYs chunk.

use std::io::{self, Cursor};

use png::{BitDepth, ColorType, Decoder, Encoder, PixelDimensions, Transformations, Unit};

use crate::hardware::vga::Frame;

/// A picture with more pixels is none of a VGA.
const MOST_PIXELS: u64 = 4 << 20;

/// A picture, one entry a pixel.
///
/// ```
/// use oxbox::picture::Picture;
///
/// let picture = Picture { width: 2, height: 1, pixels: vec![0x112233, 0xFFAA00], aspect: (5, 6) };
/// let read = Picture::decode(&picture.encode()?)?;
/// assert_eq!(read.pixels, picture.pixels);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels a line.
    pub width: usize,
    /// Lines.
    pub height: usize,
    /// 00RRGGBB, line after line from the top.
    pub pixels: Vec<u32>,
    /// Width and height of a pixel on the monitor.
    pub aspect: (u32, u32),
}

impl From<Frame> for Picture {
    fn from(frame: Frame) -> Picture {
        let Frame { width, height, pixels, pixel_aspect, .. } = frame;
        Picture { width, height, pixels, aspect: pixel_aspect }
    }
}

impl Picture {
    /// Reads the bytes of a PNG file. Palettes and other depths become eight bits a colour; the pixels count as square.
    ///
    /// # Errors
    /// Why it is none, or that it is larger than any screen.
    pub fn decode(bytes: &[u8]) -> Result<Picture, String> {
        let mut decoder = Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
        let (width, height) = reader.info().size();
        if u64::from(width) * u64::from(height) > MOST_PIXELS {
            return Err(format!("it has {width} by {height} pixels, which no screen has"));
        }
        let size = reader.output_buffer_size().ok_or("it is too large")?;
        let mut samples = vec![0; size];
        let info = reader.next_frame(&mut samples).map_err(|error| error.to_string())?;
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

    /// The bytes of a PNG file.
    ///
    /// # Errors
    /// When the picture has no pixels.
    pub fn encode(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        // Pixels per unit: a pixel twice as wide has half as many across.
        let (across, down) = (self.aspect.1.max(1), self.aspect.0.max(1));
        encoder.set_pixel_dims(Some(PixelDimensions { xppu: across, yppu: down, unit: Unit::Unspecified }));
        let rgb: Vec<u8> =
            self.pixels.iter().flat_map(|pixel| pixel.to_be_bytes().into_iter().skip(1)).collect();
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        writer.write_image_data(&rgb).map_err(io::Error::other)?;
        drop(writer);
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_survives_the_file() {
        let picture = Picture { width: 2, height: 1, pixels: vec![0x112233, 0xFFAA00], aspect: (5, 6) };
        let bytes = picture.encode().unwrap();
        let mut reader = Decoder::new(Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, [0x11, 0x22, 0x33, 0xFF, 0xAA, 0x00]);
        let dimensions = reader.info().pixel_dims.unwrap();
        assert_eq!((dimensions.xppu, dimensions.yppu), (6, 5));
    }
}
