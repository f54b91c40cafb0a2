//! Flags as a whole, their control bits, and bits of operands: PUSHF, POPF, LAHF, SAHF, CLD, STD, CLI,
//! STI, BT, BTS, BTR, BTC, BSF and BSR.

use iced_x86::{Code as C, Register as R};

use super::codegen::Body;
use super::context::offset;
use super::emit::{Label, at, indexed};
use super::flags::{LOW, OF, image};
use super::registers::{CONTEXT, HOST, IMAGE, word};
use super::stack::offset_code;
use crate::bus::Bus;
use crate::registers::{Flags, Reg};

const LOW_FLAGS: i32 = LOW as i32;
const OF_BIT: i32 = OF as i32;

impl<B: Bus> Body<'_, B> {
    /// LAHF.
    pub(super) fn load_flags(&mut self) {
        self.save();
        self.code.regs(C::Mov_r32_rm32, R::EAX, IMAGE);
        self.code.imm(C::And_rm8_imm8, R::AH, LOW_FLAGS);
        let fixed = self.model.fixed_flags() & 0xFF;
        self.code.imm(C::Or_rm8_imm8, R::AH, fixed as i32);
        // The guest's AH.
        self.code.regs(C::Mov_r8_rm8, R::BH, R::AH);
    }

    /// SAHF.
    pub(super) fn store_flags(&mut self) {
        self.save();
        self.code.regs(C::Mov_r32_rm32, R::EAX, IMAGE);
        self.code.regs(C::Mov_r8_rm8, R::AH, R::BH);
        self.code.regs(C::Mov_r32_rm32, IMAGE, R::EAX);
    }

    /// CLD and STD.
    pub(super) fn direct(&mut self, down: bool) {
        let step = if down { -1 } else { 1 };
        self.code.memory_imm(C::Mov_rm32_imm32, at(CONTEXT, offset::DIRECTION), step);
    }

    /// CLI.
    pub(super) fn disable_interrupts(&mut self) {
        self.save();
        let flags = at(CONTEXT, offset::OTHER_FLAGS);
        self.code.memory_imm(C::And_rm32_imm32, flags, !(Flags::IF as i32));
    }

    /// STI. If it enables interrupts, and one is requested or the block ends, the handler delays them by an
    /// instruction.
    pub(super) fn enable_interrupts(&mut self, number: usize) {
        let handler = self.bail_out(number);
        let flags = at(CONTEXT, offset::OTHER_FLAGS);
        if number + 1 == self.decoded.len() {
            self.code.memory_imm(C::Test_rm32_imm32, flags, Flags::IF as i32);
            return self.code.jump(C::Je_rel32_64, handler);
        }
        let checked = at(CONTEXT, offset::CHECKED_FLAGS);
        self.code.memory_imm(C::Test_rm32_imm32, checked, Flags::IF as i32);
        self.code.jump(C::Jne_rel32_64, handler);
        self.code.memory_imm(C::Or_rm32_imm32, flags, Flags::IF as i32);
    }

    pub(super) fn push_flags(&mut self, number: usize) {
        const NEITHER_VM_NOR_RF: i32 = !0x3_0000;
        self.flags_as_pushed();
        let bytes = self.plans[number].bytes;
        if bytes == 4 {
            self.code.imm(C::And_rm32_imm32, R::EAX, NEITHER_VM_NOR_RF);
        }
        self.code.store(C::Mov_rm32_r32, CONTEXT, offset::VALUE, R::EAX);
        self.push_value(number, bytes);
    }

    /// Loads FLAGS into EAX. The status flags must be saved.
    pub(super) fn flags_as_pushed(&mut self) {
        self.code.regs(C::Mov_r32_rm32, R::EAX, IMAGE);
        self.code.regs(C::Mov_r32_rm32, R::EDI, R::EAX);
        self.code.imm(C::And_rm32_imm8, R::EDI, 1);
        self.code.imm(C::Shl_rm32_imm8, R::EDI, OF_BIT);
        self.code.regs(C::Movzx_r32_rm8, R::EAX, R::AH);
        self.code.imm(C::And_rm32_imm32, R::EAX, LOW_FLAGS);
        self.code.regs(C::Or_r32_rm32, R::EAX, R::EDI);
        // -1 has the bit of DF, and 1 has not.
        self.code.load(C::Mov_r32_rm32, R::EDI, CONTEXT, offset::DIRECTION);
        self.code.imm(C::And_rm32_imm32, R::EDI, Flags::DF as i32);
        self.code.regs(C::Or_r32_rm32, R::EAX, R::EDI);
        self.code.load(C::Or_r32_rm32, R::EAX, CONTEXT, offset::OTHER_FLAGS);
    }

    /// POPF. The handler executes it if the flags that it loads have to be checked.
    pub(super) fn pop_flags(&mut self, number: usize) {
        let changed = self.bail_out(number);
        let bytes = self.plans[number].bytes;
        self.top_of_stack(number, bytes);
        self.code.load_at(offset_code(bytes), R::EAX, indexed(HOST, R::RDI));
        self.check_popped_flags(changed);
        let wide = self.model.wide_flags() as i32;
        if bytes == 4 && wide != 0 {
            self.code.imm(C::Test_rm32_imm32, R::EDI, wide);
            self.code.jump(C::Jne_rel32_64, changed);
        }
        self.take_popped_flags();
        self.code.imm(C::Add_rm16_imm8, word(Reg::Sp), bytes as i32);
    }

    /// Checks whether the FLAGS in EAX differ from the current ones in those of
    /// [`Context::checked_flags`](super::context::Context).
    pub(super) fn check_popped_flags(&mut self, changed: Label) {
        self.code.regs(C::Mov_r32_rm32, R::EDI, R::EAX);
        self.code.load(C::Xor_r32_rm32, R::EDI, CONTEXT, offset::OTHER_FLAGS);
        self.code.store(C::Test_rm32_r32, CONTEXT, offset::CHECKED_FLAGS, R::EDI);
        self.code.jump(C::Jne_rel32_64, changed);
    }

    /// Loads the status flags, DF and IF from EAX. EDI has the bits that are different from the current
    /// ones.
    pub(super) fn take_popped_flags(&mut self) {
        self.code.imm(C::And_rm32_imm32, R::EDI, Flags::IF as i32);
        self.code.store(C::Xor_rm32_r32, CONTEXT, offset::OTHER_FLAGS, R::EDI);
        // The bit of DF, in all bits, and 1: -1 or 1.
        self.code.regs(C::Mov_r32_rm32, R::EDI, R::EAX);
        self.code.imm(C::Shl_rm32_imm8, R::EDI, 31 - Flags::DF.ilog2() as i32);
        self.code.imm(C::Sar_rm32_imm8, R::EDI, 31);
        self.code.imm(C::Or_rm32_imm8, R::EDI, 1);
        self.code.store(C::Mov_rm32_r32, CONTEXT, offset::DIRECTION, R::EDI);
        self.code.regs(C::Movzx_r32_rm8, IMAGE, R::AL);
        self.code.imm(C::Shl_rm32_imm8, IMAGE, 8);
        self.code.imm(C::Shr_rm32_imm8, R::EAX, OF_BIT);
        self.code.imm(C::And_rm32_imm8, R::EAX, 1);
        self.code.regs(C::Or_r32_rm32, IMAGE, R::EAX);
    }

    /// BT, BTS, BTR and BTC, which set CF and keep the other flags.
    pub(super) fn bit_test(&mut self, number: usize, code: C) {
        const CF: i32 = image(Flags::CF) as i32;
        self.put_apart(number, code);
        if self.plans[number].live & Flags::CF != 0 {
            self.code.reg(C::Setb_rm8, R::AL);
            self.replace_flags(CF, CF);
        }
    }

    /// BSF and BSR, which set ZF and PF for 0, clear both and SF otherwise, and keep the other flags.
    pub(super) fn bit_scan(&mut self, number: usize, code: C) {
        const ZF_AND_PF: i32 = image(Flags::ZF | Flags::PF) as i32;
        const SF: i32 = image(Flags::SF) as i32;
        self.put_apart(number, code);
        if self.plans[number].live != 0 {
            self.code.reg(C::Sete_rm8, R::AL);
            self.replace_flags(ZF_AND_PF | SF, ZF_AND_PF);
        }
    }

    /// Emits the guest's instruction as one host instruction, with the guest's flags in the image.
    fn put_apart(&mut self, number: usize, code: C) {
        let (plan, decoded) = (self.plans[number], &self.decoded[number]);
        self.save();
        self.operand_address(number, &plan);
        self.put_same(&decoded.instruction, code);
    }

    /// Clears bits of the image, and sets those of `if_one` if AL is 1 and not 0.
    fn replace_flags(&mut self, cleared: i32, if_one: i32) {
        self.code.regs(C::Movzx_r32_rm8, R::EAX, R::AL);
        self.code.regs_imm(C::Imul_r32_rm32_imm32, R::EAX, R::EAX, if_one);
        self.code.imm(C::And_rm32_imm32, IMAGE, !cleared);
        self.code.regs(C::Or_r32_rm32, IMAGE, R::EAX);
    }
}
