//! Coprocessor instructions that are not executed on the host's x87: those that load or store the control word or
//! store the status word, and those that the interpreter's coprocessor executes.

use iced_x86::{Code as C, Register as R};

use super::codegen::Body;
use super::context::offset;
use super::emit::indexed;
use super::fpu_kind::FpuOp;
use super::fpu_run::STATE;
use super::registers::{CONTEXT, GRANULE_FLAGS, HOST, word};
use crate::bus::Bus;
use crate::fpu::{field, status};
use crate::registers::Reg;

impl<B: Bus> Body<'_, B> {
    pub(super) fn control(&mut self, number: usize, op: FpuOp) {
        let plan = self.plans[number];
        match op {
            FpuOp::StatusToAx => {
                self.status_word(number);
                self.code.regs(C::Mov_r16_rm16, word(Reg::A), R::AX);
            }
            FpuOp::StoreStatus => {
                self.status_word(number);
                self.code.store(C::Mov_rm32_r32, CONTEXT, offset::VALUE, R::EAX);
                self.operand_address(number, &plan);
                self.code.load(C::Movzx_r32_rm16, R::EAX, CONTEXT, offset::VALUE);
                self.code.store_at(C::Mov_rm16_r16, indexed(HOST, R::RDI), R::AX);
            }
            FpuOp::StoreControl => {
                self.operand_address(number, &plan);
                self.locate_state(number);
                self.code.load(C::Movzx_r32_rm16, R::EAX, STATE, field::CONTROL);
                self.code.load(C::Mov_r64_rm64, GRANULE_FLAGS, CONTEXT, offset::GRANULE_FLAGS);
                self.code.store_at(C::Mov_rm16_r16, indexed(HOST, R::RDI), R::AX);
            }
            FpuOp::LoadControl => {
                self.operand_address(number, &plan);
                self.code.load_at(C::Movzx_r32_rm16, R::EDI, indexed(HOST, R::RDI));
                self.call_fpu(number, self.exits.routines.fpu.load_control);
            }
            _ => {
                let guest = &self.decoded[number].op;
                self.code.imm(C::Mov_r32_imm32, R::EDI, (guest.imm & 0xFFFF) as i32);
                self.code.imm(C::Mov_r32_imm32, R::ESI, self.linear_ip(guest) as i32);
                self.call_fpu(number, self.exits.routines.fpu.execute);
            }
        }
    }

    /// Calls a routine. If it refuses, the handler executes the instruction.
    fn call_fpu(&mut self, number: usize, routine: u64) {
        let bail_out = self.bail_out(number);
        self.code.jump_to(C::Call_rel32_64, routine);
        self.code.jump(C::Jb_rel32_64, bail_out);
    }

    /// Loads the address of the coprocessor's state.
    fn locate_state(&mut self, number: usize) {
        let bail_out = self.bail_out(number);
        self.code.load(C::Mov_r64_rm64, STATE, CONTEXT, offset::FPU);
        self.code.regs(C::Test_rm64_r64, STATE, STATE);
        self.code.jump(C::Je_rel32_64, bail_out);
    }

    /// Loads the status word into EAX. Changes EDI.
    fn status_word(&mut self, number: usize) {
        self.locate_state(number);
        self.index(0);
        self.code.imm(C::Shl_rm32_imm8, R::EDI, status::TOP_SHIFT);
        self.code.load(C::Movzx_r32_rm16, R::EAX, STATE, field::STATUS);
        self.code.regs(C::Or_r32_rm32, R::EAX, R::EDI);
        self.code.load(C::Mov_r64_rm64, GRANULE_FLAGS, CONTEXT, offset::GRANULE_FLAGS);
    }
}
