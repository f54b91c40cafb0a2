//! MOVZX, MOVSX, CBW, CWDE, CWD and CDQ.

use iced_x86::{Mnemonic, OpKind};

use super::attempt;
use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::form::{general, memory_bytes};
use crate::op::{Flow, Handler, Mode, RemainingOps, next};
use crate::operand::*;
use crate::registers::Reg;
use crate::size::{Byte, Dword, Size, Word};
use crate::state::Cpu;

fn extend<B: Bus, F: Size, W: Size, S: Source, const SIGNED: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    ops: RemainingOps<B>,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let Some(value) = S::fast_value::<B, F>(cpu, bus, op) else {
        return slow_extend::<B, F, W, S, SIGNED>(cpu, bus, ops);
    };
    W::set(cpu, op.reg, if SIGNED { F::sign_extend(value) as u32 } else { value });
    next(cpu, bus, op, rest)
}

#[cold]
#[inline(never)]
fn slow_extend<B: Bus, F: Size, W: Size, S: Source, const SIGNED: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    ops: RemainingOps<B>,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = attempt!(cpu, bus, op, S::value::<B, F>(cpu, bus, op));
    W::set(cpu, op.reg, if SIGNED { F::sign_extend(value) as u32 } else { value });
    next(cpu, bus, op, rest)
}

/// CBW (`F` byte, `W` word) and CWDE.
fn extend_accumulator<B: Bus, F: Size, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = F::sign_extend(F::get(&cpu.regs.gpr, Reg::A)) as u32;
    W::set(cpu, Reg::A, value);
    next(cpu, bus, op, rest)
}

/// CWD and CDQ.
fn sign_to_d<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let sign = W::sign_extend(W::get(&cpu.regs.gpr, Reg::A)) >> 31;
    W::set(cpu, Reg::D, sign as u32);
    next(cpu, bus, op, rest)
}

pub(crate) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    decoded.run = match decoded.mnemonic() {
        Mnemonic::Cbw => extend_accumulator::<B, Byte, Word>,
        Mnemonic::Cwde => extend_accumulator::<B, Word, Dword>,
        Mnemonic::Cwd => sign_to_d::<B, Word>,
        Mnemonic::Cdq => sign_to_d::<B, Dword>,
        _ => decode_extend(decoded)?,
    };
    decoded.effect.may_stop = !decoded.is_on_registers();
    Some(())
}

/// Decodes MOVZX and MOVSX. The source is `rm`: a register or memory.
fn decode_extend<B: Bus>(decoded: &mut Decoded<B>) -> Option<Handler<B>> {
    let instruction = &decoded.instruction;
    let (target, size) = general(instruction.op0_register())?;
    let from = match instruction.op1_kind() {
        OpKind::Memory => memory_bytes(instruction.memory_size()),
        _ => general(instruction.op1_register())?.1,
    };
    (decoded.op.rm, decoded.op.reg) = (decoded.op.reg, target);
    let is_signed = decoded.mnemonic() == Mnemonic::Movsx;
    let mode = decoded.operands.form.mode();
    Some(match (from, size) {
        (1, 2) => extend_forms::<B, Byte, Word>(mode, is_signed),
        (1, _) => extend_forms::<B, Byte, Dword>(mode, is_signed),
        (_, 2) => extend_forms::<B, Word, Word>(mode, is_signed),
        (_, _) => extend_forms::<B, Word, Dword>(mode, is_signed),
    })
}

fn extend_forms<B: Bus, F: Size, W: Size>(mode: Mode, is_signed: bool) -> Handler<B> {
    match (mode, is_signed) {
        (Mode::Register, false) => extend::<B, F, W, RmRegister, false>,
        (Mode::Register, true) => extend::<B, F, W, RmRegister, true>,
        (Mode::Based, false) => extend::<B, F, W, Memory<Based>, false>,
        (_, false) => extend::<B, F, W, Memory<AnyAddress>, false>,
        (_, true) => extend::<B, F, W, Memory<AnyAddress>, true>,
    }
}
