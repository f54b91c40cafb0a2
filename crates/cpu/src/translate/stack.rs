//! PUSH, POP, LEAVE, CALL, RET and computed jumps.

use iced_x86::{Code as C, OpKind, Register as R};

use super::address::{HOST, OFFSET};
use super::codegen::Body;
use super::context::offset;
use super::emit::indexed;
use super::host;
use super::plan;
use super::registers::{CONTEXT, address, word};
use crate::bus::Bus;
use crate::op::Flow;
use crate::registers::{Reg, Segment};

impl<B: Bus> Body<'_, B> {
    /// Locates and checks the memory below the top of the stack.
    pub(super) fn below_stack(&mut self, number: usize) {
        self.code.load(C::Lea_r32_m, OFFSET, address(Reg::Sp), -2);
        self.code.regs(C::Movzx_r32_rm16, OFFSET, R::DI);
        self.locate(number, Segment::Ss, 2, true);
    }

    pub(super) fn set_sp(&mut self) {
        self.code.regs(C::Mov_r16_rm16, word(Reg::Sp), R::DI);
    }

    pub(super) fn push_register(&mut self, number: usize, register: R) {
        self.below_stack(number);
        self.put_on_stack(register);
    }

    /// Stores a word below the top of the stack, whose address was checked, and moves SP there.
    pub(super) fn put_on_stack(&mut self, register: R) {
        self.code.store_at(C::Mov_rm16_r16, indexed(HOST, R::RDI), register);
        self.set_sp();
    }

    pub(super) fn push_operand(&mut self, number: usize) {
        let decoded = &self.decoded[number];
        match plan::stack_register(&decoded.instruction) {
            Some(reg) => self.push_register(number, word(reg)),
            None if decoded.instruction.op0_kind() == OpKind::Memory => {
                self.word_operand(number);
                self.below_stack(number);
                self.code.load(C::Movzx_r32_rm16, R::EAX, CONTEXT, offset::VALUE);
                self.put_on_stack(R::AX);
            }
            None => self.push_number(number, decoded.op.imm),
        }
    }

    /// Loads a word from a register or plain memory into EDI and into the context's value.
    fn word_operand(&mut self, number: usize) {
        let decoded = &self.decoded[number];
        match plan::stack_register(&decoded.instruction) {
            Some(reg) => self.code.regs(C::Movzx_r32_rm16, OFFSET, word(reg)),
            None => {
                self.offset(&decoded.op);
                self.locate(number, decoded.op.seg, 2, false);
                self.code.load_at(C::Movzx_r32_rm16, OFFSET, indexed(HOST, R::RDI));
            }
        }
        self.code.store(C::Mov_rm32_r32, CONTEXT, offset::VALUE, OFFSET);
    }

    pub(super) fn push_number(&mut self, number: usize, value: u32) {
        self.below_stack(number);
        self.code.memory_imm(C::Mov_rm16_imm16, indexed(HOST, R::RDI), i32::from(value as i16));
        self.set_sp();
    }

    /// Loads the word at the top of the stack after checking its address.
    pub(super) fn top_of_stack(&mut self, number: usize) {
        self.code.regs(C::Movzx_r32_rm16, OFFSET, word(Reg::Sp));
        self.locate(number, Segment::Ss, 2, false);
    }

    pub(super) fn pop(&mut self, number: usize) {
        let Some(reg) = plan::stack_register(&self.decoded[number].instruction) else {
            return self.code.poison();
        };
        self.top_of_stack(number);
        self.code.imm(C::Add_rm16_imm8, word(Reg::Sp), 2);
        self.code.load_at(C::Mov_r16_rm16, word(reg), indexed(HOST, R::RDI));
    }

    /// LEAVE: sets SP to BP and pops BP.
    pub(super) fn leave_frame(&mut self, number: usize) {
        self.code.regs(C::Movzx_r32_rm16, OFFSET, word(Reg::Bp));
        self.locate(number, Segment::Ss, 2, false);
        self.set_sp();
        self.code.imm(C::Add_rm16_imm8, word(Reg::Sp), 2);
        self.code.load_at(C::Mov_r16_rm16, word(Reg::Bp), indexed(HOST, R::RDI));
    }

    pub(super) fn call(&mut self, number: usize) {
        let op = &self.decoded[number].op;
        self.push_number(number, op.next() & 0xFFFF);
        if number + 1 == self.decoded.len() {
            self.take(op);
        }
    }

    /// RET: jumps to the offset on the stack.
    pub(super) fn ret(&mut self, number: usize) {
        let more = self.decoded[number].op.imm;
        self.top_of_stack(number);
        self.code.load_at(C::Movzx_r32_rm16, OFFSET, indexed(HOST, R::RDI));
        self.code.imm(C::Add_rm16_imm16, word(Reg::Sp), i32::from((2 + more) as i16));
        self.jump_to_offset();
    }

    pub(super) fn jump_computed(&mut self, number: usize) {
        self.save();
        self.word_operand(number);
        self.jump_to_offset();
    }

    pub(super) fn call_computed(&mut self, number: usize) {
        self.word_operand(number);
        self.push_number(number, self.decoded[number].op.next() & 0xFFFF);
        self.code.load(C::Mov_r32_rm32, OFFSET, CONTEXT, offset::VALUE);
        self.jump_to_offset();
    }

    /// Jumps to the offset in EDI: directly if the table of computed jumps has that block's code.
    fn jump_to_offset(&mut self) {
        let segment = self.exits.key >> 32 << 32;
        let miss = self.code.label();
        self.code.imm64(R::RAX, host::target_key(segment));
        self.code.regs(C::Or_r64_rm64, R::RAX, R::RDI);
        self.code.regs(C::Movzx_r32_rm16, R::ESI, R::DI);
        self.code.imm(C::Xor_rm32_imm32, R::ESI, host::slot(segment) as i32);
        self.code.imm(C::Shl_rm32_imm8, R::ESI, 4);
        self.code.load(C::Add_r64_rm64, R::RSI, CONTEXT, offset::TARGETS);
        self.code.load(C::Cmp_r64_rm64, R::RAX, R::RSI, 0);
        self.code.jump(C::Jne_rel32_64, miss);
        self.code.jump_through(R::RSI, 8);
        self.code.bind(miss);
        self.code.store(C::Mov_rm32_r32, CONTEXT, offset::IP, OFFSET);
        self.exits.back(&mut self.code, Flow::JUMP);
    }
}
