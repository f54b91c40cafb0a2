//! Calls of the bus from the routines of translated code.

use iced_x86::{Code as C, Register as R};

use super::context::offset;
use super::emit::{Emitter, at};
use super::registers::{BUDGET, CONTEXT, GRANULE_FLAGS};

/// The bit of the result of a function of the bus that becomes CF.
pub(super) const REFUSED: i32 = 32;

/// The registers of translated code that a function of the host's convention may change.
const LOST: [R; 6] = [R::RCX, R::RDX, R::R8, R::R9, R::R10, R::R11];

/// Emits a call of the function whose address is in this field of the context (see `host/bus`) in a routine that
/// has pushed an even number of registers. The function takes the context, EDI, ESI, the budget, the width in bytes
/// and a register. Its result is in RAX, and bit [`REFUSED`] of it in CF. Changes ESI, EDI, and R14 if the granule
/// flags have moved.
pub(super) fn call_bus(code: &mut Emitter, function: i64, bytes: i32, value: R) {
    let plain = code.label();
    // The host's stack is aligned after six registers and an even number: the prologue has pushed six, and there
    // are two return addresses.
    code.keep(&LOST);
    // Functions expect the host's own control word.
    code.memory_imm(C::Cmp_rm64_imm8, at(CONTEXT, offset::FPU_READY), 0);
    code.jump(C::Je_rel32_64, plain);
    code.memory(C::Fldcw_m2byte, at(CONTEXT, offset::HOST_CONTROL));
    code.memory_imm(C::Mov_rm64_imm32, at(CONTEXT, offset::FPU_READY), 0);
    code.bind(plain);
    code.regs(C::Mov_r32_rm32, R::EDX, R::ESI);
    code.regs(C::Mov_r32_rm32, R::ESI, R::EDI);
    code.regs(C::Mov_r64_rm64, R::RDI, CONTEXT);
    code.regs(C::Mov_r64_rm64, R::RCX, BUDGET);
    code.imm(C::Mov_r32_imm32, R::R8D, bytes);
    code.regs(C::Mov_r32_rm32, R::R9D, value);
    code.memory(C::Call_rm64, at(CONTEXT, function));
    code.bring_back(&LOST);
    code.load(C::Mov_r64_rm64, GRANULE_FLAGS, CONTEXT, offset::GRANULE_FLAGS);
    code.imm(C::Bt_rm64_imm8, R::RAX, REFUSED);
}

/// Emits a routine that calls such a function with EDI and ESI.
pub(super) fn bus_routine(function: i64, bytes: i32, value: R) -> Emitter {
    let mut code = Emitter::default();
    call_bus(&mut code, function, bytes, value);
    code.plain(C::Retnq);
    code
}
