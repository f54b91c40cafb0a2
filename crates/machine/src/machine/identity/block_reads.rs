//! The places that blocks read in memory, computed from the registers at their start.
//!
//! While a followed value is on the stack, a block is executed as a whole only if it reads no word
//! that contains one.

use super::operands::range_of;
use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, Register, UsedMemory, UsedRegister};
use oxbox_cpu::Cpu;
use oxbox_cpu::directions::{is_read, is_written};
use std::ops::Range;

/// The number of a block that reads nothing.
const NONE: u32 = 0;
/// The number of a block whose reads depend on what it computes.
pub(super) const UNKNOWN: u32 = u32::MAX;
/// The maximum number of descriptions; blocks of self-modifying code are described again and again.
const MOST: usize = 0xFFFF;

/// An operand that is read, and the changes of its base and its index in the block before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Read {
    memory: UsedMemory,
    changes: [i32; 2],
}

/// The reads of the blocks that have been described.
#[derive(Debug, Default)]
pub(super) struct BlockReads(Vec<Box<[Read]>>);

impl BlockReads {
    /// Returns the number under which the reads of a block are found.
    pub(super) fn describe(&mut self, instructions: &[Instruction]) -> u32 {
        match reads(instructions) {
            Some(reads) if reads.is_empty() => NONE,
            Some(reads) if self.0.len() < MOST => {
                self.0.push(reads.into());
                self.0.len() as u32
            }
            _ => UNKNOWN,
        }
    }

    /// Whether a block certainly reads no byte for which this holds. CS:IP is at its start.
    pub(super) fn avoid(&self, number: u32, cpu: &Cpu, mut is_read: impl FnMut(Range<u32>) -> bool) -> bool {
        if number == NONE {
            return true;
        }
        let Some(reads) = self.0.get(number as usize - 1) else { return false };
        !reads.iter().any(|read| range_of(cpu, &read.memory, read.changes).is_none_or(&mut is_read))
    }
}

/// Returns the reads of a block; `None` if the address of one depends on what the block computes.
fn reads(instructions: &[Instruction]) -> Option<Vec<Read>> {
    let mut factory = InstructionInfoFactory::new();
    // By number of the general register; `None` after a change that is not constant.
    let mut changes = [Some(0); 8];
    let mut reads = Vec::new();
    for instruction in instructions {
        let info = factory.info(instruction);
        for memory in info.used_memory().iter().filter(|memory| is_read(memory.access())) {
            // A change of a word may carry, or not, in an address of 32 bits.
            let of = |register: Register| match changes.get(number(register)) {
                Some(change) if register.is_gpr16() => *change,
                Some(change) if register.is_gpr() => change.filter(|change| *change == 0),
                _ => Some(0),
            };
            reads.push(Read { memory: *memory, changes: [of(memory.base())?, of(memory.index())?] });
        }
        let change = constant_change(instruction);
        let written = info.used_registers().iter().filter(|used| is_written(used.access()));
        for register in written.map(UsedRegister::register).filter(|register| register.is_gpr()) {
            let own = if register == Register::SP { change_of_sp(instruction) } else { change };
            let all = &mut changes[number(register)];
            *all = all.zip(own).map(|(all, own)| all + own);
        }
    }
    Some(reads)
}

fn number(register: Register) -> usize {
    register.full_register().number() & 7
}

/// Returns the number that an instruction adds to its only destination, a word register.
fn constant_change(instruction: &Instruction) -> Option<i32> {
    use Mnemonic::{Add, Dec, Inc, Sub};
    if !instruction.op0_register().is_gpr16() {
        return None;
    }
    let immediate = || instruction.try_immediate(1).ok().map(|number| i32::from(number as u16));
    match instruction.mnemonic() {
        Inc => Some(1),
        Dec => Some(-1),
        Add => immediate(),
        Sub => immediate().map(|number| -number),
        _ => None,
    }
}

/// Returns the number of bytes that an instruction adds to SP, if that is known.
fn change_of_sp(instruction: &Instruction) -> Option<i32> {
    use Mnemonic::{Enter, Leave};
    if !instruction.is_stack_instruction() {
        return constant_change(instruction);
    }
    let is_known = !matches!(instruction.mnemonic(), Enter | Leave)
        && instruction.op0_register().full_register() != Register::RSP;
    is_known.then(|| instruction.stack_pointer_increment())
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions};
    use oxbox_cpu::Model;

    /// Returns the first address of each read of the block and the one after the last, with SP=1000h, BX=200h, SI=30h and all segments
    /// at 0.
    fn places(code: &[u8]) -> Option<Vec<(u32, u32)>> {
        let mut cpu = Cpu::new(Model::I386);
        cpu.regs.gpr = [0, 0, 0, 0x200, 0x1000, 0x1100, 0x30, 0];
        let instructions: Vec<_> = Decoder::new(16, code, DecoderOptions::NONE).into_iter().collect();
        let mut blocks = BlockReads::default();
        let number = blocks.describe(&instructions);
        let mut found = Vec::new();
        let is_known = blocks.avoid(number, &cpu, |range| {
            found.push((range.start, range.end));
            false
        });
        is_known.then_some(found)
    }

    #[test]
    fn reads_are_known_unless_the_block_computes_their_addresses() {
        let rows: [(&str, &[u8], Option<&[(u32, u32)]>); 18] = [
            ("mov [bx], al; push ax", &[0x88, 0x07, 0x50], Some(&[])),
            ("mov al, [bx+si+2]", &[0x8A, 0x40, 2], Some(&[(0x232, 0x233)])),
            ("inc word [bx]", &[0xFF, 0x07], Some(&[(0x200, 0x202)])),
            ("mov ax, [bx]; inc bx", &[0x8B, 0x07, 0x43], Some(&[(0x200, 0x202)])),
            ("inc bx; mov ax, [bx]", &[0x43, 0x8B, 0x07], Some(&[(0x201, 0x203)])),
            ("add bx, -2; mov ax, [bx+si]", &[0x83, 0xC3, 0xFE, 0x8B, 0x00], Some(&[(0x22E, 0x230)])),
            ("inc bx; mov ax, [ebx]", &[0x43, 0x67, 0x8B, 0x03], None),
            ("inc si; mov ax, [ebx]", &[0x46, 0x67, 0x8B, 0x03], Some(&[(0x200, 0x202)])),
            ("add sp, 4; pop ax", &[0x83, 0xC4, 4, 0x58], Some(&[(0x1004, 0x1006)])),
            ("add bx, si; mov ax, [bx]", &[0x01, 0xF3, 0x8B, 0x07], None),
            ("xchg bx, si; mov ax, [bx]", &[0x87, 0xDE, 0x8B, 0x07], None),
            ("mov bl, 1; mov ax, [bx]", &[0xB3, 1, 0x8B, 0x07], None),
            ("pop ax; pop bx", &[0x58, 0x5B], Some(&[(0x1000, 0x1002), (0x1002, 0x1004)])),
            ("push ax; ret 4", &[0x50, 0xC2, 4, 0], Some(&[(0xFFE, 0x1000)])),
            ("pop ax; mov cx, [bp]", &[0x58, 0x8B, 0x4E, 0], Some(&[(0x1000, 0x1002), (0x1100, 0x1102)])),
            ("leave; pop ax", &[0xC9, 0x58], None),
            ("mov sp, bp; pop ax", &[0x89, 0xEC, 0x58], None),
            ("pop sp; pop ax", &[0x5C, 0x58], None),
        ];
        for (name, code, expected) in rows {
            assert_eq!(places(code).as_deref(), expected, "{name}");
        }
    }
}
