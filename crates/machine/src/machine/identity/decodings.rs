//! Decoded instructions of the program that are followed one by one.

use super::block_effect::{is_computation, is_stack_operation};
use super::parts::{Effect, Parts};
use crate::hardware::{Hardware, linear};
use iced_x86::{Decoder, DecoderOptions, Instruction, InstructionInfoFactory, Mnemonic, UsedMemory};
use oxbox_cpu::{Cpu, NumberHash};
use std::collections::HashMap;

/// The length of the longest instruction.
const LONGEST: usize = 15;

#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) instruction: Instruction,
    pub(super) effect: Effect,
    /// The parts that may change what it does, or what becomes of their own value.
    pub(super) depends_on: Parts,
    /// Its operands in memory, also those on the stack.
    pub(super) memory: Box<[UsedMemory]>,
    /// Whether it uses neither ports nor interrupts, HLT or an interrupt shadow: checks made before
    /// it need not be repeated after it.
    pub(super) is_quiet: bool,
    bytes: [u8; LONGEST],
}

#[derive(Default)]
pub(in crate::machine) struct Decodings {
    known: HashMap<u32, Decoded, NumberHash>,
    factory: Option<InstructionInfoFactory>,
}

impl std::fmt::Debug for Decodings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Decodings({})", self.known.len())
    }
}

impl Decodings {
    /// Returns the instruction at CS:IP.
    pub(super) fn at(&mut self, cpu: &Cpu, hardware: &Hardware) -> &Decoded {
        let Decodings { known, factory, .. } = self;
        let (segment, offset) = (cpu.regs.cs(), cpu.regs.ip as u16);
        let start = linear(segment, offset);
        let bytes = hardware.memory.array(start).unwrap_or([0; LONGEST]);
        let mut decode = || {
            let factory = factory.get_or_insert_with(InstructionInfoFactory::new);
            let instruction = Decoder::with_ip(16, &bytes, u64::from(offset), DecoderOptions::NONE).decode();
            let effect = Effect::of(&instruction, factory);
            let depends_on = effect.depends_on(&instruction);
            let memory = factory.info(&instruction).used_memory().into();
            Decoded { instruction, effect, depends_on, memory, is_quiet: is_quiet(&instruction), bytes }
        };
        let known = known.entry(start).or_insert_with(&mut decode);
        let len = known.instruction.len().min(LONGEST);
        // A jump's target depends on its offset.
        if known.bytes[..len] != bytes[..len] || known.instruction.ip() != u64::from(offset) {
            *known = decode();
        }
        known
    }
}

/// Whether an instruction uses neither ports nor the interrupt flag, and loads no segment register.
fn is_quiet(instruction: &Instruction) -> bool {
    use Mnemonic::{Call, Int, Jmp, Ret};
    matches!(instruction.mnemonic(), Int | Ret | Call | Jmp)
        || is_stack_operation(instruction)
        || is_computation(instruction)
}
