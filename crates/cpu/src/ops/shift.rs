//! ROL to SAR by 1, by an immediate and by CL; SHLD and SHRD.

use iced_x86::{Mnemonic, OpKind};

use super::{attempt, by_condition};
use crate::bus::Bus;
use crate::decoded::{Decoded, Variant};
use crate::form::Form;
use crate::op::{Flow, Handler, Mode, Op, RemainingOps, branch, next, next_after_store};
use crate::operand::*;
use crate::shift::*;
use crate::size::{Size, by_operands, by_width};
use crate::state::Cpu;

/// Returns the unmasked count: the immediate, or CL.
#[inline(always)]
fn count<B: Bus, const BY_CL: bool>(cpu: &Cpu, op: &Op<B>) -> u32 {
    let count = if BY_CL { cpu.regs.gpr[1] & 0xFF } else { op.imm };
    count & cpu.model.shift_count_mask()
}

fn shift<B: Bus, O: Shift, W: Size, D: Place, const BY_CL: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    ops: RemainingOps<B>,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let at = D::locate(cpu, op);
    let value = attempt!(cpu, bus, op, D::get::<B, W>(cpu, bus, op, at));
    let count = count::<B, BY_CL>(cpu, op);
    if count == 0 {
        return next(cpu, bus, op, rest);
    }
    let (value, status) = O::apply::<W>(value, count, cpu.status);
    attempt!(cpu, bus, op, D::set::<B, W>(cpu, bus, op, at, value));
    cpu.status = status;
    if D::MEMORY { next_after_store(cpu, bus, op, rest) } else { next(cpu, bus, op, rest) }
}

/// Shifts a register by an immediate above 0 on every model. `FLAGS`: whether flags are live.
fn plain<B: Bus, O: Shift, W: Size, const FLAGS: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    ops: RemainingOps<B>,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let (value, status) = O::apply::<W>(W::get(&cpu.regs.gpr, op.rm), op.imm & 31, cpu.status);
    W::set(cpu, op.rm, value);
    if FLAGS {
        cpu.status = status;
    }
    next(cpu, bus, op, rest)
}

/// A plain shift and the following conditional jump as one operation.
fn plain_and_branch<B: Bus, O: Shift, W: Size, const CONDITION: u8>(
    cpu: &mut Cpu,
    bus: &mut B,
    ops: RemainingOps<B>,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let (value, status) = O::apply::<W>(W::get(&cpu.regs.gpr, op.rm), op.imm & 31, cpu.status);
    W::set(cpu, op.rm, value);
    cpu.status = status;
    branch(cpu, bus, op, rest, status.condition(CONDITION))
}

fn double<B: Bus, W: Size, const LEFT: bool, const BY_CL: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    ops: RemainingOps<B>,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let at = Dynamic::locate(cpu, op);
    let value = attempt!(cpu, bus, op, Dynamic::get::<B, W>(cpu, bus, op, at));
    let fill = W::get(&cpu.regs.gpr, op.reg);
    let count = count::<B, BY_CL>(cpu, op);
    if count == 0 {
        return next(cpu, bus, op, rest);
    }
    let (value, status) = if LEFT { shld::<W>(value, fill, count) } else { shrd::<W>(value, fill, count) };
    attempt!(cpu, bus, op, Dynamic::set::<B, W>(cpu, bus, op, at, value));
    cpu.status = status;
    next_after_store(cpu, bus, op, rest)
}

fn forms<B: Bus, O: Shift, W: Size>(mode: Mode, by_cl: bool) -> Handler<B> {
    match (mode, by_cl) {
        (Mode::Register, false) => shift::<B, O, W, RmRegister, false>,
        (Mode::Register, true) => shift::<B, O, W, RmRegister, true>,
        (_, false) => shift::<B, O, W, Memory<AnyAddress>, false>,
        (_, true) => shift::<B, O, W, Memory<AnyAddress>, true>,
    }
}

/// Decodes ROL to SAR.
pub(crate) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    let mode = decoded.operands.form.mode();
    let by_cl = decoded.instruction.op1_kind() == OpKind::Register;
    decoded.op.imm = u32::from(decoded.instruction.immediate8());
    if is_plain(decoded) {
        decoded.run = plain_form(decoded, true)?;
        decoded.effect.may_stop = false;
        decoded.variants = Some(variant::<B>);
        return Some(());
    }
    // A count of 0 keeps the flags.
    decoded.effect.writes = 0;
    decoded.run = by_operands!(decoded, |W| match decoded.mnemonic() {
        Mnemonic::Rol => forms::<B, Rol, W>(mode, by_cl),
        Mnemonic::Ror => forms::<B, Ror, W>(mode, by_cl),
        Mnemonic::Rcl => forms::<B, Rcl, W>(mode, by_cl),
        Mnemonic::Rcr => forms::<B, Rcr, W>(mode, by_cl),
        Mnemonic::Shl | Mnemonic::Sal => forms::<B, Shl, W>(mode, by_cl),
        Mnemonic::Shr => forms::<B, Shr, W>(mode, by_cl),
        Mnemonic::Sar => forms::<B, Sar, W>(mode, by_cl),
        _ => return None,
    });
    Some(())
}

/// Returns whether this is SHL, SHR or SAR of a register by an immediate above 0 on every model.
fn is_plain<B: Bus>(decoded: &Decoded<B>) -> bool {
    matches!(decoded.mnemonic(), Mnemonic::Shl | Mnemonic::Sal | Mnemonic::Shr | Mnemonic::Sar)
        && decoded.operands.form == Form::RmImm(Mode::Register)
        && (1..32).contains(&decoded.instruction.immediate8())
}

/// Returns the handler of a plain shift, with or without flags.
fn plain_form<B: Bus>(decoded: &Decoded<B>, flags: bool) -> Option<Handler<B>> {
    by_operands!(decoded, |W| match (decoded.mnemonic(), flags) {
        (Mnemonic::Shl | Mnemonic::Sal, true) => Some(plain::<B, Shl, W, true>),
        (Mnemonic::Shl | Mnemonic::Sal, false) => Some(plain::<B, Shl, W, false>),
        (Mnemonic::Shr, true) => Some(plain::<B, Shr, W, true>),
        (Mnemonic::Shr, false) => Some(plain::<B, Shr, W, false>),
        (Mnemonic::Sar, true) => Some(plain::<B, Sar, W, true>),
        (Mnemonic::Sar, false) => Some(plain::<B, Sar, W, false>),
        _ => None,
    })
}

fn variant<B: Bus>(decoded: &Decoded<B>, variant: Variant) -> Option<Handler<B>> {
    match variant {
        Variant::Quiet => plain_form(decoded, false),
        Variant::Fused(condition) => by_operands!(decoded, |W| match decoded.mnemonic() {
            Mnemonic::Shl | Mnemonic::Sal => Some(by_condition!(condition, plain_and_branch::<B, Shl, W>)),
            Mnemonic::Shr => Some(by_condition!(condition, plain_and_branch::<B, Shr, W>)),
            _ => None,
        }),
        _ => None,
    }
}

/// Changes what iced-x86 decodes as a shift to SETMO.
pub(crate) fn make_setmo<B: Bus>(decoded: &mut Decoded<B>) {
    let mode = decoded.operands.form.mode();
    let by_cl = decoded.instruction.op1_kind() == OpKind::Register;
    decoded.run = by_operands!(decoded, |W| forms::<B, SetMo, W>(mode, by_cl));
    decoded.variants = None;
}

/// Decodes SHLD and SHRD.
pub(crate) fn decode_double<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    let is_left = decoded.mnemonic() == Mnemonic::Shld;
    let by_cl = decoded.instruction.op2_kind() == OpKind::Register;
    decoded.op.imm = u32::from(decoded.instruction.immediate8());
    decoded.run = by_width!(decoded.is_wide(), |W| match (is_left, by_cl) {
        (true, false) => double::<B, W, true, false>,
        (true, true) => double::<B, W, true, true>,
        (false, false) => double::<B, W, false, false>,
        (false, true) => double::<B, W, false, true>,
    });
    Some(())
}
