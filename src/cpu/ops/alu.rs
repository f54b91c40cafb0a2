//! ADD, OR, ADC, SBB, AND, SUB, XOR, CMP, TEST; INC, DEC, NOT, NEG; and CMP, TEST, DEC fused with the Jcc behind.

use iced_x86::Mnemonic;

use super::super::Cpu;
use super::super::alu::*;
use super::super::block::{Flow, Handler, Op, next, next_after_store};
use super::super::bus::Bus;
use super::super::decode::{Form, Operands};
use super::super::operand::*;
use super::{attempt, by_size};

/// `FLAGS` is false where nothing looks at the flags before they are set again.
fn binary<B: Bus, O: Binary, W: Size, D: Place, S: Source, const FLAGS: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    rest: &[Op<B>],
) -> Flow {
    let at = D::locate(cpu, op);
    if let (Some(a), Some(b)) = (D::quick_get::<B, W>(cpu, bus, op, at), S::quick_value::<B, W>(cpu, bus, op))
    {
        let (value, status) = O::apply::<W>(a, b, cpu.status.carry);
        if !O::WRITES || D::quick_set::<B, W>(cpu, bus, op, at, value) {
            if FLAGS {
                cpu.status = status;
            }
            return next(cpu, bus, rest);
        }
    }
    careful_binary::<B, O, W, D, S>(cpu, bus, op, rest)
}

/// The same where an operand is in special memory, faults, or is near decoded code.
#[cold]
#[inline(never)]
fn careful_binary<B: Bus, O: Binary, W: Size, D: Place, S: Source>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    rest: &[Op<B>],
) -> Flow {
    let b = attempt!(cpu, bus, op, S::value::<B, W>(cpu, bus, op));
    let at = D::locate(cpu, op);
    let a = attempt!(cpu, bus, op, D::get::<B, W>(cpu, bus, op, at));
    let (value, status) = O::apply::<W>(a, b, cpu.status.carry);
    if O::WRITES {
        attempt!(cpu, bus, op, D::set::<B, W>(cpu, bus, op, at, value));
    }
    cpu.status = status;
    if O::WRITES && D::MEMORY { next_after_store(cpu, bus, op, rest) } else { next(cpu, bus, rest) }
}

fn unary<B: Bus, O: Unary, W: Size, D: Place, const FLAGS: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    rest: &[Op<B>],
) -> Flow {
    let at = D::locate(cpu, op);
    if let Some(a) = D::quick_get::<B, W>(cpu, bus, op, at) {
        let (value, status) = O::apply::<W>(a, cpu.status);
        if D::quick_set::<B, W>(cpu, bus, op, at, value) {
            if FLAGS {
                cpu.status = status;
            }
            return next(cpu, bus, rest);
        }
    }
    careful_unary::<B, O, W, D>(cpu, bus, op, rest)
}

#[cold]
#[inline(never)]
fn careful_unary<B: Bus, O: Unary, W: Size, D: Place>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    rest: &[Op<B>],
) -> Flow {
    let at = D::locate(cpu, op);
    let a = attempt!(cpu, bus, op, D::get::<B, W>(cpu, bus, op, at));
    let (value, status) = O::apply::<W>(a, cpu.status);
    attempt!(cpu, bus, op, D::set::<B, W>(cpu, bus, op, at, value));
    cpu.status = status;
    if D::MEMORY { next_after_store(cpu, bus, op, rest) } else { next(cpu, bus, rest) }
}

/// CMP or TEST and the conditional jump behind it, as one operation.
fn compare_and_branch<B: Bus, O: Binary, W: Size, D: Place, S: Source, const CONDITION: u8>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    rest: &[Op<B>],
) -> Flow {
    let at = D::locate(cpu, op);
    if let (Some(a), Some(b)) = (D::quick_get::<B, W>(cpu, bus, op, at), S::quick_value::<B, W>(cpu, bus, op))
    {
        let (_, status) = O::apply::<W>(a, b, 0);
        cpu.status = status;
        return if status.condition(CONDITION) { Flow::Taken } else { Flow::Fall };
    }
    careful_compare::<B, O, W, D, S, CONDITION>(cpu, bus, op, rest)
}

#[cold]
#[inline(never)]
fn careful_compare<B: Bus, O: Binary, W: Size, D: Place, S: Source, const CONDITION: u8>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    _: &[Op<B>],
) -> Flow {
    let b = attempt!(cpu, bus, op, S::value::<B, W>(cpu, bus, op));
    let at = D::locate(cpu, op);
    let a = attempt!(cpu, bus, op, D::get::<B, W>(cpu, bus, op, at));
    let (_, status) = O::apply::<W>(a, b, 0);
    cpu.status = status;
    if status.condition(CONDITION) { Flow::Taken } else { Flow::Fall }
}

/// INC or DEC of a register and the conditional jump behind it.
fn count_and_branch<B: Bus, O: Unary, W: Size, const CONDITION: u8>(
    cpu: &mut Cpu,
    _: &mut B,
    op: &Op<B>,
    _: &[Op<B>],
) -> Flow {
    let (value, status) = O::apply::<W>(W::get(&cpu.regs.gpr, op.rm), cpu.status);
    W::set(cpu, op.rm, value);
    cpu.status = status;
    if status.condition(CONDITION) { Flow::Taken } else { Flow::Fall }
}

fn binary_forms<B: Bus, O: Binary, W: Size>(form: Form) -> Handler<B> {
    match form {
        Form::RmImm(Mode::Register) => binary::<B, O, W, RmRegister, Immediate, true>,
        Form::RmImm(Mode::Absolute) => binary::<B, O, W, Memory<Absolute>, Immediate, true>,
        Form::RmImm(Mode::Based) => binary::<B, O, W, Memory<Based>, Immediate, true>,
        Form::RmImm(_) => binary::<B, O, W, Memory<AnyAddress>, Immediate, true>,
        Form::RmReg(Mode::Register) => binary::<B, O, W, RmRegister, Register, true>,
        Form::RmReg(Mode::Absolute) => binary::<B, O, W, Memory<Absolute>, Register, true>,
        Form::RmReg(Mode::Based) => binary::<B, O, W, Memory<Based>, Register, true>,
        Form::RmReg(_) => binary::<B, O, W, Memory<AnyAddress>, Register, true>,
        Form::RegRm(Mode::Register) => binary::<B, O, W, Register, RmRegister, true>,
        Form::RegRm(Mode::Absolute) => binary::<B, O, W, Register, Memory<Absolute>, true>,
        Form::RegRm(Mode::Based) => binary::<B, O, W, Register, Memory<Based>, true>,
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

/// The handler that leaves the flags alone, for instructions that write a register.
pub(in crate::cpu) fn select_quiet<B: Bus>(mnemonic: Mnemonic, operands: &Operands) -> Option<Handler<B>> {
    let form = operands.form;
    by_size!(operands.size, |W| match mnemonic {
        Mnemonic::Add => quiet_binary_forms::<B, Add, W>(form),
        Mnemonic::Or => quiet_binary_forms::<B, Or, W>(form),
        Mnemonic::And => quiet_binary_forms::<B, And, W>(form),
        Mnemonic::Sub => quiet_binary_forms::<B, Sub, W>(form),
        Mnemonic::Xor => quiet_binary_forms::<B, Xor, W>(form),
        Mnemonic::Inc if form.mode() == Mode::Register => Some(unary::<B, Inc, W, RmRegister, false>),
        Mnemonic::Dec if form.mode() == Mode::Register => Some(unary::<B, Dec, W, RmRegister, false>),
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

/// The handler of an instruction with an immediate that is read anew each time; `extended` if it is a byte that is
/// extended to the operand size.
pub(in crate::cpu) fn select_live<B: Bus>(
    mnemonic: Mnemonic,
    operands: &Operands,
    extended: bool,
) -> Option<Handler<B>> {
    let Form::RmImm(mode) = operands.form else { return None };
    Some(by_size!(operands.size, |W| match mnemonic {
        Mnemonic::Add => live_forms::<B, Add, W>(mode, extended),
        Mnemonic::Or => live_forms::<B, Or, W>(mode, extended),
        Mnemonic::Adc => live_forms::<B, Adc, W>(mode, extended),
        Mnemonic::Sbb => live_forms::<B, Sbb, W>(mode, extended),
        Mnemonic::And => live_forms::<B, And, W>(mode, extended),
        Mnemonic::Sub => live_forms::<B, Sub, W>(mode, extended),
        Mnemonic::Xor => live_forms::<B, Xor, W>(mode, extended),
        Mnemonic::Cmp => live_forms::<B, Cmp, W>(mode, extended),
        Mnemonic::Test => live_forms::<B, Test, W>(mode, extended),
        Mnemonic::Mov if !extended => super::mov::select_live::<B, W>(mode),
        _ => return None,
    }))
}

/// The handler of a two-operand instruction.
pub(in crate::cpu) fn select_binary<B: Bus>(mnemonic: Mnemonic, operands: &Operands) -> Handler<B> {
    let form = operands.form;
    by_size!(operands.size, |W| match mnemonic {
        Mnemonic::Add => binary_forms::<B, Add, W>(form),
        Mnemonic::Or => binary_forms::<B, Or, W>(form),
        Mnemonic::Adc => binary_forms::<B, Adc, W>(form),
        Mnemonic::Sbb => binary_forms::<B, Sbb, W>(form),
        Mnemonic::And => binary_forms::<B, And, W>(form),
        Mnemonic::Sub => binary_forms::<B, Sub, W>(form),
        Mnemonic::Xor => binary_forms::<B, Xor, W>(form),
        Mnemonic::Cmp => binary_forms::<B, Cmp, W>(form),
        _ => binary_forms::<B, Test, W>(form),
    })
}

/// The handler of a one-operand instruction.
pub(in crate::cpu) fn select_unary<B: Bus>(mnemonic: Mnemonic, operands: &Operands) -> Handler<B> {
    let mode = operands.form.mode();
    by_size!(operands.size, |W| match mnemonic {
        Mnemonic::Inc => unary_forms::<B, Inc, W>(mode),
        Mnemonic::Dec => unary_forms::<B, Dec, W>(mode),
        Mnemonic::Neg => unary_forms::<B, Neg, W>(mode),
        _ => unary_forms::<B, Not, W>(mode),
    })
}

/// A generic function's instance for a condition known only now.
macro_rules! by_condition {
    ($condition:expr, $handler:ident::<$($t:ty),*>) => {
        match $condition & 15 {
            0 => $handler::<$($t),*, 0>,
            1 => $handler::<$($t),*, 1>,
            2 => $handler::<$($t),*, 2>,
            3 => $handler::<$($t),*, 3>,
            4 => $handler::<$($t),*, 4>,
            5 => $handler::<$($t),*, 5>,
            6 => $handler::<$($t),*, 6>,
            7 => $handler::<$($t),*, 7>,
            8 => $handler::<$($t),*, 8>,
            9 => $handler::<$($t),*, 9>,
            10 => $handler::<$($t),*, 10>,
            11 => $handler::<$($t),*, 11>,
            12 => $handler::<$($t),*, 12>,
            13 => $handler::<$($t),*, 13>,
            14 => $handler::<$($t),*, 14>,
            _ => $handler::<$($t),*, 15>,
        }
    };
}
pub(super) use by_condition;

/// The handler of the pair `mnemonic` and Jcc, if there is one.
pub(in crate::cpu) fn select_fused<B: Bus>(
    mnemonic: Mnemonic,
    operands: &Operands,
    condition: u8,
) -> Option<Handler<B>> {
    Some(by_size!(operands.size, |W| match (mnemonic, operands.form) {
        (Mnemonic::Cmp, Form::RmImm(Mode::Register)) =>
            by_condition!(condition, compare_and_branch::<B, Cmp, W, RmRegister, Immediate>),
        (Mnemonic::Cmp, Form::RmImm(_)) =>
            by_condition!(condition, compare_and_branch::<B, Cmp, W, Memory<AnyAddress>, Immediate>),
        (Mnemonic::Cmp, Form::RmReg(Mode::Register)) =>
            by_condition!(condition, compare_and_branch::<B, Cmp, W, RmRegister, Register>),
        (Mnemonic::Cmp, Form::RegRm(Mode::Register)) =>
            by_condition!(condition, compare_and_branch::<B, Cmp, W, Register, RmRegister>),
        (Mnemonic::Cmp, Form::RegRm(_)) =>
            by_condition!(condition, compare_and_branch::<B, Cmp, W, Register, Memory<AnyAddress>>),
        (Mnemonic::Test, Form::RmReg(Mode::Register)) =>
            by_condition!(condition, compare_and_branch::<B, Test, W, RmRegister, Register>),
        (Mnemonic::Test, Form::RmImm(Mode::Register)) =>
            by_condition!(condition, compare_and_branch::<B, Test, W, RmRegister, Immediate>),
        (Mnemonic::Dec, form) if form.mode() == Mode::Register =>
            by_condition!(condition, count_and_branch::<B, Dec, W>),
        (Mnemonic::Inc, form) if form.mode() == Mode::Register =>
            by_condition!(condition, count_and_branch::<B, Inc, W>),
        _ => return None,
    }))
}
