//! The memory that blocks were decoded from, and the blocks whose memory was overwritten.

use std::collections::HashMap;

use super::bus::Bus;
use super::frequency::Frequency;
use super::number_hash::NumberHash;

/// The memory that a block was decoded from.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// Linear addresses and lengths of the bytes that must not change.
    pub(super) ranges: Vec<(u32, u32)>,
    /// These bytes, one range after the other. Empty if they are not plain RAM.
    bytes: Vec<u8>,
}

impl Source {
    /// Joins ranges that follow each other.
    pub(super) fn of(mut ranges: Vec<(u32, u32)>) -> Source {
        ranges.dedup_by(|(first, len), (before, len_before)| {
            let follows = *len == 0 || *before + *len_before == *first;
            *len_before += if follows { *len } else { 0 };
            follows
        });
        Source { ranges, bytes: Vec::new() }
    }

    /// Reads the bytes from memory.
    pub(super) fn read<B: Bus>(&mut self, bus: &B) {
        self.bytes.clear();
        for &(address, len) in &self.ranges {
            match bus.ram(address, len as usize) {
                Some(ram) => self.bytes.extend_from_slice(ram),
                None => return self.bytes.clear(),
            }
        }
    }

    /// Returns whether a linear address is that of one of these bytes.
    pub(super) fn contains(&self, address: u32) -> bool {
        self.ranges.iter().any(|&(first, len)| address.wrapping_sub(first) < len)
    }

    /// Returns whether memory contains these bytes.
    pub(super) fn is_in_memory<B: Bus>(&self, bus: &B) -> bool {
        let mut rest = self.bytes.as_slice();
        let is_same = self.ranges.iter().all(|&(address, len)| {
            let Some((range, others)) = rest.split_at_checked(len as usize) else { return false };
            rest = others;
            bus.ram(address, range.len()) == Some(range)
        });
        is_same && !self.bytes.is_empty()
    }
}

/// The numbers of these blocks by key, the oldest first. Those with one key differ in their bytes.
#[derive(Debug, Default)]
pub(super) struct OverwrittenBlocks {
    pub(super) by_key: HashMap<u64, Vec<u32>, NumberHash>,
    pub(super) count: usize,
    pub(super) restored: Frequency,
    /// The number of blocks that will be dropped instead.
    pub(super) not_kept: u32,
}

impl OverwrittenBlocks {
    pub(super) fn clear(&mut self) {
        *self = OverwrittenBlocks::default();
    }
}
