//! The run loop: finds blocks, executes them, and stops at an exact instruction boundary.

mod translated;

use super::block::{Block, Blocks};
use super::bus::Bus;
use super::decode;
use super::op::{Flow, Handler, Op, RemainingOps};
use super::registers::{Flags, Segment};
use super::state::{Cpu, Exit, Served, Step};
use super::status::Status;
use super::translate::PRESENT;

const SINGLE_STEP: u8 = 1;

impl Cpu {
    /// Runs until `cycles >= deadline`, the bus's next event, or another [`Exit`].
    pub fn run<B: Bus>(&mut self, blocks: &mut Blocks<B>, bus: &mut B, deadline: u64) -> Exit {
        self.run_serving(blocks, bus, deadline, |_, _, _| Served::No)
    }

    /// Like [`Cpu::run`], but a firmware trap that ends a cached block before the deadline calls
    /// `serve` with its number. The state is then as after [`Exit::Trap`]. A trap that is single-stepped
    /// to is returned to the caller.
    pub fn run_serving<B: Bus>(
        &mut self,
        blocks: &mut Blocks<B>,
        bus: &mut B,
        deadline: u64,
        mut serve: impl FnMut(&mut Cpu, &mut B, u8) -> Served,
    ) -> Exit {
        self.begin(deadline.min(bus.next_event()));
        self.joins_traps = true;
        let from = self.cycles;
        let exit = self.run_until_exit::<B, false>(blocks, bus, &mut serve);
        self.end(from);
        exit
    }

    /// Like [`Cpu::run`], but stops before the instructions that [`Blocks::set_stops`] names,
    /// including the first.
    pub fn run_to_stops<B: Bus>(&mut self, blocks: &mut Blocks<B>, bus: &mut B, deadline: u64) -> Exit {
        self.begin(deadline.min(bus.next_event()));
        let from = self.cycles;
        let exit = self.run_until_exit::<B, true>(blocks, bus, &mut |_, _, _| Served::No);
        self.end(from);
        exit
    }

    /// Executes one instruction with its prefixes. A REP executes the iterations before the
    /// deadline and before the bus's next event, but at least one.
    pub fn step<B: Bus>(&mut self, blocks: &mut Blocks<B>, bus: &mut B, deadline: u64) -> Step {
        self.begin(deadline.min(bus.next_event()).max(self.cycles));
        let from = self.cycles;
        if bus.code_written() {
            blocks.drop_written(bus);
        }
        self.one(blocks, bus);
        self.end(from);
        Step { interrupted: self.interrupted, exit: self.exit.take() }
    }

    pub(super) fn begin(&mut self, limit: u64) {
        self.status = Status::from_bits(self.regs.flags);
        self.regs.flags = self.regs.flags & self.model.loadable_flags() | self.model.fixed_flags();
        self.regs.ip &= 0x1_FFFF;
        self.limit = limit;
        self.extra = 0;
        self.exit = None;
        self.joins_traps = false;
        self.joined = None;
    }

    pub(super) fn end(&mut self, from: u64) {
        self.regs.flags = self.flags_image();
        self.retired += self.cycles - from - self.extra;
    }

    /// With `STOPS`, checks for the instructions at which a run stops. No block contains one.
    fn run_until_exit<B: Bus, const STOPS: bool>(
        &mut self,
        blocks: &mut Blocks<B>,
        bus: &mut B,
        serve: &mut impl FnMut(&mut Cpu, &mut B, u8) -> Served,
    ) -> Exit {
        loop {
            if let Some(exit) = self.due_exit() {
                return exit;
            }
            if STOPS && blocks.is_stop(self.physical_ip(bus)) {
                return Exit::Breakpoint;
            }
            if bus.code_written() {
                blocks.drop_written(bus);
            }
            if self.is_single(blocks) {
                self.one(blocks, bus);
                continue;
            }
            self.shadow = false;
            if blocks.has_fresh() && self.execute_fresh(blocks, bus) {
                continue;
            }
            match self.block_here(blocks, bus) {
                Some(id) => self.chain::<B, STOPS>(blocks, bus, id, serve),
                None => self.single(bus),
            }
        }
    }

    /// Returns the exit if the run ends before the next instruction.
    #[inline(always)]
    pub(super) fn due_exit(&mut self) -> Option<Exit> {
        if let Some(exit) = self.exit.take() {
            return Some(exit);
        }
        if self.intr && self.interruptible() {
            return Some(Exit::InterruptWindow);
        }
        (self.cycles >= self.limit).then_some(Exit::Deadline)
    }

    /// Whether the next instruction is executed without a block: it is traced (TF), an interrupt is
    /// due after it, or nothing is cached.
    #[inline(always)]
    pub(super) fn is_single<B: Bus>(&self, blocks: &Blocks<B>) -> bool {
        let window_next = self.shadow && self.intr && self.regs.flag(Flags::IF);
        self.regs.flag(Flags::TF) || window_next || !blocks.cached
    }

    /// Executes one instruction, from the cache if it is there.
    fn one<B: Bus>(&mut self, blocks: &mut Blocks<B>, bus: &mut B) {
        match self.alone_here(blocks, bus) {
            Some((run, op)) => self.execute_alone(bus, run, op),
            None => self.single(bus),
        }
    }

    /// Returns the key of the block at CS:IP.
    #[inline(always)]
    pub(super) fn key(&self) -> u64 {
        u64::from(self.regs.cs()) << 32 | u64::from(self.regs.ip)
    }

    /// Returns the physical address of CS:IP.
    #[inline(always)]
    fn physical_ip<B: Bus>(&self, bus: &B) -> u32 {
        bus.physical(self.base(Segment::Cs) + self.regs.ip)
    }

    /// Returns the block at CS:IP, and decodes it if needed; `None` if the code must not be cached.
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
        let restored = blocks.restore(bus, self.key(), self.cycles);
        if restored.is_some() {
            return restored;
        }
        let address = self.physical_ip(bus);
        let is_stop = |address| blocks.is_stop(address);
        let patched = |address| blocks.is_patched(address);
        let decoding = decode::block(self, bus, blocks.longest, patched, is_stop);
        if decoding.is_none() {
            blocks.note_fresh(address, self.key());
        }
        Some(blocks.insert(bus, decoding?.0))
    }

    /// Returns the single-step block at CS:IP, decoded if needed; `None` if it cannot be cached.
    fn alone_here<'a, B: Bus>(
        &mut self,
        blocks: &'a mut Blocks<B>,
        bus: &mut B,
    ) -> Option<(Handler<B>, &'a Op<B>)> {
        if !blocks.cached {
            return None;
        }
        let id = match blocks.find(self.key() | Block::<B>::ALONE) {
            Some(id) => id,
            None => {
                let block = decode::alone(self, bus, |address| blocks.is_patched(address))?;
                blocks.insert(bus, block)
            }
        };
        let block = blocks.arena.get(id as usize)?;
        Some((block.run, block.ops.first()?))
    }

    /// Executes blocks in sequence from `id` on, until a check for events is needed.
    fn chain<B: Bus, const STOPS: bool>(
        &mut self,
        blocks: &mut Blocks<B>,
        bus: &mut B,
        mut id: u32,
        serve: &mut impl FnMut(&mut Cpu, &mut B, u8) -> Served,
    ) {
        loop {
            let (last, flow) = self.linked::<B, STOPS>(blocks, bus, id);
            if PRESENT && flow == Flow::COMPILE {
                id = last;
                self.translate(blocks, bus, id);
                continue;
            }
            if PRESENT && flow == Flow::DISCARD {
                return self.discard_translation(blocks, bus, last);
            }
            let exit =
                flow.exit().and_then(|exit| Some((exit, blocks.arena.get(last as usize)?.exits[exit])));
            if let Some((_, key)) = exit {
                // The lower half of a key is IP.
                self.regs.ip = key as u32;
            } else if flow == Flow::STOP
                || flow == Flow::TRAP && !(self.is_served(bus, serve) && self.iret_at_once(bus))
            {
                return;
            }
            // The run loop executes a fresh instruction.
            if blocks.has_fresh() && blocks.is_fresh(self.physical_ip(bus)) {
                return;
            }
            let Some(found) = self.block_here(blocks, bus) else { return };
            // Decoding may have flushed the cache, so that a different block has this number.
            if let Some((exit, key)) = exit
                && let Some(block) = blocks.arena.get_mut(last as usize)
                && block.exits[exit] == key
            {
                block.links[exit] = found;
            }
            id = found;
        }
    }

    /// Executes block `id` and its linked successors. Returns the last block and how it ended.
    #[inline(always)]
    fn linked<B: Bus, const STOPS: bool>(
        &mut self,
        blocks: &Blocks<B>,
        bus: &mut B,
        mut id: u32,
    ) -> (u32, Flow) {
        let Some(mut block) = blocks.arena.get(id as usize) else { return (id, Flow::STOP) };
        let mut after = None;
        'enter: loop {
            if PRESENT {
                let hotness = block.hotness.get();
                if hotness == 0 {
                    match self.translated::<B, STOPS>(blocks, bus, id, block, after) {
                        Ok(next) => ((id, block), after) = (next, None),
                        Err(ended) => return ended,
                    }
                    continue;
                }
                block.hotness.set(hotness - 1);
            }
            let end = self.cycles + u64::from(block.count);
            if end > self.limit {
                self.finish::<B, STOPS>(bus, block);
                return (id, Flow::STOP);
            }
            self.cycles = end;
            let mut flow = (block.run)(self, bus, RemainingOps::of(&block.ops));
            loop {
                if flow == Flow::AGAIN {
                    continue 'enter;
                }
                let next = if let Some(exit) = flow.exit() {
                    blocks.follow(block, exit)
                } else if flow == Flow::JUMP {
                    blocks.recall(self.key())
                } else if let Some((before, rest)) = flow.operation().and_then(|n| block.operations_from(n)) {
                    flow = (before.then)(self, bus, rest);
                    continue;
                } else {
                    None
                };
                let Some(next) = next else { return (id, flow) };
                after = Some(block);
                (id, block) = next;
                continue 'enter;
            }
        }
    }

    /// Executes the part of a block that is before the cycle limit.
    #[cold]
    fn finish<B: Bus, const STOPS: bool>(&mut self, bus: &mut B, block: &Block<B>) {
        self.regs.ip = block.key as u32;
        // A conditional jump may leave the block to an instruction at which the run stops.
        if STOPS {
            self.single(bus);
        } else {
            self.partly(bus);
        }
    }

    /// Serves the trap that ends the run. Returns whether the run continues without an event check.
    #[inline]
    pub(super) fn is_served<B: Bus>(
        &mut self,
        bus: &mut B,
        serve: &mut impl FnMut(&mut Cpu, &mut B, u8) -> Served,
    ) -> bool {
        let Some(Exit::Trap(number)) = self.exit else { return false };
        if self.cycles >= self.limit {
            return false;
        }
        // INT and the trap have completed FLAGS.
        let (before, flags, place) = (self.cycles, self.regs.flags, self.key());
        match serve(self, bus, number) {
            Served::No => return false,
            Served::Registers => {}
            Served::Anything => {
                let is_as_before = self.regs.flags == flags && self.key() == place;
                if !is_as_before || !self.has_frame_as_pushed(bus, flags) {
                    self.status = Status::from_bits(self.regs.flags);
                    self.joined = None;
                }
                // Time that a service takes is no instruction.
                self.extra += self.cycles - before;
            }
        }
        self.exit = None;
        self.limit = self.limit.min(bus.next_event());
        !bus.code_written()
    }

    /// Executes the last instructions before the deadline singly, because the deadline is inside a
    /// block, so that the state is exact at the end.
    #[cold]
    fn partly<B: Bus>(&mut self, bus: &mut B) {
        while self.cycles < self.limit && self.exit.is_none() {
            self.single(bus);
            let look = self.regs.flag(Flags::TF) || self.shadow || (self.intr && self.interruptible());
            if look || bus.code_written() {
                return;
            }
        }
    }

    /// Executes the instruction at CS:IP without a block if it is fresh. Returns whether it was.
    fn execute_fresh<B: Bus>(&mut self, blocks: &mut Blocks<B>, bus: &mut B) -> bool {
        let address = self.physical_ip(bus);
        let Some((may_be_restored, is_last)) = blocks.count_fresh(address) else { return false };
        if may_be_restored && blocks.restore(bus, self.key(), self.cycles).is_some() {
            blocks.pause_fresh(address);
            return false;
        }
        let bytes = decode::bytes_here(self, bus);
        let found = bytes.and_then(|bytes| blocks.known.find(bytes, self.regs.ip));
        if let Some((run, op)) = found {
            self.execute_alone(bus, run, op);
        } else {
            let (run, op) = decode::single_to_keep(self, bus, bytes, &mut blocks.known);
            self.execute_alone(bus, run, &op);
        }
        if is_last {
            blocks.forget_fresh(address);
        }
        true
    }

    /// Executes one instruction without the cache, and then the single-step trap if TF was set.
    fn single<B: Bus>(&mut self, bus: &mut B) {
        let (run, op) = decode::single(self, bus);
        self.execute_alone(bus, run, &op);
    }

    /// Executes the instruction at CS:IP, and then the single-step trap if TF was set.
    fn execute_alone<B: Bus>(&mut self, bus: &mut B, run: Handler<B>, op: &Op<B>) {
        let trap = self.regs.flag(Flags::TF);
        let limit = self.limit;
        if trap {
            // One iteration of a REP at a time.
            self.limit = self.cycles;
        }
        self.shadow = false;
        self.interrupted = false;
        self.cycles += 1;
        let flow = run(self, bus, RemainingOps::of(std::slice::from_ref(op)));
        if flow.exit().is_some() {
            self.stop(op);
            if flow != Flow::FALL {
                self.regs.ip = op.target;
            }
        }
        if trap {
            // A port access may have moved the next event.
            self.limit = limit.min(bus.next_event());
            if !self.interrupted && !self.shadow && matches!(self.exit, None | Some(Exit::Halt)) {
                self.exit = None;
                self.deliver(bus, SINGLE_STEP);
            }
        }
    }
}
