//! SMSW, LMSW, CLTS, SGDT, SIDT, LGDT, LIDT, MOV with control, debug and test registers.

use super::super::access::Fault;
use super::super::block::{Flow, Handler, Op, next, next_after_store};
use super::super::bus::Bus;
use super::super::operand::*;
use super::super::system::{Msw, Table};
use super::super::{Cpu, Exit};
use super::attempt;

fn smsw<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let value = cpu.system.cr[0];
    if op.mode == Mode::Register {
        W::set(cpu, op.rm, value & W::MASK);
        return next(cpu, bus, rest);
    }
    let at = AnyAddress::offset(cpu, op);
    attempt!(cpu, bus, op, cpu.store::<B, Word>(bus, op.seg, at, value));
    next_after_store(cpu, bus, op, rest)
}

fn lmsw<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let value = attempt!(cpu, bus, op, Dynamic::value::<B, Word>(cpu, bus, op));
    if value & Msw::PE != 0 {
        return cpu.leave_before(op, Exit::ProtectedMode);
    }
    cpu.system.cr[0] = cpu.system.cr[0] & !0xF | value & 0xF;
    next(cpu, bus, rest)
}

fn clts<B: Bus>(cpu: &mut Cpu, bus: &mut B, _: &Op<B>, rest: &[Op<B>]) -> Flow {
    cpu.system.cr[0] &= !Msw::TS;
    next(cpu, bus, rest)
}

/// SGDT and SIDT: the limit, then 24 bits of base, or 32 with 32-bit operands.
fn store_table<B: Bus, const IDT: bool, const WIDE: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    rest: &[Op<B>],
) -> Flow {
    let table = if IDT { cpu.system.idtr } else { cpu.system.gdtr };
    let base = if WIDE { table.base } else { table.base & 0x00FF_FFFF | cpu.model.table_filler() };
    let at = AnyAddress::offset(cpu, op);
    attempt!(cpu, bus, op, cpu.store::<B, Word>(bus, op.seg, at, u32::from(table.limit)));
    let at = cpu.pointer_step(at, 2, op.mode == Mode::Wide);
    attempt!(cpu, bus, op, cpu.store::<B, Dword>(bus, op.seg, at, base));
    next_after_store(cpu, bus, op, rest)
}

/// LGDT and LIDT.
fn load_table<B: Bus, const IDT: bool, const WIDE: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    rest: &[Op<B>],
) -> Flow {
    let at = AnyAddress::offset(cpu, op);
    let limit = attempt!(cpu, bus, op, cpu.load::<B, Word>(bus, op.seg, at)) as u16;
    let at = cpu.pointer_step(at, 2, op.mode == Mode::Wide);
    let base = attempt!(cpu, bus, op, cpu.load::<B, Dword>(bus, op.seg, at));
    let table = Table { base: if WIDE { base } else { base & 0x00FF_FFFF }, limit };
    if IDT {
        cpu.system.idtr = table;
    } else {
        cpu.system.gdtr = table;
    }
    next(cpu, bus, rest)
}

/// MOV r32, CRn; `imm` is n.
fn from_control<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    Dword::set(cpu, op.rm, cpu.system.cr[op.imm as usize & 3]);
    next(cpu, bus, rest)
}

/// MOV CRn, r32.
fn to_control<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    /// Paging, which needs protection.
    const PG: u32 = 1 << 31;
    let value = Dword::get(&cpu.regs.gpr, op.rm);
    if op.imm == 0 && value & Msw::PE != 0 {
        return cpu.leave_before(op, Exit::ProtectedMode);
    }
    if op.imm == 0 && value & PG != 0 {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    cpu.system.cr[op.imm as usize & 3] = value;
    next(cpu, bus, rest)
}

/// MOV r32, DRn and MOV r32, TRn.
fn from_debug<B: Bus, const TEST: bool>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let bank = if TEST { &cpu.system.tr } else { &cpu.system.dr };
    let value = bank[op.imm as usize & 7];
    Dword::set(cpu, op.rm, value);
    next(cpu, bus, rest)
}

/// MOV DRn, r32 and MOV TRn, r32. Breakpoints set there never match.
fn to_debug<B: Bus, const TEST: bool>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let value = Dword::get(&cpu.regs.gpr, op.rm);
    let bank = if TEST { &mut cpu.system.tr } else { &mut cpu.system.dr };
    bank[op.imm as usize & 7] = value;
    next(cpu, bus, rest)
}

/// An instruction of this family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cpu) enum Special {
    Smsw,
    Lmsw,
    Clts,
    Sgdt,
    Sidt,
    Lgdt,
    Lidt,
    FromControl,
    ToControl,
    FromDebug,
    ToDebug,
    FromTest,
    ToTest,
}

/// Its handler, for operands of words or doublewords.
pub(in crate::cpu) fn select<B: Bus>(what: Special, wide: bool) -> Handler<B> {
    match (what, wide) {
        (Special::Smsw, false) => smsw::<B, Word>,
        (Special::Smsw, true) => smsw::<B, Dword>,
        (Special::Lmsw, _) => lmsw::<B>,
        (Special::Clts, _) => clts::<B>,
        (Special::Sgdt, false) => store_table::<B, false, false>,
        (Special::Sgdt, true) => store_table::<B, false, true>,
        (Special::Sidt, false) => store_table::<B, true, false>,
        (Special::Sidt, true) => store_table::<B, true, true>,
        (Special::Lgdt, false) => load_table::<B, false, false>,
        (Special::Lgdt, true) => load_table::<B, false, true>,
        (Special::Lidt, false) => load_table::<B, true, false>,
        (Special::Lidt, true) => load_table::<B, true, true>,
        (Special::FromControl, _) => from_control::<B>,
        (Special::ToControl, _) => to_control::<B>,
        (Special::FromDebug, _) => from_debug::<B, false>,
        (Special::ToDebug, _) => to_debug::<B, false>,
        (Special::FromTest, _) => from_debug::<B, true>,
        (Special::ToTest, _) => to_debug::<B, true>,
    }
}
