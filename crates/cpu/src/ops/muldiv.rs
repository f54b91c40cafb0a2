//! MUL, IMUL, DIV, IDIV.

use iced_x86::{Mnemonic, OpKind};

use super::attempt;
use crate::arithmetic;
use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::op::{Flow, RemainingOps, next};
use crate::operand::*;
use crate::registers::Reg;
use crate::size::{Size, by_size, by_width};
use crate::state::Cpu;

/// Returns the low and high half of the double-width accumulator: AX, DX:AX or EDX:EAX.
fn accumulator<W: Size>(cpu: &Cpu) -> (u32, u32) {
    let (a, d) = (cpu.regs.gpr[0], cpu.regs.gpr[2]);
    if W::BYTES == 1 { (a & 0xFF, a >> 8 & 0xFF) } else { (a & W::MASK, d & W::MASK) }
}

fn set_accumulator<W: Size>(cpu: &mut Cpu, low: u32, high: u32) {
    W::set(cpu, Reg::A, low);
    // As a byte register, the number of SP means AH.
    W::set(cpu, if W::BYTES == 1 { Reg::Sp } else { Reg::D }, high);
}

fn set_product_status<W: Size>(cpu: &mut Cpu, significant: bool) {
    cpu.status = cpu.status.with_carry(significant).with_overflow(u32::from(significant) << 31);
}

fn multiply<B: Bus, W: Size, const SIGNED: bool>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let b = attempt!(cpu, bus, op, Dynamic::value::<B, W>(cpu, bus, op));
    let a = W::get(&cpu.regs.gpr, Reg::A);
    let (low, high, significant) =
        if SIGNED { arithmetic::imul::<W>(a, b) } else { arithmetic::mul::<W>(a, b) };
    set_accumulator::<W>(cpu, low, high);
    set_product_status::<W>(cpu, significant);
    next(cpu, bus, op, rest)
}

/// IMUL with two or three operands: stores `S * r/m` in `reg`.
fn multiply_into<B: Bus, W: Size, S: Source>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let b = attempt!(cpu, bus, op, Dynamic::value::<B, W>(cpu, bus, op));
    let a = attempt!(cpu, bus, op, S::value::<B, W>(cpu, bus, op));
    let (low, _, significant) = arithmetic::imul::<W>(a, b);
    W::set(cpu, op.reg, low);
    set_product_status::<W>(cpu, significant);
    next(cpu, bus, op, rest)
}

/// DIV and IDIV. `imm` is 1 if a REP prefix negates the quotient.
fn divide<B: Bus, W: Size, const SIGNED: bool>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let divisor = attempt!(cpu, bus, op, Dynamic::value::<B, W>(cpu, bus, op));
    let (low, high) = accumulator::<W>(cpu);
    let answer = if SIGNED {
        arithmetic::idiv::<W>(cpu.model, high, low, divisor)
    } else {
        arithmetic::div::<W>(high, low, divisor)
    };
    let Some((mut quotient, remainder)) = answer else {
        return cpu.divide_error(bus, op);
    };
    if op.imm == 1 {
        quotient = quotient.wrapping_neg() & W::MASK;
    }
    set_accumulator::<W>(cpu, quotient, remainder);
    next(cpu, bus, op, rest)
}

pub(crate) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    let operands = decoded.instruction.op_count();
    if operands > 1 {
        return decode_into(decoded, operands == 3);
    }
    decoded.op.imm = 0;
    decoded.run = by_size!(decoded.operands.size, |W| match decoded.mnemonic() {
        Mnemonic::Mul => multiply::<B, W, false>,
        Mnemonic::Imul => multiply::<B, W, true>,
        Mnemonic::Div => divide::<B, W, false>,
        Mnemonic::Idiv => divide::<B, W, true>,
        _ => return None,
    });
    Some(())
}

/// Decodes IMUL with two operands, or with three of which the last is an immediate.
fn decode_into<B: Bus>(decoded: &mut Decoded<B>, by_immediate: bool) -> Option<()> {
    let op = &mut decoded.op;
    if decoded.instruction.op1_kind() == OpKind::Register {
        (op.rm, op.reg) = (op.reg, op.rm);
    }
    decoded.run = by_width!(decoded.is_wide(), |W| match by_immediate {
        false => multiply_into::<B, W, Register>,
        true => multiply_into::<B, W, Immediate>,
    });
    Some(())
}

/// Changes an IDIV into one that negates its quotient.
pub(crate) fn negate_quotient<B: Bus>(decoded: &mut Decoded<B>) {
    decoded.op.imm = 1;
}
