//! A fast hash for tables whose keys are numbers, such as addresses.

use std::hash::{BuildHasherDefault, Hasher};

/// 2^64 divided by the golden ratio: multiples of it are far apart.
pub(super) const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Builds the hash of a map or set of numbers: `HashMap<u32, T, NumberHash>`.
///
/// Numbers that follow each other get distant hashes. A guest that chooses its addresses badly only
/// makes itself slow.
pub type NumberHash = BuildHasherDefault<NumberHasher>;

/// The hasher of [`NumberHash`].
#[derive(Debug, Default)]
pub struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(MULTIPLIER).rotate_left(32);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}
