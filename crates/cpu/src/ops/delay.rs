//! Delay loops: a block that only decrements a register, perhaps with NOPs, and jumps to its own
//! start.

use iced_x86::Mnemonic;

use crate::alu::{Dec, Unary};
use crate::bus::Bus;
use crate::decoded::{Decoded, Special};
use crate::form::{Form, Operands};
use crate::op::{Flow, Mode, Op, RemainingOps};
use crate::registers::Reg;
use crate::size::{Size, by_width};
use crate::state::Cpu;

/// Executes all iterations before the deadline at once. `count`: instructions per iteration.
fn delay<B: Bus, W: Size, const FLAGS: bool>(cpu: &mut Cpu, _: &mut B, ops: RemainingOps<B>) -> Flow {
    let Some((op, _)) = ops.first() else { return Flow::FALL };
    let count = W::get(&cpu.regs.gpr, op.rm);
    let to_zero = u64::from(count.wrapping_sub(1) & W::MASK) + 1;
    // One iteration is already counted.
    let more = (cpu.limit - cpu.cycles) / u64::from(op.count);
    let turns = to_zero.min(more + 1);
    let left = u64::from(count).wrapping_sub(turns) as u32 & W::MASK;
    W::set(cpu, op.rm, left);
    if FLAGS {
        cpu.status = Dec::apply::<W>(left.wrapping_add(1) & W::MASK, cpu.status).1;
    }
    cpu.cycles += (turns - 1) * u64::from(op.count);
    if left == 0 { Flow::FALL } else { cpu.take(op) }
}

/// Returns a single operation for a block at `start` that is a delay loop.
pub(crate) fn recognise<B: Bus>(decoded: &[Decoded<B>], start: u32) -> Option<Decoded<B>> {
    /// The condition "not zero".
    const NZ: u8 = 5;
    let last = decoded.last().filter(|last| last.op.target == start)?;
    let mut counting = decoded.iter().filter(|decoded| decoded.mnemonic() != Mnemonic::Nop);
    let first = counting.next()?;
    let is_last = std::ptr::eq(first, last);
    // Neither instruction is fused with another: a comparison before this jump, or another jump
    // before it.
    let is_jump =
        |second: &Decoded<B>| std::ptr::eq(second, last) && first.op.count == 1 && last.op.count == 1;
    let (reg, is_wide, sets_flags) = match (first.mnemonic(), first.operands) {
        (Mnemonic::Loop, _) if is_last => (Reg::C, first.op.mode == Mode::Wide, false),
        // DEC and Jcc are one operation, or are separated by NOPs.
        (Mnemonic::Dec, Operands { size: size @ 2.., form: Form::RmImm(Mode::Register) })
            if last.condition == Some(NZ) && (is_last || counting.next().is_some_and(is_jump)) =>
        {
            (first.op.rm, size == 4, true)
        }
        _ => return None,
    };
    let run = by_width!(is_wide, |W| if sets_flags { delay::<B, W, true> } else { delay::<B, W, false> });
    let op = Op {
        rm: reg,
        ip: start,
        target: start,
        count: decoded.iter().map(|decoded| decoded.op.count).sum(),
        len: (last.op.next() - start) as u8,
        ..last.op
    };
    Some(Decoded { op, run, special: Some(Special::Loop), ..*last })
}
