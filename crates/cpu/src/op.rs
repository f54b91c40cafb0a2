//! One decoded operation: its handler and its operands, and how one operation follows another.
//!
//! The operations of a block call each other in a row; the last one hands back how it ended, with CS:IP and the cycle
//! count exact where the run may stop there.

use super::bus::Bus;
use super::registers::{Reg, Segment};
use super::state::{Cpu, Exit};

/// How a run of operations ended: by one of the block's exits, or otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flow(pub(super) u8);

impl Flow {
    /// Ways out of a block to other places: after its last operation, and by a jump to the target of one with this number.
    pub(super) const EXITS: usize = 4;
    /// The last operation was executed: go on after it. The first of the exits.
    pub(super) const FALL: Flow = Flow(0);
    /// A jump to the start of the same block.
    pub(super) const AGAIN: Flow = Flow(4);
    /// CS:IP has been set by the last operation.
    pub(super) const JUMP: Flow = Flow(5);
    /// Stopped in the middle: CS:IP is set, cycles are counted.
    pub(super) const STOP: Flow = Flow(6);
    /// The same after a firmware trap: the exit says which.
    pub(super) const TRAP: Flow = Flow(7);
    /// The block has not been begun, since the limit lies in it.
    pub(super) const SHORT: Flow = Flow(97);
    /// The block has not been begun: it runs so often that it should be translated.
    pub(super) const HOT: Flow = Flow(98);
    /// Stopped, in a block whose translation is of no use.
    pub(super) const COLD: Flow = Flow(99);
    /// An operation's handler is done, and translated code goes on; the number of operations to come is added.
    const RESUME: u8 = 64;
    /// A jump to the first operation of the same block; those to others have the numbers behind it.
    const WITHIN: Flow = Flow(8);

    /// By the exit with this number.
    pub(super) fn by_exit(number: usize) -> Flow {
        Flow(number as u8)
    }

    /// To the operation with this number in the same block, not the first.
    pub(super) fn within(number: usize) -> Flow {
        Flow(Flow::WITHIN.0 + number as u8)
    }

    /// The number of the operation that the block goes on with, if it does.
    #[inline(always)]
    pub(super) fn operation(self) -> Option<usize> {
        (Flow::WITHIN.0..Flow::RESUME).contains(&self.0).then(|| usize::from(self.0 - Flow::WITHIN.0))
    }

    /// The number of operations to come when translated code goes on, if it does.
    #[inline(always)]
    pub(super) fn to_resume(self) -> Option<usize> {
        (Flow::RESUME..Flow::SHORT.0).contains(&self.0).then(|| usize::from(self.0 - Flow::RESUME))
    }

    /// The number of the exit, if it is one.
    #[inline(always)]
    pub(super) fn exit(self) -> Option<usize> {
        (usize::from(self.0) < Flow::EXITS).then_some(usize::from(self.0))
    }
}

/// The operations of a block from one of them on.
#[derive(Debug)]
pub(super) struct Rest<'a, B>(std::slice::Iter<'a, Op<B>>);

impl<'a, B> Rest<'a, B> {
    #[inline(always)]
    pub(super) fn of(ops: &'a [Op<B>]) -> Self {
        Rest(ops.iter())
    }

    /// The first of them, and the others.
    #[inline(always)]
    pub(super) fn first(&self) -> Option<(&'a Op<B>, Self)> {
        let mut rest = self.0.clone();
        let op = rest.next()?;
        Some((op, Rest(rest)))
    }
}

/// Executes the first operation and then the others.
pub(super) type Handler<B> = fn(&mut Cpu, &mut B, rest: Rest<B>) -> Flow;

/// What follows the last operation of a block.
fn fall<B>(_: &mut Cpu, _: &mut B, _: Rest<B>) -> Flow {
    Flow::FALL
}

/// What follows an operation that was left to its handler, where the block is translated: back to the code.
#[expect(clippy::needless_pass_by_value, reason = "as all handlers")]
pub(super) fn resume<B>(_: &mut Cpu, _: &mut B, rest: Rest<B>) -> Flow {
    Flow(Flow::RESUME + rest.0.len() as u8)
}

/// The form of an operand's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub(super) enum Mode {
    /// Not memory: the register `rm`.
    #[default]
    Register,
    /// 16 bits: a displacement alone.
    Absolute,
    /// 16 bits: one register and a displacement.
    Based,
    /// 16 bits: two registers and a displacement.
    Indexed,
    /// 32 bits: everything optional, index scaled.
    Wide,
}

/// One operation: an instruction, or a fused pair of two.
#[derive(Debug)]
pub(super) struct Op<B> {
    /// Executes the operation that follows.
    pub(super) then: Handler<B>,
    /// The immediate, extended to the operand size; some families put another number of theirs here.
    pub(super) imm: u32,
    /// Displacement of the memory operand.
    pub(super) disp: u32,
    /// Where a jump goes.
    pub(super) target: u32,
    /// Offset of the (first) instruction in CS.
    pub(super) ip: u32,
    /// Length in bytes.
    pub(super) len: u8,
    /// Instructions of the block after this operation.
    pub(super) after: u8,
    /// Instructions in this operation: 1, or 2 for a fused pair.
    pub(super) count: u8,
    /// How the way to `target` goes.
    pub(super) exit: Flow,
    /// Instructions of the block that this way leaves out.
    pub(super) leaves_out: u8,
    pub(super) reg: Reg,
    pub(super) rm: Reg,
    pub(super) base: Reg,
    pub(super) index: Reg,
    pub(super) seg: Segment,
    pub(super) mode: Mode,
    pub(super) scale: u8,
    pub(super) has_base: bool,
    pub(super) has_index: bool,
}

impl<B> Clone for Op<B> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B> Copy for Op<B> {}

impl<B> Op<B> {
    /// An operation without operands, `len` bytes at `ip`.
    pub(super) fn new(ip: u32, len: usize) -> Self {
        Op {
            then: fall::<B>,
            imm: 0,
            disp: 0,
            target: 0,
            ip,
            len: len as u8,
            after: 0,
            count: 1,
            exit: Flow(1),
            leaves_out: 0,
            reg: Reg::A,
            rm: Reg::A,
            base: Reg::A,
            index: Reg::A,
            seg: Segment::Ds,
            mode: Mode::Register,
            scale: 0,
            has_base: false,
            has_index: false,
        }
    }

    /// True when the register operands, as bytes, are none of AH, CH, DH and BH.
    pub(super) fn has_low_registers(&self) -> bool {
        (self.reg as u8) < 4 && (self.rm as u8) < 4
    }

    /// Offset of the next instruction.
    #[inline(always)]
    pub(super) fn next(&self) -> u32 {
        self.ip + u32::from(self.len)
    }
}

/// Goes on with the rest of the block.
#[inline(always)]
pub(super) fn next<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: Rest<B>) -> Flow {
    (op.then)(cpu, bus, rest)
}

/// Goes on after something that may have written memory: not into operations whose bytes have changed.
#[inline(always)]
pub(super) fn next_after_store<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: Rest<B>) -> Flow {
    if bus.code_written() {
        return cpu.stop(op);
    }
    next(cpu, bus, op, rest)
}

/// Goes to the target of `op` if that is `taken`, and otherwise on with the rest of the block.
#[inline(always)]
pub(super) fn branch<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: Rest<B>, taken: bool) -> Flow {
    if taken { cpu.take(op) } else { next(cpu, bus, op, rest) }
}

impl Cpu {
    /// Goes to the target of `op`.
    #[inline(always)]
    pub(super) fn take<B>(&mut self, op: &Op<B>) -> Flow {
        self.cycles -= u64::from(op.leaves_out);
        op.exit
    }

    /// The cycles before `op`: `cycles` was moved to the end of the block when the block was entered.
    #[inline]
    pub(super) fn cycles_before<B>(&self, op: &Op<B>) -> u64 {
        self.cycles - u64::from(op.after) - u64::from(op.count)
    }

    /// Ends the block after `op`.
    #[inline]
    pub(super) fn stop<B>(&mut self, op: &Op<B>) -> Flow {
        self.regs.ip = self.model.wrapped_ip(op.next());
        self.cycles -= u64::from(op.after);
        Flow::STOP
    }

    /// Ends the block before `op`, which is to be executed again.
    pub(super) fn stop_before<B>(&mut self, op: &Op<B>) -> Flow {
        self.regs.ip = op.ip;
        self.cycles = self.cycles_before(op);
        Flow::STOP
    }

    /// Ends the run after `op`.
    pub(super) fn leave<B>(&mut self, op: &Op<B>, exit: Exit) -> Flow {
        self.exit = Some(exit);
        self.stop(op)
    }

    /// Ends the run before `op`.
    pub(super) fn leave_before<B>(&mut self, op: &Op<B>, exit: Exit) -> Flow {
        self.exit = Some(exit);
        self.stop_before(op)
    }
}
