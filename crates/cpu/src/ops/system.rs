//! SMSW, LMSW, CLTS, SGDT, SIDT, LGDT, LIDT; MOV with control, debug and test registers.

use iced_x86::{Code, Mnemonic, Register as R};

use super::attempt;
use crate::access::Fault;
use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::form::general;
use crate::op::{Flow, Handler, Mode, RemainingOps, next, next_after_store};
use crate::operand::*;
use crate::size::{Dword, Size, Word, by_width};
use crate::state::{Cpu, Exit};
use crate::system::{Msw, Table};

fn smsw<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = cpu.system.cr[0];
    if op.mode == Mode::Register {
        W::set(cpu, op.rm, value & W::MASK);
        return next(cpu, bus, op, rest);
    }
    let at = AnyAddress::offset(cpu, op);
    attempt!(cpu, bus, op, cpu.store::<B, Word>(bus, op.seg, at, value));
    next_after_store(cpu, bus, op, rest)
}

fn lmsw<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = attempt!(cpu, bus, op, Dynamic::value::<B, Word>(cpu, bus, op));
    if value & Msw::PE != 0 {
        return cpu.leave_before(op, Exit::ProtectedMode);
    }
    cpu.system.cr[0] = cpu.system.cr[0] & !0xF | value & 0xF;
    next(cpu, bus, op, rest)
}

fn clts<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    cpu.system.cr[0] &= !Msw::TS;
    next(cpu, bus, op, rest)
}

/// SGDT and SIDT: store the limit, then 24 bits of base, or 32 with 32-bit operands.
fn store_table<B: Bus, const IDT: bool, const WIDE: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    ops: RemainingOps<B>,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
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
    ops: RemainingOps<B>,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
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
    next(cpu, bus, op, rest)
}

/// MOV r32, CRn; `imm` is n.
fn from_control<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    Dword::set(cpu, op.rm, cpu.system.cr[op.imm as usize & 3]);
    next(cpu, bus, op, rest)
}

/// MOV CRn, r32.
fn to_control<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    /// Paging, which requires protected mode.
    const PG: u32 = 1 << 31;
    let value = Dword::get(&cpu.regs.gpr, op.rm);
    if op.imm == 0 && value & Msw::PE != 0 {
        return cpu.leave_before(op, Exit::ProtectedMode);
    }
    if op.imm == 0 && value & PG != 0 {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    cpu.system.cr[op.imm as usize & 3] = value;
    next(cpu, bus, op, rest)
}

/// MOV r32, DRn and MOV r32, TRn.
fn from_debug<B: Bus, const TEST: bool>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let bank = if TEST { &cpu.system.tr } else { &cpu.system.dr };
    let value = bank[op.imm as usize & 7];
    Dword::set(cpu, op.rm, value);
    next(cpu, bus, op, rest)
}

/// MOV DRn, r32 and MOV TRn, r32. Breakpoints set there never match.
fn to_debug<B: Bus, const TEST: bool>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = Dword::get(&cpu.regs.gpr, op.rm);
    let bank = if TEST { &mut cpu.system.tr } else { &mut cpu.system.dr };
    bank[op.imm as usize & 7] = value;
    next(cpu, bus, op, rest)
}

pub(crate) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    decoded.run = match decoded.instruction.code() {
        Code::Sgdt_m1632 => store_table::<B, false, true>,
        Code::Sidt_m1632 => store_table::<B, true, true>,
        Code::Lgdt_m1632 => load_table::<B, false, true>,
        Code::Lidt_m1632 => load_table::<B, true, true>,
        _ => match decoded.mnemonic() {
            Mnemonic::Sgdt => store_table::<B, false, false>,
            Mnemonic::Sidt => store_table::<B, true, false>,
            Mnemonic::Lgdt => load_table::<B, false, false>,
            Mnemonic::Lidt => load_table::<B, true, false>,
            Mnemonic::Smsw => by_width!(decoded.is_wide(), |W| smsw::<B, W>),
            Mnemonic::Lmsw => lmsw::<B>,
            Mnemonic::Clts => clts::<B>,
            _ => return None,
        },
    };
    decoded.ends = decoded.mnemonic() == Mnemonic::Lmsw;
    Some(())
}

/// Decodes MOV with control, debug and test registers. `imm` is the number of the register.
pub(crate) fn decode_mov<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    let (to, from) = (decoded.instruction.op0_register(), decoded.instruction.op1_register());
    let is_load = general(to).is_none();
    let (register, general_register) = if is_load { (to, from) } else { (from, to) };
    let (first, run) = match (register, is_load) {
        (R::CR0 | R::CR2 | R::CR3, true) => (R::CR0, to_control::<B> as Handler<B>),
        (R::CR0 | R::CR2 | R::CR3, false) => (R::CR0, from_control::<B> as Handler<B>),
        (R::DR0 | R::DR1 | R::DR2 | R::DR3 | R::DR6 | R::DR7, true) => (R::DR0, to_debug::<B, false> as _),
        (R::DR0 | R::DR1 | R::DR2 | R::DR3 | R::DR6 | R::DR7, false) => (R::DR0, from_debug::<B, false> as _),
        (R::TR6 | R::TR7, true) => (R::TR0, to_debug::<B, true> as _),
        (R::TR6 | R::TR7, false) => (R::TR0, from_debug::<B, true> as _),
        _ => return None,
    };
    decoded.op.imm = register as u32 - first as u32;
    decoded.op.rm = general(general_register)?.0;
    decoded.run = run;
    decoded.ends = is_load;
    Some(())
}
