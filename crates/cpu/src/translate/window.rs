//! Windows of the stack: sequences of PUSH, POP, CALL and RET in a block whose accesses to the stack are
//! checked once, before the first of them.
//!
//! SP changes by known numbers in a sequence, so all its accesses are at known distances from SP. Between
//! them may be other instructions that change neither SP nor SS and do not leave the block.

use iced_x86::{Instruction, Mnemonic as M, OpKind, Register as R};

use super::kind::{Kind, stack_register};
use super::plan::Plan;
use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::registers::Reg;

/// The bytes of the stack that a sequence accesses, as distances from SP before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Window {
    /// SP and all accesses are between these.
    pub(super) low: i64,
    pub(super) high: i64,
    /// The end of the last word that is written; `None` if none is.
    pub(super) top: Option<i64>,
}

/// The most bytes from the lowest to the highest that are written: the last word of them begins in the
/// granule of the first, or in the next.
pub(super) const MOST_WRITTEN: i64 = 18;
/// The longest distance from SP: a displacement of 8 bits.
const FARTHEST: i64 = 127;
/// The fewest operations in a window. Checks of their own are as fast for fewer.
const LEAST: usize = 3;

impl Window {
    /// Returns the window with an access to `bytes` bytes, below SP if it is a write, where SP is this far from
    /// its value before the sequence, and changes. `None` if that is too large.
    fn with(self, sp: i64, Access { bytes, change }: Access) -> Option<Window> {
        let is_write = change < 0;
        let end = if is_write { sp } else { sp + bytes };
        let low = self.low.min(sp + change);
        let high = self.high.max(end).max(sp + change);
        let top = if is_write { Some(end.max(self.top.unwrap_or(end))) } else { self.top };
        let is_small =
            top.is_none_or(|top| top - low <= MOST_WRITTEN) && -low <= FARTHEST && high <= FARTHEST;
        is_small.then_some(Window { low, high, top })
    }
}

/// Operations whose accesses are checked together.
#[derive(Debug, Default)]
struct Sequence {
    operations: Vec<usize>,
    /// SP after them, relative to SP before them.
    sp: i64,
    window: Window,
}

impl Sequence {
    /// Adds an operation. Returns whether the window is small enough; otherwise nothing changes.
    fn add(&mut self, number: usize, access: Access) -> bool {
        let Some(window) = self.window.with(self.sp, access) else { return false };
        self.operations.push(number);
        self.sp += access.change;
        self.window = window;
        true
    }

    /// Ends the sequence, and plans its window if that is worth it.
    fn end(&mut self, plans: &mut [Plan]) {
        let Sequence { operations, window, .. } = std::mem::take(self);
        if operations.len() < LEAST {
            return;
        }
        for &number in &operations {
            plans[number].in_window = true;
        }
        plans[operations[0]].window = Some(window);
    }
}

/// The access of an operation to the stack, below SP if it lowers SP and otherwise above.
#[derive(Debug, Clone, Copy)]
struct Access {
    bytes: i64,
    change: i64,
}

/// Plans the windows of a block.
pub(super) fn plan<B: Bus>(plans: &mut [Plan], decoded: &[Decoded<B>]) {
    let mut sequence = Sequence::default();
    for number in 0..plans.len() {
        if is_jump_target(number, plans, decoded) {
            sequence.end(plans);
        }
        let (plan, this) = (&plans[number], &decoded[number]);
        match access(plan, this) {
            Some(access) => {
                if !sequence.add(number, access) {
                    sequence.end(plans);
                    sequence.add(number, access);
                }
            }
            None if is_neutral(plan, &this.instruction) => {}
            None => sequence.end(plans),
        }
        if this.condition.is_some() {
            sequence.end(plans);
        }
    }
    sequence.end(plans);
}

/// Returns whether an operation may follow another than the one before it.
fn is_jump_target<B: Bus>(number: usize, plans: &[Plan], decoded: &[Decoded<B>]) -> bool {
    plans.iter().zip(decoded).take(number).any(|(plan, decoded)| {
        let is_count = matches!(plan.kind, Kind::Loop | Kind::LoopWhile { .. } | Kind::JumpIfZero);
        (decoded.condition.is_some() || is_count) && decoded.op.exit.operation() == Some(number)
    })
}

fn access<B: Bus>(plan: &Plan, decoded: &Decoded<B>) -> Option<Access> {
    let bytes = i64::from(plan.bytes);
    let change = match plan.kind {
        Kind::Push | Kind::PushMemory | Kind::PushSegment | Kind::Call => -bytes,
        Kind::Pop if stack_register(&decoded.instruction) != Some(Reg::Sp) => bytes,
        // The words of a window are at even distances.
        Kind::Return if decoded.op.imm.is_multiple_of(2) => bytes + i64::from(decoded.op.imm),
        _ => return None,
    };
    Some(Access { bytes, change })
}

/// Returns whether an operation changes neither SP nor SS, and is not left to its handler by plan.
fn is_neutral(plan: &Plan, instruction: &Instruction) -> bool {
    let is_sp = |n| {
        instruction.op_kind(n) == OpKind::Register && matches!(instruction.op_register(n), R::SP | R::ESP)
    };
    // These may be left to their handlers later, because of the flags.
    let is_double_shift = matches!(instruction.mnemonic(), M::Shld | M::Shrd);
    match plan.kind {
        Kind::Same(_) | Kind::Shift(..) | Kind::ShiftByCl(_) | Kind::Multiply(_) | Kind::Lea => {
            !is_double_shift && !(0..instruction.op_count()).any(is_sp)
        }
        Kind::Nothing | Kind::Divide { .. } | Kind::Extend(_) | Kind::Xlat | Kind::Jump => true,
        Kind::LoadFlags | Kind::StoreFlags | Kind::Direct { .. } | Kind::Cli => true,
        Kind::StoreString | Kind::LoadString | Kind::MoveString => true,
        _ => false,
    }
}

/// Returns whether an operation keeps RSI.
pub(super) fn keeps_host(plan: &Plan) -> bool {
    let on_registers = matches!(plan.kind, Kind::Nothing | Kind::Same(_) | Kind::Extend(_) | Kind::Lea);
    plan.in_window || on_registers && plan.bytes == 0
}
