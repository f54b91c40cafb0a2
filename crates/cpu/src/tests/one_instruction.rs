//! One instruction, executed in translated code and in the interpreter.

use super::boundaries::state;
use super::program::{CODE, DATA, HANDLERS, Machine, START};
use super::translated::translated;
use crate::registers::Reg;
use crate::{Blocks, Bus, Model};

/// The offset of the memory operand in DS.
pub(super) const OPERAND: u16 = 0x200;

const HLT: u8 = 0xF4;
/// MOV SI, DI: instructions before the tested one, so that the block is worth a translation.
const BEFORE: [u8; 2] = [0x89, 0xFE];
const TIMES: usize = 6;

/// EAX, ECX, EDX, the doubleword at DS:200h and FLAGS before the instruction.
#[derive(Debug)]
pub(super) struct Inputs {
    pub(super) a: u32,
    pub(super) c: u32,
    pub(super) d: u32,
    pub(super) memory: u32,
    pub(super) flags: u32,
}

impl Inputs {
    /// Executes the program from START with these values, to its end.
    fn run(&self, machine: &mut Machine) -> impl PartialEq + std::fmt::Debug + use<> {
        /// Cycles between two runs. A translation that is left after few cycles, and more often, is given up.
        const APART: u64 = 1000;
        const LIMIT: u64 = 60;
        let operand = u32::from(DATA) * 16 + u32::from(OPERAND);
        machine.cpu.regs.gpr = [0x1234_5678; 8];
        machine.cpu.regs.set_sp(0x1000);
        for (register, value) in [(Reg::A, self.a), (Reg::C, self.c), (Reg::D, self.d)] {
            machine.cpu.regs.gpr[register as usize] = value;
        }
        machine.bus.write_bytes(operand, &self.memory.to_le_bytes());
        machine.cpu.regs.set_cs(CODE);
        machine.cpu.regs.ip = START;
        machine.cpu.regs.flags = self.flags;
        machine.cpu.cycles = machine.cpu.cycles.next_multiple_of(APART);
        let limit = machine.cpu.cycles + LIMIT;
        let exit = machine.cpu.run(&mut machine.blocks, &mut machine.bus, limit);
        (state(&machine.cpu), exit, machine.bus.read32(operand))
    }
}

/// A machine that translates and one that interprets, with the same instruction. The handler of #DE
/// halts.
pub(super) struct Both {
    code: Vec<u8>,
    translated: Machine,
    plain: Machine,
}

impl Both {
    pub(super) fn new(model: Model, code: &[u8]) -> Both {
        let program = [&BEFORE.repeat(TIMES)[..], code, &[HLT]].concat();
        let machine = |blocks| {
            let mut machine = Machine::new(model, &program, blocks);
            machine.bus.write_bytes(u32::from(HANDLERS) * 16, &[HLT]);
            machine
        };
        let (translated, plain) = (machine(translated()), machine(Blocks::uncached()));
        Both { code: code.to_vec(), translated, plain }
    }

    /// Asserts that both leave the same registers, flags and memory operand, in the same cycle.
    pub(super) fn agree(&mut self, inputs: &Inputs) {
        let (translated, plain) = (inputs.run(&mut self.translated), inputs.run(&mut self.plain));
        assert_eq!(translated, plain, "{:?} {:02X?} {inputs:X?}", self.plain.cpu.model, self.code);
    }

    /// Asserts that the instruction is translated, and not left to its handler.
    pub(super) fn assert_translated(&self) {
        let is_translated = self.translated.blocks.arena.iter().any(|block| {
            let is_start = block.ops.len() > TIMES && block.key as u32 == START;
            let code = block.code.as_ref().filter(|_| is_start);
            code.is_some_and(|code| code.left_to_handlers(block.ops.len()).all(|number| number != TIMES))
        });
        assert!(is_translated, "{:?} {:02X?}", self.plain.cpu.model, self.code);
    }
}
