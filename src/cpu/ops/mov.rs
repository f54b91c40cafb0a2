//! MOV, MOVZX, MOVSX, XCHG, LEA, LDS and its kin, XLAT, CBW and CWD, and MOV with segment registers.

use iced_x86::Mnemonic;

use super::super::Cpu;
use super::super::block::{Flow, Handler, Op, next, next_after_store};
use super::super::bus::Bus;
use super::super::decode::{Form, Operands};
use super::super::operand::*;
use super::super::registers::Segment;
use super::{attempt, by_size};

fn mov<B: Bus, W: Size, D: Place, S: Source>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let value = attempt!(cpu, bus, op, S::value::<B, W>(cpu, bus, op));
    let at = D::locate(cpu, op);
    attempt!(cpu, bus, op, D::set::<B, W>(cpu, bus, op, at, value));
    if D::MEMORY { next_after_store(cpu, bus, op, rest) } else { next(cpu, bus, rest) }
}

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

fn xchg<B: Bus, W: Size, D: Place>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let at = D::locate(cpu, op);
    let theirs = attempt!(cpu, bus, op, D::get::<B, W>(cpu, bus, op, at));
    let ours = W::get(&cpu.regs.gpr, op.reg);
    attempt!(cpu, bus, op, D::set::<B, W>(cpu, bus, op, at, ours));
    W::set(cpu, op.reg, theirs);
    if D::MEMORY { next_after_store(cpu, bus, op, rest) } else { next(cpu, bus, rest) }
}

fn lea<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let offset = AnyAddress::offset(cpu, op);
    W::set(cpu, op.reg, offset);
    next(cpu, bus, rest)
}

/// LES, LDS, LSS, LFS, LGS: `imm` is the segment register.
fn load_pointer<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let at = AnyAddress::offset(cpu, op);
    let offset = attempt!(cpu, bus, op, cpu.load::<B, W>(bus, op.seg, at));
    let at = cpu.pointer_step(at, W::BYTES, op.mode == Mode::Wide);
    let selector = attempt!(cpu, bus, op, cpu.load::<B, Word>(bus, op.seg, at));
    W::set(cpu, op.reg, offset);
    cpu.regs.seg[segment(op.imm as usize) as usize] = selector as u16;
    next(cpu, bus, rest)
}

fn xlat<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let al = cpu.regs.gpr[0] & 0xFF;
    let mut at = cpu.regs.gpr[3].wrapping_add(al);
    if op.mode != Mode::Wide {
        at &= 0xFFFF;
    }
    let value = attempt!(cpu, bus, op, cpu.load::<B, Byte>(bus, op.seg, at));
    Byte::set(cpu, Reg::A, value);
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

/// MOV r/m, segment register (`imm`). A 32-bit register is zero-extended, memory always gets a word.
fn from_segment<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let value = u32::from(cpu.regs.seg[segment(op.imm as usize) as usize]);
    if op.mode == Mode::Register {
        W::set(cpu, op.rm, value);
        return next(cpu, bus, rest);
    }
    let at = AnyAddress::offset(cpu, op);
    attempt!(cpu, bus, op, cpu.store::<B, Word>(bus, op.seg, at, value));
    next_after_store(cpu, bus, op, rest)
}

/// MOV segment register (`imm`), r/m.
fn to_segment<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let value = attempt!(cpu, bus, op, Dynamic::value::<B, Word>(cpu, bus, op));
    let target = segment(op.imm as usize);
    cpu.regs.seg[target as usize] = value as u16;
    match target {
        // The next instruction (usually loading SP) is executed before any interrupt.
        Segment::Ss => {
            cpu.shadow = true;
            cpu.stop(op)
        }
        Segment::Cs => cpu.stop(op),
        _ => next(cpu, bus, rest),
    }
}

fn mov_forms<B: Bus, W: Size>(form: Form) -> Handler<B> {
    match form {
        Form::RmImm(Mode::Register) => mov::<B, W, RmRegister, Immediate>,
        Form::RmImm(Mode::Absolute) => mov::<B, W, Memory<Absolute>, Immediate>,
        Form::RmImm(Mode::Based) => mov::<B, W, Memory<Based>, Immediate>,
        Form::RmImm(_) => mov::<B, W, Memory<AnyAddress>, Immediate>,
        Form::RmReg(Mode::Register) => mov::<B, W, RmRegister, Register>,
        Form::RmReg(Mode::Absolute) => mov::<B, W, Memory<Absolute>, Register>,
        Form::RmReg(Mode::Based) => mov::<B, W, Memory<Based>, Register>,
        Form::RmReg(_) => mov::<B, W, Memory<AnyAddress>, Register>,
        Form::RegRm(Mode::Register) => mov::<B, W, Register, RmRegister>,
        Form::RegRm(Mode::Absolute) => mov::<B, W, Register, Memory<Absolute>>,
        Form::RegRm(Mode::Based) => mov::<B, W, Register, Memory<Based>>,
        Form::RegRm(_) => mov::<B, W, Register, Memory<AnyAddress>>,
    }
}

/// The handler of MOV between general registers, memory and immediates.
pub(in crate::cpu) fn select_mov<B: Bus>(operands: &Operands) -> Handler<B> {
    by_size!(operands.size, |W| mov_forms::<B, W>(operands.form))
}

/// The handler of MOV with an immediate that is read anew each time.
pub(in crate::cpu) fn select_live<B: Bus, W: Size>(mode: Mode) -> Handler<B> {
    match mode {
        Mode::Register => mov::<B, W, RmRegister, Live<W>>,
        _ => mov::<B, W, Memory<AnyAddress>, Live<W>>,
    }
}

/// The handler of XCHG.
pub(in crate::cpu) fn select_xchg<B: Bus>(operands: &Operands) -> Handler<B> {
    by_size!(operands.size, |W| match operands.form.mode() {
        Mode::Register => xchg::<B, W, RmRegister>,
        _ => xchg::<B, W, Memory<AnyAddress>>,
    })
}

/// The handler of MOV to or from a segment register.
pub(in crate::cpu) fn select_segment<B: Bus>(operands: &Operands, to: bool) -> Handler<B> {
    match (to, operands.size) {
        (true, _) => to_segment::<B>,
        (false, 4) => from_segment::<B, Dword>,
        (false, _) => from_segment::<B, Word>,
    }
}

/// The handler of MOVZX or MOVSX from `from` bytes to `operands.size`.
pub(in crate::cpu) fn select_extend<B: Bus>(operands: &Operands, from: u32, signed: bool) -> Handler<B> {
    match (from, operands.size, signed) {
        (1, 2, false) => extend::<B, Byte, Word, false>,
        (1, _, false) => extend::<B, Byte, Dword, false>,
        (1, 2, true) => extend::<B, Byte, Word, true>,
        (1, _, true) => extend::<B, Byte, Dword, true>,
        (_, 2, _) => extend::<B, Word, Word, false>,
        (_, _, false) => extend::<B, Word, Dword, false>,
        (_, _, true) => extend::<B, Word, Dword, true>,
    }
}

/// The handler of the family's other instructions.
pub(in crate::cpu) fn select_other<B: Bus>(mnemonic: Mnemonic, operands: &Operands) -> Handler<B> {
    let wide = operands.size == 4;
    match mnemonic {
        Mnemonic::Lea if wide => lea::<B, Dword>,
        Mnemonic::Lea => lea::<B, Word>,
        Mnemonic::Xlatb => xlat::<B>,
        Mnemonic::Cbw => extend_accumulator::<B, Byte, Word>,
        Mnemonic::Cwde => extend_accumulator::<B, Word, Dword>,
        Mnemonic::Cwd => sign_to_d::<B, Word>,
        Mnemonic::Cdq => sign_to_d::<B, Dword>,
        _ if wide => load_pointer::<B, Dword>,
        _ => load_pointer::<B, Word>,
    }
}
