//! The memory, registers, ports and interrupts that an instruction will access.

use super::disassembly::{bytes_at, decode};
use iced_x86::{
    Instruction, InstructionInfoFactory, InstructionInfoOptions, Mnemonic, OpKind, Register, UsedMemory,
};
use oxbox_cpu::Registers;
use oxbox_cpu::directions::{is_read, is_written};
use oxbox_machine::hardware::Hardware;
use std::ops::Range;

/// Returns the instruction at CS:IP.
pub(super) fn instruction_at(registers: &Registers, hw: &Hardware) -> Instruction {
    let (cs, ip) = (registers.cs(), registers.ip as u16);
    decode(&bytes_at(hw, cs, ip), ip)
}

pub(super) fn interrupt_of(instruction: &Instruction) -> Option<u8> {
    match instruction.mnemonic() {
        Mnemonic::Int => Some(instruction.immediate8()),
        Mnemonic::Int3 => Some(3),
        Mnemonic::Into => Some(4),
        _ => None,
    }
}

/// Returns the ports of an IN, OUT, INS or OUTS.
pub(super) fn ports_of(instruction: &Instruction, registers: &Registers) -> Option<Range<u32>> {
    let bytes = |width: usize| width as u32;
    let (port, width) = match instruction.mnemonic() {
        Mnemonic::In => (instruction.op_kind(1), bytes(instruction.op0_register().size())),
        Mnemonic::Out => (instruction.op_kind(0), bytes(instruction.op1_register().size())),
        Mnemonic::Insb | Mnemonic::Outsb => (OpKind::Register, 1),
        Mnemonic::Insw | Mnemonic::Outsw => (OpKind::Register, 2),
        Mnemonic::Insd | Mnemonic::Outsd => (OpKind::Register, 4),
        _ => return None,
    };
    let port = match port {
        OpKind::Immediate8 => u32::from(instruction.immediate8()),
        _ => u32::from(registers.dx()),
    };
    Some(port..port + width)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Touched {
    /// Linear addresses. For a repeated instruction, all that it may access.
    pub(super) bytes: Range<u32>,
    pub(super) reads: bool,
    pub(super) writes: bool,
}

/// Returns the memory that an instruction accesses, including the stack.
pub(super) fn touched(
    factory: &mut InstructionInfoFactory,
    instruction: &Instruction,
    registers: &Registers,
) -> Vec<Touched> {
    let info = factory.info_options(instruction, InstructionInfoOptions::NO_REGISTER_USAGE);
    let touched = info.used_memory().iter().map(|memory| {
        let (reads, writes) = (is_read(memory.access()), is_written(memory.access()));
        Touched { bytes: bytes_of(instruction, memory, registers), reads, writes }
    });
    touched.filter(|touched| touched.reads || touched.writes).collect()
}

fn bytes_of(instruction: &Instruction, memory: &UsedMemory, registers: &Registers) -> Range<u32> {
    let value = |register| value_of(register, registers);
    let wide = memory.address_size() == iced_x86::CodeSize::Code32;
    let offset = value(memory.base())
        .wrapping_add(value(memory.index()).wrapping_mul(memory.scale()))
        .wrapping_add(memory.displacement() as u32);
    let offset = if wide { offset } else { offset & 0xFFFF };
    let base = value(memory.segment()) * 16;
    let size = (memory.memory_size().size() as u32).max(1);
    let is_string = matches!(memory.base(), Register::SI | Register::DI | Register::ESI | Register::EDI)
        && instruction.is_string_instruction();
    if !(is_string && (instruction.has_rep_prefix() || instruction.has_repne_prefix())) {
        return base + offset..base + offset + size;
    }
    let turns = if wide { registers.gpr[1] } else { u32::from(registers.cx()) };
    let length = turns.min(0x1_0000).saturating_mul(size).min(0x1_0000);
    if registers.flag(oxbox_cpu::Flags::DF) {
        let end = base + offset + size;
        return end.saturating_sub(length)..end;
    }
    base + offset..base + offset + length
}

pub(super) fn value_of(register: Register, registers: &Registers) -> u32 {
    if register == Register::None {
        return 0;
    }
    if register.is_segment_register() {
        return u32::from(registers.seg[register.number().min(5)]);
    }
    if !register.is_gpr() {
        return 0;
    }
    let whole = registers.gpr[register.full_register32().number() & 7];
    match register.size() {
        1 if is_high(register) => whole >> 8 & 0xFF,
        1 => whole & 0xFF,
        2 => whole & 0xFFFF,
        _ => whole,
    }
}

/// Returns whether this is AH, CH, DH or BH.
pub(super) fn is_high(register: Register) -> bool {
    matches!(register, Register::AH | Register::BH | Register::CH | Register::DH)
}
