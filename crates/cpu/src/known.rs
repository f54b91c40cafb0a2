//! Decoded instructions by their bytes, for code that is executed without blocks because the program
//! keeps changing it.

use iced_x86::{Code, OpKind};

use crate::decoded::Decoded;
use crate::number_hash::MULTIPLIER;
use crate::op::{Handler, Op};

/// The number of bytes of the longest instruction that is kept.
pub(super) const LONGEST: usize = 8;
/// The number of slots for instructions of one and two bytes, and for longer ones.
const SLOTS: usize = 1024;

#[derive(Debug, Clone)]
struct Known<B> {
    /// The bytes, the first one lowest, and the mask of the bits that belong to the instruction.
    bytes: u64,
    mask: u64,
    run: Handler<B>,
    /// The operation, at the offset at which it was found last.
    op: Op<B>,
    /// The distance from the next instruction to the target, if the target is relative to it.
    distance: Option<u32>,
}

/// A cache of instructions of one model of processor. It is filled when it is used.
#[derive(Debug)]
pub(crate) struct KnownInstructions<B> {
    slots: Vec<Option<Known<B>>>,
}

impl<B> KnownInstructions<B> {
    pub(crate) const fn new() -> Self {
        KnownInstructions { slots: Vec::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.slots.clear();
    }

    /// Returns the instruction that begins with these bytes, at an offset in CS. A copy of the operation
    /// would take longer than most instructions.
    #[inline]
    pub(super) fn find(&mut self, bytes: u64, ip: u32) -> Option<(Handler<B>, &Op<B>)> {
        let slot = [slot(bytes, 2), slot(bytes, 4)].into_iter().find(|slot| self.holds(*slot, bytes))?;
        let known = self.slots.get_mut(slot)?.as_mut()?;
        known.op.ip = ip;
        if let Some(distance) = known.distance {
            known.op.target = known.op.next().wrapping_add(distance) & 0xFFFF;
        }
        Some((known.run, &known.op))
    }

    fn holds(&self, slot: usize, bytes: u64) -> bool {
        let known = self.slots.get(slot).and_then(Option::as_ref);
        known.is_some_and(|known| bytes & known.mask == known.bytes)
    }

    /// Keeps an instruction that begins with these bytes, unless its operation depends on more than
    /// they.
    pub(super) fn keep(&mut self, bytes: u64, decoded: &Decoded<B>) {
        let Decoded { run, op, instruction, .. } = decoded;
        let len = usize::from(op.len);
        let target = (instruction.op_count() > 0).then(|| instruction.op0_kind());
        if instruction.code() == Code::INVALID || len > LONGEST || target == Some(OpKind::NearBranch32) {
            return;
        }
        let is_relative = target == Some(OpKind::NearBranch16);
        let distance = is_relative.then(|| op.target.wrapping_sub(op.next()) & 0xFFFF);
        let mask = u64::MAX >> (64 - 8 * len);
        let slot = slot(bytes, if len <= 2 { 2 } else { 4 });
        if self.slots.is_empty() {
            self.slots.resize_with(2 * SLOTS, || None);
        }
        self.slots[slot] = Some(Known { bytes: bytes & mask, mask, run: *run, op: *op, distance });
    }
}

/// Returns the slot for the first 2 or 4 bytes.
fn slot(bytes: u64, count: u32) -> usize {
    let first = bytes & (u64::MAX >> (64 - 8 * count));
    let slot = (first.wrapping_mul(MULTIPLIER) >> (64 - SLOTS.ilog2())) as usize;
    if count == 2 { slot } else { SLOTS + slot }
}
