//! JMP, CALL and RET to other segments.

use iced_x86::{Code as C, OpKind, Register as R};

use super::address::{HOST, OFFSET};
use super::codegen::Body;
use super::context::offset;
use super::emit::indexed;
use super::host;
use super::registers::{CONTEXT, word};
use crate::bus::Bus;
use crate::op::Flow;
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
        let op = &self.decoded[number].op;
        if self.decoded[number].instruction.op0_kind() == OpKind::FarBranch16 {
            let pointer = op.imm << 16 | op.target & 0xFFFF;
            self.code.imm(C::Mov_r32_imm32, OFFSET, pointer as i32);
        } else {
            self.offset(op);
            self.locate(number, op.seg, POINTER_BYTES, false);
            self.code.load_at(C::Mov_r32_rm32, OFFSET, indexed(HOST, R::RDI));
        }
        self.code.store(C::Mov_rm32_r32, CONTEXT, offset::VALUE, OFFSET);
    }

    /// Returns the selector in CS during the block.
    pub(super) fn selector(&self) -> u16 {
        (self.exits.key >> 32) as u16
    }

    /// Jumps to the pointer in the context's value: loads CS if it changes, and jumps directly if
    /// the table of computed jumps has that block's code. The flags must be saved.
    fn jump_to_pointer(&mut self) {
        let [here, miss] = [self.code.label(), self.code.label()];
        self.code.load(C::Movzx_r32_rm16, R::EAX, CONTEXT, offset::VALUE + 2);
        self.code.imm(C::Cmp_rm32_imm32, R::EAX, self.selector().into());
        self.code.jump(C::Je_rel32_64, here);
        self.load_segment(Segment::Cs);
        self.code.load(C::Movzx_r32_rm16, R::EAX, CONTEXT, offset::VALUE + 2);
        self.code.bind(here);
        // RSI: the slot, see `host::slot`. RAX: the key.
        self.code.load(C::Movzx_r32_rm16, OFFSET, CONTEXT, offset::VALUE);
        self.code.regs_imm(C::Imul_r32_rm32_imm32, R::ESI, R::EAX, host::SPREAD.into());
        self.code.regs(C::Xor_r32_rm32, R::ESI, OFFSET);
        self.code.regs(C::Movzx_r32_rm16, R::ESI, R::SI);
        self.code.imm(C::Shl_rm32_imm8, R::ESI, host::SLOT_BITS);
        self.code.load(C::Add_r64_rm64, R::RSI, CONTEXT, offset::TARGETS);
        self.code.imm(C::Shl_rm64_imm8, R::RAX, 32);
        self.code.regs(C::Or_r64_rm64, R::RAX, R::RDI);
        self.code.imm(C::Bts_rm64_imm8, R::RAX, host::IN_USE.ilog2() as i32);
        self.code.load(C::Cmp_r64_rm64, R::RAX, R::RSI, 0);
        self.code.jump(C::Jne_rel32_64, miss);
        self.code.jump_through(R::RSI, 8);
        self.code.bind(miss);
        self.code.store(C::Mov_rm32_r32, CONTEXT, offset::IP, OFFSET);
        self.exits.back(&mut self.code, Flow::JUMP);
    }
}
