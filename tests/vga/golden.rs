//! Golden pictures: PNG files of oxbox-machine, which its own tests also compare.

use oxbox::hardware::vga::Frame;
use oxbox_media::picture::Picture;
use oxbox_media::pixels::Pixels;
use std::fs;
use std::path::Path;

/// Compares a picture with its golden file. A different picture is written to a temporary folder.
///
/// With OXBOX_BLESS set, it is written to the golden file instead. An equal picture is never
/// written, because the tests of oxbox-machine encode the same files in another way.
pub(crate) fn check(name: &str, frame: &Frame) {
    let goldens = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/machine/tests/goldens/vga");
    let golden = goldens.join(format!("{name}.png"));
    let actual = Picture::from(frame.clone());
    let difference = match fs::read(&golden) {
        Ok(bytes) => Pixels::from(&actual).difference(Pixels::from(&Picture::decode(&bytes).unwrap())),
        Err(error) => Some(format!("{}: {error}; OXBOX_BLESS=1 writes it", golden.display())),
    };
    let Some(difference) = difference else { return };
    if std::env::var_os("OXBOX_BLESS").is_some() {
        fs::write(&golden, actual.encode().unwrap()).unwrap();
        return;
    }
    let folder = std::env::temp_dir().join("oxbox-goldens");
    fs::create_dir_all(&folder).unwrap();
    let seen = folder.join(format!("{name}.png"));
    fs::write(&seen, actual.encode().unwrap()).unwrap();
    panic!("{name}: {difference}; see {}", seen.display());
}
