//! The ends of a call of translated code: the prologue, which Rust calls, and the epilogue, to which
//! translated code jumps.

use iced_x86::{Code as C, Register as R};

use super::context::offset;
use super::emit::{Emitter, at};
use super::registers::{BUDGET, CONTEXT, GENERAL, GRANULE_FLAGS, IMAGE};

/// The registers that the calling convention preserves and translated code uses.
const KEPT: [R; 6] = [R::RBX, R::RBP, R::R12, R::R13, R::R14, R::R15];

/// Called from Rust: saves the registers, loads the guest's from where they are, and jumps to the code.
pub(super) fn prologue() -> Emitter {
    let mut code = Emitter::default();
    for register in KEPT {
        code.reg(C::Push_r64, register);
    }
    code.regs(C::Mov_r64_rm64, CONTEXT, R::RDI);
    code.regs(C::Mov_r64_rm64, R::RAX, R::RSI);
    code.store(C::Mov_rm64_r64, CONTEXT, offset::GENERAL, R::RDX);
    code.regs(C::Mov_r64_rm64, R::RSI, R::RDX);
    for (number, register) in GENERAL.into_iter().enumerate() {
        code.load(C::Mov_r32_rm32, register, R::RSI, place_of(number));
    }
    code.load(C::Mov_r32_rm32, IMAGE, CONTEXT, offset::FLAGS);
    code.load(C::Mov_r64_rm64, BUDGET, CONTEXT, offset::BUDGET);
    code.load(C::Mov_r64_rm64, GRANULE_FLAGS, CONTEXT, offset::GRANULE_FLAGS);
    code.reg(C::Jmp_rm64, R::RAX);
    code
}

/// Returns to Rust with the result in EAX: stores the guest's registers.
pub(super) fn epilogue() -> Emitter {
    let mut code = Emitter::default();
    code.load(C::Mov_r64_rm64, R::RSI, CONTEXT, offset::GENERAL);
    for (number, register) in GENERAL.into_iter().enumerate() {
        code.store(C::Mov_rm32_r32, R::RSI, place_of(number), register);
    }
    code.store(C::Mov_rm32_r32, CONTEXT, offset::FLAGS, IMAGE);
    code.store(C::Mov_rm64_r64, CONTEXT, offset::BUDGET, BUDGET);
    let unchanged = code.label();
    code.memory_imm(C::Cmp_rm64_imm8, at(CONTEXT, offset::FPU_READY), 0);
    code.jump(C::Je_rel32_64, unchanged);
    code.memory(C::Fldcw_m2byte, at(CONTEXT, offset::HOST_CONTROL));
    code.bind(unchanged);
    for register in KEPT.into_iter().rev() {
        code.reg(C::Pop_r64, register);
    }
    code.plain(C::Retnq);
    code
}

/// Returns the offset of a general register in [`Registers::gpr`](crate::Registers).
fn place_of(number: usize) -> i64 {
    (number * size_of::<u32>()) as i64
}
