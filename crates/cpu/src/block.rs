//! The cache of decoded code: basic blocks, found by their entry point.
//!
//! A block extends from an entry point to the next jump, or to an instruction after which the
//! processor must check for events. Its operations call each other in order; the last one returns
//! how the block ended. Each block caches links to its successors. A block whose bytes are written
//! gets a key that nothing matches, so links to it need not be removed.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::bus::Bus;
use super::known::KnownInstructions;
use super::mistake::TranslationMistake;
use super::number_hash::NumberHash;
use super::observer::Note;
use super::op::{Flow, Handler, Op, RemainingOps, resume};
use super::overwritten::{OverwrittenBlocks, Source};
use super::translate::{Code, PRESENT, Translator};

/// A straight run of operations.
#[derive(Debug)]
pub(super) struct Block<B> {
    /// CS in the upper half and IP in the lower. [`Block::ALONE`] is set in a block of one
    /// instruction for single-stepping. A dropped block has [`Block::DROPPED`].
    pub(super) key: u64,
    pub(super) run: Handler<B>,
    pub(super) ops: Box<[Op<B>]>,
    /// The keys of the successors, by exit number.
    pub(super) exits: [u64; Flow::EXITS],
    /// The last known numbers of the successors. A link is a guess: the key decides.
    pub(super) links: [u32; Flow::EXITS],
    pub(super) count: u32,
    /// An observer's description, in a block with [`Block::OBSERVED`].
    pub(super) note: Note,
    /// The physical addresses of its first and last byte.
    pub(super) bytes: (u32, u32),
    /// The memory that it was decoded from.
    pub(super) source: Source,
    /// Executions left before the block is translated; 0 if it is translated.
    pub(super) hotness: Cell<u32>,
    /// The number of translations of this block that were discarded.
    pub(super) discarded: u32,
    pub(super) code: Option<Box<Code>>,
    /// The original handlers of operations that follow one after which the interpreter returns to
    /// the translation, by operation number.
    pub(super) resumed: Vec<(usize, Handler<B>)>,
}

impl<B> Block<B> {
    pub(super) const DROPPED: u64 = u64::MAX;

    /// Set in the key of a single-step block. No exit leads to a key with this bit.
    pub(super) const ALONE: u64 = 1 << 63;

    /// Set in the key of a block of an observed run. No exit leads to a key with this bit.
    pub(super) const OBSERVED: u64 = 1 << 62;

    /// Returns the operation before number `number`, and the operations from there on.
    #[inline(always)]
    pub(super) fn operations_from(&self, number: usize) -> Option<(&Op<B>, RemainingOps<'_, B>)> {
        let (before, rest) = self.ops.split_at_checked(number)?;
        Some((before.last()?, RemainingOps::of(rest)))
    }

    /// Returns the handler of the operation at which a translation stopped, and the operations from
    /// there on. `None` for the first operation, which has the block's own handler.
    pub(super) fn left_from(&self, number: usize) -> Option<(Handler<B>, RemainingOps<'_, B>)> {
        let (before, rest) = self.operations_from(number)?;
        let resumed = self.resumed.iter().find(|(resumed, _)| *resumed == number);
        Some((resumed.map_or(before.then, |(_, handler)| *handler), rest))
    }

    /// Returns whether the block will be translated soon, for the first time or again.
    pub(super) fn will_be_translated(&self) -> bool {
        /// Several times as many executions as it takes to evaluate a translation: blocks that are discarded
        /// because of each other are translated again one after the other.
        const SOON: u32 = 2048;
        self.code.is_none() && self.hotness.get() < SOON
    }

    /// Installs a translation. The operations left to the interpreter return to it when done.
    pub(super) fn set_code(&mut self, code: Code) {
        for before in code.left_to_handlers(self.ops.len()) {
            let then = std::mem::replace(&mut self.ops[before].then, resume::<B>);
            self.resumed.push((before + 1, then));
        }
        self.code = Some(Box::new(code));
        self.hotness.set(0);
    }
}

/// An instruction that no block may begin with.
#[derive(Debug, Clone, Copy, Default)]
struct Fresh {
    /// The number of its executions without a block.
    executions: u8,
    /// Whether a block that was restored begins with it.
    is_in_block: bool,
    /// Whether there may be such a block that was overwritten.
    may_be_restored: bool,
}

/// The cache of decoded blocks. It is derived data and not part of a snapshot.
#[derive(Debug)]
pub struct Blocks<B> {
    pub(super) cached: bool,
    pub(super) arena: Vec<Block<B>>,
    pub(super) by_key: HashMap<u64, u32, NumberHash>,
    /// The blocks that have bytes in each granule of 64 bytes.
    by_granule: HashMap<u32, Vec<u32>, NumberHash>,
    pub(super) free: Vec<u32>,
    pub(super) overwritten: OverwrittenBlocks,
    /// Bytes of decoded code that the program has written. Losing some costs only time.
    patched: HashSet<u32, NumberHash>,
    /// Instructions that no block may begin with, by physical address. A byte of each was patched, or it must not
    /// be cached.
    fresh: HashMap<u32, Fresh, NumberHash>,
    /// Instructions that were executed without a block.
    pub(super) known: KnownInstructions<B>,
    /// Physical addresses of the instructions before which a run stops.
    stops: HashSet<u32, NumberHash>,
    /// A reused buffer of `drop_written`.
    writes: Vec<(u32, u32)>,
    /// A direct-mapped cache in front of `by_key`, for returns and other computed jumps.
    recent: Box<[Cell<(u64, u32)>; RECENT]>,
    pub(super) longest: usize,
    /// Executions after which a block is translated; `u32::MAX`: never.
    hotness: u32,
    pub(super) translator: Option<Translator>,
    /// Whether translations are verified.
    pub(super) verifies: bool,
}

/// The default number of executions after which a block is translated. A translation costs as much
/// as several hundred executions.
pub const TRANSLATE_AFTER: u32 = 400;

const RECENT: usize = 1024;
/// The default limit of instructions per block.
const LONGEST: usize = 32;
/// The most blocks in the cache. Beyond it all are dropped, which bounds memory.
const MOST_BLOCKS: usize = 1 << 16;
/// The number of executions after which a patched instruction may be in a block again. A program that
/// changes it less often executes it from a block.
const FRESH: u8 = 64;
/// The number of bytes that may be in a block again then.
const PERMITTED: u32 = 64;
/// The most bytes remembered as patched.
const MOST_PATCHED: usize = 4096;
/// Base-2 logarithm of the granule size.
const GRANULE: u32 = 6;

impl<B: Bus> Default for Blocks<B> {
    fn default() -> Self {
        Blocks::new()
    }
}

impl<B: Bus> Blocks<B> {
    /// Creates an empty cache.
    pub fn new() -> Self {
        let mut blocks = Blocks {
            cached: true,
            arena: Vec::new(),
            by_key: HashMap::default(),
            by_granule: HashMap::default(),
            free: Vec::new(),
            overwritten: OverwrittenBlocks::default(),
            patched: HashSet::default(),
            fresh: HashMap::default(),
            known: KnownInstructions::new(),
            stops: HashSet::default(),
            writes: Vec::new(),
            recent: Box::new([const { Cell::new((Block::<B>::DROPPED, 0)) }; RECENT]),
            longest: LONGEST,
            hotness: TRANSLATE_AFTER,
            translator: None,
            verifies: cfg!(debug_assertions),
        };
        blocks.flush();
        blocks
    }

    /// Creates a cache that keeps nothing and decodes every instruction. Tests compare with it.
    pub fn uncached() -> Self {
        Blocks { cached: false, ..Blocks::new() }
    }

    /// Drops all blocks. Call it before another model executes them.
    pub fn flush(&mut self) {
        self.arena.clear();
        self.by_key.clear();
        self.by_granule.clear();
        self.free.clear();
        self.overwritten.clear();
        self.patched.clear();
        self.fresh.clear();
        self.known.clear();
        self.recent.iter().for_each(|slot| slot.set((Block::<B>::DROPPED, 0)));
        if let Some(translator) = &mut self.translator {
            translator.clear();
        }
    }

    /// Returns the block that an exit leads to, if its link is valid.
    #[inline(always)]
    pub(super) fn follow(&self, block: &Block<B>, exit: usize) -> Option<(u32, &Block<B>)> {
        let id = block.links[exit];
        let next = self.arena.get(id as usize)?;
        (next.key == block.exits[exit]).then_some((id, next))
    }

    /// Links an exit of a translated block to another translated block: its code jumps there.
    #[inline(always)]
    pub(super) fn link_codes(&self, from: &Block<B>, exit: usize, to: &Block<B>) {
        if let (Some(from), Some(to), Some(translator)) = (&from.code, &to.code, &self.translator) {
            translator.link(from, exit, to);
        }
    }

    /// Registers a block as the target of a computed jump, so that translated code jumps there.
    #[inline(always)]
    pub(super) fn note_target(&self, to: &Block<B>) {
        if let (Some(code), Some(translator)) = (&to.code, &self.translator) {
            translator.note_target(to.key, code);
        }
    }

    /// Drops the translation of a block that will be replaced.
    pub(super) fn drop_translation(&mut self, id: u32) {
        if let (Some(block), Some(translator)) = (self.arena.get_mut(id as usize), &self.translator)
            && let Some(code) = block.code.take()
        {
            translator.forget(block.key, &code);
        }
    }

    pub(super) fn drop_translated(&mut self) {
        self.drop_overwritten();
        let translated = |(id, block): (usize, &Block<B>)| block.code.is_some().then_some(id as u32);
        let ids: Vec<u32> = self.arena.iter().enumerate().filter_map(translated).collect();
        ids.into_iter().for_each(|id| self.drop_block(id));
        if let Some(translator) = &mut self.translator {
            translator.clear();
        }
    }

    /// Returns the block with this key, if there is one.
    #[inline(always)]
    pub(super) fn recall(&self, key: u64) -> Option<(u32, &Block<B>)> {
        let id = self.find(key)?;
        Some((id, self.arena.get(id as usize)?))
    }

    fn slot(key: u64) -> usize {
        // The highest bits tell the kinds of blocks apart.
        (key ^ (key >> 32) ^ (key >> 54)) as usize % RECENT
    }

    /// Returns the number of the block with this key, if there is one.
    #[inline]
    pub(super) fn find(&self, key: u64) -> Option<u32> {
        let slot = &self.recent[Self::slot(key)];
        let (found, id) = slot.get();
        if found == key {
            return Some(id);
        }
        let id = *self.by_key.get(&key)?;
        slot.set((key, id));
        Some(id)
    }

    /// Returns whether this physical address was written while code decoded there was cached.
    pub(super) fn is_patched(&self, address: u32) -> bool {
        !self.patched.is_empty() && self.patched.contains(&address)
    }

    /// Returns whether no block begins with the instruction at this physical address, which was
    /// executed only a few times since that was found: a block of it would soon be dropped.
    pub(super) fn is_fresh(&self, address: u32) -> bool {
        self.fresh.get(&address).is_some_and(|fresh| !fresh.is_in_block)
    }

    /// Records that no block begins at this physical address, where a block would have this key.
    pub(super) fn note_fresh(&mut self, address: u32, key: u64) {
        if self.fresh.len() >= MOST_PATCHED {
            self.fresh.clear();
        }
        let may_be_restored = self.has_overwritten(key);
        let fresh = self.fresh.entry(address).or_default();
        (fresh.is_in_block, fresh.may_be_restored) = (false, may_be_restored);
    }

    /// Records that a block begins at this physical address until it is dropped.
    pub(super) fn pause_fresh(&mut self, address: u32) {
        if let Some(fresh) = self.fresh.get_mut(&address) {
            fresh.is_in_block = true;
        }
    }

    #[inline(always)]
    pub(super) fn has_fresh(&self) -> bool {
        !self.fresh.is_empty()
    }

    /// Counts an execution of the instruction at this physical address, if it is fresh. Returns whether there may be
    /// an overwritten block for it, and whether it is the last execution without a block.
    #[inline]
    pub(super) fn count_fresh(&mut self, address: u32) -> Option<(bool, bool)> {
        let fresh = self.fresh.get_mut(&address).filter(|fresh| !fresh.is_in_block)?;
        fresh.executions = fresh.executions.saturating_add(1);
        Some((fresh.may_be_restored, fresh.executions >= FRESH))
    }

    /// Permits blocks with the instruction at this physical address, and with those after it: an overlay has many
    /// that are executed equally often.
    pub(super) fn forget_fresh(&mut self, address: u32) {
        self.fresh.remove(&address);
        for at in 0..PERMITTED {
            self.patched.remove(&(address + at));
        }
    }

    /// Makes [`Cpu::run_to_stops`](super::Cpu::run_to_stops) stop before the instructions at these
    /// physical addresses.
    pub fn set_stops(&mut self, stops: impl IntoIterator<Item = u32>) {
        let stops = stops.into_iter().collect();
        if self.stops != stops {
            self.stops = stops;
            self.flush();
        }
    }

    /// Returns whether a run stops before the instruction at this physical address.
    pub(super) fn is_stop(&self, address: u32) -> bool {
        !self.stops.is_empty() && self.stops.contains(&address)
    }

    /// Sets the number of executions after which a block is translated, if there is a translator;
    /// `None`: never. Results do not depend on it.
    pub fn translate_after(&mut self, executions: Option<u32>) {
        self.hotness = executions.unwrap_or(u32::MAX);
        self.flush();
    }

    /// Sets whether each translated block is checked before it becomes executable: with debug
    /// assertions it is, otherwise only if this is set. A mistake ends a program with debug assertions.
    pub fn verify_translations(&mut self, on: bool) {
        self.verifies = on || cfg!(debug_assertions);
    }

    /// Returns the translations that were refused since the last call.
    pub fn take_translation_mistakes(&mut self) -> Vec<TranslationMistake> {
        self.translator.as_mut().map(Translator::take_mistakes).unwrap_or_default()
    }

    /// Limits blocks to `most` instructions, 1 to 32. With 1, each instruction is executed and
    /// translated separately, for tests that stop after each.
    pub fn instructions_a_block(&mut self, most: usize) {
        self.longest = most.clamp(1, LONGEST);
        self.flush();
    }

    pub(super) fn translates(&self) -> bool {
        PRESENT && self.hotness != u32::MAX
    }

    /// Adds a block and watches its bytes for writes.
    pub(super) fn insert(&mut self, bus: &mut B, block: Block<B>) -> u32 {
        if self.by_key.len() >= MOST_BLOCKS {
            self.flush();
        }
        let key = block.key;
        let id = self.free.pop().unwrap_or(self.arena.len() as u32);
        self.by_key.insert(key, id);
        block.hotness.set(self.hotness);
        self.put(bus, id, block);
        id
    }

    /// Replaces a dropped block, or one with the same key, and watches the new bytes for writes.
    pub(super) fn put(&mut self, bus: &mut B, id: u32, mut block: Block<B>) {
        block.source.read(bus);
        match self.arena.get_mut(id as usize) {
            Some(place) => *place = block,
            None => self.arena.push(block),
        }
        self.watch(bus, id);
    }

    /// Watches the bytes of a block for writes.
    pub(super) fn watch(&mut self, bus: &mut B, id: u32) {
        let block = &mut self.arena[id as usize];
        block.bytes = (u32::MAX, 0);
        let mut granules = Vec::new();
        for &(address, len) in &block.source.ranges {
            bus.watch_code(address, len);
            for at in (0..len).map(|i| bus.physical(address + i)) {
                block.bytes = (block.bytes.0.min(at), block.bytes.1.max(at));
                if granules.last() != Some(&(at >> GRANULE)) {
                    granules.push(at >> GRANULE);
                }
            }
        }
        for granule in granules {
            self.note_in_granule(granule, id);
        }
    }

    /// Records that a block has bytes in a granule. Entries of dropped blocks stay in the lists and
    /// are removed from time to time, so that a program that keeps changing its code does not fill
    /// memory.
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

    /// Drops the blocks whose bytes were written.
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

    /// Drops the blocks of a granule that have bytes in `first..=last`, and records these bytes as
    /// patched.
    fn drop_in_granule(&mut self, granule: u32, first: u32, last: u32) {
        if self.patched.len() >= MOST_PATCHED {
            self.patched.clear();
            self.fresh.clear();
        }
        self.patched.extend((first..=last).filter(|at| at >> GRANULE == granule));
        let Some(list) = self.by_granule.get_mut(&granule) else { return };
        let mut list = std::mem::take(list);
        list.retain(|&id| {
            let block = &self.arena[id as usize];
            let hit = block.bytes.0 <= last && first <= block.bytes.1;
            if hit {
                self.keep_overwritten(id);
            }
            !hit
        });
        self.by_granule.insert(granule, list);
    }

    pub(super) fn drop_block(&mut self, id: u32) {
        if self.hide(id).is_some() {
            self.arena[id as usize].code = None;
            self.free.push(id);
        }
    }

    /// Makes a block unreachable. Returns the key that it had; `None` if it had been made unreachable before.
    pub(super) fn hide(&mut self, id: u32) -> Option<u64> {
        let block = &mut self.arena[id as usize];
        let key = std::mem::replace(&mut block.key, Block::<B>::DROPPED);
        if key == Block::<B>::DROPPED {
            return None;
        }
        if let (Some(code), Some(translator)) = (&block.code, &self.translator) {
            translator.forget(key, code);
        }
        self.by_key.remove(&key);
        let slot = &self.recent[Self::slot(key)];
        if slot.get().0 == key {
            slot.set((Block::<B>::DROPPED, 0));
        }
        Some(key)
    }
}
