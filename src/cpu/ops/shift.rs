//! ROL to SAR by 1, by an immediate and by CL; SHLD and SHRD.

use iced_x86::Mnemonic;

use super::super::Cpu;
use super::super::block::{Flow, Handler, Op, next, next_after_store};
use super::super::bus::Bus;
use super::super::decode::Operands;
use super::super::operand::*;
use super::super::shift::*;
use super::alu::by_condition;
use super::{attempt, by_size};

/// The count, still to be masked: the immediate, or CL.
#[inline(always)]
fn count<B: Bus, const BY_CL: bool>(cpu: &Cpu, op: &Op<B>) -> u32 {
    let count = if BY_CL { cpu.regs.gpr[1] & 0xFF } else { op.imm };
    count & cpu.model.shift_count_mask()
}

fn shift<B: Bus, O: Shift, W: Size, D: Place, const BY_CL: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    rest: &[Op<B>],
) -> Flow {
    let at = D::locate(cpu, op);
    let value = attempt!(cpu, bus, op, D::get::<B, W>(cpu, bus, op, at));
    let count = count::<B, BY_CL>(cpu, op);
    if count == 0 {
        return next(cpu, bus, rest);
    }
    let (value, status) = O::apply::<W>(value, count, cpu.status);
    attempt!(cpu, bus, op, D::set::<B, W>(cpu, bus, op, at, value));
    cpu.status = status;
    if D::MEMORY { next_after_store(cpu, bus, op, rest) } else { next(cpu, bus, rest) }
}

/// A register by an immediate count that is above 0 on every model. `FLAGS` is false where nothing looks at the flags
/// before they are set again.
fn plain<B: Bus, O: Shift, W: Size, const FLAGS: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    rest: &[Op<B>],
) -> Flow {
    let (value, status) = O::apply::<W>(W::get(&cpu.regs.gpr, op.rm), op.imm, cpu.status);
    W::set(cpu, op.rm, value);
    if FLAGS {
        cpu.status = status;
    }
    next(cpu, bus, rest)
}

/// The same and the conditional jump behind it, as one operation.
fn plain_and_branch<B: Bus, O: Shift, W: Size, const CONDITION: u8>(
    cpu: &mut Cpu,
    _: &mut B,
    op: &Op<B>,
    _: &[Op<B>],
) -> Flow {
    let (value, status) = O::apply::<W>(W::get(&cpu.regs.gpr, op.rm), op.imm, cpu.status);
    W::set(cpu, op.rm, value);
    cpu.status = status;
    if status.condition(CONDITION) { Flow::Taken } else { Flow::Fall }
}

fn double<B: Bus, W: Size, const LEFT: bool, const BY_CL: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    rest: &[Op<B>],
) -> Flow {
    let at = Dynamic::locate(cpu, op);
    let value = attempt!(cpu, bus, op, Dynamic::get::<B, W>(cpu, bus, op, at));
    let fill = W::get(&cpu.regs.gpr, op.reg);
    let count = count::<B, BY_CL>(cpu, op);
    if count == 0 {
        return next(cpu, bus, rest);
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

/// The handler of the shift or rotate `kind`: the `reg` field of the opcode's ModRM byte, 6 meaning SETMO.
pub(in crate::cpu) fn select_shift<B: Bus>(kind: u8, operands: &Operands, by_cl: bool) -> Handler<B> {
    let mode = operands.form.mode();
    by_size!(operands.size, |W| match kind {
        0 => forms::<B, Rol, W>(mode, by_cl),
        1 => forms::<B, Ror, W>(mode, by_cl),
        2 => forms::<B, Rcl, W>(mode, by_cl),
        3 => forms::<B, Rcr, W>(mode, by_cl),
        4 => forms::<B, Shl, W>(mode, by_cl),
        5 => forms::<B, Shr, W>(mode, by_cl),
        6 => forms::<B, SetMo, W>(mode, by_cl),
        _ => forms::<B, Sar, W>(mode, by_cl),
    })
}

/// The handler of SHL, SHR or SAR of a register by an immediate count above 0, with or without flags.
pub(in crate::cpu) fn select_plain<B: Bus>(mnemonic: Mnemonic, size: u32, flags: bool) -> Handler<B> {
    by_size!(size, |W| match (mnemonic, flags) {
        (Mnemonic::Shr, true) => plain::<B, Shr, W, true>,
        (Mnemonic::Shr, false) => plain::<B, Shr, W, false>,
        (Mnemonic::Sar, true) => plain::<B, Sar, W, true>,
        (Mnemonic::Sar, false) => plain::<B, Sar, W, false>,
        (_, true) => plain::<B, Shl, W, true>,
        (_, false) => plain::<B, Shl, W, false>,
    })
}

/// The handler of such an SHL or SHR and the Jcc behind it.
pub(in crate::cpu) fn select_fused<B: Bus>(
    mnemonic: Mnemonic,
    size: u32,
    condition: u8,
) -> Option<Handler<B>> {
    Some(by_size!(size, |W| match mnemonic {
        Mnemonic::Shl | Mnemonic::Sal => by_condition!(condition, plain_and_branch::<B, Shl, W>),
        Mnemonic::Shr => by_condition!(condition, plain_and_branch::<B, Shr, W>),
        _ => return None,
    }))
}

/// The handler of SHLD (`left`) or SHRD.
pub(in crate::cpu) fn select_double<B: Bus>(left: bool, wide: bool, by_cl: bool) -> Handler<B> {
    match (left, wide, by_cl) {
        (true, false, false) => double::<B, Word, true, false>,
        (true, false, true) => double::<B, Word, true, true>,
        (true, true, false) => double::<B, Dword, true, false>,
        (true, true, true) => double::<B, Dword, true, true>,
        (false, false, false) => double::<B, Word, false, false>,
        (false, false, true) => double::<B, Word, false, true>,
        (false, true, false) => double::<B, Dword, false, false>,
        (false, true, true) => double::<B, Dword, false, true>,
    }
}
