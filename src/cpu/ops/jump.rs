//! JMP, CALL, RET, Jcc, LOOP, JCXZ, near and far.
//!
//! Near targets known at decoding stand in `target`; one beyond FFFFh (32-bit operand size) raises #GP.

use super::super::Cpu;
use super::super::access::Fault;
use super::super::alu::{Dec, Unary};
use super::super::block::{Flow, Handler, Op, next};
use super::super::bus::Bus;
use super::super::operand::*;
use super::super::registers::Segment;
use super::alu::by_condition;
use super::attempt;

fn jcc<B: Bus, const CONDITION: u8>(cpu: &mut Cpu, _: &mut B, _: &Op<B>, _: &[Op<B>]) -> Flow {
    if cpu.status.condition(CONDITION) { Flow::Taken } else { Flow::Fall }
}

fn jmp<B: Bus>(_: &mut Cpu, _: &mut B, _: &Op<B>, _: &[Op<B>]) -> Flow {
    Flow::Taken
}

/// Any jump to a target outside the segment: faults if it is taken.
fn jump_outside<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, _: &[Op<B>]) -> Flow {
    cpu.fault(bus, op, Fault::PROTECTION)
}

fn jcc_outside<B: Bus, const CONDITION: u8>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, _: &[Op<B>]) -> Flow {
    if cpu.status.condition(CONDITION) { cpu.fault(bus, op, Fault::PROTECTION) } else { Flow::Fall }
}

/// LOOP, LOOPE, LOOPNE with CX or ECX; `imm` is 0 for LOOPNE, 1 for LOOPE, 2 for LOOP.
fn loop_<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, _: &[Op<B>]) -> Flow {
    let count = W::get(&cpu.regs.gpr, Reg::C).wrapping_sub(1) & W::MASK;
    let wanted = op.imm == 2 || cpu.status.zf() == (op.imm == 1);
    let taken = count != 0 && wanted;
    if taken && op.target > 0xFFFF {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    W::set(cpu, Reg::C, count);
    if taken { Flow::Taken } else { Flow::Fall }
}

fn jcxz<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, _: &[Op<B>]) -> Flow {
    if W::get(&cpu.regs.gpr, Reg::C) != 0 {
        return Flow::Fall;
    }
    if op.target > 0xFFFF {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    Flow::Taken
}

fn call<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, _: &[Op<B>]) -> Flow {
    if op.target > 0xFFFF {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    attempt!(cpu, bus, op, cpu.push::<B, W>(bus, op.next() & 0xFFFF));
    if bus.code_written() {
        cpu.regs.ip = op.target;
        return Flow::Stop;
    }
    Flow::Taken
}

/// CALL in the middle of a block, which goes on at the target.
fn call_through<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    if cpu.quick_push::<B, W>(bus, op.next() & 0xFFFF) {
        return next(cpu, bus, rest);
    }
    careful_call_through::<B, W>(cpu, bus, op, rest)
}

#[cold]
#[inline(never)]
fn careful_call_through<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    attempt!(cpu, bus, op, cpu.push::<B, W>(bus, op.next() & 0xFFFF));
    if bus.code_written() {
        cpu.stop(op);
        cpu.regs.ip = op.target;
        return Flow::Stop;
    }
    next(cpu, bus, rest)
}

/// JMP in the middle of a block, which goes on at the target.
fn jmp_through<B: Bus>(cpu: &mut Cpu, bus: &mut B, _: &Op<B>, rest: &[Op<B>]) -> Flow {
    next(cpu, bus, rest)
}

/// JMP r/m.
fn jmp_indirect<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, _: &[Op<B>]) -> Flow {
    let target = attempt!(cpu, bus, op, Dynamic::value::<B, W>(cpu, bus, op));
    if target > 0xFFFF {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    cpu.regs.ip = target;
    Flow::Jump
}

/// CALL r/m.
fn call_indirect<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, _: &[Op<B>]) -> Flow {
    let target = attempt!(cpu, bus, op, Dynamic::value::<B, W>(cpu, bus, op));
    if target > 0xFFFF {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    attempt!(cpu, bus, op, cpu.push::<B, W>(bus, op.next() & 0xFFFF));
    cpu.regs.ip = target;
    if bus.code_written() { Flow::Stop } else { Flow::Jump }
}

/// RET: `imm` more bytes are taken off the stack.
fn ret<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: &[Op<B>]) -> Flow {
    if let Some(target @ 0..=0xFFFF) = cpu.quick_top::<B, W>(bus) {
        cpu.set_sp(cpu.sp_moved((W::BYTES + op.imm) as i32));
        cpu.regs.ip = target;
        return Flow::Jump;
    }
    careful_ret::<B, W>(cpu, bus, op, rest)
}

#[cold]
#[inline(never)]
fn careful_ret<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, _: &[Op<B>]) -> Flow {
    let target = attempt!(cpu, bus, op, cpu.peek::<B, W>(bus, 0));
    if target > 0xFFFF {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    cpu.set_sp(cpu.sp_moved((W::BYTES + op.imm) as i32));
    cpu.regs.ip = target;
    Flow::Jump
}

/// RETF: `imm` more bytes are taken off the stack.
fn retf<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, _: &[Op<B>]) -> Flow {
    let target = attempt!(cpu, bus, op, cpu.peek::<B, W>(bus, 0));
    let selector = attempt!(cpu, bus, op, cpu.peek::<B, Word>(bus, W::BYTES));
    if target > 0xFFFF {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    cpu.set_sp(cpu.sp_moved((2 * W::BYTES + op.imm) as i32));
    cpu.regs.seg[Segment::Cs as usize] = selector as u16;
    cpu.regs.ip = target;
    Flow::Jump
}

/// Goes to `selector:target`, for CALL after pushing the way back.
fn far<B: Bus, W: Size>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    selector: u32,
    target: u32,
    is_call: bool,
) -> Flow {
    if target > 0xFFFF {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    if is_call {
        let esp = cpu.regs.gpr[4];
        let cs = u32::from(cpu.regs.cs());
        let pushed = cpu.push::<B, W>(bus, cs).and_then(|()| cpu.push::<B, W>(bus, op.next() & 0xFFFF));
        if let Err(fault) = pushed {
            cpu.regs.gpr[4] = esp;
            return cpu.fault(bus, op, fault);
        }
    }
    cpu.regs.seg[Segment::Cs as usize] = selector as u16;
    cpu.regs.ip = target;
    if bus.code_written() { Flow::Stop } else { Flow::Jump }
}

/// JMP and CALL with the pointer in the instruction: `imm:target`.
fn far_direct<B: Bus, W: Size, const CALL: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    _: &[Op<B>],
) -> Flow {
    far::<B, W>(cpu, bus, op, op.imm, op.target, CALL)
}

/// JMP and CALL with the pointer in memory.
fn far_indirect<B: Bus, W: Size, const CALL: bool>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    _: &[Op<B>],
) -> Flow {
    let at = AnyAddress::offset(cpu, op);
    let target = attempt!(cpu, bus, op, cpu.load::<B, W>(bus, op.seg, at));
    let at = cpu.pointer_step(at, W::BYTES, op.mode == Mode::Wide);
    let selector = attempt!(cpu, bus, op, cpu.load::<B, Word>(bus, op.seg, at));
    far::<B, W>(cpu, bus, op, selector, target, CALL)
}

/// A loop that only counts a register down: as many turns as fit before the deadline, at once. `count` is the number
/// of instructions in a turn.
fn delay<B: Bus, W: Size, const FLAGS: bool>(cpu: &mut Cpu, _: &mut B, op: &Op<B>, _: &[Op<B>]) -> Flow {
    let count = W::get(&cpu.regs.gpr, op.rm);
    let to_zero = u64::from(count.wrapping_sub(1) & W::MASK) + 1;
    // One turn is counted already.
    let more = (cpu.limit - cpu.cycles) / u64::from(op.count);
    let turns = to_zero.min(more + 1);
    let left = u64::from(count).wrapping_sub(turns) as u32 & W::MASK;
    W::set(cpu, op.rm, left);
    if FLAGS {
        cpu.status = Dec::apply::<W>(left.wrapping_add(1) & W::MASK, cpu.status).1;
    }
    cpu.cycles += (turns - 1) * u64::from(op.count);
    if left == 0 { Flow::Fall } else { Flow::Taken }
}

/// The handler of a delay loop, which counts by DEC (with flags) or LOOP.
pub(in crate::cpu) fn select_delay<B: Bus>(wide: bool, flags: bool) -> Handler<B> {
    match (wide, flags) {
        (false, false) => delay::<B, Word, false>,
        (false, true) => delay::<B, Word, true>,
        (true, false) => delay::<B, Dword, false>,
        (true, true) => delay::<B, Dword, true>,
    }
}

/// The handler of a conditional jump.
pub(in crate::cpu) fn select_jcc<B: Bus>(condition: u8, outside: bool) -> Handler<B> {
    if outside { by_condition!(condition, jcc_outside::<B>) } else { by_condition!(condition, jcc::<B>) }
}

/// The handler after which a block goes on at the jump's target.
pub(in crate::cpu) fn select_through<B: Bus>(what: Jump, wide: bool, target: u32) -> Option<Handler<B>> {
    match (what, wide) {
        _ if target > 0xFFFF => None,
        (Jump::Near, _) => Some(jmp_through::<B>),
        (Jump::NearCall, false) => Some(call_through::<B, Word>),
        (Jump::NearCall, true) => Some(call_through::<B, Dword>),
        _ => None,
    }
}

/// What a jump other than Jcc is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cpu) enum Jump {
    Near,
    NearCall,
    Indirect,
    IndirectCall,
    Far,
    FarCall,
    FarIndirect,
    FarIndirectCall,
    Return,
    FarReturn,
    /// LOOP, LOOPE, LOOPNE: the size is that of the counter.
    Loop,
    /// JCXZ, JECXZ.
    CounterZero,
}

/// The handler of a jump with operands of words or doublewords.
pub(in crate::cpu) fn select_jump<B: Bus>(what: Jump, wide: bool, target: u32) -> Handler<B> {
    match (what, wide) {
        (Jump::Near, _) if target > 0xFFFF => jump_outside::<B>,
        (Jump::Near, _) => jmp::<B>,
        (Jump::NearCall, false) => call::<B, Word>,
        (Jump::NearCall, true) => call::<B, Dword>,
        (Jump::Indirect, false) => jmp_indirect::<B, Word>,
        (Jump::Indirect, true) => jmp_indirect::<B, Dword>,
        (Jump::IndirectCall, false) => call_indirect::<B, Word>,
        (Jump::IndirectCall, true) => call_indirect::<B, Dword>,
        (Jump::Far, false) => far_direct::<B, Word, false>,
        (Jump::Far, true) => far_direct::<B, Dword, false>,
        (Jump::FarCall, false) => far_direct::<B, Word, true>,
        (Jump::FarCall, true) => far_direct::<B, Dword, true>,
        (Jump::FarIndirect, false) => far_indirect::<B, Word, false>,
        (Jump::FarIndirect, true) => far_indirect::<B, Dword, false>,
        (Jump::FarIndirectCall, false) => far_indirect::<B, Word, true>,
        (Jump::FarIndirectCall, true) => far_indirect::<B, Dword, true>,
        (Jump::Return, false) => ret::<B, Word>,
        (Jump::Return, true) => ret::<B, Dword>,
        (Jump::FarReturn, false) => retf::<B, Word>,
        (Jump::FarReturn, true) => retf::<B, Dword>,
        (Jump::Loop, false) => loop_::<B, Word>,
        (Jump::Loop, true) => loop_::<B, Dword>,
        (Jump::CounterZero, false) => jcxz::<B, Word>,
        (Jump::CounterZero, true) => jcxz::<B, Dword>,
    }
}
