//! Routines that translated code calls for what is too long to stand in it: bytes and words of a display adapter's memory, and the
//! closer look at a write beside decoded code.
//!
//! Each takes a linear address in ESI and keeps the registers but EAX, ESI and, if it is about video memory, EDI. It returns with CF set where the handler has to
//! do the access; what it has done by then is done again alike.

use std::mem::offset_of;

use iced_x86::{Code as C, Register as R};

use super::emit::{Emitter, Label, at, indexed, scaled};
use super::host::offset;
use super::registers::CONTEXT;
use crate::memory::PlainMemory;
use crate::memory::{Data, PLANE_PAGE, Reach};

/// Where the routines are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Routines {
    /// Reads a byte or a word of video memory into EAX, extended by zeros. By the binary logarithm of the width, as the others.
    pub(super) load: [u64; 2],
    /// Reads a byte, if it can be written, too.
    pub(super) load_to_change: u64,
    /// Writes AL, or AX byte by byte, into video memory.
    pub(super) store: [u64; 2],
    /// Looks whether a write of 1, 2 or 4 bytes meets decoded code; RAX is the address's granule.
    pub(super) beside: [u64; 3],
}

impl Routines {
    /// Writes the routines, each by way of `add`, which says where it stands.
    pub(super) fn write(mut add: impl FnMut(Emitter) -> Option<u64>) -> Option<Routines> {
        let [readable, writable] = [offset_of!(Reach, readable), offset_of!(Reach, writable)];
        let (load, store) = (add(load_byte(&[readable]))?, add(store_byte(writable))?);
        Some(Routines {
            load_to_change: add(load_byte(&[readable, writable]))?,
            load: [load, add(load_word(load))?],
            store: [store, add(store_word(store))?],
            beside: [add(beside(1))?, add(beside(2))?, add(beside(4))?],
        })
    }
}

/// True where a display adapter's memory can be reached by so many bytes.
pub(super) fn has_routine(bytes: u32) -> bool {
    matches!(bytes, 1 | 2)
}

/// The field of a [`Reach`], as a displacement.
pub(super) fn reach(field: usize) -> i64 {
    field as i64
}

/// Addresses in a page of a plane, as a shift.
pub(super) const PAGE_BITS: i32 = PLANE_PAGE.ilog2() as i32;

fn keep(code: &mut Emitter, registers: &[R]) {
    for register in registers {
        code.reg(C::Push_r64, *register);
    }
}

/// The other way round; leaves the flags.
fn bring_back(code: &mut Emitter, registers: &[R]) {
    for register in registers.iter().rev() {
        code.reg(C::Pop_r64, *register);
    }
}

/// Returns, with CF clear on the way through and set at the label.
fn end(code: &mut Emitter, kept: &[R], refused: Label) {
    bring_back(code, kept);
    code.plain(C::Clc);
    code.plain(C::Retnq);
    code.bind(refused);
    bring_back(code, kept);
    code.plain(C::Stc);
    code.plain(C::Retnq);
}

/// The [`Reach`] in RDI, and the offset in the window in ESI; jumps where that is not below these fields of it.
fn enter_window(code: &mut Emitter, lengths: &[usize], refused: Label) {
    code.load(C::Mov_r64_rm64, R::RDI, CONTEXT, offset::REACH);
    code.load(C::Sub_r32_rm32, R::ESI, R::RDI, reach(offset_of!(Reach, base)));
    for &length in lengths {
        code.load(C::Cmp_r32_rm32, R::ESI, R::RDI, reach(length));
        code.jump(C::Jae_rel32_64, refused);
    }
}

/// From where it lies below these fields of the [`Reach`].
fn load_byte(lengths: &[usize]) -> Emitter {
    const KEPT: [R; 1] = [R::RCX];
    let mut code = Emitter::default();
    let refused = code.label();
    keep(&mut code, &KEPT);
    enter_window(&mut code, lengths, refused);
    lane(&mut code, R::ECX);
    code.load_at(C::Movzx_r32_rm8, R::ECX, scaled(R::RDI, R::RCX, 1, reach(offset_of!(Reach, shifts))));
    plane_address(&mut code, R::EAX);
    code.load(C::Mov_r64_rm64, R::RDI, CONTEXT, offset::PLANES);
    code.load_at(C::Mov_r32_rm32, R::EAX, scaled(R::RDI, R::RSI, 4, 0));
    code.load(C::Mov_r64_rm64, R::RDI, CONTEXT, offset::LATCH);
    code.store(C::Mov_rm32_r32, R::RDI, 0, R::EAX);
    code.regs(C::Shr_rm32_CL, R::EAX, R::CL);
    code.regs(C::Movzx_r32_rm8, R::EAX, R::AL);
    end(&mut code, &KEPT, refused);
    code
}

/// The low two bits of the offset in ESI.
fn lane(code: &mut Emitter, register: R) {
    code.regs(C::Mov_r32_rm32, register, R::ESI);
    code.imm(C::And_rm32_imm8, register, 3);
}

/// The plane address of the offset in ESI, in its place.
fn plane_address(code: &mut Emitter, scratch: R) {
    code.load(C::Movzx_r32_rm16, scratch, R::RDI, reach(offset_of!(Reach, index_mask)));
    code.regs(C::And_r32_rm32, R::ESI, scratch);
}

fn store_byte(length: usize) -> Emitter {
    const KEPT: [R; 2] = [R::RCX, R::RDX];
    let data = |field: usize| reach(offset_of!(Reach, data) + field);
    let mut code = Emitter::default();
    let refused = code.label();
    keep(&mut code, &KEPT);
    enter_window(&mut code, &[length], refused);
    // What goes into the planes: the byte, with what is fixed and what the latches keep.
    code.regs(C::Movzx_r32_rm8, R::EAX, R::AL);
    code.regs_imm(C::Imul_r32_rm32_imm32, R::EAX, R::EAX, 0x0101_0101);
    code.load(C::And_r32_rm32, R::EAX, R::RDI, data(offset_of!(Data, open)));
    code.load(C::Or_r32_rm32, R::EAX, R::RDI, data(offset_of!(Data, fixed)));
    code.load(C::Mov_r64_rm64, R::RCX, CONTEXT, offset::LATCH);
    code.load(C::Mov_r32_rm32, R::ECX, R::RCX, 0);
    code.regs(C::Xor_r32_rm32, R::EAX, R::ECX);
    code.load(C::And_r32_rm32, R::EAX, R::RDI, data(offset_of!(Data, mask)));
    code.regs(C::Xor_r32_rm32, R::EAX, R::ECX);
    // Where: the planes that are written, and the address.
    lane(&mut code, R::ECX);
    code.load_at(C::Mov_r32_rm32, R::EDX, scaled(R::RDI, R::RCX, 4, reach(offset_of!(Reach, lanes))));
    plane_address(&mut code, R::ECX);
    mark_page(&mut code);
    code.load(C::Mov_r64_rm64, R::RCX, CONTEXT, offset::PLANES);
    code.load_at(C::Mov_r32_rm32, R::EDI, scaled(R::RCX, R::RSI, 4, 0));
    code.regs(C::Xor_r32_rm32, R::EAX, R::EDI);
    code.regs(C::And_r32_rm32, R::EAX, R::EDX);
    code.regs(C::Xor_r32_rm32, R::EAX, R::EDI);
    code.store_at(C::Mov_rm32_r32, scaled(R::RCX, R::RSI, 4, 0), R::EAX);
    end(&mut code, &KEPT, refused);
    code
}

/// Marks the page of the plane address in ESI; uses RCX and EDI.
fn mark_page(code: &mut Emitter) {
    code.load(C::Mov_r64_rm64, R::RCX, CONTEXT, offset::PLANES_WRITTEN);
    code.regs(C::Mov_r32_rm32, R::EDI, R::ESI);
    code.imm(C::Shr_rm32_imm8, R::EDI, PAGE_BITS);
    code.memory_imm(C::Mov_rm8_imm8, indexed(R::RCX, R::RDI), 1);
}

/// As two reads of a byte, low byte first.
fn load_word(load_byte: u64) -> Emitter {
    let mut code = Emitter::default();
    let refused = code.label();
    code.reg(C::Push_r64, R::RSI);
    code.jump_to(C::Call_rel32_64, load_byte);
    code.reg(C::Pop_r64, R::RSI);
    code.jump(C::Jb_rel32_64, refused);
    code.load(C::Lea_r32_m, R::ESI, R::RSI, 1);
    code.reg(C::Push_r64, R::RAX);
    code.jump_to(C::Call_rel32_64, load_byte);
    code.reg(C::Pop_r64, R::RSI);
    code.jump(C::Jb_rel32_64, refused);
    code.imm(C::Shl_rm32_imm8, R::EAX, 8);
    // OR clears CF.
    code.regs(C::Or_r32_rm32, R::EAX, R::ESI);
    code.bind(refused);
    code.plain(C::Retnq);
    code
}

/// As two writes of a byte, low byte first. The first is not made where the second is refused: what is there may be read again.
fn store_word(store_byte: u64) -> Emitter {
    let mut code = Emitter::default();
    let refused = code.label();
    code.reg(C::Push_r64, R::RSI);
    code.load(C::Lea_r32_m, R::ESI, R::RSI, 1);
    enter_window(&mut code, &[offset_of!(Reach, writable)], refused);
    code.reg(C::Pop_r64, R::RSI);
    keep(&mut code, &[R::RAX, R::RSI]);
    code.jump_to(C::Call_rel32_64, store_byte);
    bring_back(&mut code, &[R::RAX, R::RSI]);
    let first_refused = code.label();
    code.jump(C::Jb_rel32_64, first_refused);
    code.load(C::Lea_r32_m, R::ESI, R::RSI, 1);
    code.imm(C::Shr_rm32_imm8, R::EAX, 8);
    code.jump_to(C::Jmp_rel32_64, store_byte);
    code.bind(first_refused);
    code.plain(C::Retnq);
    code.bind(refused);
    code.reg(C::Pop_r64, R::RSI);
    code.plain(C::Stc);
    code.plain(C::Retnq);
    code
}

fn beside(bytes: i32) -> Emitter {
    const KEPT: [R; 1] = [R::RCX];
    const GRANULE: i32 = PlainMemory::GRANULE as i32;
    let mut code = Emitter::default();
    let refused = code.label();
    keep(&mut code, &KEPT);
    code.regs(C::Mov_r32_rm32, R::ECX, R::ESI);
    code.imm(C::And_rm32_imm8, R::ECX, GRANULE - 1);
    code.imm(C::Cmp_rm32_imm8, R::ECX, GRANULE - bytes);
    code.jump(C::Ja_rel32_64, refused);
    code.load(C::Mov_r64_rm64, R::RSI, CONTEXT, offset::DECODED);
    code.load_at(C::Movzx_r32_rm16, R::EAX, scaled(R::RSI, R::RAX, 2, 0));
    code.regs(C::Shr_rm32_CL, R::EAX, R::CL);
    code.imm(C::Test_rm8_imm8, R::AL, (1 << bytes) - 1);
    code.jump(C::Jne_rel32_64, refused);
    end(&mut code, &KEPT, refused);
    code
}

/// Memory at RSI as the context has it, for a value that was read elsewhere.
pub(super) fn point_at_value(code: &mut Emitter) {
    code.load_at(C::Lea_r64_m, R::RSI, at(CONTEXT, offset::VALUE));
    code.regs(C::Xor_r32_rm32, R::EDI, R::EDI);
}
