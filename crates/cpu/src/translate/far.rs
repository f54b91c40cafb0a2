//! JMP, CALL and RET to other segments.

use iced_x86::{Code as C, OpKind, Register as R};

use super::codegen::Body;
use super::context::offset;
use super::emit::{at, indexed};
use super::exits;
use super::host;
use super::registers::{CONTEXT, HOST, OFFSET, word};
use crate::bus::Bus;
use crate::registers::{Reg, Segment};

const POINTER_BYTES: u32 = 4;

impl<B: Bus> Body<'_, B> {
    /// JMP with a pointer, immediate or in memory.
    pub(super) fn jump_far(&mut self, number: usize) {
        self.save();
        self.pointer_operand(number);
        self.jump_to_pointer();
    }

    /// CALL with a pointer, immediate or in memory.
    pub(super) fn call_far(&mut self, number: usize) {
        let next = self.decoded[number].op.next() & 0xFFFF;
        let back = u32::from(self.selector()) << 16 | next;
        self.pointer_operand(number);
        self.push_number(number, back, POINTER_BYTES);
        self.jump_to_pointer();
    }

    /// RETF: jumps to the pointer on the stack.
    pub(super) fn ret_far(&mut self, number: usize) {
        let more = self.decoded[number].op.imm;
        self.top_of_stack(number, POINTER_BYTES);
        self.code.load_at(C::Mov_r32_rm32, OFFSET, indexed(HOST, R::RDI));
        self.code.store(C::Mov_rm32_r32, CONTEXT, offset::VALUE, OFFSET);
        self.code.imm(C::Add_rm16_imm16, word(Reg::Sp), i32::from((POINTER_BYTES + more) as i16));
        self.jump_to_pointer();
    }

    /// Loads the pointer, offset below selector, into the context's value.
    fn pointer_operand(&mut self, number: usize) {
        let decoded = &self.decoded[number];
        if decoded.instruction.op0_kind() != OpKind::FarBranch16 {
            return self.load_value(number, POINTER_BYTES);
        }
        let pointer = decoded.op.imm << 16 | decoded.op.target & 0xFFFF;
        self.code.memory_imm(C::Mov_rm32_imm32, at(CONTEXT, offset::VALUE), pointer as i32);
    }

    /// Returns the selector in CS during the block.
    pub(super) fn selector(&self) -> u16 {
        (self.exits.key >> 32) as u16
    }

    /// Jumps to the pointer in the context's value, and loads CS if it changes. The flags must be saved.
    pub(super) fn jump_to_pointer(&mut self) {
        let here = self.code.label();
        self.code.load(C::Movzx_r32_rm16, R::EAX, CONTEXT, offset::VALUE + 2);
        self.code.imm(C::Cmp_rm32_imm32, R::EAX, self.selector().into());
        self.code.jump(C::Je_rel32_64, here);
        self.load_segment(Segment::Cs);
        self.code.load(C::Movzx_r32_rm16, R::EAX, CONTEXT, offset::VALUE + 2);
        self.code.bind(here);
        self.slot_of_pointer();
        self.exits.jump_by_slot(&mut self.code);
    }

    /// Loads the address of the slot of the pointer in the context's value into RSI, its key into RAX and
    /// its offset into RDI. EAX is its selector.
    pub(super) fn slot_of_pointer(&mut self) {
        self.code.load(C::Movzx_r32_rm16, OFFSET, CONTEXT, offset::VALUE);
        self.code.regs_imm(C::Imul_r32_rm32_imm32, R::ESI, R::EAX, host::SPREAD.into());
        self.code.regs(C::Xor_r32_rm32, R::ESI, OFFSET);
        self.code.regs(C::Movzx_r32_rm16, R::ESI, R::SI);
        self.code.imm(C::Shl_rm64_imm8, R::RAX, 32);
        self.code.regs(C::Or_r64_rm64, R::RAX, R::RDI);
        self.code.imm(C::Bts_rm64_imm8, R::RAX, host::IN_USE.ilog2() as i32);
        exits::slot_address(&mut self.code);
    }
}
