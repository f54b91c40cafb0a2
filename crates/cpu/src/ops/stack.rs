//! PUSH and POP of general registers, memory and immediates; PUSHA, POPA, PUSHF, POPF, ENTER, LEAVE.

use iced_x86::{Code, Mnemonic};

use super::attempt;
use crate::access::Fault;
use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::form;
use crate::op::{Flow, Mode, Op, RemainingOps, next, next_after_store};
use crate::operand::*;
use crate::registers::{Reg, Segment};
use crate::size::{Size, by_width};
use crate::state::Cpu;

fn push<B: Bus, W: Size, S: Source>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    if let Some(value) = S::fast_value::<B, W>(cpu, bus, op)
        && cpu.fast_push::<B, W>(bus, value)
    {
        return next(cpu, bus, op, rest);
    }
    slow_push::<B, W, S>(cpu, bus, ops)
}

#[cold]
#[inline(never)]
fn slow_push<B: Bus, W: Size, S: Source>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = attempt!(cpu, bus, op, S::value::<B, W>(cpu, bus, op));
    attempt!(cpu, bus, op, cpu.push::<B, W>(bus, value));
    next_after_store(cpu, bus, op, rest)
}

/// PUSH SP. The value depends on the model.
fn push_sp<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let mut value = W::get(&cpu.regs.gpr, Reg::Sp);
    if cpu.model.pushes_sp_after() {
        value = value.wrapping_sub(2) & 0xFFFF;
    }
    attempt!(cpu, bus, op, cpu.push::<B, W>(bus, value));
    next_after_store(cpu, bus, op, rest)
}

fn pop<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    if let Some(value) = cpu.fast_pop::<B, W>(bus, 0) {
        W::set(cpu, op.rm, value);
        return next(cpu, bus, op, rest);
    }
    slow_pop::<B, W>(cpu, bus, ops)
}

#[cold]
#[inline(never)]
fn slow_pop<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = attempt!(cpu, bus, op, cpu.pop::<B, W>(bus));
    W::set(cpu, op.rm, value);
    next(cpu, bus, op, rest)
}

/// POP to memory. An address through ESP is computed after SP has moved, and SP stays moved if the
/// store faults (recorded on the 80286).
fn pop_memory<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let value = attempt!(cpu, bus, op, cpu.pop::<B, W>(bus));
    let at = AnyAddress::offset(cpu, op);
    attempt!(cpu, bus, op, cpu.store::<B, W>(bus, op.seg, at, value));
    next_after_store(cpu, bus, op, rest)
}

/// PUSHA. Nothing is written if a value would cross the end of the segment.
fn pusha<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
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

fn popa<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
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
    next(cpu, bus, op, rest)
}

fn pushf<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    // RF and VM are pushed as 0.
    let flags = cpu.flags_image() & 0xFFFC_FFFF & W::MASK;
    attempt!(cpu, bus, op, cpu.push::<B, W>(bus, flags));
    next_after_store(cpu, bus, op, rest)
}

fn popf<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    let flags = attempt!(cpu, bus, op, cpu.pop::<B, W>(bus));
    cpu.load_flags::<W>(flags);
    // TF and IF must be checked.
    cpu.stop(op)
}

/// ENTER. `imm` is the size of the frame, `disp` the nesting level.
fn enter<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let (esp, ebp) = (cpu.regs.gpr[4], cpu.regs.gpr[5]);
    if let Err(fault) = build_frame::<B, W>(cpu, bus, op) {
        cpu.regs.gpr[4] = esp;
        cpu.regs.gpr[5] = ebp;
        return cpu.fault(bus, op, fault);
    }
    next_after_store(cpu, bus, op, rest)
}

fn build_frame<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>) -> Result<(), Fault> {
    let level = op.disp & 31;
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

fn leave<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let bp = cpu.regs.gpr[5];
    let value = attempt!(cpu, bus, op, cpu.load::<B, W>(bus, Segment::Ss, bp & 0xFFFF));
    cpu.set_sp(bp.wrapping_add(W::BYTES));
    W::set(cpu, Reg::Bp, value);
    next(cpu, bus, op, rest)
}

pub(crate) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    let code = decoded.instruction.code();
    let is_wide = matches!(
        code,
        Code::Pushad | Code::Popad | Code::Pushfd | Code::Popfd | Code::Enterd_imm16_imm8 | Code::Leaved
    );
    decoded.run = match decoded.mnemonic() {
        Mnemonic::Push => return decode_push(decoded),
        Mnemonic::Pop => return decode_pop(decoded),
        Mnemonic::Pusha | Mnemonic::Pushad => by_width!(is_wide, |W| pusha::<B, W>),
        Mnemonic::Popa | Mnemonic::Popad => by_width!(is_wide, |W| popa::<B, W>),
        Mnemonic::Pushf | Mnemonic::Pushfd => by_width!(is_wide, |W| pushf::<B, W>),
        Mnemonic::Popf | Mnemonic::Popfd => by_width!(is_wide, |W| popf::<B, W>),
        Mnemonic::Enter => by_width!(is_wide, |W| enter::<B, W>),
        Mnemonic::Leave => by_width!(is_wide, |W| leave::<B, W>),
        _ => return None,
    };
    if decoded.mnemonic() == Mnemonic::Enter {
        decoded.op.imm = u32::from(decoded.instruction.immediate16());
        decoded.op.disp = u32::from(decoded.instruction.immediate8_2nd());
    }
    decoded.ends = matches!(decoded.mnemonic(), Mnemonic::Popf | Mnemonic::Popfd);
    Some(())
}

fn decode_push<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    let immediate_size = match decoded.instruction.code() {
        Code::Pushd_imm8 | Code::Pushd_imm32 => Some(4),
        Code::Pushw_imm8 | Code::Push_imm16 => Some(2),
        _ => None,
    };
    if let Some(size) = immediate_size {
        decoded.op.imm = form::immediate(&decoded.instruction, size)?;
        decoded.run = by_width!(size == 4, |W| push::<B, W, Immediate>);
        return Some(());
    }
    decoded.run = by_width!(decoded.is_wide(), |W| match decoded.op.mode {
        Mode::Register if decoded.op.rm == Reg::Sp => push_sp::<B, W>,
        Mode::Register => push::<B, W, RmRegister>,
        _ => push::<B, W, Memory<AnyAddress>>,
    });
    Some(())
}

fn decode_pop<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    decoded.run = by_width!(decoded.is_wide(), |W| match decoded.op.mode {
        Mode::Register => pop::<B, W>,
        _ => pop_memory::<B, W>,
    });
    Some(())
}
