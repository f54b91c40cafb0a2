//! Explains earlier writes: over the program's code, to an address used by a jump, or to half of
//! AX.

use super::super::access::touched;
use super::super::hint::{Hint, HintId};
use super::super::last::Moment;
use super::{CrashContext, without_size};
use iced_x86::{Instruction, InstructionInfoFactory, InstructionInfoOptions, Mnemonic, Register};
use oxbox_cpu::directions::is_written;
use oxbox_machine::hardware::linear;
use std::ops::Range;

/// The number of instructions through which a register is traced back.
const NEAR: usize = 200;

impl CrashContext<'_> {
    /// Checks whether the code at the fault differs from the loaded program.
    pub(super) fn overwritten_code(&self) -> Option<Hint> {
        let (at, before) = match self.left_at() {
            Some(left) => (self.last.get(left)?.at(), left),
            None => {
                self.exception()?;
                ((self.registers.cs(), self.registers.ip as u16), self.last.len())
            }
        };
        let address = linear(at.0, at.1);
        let writer = self.writer(address..address + 1, before)?;
        let place = self.program.place(at.0, at.1)?;
        let by_es = matches!(
            writer.instruction().mnemonic(),
            Mnemonic::Stosb | Mnemonic::Stosw | Mnemonic::Movsb | Mnemonic::Movsw
        );
        let es_is_psp = by_es && !self.program.is_com() && writer.registers.es() == self.program.psp();
        let why = if es_is_psp { ": ES still points to the PSP, not to the data or the screen" } else { "" };
        let text = format!(
            "the code at {place} was overwritten by the {} at {}{why}",
            self.text(writer),
            self.place(writer)
        );
        Some(Hint::new(HintId::CodeOverwritten, Some(writer.at()), text))
    }

    /// Returns the instruction that wrote the address of an indirect branch.
    pub(super) fn writer_of_target(&self, left: usize, moment: &Moment) -> Option<String> {
        let mut factory = InstructionInfoFactory::new();
        let read = touched(&mut factory, &moment.instruction(), &moment.registers);
        let slot = read.into_iter().find(|touched| touched.reads)?.bytes;
        let writer = self.writer(slot, left)?;
        let text = self.text(moment);
        let operand = without_size(text.split_once(' ')?.1);
        Some(format!("{operand} was last written by the {} at {}", self.text(writer), self.place(writer)))
    }

    /// Returns the last instruction before the one with this index that wrote some of these bytes.
    pub(super) fn writer(&self, bytes: Range<u32>, before: usize) -> Option<&Moment> {
        let mut factory = InstructionInfoFactory::new();
        self.last.iter().take(before).rev().find(|moment| {
            touched(&mut factory, &moment.instruction(), &moment.registers).into_iter().any(|touched| {
                touched.writes && touched.bytes.start < bytes.end && bytes.start < touched.bytes.end
            })
        })
    }

    /// Returns whether AL was set before the last instruction, and AH was not.
    pub(super) fn ah_is_stale(&self) -> bool {
        let mut factory = InstructionInfoFactory::new();
        let before = self.last.iter().rev().skip(1).take(NEAR);
        let found = before
            .map(|moment| halves_set(&mut factory, &moment.instruction()))
            .find(|set| *set != (false, false));
        found == Some((true, false))
    }
}

/// Returns whether an instruction sets AL, and AH. Services are assumed to return a result in AL.
fn halves_set(factory: &mut InstructionInfoFactory, instruction: &Instruction) -> (bool, bool) {
    if instruction.mnemonic() == Mnemonic::Int {
        return (true, false);
    }
    let info = factory.info_options(instruction, InstructionInfoOptions::NO_MEMORY_USAGE);
    let writes = |half: Register| {
        info.used_registers().iter().any(|used| {
            is_written(used.access())
                && (used.register() == half || matches!(used.register(), Register::AX | Register::EAX))
        })
    };
    (writes(Register::AL), writes(Register::AH))
}
