//! The linear addresses of an instruction's operands in memory.

use iced_x86::{Instruction, Register, UsedMemory};
use oxbox_cpu::Cpu;
use oxbox_cpu::directions::is_read;
use std::ops::Range;

/// Returns the linear addresses of an operand that is read; after REP those of all iterations.
pub(super) fn bytes_read(cpu: &Cpu, instruction: &Instruction, memory: &UsedMemory) -> Option<Range<u32>> {
    if is_read(memory.access()) { bytes_of(cpu, instruction, memory) } else { None }
}

/// Returns the linear addresses of an operand; with a repeat prefix those of all iterations.
pub(super) fn bytes_of(cpu: &Cpu, instruction: &Instruction, memory: &UsedMemory) -> Option<Range<u32>> {
    let once = range_of(cpu, memory, [0, 0])?;
    if !instruction.has_rep_prefix() && !instruction.has_repne_prefix() {
        return Some(once);
    }
    let (address, bytes) = (once.start, once.len() as u32);
    let count = u32::from(cpu.regs.cx()).saturating_mul(bytes);
    Some(if cpu.regs.flag(oxbox_cpu::Flags::DF) {
        address.saturating_sub(count)..address + bytes
    } else {
        address..address.saturating_add(count)
    })
}

/// Returns the linear addresses of an operand without its repetitions, if its base and its index have
/// changed by these numbers.
pub(super) fn range_of(cpu: &Cpu, memory: &UsedMemory, [base, index]: [i32; 2]) -> Option<Range<u32>> {
    let value = |register: Register, _, _| {
        let change = if register == memory.base() {
            base
        } else if register == memory.index() {
            index
        } else {
            0
        };
        Some(register_value(cpu, register).wrapping_add_signed(i64::from(change)))
    };
    let address = memory.virtual_address(0, value)? as u32 & 0xF_FFFF;
    Some(address..address + memory.memory_size().size().max(1) as u32)
}

/// Returns a register's value in an address; for a segment register its base.
fn register_value(cpu: &Cpu, register: Register) -> u64 {
    let regs = &cpu.regs;
    let general = |register: Register| u64::from(regs.gpr[register.number() & 7]);
    if register.is_segment_register() {
        u64::from(regs.seg[register.number().min(5)]) << 4
    } else if register.is_gpr16() {
        general(register) & 0xFFFF
    } else if register.is_gpr8() {
        u64::from(regs.al())
    } else {
        general(register)
    }
}
