//! Dead flag elimination.
//!
//! Going backwards through a block, a flag is dead if it is written again before an instruction can
//! read it and before the block can stop. An instruction whose flags are all dead gets a handler
//! that does not compute them. An instruction that may fault, store or end the block keeps all
//! flags alive, so that the state is exact wherever a block stops.

use crate::bus::Bus;
use crate::decoded::{Decoded, Effect, Variant};
use crate::status::Status;

/// Chooses handlers without flags for instructions whose flags are all dead.
pub(super) fn drop_dead_flags<B: Bus>(decoded: &mut [Decoded<B>]) {
    let mut live = Status::MASK;
    for instruction in decoded.iter_mut().rev() {
        let Effect { reads, writes, may_stop } = instruction.effect;
        if instruction.condition.is_some() {
            // The jump, which is the last part of the operation, may leave the block.
            live = Status::MASK;
        }
        let is_dead = writes != 0 && writes & live == 0 && instruction.op.count == 1;
        if is_dead && let Some(run) = instruction.variant(Variant::Quiet) {
            instruction.run = run;
        }
        live = if may_stop { Status::MASK } else { live & !writes | reads };
    }
}
