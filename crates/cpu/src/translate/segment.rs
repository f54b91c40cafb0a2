//! Segment registers: MOV, PUSH, POP, LES, LDS, LFS and LGS. DS, ES, FS and GS can be loaded.

use iced_x86::{Code as C, Register as R};

use super::codegen::Body;
use super::context::offset;
use super::emit::indexed;
use super::kind;
use super::registers::{CONTEXT, HOST, word};
use crate::bus::Bus;
use crate::form::segment_number;
use crate::registers::{Reg, Segment};

impl<B: Bus> Body<'_, B> {
    /// Loads a segment register into EAX.
    fn segment(&mut self, register: R) {
        const PARAGRAPH_BITS: i32 = 4;
        let Some(segment) = segment_number(register) else { return self.code.poison() };
        self.code.load(C::Mov_r32_rm32, R::EAX, CONTEXT, offset::base(segment as usize));
        self.code.imm(C::Shr_rm32_imm8, R::EAX, PARAGRAPH_BITS);
    }

    pub(super) fn read_segment(&mut self, number: usize) {
        self.save();
        let instruction = &self.decoded[number].instruction;
        self.segment(instruction.op1_register());
        match kind::stack_register(instruction) {
            Some(reg) => self.code.regs(C::Mov_r16_rm16, word(reg), R::AX),
            None => self.code.poison(),
        }
    }

    pub(super) fn store_segment(&mut self, number: usize) {
        let plan = self.plans[number];
        self.operand_address(number, &plan);
        self.segment(self.decoded[number].instruction.op1_register());
        self.code.store_at(C::Mov_rm16_r16, indexed(HOST, R::RDI), R::AX);
    }

    pub(super) fn push_segment(&mut self, number: usize) {
        self.save();
        let place = self.room(number, 2);
        self.segment(self.decoded[number].instruction.op0_register());
        self.put_on_stack(number, place, R::AX, 2);
    }

    pub(super) fn write_segment(&mut self, number: usize) {
        self.save();
        self.load_operand(number, 1, C::Movzx_r32_rm16, R::EAX);
        self.set_segment(number);
    }

    pub(super) fn pop_segment(&mut self, number: usize) {
        self.top_of_stack(number, 2);
        self.code.load_at(C::Movzx_r32_rm16, R::EAX, indexed(HOST, R::RDI));
        self.code.imm(C::Add_rm16_imm8, word(Reg::Sp), 2);
        self.set_segment(number);
    }

    /// LES, LDS, LFS and LGS: loads a register and a segment register from a doubleword.
    pub(super) fn load_pointer(&mut self, number: usize) {
        let (plan, decoded) = (self.plans[number], &self.decoded[number]);
        self.operand_address(number, &plan);
        self.code.load_at(C::Mov_r32_rm32, R::EAX, indexed(HOST, R::RDI));
        self.code.regs(C::Mov_r16_rm16, word(decoded.op.reg), R::AX);
        self.code.imm(C::Shr_rm32_imm8, R::EAX, 16);
        self.set_segment(number);
    }

    /// Loads the operation's segment register with the selector in EAX. The flags must be saved.
    fn set_segment(&mut self, number: usize) {
        self.load_segment(Segment::from_number(self.decoded[number].op.imm));
    }

    /// Loads a segment register with the selector in EAX. Changes EAX, RSI, RDI and the host's flags.
    pub(super) fn load_segment(&mut self, segment: Segment) {
        self.code.imm(C::Mov_r32_imm32, R::EDI, segment as i32);
        self.code.jump_to(C::Call_rel32_64, self.exits.routines.load_segment);
    }
}
