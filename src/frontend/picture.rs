//! Writes pictures of the screen to files.

use std::io;
use std::path::{Path, PathBuf};

use oxbox::atomic_file;
use oxbox::hardware::vga::Frame;
use oxbox::media::picture::Picture;

/// Writes the frame as a PNG file. Fails if the file cannot be written.
pub(crate) fn save(frame: &Frame, path: &Path) -> io::Result<()> {
    atomic_file::write(path, &Picture::from(frame.clone()).encode()?)
}

/// Returns the first of `oxbox-NAME-001.EXTENSION`, `-002` and so on in the current folder that
/// does not exist yet.
pub(crate) fn free_name(name: &str, extension: &str) -> PathBuf {
    let stem: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let numbered = |number: u32| PathBuf::from(format!("oxbox-{stem}-{number:03}.{extension}"));
    (1..1000).map(numbered).find(|path| !path.exists()).unwrap_or_else(|| numbered(1000))
}
