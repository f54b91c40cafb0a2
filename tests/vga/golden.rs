//! Golden pictures: PNG files of oxbox-machine, which its own tests also compare.

use oxbox::hardware::vga::Frame;
use oxbox_media::picture::Picture;
use std::path::Path;

/// Compares a picture with its golden file. A different picture is written to a temporary folder.
pub(crate) fn check(name: &str, frame: &Frame) {
    let goldens = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/machine/tests/goldens/vga");
    let golden = goldens.join(format!("{name}.png"));
    let actual = Picture::from(frame.clone());
    let bytes = actual.encode().unwrap();
    if std::env::var_os("OXBOX_BLESS").is_some() {
        std::fs::write(&golden, bytes).unwrap();
        return;
    }
    let expected = std::fs::read(&golden)
        .unwrap_or_else(|error| panic!("{}: {error}; OXBOX_BLESS=1 writes it", golden.display()));
    let expected = Picture::decode(&expected).unwrap();
    let size = (expected.width, expected.height);
    if size == (actual.width, actual.height) && expected.pixels == actual.pixels {
        return;
    }
    let folder = std::env::temp_dir().join("oxbox-goldens");
    std::fs::create_dir_all(&folder).unwrap();
    let seen = folder.join(format!("{name}.png"));
    std::fs::write(&seen, bytes).unwrap();
    let first = actual.pixels.iter().zip(&expected.pixels).position(|(a, b)| a != b);
    let place = first.map(|index| (index % actual.width, index / actual.width));
    panic!(
        "{name}: {}x{} against {size:?}, first difference at {place:?}; see {}",
        actual.width,
        actual.height,
        seen.display()
    );
}
