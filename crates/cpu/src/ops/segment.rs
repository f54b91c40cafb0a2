//! MOV, PUSH and POP of segment registers; LES, LDS, LSS, LFS and LGS. `imm` is the number of the
//! segment register.

use iced_x86::{Code, Mnemonic, OpKind};

use super::attempt;
use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::form::{general, segment_number};
use crate::op::{Flow, Mode, Op, RemainingOps, next, next_after_store, next_before_interrupts};
use crate::operand::*;
use crate::registers::Segment;
use crate::size::{Size, Word, by_width};
use crate::state::Cpu;

/// MOV r/m, segment register. A 32-bit register is zero-extended; memory receives a word.
fn from_segment<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = u32::from(cpu.regs.seg[Segment::from_number(op.imm) as usize]);
    if op.mode == Mode::Register {
        W::set(cpu, op.rm, value);
        return next(cpu, bus, op, rest);
    }
    let at = AnyAddress::offset(cpu, op);
    attempt!(cpu, bus, op, cpu.store::<B, Word>(bus, op.seg, at, value));
    next_after_store(cpu, bus, op, rest)
}

/// MOV segment register, r/m.
fn to_segment<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let quick = match op.mode {
        Mode::Register => RmRegister::fast_value::<B, Word>(cpu, bus, op),
        _ => Memory::<AnyAddress>::fast_value::<B, Word>(cpu, bus, op),
    };
    match quick {
        Some(value) => set_segment(cpu, bus, op, rest, value),
        None => slow_to_segment(cpu, bus, ops),
    }
}

#[cold]
#[inline(never)]
fn slow_to_segment<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = attempt!(cpu, bus, op, Dynamic::value::<B, Word>(cpu, bus, op));
    set_segment(cpu, bus, op, rest, value)
}

/// Loads the segment register and continues if no check is needed before the next instruction.
#[inline(always)]
fn set_segment<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: RemainingOps<B>, value: u32) -> Flow {
    let target = Segment::from_number(op.imm);
    cpu.regs.seg[target as usize] = value as u16;
    match target {
        // The next instruction, usually a load of SP, executes before any interrupt.
        Segment::Ss => next_before_interrupts(cpu, bus, op, rest, true),
        Segment::Cs => cpu.stop(op),
        _ => next(cpu, bus, op, rest),
    }
}

/// PUSH of a segment register. With 32 bits the 80386 lowers SP by 4 but writes only a word.
fn push<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = u32::from(cpu.regs.seg[Segment::from_number(op.imm) as usize]);
    let sp = cpu.sp_moved(-(W::BYTES as i32));
    if cpu.fast_store::<B, Word>(bus, Segment::Ss, sp, value) {
        cpu.set_sp(sp);
        return next(cpu, bus, op, rest);
    }
    slow_push::<B, W>(cpu, bus, ops)
}

#[cold]
#[inline(never)]
fn slow_push<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = u32::from(cpu.regs.seg[Segment::from_number(op.imm) as usize]);
    let sp = cpu.sp_moved(-(W::BYTES as i32));
    attempt!(cpu, bus, op, cpu.store::<B, Word>(bus, Segment::Ss, sp, value));
    cpu.set_sp(sp);
    next_after_store(cpu, bus, op, rest)
}

fn pop<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    if let Some(value) = cpu.fast_pop::<B, W>(bus, 0) {
        return set_segment(cpu, bus, op, rest, value);
    }
    slow_pop::<B, W>(cpu, bus, ops)
}

#[cold]
#[inline(never)]
fn slow_pop<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = attempt!(cpu, bus, op, cpu.pop::<B, W>(bus));
    set_segment(cpu, bus, op, rest, value)
}

/// LES, LDS, LSS, LFS, LGS.
fn load_pointer<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let at = AnyAddress::offset(cpu, op);
    let second = cpu.pointer_step(at, W::BYTES, op.mode == Mode::Wide);
    if let Some(offset) = cpu.fast_load::<B, W>(bus, op.seg, at)
        && let Some(selector) = cpu.fast_load::<B, Word>(bus, op.seg, second)
    {
        W::set(cpu, op.reg, offset);
        cpu.regs.seg[Segment::from_number(op.imm) as usize] = selector as u16;
        return next(cpu, bus, op, rest);
    }
    slow_load_pointer::<B, W>(cpu, bus, ops)
}

#[cold]
#[inline(never)]
fn slow_load_pointer<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let at = AnyAddress::offset(cpu, op);
    let offset = attempt!(cpu, bus, op, cpu.load::<B, W>(bus, op.seg, at));
    let at = cpu.pointer_step(at, W::BYTES, op.mode == Mode::Wide);
    let selector = attempt!(cpu, bus, op, cpu.load::<B, Word>(bus, op.seg, at));
    W::set(cpu, op.reg, offset);
    cpu.regs.seg[Segment::from_number(op.imm) as usize] = selector as u16;
    next(cpu, bus, op, rest)
}

/// Creates POP CS, which only the 8086 has.
pub(crate) fn pop_cs<B: Bus>(ip: u32, len: usize) -> Decoded<B> {
    let mut decoded = Decoded::plain(pop::<B, Word>, ip, len);
    decoded.op.imm = Segment::Cs as u32;
    decoded.ends = true;
    decoded
}

pub(crate) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    match decoded.mnemonic() {
        Mnemonic::Mov => decode_mov(decoded),
        Mnemonic::Push | Mnemonic::Pop => decode_push_pop(decoded),
        _ => decode_load_pointer(decoded),
    }
}

fn decode_mov<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    let (to, from) = (decoded.instruction.op0_register(), decoded.instruction.op1_register());
    let Some(number) = segment_number(to) else {
        decoded.op.imm = segment_number(from)?;
        decoded.run = by_width!(decoded.is_wide(), |W| from_segment::<B, W>);
        return Some(());
    };
    if decoded.instruction.op1_kind() == OpKind::Register {
        decoded.op.rm = general(from)?.0;
    }
    decoded.op.imm = number;
    decoded.run = to_segment::<B>;
    decoded.ends = number == Segment::Cs as u32;
    Some(())
}

fn decode_push_pop<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    let is_wide = matches!(
        decoded.instruction.code(),
        Code::Pushd_ES
            | Code::Pushd_CS
            | Code::Pushd_SS
            | Code::Pushd_DS
            | Code::Pushd_FS
            | Code::Pushd_GS
            | Code::Popd_ES
            | Code::Popd_SS
            | Code::Popd_DS
            | Code::Popd_FS
            | Code::Popd_GS
    );
    let number = segment_number(decoded.instruction.op0_register())?;
    decoded.op.imm = number;
    if decoded.mnemonic() == Mnemonic::Push {
        decoded.run = by_width!(is_wide, |W| push::<B, W>);
    } else {
        decoded.run = by_width!(is_wide, |W| pop::<B, W>);
    }
    Some(())
}

fn decode_load_pointer<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    if decoded.is_on_registers() {
        return None;
    }
    let segment = match decoded.mnemonic() {
        Mnemonic::Les => Segment::Es,
        Mnemonic::Lds => Segment::Ds,
        Mnemonic::Lss => Segment::Ss,
        Mnemonic::Lfs => Segment::Fs,
        Mnemonic::Lgs => Segment::Gs,
        _ => return None,
    };
    decoded.op.imm = segment as u32;
    decoded.run = by_width!(decoded.is_wide(), |W| load_pointer::<B, W>);
    Some(())
}
