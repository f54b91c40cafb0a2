//! Extended memory and the memory of an expanded memory board. Blocks take host memory only once
//! written.
//!
//! Real mode does not reach this memory; its drivers in [`dos`](crate::dos) copy it. The board's
//! page frame is memory at E000:, which the drivers fill and empty.

use super::sparse::Sparse;
use serde::{Deserialize, Serialize, Serializer};

/// Linear address of the extended memory after the high memory area.
pub(crate) const EXTENDED_START: u32 = 0x11_0000;
/// Bytes of extended memory: the board has 16 MiB in all, with the first megabyte and the high memory area.
pub(crate) const EXTENDED: u32 = 0x100_0000 - EXTENDED_START;
/// Bytes of expanded memory.
pub(crate) const EXPANDED: u32 = 0x80_0000;

/// The two memories as stored in a snapshot.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct SavedExpansion {
    extended: Sparse,
    expanded: Sparse,
}

impl SavedExpansion {
    /// Blocks that are not shared with another one.
    pub(super) fn blocks_beyond(&self, other: &SavedExpansion) -> usize {
        self.extended.blocks_beyond(&other.extended) + self.expanded.blocks_beyond(&other.expanded)
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Expansion(SavedExpansion);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bank {
    Extended,
    Expanded,
}

impl Expansion {
    fn bank(&mut self, bank: Bank) -> &mut Sparse {
        match bank {
            Bank::Extended => &mut self.0.extended,
            Bank::Expanded => &mut self.0.expanded,
        }
    }

    pub(crate) fn read(&mut self, bank: Bank, at: u32, out: &mut [u8]) {
        self.bank(bank).read(u64::from(at), out);
    }

    pub(crate) fn write(&mut self, bank: Bank, at: u32, bytes: &[u8]) {
        self.bank(bank).write(u64::from(at), bytes);
    }

    /// Sets a range to zero: unallocated bytes are zero.
    pub(crate) fn clear(&mut self, bank: Bank, at: u32, len: u32) {
        const ZEROS: [u8; 4096] = [0; 4096];
        for offset in (0..len).step_by(ZEROS.len()) {
            let part = (len - offset).min(ZEROS.len() as u32) as usize;
            self.bank(bank).write(u64::from(at + offset), &ZEROS[..part]);
        }
    }

    pub(crate) fn save(&self) -> SavedExpansion {
        self.0.clone()
    }

    pub(crate) fn restore(&mut self, saved: &SavedExpansion) {
        self.0.clone_from(saved);
    }
}

/// For the state hash.
impl Serialize for Expansion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.0.extended.hash(), self.0.expanded.hash()).serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cleared_is_as_if_it_had_never_been_written() {
        let mut memory = Expansion::default();
        let blank = postcard::to_stdvec(&memory).unwrap();
        let saved = memory.save();
        let bytes: Vec<u8> = (0..9000_u32).map(|byte| byte as u8 | 1).collect();
        memory.write(Bank::Extended, 5000, &bytes);
        let mut read = vec![0; 9000];
        memory.read(Bank::Extended, 5000, &mut read);
        assert_eq!(read, bytes);
        memory.read(Bank::Expanded, 5000, &mut read);
        assert_eq!(read, [0; 9000]);
        let written = postcard::to_stdvec(&memory).unwrap();
        assert_ne!(written, blank);
        let stored = postcard::to_stdvec(&memory.save()).unwrap();
        memory.clear(Bank::Extended, 5000, 9000);
        assert_eq!(postcard::to_stdvec(&memory).unwrap(), blank);
        memory.restore(&postcard::from_bytes(&stored).unwrap());
        assert_eq!(postcard::to_stdvec(&memory).unwrap(), written);
        memory.restore(&saved);
        assert_eq!(postcard::to_stdvec(&memory).unwrap(), blank);
    }
}
