//! Decoded code: straight runs of operations, kept by where they begin.
//!
//! A block is what lies between an entry point and the next jump (or something that must be looked at between
//! instructions). Its operations call each other in a row; the last one hands back how it ended. Blocks remember the
//! blocks that followed them. A block whose bytes are written is dropped by giving it a key that nothing matches, so
//! links to it need no undoing.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::bus::Bus;
use super::op::{Flow, Handler, Op, Rest, resume};
use super::translate::{Code, PRESENT, Translator};

/// A straight run of operations.
#[derive(Debug)]
pub(super) struct Block<B> {
    /// CS in the upper, IP in the lower half, with [`Block::ALONE`] in one that is a single instruction to be stepped over; or
    /// [`Block::DROPPED`].
    pub(super) key: u64,
    /// Executes the first of the operations.
    pub(super) run: Handler<B>,
    pub(super) ops: Box<[Op<B>]>,
    /// The keys of where it goes on, by the number of the exit.
    pub(super) exits: [u64; Flow::EXITS],
    /// Where the blocks with these keys were last: guesses, to be checked by the key.
    pub(super) links: [u32; Flow::EXITS],
    /// Instructions in all operations.
    pub(super) count: u32,
    /// The physical addresses of its first and last byte.
    pub(super) bytes: (u32, u32),
    /// Executions to go until it is translated; 0 where it is.
    pub(super) heat: Cell<u32>,
    /// How often a translation of it was given up.
    pub(super) given_up: u32,
    /// Its translation.
    pub(super) code: Option<Box<Code>>,
    /// What executes the operations with these numbers, where what stands before them goes back to the translation.
    pub(super) resumed: Vec<(usize, Handler<B>)>,
}

impl<B> Block<B> {
    pub(super) const DROPPED: u64 = u64::MAX;

    /// No exit leads to a key with this bit.
    pub(super) const ALONE: u64 = 1 << 63;

    /// The operation before the one with this number, and the operations from there on.
    #[inline(always)]
    pub(super) fn operations_from(&self, number: usize) -> Option<(&Op<B>, Rest<'_, B>)> {
        let (before, rest) = self.ops.split_at_checked(number)?;
        Some((before.last()?, Rest::of(rest)))
    }

    /// What executes the operation with this number, at which the translation was left, and the operations from there on; nothing
    /// for the first, which the block's own handler executes.
    pub(super) fn left_from(&self, number: usize) -> Option<(Handler<B>, Rest<'_, B>)> {
        let (before, rest) = self.operations_from(number)?;
        let resumed = self.resumed.iter().find(|(resumed, _)| *resumed == number);
        Some((resumed.map_or(before.then, |(_, handler)| *handler), rest))
    }

    /// Gives it a translation, which is entered again behind the operations that it leaves to their handlers.
    pub(super) fn set_code(&mut self, code: Code) {
        for before in code.left_to_handlers(self.ops.len()) {
            let then = std::mem::replace(&mut self.ops[before].then, resume::<B>);
            self.resumed.push((before + 1, then));
        }
        self.code = Some(Box::new(code));
        self.heat.set(0);
    }
}

/// A block and what of memory it rests on.
pub(super) struct Region<B> {
    pub(super) block: Block<B>,
    /// Linear addresses and lengths of the bytes that must not change.
    pub(super) bytes: Vec<(u32, u32)>,
}

/// The cache of decoded blocks: derived data, never part of a snapshot.
#[derive(Debug)]
pub struct Blocks<B> {
    pub(super) cached: bool,
    pub(super) arena: Vec<Block<B>>,
    by_key: HashMap<u64, u32>,
    /// The blocks that have bytes in a granule of 64 bytes.
    by_granule: HashMap<u32, Vec<u32>>,
    free: Vec<u32>,
    /// Bytes of decoded code that were written. Forgetting some costs only time.
    patched: HashSet<u32>,
    /// Physical addresses of instructions that a run is to stop before.
    stops: HashSet<u32>,
    /// Scratch space of `drop_written`.
    writes: Vec<(u32, u32)>,
    /// A direct-mapped front of `by_key`, for returns and other computed jumps.
    recent: Box<[(u64, u32); RECENT]>,
    /// Instructions a block may have.
    pub(super) longest: usize,
    /// Executions after which a block is translated; none is if this is the most that there is.
    heat: u32,
    /// Holds the translations, once there is one.
    pub(super) translator: Option<Translator>,
}

/// Executions after which a block is translated, unless told otherwise: translating costs as much as some hundred executions.
pub const TRANSLATE_AFTER: u32 = 400;

const RECENT: usize = 1024;
/// Instructions a block may have, unless told otherwise.
const LONGEST: usize = 32;
/// Blocks kept before all are dropped, which bounds memory.
const MOST_BLOCKS: usize = 1 << 14;
/// Bytes remembered as patched.
const MOST_PATCHED: usize = 4096;
/// Logarithm of the size of a granule.
const GRANULE: u32 = 6;

impl<B: Bus> Default for Blocks<B> {
    fn default() -> Self {
        Blocks::new()
    }
}

impl<B: Bus> Blocks<B> {
    /// An empty cache.
    pub fn new() -> Self {
        let mut blocks = Blocks {
            cached: true,
            arena: Vec::new(),
            by_key: HashMap::new(),
            by_granule: HashMap::new(),
            free: Vec::new(),
            patched: HashSet::new(),
            stops: HashSet::new(),
            writes: Vec::new(),
            recent: Box::new([(Block::<B>::DROPPED, 0); RECENT]),
            longest: LONGEST,
            heat: TRANSLATE_AFTER,
            translator: None,
        };
        blocks.flush();
        blocks
    }

    /// No cache: every instruction is decoded each time it is executed. For tests that compare.
    pub fn uncached() -> Self {
        Blocks { cached: false, ..Blocks::new() }
    }

    /// Forgets all blocks. Needed when another model is to execute them.
    pub fn flush(&mut self) {
        self.arena.clear();
        self.by_key.clear();
        self.by_granule.clear();
        self.free.clear();
        self.patched.clear();
        self.recent.fill((Block::<B>::DROPPED, 0));
        if let Some(translator) = &mut self.translator {
            translator.clear();
        }
    }

    /// The block that an exit leads to, if its link is still right.
    #[inline(always)]
    pub(super) fn follow(&self, block: &Block<B>, exit: usize) -> Option<(u32, &Block<B>)> {
        let id = block.links[exit];
        let next = self.arena.get(id as usize)?;
        (next.key == block.exits[exit]).then_some((id, next))
    }

    /// An exit of a translated block leads to another one: its code goes there by itself from now on.
    #[inline(always)]
    pub(super) fn link_codes(&self, from: &Block<B>, exit: usize, to: &Block<B>) {
        if let (Some(from), Some(to), Some(translator)) = (&from.code, &to.code, &self.translator) {
            translator.link(from, exit, to);
        }
    }

    /// A computed jump leads to a block: translated code goes there by itself from now on.
    #[inline(always)]
    pub(super) fn note_target(&self, to: &Block<B>) {
        if let (Some(code), Some(translator)) = (&to.code, &self.translator) {
            translator.note_target(to.key, code);
        }
    }

    /// Drops the translation of a block that is about to be replaced.
    pub(super) fn drop_translation(&mut self, id: u32) {
        if let (Some(block), Some(translator)) = (self.arena.get_mut(id as usize), &self.translator)
            && let Some(code) = block.code.take()
        {
            translator.forget(block.key, &code);
        }
    }

    /// Drops all blocks that are translated.
    pub(super) fn drop_translated(&mut self) {
        let translated = |(id, block): (usize, &Block<B>)| block.code.is_some().then_some(id as u32);
        let ids: Vec<u32> = self.arena.iter().enumerate().filter_map(translated).collect();
        ids.into_iter().for_each(|id| self.drop_block(id));
        if let Some(translator) = &mut self.translator {
            translator.clear();
        }
    }

    /// The block with this key, if it was looked for not long ago.
    #[inline(always)]
    pub(super) fn recall(&self, key: u64) -> Option<(u32, &Block<B>)> {
        let (found, id) = self.recent[Self::slot(key)];
        if found == key { Some((id, self.arena.get(id as usize)?)) } else { None }
    }

    fn slot(key: u64) -> usize {
        (key ^ (key >> 32)) as usize % RECENT
    }

    /// The block with this key.
    #[inline]
    pub(super) fn find(&mut self, key: u64) -> Option<u32> {
        let slot = &mut self.recent[Self::slot(key)];
        if slot.0 == key {
            return Some(slot.1);
        }
        let id = *self.by_key.get(&key)?;
        *slot = (key, id);
        Some(id)
    }

    /// True when the program has written this physical address while code decoded there was cached.
    pub(super) fn is_patched(&self, address: u32) -> bool {
        !self.patched.is_empty() && self.patched.contains(&address)
    }

    /// From now on [`Cpu::run_to_stops`](super::Cpu::run_to_stops) stops before the instructions at these physical addresses.
    pub fn set_stops(&mut self, stops: impl IntoIterator<Item = u32>) {
        let stops = stops.into_iter().collect();
        if self.stops != stops {
            self.stops = stops;
            self.flush();
        }
    }

    /// True when a run is to stop before the instruction at this physical address.
    pub(super) fn is_stop(&self, address: u32) -> bool {
        !self.stops.is_empty() && self.stops.contains(&address)
    }

    /// From now on blocks that have been executed so often are translated, where there is a translator; `None`: none is. What comes
    /// of a run does not depend on it.
    pub fn translate_after(&mut self, executions: Option<u32>) {
        self.heat = executions.unwrap_or(u32::MAX);
        self.flush();
    }

    /// From now on a block has at most so many instructions, 1 to 32. With 1 each is executed, and translated, by itself, for tests
    /// that stop after each.
    pub fn instructions_a_block(&mut self, most: usize) {
        self.longest = most.clamp(1, LONGEST);
        self.flush();
    }

    /// False when no block is to be translated.
    pub(super) fn translates(&self) -> bool {
        PRESENT && self.heat != u32::MAX
    }

    /// Adds a block and watches its bytes.
    pub(super) fn insert(&mut self, bus: &mut B, region: Region<B>) -> u32 {
        if self.by_key.len() >= MOST_BLOCKS {
            self.flush();
        }
        let key = region.block.key;
        let id = self.free.pop().unwrap_or(self.arena.len() as u32);
        self.by_key.insert(key, id);
        region.block.heat.set(self.heat);
        self.put(bus, id, region);
        id
    }

    /// Puts a block in the place of one with the same key, or of one that was dropped, and watches its bytes.
    pub(super) fn put(&mut self, bus: &mut B, id: u32, region: Region<B>) {
        let Region { mut block, bytes } = region;
        block.bytes = (u32::MAX, 0);
        let mut granules = Vec::new();
        for (address, len) in bytes {
            bus.watch_code(address, len);
            for at in (0..len).map(|i| bus.physical(address + i)) {
                block.bytes = (block.bytes.0.min(at), block.bytes.1.max(at));
                if granules.last() != Some(&(at >> GRANULE)) {
                    granules.push(at >> GRANULE);
                }
            }
        }
        match self.arena.get_mut(id as usize) {
            Some(place) => *place = block,
            None => self.arena.push(block),
        }
        for granule in granules {
            self.note_in_granule(granule, id);
        }
    }

    /// Notes that a block has bytes in a granule. Entries of dropped blocks stay in lists: every now and then they are
    /// cleared away, so that a program that changes its code for ever does not fill memory.
    fn note_in_granule(&mut self, granule: u32, id: u32) {
        const CLEAR_EVERY: usize = 64;
        let list = self.by_granule.entry(granule).or_default();
        list.push(id);
        if list.len().is_multiple_of(CLEAR_EVERY) {
            let arena = &self.arena;
            list.sort_unstable();
            list.dedup();
            list.retain(|&id| {
                let Block { key, bytes: (first, last), .. } = &arena[id as usize];
                *key != Block::<B>::DROPPED && first >> GRANULE <= granule && granule <= last >> GRANULE
            });
        }
    }

    /// Drops the blocks whose bytes have been written.
    #[cold]
    pub(super) fn drop_written(&mut self, bus: &mut B) {
        let mut writes = std::mem::take(&mut self.writes);
        bus.take_code_writes(|first, last| writes.push((first, last)));
        for &(first, last) in &writes {
            if last.wrapping_sub(first) > 0x1000 {
                self.flush();
                break;
            }
            for granule in first >> GRANULE..=last >> GRANULE {
                self.drop_in_granule(granule, first, last);
            }
        }
        writes.clear();
        self.writes = writes;
    }

    /// Drops the blocks of a granule that have bytes in `first..=last`, and remembers these bytes.
    fn drop_in_granule(&mut self, granule: u32, first: u32, last: u32) {
        if self.patched.len() >= MOST_PATCHED {
            self.patched.clear();
        }
        self.patched.extend((first..=last).filter(|at| at >> GRANULE == granule));
        let Some(list) = self.by_granule.get_mut(&granule) else { return };
        let mut list = std::mem::take(list);
        list.retain(|&id| {
            let block = &self.arena[id as usize];
            let hit = block.bytes.0 <= last && first <= block.bytes.1;
            if hit {
                self.drop_block(id);
            }
            !hit
        });
        self.by_granule.insert(granule, list);
    }

    pub(super) fn drop_block(&mut self, id: u32) {
        let block = &mut self.arena[id as usize];
        let key = std::mem::replace(&mut block.key, Block::<B>::DROPPED);
        if key == Block::<B>::DROPPED {
            return;
        }
        if let (Some(code), Some(translator)) = (block.code.take(), &self.translator) {
            translator.forget(key, &code);
        }
        self.by_key.remove(&key);
        let slot = &mut self.recent[Self::slot(key)];
        if slot.0 == key {
            slot.0 = Block::<B>::DROPPED;
        }
        self.free.push(id);
    }
}
