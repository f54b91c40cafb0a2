//! Finds the most likely mistake from the last instructions of a program.

mod wild_branch;
mod division;
mod interrupts;
mod loops;
mod processor;
mod returns;
mod stack;
mod written;

use super::disassembly::{decode, disassemble};
use super::hint::{Hint, HintId};
use super::last::Moment;
use super::program::Program;
use iced_x86::{Instruction, OpKind};
use oxbox_cpu::{Model, Registers};
use oxbox_machine::machine::End;
use std::collections::VecDeque;

/// Advice on how to end a program under DOS.
const HOW_TO_END: &str = "end it with mov ax, 4C00h and int 21h";

/// The number of consecutive zero instructions that cannot be a program.
const MANY_ZEROS: usize = 16;

pub(super) struct CrashContext<'a> {
    pub(super) program: &'a Program,
    pub(super) model: Model,
    pub(super) end: &'a End,
    /// The registers at the end, or before the faulting instruction.
    pub(super) registers: &'a Registers,
    /// The bytes at CS:IP at that time.
    pub(super) bytes: [u8; 15],
    /// Whether execution continued past the end of the code segment.
    pub(super) ran_off: bool,
    pub(super) last: &'a VecDeque<Moment>,
    pub(super) byte: &'a dyn Fn(u16, u16) -> u8,
    /// Requests in service of the interrupt controllers, with IRQ 0 in bit 0.
    pub(super) in_service: u16,
}

impl CrashContext<'_> {
    /// Returns the most likely mistake; `None` without evidence for one.
    pub(super) fn hint(&self) -> Option<Hint> {
        self.protected_mode()
            .or_else(|| self.stack_overflow())
            .or_else(|| self.overwritten_code())
            .or_else(|| self.wild_branch())
            .or_else(|| self.division_and_ds())
            .or_else(|| self.newer_processor())
            .or_else(|| self.older_processor())
            .or_else(|| self.zeros())
            .or_else(|| self.endless_loop())
            .or_else(|| self.ds_is_psp())
    }

    fn exception(&self) -> Option<u8> {
        if let End::Crashed(crash) = self.end { Some(crash.exception) } else { None }
    }

    /// Returns CS and IP at the end, or of the faulting instruction.
    fn at(&self) -> (u16, u16) {
        (self.registers.cs(), self.registers.ip as u16)
    }

    fn instruction(&self) -> Instruction {
        decode(&self.bytes, self.registers.ip as u16)
    }

    fn place(&self, moment: &Moment) -> String {
        let (cs, ip) = moment.at();
        let place = self.program.place(cs, ip).map(|place| place.to_string());
        place.unwrap_or_else(|| format!("{cs:04X}:{ip:04X}"))
    }

    fn text(&self, moment: &Moment) -> String {
        let names = |segment, offset| self.program.name_at(segment, offset).map(str::to_owned);
        disassemble(&moment.bytes, &moment.registers, &names).text
    }

    fn is_in_zeros(&self) -> bool {
        self.last.iter().rev().take(MANY_ZEROS).filter(|moment| moment.bytes[..2] == [0, 0]).count()
            == MANY_ZEROS
    }

    fn zeros(&self) -> Option<Hint> {
        let zeros = self.is_in_zeros() || self.exception() == Some(6) && self.bytes[..8] == [0; 8];
        let text = format!(
            "the program executes zeros, where nothing was loaded: {HOW_TO_END}, or look for the jump or RET that led there"
        );
        zeros.then(|| Hint::new(HintId::ZerosExecuted, None, text))
    }

    /// Checks for DS that was never loaded and then used for a read.
    fn ds_is_psp(&self) -> Option<Hint> {
        let is_psp = !self.program.is_com() && self.registers.ds() == self.program.psp();
        if !is_psp || !self.reads_by_ds() {
            return None;
        }
        let (cs, _) = self.program.entry();
        let (ss, _) = self.program.stack();
        let (id, text) = if cs == ss {
            (
                HintId::NoOrg,
                "the source has one segment and no stack, like a COM program, but no ORG 100h before its first instruction: it was built as an EXE, and DS does not point to its data",
            )
        } else {
            (
                HintId::DsIsPsp,
                "DS still points to the PSP, not to the data: begin with mov ax, @data and mov ds, ax",
            )
        };
        Some(Hint::new(id, None, text))
    }

    /// Returns whether one of the last instructions has a memory operand through DS.
    fn reads_by_ds(&self) -> bool {
        const FEW: usize = 200;
        self.last.iter().rev().take(FEW).any(|moment| {
            let instruction = moment.instruction();
            let in_memory = instruction.op_kinds().any(|kind| kind == OpKind::Memory);
            in_memory && instruction.memory_segment() == iced_x86::Register::DS
        })
    }
}

/// Removes the size from an operand: a register in capitals, a variable by its name.
fn without_size(operand: &str) -> String {
    let place = operand.split_once("ptr ").map(|(_, place)| place);
    match place {
        Some(place) if place.contains('+') || !place.starts_with('[') => place.to_owned(),
        Some(place) => place.trim_matches(['[', ']']).to_owned(),
        None => operand.to_uppercase(),
    }
}
