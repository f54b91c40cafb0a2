//! The run loop: finds blocks, executes them, and stops at the right boundary.

use super::block::{Block, Blocks, Flow};
use super::bus::Bus;
use super::operand::{Dword, Size, Word};
use super::registers::Flags;
use super::status::Status;
use super::{Cpu, Exit, alu, decode};

/// Vector of the single-step trap.
const SINGLE_STEP: u8 = 1;

impl Cpu {
    /// Runs until `cycles >= deadline` or another reason of [`Exit`]. The bus's next event is a deadline too.
    pub fn run<B: Bus>(&mut self, blocks: &mut Blocks<B>, bus: &mut B, deadline: u64) -> Exit {
        self.begin(deadline.min(bus.next_event()));
        let from = self.cycles;
        let exit = self.run_until_exit(blocks, bus);
        self.end(from);
        exit
    }

    /// Executes one instruction (with prefixes and all REP turns).
    pub fn step<B: Bus>(&mut self, blocks: &mut Blocks<B>, bus: &mut B) -> Option<Exit> {
        self.begin(u64::MAX);
        let from = self.cycles;
        if bus.code_written() {
            blocks.drop_written(bus);
        }
        self.single(bus);
        self.end(from);
        self.exit.take()
    }

    fn begin(&mut self, limit: u64) {
        self.status = Status::from_bits(self.regs.flags);
        self.regs.flags = self.regs.flags & self.model.loadable_flags() | self.model.fixed_flags();
        self.regs.ip &= 0x1_FFFF;
        self.limit = limit;
        self.extra = 0;
        self.exit = None;
    }

    fn end(&mut self, from: u64) {
        self.regs.flags = self.flags_image();
        self.retired += self.cycles - from - self.extra;
    }

    fn run_until_exit<B: Bus>(&mut self, blocks: &mut Blocks<B>, bus: &mut B) -> Exit {
        loop {
            if let Some(exit) = self.exit.take() {
                return exit;
            }
            if self.intr && self.interruptible() {
                return Exit::InterruptWindow;
            }
            if self.cycles >= self.limit {
                return Exit::Deadline;
            }
            if bus.code_written() {
                blocks.drop_written(bus);
            }
            let window_next = self.shadow && self.intr && self.regs.flag(Flags::IF);
            if self.regs.flag(Flags::TF) || window_next || !blocks.cached {
                self.single(bus);
                continue;
            }
            self.shadow = false;
            match self.block_here(blocks, bus) {
                Some(id) => self.chain(blocks, bus, id),
                None => self.single(bus),
            }
        }
    }

    /// What blocks are found by.
    #[inline(always)]
    fn key(&self) -> u64 {
        u64::from(self.regs.cs()) << 32 | u64::from(self.regs.ip)
    }

    /// The block at CS:IP, decoded now if need be; nothing where decoded code must not be kept.
    #[inline]
    fn block_here<B: Bus>(&mut self, blocks: &mut Blocks<B>, bus: &mut B) -> Option<u32> {
        let key = self.key();
        match blocks.find(key) {
            Some(id) => Some(id),
            None => self.decode_here(blocks, bus),
        }
    }

    #[cold]
    fn decode_here<B: Bus>(&mut self, blocks: &mut Blocks<B>, bus: &mut B) -> Option<u32> {
        let address = self.base(super::Segment::Cs) + self.regs.ip;
        let (block, len) = decode::block(self, bus)?;
        Some(blocks.insert(bus, block, address, len))
    }

    /// Executes blocks one after the other, until something has to be looked at.
    fn chain<B: Bus>(&mut self, blocks: &mut Blocks<B>, bus: &mut B, mut id: u32) {
        loop {
            let block = &blocks.arena[id as usize];
            let left = self.limit - self.cycles;
            if block.count > left {
                self.partly(bus, block, left);
                return;
            }
            if block.delay.is_some() {
                self.delay(block, left);
            } else {
                let Some((op, rest)) = block.ops.split_first() else { return };
                match (op.run)(self, bus, op, rest) {
                    Flow::Fall => {
                        self.cycles += block.count;
                        self.regs.ip = block.end;
                    }
                    Flow::Taken => {
                        self.cycles += block.count;
                        self.regs.ip = block.target;
                    }
                    Flow::Jump => self.cycles += block.count,
                    Flow::Stop => return,
                }
            }
            if bus.code_written() || self.cycles >= self.limit {
                return;
            }
            let key = self.key();
            let slot = usize::from(self.regs.ip != block.end);
            let linked = block.links[slot];
            if blocks.arena[linked as usize].key == key {
                id = linked;
                continue;
            }
            let Some(found) = self.block_here(blocks, bus) else { return };
            // Decoding may have flushed the cache; the link then belongs to another block, and is only a guess.
            if let Some(block) = blocks.arena.get_mut(id as usize) {
                block.links[slot] = found;
            }
            id = found;
        }
    }

    /// Executes the operations of `block` that fit into `left` cycles.
    #[cold]
    fn partly<B: Bus>(&mut self, bus: &mut B, block: &Block<B>, left: u64) {
        let fits = |op: &super::block::Op<B>| u64::from(op.before) + u64::from(op.count) <= left;
        let n = block.ops.iter().take_while(|op| fits(op)).count();
        let Some(cut) = block.ops.get(n) else { return };
        let Some((op, rest)) = block.ops[..n].split_first() else {
            return self.single(bus);
        };
        if (op.run)(self, bus, op, rest) == Flow::Fall {
            self.cycles += u64::from(cut.before);
            self.regs.ip = cut.ip;
        }
    }

    /// Executes one instruction without the cache, and the trap after it if TF was set.
    fn single<B: Bus>(&mut self, bus: &mut B) {
        let trap = self.regs.flag(Flags::TF);
        let limit = self.limit;
        if trap {
            // One turn of a REP at a time.
            self.limit = self.cycles + 1;
        }
        self.shadow = false;
        self.interrupted = false;
        let op = decode::single(self, bus);
        match (op.run)(self, bus, &op, &[]) {
            Flow::Fall => {
                self.stop(&op);
            }
            Flow::Taken => {
                self.stop(&op);
                self.regs.ip = op.target;
            }
            Flow::Jump => self.cycles += 1,
            Flow::Stop => {}
        }
        if trap {
            // A port access may have brought the next event nearer.
            self.limit = limit.min(bus.next_event());
            if !self.interrupted && !self.shadow && matches!(self.exit, None | Some(Exit::Halt)) {
                self.exit = None;
                self.deliver(bus, SINGLE_STEP);
            }
        }
    }

    /// A loop that only counts a register down: as many turns as fit, at once.
    fn delay<B: Bus>(&mut self, block: &Block<B>, left: u64) {
        let Some(delay) = block.delay else { return };
        if delay.wide {
            self.count_down::<B, Dword>(block, left)
        } else {
            self.count_down::<B, Word>(block, left)
        }
    }

    fn count_down<B: Bus, W: Size>(&mut self, block: &Block<B>, left: u64) {
        let Some(delay) = block.delay else { return };
        let count = W::get(&self.regs.gpr, delay.reg);
        let whole = u64::from(count.wrapping_sub(1) & W::MASK) + 1;
        let turns = whole.min(left / block.count);
        let after = (u64::from(count).wrapping_sub(turns)) as u32 & W::MASK;
        W::set(&mut self.regs.gpr, delay.reg, after);
        if delay.flags {
            let (_, status) = alu::sub::<W>(after.wrapping_add(1) & W::MASK, 1, 0);
            self.status = Status { carry: self.status.carry, ..status };
        }
        self.cycles += turns * block.count;
        self.regs.ip = if after == 0 { block.end } else { block.target };
    }
}
