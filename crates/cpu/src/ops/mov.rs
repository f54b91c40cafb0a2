//! MOV between general registers, memory and immediates; XCHG, LEA and XLAT.

use iced_x86::{Mnemonic, Register as R};

use super::attempt;
use crate::bus::Bus;
use crate::decoded::{Decoded, Variant};
use crate::form::{Form, resolve_memory};
use crate::op::{Flow, Handler, Mode, RemainingOps, next, next_after_store};
use crate::operand::*;
use crate::registers::Reg;
use crate::size::{Byte, Size, by_operands, by_width};
use crate::state::Cpu;

fn mov<B: Bus, W: Size, D: Place, S: Source>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let at = D::locate(cpu, op);
    if let Some(value) = S::fast_value::<B, W>(cpu, bus, op)
        && D::fast_set::<B, W>(cpu, bus, op, at, value)
    {
        return next(cpu, bus, op, rest);
    }
    mov_beside_code::<B, W, D, S>(cpu, bus, ops)
}

/// Like [`mov`] near decoded code: programs have variables there, and some patch immediates.
#[inline(never)]
fn mov_beside_code<B: Bus, W: Size, D: Place, S: Source>(
    cpu: &mut Cpu,
    bus: &mut B,
    ops: RemainingOps<B>,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let at = D::locate(cpu, op);
    if let Some(value) = S::fast_value::<B, W>(cpu, bus, op)
        && D::set_beside_code::<B, W>(cpu, bus, op, at, value)
    {
        return next(cpu, bus, op, rest);
    }
    slow_mov::<B, W, D, S>(cpu, bus, ops)
}

/// Like [`mov`] for special memory, faults, and writes to decoded code.
#[cold]
#[inline(never)]
fn slow_mov<B: Bus, W: Size, D: Place, S: Source>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = attempt!(cpu, bus, op, S::value::<B, W>(cpu, bus, op));
    let at = D::locate(cpu, op);
    attempt!(cpu, bus, op, D::set::<B, W>(cpu, bus, op, at, value));
    if D::MEMORY { next_after_store(cpu, bus, op, rest) } else { next(cpu, bus, op, rest) }
}

fn xchg<B: Bus, W: Size, D: Place>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let at = D::locate(cpu, op);
    let ours = W::get(&cpu.regs.gpr, op.reg);
    if let Some(theirs) = D::fast_get::<B, W>(cpu, bus, op, at)
        && D::fast_set::<B, W>(cpu, bus, op, at, ours)
    {
        W::set(cpu, op.reg, theirs);
        return next(cpu, bus, op, rest);
    }
    slow_xchg::<B, W, D>(cpu, bus, ops)
}

#[cold]
#[inline(never)]
fn slow_xchg<B: Bus, W: Size, D: Place>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let at = D::locate(cpu, op);
    let theirs = attempt!(cpu, bus, op, D::get::<B, W>(cpu, bus, op, at));
    let ours = W::get(&cpu.regs.gpr, op.reg);
    attempt!(cpu, bus, op, D::set::<B, W>(cpu, bus, op, at, ours));
    W::set(cpu, op.reg, theirs);
    if D::MEMORY { next_after_store(cpu, bus, op, rest) } else { next(cpu, bus, op, rest) }
}

fn lea<B: Bus, W: Size, A: Address>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let offset = A::offset(cpu, op);
    W::set(cpu, op.reg, offset);
    next(cpu, bus, op, rest)
}

fn xlat<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let al = cpu.regs.gpr[0] & 0xFF;
    let mut at = cpu.regs.gpr[3].wrapping_add(al);
    if op.mode != Mode::Wide {
        at &= 0xFFFF;
    }
    let value = attempt!(cpu, bus, op, cpu.load::<B, Byte>(bus, op.seg, at));
    Byte::set(cpu, Reg::A, value);
    next(cpu, bus, op, rest)
}

fn mov_forms<B: Bus, W: Size>(form: Form) -> Handler<B> {
    match form {
        Form::RmImm(Mode::Register) => mov::<B, W, RmRegister, Immediate>,
        Form::RmImm(Mode::Absolute) => mov::<B, W, Memory<Absolute>, Immediate>,
        Form::RmImm(Mode::Based) => mov::<B, W, Memory<Based>, Immediate>,
        Form::RmImm(Mode::Indexed) => mov::<B, W, Memory<Indexed>, Immediate>,
        Form::RmImm(_) => mov::<B, W, Memory<AnyAddress>, Immediate>,
        Form::RmReg(Mode::Register) => mov::<B, W, RmRegister, Register>,
        Form::RmReg(Mode::Absolute) => mov::<B, W, Memory<Absolute>, Register>,
        Form::RmReg(Mode::Based) => mov::<B, W, Memory<Based>, Register>,
        Form::RmReg(Mode::Indexed) => mov::<B, W, Memory<Indexed>, Register>,
        Form::RmReg(_) => mov::<B, W, Memory<AnyAddress>, Register>,
        Form::RegRm(Mode::Register) => mov::<B, W, Register, RmRegister>,
        Form::RegRm(Mode::Absolute) => mov::<B, W, Register, Memory<Absolute>>,
        Form::RegRm(Mode::Based) => mov::<B, W, Register, Memory<Based>>,
        Form::RegRm(Mode::Indexed) => mov::<B, W, Register, Memory<Indexed>>,
        Form::RegRm(_) => mov::<B, W, Register, Memory<AnyAddress>>,
    }
}

fn xchg_forms<B: Bus, W: Size>(mode: Mode) -> Handler<B> {
    match mode {
        Mode::Register => xchg::<B, W, RmRegister>,
        _ => xchg::<B, W, Memory<AnyAddress>>,
    }
}

pub(crate) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    let form = decoded.operands.form;
    decoded.effect.may_stop = !decoded.is_on_registers();
    match decoded.mnemonic() {
        Mnemonic::Mov => {
            decoded.run = by_operands!(decoded, |W| mov_forms::<B, W>(form));
            decoded.variants = Some(variant::<B>);
        }
        Mnemonic::Xchg => {
            decoded.run = by_operands!(decoded, |W| xchg_forms::<B, W>(form.mode()));
        }
        Mnemonic::Lea => {
            decoded.run = by_width!(decoded.is_wide(), |W| match form.mode() {
                Mode::Based => lea::<B, W, Based>,
                Mode::Indexed => lea::<B, W, Indexed>,
                _ => lea::<B, W, AnyAddress>,
            });
            decoded.effect.may_stop = false;
        }
        Mnemonic::Xlatb => {
            resolve_memory(&mut decoded.op, &decoded.instruction);
            let is_wide = decoded.instruction.memory_base() == R::EBX;
            decoded.op.mode = if is_wide { Mode::Wide } else { Mode::Based };
            decoded.run = xlat::<B>;
            decoded.effect.may_stop = true;
        }
        _ => return None,
    }
    Some(())
}

/// Returns the handler of MOV in a special context.
fn variant<B: Bus>(decoded: &Decoded<B>, variant: Variant) -> Option<Handler<B>> {
    let form = decoded.operands.form;
    match (variant, form) {
        (Variant::Live { extended: false }, Form::RmImm(mode)) => {
            Some(by_operands!(decoded, |W| match mode {
                Mode::Register => mov::<B, W, RmRegister, Live<W>>,
                _ => mov::<B, W, Memory<AnyAddress>, Live<W>>,
            }))
        }
        (Variant::Device, _) => by_operands!(decoded, |W| device_forms::<B, W>(form)),
        _ => None,
    }
}

/// MOV to device memory.
fn mov_to_device<B: Bus, W: Size, A: Address, S: Source>(
    cpu: &mut Cpu,
    bus: &mut B,
    ops: RemainingOps<B>,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let at = A::offset(cpu, op);
    if let Some(value) = S::fast_value::<B, W>(cpu, bus, op)
        && cpu.device_store::<B, W>(bus, op.seg, at, value)
    {
        return next(cpu, bus, op, rest);
    }
    slow_mov::<B, W, Memory<A>, S>(cpu, bus, ops)
}

/// MOV from device memory.
fn mov_from_device<B: Bus, W: Size, A: Address>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let at = A::offset(cpu, op);
    if let Some(value) = cpu.device_load::<B, W>(bus, op.seg, at) {
        W::set(cpu, op.reg, value);
        return next(cpu, bus, op, rest);
    }
    slow_mov::<B, W, Register, Memory<A>>(cpu, bus, ops)
}

/// Returns the handlers that try device memory first.
fn device_forms<B: Bus, W: Size>(form: Form) -> Option<Handler<B>> {
    Some(match form {
        Form::RmImm(Mode::Register) | Form::RmReg(Mode::Register) | Form::RegRm(Mode::Register) => {
            return None;
        }
        Form::RmImm(Mode::Based) => mov_to_device::<B, W, Based, Immediate>,
        Form::RmImm(_) => mov_to_device::<B, W, AnyAddress, Immediate>,
        Form::RmReg(Mode::Based) => mov_to_device::<B, W, Based, Register>,
        Form::RmReg(_) => mov_to_device::<B, W, AnyAddress, Register>,
        Form::RegRm(Mode::Based) => mov_from_device::<B, W, Based>,
        Form::RegRm(_) => mov_from_device::<B, W, AnyAddress>,
    })
}
