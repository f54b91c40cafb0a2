//! NOP, WAIT, HLT, INT, INTO, IRET, BOUND, ESC, the firmware trap, and what has no meaning (#UD, #GP).

use super::super::access::Fault;
use super::super::block::{Flow, Handler, Op, next};
use super::super::bus::Bus;
use super::super::operand::*;
use super::super::registers::{Flags, Segment};
use super::super::system::Msw;
use super::super::{Cpu, Exit};
use super::attempt;

fn nop<B: Bus>(cpu: &mut Cpu, bus: &mut B, _: &Op<B>, rest: &[Op<B>]) -> Flow {
    next(cpu, bus, rest)
}

/// The exception `imm`, whatever the operands.
fn raise<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, _: &[Op<B>]) -> Flow {
    cpu.fault(bus, op, Fault(op.imm as u8))
}

fn wait<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    if cpu.system.msw_has(Msw::MP) && cpu.system.msw_has(Msw::TS) {
        return cpu.fault(bus, op, Fault::NO_COPROCESSOR);
    }
    next(cpu, bus, rest)
}

/// A coprocessor instruction without a coprocessor: the processor fetches the operand and drops it.
fn escape<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    if cpu.system.msw_has(Msw::EM) || cpu.system.msw_has(Msw::TS) {
        return cpu.fault(bus, op, Fault::NO_COPROCESSOR);
    }
    if op.mode != Mode::Register {
        attempt!(cpu, bus, op, Dynamic::value::<B, Word>(cpu, bus, op));
    }
    next(cpu, bus, rest)
}

fn hlt<B: Bus>(cpu: &mut Cpu, _: &mut B, op: &Op<B>, _: &[Op<B>]) -> Flow {
    cpu.leave(op, Exit::Halt)
}

/// `0F FF imm` in ROM.
fn trap<B: Bus>(cpu: &mut Cpu, _: &mut B, op: &Op<B>, _: &[Op<B>]) -> Flow {
    cpu.leave(op, Exit::Trap(op.imm as u8));
    Flow::Trap
}

fn int<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, _: &[Op<B>]) -> Flow {
    cpu.software_interrupt(bus, op, op.imm as u8)
}

fn into<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    if cpu.status.of() {
        return cpu.software_interrupt(bus, op, 4);
    }
    next(cpu, bus, rest)
}

fn iret<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    match cpu.quick_frame(bus) {
        Some(frame) if W::BYTES == Word::BYTES => return_from_interrupt::<B, W>(cpu, op, frame),
        _ => careful_iret::<B, W>(cpu, bus, op, rest),
    }
}

#[cold]
#[inline(never)]
fn careful_iret<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, _: &[Op<B>]) -> Flow {
    let ip = attempt!(cpu, bus, op, cpu.peek::<B, W>(bus, 0));
    let cs = attempt!(cpu, bus, op, cpu.peek::<B, Word>(bus, W::BYTES));
    let flags = attempt!(cpu, bus, op, cpu.peek::<B, W>(bus, 2 * W::BYTES));
    if ip > 0xFFFF {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    return_from_interrupt::<B, W>(cpu, op, [ip, cs, flags])
}

#[inline(always)]
fn return_from_interrupt<B: Bus, W: Size>(cpu: &mut Cpu, op: &Op<B>, [ip, cs, flags]: [u32; 3]) -> Flow {
    cpu.set_sp(cpu.sp_moved(3 * W::BYTES as i32));
    cpu.load_flags(flags);
    cpu.stop(op);
    cpu.regs.ip = ip;
    cpu.regs.seg[Segment::Cs as usize] = cs as u16;
    let look = cpu.regs.flag(Flags::TF) || cpu.intr && cpu.interruptible();
    if look { Flow::Stop } else { Flow::Jump }
}

fn bound<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    let index = W::sign_extend(W::get(&cpu.regs.gpr, op.reg));
    let at = AnyAddress::offset(cpu, op);
    let lower = attempt!(cpu, bus, op, cpu.load::<B, W>(bus, op.seg, at));
    let at = cpu.pointer_step(at, W::BYTES, op.mode == Mode::Wide);
    let upper = attempt!(cpu, bus, op, cpu.load::<B, W>(bus, op.seg, at));
    if index < W::sign_extend(lower) || index > W::sign_extend(upper) {
        return cpu.fault(bus, op, Fault::BOUND);
    }
    next(cpu, bus, rest)
}

/// An instruction of this family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cpu) enum Control {
    Nop,
    Raise,
    Wait,
    Escape,
    Halt,
    Trap,
    Interrupt,
    InterruptOnOverflow,
    InterruptReturn,
    Bound,
}

/// Its handler, for operands of words or doublewords.
pub(in crate::cpu) fn select<B: Bus>(what: Control, wide: bool) -> Handler<B> {
    match what {
        Control::Nop => nop::<B>,
        Control::Raise => raise::<B>,
        Control::Wait => wait::<B>,
        Control::Escape => escape::<B>,
        Control::Halt => hlt::<B>,
        Control::Trap => trap::<B>,
        Control::Interrupt => int::<B>,
        Control::InterruptOnOverflow => into::<B>,
        Control::InterruptReturn if wide => iret::<B, Dword>,
        Control::InterruptReturn => iret::<B, Word>,
        Control::Bound if wide => bound::<B, Dword>,
        Control::Bound => bound::<B, Word>,
    }
}
