//! Exits of a translated block: to other blocks, to itself, and to the interpreter.
//!
//! A block's exits jump through links, each a cell with an address: that of the next block's code, or as long as it is not known
//! that of a few instructions which return to the run loop and say by which exit.

use iced_x86::{Code as C, Register as R};

use super::emit::{Emitter, Label};
use super::flags::Held;
use super::registers::BUDGET;
use super::routines::Routines;
use crate::op::Flow;

/// A way that is taken out of the straight line, to be written behind it.
#[derive(Debug)]
pub(super) struct Way {
    /// Where the jump goes.
    pub(super) label: Label,
    /// Where the flags are then.
    pub(super) held: Held,
    /// Cycles of the block that the way leaves out.
    pub(super) leaves_out: u8,
    pub(super) to: To,
}

/// Where a way leads.
#[derive(Debug, Clone, Copy)]
pub(super) enum To {
    /// By the block's exit with this number.
    Exit(usize),
    /// A label of this block, where the flags are held like that.
    Here(Label, Held),
    /// Back to the run loop, which goes on as the flow says.
    Back(Flow),
}

/// What EAX says when translated code leaves: the block, and how it ended.
pub(super) fn answer(id: u32, flow: Flow) -> i32 {
    (id << 8 | u32::from(flow.0)) as i32
}

/// The block and the flow of an answer.
pub(super) fn from_answer(answer: u64) -> (u32, Flow) {
    (answer as u32 >> 8, Flow(answer as u8))
}

/// What a block's ways have in common.
#[derive(Debug)]
pub(super) struct Ways {
    pub(super) id: u32,
    pub(super) key: u64,
    /// The address of the link of the first exit; those of the others follow.
    pub(super) links: u64,
    /// Where translated code leaves.
    pub(super) leave: u64,
    pub(super) routines: Routines,
    /// For each exit where it goes before it is linked; bound once the exit is used.
    pub(super) unlinked: [Option<Label>; Flow::EXITS],
}

impl Ways {
    /// Writes a way; nothing that the guest sees changes on it but the cycles.
    pub(super) fn write(&mut self, code: &mut Emitter, mut held: Held, leaves_out: u8, to: To) {
        let wanted = match to {
            To::Here(_, wanted) => wanted,
            To::Exit(_) | To::Back(_) => Held::Image,
        };
        if wanted == Held::Image {
            held.save(code);
        } else if held != wanted && wanted != Held::Nowhere {
            code.spoil();
        }
        if leaves_out != 0 {
            code.load(C::Lea_r64_m, BUDGET, BUDGET, leaves_out.into());
        }
        match to {
            To::Here(label, _) => code.jump(C::Jmp_rel32_64, label),
            To::Back(flow) => self.back(code, flow),
            To::Exit(number) => {
                code.imm64(R::RSI, self.links + 8 * number as u64);
                code.jump_through(R::RSI, 0);
                if self.unlinked[number].is_none() {
                    self.unlinked[number] = Some(code.label());
                }
            }
        }
    }

    /// Leaves translated code.
    pub(super) fn back(&self, code: &mut Emitter, flow: Flow) {
        code.imm(C::Mov_r32_imm32, R::EAX, answer(self.id, flow));
        code.jump_to(C::Jmp_rel32_64, self.leave);
    }

    /// Writes what the links lead to before they are set.
    pub(super) fn write_unlinked(&self, code: &mut Emitter) {
        for (number, label) in self.unlinked.iter().enumerate() {
            if let Some(label) = label {
                code.bind(*label);
                self.back(code, Flow::by_exit(number));
            }
        }
    }
}
