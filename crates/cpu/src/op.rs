//! Operations: a handler, its operands, and the transition to the next operation.
//!
//! The operations of a block call each other in order. The last one returns how the block ended,
//! with exact CS:IP and cycle count wherever the run may stop.

use super::bus::Bus;
use super::registers::{Reg, Segment};
use super::state::{Cpu, Exit};

/// The way a sequence of operations ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flow(pub(super) u8);

impl Flow {
    /// The number of a block's exits to other places: after its last operation, and jumps to its
    /// open targets by number.
    pub(super) const EXITS: usize = 4;
    /// The last operation was executed. Execution continues after it. The first exit.
    pub(super) const FALL: Flow = Flow(0);
    /// A jump to the start of the same block.
    pub(super) const AGAIN: Flow = Flow(4);
    /// The last operation has set CS:IP.
    pub(super) const JUMP: Flow = Flow(5);
    /// The block stopped in the middle. CS:IP is set and cycles are counted.
    pub(super) const STOP: Flow = Flow(6);
    /// Like [`Flow::STOP`], after a firmware trap. `exit` has its number.
    pub(super) const TRAP: Flow = Flow(7);
    /// The block was not started, because the cycle limit is inside it.
    pub(super) const BUDGET_EXHAUSTED: Flow = Flow(97);
    /// The block was not started, because it is hot and should be translated.
    pub(super) const COMPILE: Flow = Flow(98);
    /// The block stopped. Its translation is of no use.
    pub(super) const DISCARD: Flow = Flow(99);
    /// A handler is done; translated code continues. The number of remaining operations is added.
    const RESUME: u8 = 64;
    /// A jump to the first operation of the same block. Jumps to others have the following numbers.
    const WITHIN: Flow = Flow(8);

    /// Returns the flow for an exit number.
    pub(super) fn by_exit(number: usize) -> Flow {
        Flow(number as u8)
    }

    /// Returns the flow for a jump to an operation of the same block other than the first.
    pub(super) fn within(number: usize) -> Flow {
        Flow(Flow::WITHIN.0 + number as u8)
    }

    /// Returns the number of the operation of the same block that is next, if any.
    #[inline(always)]
    pub(super) fn operation(self) -> Option<usize> {
        (Flow::WITHIN.0..Flow::RESUME).contains(&self.0).then(|| usize::from(self.0 - Flow::WITHIN.0))
    }

    /// Returns the number of remaining operations if translated code continues.
    #[inline(always)]
    pub(super) fn to_resume(self) -> Option<usize> {
        (Flow::RESUME..Flow::BUDGET_EXHAUSTED.0).contains(&self.0).then(|| usize::from(self.0 - Flow::RESUME))
    }

    /// Returns the exit number, if this is an exit.
    #[inline(always)]
    pub(super) fn exit(self) -> Option<usize> {
        (usize::from(self.0) < Flow::EXITS).then_some(usize::from(self.0))
    }
}

/// The operations of a block from one of them on.
#[derive(Debug)]
pub(super) struct RemainingOps<'a, B>(std::slice::Iter<'a, Op<B>>);

impl<'a, B> RemainingOps<'a, B> {
    #[inline(always)]
    pub(super) fn of(ops: &'a [Op<B>]) -> Self {
        RemainingOps(ops.iter())
    }

    /// Returns the first of them and the others.
    #[inline(always)]
    pub(super) fn first(&self) -> Option<(&'a Op<B>, Self)> {
        let mut rest = self.0.clone();
        let op = rest.next()?;
        Some((op, RemainingOps(rest)))
    }
}

/// A function that executes the first operation and then the others.
pub(super) type Handler<B> = fn(&mut Cpu, &mut B, rest: RemainingOps<B>) -> Flow;

/// Ends a block after its last operation.
fn fall<B>(_: &mut Cpu, _: &mut B, _: RemainingOps<B>) -> Flow {
    Flow::FALL
}

/// Returns to translated code after an operation that it left to its handler.
#[expect(clippy::needless_pass_by_value, reason = "as all handlers")]
pub(super) fn resume<B>(_: &mut Cpu, _: &mut B, rest: RemainingOps<B>) -> Flow {
    Flow(Flow::RESUME + rest.0.len() as u8)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub(super) enum Mode {
    /// The register `rm`, not memory.
    #[default]
    Register,
    /// 16 bits: displacement only.
    Absolute,
    /// 16 bits: one register and a displacement.
    Based,
    /// 16 bits: two registers and a displacement.
    Indexed,
    /// 32 bits: all parts optional, scaled index.
    Wide,
}

/// An operation: one instruction, or a fused pair.
#[derive(Debug)]
pub(super) struct Op<B> {
    /// The handler of the operation that follows.
    pub(super) then: Handler<B>,
    /// The immediate, extended to the operand size. Some families store another number here.
    pub(super) imm: u32,
    /// Displacement of the memory operand.
    pub(super) disp: u32,
    pub(super) target: u32,
    /// The offset of the (first) instruction in CS.
    pub(super) ip: u32,
    /// Length in bytes.
    pub(super) len: u8,
    /// Instructions of the block after this operation.
    pub(super) after: u8,
    /// Instructions in this operation: 1, or 2 for a fused pair.
    pub(super) count: u8,
    /// The flow that a jump to `target` returns.
    pub(super) exit: Flow,
    /// The instructions of the block that a jump to `target` skips.
    pub(super) skipped: u8,
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
    /// Creates an operation without operands: `len` bytes at `ip`.
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
            skipped: 0,
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

    /// Returns whether no register operand is AH, CH, DH or BH as a byte.
    pub(super) fn has_low_registers(&self) -> bool {
        (self.reg as u8) < 4 && (self.rm as u8) < 4
    }

    /// Returns the offset of the next instruction.
    #[inline(always)]
    pub(super) fn next(&self) -> u32 {
        self.ip + u32::from(self.len)
    }
}

/// Executes the remaining operations.
#[inline(always)]
pub(super) fn next<B: Bus>(cpu: &mut Cpu, bus: &mut B, op: &Op<B>, rest: RemainingOps<B>) -> Flow {
    (op.then)(cpu, bus, rest)
}

/// Executes the remaining operations after one that delays interrupts, if `delays`, by an instruction. Ends the block
/// if an interrupt is requested, or there is no instruction to wait for.
#[inline(always)]
pub(super) fn next_before_interrupts<B: Bus>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    rest: RemainingOps<B>,
    delays: bool,
) -> Flow {
    if cpu.intr || rest.first().is_none() {
        cpu.shadow = delays;
        return cpu.stop(op);
    }
    next(cpu, bus, op, rest)
}

/// Executes the remaining operations after a possible write, unless their bytes have changed.
#[inline(always)]
pub(super) fn next_after_store<B: Bus>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    rest: RemainingOps<B>,
) -> Flow {
    if bus.code_written() {
        return cpu.stop(op);
    }
    next(cpu, bus, op, rest)
}

/// Jumps to the target of `op` if `taken`, and otherwise executes the remaining operations.
#[inline(always)]
pub(super) fn branch<B: Bus>(
    cpu: &mut Cpu,
    bus: &mut B,
    op: &Op<B>,
    rest: RemainingOps<B>,
    taken: bool,
) -> Flow {
    if taken { cpu.take(op) } else { next(cpu, bus, op, rest) }
}

impl Cpu {
    /// Jumps to the target of `op`.
    #[inline(always)]
    pub(super) fn take<B>(&mut self, op: &Op<B>) -> Flow {
        self.cycles -= u64::from(op.skipped);
        op.exit
    }

    /// Returns the cycle count before `op`. The block's start has advanced `cycles` to its end.
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

    /// Ends the block before `op`, which is then executed again.
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
