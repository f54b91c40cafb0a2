//! Blocks whose bytes were overwritten are kept in case that the program writes the same bytes again, as a program
//! with overlays does, or one that starts another program several times.

use super::block::{Block, Blocks};
use super::bus::Bus;

/// The most overwritten blocks, and the most with one key.
const MOST: usize = 1 << 12;
const MOST_OF_KEY: usize = 4;

impl<B: Bus> Blocks<B> {
    /// Makes a block unreachable whose bytes were written.
    pub(super) fn keep_overwritten(&mut self, id: u32) {
        let block = &self.arena[id as usize];
        if block.key & (Block::<B>::ALONE | Block::<B>::OBSERVED) != 0 {
            return self.drop_block(id);
        }
        if self.overwritten.not_kept != 0 {
            self.overwritten.not_kept -= 1;
            return self.drop_block(id);
        }
        if self.overwritten.count >= MOST {
            self.drop_overwritten();
        }
        let Some(key) = self.hide(id) else { return };
        let others = self.overwritten.by_key.entry(key).or_default();
        others.push(id);
        let oldest = (others.len() > MOST_OF_KEY).then(|| others.remove(0));
        match oldest {
            Some(oldest) => self.release(oldest),
            None => self.overwritten.count += 1,
        }
    }

    /// Returns whether a block with this key was overwritten.
    pub(super) fn has_overwritten(&self, key: u64) -> bool {
        self.overwritten.by_key.get(&key).is_some_and(|ids| !ids.is_empty())
    }

    /// Returns whether this physical address was written, like [`Blocks::is_patched`], and is not one of the bytes of
    /// a block, which may have been written before it was restored.
    pub(super) fn is_patched_outside(&self, id: u32, address: u32) -> bool {
        let is_own = self.arena.get(id as usize).is_some_and(|block| block.source.contains(address));
        !is_own && self.is_patched(address)
    }

    /// Makes the block with this key reachable again whose bytes are in memory. Returns its number.
    pub(super) fn restore(&mut self, bus: &mut B, key: u64, now: u64) -> Option<u32> {
        /// The number of cycles per restored block below which it is faster to execute instructions without blocks.
        const CYCLES: u64 = 64;
        /// The number of drops after which it is tried again.
        const AGAIN_AFTER: u32 = 1 << 16;
        if self.overwritten.count == 0 {
            return None;
        }
        let ids = self.overwritten.by_key.get_mut(&key)?;
        let found = ids.iter().position(|id| self.arena[*id as usize].source.is_in_memory(bus))?;
        let id = ids.remove(found);
        self.overwritten.count -= 1;
        self.arena[id as usize].key = key;
        self.by_key.insert(key, id);
        self.watch(bus, id);
        if self.overwritten.restored.is_high(now, CYCLES) {
            self.drop_overwritten();
            self.overwritten.not_kept = AGAIN_AFTER;
        }
        Some(id)
    }

    /// Drops the blocks whose bytes were written.
    pub(super) fn drop_overwritten(&mut self) {
        let by_key = std::mem::take(&mut self.overwritten.by_key);
        by_key.into_values().flatten().for_each(|id| self.release(id));
        self.overwritten.count = 0;
    }

    fn release(&mut self, id: u32) {
        self.arena[id as usize].code = None;
        self.free.push(id);
    }
}
