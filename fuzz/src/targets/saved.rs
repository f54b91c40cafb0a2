//! Saved states: any bytes are read or refused.
//!
//! Input: the file. If its first byte is odd, the rest is the part covered by the checksum, so that
//! the code after the check is reached too.

use oxbox::machine::SavedState;
use xxhash_rust::xxh3::xxh3_64;

pub(crate) fn run(input: &[u8]) {
    let Some((&kind, rest)) = input.split_first() else { return };
    let mut bytes = Vec::new();
    if kind & 1 != 0 {
        bytes.extend(b"OXBOXSAV\x01\0\0\0");
        bytes.extend(xxh3_64(rest).to_le_bytes());
    }
    bytes.extend(rest);
    let Ok(state) = SavedState::from_bytes(&bytes) else { return };
    let _ = state.check_program(1);
    let thumbnail = state.thumbnail();
    assert_eq!(thumbnail.pixels.len(), thumbnail.width * thumbnail.height);
    let _ = state.snapshot();
    assert_eq!(SavedState::from_bytes(&state.to_bytes().expect("bytes")).expect("the same state"), state);
}
