//! Blocks that run often, as machine code of the host.
//!
//! A block that has been executed some hundred times is decoded once more and translated, instruction by instruction: most of
//! them are one of the host's own, on registers that hold the guest's (`registers`). What is not worth it, or not plain, is left
//! to the handlers of the interpreter, with the state exact before the instruction; behind it the code is entered again. Memory
//! goes by the same marks as in the interpreter: what is neither plain RAM nor a display adapter's memory that masks and shifts
//! reach, lies across the end of a segment, is decoded code or the first write to a clean page is left to the handler.
//!
//! - `plan` decides what becomes of each operation, and which flags somebody may still look at behind it;
//! - `flags` knows where the status flags are;
//! - `codegen` writes the operations: those that map to one host instruction with `direct`, address computation and bounds checks with
//!   `address`, and `stack` and `strings`;
//! - `exits` writes how a block is left, and `emit` has iced-x86 encode all of it;
//! - `slow_path` writes the accesses to video memory and to pages that hold decoded code, and `routines` what they call;
//! - `host` holds the code and calls it. It is the only file with `unsafe`, but Rust cannot check the code that the others emit: a
//!   mistake in any of them can break memory safety. `host` says what they have to keep.
//!
//! Time is counted as in the interpreter: a block's instructions are taken off the budget when it is entered, and a block in which
//! the limit lies is not begun. So a run stops at the same instruction, in the same state, with and without translation.

mod slow_path;
mod codegen;
mod emit;
mod flags;
mod host;
mod address;
mod plan;
mod registers;
mod routines;
mod direct;
mod stack;
mod strings;
mod exits;

use std::cell::{Cell, RefCell};

use self::codegen::Body;
use self::exits::Ways;
use self::host::{CodeMemory, Context, TARGETS};
use self::plan::Kind;
use super::bus::Bus;
use super::decoded::Decoded;
use super::model::Model;
use super::op::Flow;
use super::registers::Flags;
use super::state::Cpu;
use super::status::Status;

pub(super) use self::host::Entry;

/// There is a translator.
pub(super) const PRESENT: bool = true;

/// A translated block.
#[derive(Debug)]
pub(super) struct Code {
    entry: Entry,
    /// By the number of operations still to come: where the code is entered again after a handler.
    resumes: Vec<(usize, Entry)>,
    /// The number of the link of its first exit.
    first_link: u32,
    /// The links of other blocks that lead here.
    incoming: RefCell<Vec<u32>>,
    /// A bit for each operation that is left to its handler by plan.
    planned: u32,
    misses: Cell<Misses>,
    visits: Cell<Visits>,
}

/// How often the code was entered from the run loop, and how many cycles it ran then.
#[derive(Debug, Clone, Copy, Default)]
struct Visits {
    count: u32,
    cycles: u64,
    too_short: bool,
    /// They were long enough once.
    have_paid: bool,
}

/// How often a block was left where that was not planned, since when.
#[derive(Debug, Clone, Copy, Default)]
struct Misses {
    count: u32,
    since: u64,
}

impl Code {
    /// Where the block begins.
    pub(super) fn entry(&self) -> Entry {
        self.entry
    }

    /// Where it goes on with so many operations to come.
    pub(super) fn resume(&self, to_come: usize) -> Option<Entry> {
        self.resumes.iter().find(|(number, _)| *number == to_come).map(|(_, at)| *at)
    }

    /// The number of operations to come at an address that [`Code::resume`] gives.
    pub(super) fn operations_to_come(&self, at: Entry) -> Option<usize> {
        self.resumes.iter().find(|(_, resumed)| *resumed == at).map(|(number, _)| *number)
    }

    /// Notes that the code was entered, here or behind a handler, and has run for so many cycles.
    pub(super) fn note_visit(&self, cycles: u64) {
        /// Looked at once in so many.
        const VISITS: u32 = 256;
        /// Cycles that pay for a visit.
        const CYCLES: u64 = 12;
        let mut visits = self.visits.get();
        visits.count += 1;
        visits.cycles = visits.cycles.saturating_add(cycles);
        if visits.count > VISITS {
            visits.too_short = visits.cycles < u64::from(VISITS) * CYCLES;
            visits.have_paid |= !visits.too_short;
            (visits.count, visits.cycles) = (0, 0);
        }
        self.visits.set(visits);
    }

    /// True when visits were long enough for a while.
    pub(super) fn has_paid(&self) -> bool {
        self.visits.get().have_paid
    }

    /// True when visits are so short that the handlers would be quicker.
    pub(super) fn is_left_too_soon(&self) -> bool {
        self.visits.get().too_short
    }

    /// Notes that the block was left before an operation at this instant. True when that happens so often that the handlers would be
    /// quicker all the way: the memory that it works on is not plain after all.
    pub(super) fn misses_too_often(&self, number: usize, cycles: u64) -> bool {
        /// Looked at once in so many.
        const MISSES: u32 = 1024;
        /// Cycles a miss that a translation makes up for.
        const CYCLES: u64 = 64;
        if self.planned >> number & 1 != 0 {
            return false;
        }
        let Misses { count, since } = self.misses.get();
        let is_full = count >= MISSES;
        let too_often = is_full && cycles.wrapping_sub(since) < u64::from(MISSES) * CYCLES;
        let next = if count == 0 || is_full {
            Misses { count: 1, since: cycles }
        } else {
            Misses { count: count + 1, since }
        };
        self.misses.set(next);
        too_often
    }

    /// How often the block was left since that was last looked at.
    #[cfg(test)]
    pub(super) fn misses(&self) -> u32 {
        self.misses.get().count
    }

    /// The operations, of as many, that are left to their handlers and behind which the code is entered again.
    pub(super) fn left_to_handlers(&self, operations: usize) -> impl Iterator<Item = usize> {
        self.resumes.iter().filter_map(move |(to_come, _)| operations.checked_sub(to_come + 1))
    }
}

/// Why a block is not translated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It would not be faster.
    NotWorth,
    /// There is no room: all translations have to be dropped first.
    Full,
}

/// The translations of one machine's blocks, and what they share.
#[derive(Debug)]
pub(super) struct Translator {
    code: CodeMemory,
    /// For each link that is in use: where it leads until its block is linked to another.
    homes: Vec<Option<Entry>>,
    context: RefCell<Box<Context>>,
}

impl Translator {
    /// No translations; nothing where the host gives no memory for code.
    pub(super) fn new() -> Option<Self> {
        Some(Translator {
            code: CodeMemory::new()?,
            homes: Vec::new(),
            context: RefCell::new(Box::new(Context::new())),
        })
    }

    /// Forgets all translations. Blocks from before, and those of another translator, must not be linked any more.
    pub(super) fn clear(&mut self) {
        self.code.clear();
        self.homes.clear();
    }

    /// Translates a block's operations, which are `count` instructions.
    pub(super) fn translate<B: Bus>(
        &mut self,
        model: Model,
        (id, key): (u32, u64),
        decoded: &[Decoded<B>],
        count: u32,
    ) -> Result<Code, Refusal> {
        let plans = plan::of(model, decoded);
        if !is_worth_it(&plans) {
            return Err(Refusal::NotWorth);
        }
        let left = plans.iter().enumerate().filter(|(_, plan)| plan.kind == Kind::Leave);
        let planned = left.fold(0, |planned, (number, _)| planned | 1 << number);
        let first_link = self.homes.len();
        let links = self.code.link_address(first_link, Flow::EXITS).ok_or(Refusal::Full)?;
        let ways = Ways {
            id,
            key,
            links,
            leave: self.code.leave(),
            routines: self.code.routines(),
            unlinked: [None; Flow::EXITS],
        };
        let Body { code, ways, entry, resumes, .. } = Body::of(decoded, plans, ways, count);
        let encoded = code.encode(self.code.end().ok_or(Refusal::NotWorth)?).ok_or(Refusal::NotWorth)?;
        let placed = self.code.push(encoded).ok_or(Refusal::Full)?;
        let address = |label| placed.entry(label);
        for (number, unlinked) in ways.unlinked.into_iter().enumerate() {
            let home = unlinked.map(address);
            self.homes.push(home);
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

    /// From now on the exit of a block leads straight to another one.
    pub(super) fn link(&self, from: &Code, exit: usize, to: &Code) {
        let link = from.first_link + exit as u32;
        if !self.code.leads_to(link as usize, to.entry) {
            self.code.set_link(link as usize, Some(to.entry));
            to.incoming.borrow_mut().push(link);
        }
    }

    /// From now on computed jumps to this key lead straight to the block.
    pub(super) fn note_target(&self, key: u64, to: &Code) {
        self.code.set_target(slot(key), key, to.entry);
    }

    /// The block is no more: what led to it leads back to the run loop.
    pub(super) fn forget(&self, key: u64, code: &Code) {
        for &link in code.incoming.borrow().iter() {
            if let Some(home) = self.homes.get(link as usize)
                && self.code.leads_to(link as usize, code.entry)
            {
                self.code.set_link(link as usize, *home);
            }
        }
        self.code.forget_target(slot(key), key);
    }

    /// Runs translated code from an entry on: the block in which it has ended, and how. Nothing where there is no plain memory, or
    /// [`CodeMemory::call`] refuses the entry.
    pub(super) fn enter<B: Bus>(&self, cpu: &mut Cpu, bus: &mut B, at: Entry) -> Option<(u32, Flow)> {
        /// More than any run takes, and far from the end of the numbers.
        const MOST: u64 = 1 << 62;
        let mut memory = bus.direct_memory()?;
        let context = &mut **self.context.borrow_mut();
        let budget = cpu.limit.saturating_sub(cpu.cycles).min(MOST) as i64;
        context.budget = budget;
        context.gpr = cpu.regs.gpr;
        context.direction = if cpu.regs.flag(Flags::DF) { -1 } else { 1 };
        context.flags = flags::image(cpu.status.bits());
        let answer = self.code.call(at, context, &cpu.regs.seg, &mut memory)?;
        cpu.regs.gpr = context.gpr;
        cpu.status = Status::from_bits(flags::bits(context.flags));
        cpu.cycles = cpu.cycles.wrapping_add_signed(budget - context.budget);
        let (id, flow) = exits::from_answer(answer);
        if flow == Flow::JUMP {
            cpu.regs.ip = context.ip;
        }
        Some((id, flow))
    }
}

/// The place of a key in the table of computed jumps: by its IP.
fn slot(key: u64) -> usize {
    key as usize & (TARGETS - 1)
}

/// True when enough of the operations is translated to pay for leaving the code and coming back.
fn is_worth_it(plans: &[plan::Plan]) -> bool {
    /// Operations that cost their handlers as much as one leave and return costs.
    const RETURN: usize = 4;
    let left = plans.iter().filter(|plan| plan.kind == Kind::Leave).count();
    plans.len() - left > RETURN * left
}
