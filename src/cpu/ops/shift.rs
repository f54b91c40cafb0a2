//! ROL to SAR by 1, by an immediate and by CL; SHLD and SHRD.

use super::super::Cpu;
use super::super::block::{Flow, Handler, Op, next, next_after_store};
use super::super::bus::Bus;
use super::super::decode::Operands;
use super::super::operand::*;
use super::super::shift::*;
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
