//! Pictures as PNG in a `data:` address.

use std::io;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use oxbox::media::picture::Picture;

/// The address of a picture of so many pixels a line, 00RRGGBB each.
///
/// # Errors
/// When it has no pixels.
pub(super) fn address(width: usize, pixels: &[u32]) -> io::Result<String> {
    let height = pixels.len() / width.max(1);
    let picture = Picture { width, height, pixels: pixels.to_vec(), aspect: (1, 1) };
    Ok(format!("data:image/png;base64,{}", STANDARD.encode(picture.encode()?)))
}
