//! Pictures as PNG files: kept in `tests/goldens/vga`, compared pixel by pixel.

use oxbox::hardware::vga::Frame;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/vga").join(format!("{name}.png"))
}

fn bytes(frame: &Frame) -> Vec<u8> {
    frame.pixels.iter().flat_map(|&pixel| [(pixel >> 16) as u8, (pixel >> 8) as u8, pixel as u8]).collect()
}

fn write(path: &Path, frame: &Frame) {
    let file = BufWriter::new(File::create(path).unwrap());
    let mut encoder = png::Encoder::new(file, frame.width as u32, frame.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().unwrap().write_image_data(&bytes(frame)).unwrap();
}

/// Width, height and RGB bytes of a PNG file without transparency.
pub(crate) fn read(path: &Path) -> Option<(usize, usize, Vec<u8>)> {
    let mut decoder = png::Decoder::new(BufReader::new(File::open(path).ok()?));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).unwrap();
    pixels.truncate(info.buffer_size());
    Some((info.width as usize, info.height as usize, pixels))
}

/// Holds a picture against its golden file. What differs is written beside the build's output.
pub(crate) fn check(name: &str, frame: &Frame) {
    let golden = path(name);
    if std::env::var_os("OXBOX_BLESS").is_some() {
        write(&golden, frame);
        return;
    }
    let Some((width, height, pixels)) = read(&golden) else {
        panic!("{name}: there is no {}; OXBOX_BLESS=1 writes it", golden.display());
    };
    let actual = bytes(frame);
    if (frame.width, frame.height) == (width, height) && actual == pixels {
        return;
    }
    let seen = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
    write(&seen, frame);
    let first = actual.chunks(3).zip(pixels.chunks(3)).position(|(a, b)| a != b);
    let place = first.map(|at| (at % frame.width, at / frame.width));
    panic!(
        "{name}: {}x{} against {width}x{height}, first difference at {place:?}; see {}",
        frame.width,
        frame.height,
        seen.display()
    );
}
