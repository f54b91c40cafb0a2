//! Runs by blocks without jumps, each of which an observer permits before it is executed.
//!
//! A search follows registers through its runs, whole blocks at a time: the observer describes a
//! block once, when it is decoded, and then only compares this description with what it follows.
//! Observed blocks are separate from those of ordinary runs, and never translated.

use super::block::{Block, Blocks};
use super::bus::Bus;
use super::decode;
use super::observer::{BlockEnd, BlockObserver};
use super::op::{Flow, RemainingOps};
use super::state::{Cpu, Exit, Served};

impl Cpu {
    /// Runs like [`Cpu::run`] by blocks that end at each jump, as long as the observer permits them.
    ///
    /// `None` if the next instruction has to be executed by [`Cpu::step`]: the observer does not
    /// permit its block, its code cannot be cached, it is traced (TF), or the deadline is within
    /// the block. `serve` is that of [`Cpu::run_serving`]. For the observer CS:IP and the general
    /// and segment registers are exact, the status flags are not.
    pub fn run_observed<B: Bus>(
        &mut self,
        blocks: &mut Blocks<B>,
        bus: &mut B,
        deadline: u64,
        observer: &mut impl BlockObserver<B>,
        mut serve: impl FnMut(&mut Cpu, &mut B, u8) -> Served,
    ) -> Option<Exit> {
        self.begin(deadline.min(bus.next_event()));
        self.joins_traps = true;
        let from = self.cycles;
        let exit = loop {
            if let Some(exit) = self.due_exit() {
                break Some(exit);
            }
            if bus.code_written() {
                blocks.drop_written(bus);
            }
            if self.is_single(blocks) {
                break None;
            }
            match self.observed_block(blocks, bus, observer) {
                None => break None,
                // If it is not served, or an event has to be checked, the loop ends.
                Some(Flow::TRAP) => _ = self.is_served(bus, &mut serve) && self.iret_at_once(bus),
                Some(_) => {}
            }
        };
        self.end(from);
        exit
    }

    /// Executes the block at CS:IP and returns how it ended. `None`, having done nothing, if it may
    /// not.
    fn observed_block<B: Bus>(
        &mut self,
        blocks: &mut Blocks<B>,
        bus: &mut B,
        observer: &mut impl BlockObserver<B>,
    ) -> Option<Flow> {
        let found = blocks.find(self.key() | Block::<B>::OBSERVED);
        let id = found.or_else(|| self.decode_observed(blocks, bus, observer))?;
        let block = blocks.arena.get(id as usize)?;
        let end = self.cycles + u64::from(block.count);
        if end > self.limit || !observer.enters(&block.note, self, bus) {
            return None;
        }
        self.shadow = false;
        self.interrupted = false;
        self.cycles = end;
        let flow = (block.run)(self, bus, RemainingOps::of(&block.ops));
        if let Some(exit) = flow.exit() {
            self.regs.ip = block.exits[exit] as u32;
        } else if flow == Flow::AGAIN {
            self.regs.ip = block.key as u32;
        }
        let end = match flow {
            // A store to decoded code also stops after the last instruction.
            Flow::STOP if self.interrupted => BlockEnd::Interrupted,
            Flow::STOP if self.cycles < end => BlockEnd::Stopped,
            _ => BlockEnd::Whole,
        };
        observer.left(&block.note, end, self);
        Some(flow)
    }

    #[cold]
    fn decode_observed<B: Bus>(
        &mut self,
        blocks: &mut Blocks<B>,
        bus: &mut B,
        observer: &mut impl BlockObserver<B>,
    ) -> Option<u32> {
        let block = decode::observed(self, bus, blocks.longest, |at| blocks.is_patched(at), observer)?;
        Some(blocks.insert(bus, block))
    }
}
