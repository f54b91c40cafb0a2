//! JMP, CALL, RET, Jcc, LOOP, JCXZ, near and far.
//!
//! A near target that is known at decoding is in `target`. A target above FFFFh (32-bit operand
//! size) raises #GP.

use iced_x86::{Code, Mnemonic, OpKind};

use super::{attempt, by_condition};
use crate::access::Fault;
use crate::bus::Bus;
use crate::decoded::{Decoded, Variant};
use crate::op::{Flow, Handler, Mode, Op, RemainingOps, branch, next};
use crate::operand::*;
use crate::registers::{Reg, Segment};
use crate::size::{Dword, Size, Word, by_width};
use crate::state::Cpu;
use crate::status::Status;

fn jcc<B: Bus, const CONDITION: u8>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let taken = cpu.status.condition(CONDITION);
    branch(cpu, bus, op, rest, taken)
}

fn jmp<B: Bus>(cpu: &mut Cpu, _: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    cpu.take(op)
}

/// A near jump to a target outside of the segment, which faults if it is taken.
fn jump_outside<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    cpu.fault(bus, op, Fault::PROTECTION)
}

fn jcc_outside<B: Bus, const CONDITION: u8>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    if cpu.status.condition(CONDITION) { cpu.fault(bus, op, Fault::PROTECTION) } else { Flow::FALL }
}

/// The condition of a LOOP on ZF.
trait LoopCondition {
    fn holds(status: &Status) -> bool;
}

#[derive(Debug)]
struct Always;
#[derive(Debug)]
struct WhileEqual;
#[derive(Debug)]
struct WhileNotEqual;

impl LoopCondition for Always {
    fn holds(_: &Status) -> bool {
        true
    }
}
impl LoopCondition for WhileEqual {
    fn holds(status: &Status) -> bool {
        status.zf()
    }
}
impl LoopCondition for WhileNotEqual {
    fn holds(status: &Status) -> bool {
        !status.zf()
    }
}

/// LOOP, LOOPE and LOOPNE with CX or ECX.
fn loop_<B: Bus, W: Size, Z: LoopCondition>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let count = W::get(&cpu.regs.gpr, Reg::C).wrapping_sub(1) & W::MASK;
    let taken = count != 0 && Z::holds(&cpu.status);
    if taken && op.target > 0xFFFF {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    W::set(cpu, Reg::C, count);
    branch(cpu, bus, op, rest, taken)
}

fn jcxz<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let taken = W::get(&cpu.regs.gpr, Reg::C) == 0;
    if taken && op.target > 0xFFFF {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    branch(cpu, bus, op, rest, taken)
}

fn call<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    if op.target > 0xFFFF {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    attempt!(cpu, bus, op, cpu.push::<B, W>(bus, op.next() & 0xFFFF));
    if bus.code_written() {
        cpu.regs.ip = op.target;
        return Flow::STOP;
    }
    cpu.take(op)
}

/// CALL inside a block that continues at the target.
fn call_through<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    if cpu.fast_push::<B, W>(bus, op.next() & 0xFFFF) {
        return next(cpu, bus, op, rest);
    }
    slow_call_through::<B, W>(cpu, bus, ops)
}

#[cold]
#[inline(never)]
fn slow_call_through<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    attempt!(cpu, bus, op, cpu.push::<B, W>(bus, op.next() & 0xFFFF));
    if bus.code_written() {
        cpu.stop(op);
        cpu.regs.ip = op.target;
        return Flow::STOP;
    }
    next(cpu, bus, op, rest)
}

/// JMP inside a block that continues at the target.
fn jmp_through<B: Bus>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    next(cpu, bus, op, rest)
}

/// JMP r/m.
fn jmp_indirect<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    let target = attempt!(cpu, bus, op, Dynamic::value::<B, W>(cpu, bus, op));
    if target > 0xFFFF {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    cpu.regs.ip = target;
    Flow::JUMP
}

/// CALL r/m.
fn call_indirect<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    let target = attempt!(cpu, bus, op, Dynamic::value::<B, W>(cpu, bus, op));
    if target > 0xFFFF {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    attempt!(cpu, bus, op, cpu.push::<B, W>(bus, op.next() & 0xFFFF));
    cpu.regs.ip = target;
    if bus.code_written() { Flow::STOP } else { Flow::JUMP }
}

/// RET. `imm` is the number of further bytes to release.
fn ret<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    if W::BYTES == Word::BYTES
        && let Some(target) = cpu.fast_pop::<B, W>(bus, op.imm)
    {
        cpu.regs.ip = target;
        return Flow::JUMP;
    }
    slow_ret::<B, W>(cpu, bus, ops)
}

/// RET inside a block that continues at the target, unless the stack has another return address.
fn ret_through<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, rest)) = ops.first() else { return Flow::FALL };
    let popped = if W::BYTES == Word::BYTES { cpu.fast_pop::<B, W>(bus, op.imm) } else { None };
    let flow = match popped {
        Some(target) if target == op.target => return next(cpu, bus, op, rest),
        Some(target) => {
            cpu.regs.ip = target;
            Flow::JUMP
        }
        None => slow_ret::<B, W>(cpu, bus, ops),
    };
    if flow == Flow::JUMP {
        cpu.cycles -= u64::from(op.after);
    }
    flow
}

#[cold]
#[inline(never)]
fn slow_ret<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    let target = attempt!(cpu, bus, op, cpu.peek::<B, W>(bus, 0));
    if target > 0xFFFF {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    cpu.set_sp(cpu.sp_moved((W::BYTES + op.imm) as i32));
    cpu.regs.ip = target;
    Flow::JUMP
}

/// RETF. `imm` is the number of further bytes to release.
fn retf<B: Bus, W: Size>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    let target = attempt!(cpu, bus, op, cpu.peek::<B, W>(bus, 0));
    let selector = attempt!(cpu, bus, op, cpu.peek::<B, Word>(bus, W::BYTES));
    if target > 0xFFFF {
        return cpu.fault(bus, op, Fault::PROTECTION);
    }
    cpu.set_sp(cpu.sp_moved((2 * W::BYTES + op.imm) as i32));
    cpu.regs.seg[Segment::Cs as usize] = selector as u16;
    cpu.regs.ip = target;
    Flow::JUMP
}

/// Jumps to `selector:target`. CALL pushes the return address first.
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
    if bus.code_written() { Flow::STOP } else { Flow::JUMP }
}

/// JMP and CALL with an immediate pointer, `imm:target`.
fn far_direct<B: Bus, W: Size, const CALL: bool>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    far::<B, W>(cpu, bus, op, op.imm, op.target, CALL)
}

/// JMP and CALL with a pointer in memory.
fn far_indirect<B: Bus, W: Size, const CALL: bool>(cpu: &mut Cpu, bus: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    let at = AnyAddress::offset(cpu, op);
    let target = attempt!(cpu, bus, op, cpu.load::<B, W>(bus, op.seg, at));
    let at = cpu.pointer_step(at, W::BYTES, op.mode == Mode::Wide);
    let selector = attempt!(cpu, bus, op, cpu.load::<B, Word>(bus, op.seg, at));
    far::<B, W>(cpu, bus, op, selector, target, CALL)
}

pub(crate) fn decode_conditional<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    let condition = decoded.instruction.condition_code() as u8 - 1;
    let target = decoded.instruction.near_branch_target() as u32;
    decoded.op.target = target;
    decoded.ends = true;
    if target > 0xFFFF {
        decoded.run = by_condition!(condition, jcc_outside::<B>);
    } else {
        decoded.run = by_condition!(condition, jcc::<B>);
        decoded.condition = Some(condition);
    }
    Some(())
}

/// Decodes the other jumps.
pub(crate) fn decode<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    resolve_target(decoded);
    decoded.ends = true;
    match decoded.mnemonic() {
        Mnemonic::Jmp | Mnemonic::Call => decode_jmp_call(decoded),
        Mnemonic::Ret | Mnemonic::Retf => decode_return(decoded),
        _ => decode_loop(decoded),
    }
}

fn resolve_target<B: Bus>(decoded: &mut Decoded<B>) {
    let (op, instruction) = (&mut decoded.op, &decoded.instruction);
    if instruction.op_count() == 0 {
        return;
    }
    match instruction.op0_kind() {
        OpKind::NearBranch16 | OpKind::NearBranch32 => op.target = instruction.near_branch_target() as u32,
        OpKind::FarBranch16 => {
            op.target = instruction.far_branch16().into();
            op.imm = instruction.far_branch_selector().into();
        }
        OpKind::FarBranch32 => {
            op.target = instruction.far_branch32();
            op.imm = instruction.far_branch_selector().into();
        }
        _ => {}
    }
}

fn decode_jmp_call<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    let is_jmp = decoded.mnemonic() == Mnemonic::Jmp;
    decoded.run = match decoded.instruction.code() {
        Code::Jmp_rm16 => jmp_indirect::<B, Word>,
        Code::Jmp_rm32 => jmp_indirect::<B, Dword>,
        Code::Jmp_ptr1616 => far_direct::<B, Word, false>,
        Code::Jmp_ptr1632 => far_direct::<B, Dword, false>,
        Code::Jmp_m1616 => far_indirect::<B, Word, false>,
        Code::Jmp_m1632 => far_indirect::<B, Dword, false>,
        Code::Call_rm16 => call_indirect::<B, Word>,
        Code::Call_rm32 => call_indirect::<B, Dword>,
        Code::Call_ptr1616 => far_direct::<B, Word, true>,
        Code::Call_ptr1632 => far_direct::<B, Dword, true>,
        Code::Call_m1616 => far_indirect::<B, Word, true>,
        Code::Call_m1632 => far_indirect::<B, Dword, true>,
        _ if is_jmp && decoded.op.target > 0xFFFF => jump_outside::<B>,
        _ => {
            decoded.effect.may_stop = !is_jmp;
            decoded.variants = Some(variant::<B>);
            if is_jmp { jmp::<B> } else { by_width!(pushes_dword(decoded), |W| call::<B, W>) }
        }
    };
    Some(())
}

fn pushes_dword<B: Bus>(decoded: &Decoded<B>) -> bool {
    decoded.instruction.code() == Code::Call_rel32_32
}

/// Returns the handler of a near JMP, CALL or RET inside a block.
fn variant<B: Bus>(decoded: &Decoded<B>, variant: Variant) -> Option<Handler<B>> {
    if variant != Variant::Through || decoded.op.target > 0xFFFF {
        return None;
    }
    Some(match decoded.mnemonic() {
        Mnemonic::Jmp => jmp_through::<B>,
        Mnemonic::Ret => by_width!(pops_dword(decoded), |W| ret_through::<B, W>),
        _ => by_width!(pushes_dword(decoded), |W| call_through::<B, W>),
    })
}

fn pops_dword<B: Bus>(decoded: &Decoded<B>) -> bool {
    matches!(decoded.instruction.code(), Code::Retnd | Code::Retnd_imm16)
}

fn decode_return<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    decoded.op.imm = decoded.instruction.immediate16().into();
    if decoded.mnemonic() == Mnemonic::Ret {
        decoded.variants = Some(variant::<B>);
    }
    decoded.run = match decoded.instruction.code() {
        Code::Retnw | Code::Retnw_imm16 | Code::Retnd | Code::Retnd_imm16 => {
            by_width!(pops_dword(decoded), |W| ret::<B, W>)
        }
        Code::Retfw | Code::Retfw_imm16 => retf::<B, Word>,
        Code::Retfd | Code::Retfd_imm16 => retf::<B, Dword>,
        _ => return None,
    };
    Some(())
}

/// Decodes LOOP and JCXZ. With 32-bit addresses the counter is ECX.
fn decode_loop<B: Bus>(decoded: &mut Decoded<B>) -> Option<()> {
    let is_wide = matches!(
        decoded.instruction.code(),
        Code::Loop_rel8_16_ECX
            | Code::Loop_rel8_32_ECX
            | Code::Loope_rel8_16_ECX
            | Code::Loope_rel8_32_ECX
            | Code::Loopne_rel8_16_ECX
            | Code::Loopne_rel8_32_ECX
            | Code::Jecxz_rel8_16
            | Code::Jecxz_rel8_32
    );
    decoded.op.mode = if is_wide { Mode::Wide } else { Mode::Based };
    decoded.run = by_width!(is_wide, |W| match decoded.mnemonic() {
        Mnemonic::Loop => loop_::<B, W, Always>,
        Mnemonic::Loope => loop_::<B, W, WhileEqual>,
        Mnemonic::Loopne => loop_::<B, W, WhileNotEqual>,
        Mnemonic::Jcxz | Mnemonic::Jecxz => jcxz::<B, W>,
        _ => return None,
    });
    Some(())
}
