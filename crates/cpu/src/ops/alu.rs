//! ADD, OR, ADC, SBB, AND, SUB, XOR, CMP, TEST; INC, DEC, NOT, NEG; and CMP, TEST, DEC fused with a
//! following Jcc.

use iced_x86::Mnemonic;

use super::{attempt, by_condition};
use crate::alu::*;
use crate::bus::Bus;
use crate::decoded::{Decoded, Variant};
use crate::form::Form;
use crate::op::{Flow, Handler, Mode, RemainingOps, branch, next, next_after_store};
use crate::operand::*;
use crate::size::{Byte, Size, by_operands};
use crate::state::Cpu;
use crate::status::Status;

/// A two-operand instruction. `FLAGS` is false if the flags are dead.
fn binary<B: Bus, O: Binary, W: Size, D: Place, S: Source, const FLAGS: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    ops: RemainingOps<B>,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let at = D::locate(cpu, op);
    if let (Some(a), Some(b)) = (D::fast_get::<B, W>(cpu, bus, op, at), S::fast_value::<B, W>(cpu, bus, op)) {
        let (value, status) = O::apply::<W>(a, b, cpu.status.cf());
        if !O::WRITES || D::fast_set::<B, W>(cpu, bus, op, at, value) {
            if FLAGS {
                cpu.status = status;
            }
            return next(cpu, bus, op, rest);
        }
    }
    slow_binary::<B, W, D, S>(cpu, bus, ops, O::apply::<W>, O::WRITES)
}

/// Like [`binary`] for special memory, faults, and writes near decoded code. The arithmetic is an
/// argument, because an instance per operation would only lengthen the build.
#[cold]
#[inline(never)]
fn slow_binary<B: Bus, W: Size, D: Place, S: Source>(
    cpu: &mut Cpu,
    bus: &mut B,
    ops: RemainingOps<B>,
    apply: fn(u32, u32, bool) -> (u32, Status),
    writes: bool,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let b = attempt!(cpu, bus, op, S::value::<B, W>(cpu, bus, op));
    let at = D::locate(cpu, op);
    let a = attempt!(cpu, bus, op, D::get::<B, W>(cpu, bus, op, at));
    let (value, status) = apply(a, b, cpu.status.cf());
    if writes {
        attempt!(cpu, bus, op, D::set::<B, W>(cpu, bus, op, at, value));
    }
    cpu.status = status;
    if writes && D::MEMORY { next_after_store(cpu, bus, op, rest) } else { next(cpu, bus, op, rest) }
}

fn unary<B: Bus, O: Unary, W: Size, D: Place, const FLAGS: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    ops: RemainingOps<B>,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let at = D::locate(cpu, op);
    if let Some(a) = D::fast_get::<B, W>(cpu, bus, op, at) {
        let (value, status) = O::apply::<W>(a, cpu.status);
        if D::fast_set::<B, W>(cpu, bus, op, at, value) {
            if FLAGS {
                cpu.status = status;
            }
            return next(cpu, bus, op, rest);
        }
    }
    slow_unary::<B, O, W, D>(cpu, bus, ops)
}

#[cold]
#[inline(never)]
fn slow_unary<B: Bus, O: Unary, W: Size, D: Place>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let at = D::locate(cpu, op);
    let a = attempt!(cpu, bus, op, D::get::<B, W>(cpu, bus, op, at));
    let (value, status) = O::apply::<W>(a, cpu.status);
    attempt!(cpu, bus, op, D::set::<B, W>(cpu, bus, op, at, value));
    cpu.status = status;
    if D::MEMORY { next_after_store(cpu, bus, op, rest) } else { next(cpu, bus, op, rest) }
}

/// A two-operand instruction and the following conditional jump as one operation.
fn binary_and_branch<B: Bus, O: Binary, W: Size, D: Place, S: Source, const CONDITION: u8>(
    cpu: &mut Cpu,
    bus: &mut B,
    ops: RemainingOps<B>,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let at = D::locate(cpu, op);
    if let (Some(a), Some(b)) = (D::fast_get::<B, W>(cpu, bus, op, at), S::fast_value::<B, W>(cpu, bus, op)) {
        let (value, status) = O::apply::<W>(a, b, cpu.status.cf());
        if !O::WRITES || D::fast_set::<B, W>(cpu, bus, op, at, value) {
            cpu.status = status;
            return branch(cpu, bus, op, rest, status.condition(CONDITION));
        }
    }
    slow_compare::<B, O, W, D, S>(cpu, bus, ops, CONDITION)
}

/// CMP or TEST on special memory, or with a fault. Other operations are fused on registers only.
#[cold]
#[inline(never)]
fn slow_compare<B: Bus, O: Binary, W: Size, D: Place, S: Source>(
    cpu: &mut Cpu,
    bus: &mut B,
    ops: RemainingOps<B>,
    condition: u8,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let b = attempt!(cpu, bus, op, S::value::<B, W>(cpu, bus, op));
    let at = D::locate(cpu, op);
    let a = attempt!(cpu, bus, op, D::get::<B, W>(cpu, bus, op, at));
    let (_, status) = O::apply::<W>(a, b, cpu.status.cf());
    cpu.status = status;
    branch(cpu, bus, op, rest, status.condition(condition))
}

/// INC or DEC of a register and the following conditional jump.
fn count_and_branch<B: Bus, O: Unary, W: Size, const CONDITION: u8>(
    cpu: &mut Cpu,
    bus: &mut B,
    ops: RemainingOps<B>,
) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let (value, status) = O::apply::<W>(W::get(&cpu.regs.gpr, op.rm), cpu.status);
    W::set(cpu, op.rm, value);
    cpu.status = status;
    branch(cpu, bus, op, rest, status.condition(CONDITION))
}

pub(crate) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    let form = decoded.operands.form;
    let mode = form.mode();
    decoded.run = by_operands!(decoded, |W| match decoded.mnemonic() {
        Mnemonic::Add => binary_forms::<B, Add, W>(form),
        Mnemonic::Or => binary_forms::<B, Or, W>(form),
        Mnemonic::Adc => binary_forms::<B, Adc, W>(form),
        Mnemonic::Sbb => binary_forms::<B, Sbb, W>(form),
        Mnemonic::And => binary_forms::<B, And, W>(form),
        Mnemonic::Sub => binary_forms::<B, Sub, W>(form),
        Mnemonic::Xor => binary_forms::<B, Xor, W>(form),
        Mnemonic::Cmp => binary_forms::<B, Cmp, W>(form),
        Mnemonic::Test => binary_forms::<B, Test, W>(form),
        Mnemonic::Inc => unary_forms::<B, Inc, W>(mode),
        Mnemonic::Dec => unary_forms::<B, Dec, W>(mode),
        Mnemonic::Neg => unary_forms::<B, Neg, W>(mode),
        Mnemonic::Not => unary_forms::<B, Not, W>(mode),
        _ => return None,
    });
    decoded.effect.may_stop = !decoded.is_on_registers();
    decoded.variants = Some(variant::<B>);
    Some(())
}

fn variant<B: Bus>(decoded: &Decoded<B>, variant: Variant) -> Option<Handler<B>> {
    match variant {
        Variant::Quiet => quiet(decoded),
        Variant::Fused(condition) => fused(decoded, condition),
        Variant::Live { extended } => live(decoded, extended),
        Variant::Device | Variant::Through => None,
    }
}

fn binary_forms<B: Bus, O: Binary, W: Size>(form: Form) -> Handler<B> {
    match form {
        Form::RmImm(Mode::Register) => binary::<B, O, W, RmRegister, Immediate, true>,
        Form::RmImm(Mode::Absolute) => binary::<B, O, W, Memory<Absolute>, Immediate, true>,
        Form::RmImm(Mode::Based) => binary::<B, O, W, Memory<Based>, Immediate, true>,
        Form::RmImm(Mode::Indexed) => binary::<B, O, W, Memory<Indexed>, Immediate, true>,
        Form::RmImm(_) => binary::<B, O, W, Memory<AnyAddress>, Immediate, true>,
        Form::RmReg(Mode::Register) => binary::<B, O, W, RmRegister, Register, true>,
        Form::RmReg(Mode::Absolute) => binary::<B, O, W, Memory<Absolute>, Register, true>,
        Form::RmReg(Mode::Based) => binary::<B, O, W, Memory<Based>, Register, true>,
        Form::RmReg(Mode::Indexed) => binary::<B, O, W, Memory<Indexed>, Register, true>,
        Form::RmReg(_) => binary::<B, O, W, Memory<AnyAddress>, Register, true>,
        Form::RegRm(Mode::Register) => binary::<B, O, W, Register, RmRegister, true>,
        Form::RegRm(Mode::Absolute) => binary::<B, O, W, Register, Memory<Absolute>, true>,
        Form::RegRm(Mode::Based) => binary::<B, O, W, Register, Memory<Based>, true>,
        Form::RegRm(Mode::Indexed) => binary::<B, O, W, Register, Memory<Indexed>, true>,
        Form::RegRm(_) => binary::<B, O, W, Register, Memory<AnyAddress>, true>,
    }
}

fn unary_forms<B: Bus, O: Unary, W: Size>(mode: Mode) -> Handler<B> {
    match mode {
        Mode::Register => unary::<B, O, W, RmRegister, true>,
        _ => unary::<B, O, W, Memory<AnyAddress>, true>,
    }
}

fn quiet_binary_forms<B: Bus, O: Binary, W: Size>(form: Form) -> Option<Handler<B>> {
    Some(match form {
        Form::RmImm(Mode::Register) => binary::<B, O, W, RmRegister, Immediate, false>,
        Form::RmReg(Mode::Register) => binary::<B, O, W, RmRegister, Register, false>,
        Form::RegRm(Mode::Register) => binary::<B, O, W, Register, RmRegister, false>,
        Form::RegRm(_) => binary::<B, O, W, Register, Memory<AnyAddress>, false>,
        _ => return None,
    })
}

/// Returns the handler that does not compute flags, for instructions that write a register.
fn quiet<B: Bus>(decoded: &Decoded<B>) -> Option<Handler<B>> {
    let form = decoded.operands.form;
    by_operands!(decoded, |W| match decoded.mnemonic() {
        Mnemonic::Add => quiet_binary_forms::<B, Add, W>(form),
        Mnemonic::Or => quiet_binary_forms::<B, Or, W>(form),
        Mnemonic::And => quiet_binary_forms::<B, And, W>(form),
        Mnemonic::Sub => quiet_binary_forms::<B, Sub, W>(form),
        Mnemonic::Xor => quiet_binary_forms::<B, Xor, W>(form),
        Mnemonic::Inc if decoded.is_on_registers() => Some(unary::<B, Inc, W, RmRegister, false>),
        Mnemonic::Dec if decoded.is_on_registers() => Some(unary::<B, Dec, W, RmRegister, false>),
        _ => None,
    })
}

fn live_forms<B: Bus, O: Binary, W: Size>(mode: Mode, extended: bool) -> Handler<B> {
    match (mode, extended) {
        (Mode::Register, false) => binary::<B, O, W, RmRegister, Live<W>, true>,
        (Mode::Register, true) => binary::<B, O, W, RmRegister, Live<Byte>, true>,
        (_, false) => binary::<B, O, W, Memory<AnyAddress>, Live<W>, true>,
        (_, true) => binary::<B, O, W, Memory<AnyAddress>, Live<Byte>, true>,
    }
}

/// Returns the handler that reads its immediate from memory.
fn live<B: Bus>(decoded: &Decoded<B>, extended: bool) -> Option<Handler<B>> {
    let Form::RmImm(mode) = decoded.operands.form else { return None };
    Some(by_operands!(decoded, |W| match decoded.mnemonic() {
        Mnemonic::Add => live_forms::<B, Add, W>(mode, extended),
        Mnemonic::Or => live_forms::<B, Or, W>(mode, extended),
        Mnemonic::Adc => live_forms::<B, Adc, W>(mode, extended),
        Mnemonic::Sbb => live_forms::<B, Sbb, W>(mode, extended),
        Mnemonic::And => live_forms::<B, And, W>(mode, extended),
        Mnemonic::Sub => live_forms::<B, Sub, W>(mode, extended),
        Mnemonic::Xor => live_forms::<B, Xor, W>(mode, extended),
        Mnemonic::Cmp => live_forms::<B, Cmp, W>(mode, extended),
        Mnemonic::Test => live_forms::<B, Test, W>(mode, extended),
        _ => return None,
    }))
}

/// Returns the handler of the instruction fused with the following Jcc, if there is one.
fn fused<B: Bus>(decoded: &Decoded<B>, condition: u8) -> Option<Handler<B>> {
    let form = decoded.operands.form;
    by_operands!(decoded, |W| match decoded.mnemonic() {
        Mnemonic::Cmp => Some(fused_cmp::<B, W>(form, condition)),
        Mnemonic::Test => fused_on_registers::<B, Test, W>(form, condition),
        Mnemonic::Or => fused_on_registers::<B, Or, W>(form, condition),
        Mnemonic::And => fused_on_registers::<B, And, W>(form, condition),
        Mnemonic::Dec if decoded.is_on_registers() =>
            Some(by_condition!(condition, count_and_branch::<B, Dec, W>)),
        Mnemonic::Inc if decoded.is_on_registers() =>
            Some(by_condition!(condition, count_and_branch::<B, Inc, W>)),
        _ => None,
    })
}

fn fused_cmp<B: Bus, W: Size>(form: Form, condition: u8) -> Handler<B> {
    match form {
        Form::RmImm(Mode::Register) => {
            by_condition!(condition, binary_and_branch::<B, Cmp, W, RmRegister, Immediate>)
        }
        Form::RmImm(Mode::Absolute) => {
            by_condition!(condition, binary_and_branch::<B, Cmp, W, Memory<Absolute>, Immediate>)
        }
        Form::RmImm(Mode::Based) => {
            by_condition!(condition, binary_and_branch::<B, Cmp, W, Memory<Based>, Immediate>)
        }
        Form::RmImm(_) => {
            by_condition!(condition, binary_and_branch::<B, Cmp, W, Memory<AnyAddress>, Immediate>)
        }
        Form::RmReg(Mode::Register) => {
            by_condition!(condition, binary_and_branch::<B, Cmp, W, RmRegister, Register>)
        }
        Form::RmReg(_) => {
            by_condition!(condition, binary_and_branch::<B, Cmp, W, Memory<AnyAddress>, Register>)
        }
        Form::RegRm(Mode::Register) => {
            by_condition!(condition, binary_and_branch::<B, Cmp, W, Register, RmRegister>)
        }
        Form::RegRm(_) => {
            by_condition!(condition, binary_and_branch::<B, Cmp, W, Register, Memory<AnyAddress>>)
        }
    }
}

/// Fuses logic instructions with a test for zero only, which is what mostly follows them.
fn fused_on_registers<B: Bus, O: Binary, W: Size>(form: Form, condition: u8) -> Option<Handler<B>> {
    const Z: u8 = 4;
    const NZ: u8 = 5;
    Some(match (form, condition) {
        (Form::RmImm(Mode::Register), Z) => binary_and_branch::<B, O, W, RmRegister, Immediate, Z>,
        (Form::RmImm(Mode::Register), NZ) => binary_and_branch::<B, O, W, RmRegister, Immediate, NZ>,
        (Form::RmReg(Mode::Register), Z) => binary_and_branch::<B, O, W, RmRegister, Register, Z>,
        (Form::RmReg(Mode::Register), NZ) => binary_and_branch::<B, O, W, RmRegister, Register, NZ>,
        (Form::RegRm(Mode::Register), Z) => binary_and_branch::<B, O, W, Register, RmRegister, Z>,
        (Form::RegRm(Mode::Register), NZ) => binary_and_branch::<B, O, W, Register, RmRegister, NZ>,
        _ => return None,
    })
}
