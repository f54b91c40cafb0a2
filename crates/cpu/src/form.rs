//! Converts iced-x86's operands to the fields of an operation.

use iced_x86::{Instruction, MemorySize, OpKind, Register as R};

use super::op::{Mode, Op};
use super::registers::{Reg, Segment};

/// The operand order of a two-operand instruction. The mode is that of `rm`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    RmImm(Mode),
    RmReg(Mode),
    RegRm(Mode),
}

impl Form {
    pub(super) fn mode(self) -> Mode {
        match self {
            Form::RmImm(mode) | Form::RmReg(mode) | Form::RegRm(mode) => mode,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Operands {
    pub(super) size: u32,
    pub(super) form: Form,
}

/// Returns an 8, 16 or 32-bit general register and its size in bytes.
pub(super) fn general(register: R) -> Option<(Reg, u32)> {
    let number = register as usize;
    let at = |first: R| Reg::ALL.get(number.wrapping_sub(first as usize)).copied();
    at(R::AL)
        .map(|reg| (reg, 1))
        .or_else(|| at(R::AX).map(|reg| (reg, 2)))
        .or_else(|| at(R::EAX).map(|reg| (reg, 4)))
}

pub(super) fn segment_number(register: R) -> Option<u32> {
    let number = (register as u32).wrapping_sub(R::ES as u32);
    (number < 6).then_some(number)
}

/// Returns the segment of the memory operand, with prefixes applied.
pub(super) fn memory_segment(instruction: &Instruction) -> Segment {
    segment_number(instruction.memory_segment()).map_or(Segment::Ds, Segment::from_number)
}

/// Returns the size in bytes of a memory operand of a general instruction.
pub(super) fn memory_bytes(size: MemorySize) -> u32 {
    match size {
        MemorySize::UInt8 | MemorySize::Int8 => 1,
        MemorySize::UInt32 | MemorySize::Int32 | MemorySize::DwordOffset | MemorySize::SegPtr32 => 4,
        MemorySize::Bound32_DwordDword => 4,
        _ => 2,
    }
}

/// Returns the immediate operand, extended to `size` bytes.
pub(super) fn immediate(instruction: &Instruction, size: u32) -> Option<u32> {
    let n = (0..instruction.op_count()).find(|&n| {
        matches!(
            instruction.op_kind(n),
            OpKind::Immediate8
                | OpKind::Immediate16
                | OpKind::Immediate32
                | OpKind::Immediate8to16
                | OpKind::Immediate8to32
        )
    })?;
    let value = instruction.immediate(n) as u32;
    Some(match size {
        1 => value & 0xFF,
        2 => value & 0xFFFF,
        _ => value,
    })
}

pub(super) fn resolve_memory<B>(op: &mut Op<B>, instruction: &Instruction) {
    let base = general(instruction.memory_base());
    let index = general(instruction.memory_index());
    op.disp = instruction.memory_displacement32();
    op.seg = memory_segment(instruction);
    op.base = base.map_or(Reg::A, |(reg, _)| reg);
    op.index = index.map_or(Reg::A, |(reg, _)| reg);
    op.has_base = base.is_some();
    op.has_index = index.is_some();
    op.scale = instruction.memory_index_scale().trailing_zeros() as u8;
    let wide = base.or(index).map_or(instruction.memory_displ_size() == 4, |(_, size)| size == 4);
    op.mode = match (wide, base, index) {
        (true, _, _) => Mode::Wide,
        (false, Some(_), Some(_)) => Mode::Indexed,
        (false, Some(_), None) => Mode::Based,
        (false, _, _) => Mode::Absolute,
    };
}

/// Stores the operands of a general instruction in `op`.
pub(super) fn resolve_operands<B>(op: &mut Op<B>, instruction: &Instruction) -> Operands {
    let is = |n: u32, kind: OpKind| instruction.op_count() > n && instruction.op_kind(n) == kind;
    let register = |n: u32| is(n, OpKind::Register).then(|| general(instruction.op_register(n))).flatten();
    if !is(0, OpKind::Memory) && !is(1, OpKind::Memory) {
        return resolve_registers(op, register(0), register(1));
    }
    resolve_memory(op, instruction);
    let size = memory_bytes(instruction.memory_size());
    let other = if is(0, OpKind::Memory) { register(1) } else { register(0) };
    let Some((reg, bytes)) = other else { return Operands { size, form: Form::RmImm(op.mode) } };
    op.reg = reg;
    if !is(0, OpKind::Memory) {
        return Operands { size: bytes, form: Form::RegRm(op.mode) };
    }
    // The count in CL is a byte register and does not determine the operand size.
    let is_count = instruction.op1_register() == R::CL && bytes != size;
    Operands { size: if is_count { size } else { bytes }, form: Form::RmReg(op.mode) }
}

/// Like [`resolve_operands`] for registers only: the first two operands and their sizes.
fn resolve_registers<B>(op: &mut Op<B>, first: Option<(Reg, u32)>, second: Option<(Reg, u32)>) -> Operands {
    let mut operands = Operands { size: 2, form: Form::RmImm(Mode::Register) };
    if let Some((reg, bytes)) = first {
        op.rm = reg;
        operands.size = bytes;
    }
    if let Some((reg, _)) = second {
        op.reg = reg;
        operands.form = Form::RmReg(Mode::Register);
    }
    operands
}
