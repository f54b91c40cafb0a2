//! A hash of many small values: they are collected in a buffer, which is hashed when it is full.

use xxhash_rust::xxh3::Xxh3;

const BUFFER: usize = 1024;

/// The XXH3 hash of bytes that arrive in small parts.
pub(super) struct BufferedHash {
    hash: Xxh3,
    buffer: [u8; BUFFER],
    filled: usize,
}

impl BufferedHash {
    pub(super) fn new() -> Self {
        BufferedHash { hash: Xxh3::new(), buffer: [0; BUFFER], filled: 0 }
    }

    /// Appends bytes.
    #[inline]
    pub(super) fn update(&mut self, bytes: &[u8]) {
        match self.buffer.get_mut(self.filled..self.filled + bytes.len()) {
            Some(free) => {
                free.copy_from_slice(bytes);
                self.filled += bytes.len();
            }
            None => self.spill(bytes),
        }
    }

    #[cold]
    fn spill(&mut self, bytes: &[u8]) {
        self.hash.update(&self.buffer[..self.filled]);
        self.hash.update(bytes);
        self.filled = 0;
    }

    pub(super) fn digest(mut self) -> u64 {
        self.spill(&[]);
        self.hash.digest()
    }

    pub(super) fn digest128(mut self) -> u128 {
        self.spill(&[]);
        self.hash.digest128()
    }
}
