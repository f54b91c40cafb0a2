//! Exits of a translated block: to other blocks, to itself, and to the interpreter.
//!
//! Exits jump through links, cells that hold an address: that of the next block's code, or, until
//! that is known, that of a stub that returns to the run loop and reports the exit.

use iced_x86::{Code as C, Register as R};

use super::context::offset;
use super::emit::{Emitter, Label, at};
use super::flags::FlagLocation;
use super::host;
use super::registers::{BUDGET, CONTEXT, OFFSET};
use super::routines::Routines;
use crate::op::Flow;

/// An exit that is emitted after the straight line.
#[derive(Debug)]
pub(super) struct SideExit {
    pub(super) label: Label,
    pub(super) held: FlagLocation,
    /// Cycles of the block that this exit skips.
    pub(super) skipped: u8,
    pub(super) to: ExitTarget,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum ExitTarget {
    /// The block's exit with this number.
    Exit(usize),
    /// A label of this block, with the location of the flags that it expects.
    Here(Label, FlagLocation),
    /// The run loop, with this flow.
    Back(Flow),
    /// The offset in EDI.
    Offset,
    /// The run loop, to check for events before the instruction at this offset.
    Stop(u32),
}

/// Returns the value of EAX when translated code returns: the block, and how it ended.
pub(super) fn answer(id: u32, flow: Flow) -> i32 {
    (id << 8 | u32::from(flow.0)) as i32
}

/// Splits such a value into block and flow.
pub(super) fn from_answer(answer: u64) -> (u32, Flow) {
    (answer as u32 >> 8, Flow(answer as u8))
}

#[derive(Debug)]
pub(super) struct Exits {
    pub(super) id: u32,
    pub(super) key: u64,
    /// The address of the link of the first exit. Those of the others follow.
    pub(super) links: u64,
    /// The address at which translated code returns.
    pub(super) leave: u64,
    pub(super) routines: Routines,
    /// The label of each exit's stub for the unlinked state, created when the exit is first used.
    pub(super) unlinked: [Option<Label>; Flow::EXITS],
}

impl Exits {
    /// Emits an exit. The guest sees no change other than the cycle count.
    pub(super) fn write(&mut self, code: &mut Emitter, mut held: FlagLocation, skipped: u8, to: ExitTarget) {
        let wanted = match to {
            ExitTarget::Here(_, wanted) => wanted,
            _ => FlagLocation::Image,
        };
        if wanted == FlagLocation::Image {
            held.save(code);
        } else if held != wanted && wanted != FlagLocation::Nowhere {
            code.poison();
        }
        if skipped != 0 {
            code.load(C::Lea_r64_m, BUDGET, BUDGET, skipped.into());
        }
        match to {
            ExitTarget::Here(label, _) => code.jump(C::Jmp_rel32_64, label),
            ExitTarget::Back(flow) => self.back(code, flow),
            ExitTarget::Offset => self.jump_to_offset(code),
            ExitTarget::Stop(ip) => {
                code.memory_imm(C::Mov_rm32_imm32, at(CONTEXT, offset::IP), ip as i32);
                self.back(code, Flow::STOP);
            }
            ExitTarget::Exit(number) => {
                code.imm64(R::RSI, self.links + 8 * number as u64);
                code.jump_through(R::RSI, 0);
                if self.unlinked[number].is_none() {
                    self.unlinked[number] = Some(code.label());
                }
            }
        }
    }

    pub(super) fn back(&self, code: &mut Emitter, flow: Flow) {
        code.imm(C::Mov_r32_imm32, R::EAX, answer(self.id, flow));
        code.jump_to(C::Jmp_rel32_64, self.leave);
    }

    /// Emits the stubs to which links lead before they are set.
    pub(super) fn write_unlinked(&self, code: &mut Emitter) {
        for (number, label) in self.unlinked.iter().enumerate() {
            if let Some(label) = label {
                code.bind(*label);
                self.back(code, Flow::by_exit(number));
            }
        }
    }

    /// Jumps to the offset in EDI. The flags must be saved.
    pub(super) fn jump_to_offset(&self, code: &mut Emitter) {
        let segment = self.key >> 32 << 32;
        code.imm64(R::RAX, host::target_key(segment));
        code.regs(C::Or_r64_rm64, R::RAX, R::RDI);
        code.regs(C::Movzx_r32_rm16, R::ESI, R::DI);
        code.imm(C::Xor_rm32_imm32, R::ESI, host::slot(segment) as i32);
        slot_address(code);
        self.jump_by_slot(code);
    }

    /// Jumps to the block with the key in RAX, whose slot is at RSI and whose offset in EDI: directly if
    /// the table of computed jumps has its code.
    pub(super) fn jump_by_slot(&self, code: &mut Emitter) {
        let miss = code.label();
        code.load(C::Cmp_r64_rm64, R::RAX, R::RSI, 0);
        code.jump(C::Jne_rel32_64, miss);
        code.jump_through(R::RSI, 8);
        code.bind(miss);
        code.store(C::Mov_rm32_r32, CONTEXT, offset::IP, OFFSET);
        self.back(code, Flow::JUMP);
    }
}

/// Replaces the number of a slot of the table of computed jumps in ESI by its address in RSI.
pub(super) fn slot_address(code: &mut Emitter) {
    code.imm(C::Shl_rm32_imm8, R::ESI, host::SLOT_BITS);
    code.load(C::Add_r64_rm64, R::RSI, CONTEXT, offset::TARGETS);
}
