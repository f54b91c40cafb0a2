//! Detects DS that still points to the PSP in an EXE program.

use super::super::access::{interrupt_of, value_of};
use super::super::program::Program;
use super::kinds::Kind;
use super::sight::{Found, Sight};
use iced_x86::{Code, InstructionInfoFactory, Mnemonic, OpKind, Register};
use oxbox_cpu::directions::{is_read, is_written};
use oxbox_toolchain::symbols::{Symbol, SymbolKind};

pub(super) struct Segments {
    factory: InstructionInfoFactory,
}

impl Default for Segments {
    fn default() -> Self {
        Segments { factory: InstructionInfoFactory::new() }
    }
}

impl std::fmt::Debug for Segments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segments").finish_non_exhaustive()
    }
}

const PSP_BYTES: u32 = 0x100;
/// INT 20h in the PSP, which programs do not access.
const EXIT: std::ops::Range<u32> = 0..2;
/// The end of memory and the environment segment in the PSP, which programs read.
const OFTEN_READ: [u32; 2] = [0x02, 0x2C];
/// The part of the PSP that belongs to DOS. The file control blocks and the command line follow.
const OF_DOS: std::ops::Range<u32> = 0..0x5C;

impl Segments {
    pub(super) fn instruction(&mut self, sight: &Sight, program: &Program) -> Option<Found> {
        let registers = &sight.cpu.regs;
        let psp = program.psp();
        // An EXE whose code starts in the PSP's segment is made like a COM program.
        if program.is_com() || program.entry().0 == psp || registers.ds() != psp {
            return None;
        }
        let instruction = &sight.fact.instruction;
        // ADD [BX+SI],AL, which is 00 00: the program executes memory without code.
        if instruction.code() == Code::Add_rm8_r8 && instruction.memory_base() == Register::BX {
            return None;
        }
        let found = |what: String| Found {
            kind: Kind::Memory,
            id: "psp",
            at: sight.at,
            text: format!("DS still points to the PSP: this {what}"),
            note: None,
            help: "set DS at the start: mov ax, @data and mov ds, ax",
        };
        if interrupt_of(instruction) == Some(0x21) && registers.ah() == 0x09 {
            let offset = u32::from(registers.dx());
            return (!(0x80..PSP_BYTES).contains(&offset))
                .then(|| found(format!("prints from PSP:{offset:04X}h")));
        }
        let operand = (0..instruction.op_count()).find(|n| instruction.op_kind(*n) == OpKind::Memory)?;
        if instruction.memory_segment() != Register::DS || instruction.mnemonic() == Mnemonic::Lea {
            return None;
        }
        let value = |register| match register {
            Register::DS => 0,
            _ => u64::from(value_of(register, registers)),
        };
        let offset = instruction.virtual_address(operand, 0, |register, _, _| Some(value(register)))? as u32;
        let access = self.factory.info(instruction).op_access(operand);
        let (reads, writes) = (is_read(access), is_written(access));
        if offset >= PSP_BYTES {
            let verb = if writes { "writes" } else { "reads" };
            return Some(found(format!("{verb} byte {offset:04X}h from its start")));
        }
        if writes && OF_DOS.contains(&offset) {
            return Some(found(format!("writes to byte {offset:02X}h of the PSP, which belongs to DOS")));
        }
        if !reads || !OF_DOS.contains(&offset) || OFTEN_READ.contains(&offset) {
            return None;
        }
        // The offset of one of the program's variables.
        let is_meant =
            |symbol: &&Symbol| symbol.kind == SymbolKind::Data && u32::from(symbol.offset) == offset;
        match program.symbols().symbols().iter().find(is_meant) {
            Some(symbol) => {
                Some(found(format!("reads byte {offset:02X}h of the PSP instead of `{}`", symbol.name)))
            }
            None => EXIT.contains(&offset).then(|| found(format!("reads the byte {offset:02X}h of the PSP"))),
        }
    }
}
