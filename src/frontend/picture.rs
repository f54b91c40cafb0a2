//! A frame as a PNG file: one file pixel a guest pixel, the pixel's shape in the pHYs chunk.

use std::io;
use std::path::{Path, PathBuf};

use png::{BitDepth, ColorType, PixelDimensions, Unit};

use oxbox::hardware::vga::Frame;
use oxbox::whole_file;

/// The frame as the bytes of a PNG file.
///
/// # Errors
/// When a picture has no pixels.
pub(crate) fn png_bytes(frame: &Frame) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, frame.width as u32, frame.height as u32);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    // Pixels per unit: a pixel twice as wide has half as many across.
    let (across, down) = (frame.pixel_aspect.1.max(1), frame.pixel_aspect.0.max(1));
    encoder.set_pixel_dims(Some(PixelDimensions { xppu: across, yppu: down, unit: Unit::Unspecified }));
    let rgb: Vec<u8> =
        frame.pixels.iter().flat_map(|pixel| pixel.to_be_bytes().into_iter().skip(1)).collect();
    encoder.write_header()?.write_image_data(&rgb)?;
    Ok(bytes)
}

/// Writes the frame as a PNG file.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn save(frame: &Frame, path: &Path) -> io::Result<()> {
    let bytes = png_bytes(frame).map_err(io::Error::other)?;
    whole_file::write(path, &bytes)
}

/// Reads a PNG file: pixels a line, and the pixels as 00RRGGBB.
///
/// # Errors
/// When the file cannot be read or is no PNG.
pub(crate) fn load(path: &Path) -> io::Result<(usize, Vec<u32>)> {
    let file = io::BufReader::new(std::fs::File::open(path)?);
    let mut decoder = png::Decoder::new(file);
    // Palettes and fewer bits become RGB or grey of eight bits, with or without transparency.
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(io::Error::other)?;
    let size = reader.output_buffer_size().ok_or_else(|| io::Error::other("the picture is too large"))?;
    let mut bytes = vec![0; size];
    let info = reader.next_frame(&mut bytes).map_err(io::Error::other)?;
    let samples = info.color_type.samples();
    let rgb = |pixel: &[u8]| match *pixel {
        [red, green, blue] | [red, green, blue, _] => u32::from_be_bytes([0, red, green, blue]),
        [grey] | [grey, _] => u32::from_be_bytes([0, grey, grey, grey]),
        _ => 0,
    };
    Ok((info.width as usize, bytes[..info.buffer_size()].chunks_exact(samples).map(rgb).collect()))
}

/// The first of `oxbox-NAME-001.EXTENSION`, `-002` and so on in the present folder that does not exist yet.
pub(crate) fn free_name(name: &str, extension: &str) -> PathBuf {
    let stem: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let numbered = |number: u32| PathBuf::from(format!("oxbox-{stem}-{number:03}.{extension}"));
    (1..1000).map(numbered).find(|path| !path.exists()).unwrap_or_else(|| numbered(1000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn a_picture_survives_the_file() {
        let frame =
            Frame { width: 2, height: 1, pixels: vec![0x112233, 0xFFAA00], pixel_aspect: (5, 6), border: 0 };
        let bytes = png_bytes(&frame).unwrap();
        let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, [0x11, 0x22, 0x33, 0xFF, 0xAA, 0x00]);
        let dimensions = reader.info().pixel_dims.unwrap();
        assert_eq!((dimensions.xppu, dimensions.yppu), (6, 5));
    }
}
