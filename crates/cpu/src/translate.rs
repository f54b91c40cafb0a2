//! The dynamic binary translator: compiles hot blocks to machine code of the host.
//!
//! A block that was executed several hundred times is decoded again and translated instruction by
//! instruction. Most instructions become one host instruction on registers that hold the guest's
//! (`registers`). An instruction that is complex or not worth translating is left to its
//! interpreter handler, with exact state before it; translated code continues after it. Memory
//! accesses use the same granule flags as the interpreter. An access to memory that is not plain calls the bus,
//! unless masks and shifts express it. An access goes to the handler if it crosses the end of a segment,
//! touches decoded code, or is the first write to a clean page.
//!
//! - `kind` decides how each operation is translated, and `plan` which flags are live after it;
//! - `flags` tracks where the status flags are;
//! - `codegen` emits the operations: those that map to one host instruction with `direct`, address
//!   computation and bounds checks with `address`, and `multiply`, `stack`, `window`, `far`, `segment`,
//!   `control`, `interrupts`, `ports`, `fpu` and `strings`;
//! - `exits` emits the exits of a block, `frame` the code around a call, and `emit` encodes everything with iced-x86;
//! - `slow_path` emits accesses to memory that is not plain and to pages that hold decoded code, and `routines`,
//!   `video_routines`, `port_routines`, `fpu_routines` and `string_routines` the subroutines for them, for IN and OUT,
//!   for the coprocessor, and for repeated string instructions, some of which call the machine (`bus_calls`);
//! - `check` refuses a block with an instruction that it must not contain, if translations are verified;
//! - `context` is the state that the code shares with the machine;
//! - `host` holds the code and calls it. It and `host/bus` are the only files with `unsafe`, but Rust cannot check
//!   the code that the others emit: a mistake in any of them can break memory safety. `host` lists
//!   the invariants that they must keep.
//!
//! Time is counted as in the interpreter: a block's instructions are subtracted from the budget on
//! entry, and a block that contains the limit is not started. So a run stops at the same
//! instruction in the same state, with and without translation.

mod bus_calls;
mod check;
mod slow_path;
mod codegen;
mod context;
mod control;
mod emit;
mod flags;
mod frame;
mod fpu;
mod fpu_control;
mod fpu_kind;
mod fpu_routines;
mod fpu_run;
mod fpu_stack;
mod kind;
mod host;
mod interrupts;
mod address;
mod multiply;
mod plan;
mod ports;
mod port_routines;
mod registers;
mod repeated;
mod routines;
mod direct;
mod segment;
mod stack;
mod strings;
mod video_routines;
mod string_routines;
mod exits;
mod far;
mod window;

use std::cell::{Cell, RefCell};

use self::check::{Mistake, Rules};
use self::codegen::Body;
use self::context::Context;
use self::emit::{Encoded, Label};
use self::exits::Exits;
use self::host::CodeMemory;
use self::kind::Kind;
use super::bus::Bus;
use super::decoded::Decoded;
use super::frequency::Frequency;
use super::mistake::TranslationMistake;
use super::model::Model;
use super::op::Flow;
use super::ops::esc::is_switched_off;
use super::registers::Flags;
use super::state::Cpu;
use super::status::Status;

pub(super) use self::host::Entry;

/// Whether this host has a translator.
pub(super) const PRESENT: bool = true;

#[derive(Debug)]
pub(super) struct Code {
    entry: Entry,
    /// The entry points after handlers, by the number of remaining operations.
    resumes: Vec<(usize, Entry)>,
    first_link: u32,
    /// The links of other blocks that lead here.
    incoming: RefCell<Vec<u32>>,
    /// One bit per operation that the plan leaves to its handler.
    planned: u32,
    /// Unexpected bail-outs.
    misses: Cell<Frequency>,
    visits: Cell<Visits>,
}

/// Statistics of entries from the run loop: their number and the cycles that they ran.
#[derive(Debug, Clone, Copy, Default)]
struct Visits {
    count: u32,
    cycles: u64,
    /// The cycle of the first.
    since: u64,
    too_short: bool,
    /// Whether visits were long enough at least once.
    have_paid: bool,
}

impl Code {
    pub(super) fn entry(&self) -> Entry {
        self.entry
    }

    /// Returns the entry point with `to_come` operations remaining.
    pub(super) fn resume(&self, to_come: usize) -> Option<Entry> {
        self.resumes.iter().find(|(number, _)| *number == to_come).map(|(_, at)| *at)
    }

    /// Returns the number of remaining operations at an address that [`Code::resume`] returned.
    pub(super) fn operations_to_come(&self, at: Entry) -> Option<usize> {
        self.resumes.iter().find(|(_, resumed)| *resumed == at).map(|(number, _)| *number)
    }

    /// Records that the code was entered at cycle `from`, at its start or after a handler, for `cycles` cycles.
    pub(super) fn note_visit(&self, from: u64, cycles: u64) {
        /// Visits between evaluations.
        const VISITS: u32 = 256;
        /// The average number of cycles that makes a visit worthwhile.
        const CYCLES: u64 = 24;
        /// The average number of cycles between two visits from which on their cost does not matter.
        const APART: u64 = 512;
        let mut visits = self.visits.get();
        if visits.count == 0 {
            visits.since = from;
        }
        visits.count += 1;
        visits.cycles = visits.cycles.saturating_add(cycles);
        if visits.count > VISITS {
            let are_frequent = from.saturating_sub(visits.since) < u64::from(VISITS) * APART;
            visits.too_short = are_frequent && visits.cycles < u64::from(VISITS) * CYCLES;
            visits.have_paid |= !visits.too_short;
            (visits.count, visits.cycles) = (0, 0);
        }
        self.visits.set(visits);
    }

    /// Takes back [`Code::note_visit`]: visits will be longer when the block at which this one began or ended is
    /// translated.
    pub(super) fn ignore_visit(&self, cycles: u64) {
        let mut visits = self.visits.get();
        visits.count = visits.count.saturating_sub(1);
        visits.cycles = visits.cycles.saturating_sub(cycles);
        self.visits.set(visits);
    }

    /// Returns whether visits were long enough for a while.
    pub(super) fn has_paid(&self) -> bool {
        self.visits.get().have_paid
    }

    /// Returns whether visits are so short that the handlers would be faster.
    pub(super) fn is_left_too_soon(&self) -> bool {
        self.visits.get().too_short
    }

    /// Records that the block bailed out before an operation at cycle `cycles`. Returns whether the
    /// block bails out frequently enough that the handlers alone would be faster, because the
    /// memory that it works on is not plain.
    pub(super) fn misses_too_often(&self, number: usize, cycles: u64) -> bool {
        /// The number of cycles per bail-out that makes a translation worthwhile.
        const CYCLES: u64 = 64;
        if self.planned >> number & 1 != 0 {
            return false;
        }
        let mut misses = self.misses.get();
        let too_often = misses.is_high(cycles, CYCLES);
        self.misses.set(misses);
        too_often
    }

    /// Returns the number of bail-outs since the last evaluation.
    #[cfg(test)]
    pub(super) fn misses(&self) -> u32 {
        self.misses.get().count
    }

    /// Returns the number of entries from the run loop since the last evaluation.
    #[cfg(test)]
    pub(super) fn visits(&self) -> u32 {
        self.visits.get().count
    }

    /// Returns the operations left to their handlers, with an entry point after them.
    pub(super) fn left_to_handlers(&self, operations: usize) -> impl Iterator<Item = usize> {
        self.resumes.iter().filter_map(move |(to_come, _)| operations.checked_sub(to_come + 1))
    }
}

/// The reason why a block is not translated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The translation would not be faster.
    NotWorth,
    /// The code memory is full: all translations must be dropped first.
    Full,
}

/// The translations of one machine's blocks, and their shared routines.
#[derive(Debug)]
pub(super) struct Translator {
    code: CodeMemory,
    /// The default target of each link in use, which applies until its block is linked to another.
    default_targets: Vec<Option<Entry>>,
    context: RefCell<Box<Context>>,
    mistakes: Vec<TranslationMistake>,
}

/// A block that is encoded for the next free address.
#[derive(Debug)]
struct Draft {
    code: Encoded,
    exits: Exits,
    entry: Label,
    /// The operations that have an entry point, after a handler.
    resumes: Vec<(usize, Label)>,
}

impl Draft {
    /// Checks the encoded bytes.
    fn check(&self) -> Result<(), Mistake> {
        check::check(self.code.bytes(), self.code.address(), &self.entries(), &self.rules())
    }

    /// Returns the addresses at which the block is entered.
    fn entries(&self) -> Vec<u64> {
        let after_handlers = self.resumes.iter().map(|(_, label)| label);
        let labels = after_handlers.chain(self.exits.unlinked.iter().flatten()).chain([&self.entry]);
        labels.map(|label| self.code.address() + self.code.offset(*label) as u64).collect()
    }

    fn rules(&self) -> Rules {
        let Exits { id, links, leave, routines, .. } = self.exits;
        Rules { id, links, leave, routines }
    }
}

impl Translator {
    /// Creates a translator without translations; `None` if the host provides no memory for code.
    pub(super) fn new() -> Option<Self> {
        Some(Translator {
            code: CodeMemory::new()?,
            default_targets: Vec::new(),
            context: RefCell::new(Box::new(Context::new())),
            mistakes: Vec::new(),
        })
    }

    /// Drops all translations. Blocks from before, or of another translator, must not be linked.
    pub(super) fn clear(&mut self) {
        self.code.clear();
        self.default_targets.clear();
    }

    /// Translates the operations of a block, which are `count` instructions. With `verifies`, the code is
    /// checked before it becomes executable.
    pub(super) fn translate<B: Bus>(
        &mut self,
        model: Model,
        (id, key): (u32, u64),
        decoded: &[Decoded<B>],
        count: u32,
        verifies: bool,
    ) -> Result<Code, Refusal> {
        if self.code.is_full() {
            return Err(Refusal::Full);
        }
        let plans = plan::of(model, decoded);
        if !is_worth_it(&plans) {
            return Err(Refusal::NotWorth);
        }
        let left = plans.iter().enumerate().filter(|(_, plan)| plan.may_resume());
        let planned = left.fold(0, |planned, (number, _)| planned | 1 << number);
        let first_link = self.default_targets.len();
        let draft = self.draft(model, (id, key), decoded, plans, count)?;
        if verifies && let Err(mistake) = draft.check() {
            debug_assert!(false, "translation of {key:X}: {mistake}");
            let place = ((key >> 32) as u16, key as u16);
            self.mistakes.push(TranslationMistake { place, text: mistake.to_string() });
            return Err(Refusal::NotWorth);
        }
        let Draft { code, exits, entry, resumes } = draft;
        let placed = self.code.push(code).ok_or(Refusal::NotWorth)?;
        let address = |label| placed.entry(label);
        for (number, unlinked) in exits.unlinked.into_iter().enumerate() {
            let home = unlinked.map(address);
            self.default_targets.push(home);
            self.code.set_link(first_link + number, home);
        }
        Ok(Code {
            entry: address(entry),
            resumes: resumes
                .into_iter()
                .map(|(number, label)| (decoded.len() - number, address(label)))
                .collect(),
            first_link: first_link as u32,
            incoming: RefCell::default(),
            planned,
            misses: Cell::default(),
            visits: Cell::default(),
        })
    }

    /// Encodes a block for the next free address.
    fn draft<B: Bus>(
        &mut self,
        model: Model,
        (id, key): (u32, u64),
        decoded: &[Decoded<B>],
        plans: Vec<plan::Plan>,
        count: u32,
    ) -> Result<Draft, Refusal> {
        for plan in &plans {
            if let Kind::Repeat(repeated) = plan.kind {
                self.code.add_string_routine(repeated, plan.bytes).ok_or(Refusal::NotWorth)?;
            }
        }
        if self.code.is_full() {
            return Err(Refusal::Full);
        }
        let first_link = self.default_targets.len();
        let links = self.code.link_address(first_link, Flow::EXITS).ok_or(Refusal::Full)?;
        let exits = Exits {
            id,
            key,
            links,
            leave: self.code.leave(),
            routines: self.code.routines(),
            unlinked: [None; Flow::EXITS],
        };
        let Body { code, exits, entry, resumes, .. } = Body::of(model, decoded, plans, exits, count);
        let code = code.encode(self.code.next().ok_or(Refusal::NotWorth)?).ok_or(Refusal::NotWorth)?;
        Ok(Draft { code, exits, entry, resumes })
    }

    /// Returns the mistakes found since the last call.
    pub(super) fn take_mistakes(&mut self) -> Vec<TranslationMistake> {
        std::mem::take(&mut self.mistakes)
    }

    /// Returns the number of blocks that were translated since all were dropped.
    #[cfg(test)]
    pub(super) fn made(&self) -> usize {
        self.default_targets.len() / Flow::EXITS
    }

    /// Links an exit of a block directly to another block.
    pub(super) fn link(&self, from: &Code, exit: usize, to: &Code) {
        let link = from.first_link + exit as u32;
        if !self.code.leads_to(link as usize, to.entry) {
            self.code.set_link(link as usize, Some(to.entry));
            to.incoming.borrow_mut().push(link);
        }
    }

    /// Makes computed jumps to this key go directly to the block.
    pub(super) fn note_target(&self, key: u64, to: &Code) {
        self.code.set_target(key, to.entry);
    }

    /// Returns whether translated code has left a block because it calls the bus too often.
    pub(super) fn calls_too_often(&self) -> bool {
        std::mem::take(&mut self.context.borrow_mut().calls_too_often)
    }

    /// Removes a block: links to it return to the run loop again.
    pub(super) fn forget(&self, key: u64, code: &Code) {
        for link in code.incoming.take() {
            if let Some(home) = self.default_targets.get(link as usize)
                && self.code.leads_to(link as usize, code.entry)
            {
                self.code.set_link(link as usize, *home);
            }
        }
        self.code.forget_target(key);
    }

    /// Runs translated code from an entry point. Returns the block in which it ended, and how.
    /// `None` if [`CodeMemory::call`] refuses the entry.
    #[inline(always)]
    pub(super) fn enter<B: Bus>(&self, cpu: &mut Cpu, bus: &mut B, at: Entry) -> Option<(u32, Flow)> {
        /// More than any run takes, and far below an overflow.
        const MOST: u64 = 1 << 62;
        let context = &mut **self.context.borrow_mut();
        let budget = cpu.limit.saturating_sub(cpu.cycles).min(MOST) as i64;
        context.budget = budget;
        context.end = cpu.cycles.wrapping_add_signed(budget);
        context.limit = cpu.limit;
        context.iterations = 0;
        context.direction = if cpu.regs.flag(Flags::DF) { -1 } else { 1 };
        context.other_flags = cpu.regs.flags & !(Status::MASK | Flags::DF);
        context.flags = flags::image(cpu.status.bits());
        context.checked_flags = checked_flags(cpu);
        let vectors_at_0 = has_vectors_at_0(cpu);
        let fpu = if is_switched_off(cpu) { None } else { cpu.fpu.as_deref_mut() };
        let answer = self.code.call(at, context, &mut cpu.regs, bus, fpu, vectors_at_0)?;
        cpu.regs.seg = context.selectors();
        cpu.status = Status::from_bits(flags::bits(context.flags));
        cpu.regs.set_flag(Flags::DF, context.direction < 0);
        cpu.regs.set_flag(Flags::IF, context.other_flags & Flags::IF != 0);
        context.report_output(bus);
        cpu.cycles = context.cycles_at(context.budget);
        cpu.limit = context.limit;
        cpu.extra += context.iterations;
        let (id, flow) = exits::from_answer(answer);
        if flow == Flow::JUMP || flow == Flow::STOP {
            cpu.regs.ip = context.ip;
        }
        let is_given_up = flow == Flow::STOP && std::mem::take(&mut context.calls_too_often);
        Some((id, if is_given_up { Flow::DISCARD } else { flow }))
    }
}

/// Returns whether all interrupt vectors are at address 0, as after reset.
fn has_vectors_at_0(cpu: &Cpu) -> bool {
    const LAST: u16 = 0x3FF;
    let table = cpu.system.idtr;
    table.base == 0 && (table.limit >= LAST || !cpu.model.has_idtr())
}

/// Returns the flags whose change may cause a trap or an interrupt before the next instruction, or
/// that only the handlers follow.
fn checked_flags(cpu: &Cpu) -> u32 {
    let others = cpu.model.loadable_flags() & 0xFFFF & !(Status::MASK | Flags::DF);
    if cpu.intr { others } else { others & !Flags::IF }
}

/// Returns whether enough operations are translated to justify leaving and re-entering the code.
fn is_worth_it(plans: &[plan::Plan]) -> bool {
    /// The number of operations whose handlers cost as much as leaving and re-entering the code.
    const RETURN: usize = 4;
    let left = plans.iter().filter(|plan| plan.kind == Kind::Leave).count();
    plans.len() - left > RETURN * left
}
