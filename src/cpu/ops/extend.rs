//! MOVZX, MOVSX, and the accumulator's CBW, CWDE, CWD and CDQ.

use iced_x86::{Mnemonic, OpKind};

use super::attempt;
use crate::cpu::bus::Bus;
use crate::cpu::decoded::Decoded;
use crate::cpu::form::{general, memory_bytes};
use crate::cpu::op::{Flow, Handler, Op, next};
use crate::cpu::operand::*;
use crate::cpu::registers::Reg;
use crate::cpu::size::{Byte, Dword, Size, Word};
use crate::cpu::state::Cpu;

/// MOVZX and MOVSX from `F` to `W`.
fn extend<B: Bus, F: Size, W: Size, const SIGNED: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    rest: &[Op<B>],
) -> Flow {
    let value = attempt!(cpu, bus, op, Dynamic::value::<B, F>(cpu, bus, op));
    let value = if SIGNED { F::sign_extend(value) as u32 } else { value };
    W::set(cpu, op.reg, value);
    next(cpu, bus, rest)
}

/// CBW (`F` byte, `W` word) and CWDE.
fn extend_accumulator<B: Bus, F: Size, W: Size>(
    cpu: &mut Cpu,
    bus: &mut B,
    _: &Op<B>,
    rest: &[Op<B>],
) -> Flow {
    let value = F::sign_extend(F::get(&cpu.regs.gpr, Reg::A)) as u32;
    W::set(cpu, Reg::A, value);
    next(cpu, bus, rest)
}

/// CWD and CDQ.
fn sign_to_d<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, _: &Op<B>, rest: &[Op<B>]) -> Flow {
    let sign = W::sign_extend(W::get(&cpu.regs.gpr, Reg::A)) >> 31;
    W::set(cpu, Reg::D, sign as u32);
    next(cpu, bus, rest)
}

/// Decodes an instruction of the family.
pub(in crate::cpu) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    decoded.op.run = match decoded.mnemonic() {
        Mnemonic::Cbw => extend_accumulator::<B, Byte, Word>,
        Mnemonic::Cwde => extend_accumulator::<B, Word, Dword>,
        Mnemonic::Cwd => sign_to_d::<B, Word>,
        Mnemonic::Cdq => sign_to_d::<B, Dword>,
        _ => decode_extend(decoded)?,
    };
    decoded.effect.may_stop = !decoded.is_on_registers();
    Some(())
}

/// MOVZX and MOVSX: the source is `rm`, of whatever kind it is.
fn decode_extend<B: Bus>(decoded: &mut Decoded<B>) -> Option<Handler<B>> {
    let instruction = &decoded.instruction;
    let (target, size) = general(instruction.op0_register())?;
    let from = match instruction.op1_kind() {
        OpKind::Memory => memory_bytes(instruction.memory_size()),
        _ => general(instruction.op1_register())?.1,
    };
    (decoded.op.rm, decoded.op.reg) = (decoded.op.reg, target);
    let is_signed = decoded.mnemonic() == Mnemonic::Movsx;
    Some(match (from, size, is_signed) {
        (1, 2, false) => extend::<B, Byte, Word, false>,
        (1, _, false) => extend::<B, Byte, Dword, false>,
        (1, 2, true) => extend::<B, Byte, Word, true>,
        (1, _, true) => extend::<B, Byte, Dword, true>,
        (_, 2, _) => extend::<B, Word, Word, false>,
        (_, _, false) => extend::<B, Word, Dword, false>,
        (_, _, true) => extend::<B, Word, Dword, true>,
    })
}
