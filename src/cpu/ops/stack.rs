//! PUSH, POP, PUSHA, POPA, PUSHF, POPF, ENTER, LEAVE.

use super::super::Cpu;
use super::super::access::Fault;
use super::super::block::{Flow, Handler, Op, next, next_after_store};
use super::super::bus::Bus;
use super::super::decode::Operands;
use super::super::operand::*;
use super::super::registers::Segment;
use super::attempt;

fn push<B: Bus, W: Size, S: Source>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    if let Some(value) = S::quick_value::<B, W>(cpu, bus, op)
        && cpu.quick_push::<B, W>(bus, value)
    {
        return next(cpu, bus, rest);
    }
    careful_push::<B, W, S>(cpu, bus, op, rest)
}

#[cold]
#[inline(never)]
fn careful_push<B: Bus, W: Size, S: Source>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let value = attempt!(cpu, bus, op, S::value::<B, W>(cpu, bus, op));
    attempt!(cpu, bus, op, cpu.push::<B, W>(bus, value));
    next_after_store(cpu, bus, op, rest)
}

/// PUSH SP, whose value depends on the model.
fn push_sp<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let mut value = W::get(&cpu.regs.gpr, Reg::Sp);
    if cpu.model.pushes_sp_after() {
        value = value.wrapping_sub(2) & 0xFFFF;
    }
    attempt!(cpu, bus, op, cpu.push::<B, W>(bus, value));
    next_after_store(cpu, bus, op, rest)
}

/// PUSH of a segment register (`imm`).
fn push_segment<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let value = u32::from(cpu.regs.seg[segment(op.imm as usize) as usize]);
    // With 32-bit operands the 80386 moves SP by 4 but writes only the word.
    let sp = cpu.sp_moved(-(W::BYTES as i32));
    attempt!(cpu, bus, op, cpu.store::<B, Word>(bus, Segment::Ss, sp, value));
    cpu.set_sp(sp);
    next_after_store(cpu, bus, op, rest)
}

fn pop<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    if let Some(value) = cpu.quick_top::<B, W>(bus) {
        cpu.set_sp(cpu.sp_moved(W::BYTES as i32));
        W::set(cpu, op.rm, value);
        return next(cpu, bus, rest);
    }
    careful_pop::<B, W>(cpu, bus, op, rest)
}

#[cold]
#[inline(never)]
fn careful_pop<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let value = attempt!(cpu, bus, op, cpu.pop::<B, W>(bus));
    W::set(cpu, op.rm, value);
    next(cpu, bus, rest)
}

/// POP to memory: an address through ESP is computed after SP has moved, and SP stays moved if the store faults
/// (recorded on the 80286).
fn pop_memory<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let value = attempt!(cpu, bus, op, cpu.pop::<B, W>(bus));
    let at = AnyAddress::offset(cpu, op);
    attempt!(cpu, bus, op, cpu.store::<B, W>(bus, op.seg, at, value));
    next_after_store(cpu, bus, op, rest)
}

/// POP of a segment register (`imm`).
fn pop_segment<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let value = attempt!(cpu, bus, op, cpu.pop::<B, W>(bus));
    let target = segment(op.imm as usize);
    cpu.regs.seg[target as usize] = value as u16;
    match target {
        Segment::Ss => {
            cpu.shadow = true;
            cpu.stop(op)
        }
        Segment::Cs => cpu.stop(op),
        _ => next(cpu, bus, rest),
    }
}

/// PUSHA; nothing is written if one of the values would lie across the end of the segment.
fn pusha<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let values = Reg::ALL.map(|reg| W::get(&cpu.regs.gpr, reg));
    let overruns = |i: i32| cpu.overruns::<W>(cpu.sp_moved(-i * W::BYTES as i32));
    if (1..=values.len() as i32).any(overruns) {
        return cpu.fault(bus, op, Fault::overrun(cpu.model, Segment::Ss));
    }
    for value in values {
        attempt!(cpu, bus, op, cpu.push::<B, W>(bus, value));
    }
    next_after_store(cpu, bus, op, rest)
}

fn popa<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let mut values = [0; 8];
    for (i, value) in values.iter_mut().enumerate() {
        *value = attempt!(cpu, bus, op, cpu.peek::<B, W>(bus, i as u32 * W::BYTES));
    }
    for (reg, value) in Reg::ALL.into_iter().rev().zip(values) {
        if reg != Reg::Sp {
            W::set(cpu, reg, value);
        }
    }
    cpu.set_sp(cpu.sp_moved(8 * W::BYTES as i32));
    next(cpu, bus, rest)
}

fn pushf<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    // RF and VM are pushed as 0.
    let flags = cpu.flags_image() & 0xFFFC_FFFF & W::MASK;
    attempt!(cpu, bus, op, cpu.push::<B, W>(bus, flags));
    next_after_store(cpu, bus, op, rest)
}

fn popf<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, _: &[Op<B>]) -> Flow {
    let flags = attempt!(cpu, bus, op, cpu.pop::<B, W>(bus));
    cpu.load_flags(flags);
    // TF and IF must be looked at.
    cpu.stop(op)
}

/// ENTER: `imm` is the size of the frame, `target` the nesting level.
fn enter<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let (esp, ebp) = (cpu.regs.gpr[4], cpu.regs.gpr[5]);
    if let Err(fault) = build_frame::<B, W>(cpu, bus, op) {
        cpu.regs.gpr[4] = esp;
        cpu.regs.gpr[5] = ebp;
        return cpu.fault(bus, op, fault);
    }
    next_after_store(cpu, bus, op, rest)
}

fn build_frame<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>) -> Result<(), Fault> {
    let level = op.target & 31;
    cpu.push::<B, W>(bus, W::get(&cpu.regs.gpr, Reg::Bp))?;
    let frame = cpu.regs.gpr[4];
    let mut bp = cpu.regs.gpr[5];
    for _ in 1..level {
        bp = bp.wrapping_sub(W::BYTES);
        let display = cpu.load::<B, W>(bus, Segment::Ss, bp & 0xFFFF)?;
        cpu.push::<B, W>(bus, display)?;
    }
    if level > 0 {
        cpu.push::<B, W>(bus, frame & W::MASK)?;
    }
    W::set(cpu, Reg::Bp, frame);
    cpu.set_sp(cpu.sp_moved(-(op.imm as i32)));
    Ok(())
}

fn leave<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let bp = cpu.regs.gpr[5];
    let value = attempt!(cpu, bus, op, cpu.load::<B, W>(bus, Segment::Ss, bp & 0xFFFF));
    cpu.set_sp(bp.wrapping_add(W::BYTES));
    W::set(cpu, Reg::Bp, value);
    next(cpu, bus, rest)
}

/// An instruction of this family without operands in need of more than the size.
#[derive(Debug, Clone, Copy)]
pub(in crate::cpu) enum Stack {
    PushSegment,
    PopSegment,
    PushAll,
    PopAll,
    PushFlags,
    PopFlags,
    Enter,
    Leave,
}

/// The handler of PUSH.
pub(in crate::cpu) fn select_push<B: Bus>(operands: &Operands, immediate: bool, is_sp: bool) -> Handler<B> {
    let wide = operands.size == 4;
    match (immediate, operands.form.mode()) {
        (true, _) if wide => push::<B, Dword, Immediate>,
        (true, _) => push::<B, Word, Immediate>,
        (_, Mode::Register) if is_sp && wide => push_sp::<B, Dword>,
        (_, Mode::Register) if is_sp => push_sp::<B, Word>,
        (_, Mode::Register) if wide => push::<B, Dword, RmRegister>,
        (_, Mode::Register) => push::<B, Word, RmRegister>,
        _ if wide => push::<B, Dword, Memory<AnyAddress>>,
        _ => push::<B, Word, Memory<AnyAddress>>,
    }
}

/// The handler of POP.
pub(in crate::cpu) fn select_pop<B: Bus>(operands: &Operands) -> Handler<B> {
    match (operands.form.mode(), operands.size) {
        (Mode::Register, 4) => pop::<B, Dword>,
        (Mode::Register, _) => pop::<B, Word>,
        (_, 4) => pop_memory::<B, Dword>,
        _ => pop_memory::<B, Word>,
    }
}

/// The handler of the others, for words or doublewords.
pub(in crate::cpu) fn select_stack<B: Bus>(what: Stack, wide: bool) -> Handler<B> {
    match (what, wide) {
        (Stack::PushSegment, false) => push_segment::<B, Word>,
        (Stack::PushSegment, true) => push_segment::<B, Dword>,
        (Stack::PopSegment, false) => pop_segment::<B, Word>,
        (Stack::PopSegment, true) => pop_segment::<B, Dword>,
        (Stack::PushAll, false) => pusha::<B, Word>,
        (Stack::PushAll, true) => pusha::<B, Dword>,
        (Stack::PopAll, false) => popa::<B, Word>,
        (Stack::PopAll, true) => popa::<B, Dword>,
        (Stack::PushFlags, false) => pushf::<B, Word>,
        (Stack::PushFlags, true) => pushf::<B, Dword>,
        (Stack::PopFlags, false) => popf::<B, Word>,
        (Stack::PopFlags, true) => popf::<B, Dword>,
        (Stack::Enter, false) => enter::<B, Word>,
        (Stack::Enter, true) => enter::<B, Dword>,
        (Stack::Leave, false) => leave::<B, Word>,
        (Stack::Leave, true) => leave::<B, Dword>,
    }
}
