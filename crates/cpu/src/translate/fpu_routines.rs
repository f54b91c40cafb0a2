//! Subroutines for coprocessor instructions.

use iced_x86::{Code as C, Register as R};

use super::bus_calls::bus_routine;
use super::context::offset;
use super::emit::{Emitter, at};
use super::registers::CONTEXT;
use crate::fpu::{control_word, field, status};

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FpuRoutines {
    /// Prepares the host's x87 for the coprocessor's control word and loads the address of the
    /// coprocessor's state into R14; loads 0 if the x87 cannot be used.
    pub(super) prepare: u64,
    /// FLDCW of the word in EDI.
    pub(super) load_control: u64,
    /// Executes the opcode in EDI, at the linear address in ESI, as the interpreter does.
    pub(super) execute: u64,
}

impl FpuRoutines {
    /// Writes the routines. `add` stores each one and returns its address.
    pub(super) fn write(mut add: impl FnMut(Emitter) -> Option<u64>) -> Option<FpuRoutines> {
        Some(FpuRoutines {
            prepare: add(prepare())?,
            load_control: add(load_control())?,
            execute: add(bus_routine(offset::EXECUTE, 0, R::EAX))?,
        })
    }
}

/// Changes EAX, R14 and the flags. The host's x87 may be an emulation with shorter significands: 1/3
/// shows that, once.
fn prepare() -> Emitter {
    const THREE: i32 = 3;
    const LOW_BITS_OF_A_THIRD: i32 = 0xAAAA_AAABu32 as i32;
    let mut code = Emitter::default();
    let [tried, usable, end] = [code.label(), code.label(), code.label()];
    let [value, tries] = [at(CONTEXT, offset::FPU_SCRATCH), at(CONTEXT, offset::FPU_TRIED)];
    code.load(C::Mov_r64_rm64, R::R14, CONTEXT, offset::FPU);
    code.regs(C::Test_rm64_r64, R::R14, R::R14);
    code.jump(C::Je_rel32_64, end);
    code.memory(C::Fnstcw_m2byte, at(CONTEXT, offset::HOST_CONTROL));
    code.memory_imm(C::Cmp_rm32_imm8, tries, 0);
    code.jump(C::Jne_rel32_64, tried);
    code.plain(C::Fld1);
    code.memory_imm(C::Mov_rm32_imm32, value, THREE);
    code.memory(C::Fidiv_m32int, value);
    code.memory(C::Fstp_m80fp, value);
    code.memory_imm(C::Mov_rm32_imm32, tries, 1);
    code.memory_imm(C::Cmp_rm32_imm32, value, LOW_BITS_OF_A_THIRD);
    code.jump(C::Je_rel32_64, tried);
    code.memory_imm(C::Mov_rm32_imm32, tries, 2);
    code.bind(tried);
    code.memory_imm(C::Cmp_rm32_imm8, tries, 1);
    code.jump(C::Je_rel32_64, usable);
    code.regs(C::Xor_r32_rm32, R::R14D, R::R14D);
    code.jump(C::Jmp_rel32_64, end);
    code.bind(usable);
    code.plain(C::Fnclex);
    code.memory(C::Fldcw_m2byte, at(CONTEXT, offset::FPU_CONTROL));
    code.store(C::Mov_rm64_r64, CONTEXT, offset::FPU_READY, R::R14);
    code.bind(end);
    code.plain(C::Retnq);
    code
}

/// Sets the control words of the coprocessor and of the host's x87. Refuses a word that unmasks an exception which
/// is pending, or that of an inexact result, and the reserved precision.
fn load_control() -> Emitter {
    let mut code = Emitter::default();
    let [refused, done] = [code.label(), code.label()];
    code.load(C::Mov_r64_rm64, R::RSI, CONTEXT, offset::FPU);
    code.regs(C::Test_rm64_r64, R::RSI, R::RSI);
    code.jump(C::Je_rel32_64, refused);
    code.load(C::Movzx_r32_rm16, R::EAX, R::RSI, field::STATUS);
    code.imm(C::And_rm32_imm8, R::EAX, control_word::MASKS);
    code.imm(C::Or_rm32_imm8, R::EAX, status::PE);
    // Masks that the word has not.
    code.reg(C::Not_rm32, R::EDI);
    code.regs(C::Test_rm32_r32, R::EDI, R::EAX);
    code.jump(C::Jne_rel32_64, refused);
    code.reg(C::Not_rm32, R::EDI);
    code.regs(C::Mov_r32_rm32, R::EAX, R::EDI);
    code.imm(C::And_rm32_imm32, R::EAX, control_word::PRECISION);
    code.imm(C::Cmp_rm32_imm32, R::EAX, control_word::RESERVED_PRECISION);
    code.jump(C::Je_rel32_64, refused);
    code.imm(C::And_rm32_imm32, R::EDI, control_word::CHANGEABLE);
    code.imm(C::Or_rm32_imm8, R::EDI, control_word::ALWAYS_SET);
    code.store(C::Mov_rm16_r16, R::RSI, field::CONTROL, R::DI);
    code.imm(C::Or_rm32_imm8, R::EDI, control_word::MASKS);
    code.store(C::Mov_rm16_r16, CONTEXT, offset::FPU_CONTROL, R::DI);
    code.memory_imm(C::Cmp_rm64_imm8, at(CONTEXT, offset::FPU_READY), 0);
    code.jump(C::Je_rel32_64, done);
    code.memory(C::Fldcw_m2byte, at(CONTEXT, offset::FPU_CONTROL));
    code.bind(done);
    code.end(&[], refused);
    code
}
