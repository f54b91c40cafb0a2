//! Which flags nobody looks at.
//!
//! Going backwards through a block, a flag is dead where it is written again before anything can read it, or stop
//! between. An instruction whose flags are all dead gets a handler that does not compute them. Whatever may fault,
//! store, or end the block keeps all flags alive, so that the state is exact wherever a block stops.

use iced_x86::{Instruction, Mnemonic};

use super::super::block::Handler;
use super::super::bus::Bus;
use super::super::operand::Mode;
use super::super::ops::alu::select_quiet;
use super::super::ops::shift::select_plain;
use super::super::registers::Flags;
use super::super::status::Status;
use super::{Decoded, Form, Operands};

/// What an instruction does to the status flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Effect {
    reads: u32,
    writes: u32,
}

impl Effect {
    /// It may read, or show, all of them.
    pub(super) const ANYTHING: Effect = Effect { reads: Status::MASK, writes: 0 };
    const NOTHING: Effect = Effect { reads: 0, writes: 0 };
}

/// The effect of an instruction. Only what is known to be harmless, on registers alone, is more than
/// [`Effect::ANYTHING`].
pub(super) fn effect(instruction: &Instruction, operands: &Operands) -> Effect {
    use Mnemonic as M;
    let writes = |writes: u32| Effect { reads: 0, writes };
    if operands.form.mode() != Mode::Register {
        return if instruction.mnemonic() == M::Lea { Effect::NOTHING } else { Effect::ANYTHING };
    }
    match instruction.mnemonic() {
        M::Add | M::Or | M::And | M::Sub | M::Xor | M::Cmp | M::Test | M::Neg => writes(Status::MASK),
        M::Adc | M::Sbb => Effect { reads: Flags::CF, writes: Status::MASK },
        M::Inc | M::Dec => writes(Status::MASK & !Flags::CF),
        M::Not | M::Nop | M::Cbw | M::Cwde | M::Cwd | M::Cdq | M::Xchg | M::Movzx | M::Movsx => {
            Effect::NOTHING
        }
        M::Clc | M::Stc => writes(Flags::CF),
        M::Mov if is_general(instruction) => Effect::NOTHING,
        M::Shl | M::Sal | M::Shr | M::Sar if is_plain_shift(instruction, operands) => writes(Status::MASK),
        // In the middle of a block it is one that the block goes on through.
        M::Jmp if instruction.is_jmp_short_or_near() => Effect::NOTHING,
        _ => Effect::ANYTHING,
    }
}

/// SHL, SHR or SAR of a register by an immediate count that is above 0 on every model.
pub(super) fn is_plain_shift(instruction: &Instruction, operands: &Operands) -> bool {
    use Mnemonic as M;
    matches!(instruction.mnemonic(), M::Shl | M::Sal | M::Shr | M::Sar)
        && operands.form == Form::RmImm(Mode::Register)
        && (1..32).contains(&instruction.immediate8())
}

/// MOV without segment or system registers.
fn is_general(instruction: &Instruction) -> bool {
    (0..instruction.op_count())
        .map(|n| instruction.op_register(n))
        .all(|register| register == iced_x86::Register::None || register.is_gpr())
}

/// Chooses handlers without flags where all of an instruction's flags are dead.
pub(super) fn drop_dead_flags<B: Bus>(decoded: &mut [Decoded<B>]) {
    let mut live = Status::MASK;
    for instruction in decoded.iter_mut().rev() {
        let Effect { reads, writes } = instruction.effect;
        let dead = instruction.flags & live == 0;
        if dead
            && instruction.flags != 0
            && instruction.op.count == 1
            && let Some(run) = quiet(instruction)
        {
            instruction.op.run = run;
        }
        live = live & !writes | reads;
    }
}

/// The handler that leaves an instruction's flags out, if there is one.
fn quiet<B: Bus>(decoded: &Decoded<B>) -> Option<Handler<B>> {
    use Mnemonic as M;
    match decoded.mnemonic {
        shift @ (M::Shl | M::Sal | M::Shr | M::Sar) => {
            Some(select_plain::<B>(shift, decoded.operands.size, false))
        }
        mnemonic => select_quiet::<B>(mnemonic, &decoded.operands),
    }
}

/// The flags that the handlers of [`quiet`] would leave out; none where there is no such handler.
pub(super) fn flags_of(instruction: &Instruction, operands: &Operands) -> u32 {
    use Mnemonic as M;
    match instruction.mnemonic() {
        _ if is_plain_shift(instruction, operands) => Status::MASK,
        M::Add | M::Or | M::And | M::Sub | M::Xor => Status::MASK,
        M::Inc | M::Dec => Status::MASK & !Flags::CF,
        _ => 0,
    }
}
