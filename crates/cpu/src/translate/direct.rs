//! Guest instructions that map to one host instruction.

use iced_x86::{Code as C, Instruction, Mnemonic as M, OpKind, Register as R};

use super::codegen::Body;
use super::emit::{Emitter, indexed};
use super::flags::FlagLocation;
use super::plan::Action;
use super::registers::{self, HOST, IMAGE, OFFSET, dword, is_high, word};
use super::strings::{accumulator, load_code};
use crate::bus::Bus;
use crate::registers::{Reg, Segment};

impl<B: Bus> Body<'_, B> {
    /// Emits the guest's instruction as one host instruction with mapped operands.
    pub(super) fn same(&mut self, number: usize, code: C) {
        let (plan, decoded) = (self.plans[number], &self.decoded[number]);
        let done = self.operand_address(number, &plan);
        let after = self.before_flags(&plan, decoded.effect.reads);
        self.put_same(&decoded.instruction, code);
        if let Some(done) = done {
            self.code.bind(done);
        }
        self.held = after;
    }

    /// Emits the same instruction on the slow path, on a copy of its operand.
    pub(super) fn put_change(&mut self, number: usize, code: C) {
        let (plan, decoded) = (self.plans[number], &self.decoded[number]);
        self.held = FlagLocation::Image;
        self.before_flags(&plan, decoded.effect.reads);
        self.put_same(&decoded.instruction, code);
    }

    /// Emits an instruction whose immediate the program changes: it is read from the guest's code.
    pub(super) fn live_immediate(&mut self, number: usize, code: C) {
        let (plan, decoded) = (self.plans[number], &self.decoded[number]);
        let register = decoded.instruction.op0_register();
        let bytes = register.size() as u32;
        self.code.imm(C::Mov_r32_imm32, OFFSET, decoded.op.target as i32);
        self.locate(number, Segment::Cs, plan.bytes, false);
        let after = self.before_flags(&plan, decoded.effect.reads);
        let load = if plan.bytes < bytes { C::Movsx_r32_rm8 } else { load_code(bytes) };
        let into = if plan.bytes < bytes { R::EAX } else { accumulator(bytes) };
        self.code.load_at(load, into, indexed(HOST, R::RDI));
        match registers::of_guest(register) {
            Some(register) => self.code.regs(code, register, accumulator(bytes)),
            None => self.code.poison(),
        }
        self.held = after;
    }

    /// Emits the instruction. Its memory operand must be located by [`Body::locate`].
    pub(super) fn put_same(&mut self, guest: &Instruction, code: C) {
        let operands: Vec<R> = (0..guest.op_count())
            .filter(|&n| guest.op_kind(n) == OpKind::Register)
            .map(|n| guest.op_register(n))
            .collect();
        // BH is in AH during the instruction, and BL in AL if the other operand is a high byte.
        let any_high = operands.iter().any(|register| is_high(*register));
        let stands_in = operands.contains(&R::BH) || any_high && operands.contains(&R::BL);
        let mut host = *guest;
        host.set_code(code);
        host.set_has_lock_prefix(false);
        host.set_has_repe_prefix(false);
        host.set_has_repne_prefix(false);
        host.set_segment_prefix(R::None);
        for n in 0..host.op_count() {
            match host.op_kind(n) {
                OpKind::Register => {
                    let register = match guest.op_register(n) {
                        R::BL if stands_in => R::AL,
                        register => match registers::of_guest(register) {
                            Some(register) => register,
                            None => return self.code.poison(),
                        },
                    };
                    host.set_op_register(n, register);
                }
                OpKind::Memory => {
                    host.set_memory_base(HOST);
                    host.set_memory_index(R::RDI);
                    host.set_memory_index_scale(1);
                    host.set_memory_displacement64(0);
                    host.set_memory_displ_size(0);
                }
                _ => {}
            }
        }
        if stands_in {
            self.code.regs(C::Mov_r32_rm32, R::EAX, dword(Reg::B));
        }
        // MOVZX and MOVSX of a high byte into a register that needs a REX prefix go through EAX.
        let extended = host.op0_register();
        if any_high && extended.size() > 1 && host.op1_kind() == OpKind::Register {
            let wide = extended.size() == 4;
            host.set_op_register(0, if wide { R::EAX } else { R::AX });
            self.code.put(host);
            let (code, from) = if wide { (C::Mov_r32_rm32, R::EAX) } else { (C::Mov_r16_rm16, R::AX) };
            return self.code.regs(code, extended, from);
        }
        self.code.put(host);
        if stands_in {
            self.code.regs(C::Mov_r32_rm32, dword(Reg::B), R::EAX);
        }
    }

    /// Emits a shift. If OF is live, the last one-bit step, which sets it, is emitted separately.
    pub(super) fn shift(&mut self, number: usize, code: C, count: u8) {
        let (plan, decoded) = (self.plans[number], &self.decoded[number]);
        self.operand_address(number, &plan);
        let after = self.before_flags(&plan, decoded.effect.reads);
        if count > 1 && plan.live != 0 {
            self.put_shift(&decoded.instruction, code, count - 1);
            self.put_shift(&decoded.instruction, code, 1);
        } else {
            self.put_shift(&decoded.instruction, code, count);
        }
        self.held = after;
    }

    /// Emits SHLD or SHRD of a register, and an image of its flags: CF, SF, ZF and PF as on the host, AF clear, and OF
    /// set if the last of the single shifts has changed the sign.
    pub(super) fn double_shift(&mut self, number: usize, code: C) {
        const AF_IN_AH: i32 = 0x10;
        const IN_AH: i32 = 0xFF00;
        const SIGN_IN_AH: i32 = 7;
        let instruction = &self.decoded[number].instruction;
        let target = instruction.op0_register();
        self.put_same(instruction, code);
        self.code.plain(C::Lahf);
        self.code.imm(C::And_rm8_imm8, R::AH, !AF_IN_AH);
        if instruction.mnemonic() == M::Shld {
            // The bit shifted out last was the sign before.
            self.code.regs(C::Movzx_r32_rm8, R::ESI, R::AH);
            self.code.regs(C::Mov_r32_rm32, R::EDI, R::ESI);
            self.code.imm(C::Shr_rm32_imm8, R::EDI, SIGN_IN_AH);
        } else {
            // The sign before is the bit below the sign now.
            match registers::of_guest(target) {
                Some(register) if target.size() == 2 => self.code.regs(C::Movzx_r32_rm16, R::ESI, register),
                Some(register) => self.code.regs(C::Mov_r32_rm32, R::ESI, register),
                None => self.code.poison(),
            }
            self.code.imm(C::Shr_rm32_imm8, R::ESI, 8 * target.size() as i32 - 2);
            self.code.regs(C::Mov_r32_rm32, R::EDI, R::ESI);
            self.code.imm(C::Shr_rm32_imm8, R::EDI, 1);
        }
        self.code.regs(C::Xor_r32_rm32, R::ESI, R::EDI);
        self.code.imm(C::And_rm32_imm8, R::ESI, 1);
        self.code.imm(C::And_rm32_imm32, R::EAX, IN_AH);
        self.code.regs(C::Or_r32_rm32, R::EAX, R::ESI);
        self.code.regs(C::Mov_r32_rm32, IMAGE, R::EAX);
        self.held = FlagLocation::Image;
    }

    pub(super) fn put_shift(&mut self, guest: &Instruction, code: C, count: u8) {
        let mut by_immediate = *guest;
        by_immediate.set_code(code);
        by_immediate.set_op1_kind(OpKind::Immediate8);
        by_immediate.set_immediate8(count);
        self.put_same(&by_immediate, code);
    }

    /// Emits a shift by CL: a count of 0 changes nothing; otherwise CL - 1 bits, then one bit.
    pub(super) fn shift_by_cl(&mut self, number: usize, code: C) {
        let (plan, decoded) = (self.plans[number], &self.decoded[number]);
        let by_cl = decoded.instruction.code();
        let all_dead = plan.live == 0 && decoded.effect.reads == 0;
        self.operand_address(number, &plan);
        if all_dead {
            self.put_same(&decoded.instruction, by_cl);
            self.held = FlagLocation::Nowhere;
            return;
        }
        self.save();
        let done = self.code.label();
        self.code.imm(C::Test_rm8_imm8, R::CL, 31);
        self.code.jump(C::Je_rel32_64, done);
        if plan.action == Action::SetsCarry {
            self.held.load(&mut self.code);
        }
        let by = |code: &mut Emitter, step| code.load(C::Lea_r32_m, R::ECX, R::RCX, step);
        by(&mut self.code, -1);
        self.put_same(&decoded.instruction, by_cl);
        by(&mut self.code, 1);
        self.put_shift(&decoded.instruction, code, 1);
        self.held = if plan.action == Action::SetsCarry {
            FlagLocation::HOST
        } else {
            FlagLocation::Host { clear_adjust: true }
        };
        self.save();
        self.code.bind(done);
    }

    pub(super) fn extend(&mut self, mnemonic: M) {
        match mnemonic {
            M::Cbw => self.code.regs(C::Movsx_r16_rm8, word(Reg::A), R::BL),
            M::Cwde => self.code.regs(C::Movsx_r32_rm16, dword(Reg::A), word(Reg::A)),
            _ => {
                // On the host EDX has its own place.
                self.code.regs(C::Mov_r32_rm32, R::EAX, dword(Reg::A));
                self.code.plain(if mnemonic == M::Cwd { C::Cwd } else { C::Cdq });
            }
        }
    }
}
