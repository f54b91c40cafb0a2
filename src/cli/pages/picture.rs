//! Pictures as PNG in a `data:` address.

use std::io;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use oxbox::media::picture::Picture;

/// Returns the address of a picture with this many pixels per line, 00RRGGBB each. Fails if it has
/// no pixels.
pub(super) fn address(width: usize, pixels: &[u32]) -> io::Result<String> {
    let height = pixels.len() / width.max(1);
    let picture = Picture { width, height, pixels: pixels.to_vec(), aspect: (1, 1) };
    Ok(format!("data:image/png;base64,{}", STANDARD.encode(picture.encode()?)))
}
