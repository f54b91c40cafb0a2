//! The run loop's part for translated blocks: translates them, enters them, and gives translations up.

use crate::block::{Block, Blocks};
use crate::bus::Bus;
use crate::decode;
use crate::decoded::Decoded;
use crate::op::{Flow, RemainingOps};
use crate::state::Cpu;
use crate::translate::{Code, Entry, Refusal, Translator};

impl Cpu {
    /// Translates the block if possible and worthwhile.
    #[cold]
    pub(super) fn translate<B: Bus>(&mut self, blocks: &mut Blocks<B>, bus: &mut B, id: u32) {
        let mut discarded = 0;
        if let Some(block) = blocks.arena.get(id as usize) {
            block.hotness.set(u32::MAX);
            self.regs.ip = block.key as u32;
            discarded = block.discarded;
        }
        if !blocks.translates() || bus.direct_memory().is_none() {
            return;
        }
        let Some((mut block, decoded)) = self.decode_again(blocks, bus, id) else { return };
        if blocks.translator.is_none() {
            blocks.translator = Translator::new();
        }
        let Some(translator) = &mut blocks.translator else { return };
        match translator.translate(self.model, (id, block.key), &decoded, block.count, blocks.verifies) {
            Ok(code) => {
                block.discarded = discarded;
                block.set_code(code);
                blocks.put(bus, id, block);
            }
            Err(Refusal::NotWorth) => {}
            Err(Refusal::Full) => {
                blocks.drop_translated();
                if let Some(block) = blocks.arena.get(id as usize) {
                    block.hotness.set(0);
                }
            }
        }
    }

    /// Decodes the block with this number, which begins at CS:IP, again.
    fn decode_again<B: Bus>(
        &self,
        blocks: &Blocks<B>,
        bus: &mut B,
        id: u32,
    ) -> Option<(Block<B>, Vec<Decoded<B>>)> {
        let is_stop = |address| blocks.is_stop(address);
        let patched = |address| blocks.is_patched_outside(id, address);
        decode::block(self, bus, blocks.longest, patched, is_stop)
    }

    /// Replaces a translated block by one that is not translated. It is translated again much
    /// later, and each time after more executions: by then its neighbours may be translated, or its
    /// loop may iterate more often. CS:IP does not change.
    #[cold]
    pub(super) fn discard_translation<B: Bus>(&mut self, blocks: &mut Blocks<B>, bus: &mut B, id: u32) {
        /// Executions before the next attempt, large compared with the cost of a useless
        /// translation. Multiplied after each attempt.
        const AGAIN_AFTER: u32 = 20_000;
        const LATER: u32 = 2;
        let Some(block) = blocks.arena.get(id as usize) else { return };
        let has_paid = block.code.as_ref().is_some_and(|code| code.has_paid());
        let (key, discarded) = (block.key, if has_paid { 0 } else { block.discarded });
        blocks.drop_translation(id);
        let ip = std::mem::replace(&mut self.regs.ip, key as u32);
        let decoding = self.decode_again(blocks, bus, id);
        self.regs.ip = ip;
        match decoding {
            Some((mut block, _)) => {
                block.discarded = discarded.saturating_add(1);
                block.hotness.set(AGAIN_AFTER.saturating_mul(LATER.saturating_pow(discarded)));
                blocks.put(bus, id, block);
            }
            None => blocks.drop_block(id),
        }
    }

    /// Executes the translation of block `id` and its translated successors. Returns the block that
    /// the interpreter continues with, or the last one and how it ended. `after`: the block that the interpreter
    /// has just executed, if any.
    #[inline(never)]
    pub(super) fn translated<'a, B: Bus, const STOPS: bool>(
        &mut self,
        blocks: &'a Blocks<B>,
        bus: &mut B,
        mut id: u32,
        mut block: &'a Block<B>,
        after: Option<&Block<B>>,
    ) -> Result<(u32, &'a Block<B>), (u32, Flow)> {
        let (Some(translator), Some(code)) = (&blocks.translator, &block.code) else {
            return Err((id, Flow::COMPILE));
        };
        if code.is_left_too_soon() {
            self.regs.ip = block.key as u32;
            return Err((id, Flow::DISCARD));
        }
        let mut entered = code;
        let mut at = code.entry();
        let mut counts = !after.is_some_and(Block::will_be_translated);
        loop {
            let before = self.cycles;
            let ended = translator.enter(self, bus, at);
            let Some((last, mut flow)) = ended else { return Err((id, self.stop_at(block, entered, at))) };
            let spent = self.cycles.saturating_sub(before);
            if counts {
                entered.note_visit(before, spent);
            }
            id = last;
            let Some(last) = blocks.arena.get(id as usize) else { return Err((id, Flow::STOP)) };
            block = last;
            let next = loop {
                if let Some(exit) = flow.exit() {
                    let next = blocks.follow(block, exit);
                    break next.inspect(|(_, next)| blocks.link_codes(block, exit, next));
                }
                if flow == Flow::JUMP {
                    break blocks.recall(self.key()).inspect(|(_, next)| blocks.note_target(next));
                }
                if flow == Flow::AGAIN {
                    break Some((id, block));
                }
                if flow == Flow::BUDGET_EXHAUSTED {
                    self.finish::<B, STOPS>(bus, block);
                    return Err((id, Flow::STOP));
                }
                let Some(code) = &block.code else { return Err((id, flow)) };
                if let Some(number) = flow.operation() {
                    if translator.calls_too_often() || code.misses_too_often(number, self.cycles) {
                        self.stop_short_of(block, number);
                        return Err((id, Flow::DISCARD));
                    }
                    flow = match block.left_from(number) {
                        Some((handler, rest)) => handler(self, bus, rest),
                        None => (block.run)(self, bus, RemainingOps::of(&block.ops)),
                    };
                } else if let Some(resumed) = flow.to_resume().and_then(|to_come| code.resume(to_come)) {
                    (entered, at) = (code, resumed);
                    break None;
                } else {
                    return Err((id, flow));
                }
            };
            match (next, flow.to_resume()) {
                (Some((next, next_block)), _) => {
                    (id, block) = (next, next_block);
                    match &block.code {
                        Some(code) if !code.is_left_too_soon() => (entered, at) = (code, code.entry()),
                        _ => {
                            if counts && block.will_be_translated() {
                                entered.ignore_visit(spent);
                            }
                            return Ok((id, block));
                        }
                    }
                }
                (None, Some(_)) => {}
                (None, None) => return Err((id, flow)),
            }
            counts = true;
        }
    }

    /// Ends the run before the operation at which translated code cannot be entered.
    #[cold]
    fn stop_at<B: Bus>(&mut self, block: &Block<B>, code: &Code, at: Entry) -> Flow {
        match code.operations_to_come(at) {
            Some(to_come) => self.stop_short_of(block, block.ops.len() - to_come),
            None => self.regs.ip = block.key as u32,
        }
        Flow::DISCARD
    }

    /// Ends the run in a translated block before one of its operations.
    #[cold]
    fn stop_short_of<B: Bus>(&mut self, block: &Block<B>, number: usize) {
        if let Some(op) = block.ops.get(number) {
            self.stop_before(op);
        }
    }
}
