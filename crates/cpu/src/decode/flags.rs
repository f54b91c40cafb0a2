//! Which flags nobody looks at.
//!
//! Going backwards through a block, a flag is dead where it is written again before anything can read it, or stop
//! between. An instruction whose flags are all dead gets a handler that leaves them out. Whatever may fault, store, or
//! end the block keeps all flags alive, so that the state is exact wherever a block stops.

use crate::bus::Bus;
use crate::decoded::{Decoded, Effect, Variant};
use crate::status::Status;

/// Chooses handlers without flags where all of an instruction's flags are dead.
pub(super) fn drop_dead_flags<B: Bus>(decoded: &mut [Decoded<B>]) {
    let mut live = Status::MASK;
    for instruction in decoded.iter_mut().rev() {
        let Effect { reads, writes, may_stop } = instruction.effect;
        if instruction.condition.is_some() {
            // The jump, which is last in the operation, may leave the block.
            live = Status::MASK;
        }
        let is_dead = writes != 0 && writes & live == 0 && instruction.op.count == 1;
        if is_dead && let Some(run) = instruction.variant(Variant::Quiet) {
            instruction.run = run;
        }
        live = if may_stop { Status::MASK } else { live & !writes | reads };
    }
}
