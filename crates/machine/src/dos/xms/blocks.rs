//! Blocks of extended memory: the owner of each part.

use crate::hardware::EXTENDED;
use serde::{Deserialize, Serialize};

/// The maximum number of handles, as for HIMEM.SYS.
const MOST_HANDLES: usize = 128;

/// Size of the memory for blocks in KiB.
const KIB: u32 = EXTENDED / 1024;

pub(super) mod error {
    pub(in crate::dos::xms) const NOT_IMPLEMENTED: u8 = 0x80;
    pub(in crate::dos::xms) const HMA_IN_USE: u8 = 0x91;
    pub(in crate::dos::xms) const HMA_NOT_ALLOCATED: u8 = 0x93;
    pub(in crate::dos::xms) const A20_STILL_ENABLED: u8 = 0x94;
    pub(in crate::dos::xms) const NO_MEMORY: u8 = 0xA0;
    pub(in crate::dos::xms) const NO_HANDLES: u8 = 0xA1;
    pub(in crate::dos::xms) const BAD_HANDLE: u8 = 0xA2;
    pub(in crate::dos::xms) const BAD_SOURCE: [u8; 2] = [0xA3, 0xA4];
    pub(in crate::dos::xms) const BAD_TARGET: [u8; 2] = [0xA5, 0xA6];
    pub(in crate::dos::xms) const BAD_LENGTH: u8 = 0xA7;
    pub(in crate::dos::xms) const NOT_LOCKED: u8 = 0xAA;
    pub(in crate::dos::xms) const LOCKED: u8 = 0xAB;
    pub(in crate::dos::xms) const LOCK_OVERFLOW: u8 = 0xAC;
    pub(in crate::dos::xms) const NO_UPPER_MEMORY: u8 = 0xB1;
    pub(in crate::dos::xms) const BAD_UPPER_SEGMENT: u8 = 0xB2;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Block {
    /// KiB from the beginning of extended memory.
    pub(super) start: u32,
    pub(super) kib: u32,
    pub(super) locks: u8,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(in crate::dos) struct Xms {
    pub(in crate::dos) is_there: bool,
    /// Indexed by handle less 1.
    pub(super) blocks: Vec<Option<Block>>,
    pub(super) hma_taken: bool,
    pub(super) a20_global: bool,
    pub(super) a20_local: u32,
}

impl Xms {
    pub(super) fn block(&self, handle: u16) -> Result<&Block, u8> {
        let place = usize::from(handle).checked_sub(1).ok_or(error::BAD_HANDLE)?;
        self.blocks.get(place).and_then(Option::as_ref).ok_or(error::BAD_HANDLE)
    }

    pub(super) fn block_mut(&mut self, handle: u16) -> Result<&mut Block, u8> {
        let place = usize::from(handle).checked_sub(1).ok_or(error::BAD_HANDLE)?;
        self.blocks.get_mut(place).and_then(Option::as_mut).ok_or(error::BAD_HANDLE)
    }

    /// Returns the free memory as start and length in KiB, in order.
    pub(super) fn gaps(&self) -> Vec<(u32, u32)> {
        let mut used: Vec<(u32, u32)> =
            self.blocks.iter().flatten().map(|block| (block.start, block.kib)).collect();
        used.sort_unstable();
        let mut gaps = Vec::new();
        let mut at = 0;
        for (start, kib) in used.into_iter().chain([(KIB, 0)]) {
            if start > at {
                gaps.push((at, start - at));
            }
            at = at.max(start + kib);
        }
        gaps
    }

    /// Returns the position for a block of this many KiB.
    pub(super) fn place(&self, kib: u32) -> Option<u32> {
        if kib == 0 {
            return Some(0);
        }
        self.gaps().into_iter().find(|(_, free)| *free >= kib).map(|(start, _)| start)
    }

    /// Returns the largest free block and the total of free memory.
    pub(super) fn free(&self) -> (u32, u32) {
        let gaps = self.gaps();
        (gaps.iter().map(|(_, free)| *free).max().unwrap_or(0), gaps.iter().map(|(_, free)| free).sum())
    }

    pub(super) fn free_handles(&self) -> usize {
        MOST_HANDLES - self.blocks.iter().flatten().count()
    }
}
