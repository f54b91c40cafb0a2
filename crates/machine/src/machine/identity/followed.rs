//! Follows the registers that were cleared at a wait, until each has been overwritten or read.
//!
//! A wait is made canonical by setting a register to a fixed value. That is correct if every run
//! from there overwrites the register before anything depends on it. This module follows each run
//! to check that: values may be copied between registers, pushed and popped; any other use counts as
//! observing the register.
//! The search then restarts with that register in the identity.

use super::block_effect::BlockEffect;
use super::block_reads::BlockReads;
use super::decodings::Decoded;
use super::operands::bytes_read;
use super::parts::{Effect, Kind, PUSHED_BY_PUSHA, Parts, reads_memory, service};
use super::stack::Stack;
use crate::firmware;
use crate::hardware::{Hardware, linear};
use oxbox_cpu::{BlockEnd, Cpu, Note};
use serde::{Deserialize, Serialize};
use std::ops::{Range, RangeInclusive};

/// A value that has not been overwritten after this many instructions counts as observed: two frames
/// at the default speed, so that a program may wait for the retrace before.
const MOST_INSTRUCTIONS: u32 = 100_000;

/// The position of a wait, and the service that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(in crate::machine) struct Site {
    vector: u8,
    /// Whether the service has executed HLT; otherwise the program polls.
    halted: bool,
    segment: u16,
    offset: u16,
}

impl Site {
    /// Returns the position of this wait, if its registers can be followed: it is in the stub of a
    /// service that the program has called, and no handler of the program can observe registers
    /// during the wait.
    pub(in crate::machine) fn of(cpu: &Cpu, hardware: &Hardware, halted: bool) -> Option<Site> {
        let vector = firmware::vector_of_stub(cpu.regs.cs(), cpu.regs.ip as u16)?;
        let (segment, offset) = firmware::caller(cpu, hardware);
        let is_program = segment != firmware::ROM_SEGMENT;
        (is_program && nobody_listens(hardware)).then_some(Site { vector, halted, segment, offset })
    }

    pub(super) fn vector(self) -> u8 {
        self.vector
    }

    /// Returns the parts that the service still reads, and those that it always overwrites before
    /// the program continues.
    fn service(self, cpu: &Cpu) -> (Parts, Parts) {
        if self.halted { service(self.vector, cpu.regs.ah()) } else { (Parts::NONE, Parts::NONE) }
    }

    /// Returns the parts that become canonical here.
    pub(in crate::machine) fn canonical(self, cpu: &Cpu, kept: Parts) -> Parts {
        Parts::ALL.without(kept).without(self.service(cpu).0)
    }
}

/// The vectors through which a handler of the program may run while a service waits, or be called
/// by one. Handlers of processor exceptions do not run, 1Dh to 1Fh are tables, and 22h is where DOS
/// continues after the program. The jump of CP/M's entry point is at the vectors 30h and 31h. A
/// handler of the timer (08h, 1Ch) does not run while a key is typed at the beginning of a tick; if a
/// later tick comes in a run, the values that are still followed count as observed.
const CALLED: [RangeInclusive<u8>; 6] =
    [0x09..=0x1B, 0x20..=0x21, 0x23..=0x2F, 0x33..=0x33, 0x4A..=0x4A, 0x70..=0x77];

/// Whether no handler of the program, except for the timer's, runs while a service waits, or is
/// called by one.
pub(super) fn nobody_listens(hardware: &Hardware) -> bool {
    CALLED.iter().all(|vectors| firmware::all_unhooked(hardware, vectors.clone()))
}

/// A word on the stack that contains a followed value.
#[derive(Debug, Clone, Copy)]
struct Slot {
    segment: u16,
    at: u32,
    holds: Parts,
}

impl Slot {
    /// Whether one of these bytes is in it.
    fn is_in(&self, bytes: &Range<u32>) -> bool {
        bytes.start < self.at + 2 && self.at < bytes.end
    }
}

/// The values that are followed through one run.
#[derive(Debug)]
pub(super) struct Followed {
    /// For each part, the parts of the wait whose values it may contain.
    holds: [Parts; Parts::COUNT],
    /// The parts that may contain any.
    holding: Parts,
    slots: Vec<Slot>,
    looked_at: Parts,
    left: u32,
    /// The stack pointer before the instruction, unless that was an interrupt.
    before: Option<u16>,
}

impl Followed {
    /// Begins at a canonical wait.
    pub(super) fn at(site: Site, cpu: &Cpu, kept: Parts) -> Followed {
        let followed = site.canonical(cpu, kept).without(site.service(cpu).1);
        let mut holds = [Parts::NONE; Parts::COUNT];
        followed.numbers().for_each(|number| holds[number] = Parts::of_number(number));
        Followed {
            holds,
            holding: followed,
            slots: Vec::new(),
            looked_at: Parts::NONE,
            left: MOST_INSTRUCTIONS,
            before: None,
        }
    }

    pub(super) fn looked_at(&self) -> Parts {
        self.looked_at
    }

    /// Whether a word on the stack contains a followed value.
    pub(super) fn is_on_stack(&self) -> bool {
        !self.slots.is_empty()
    }

    /// Whether nothing is left to follow.
    pub(super) fn is_over(&self) -> bool {
        self.holding.is_empty() && self.slots.is_empty()
    }

    /// Ends at a wait where these parts are made canonical: values in them are discarded.
    pub(super) fn end(&mut self, canonical: Parts, stack: &Stack, cpu: &Cpu) {
        self.set(canonical, Parts::NONE);
        let unreliable = stack.unreliable(linear(cpu.regs.ss(), cpu.regs.sp()));
        self.slots.retain(|slot| !unreliable.contains(&slot.at) || !unreliable.contains(&(slot.at + 1)));
        self.give_up();
    }

    /// Counts everything that is still followed as observed.
    fn give_up(&mut self) {
        let held = self.held(Parts::ALL);
        let on_stack = self.slots.drain(..).fold(Parts::NONE, |parts, slot| parts.and(slot.holds));
        self.look(held.and(on_stack));
        self.set(Parts::ALL, Parts::NONE);
    }

    /// Returns the values that these parts contain.
    fn held(&self, parts: Parts) -> Parts {
        let parts = parts.without(Parts::ALL.without(self.holding));
        parts.numbers().fold(Parts::NONE, |held, number| held.and(self.holds[number]))
    }

    fn set(&mut self, parts: Parts, value: Parts) {
        if value.is_empty() && !parts.meets(self.holding) {
            return;
        }
        parts.numbers().for_each(|number| self.holds[number] = value);
        self.holding = self.holding.without(parts);
        if !value.is_empty() {
            self.holding = self.holding.and(parts);
        }
    }

    /// Records observed parts. They are kept from then on, and need not be followed further.
    fn look(&mut self, parts: Parts) {
        if parts.is_empty() {
            return;
        }
        self.looked_at = self.looked_at.and(parts);
        self.holding = Parts::NONE;
        for (number, holds) in self.holds.iter_mut().enumerate() {
            *holds = holds.without(parts);
            if !holds.is_empty() {
                self.holding = self.holding.and(Parts::of_number(number));
            }
        }
        for slot in &mut self.slots {
            slot.holds = slot.holds.without(parts);
        }
        self.slots.retain(|slot| !slot.holds.is_empty());
    }

    /// Follows the instruction of the program at CS:IP before it is executed.
    pub(super) fn before(&mut self, decoded: &Decoded, cpu: &Cpu, hardware: &Hardware) {
        if self.left == 0 {
            return self.give_up();
        }
        self.left -= 1;
        self.before = Some(cpu.regs.sp());
        let Effect { reads, writes, kind } = decoded.effect;
        let pointer = linear(cpu.regs.ss(), cpu.regs.sp());
        self.drop_slots(cpu, pointer);
        if !self.slots.is_empty() && !kind.pops() {
            self.look_at_slots(decoded, cpu);
        }
        self.look(self.held(reads.without(kind.moved())));
        let below = |bytes| linear(cpu.regs.ss(), cpu.regs.sp().wrapping_sub(bytes));
        match kind {
            Kind::Plain => self.set(writes, Parts::NONE),
            Kind::Move(to, from) => self.assign(self.values(from, to)),
            Kind::Exchange(one, other) => {
                self.assign([self.values(other, one), self.values(one, other)].concat());
            }
            Kind::Push(parts, bytes) => {
                self.push(cpu, below(bytes), self.held(parts));
                self.set(writes, Parts::NONE);
            }
            Kind::PushAll(bytes) => self.push_all(cpu, bytes),
            Kind::PopAll(bytes) => self.pop_all(cpu, bytes),
            Kind::Leave => {
                let value = self.pop(linear(cpu.regs.ss(), cpu.regs.bp()), 2);
                self.set(Parts::BP, value);
            }
            Kind::Pop(parts, bytes) => {
                let value = self.pop(pointer, bytes);
                if parts.is_empty() { self.look(value) } else { self.set(parts, value) }
            }
            Kind::PopFlags(bytes) => {
                let value = self.pop(pointer, bytes);
                self.set(Parts::FLAGS, value);
            }
            Kind::InterruptReturn => {
                // All handlers are the program's own: a program with handlers that the ROM calls is
                // not followed.
                let address = self.pop(pointer, 4);
                self.look(address);
                let value = self.pop(linear(cpu.regs.ss(), cpu.regs.sp().wrapping_add(4)), 2);
                self.set(Parts::FLAGS, value);
            }
            Kind::Interrupt(vector) => self.interrupt(vector, cpu, hardware, below(2)),
        }
    }

    fn assign(&mut self, values: Vec<(Parts, Parts)>) {
        values.into_iter().for_each(|(part, value)| self.set(part, value));
    }

    /// Returns the parts of a register after a copy to it, each with the values that it contains.
    /// SI, DI, BP and segment registers are not divided into bytes.
    fn values(&self, from: Parts, to: Parts) -> Vec<(Parts, Parts)> {
        let is_same_size = from.numbers().count() == to.numbers().count();
        let mut sources = from.numbers().map(Parts::of_number);
        let parts = to.numbers().map(Parts::of_number);
        parts
            .map(|part| {
                let source = if is_same_size { sources.next().unwrap_or(from) } else { from };
                (part, self.held(source))
            })
            .collect()
    }

    /// Whether a block of the program has nothing to do with the values that are followed.
    #[inline]
    pub(super) fn passes(&self, note: &Note) -> bool {
        let count = BlockEffect::leaves_alone(note, self.holding);
        !self.holding.is_empty() && self.slots.is_empty() && count.is_some_and(|count| count <= self.left)
    }

    /// Whether a block can be followed as a whole.
    pub(super) fn may_enter(
        &mut self,
        note: &Note,
        reads: &BlockReads,
        cpu: &Cpu,
        hardware: &Hardware,
    ) -> bool {
        let BlockEffect::Program(block) = BlockEffect::of_note(note) else { return false };
        if self.is_over() || self.left < block.count || block.moves.meets(self.holding) {
            return false;
        }
        if block.interrupt.is_some_and(|vector| !firmware::unhooked(hardware, vector)) {
            return false;
        }
        if !self.slots.is_empty() {
            self.drop_slots(cpu, linear(cpu.regs.ss(), cpu.regs.sp()));
        }
        let slots = &self.slots;
        let is_held = |bytes: Range<u32>| slots.iter().any(|slot| slot.is_in(&bytes));
        slots.is_empty() || reads.avoid(block.reads_at, cpu, is_held)
    }

    /// Follows a block after it has been executed.
    #[inline]
    pub(super) fn left(&mut self, note: &Note, end: BlockEnd, cpu: &Cpu) {
        match BlockEffect::leaves_alone(note, self.holding) {
            Some(count) if end == BlockEnd::Whole => self.left -= count,
            _ => self.left_with(BlockEffect::of_note(note), end, cpu),
        }
    }

    fn left_with(&mut self, block: BlockEffect, end: BlockEnd, cpu: &Cpu) {
        let BlockEffect::Program(block) = block else { return };
        self.left -= block.count;
        self.look(self.held(block.reads));
        match end {
            BlockEnd::Whole => {
                self.set(block.writes, Parts::NONE);
                if let Some(vector) = block.interrupt {
                    self.serve(vector, cpu);
                }
            }
            // Which of them have been written is not known.
            BlockEnd::Stopped => {}
            BlockEnd::Interrupted if reads_no_register(cpu) => {}
            BlockEnd::Interrupted => self.give_up(),
        }
    }

    /// Follows the instruction after it has been executed.
    pub(super) fn after(&mut self, cpu: &Cpu) {
        let Some(before) = self.before.take() else { return };
        let is_in_rom = cpu.regs.cs() == firmware::ROM_SEGMENT;
        if is_in_rom && !reads_no_register(cpu) {
            // The ROM was entered other than by an interrupt, and may read any register.
            self.give_up();
        } else if !is_in_rom && cpu.regs.sp() == before.wrapping_sub(6) {
            // An exception that the program handles itself: its flags are on the stack.
            let flags = linear(cpu.regs.ss(), cpu.regs.sp().wrapping_add(4));
            self.push(cpu, flags, self.held(Parts::FLAGS));
        }
    }

    fn interrupt(&mut self, vector: u8, cpu: &Cpu, hardware: &Hardware, pushed: u32) {
        if !firmware::unhooked(hardware, vector) {
            // A handler of the program: its code is followed.
            self.before = None;
            return self.push(cpu, pushed, self.held(Parts::FLAGS));
        }
        self.before = None;
        self.serve(vector, cpu);
    }

    /// A service of the firmware reads and sets registers, and may read the stack.
    fn serve(&mut self, vector: u8, cpu: &Cpu) {
        let function_is_followed = !self.held(Parts::AH).is_empty();
        let (reads, writes) =
            if function_is_followed { (Parts::ALL, Parts::NONE) } else { service(vector, cpu.regs.ah()) };
        self.look(self.held(reads));
        self.set(writes, Parts::NONE);
        if reads_memory(vector, cpu.regs.ah()) {
            let on_stack = self.slots.iter().fold(Parts::NONE, |parts, slot| parts.and(slot.holds));
            self.look(on_stack);
        }
    }

    fn push(&mut self, cpu: &Cpu, at: u32, holds: Parts) {
        self.slots.retain(|slot| slot.at != at);
        if !holds.is_empty() {
            self.slots.push(Slot { segment: cpu.regs.ss(), at, holds });
        }
    }

    /// Returns the values in the word that is popped as this number of bytes. A word that is popped
    /// only in part, or to the upper half of a register, counts as observed.
    fn pop(&mut self, at: u32, bytes: u16) -> Parts {
        let (mut value, mut others) = (Parts::NONE, Parts::NONE);
        self.slots.retain(|slot| {
            if slot.at == at {
                value = value.and(slot.holds);
            } else if slot.is_in(&(at..at + u32::from(bytes))) {
                others = others.and(slot.holds);
            }
            slot.at != at
        });
        self.look(others);
        value.without(others)
    }

    /// Follows PUSHA with this number of bytes a register.
    fn push_all(&mut self, cpu: &Cpu, bytes: u16) {
        let mut at = cpu.regs.sp();
        if at < 8 * bytes {
            // It may fault before all are pushed.
            return self.give_up();
        }
        for parts in PUSHED_BY_PUSHA {
            at -= bytes;
            self.push(cpu, linear(cpu.regs.ss(), at), self.held(parts));
        }
    }

    /// Follows POPA with this number of bytes a register.
    fn pop_all(&mut self, cpu: &Cpu, bytes: u16) {
        let Some(mut at) = cpu.regs.sp().checked_add(8 * bytes) else { return self.give_up() };
        for parts in PUSHED_BY_PUSHA {
            at -= bytes;
            let value = self.pop(linear(cpu.regs.ss(), at), bytes);
            self.set(parts, value);
        }
    }

    /// Drops the words below the stack pointer; after a change of the stack all of them.
    fn drop_slots(&mut self, cpu: &Cpu, pointer: u32) {
        if self.slots.iter().any(|slot| slot.segment != cpu.regs.ss()) {
            return self.give_up();
        }
        self.slots.retain(|slot| slot.at >= pointer);
    }

    /// Any other instruction that reads a word on the stack observes it.
    fn look_at_slots(&mut self, decoded: &Decoded, cpu: &Cpu) {
        let mut seen = Parts::NONE;
        for memory in &decoded.memory {
            let Some(read) = bytes_read(cpu, &decoded.instruction, memory) else { continue };
            for slot in &self.slots {
                if slot.is_in(&read) {
                    seen = seen.and(slot.holds);
                }
            }
        }
        self.look(seen);
    }
}

/// Whether the BIOS has been entered for an exception that ends the program, or for a device other
/// than the timer, whose handler saves and restores all registers.
fn reads_no_register(cpu: &Cpu) -> bool {
    let vector = firmware::vector_of_stub(cpu.regs.cs(), cpu.regs.ip as u16);
    matches!(vector, Some(0x00 | 0x06 | 0x09..=0x0F | 0x71..=0x77))
}
