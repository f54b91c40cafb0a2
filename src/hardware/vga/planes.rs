//! The memory of the VGA: four planes of 64 KiB, one `u32` an address, plane 0 in the low byte.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Addresses in a plane.
pub(super) const SIZE: usize = 0x1_0000;

/// 256 KiB; index by plane address.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub(super) struct Planes(pub(super) Box<[u32; SIZE]>);

impl Planes {
    pub(super) fn new() -> Self {
        Planes(vec![0; SIZE].into_boxed_slice().try_into().expect("the length is SIZE"))
    }

    /// The bytes of the four planes at an address.
    #[inline]
    pub(super) fn at(&self, address: u16) -> u32 {
        self.0[usize::from(address)]
    }

    #[inline]
    pub(super) fn at_mut(&mut self, address: u16) -> &mut u32 {
        &mut self.0[usize::from(address)]
    }
}

impl fmt::Debug for Planes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Planes(256 KiB)")
    }
}

impl From<Planes> for Vec<u8> {
    fn from(planes: Planes) -> Self {
        planes.0.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

impl TryFrom<Vec<u8>> for Planes {
    type Error = &'static str;

    fn try_from(bytes: Vec<u8>) -> Result<Self, Self::Error> {
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        let words = words.into_boxed_slice().try_into().map_err(|_| "video memory must have 256 KiB")?;
        Ok(Planes(words))
    }
}
