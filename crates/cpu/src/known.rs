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
    op: Op<B>,
    /// Whether the target of the operation is relative to the next instruction.
    is_relative: bool,
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

    /// Returns the instruction that begins with these bytes, at an offset in CS.
    pub(super) fn find(&self, bytes: u64, ip: u32) -> Option<(Handler<B>, Op<B>)> {
        let known = self.at(slot(bytes, 2), bytes).or_else(|| self.at(slot(bytes, 4), bytes))?;
        let mut op = Op { ip, ..known.op };
        if known.is_relative {
            op.target = op.target.wrapping_add(op.next()) & 0xFFFF;
        }
        Some((known.run, op))
    }

    fn at(&self, slot: usize, bytes: u64) -> Option<&Known<B>> {
        let known = self.slots.get(slot)?.as_ref()?;
        (bytes & known.mask == known.bytes).then_some(known)
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
        let mut op = *op;
        if is_relative {
            op.target = op.target.wrapping_sub(op.next()) & 0xFFFF;
        }
        let mask = u64::MAX >> (64 - 8 * len);
        let slot = slot(bytes, if len <= 2 { 2 } else { 4 });
        if self.slots.is_empty() {
            self.slots.resize_with(2 * SLOTS, || None);
        }
        self.slots[slot] = Some(Known { bytes: bytes & mask, mask, run: *run, op, is_relative });
    }
}

/// Returns the slot for the first 2 or 4 bytes.
fn slot(bytes: u64, count: u32) -> usize {
    let first = bytes & (u64::MAX >> (64 - 8 * count));
    let slot = (first.wrapping_mul(MULTIPLIER) >> (64 - SLOTS.ilog2())) as usize;
    if count == 2 { slot } else { SLOTS + slot }
}
