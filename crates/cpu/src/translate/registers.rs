//! The assignment of guest registers to host registers in translated code.
//!
//! | guest | host | |
//! | --- | --- | --- |
//! | EAX, ECX, EDX | EBX, ECX, EDX | so that AH, CH and DH are BH, CH and DH |
//! | EBX, ESP, EBP, ESI, EDI | R8D to R12D | BH is accessed through AH |
//! | the status flags | RFLAGS, or R13D as LAHF and SETO leave them in AX | see `flags` |
//! | the cycles left before the limit | RBP | |
//!
//! R14 holds the granule flags and R15 the [`Context`](super::context::Context). EAX, ESI and EDI are
//! temporaries of one instruction.

use iced_x86::Register as R;

use crate::registers::Reg;

/// The image of the status flags: AH as LAHF leaves it in bits 8 to 15, OF in bit 0.
pub(super) const IMAGE: R = R::R13D;
/// Cycles left before the limit.
pub(super) const BUDGET: R = R::RBP;
/// The granule flags of plain memory.
pub(super) const GRANULE_FLAGS: R = R::R14;
/// Holds the offset of a memory operand.
pub(super) const OFFSET: R = R::EDI;
/// Holds the host address of its segment.
pub(super) const HOST: R = R::RSI;
/// The state shared with the machine.
pub(super) const CONTEXT: R = R::R15;

/// The doubleword registers, in the order of their encoding in the guest.
pub(super) const GENERAL: [R; 8] = [R::EBX, R::ECX, R::EDX, R::R8D, R::R9D, R::R10D, R::R11D, R::R12D];
const WORDS: [R; 8] = [R::BX, R::CX, R::DX, R::R8W, R::R9W, R::R10W, R::R11W, R::R12W];
/// AL to BL and AH to BH. BH is in its substitute.
const BYTES: [R; 8] = [R::BL, R::CL, R::DL, R::R8L, R::BH, R::CH, R::DH, R::AH];

/// Returns the doubleword register that holds a general register of the guest.
pub(super) fn dword(reg: Reg) -> R {
    GENERAL[reg as usize]
}

/// Returns the lower half of that register.
pub(super) fn word(reg: Reg) -> R {
    WORDS[reg as usize]
}

/// Returns the low byte, the lower half, or all of it, by size. Not for AH, CH, DH and BH.
pub(super) fn of_bytes(reg: Reg, bytes: u32) -> R {
    match bytes {
        1 => BYTES[reg as usize & 3],
        2 => word(reg),
        _ => dword(reg),
    }
}

/// Returns the register in 64 bits, for addresses. Above a guest doubleword the host has zeros.
pub(super) fn address(reg: Reg) -> R {
    dword(reg).full_register()
}

/// Returns the host register of a general register of the guest of any size.
pub(super) fn of_guest(register: R) -> Option<R> {
    let at = |first: R, table: &[R; 8]| table.get((register as usize).wrapping_sub(first as usize)).copied();
    at(R::AL, &BYTES).or_else(|| at(R::AX, &WORDS)).or_else(|| at(R::EAX, &GENERAL))
}

/// Returns whether this is AH, CH, DH or BH, which an instruction with a REX prefix cannot access.
pub(super) fn is_high(register: R) -> bool {
    matches!(register, R::AH | R::CH | R::DH | R::BH)
}
