//! MUL, IMUL, DIV and IDIV.
//!
//! A division that would raise #DE, or whose result depends on the model, is left to its handler
//! before anything has changed: the host never raises #DE.

use iced_x86::{Code as C, Register as R};

use super::codegen::Body;
use super::emit::Label;
use super::flags::image;
use super::registers::{IMAGE, dword, word};
use crate::bus::Bus;
use crate::registers::{Flags, Reg};

impl<B: Bus> Body<'_, B> {
    /// Emits a multiplication. CF and OF depend on the upper half of the product; the other flags
    /// do not change, as on the chips.
    pub(super) fn multiply(&mut self, number: usize, code: C) {
        let (plan, decoded) = (self.plans[number], &self.decoded[number]);
        let guest = &decoded.instruction;
        self.operand_address(number, &plan);
        self.save();
        if guest.op_count() == 1 {
            self.code.regs(C::Mov_r32_rm32, R::EAX, dword(Reg::A));
            self.put_same(guest, code);
            self.set_accumulator(self.operand_bytes(number));
        } else {
            self.put_same(guest, code);
        }
        if plan.live != 0 {
            // Both are set or both clear.
            let flags = image(Flags::CF | Flags::OF) as i32;
            self.code.regs(C::Sbb_r32_rm32, R::EAX, R::EAX);
            self.code.imm(C::And_rm32_imm32, R::EAX, flags);
            self.code.imm(C::And_rm32_imm32, IMAGE, !flags);
            self.code.regs(C::Or_r32_rm32, IMAGE, R::EAX);
        }
    }

    /// Moves the product or the quotient, and a remainder in AH, from EAX to the guest's.
    fn set_accumulator(&mut self, operand_bytes: u32) {
        match operand_bytes {
            1 | 2 => self.code.regs(C::Mov_r16_rm16, word(Reg::A), R::AX),
            _ => self.code.regs(C::Mov_r32_rm32, dword(Reg::A), R::EAX),
        }
    }

    /// Returns the size of the only operand.
    fn operand_bytes(&self, number: usize) -> u32 {
        match self.plans[number].bytes {
            0 => self.decoded[number].instruction.op0_register().size() as u32,
            bytes => bytes,
        }
    }

    /// Emits DIV. The quotient fits if the upper half of the dividend is less than the divisor.
    pub(super) fn divide(&mut self, number: usize) {
        let bytes = self.operand_bytes(number);
        let (load, div, divisor) = match bytes {
            1 => (C::Movzx_r32_rm8, C::Div_rm8, R::DIL),
            2 => (C::Movzx_r32_rm16, C::Div_rm16, R::DI),
            _ => (C::Mov_r32_rm32, C::Div_rm32, R::EDI),
        };
        self.load_operand(number, 0, load, R::EDI);
        let refused = self.bail_out(number);
        match bytes {
            1 => self.code.regs(C::Movzx_r32_rm8, R::ESI, R::BH),
            2 => self.code.regs(C::Movzx_r32_rm16, R::ESI, word(Reg::D)),
            _ => self.code.regs(C::Mov_r32_rm32, R::ESI, dword(Reg::D)),
        }
        self.code.regs(C::Cmp_r32_rm32, R::ESI, R::EDI);
        self.code.jump(C::Jae_rel32_64, refused);
        self.code.regs(C::Mov_r32_rm32, R::EAX, dword(Reg::A));
        self.code.reg(div, divisor);
        self.set_accumulator(bytes);
    }

    /// Emits IDIV, in twice the width: only division by 0 and by -1, which are left to the handler,
    /// could raise #DE there. The quotient is checked before EDX changes for the guest.
    pub(super) fn divide_signed(&mut self, number: usize) {
        let bytes = self.operand_bytes(number);
        let (load, divisor) = match bytes {
            1 => (C::Movsx_r32_rm8, R::EDI),
            2 => (C::Movsx_r32_rm16, R::EDI),
            _ => (C::Movsxd_r64_rm32, R::RDI),
        };
        self.load_operand(number, 0, load, divisor);
        let refused = self.bail_out(number);
        self.code.load(C::Lea_r32_m, R::ESI, R::RDI, 1);
        self.code.imm(C::Cmp_rm32_imm8, R::ESI, 1);
        self.code.jump(C::Jbe_rel32_64, refused);
        self.code.regs(C::Mov_r64_rm64, R::RSI, R::RDX);
        match bytes {
            1 => self.quotient_of_byte(refused),
            2 => self.quotient_of_word(refused),
            _ => self.quotient_of_dword(refused),
        }
    }

    fn quotient_of_byte(&mut self, refused: Label) {
        self.code.regs(C::Movsx_r32_rm16, R::EAX, word(Reg::A));
        self.code.plain(C::Cdq);
        self.code.reg(C::Idiv_rm32, R::EDI);
        self.keep_if_within(i32::from(i8::MAX), refused);
        self.code.regs(C::Movzx_r32_rm8, R::EAX, R::AL);
        self.code.imm(C::Shl_rm32_imm8, R::EDI, 8);
        self.code.regs(C::Or_r32_rm32, R::EAX, R::EDI);
        self.code.regs(C::Mov_r16_rm16, word(Reg::A), R::AX);
    }

    fn quotient_of_word(&mut self, refused: Label) {
        self.code.regs(C::Mov_r32_rm32, R::EAX, dword(Reg::D));
        self.code.imm(C::Shl_rm32_imm8, R::EAX, 16);
        self.code.regs(C::Mov_r16_rm16, R::AX, word(Reg::A));
        self.code.plain(C::Cdq);
        self.code.reg(C::Idiv_rm32, R::EDI);
        self.keep_if_within(i32::from(i16::MAX), refused);
        self.code.regs(C::Mov_r16_rm16, word(Reg::A), R::AX);
        self.code.regs(C::Mov_r16_rm16, word(Reg::D), R::DI);
    }

    fn quotient_of_dword(&mut self, refused: Label) {
        self.code.regs(C::Mov_r64_rm64, R::RAX, R::RDX);
        self.code.imm(C::Shl_rm64_imm8, R::RAX, 32);
        self.code.regs(C::Or_r64_rm64, R::RAX, R::RBX);
        self.code.plain(C::Cqo);
        self.code.reg(C::Idiv_rm64, R::RDI);
        self.code.regs(C::Movsxd_r64_rm32, R::RDI, R::EAX);
        self.code.regs(C::Cmp_r64_rm64, R::RDI, R::RAX);
        self.restore_edx(C::Jne_rel32_64, refused);
        self.code.regs(C::Mov_r32_rm32, dword(Reg::A), R::EAX);
        self.code.regs(C::Mov_r32_rm32, dword(Reg::D), R::EDI);
    }

    /// Leaves the instruction to its handler unless the quotient in EAX is -`most` to `most`: some
    /// models refuse the most negative number. Moves the remainder to EDI.
    fn keep_if_within(&mut self, most: i32, refused: Label) {
        self.code.load(C::Lea_r32_m, R::EDI, R::RAX, most.into());
        self.code.imm(C::Cmp_rm32_imm32, R::EDI, 2 * most);
        self.restore_edx(C::Ja_rel32_64, refused);
    }

    /// Moves the remainder to EDI and the guest's EDX back from RSI, and jumps by the flags.
    fn restore_edx(&mut self, jump: C, refused: Label) {
        self.code.regs(C::Mov_r32_rm32, R::EDI, R::EDX);
        self.code.regs(C::Mov_r64_rm64, R::RDX, R::RSI);
        self.code.jump(jump, refused);
    }
}
