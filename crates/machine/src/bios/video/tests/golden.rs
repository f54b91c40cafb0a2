//! Golden pictures: PNG files in `crates/machine/tests/goldens/vga`, compared pixel by pixel.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/vga").join(format!("{name}.png"))
}

fn write(path: &Path, (width, height): (usize, usize), bytes: &[u8]) {
    let file = BufWriter::new(File::create(path).unwrap());
    let mut encoder = png::Encoder::new(file, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().unwrap().write_image_data(bytes).unwrap();
}

/// Returns width, height and RGB bytes of a PNG file without transparency.
fn read(path: &Path) -> Option<(usize, usize, Vec<u8>)> {
    let mut decoder = png::Decoder::new(BufReader::new(File::open(path).ok()?));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).unwrap();
    pixels.truncate(info.buffer_size());
    Some((info.width as usize, info.height as usize, pixels))
}

/// Compares a picture of 00RRGGBBh pixels with its golden file. A different picture is written to a
/// temporary folder.
pub(super) fn check(name: &str, size: (usize, usize), pixels: &[u32]) {
    let golden = path(name);
    let actual: Vec<u8> = pixels.iter().flat_map(|pixel| pixel.to_be_bytes().into_iter().skip(1)).collect();
    if std::env::var_os("OXBOX_BLESS").is_some() {
        write(&golden, size, &actual);
        return;
    }
    let Some((width, height, expected)) = read(&golden) else {
        panic!("{name}: there is no {}; OXBOX_BLESS=1 writes it", golden.display());
    };
    if size == (width, height) && actual == expected {
        return;
    }
    let folder = std::env::temp_dir().join("oxbox-goldens");
    std::fs::create_dir_all(&folder).unwrap();
    let seen = folder.join(format!("{name}.png"));
    write(&seen, size, &actual);
    let first = actual.chunks(3).zip(expected.chunks(3)).position(|(a, b)| a != b);
    let place = first.map(|at| (at % size.0, at / size.0));
    panic!(
        "{name}: {size:?} against {width}x{height}, first difference at {place:?}; see {}",
        seen.display()
    );
}
