//! Subroutines for accesses to memory that is not plain: display memory if masks and shifts express its mapping,
//! and by a call of the bus otherwise.
//!
//! Each takes a linear address in ESI and changes EAX, ESI and EDI. CF is set if the handler must execute the
//! instruction.

use std::mem::offset_of;

use iced_x86::{Code as C, Register as R};

use super::bus_calls::call_bus;
use super::context::offset;
use super::emit::{Emitter, Label, indexed, scaled};
use super::registers::CONTEXT;
use crate::memory::{Data, PLANE_PAGE, PlanarMapping};

/// The index of each is the base-2 logarithm of the width.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct VideoRoutines {
    /// Read into EAX, zero-extended.
    pub(super) load: [u64; 3],
    /// Write the low bytes of EAX.
    pub(super) store: [u64; 3],
    /// Read what will be written: the second kind then cannot refuse.
    pub(super) load_to_change: [u64; 3],
    pub(super) store_changed: [u64; 3],
}

/// The function of the bus (see `host/bus`) that a routine calls for an address that masks and shifts do not
/// express.
#[derive(Debug, Clone, Copy)]
struct BusCall {
    /// The field of the context with its address.
    function: i64,
    /// Whether the access is part of a change.
    changes: bool,
}

impl VideoRoutines {
    /// Writes the routines. `add` stores each one and returns its address.
    pub(super) fn write(mut add: impl FnMut(Emitter) -> Option<u64>) -> Option<VideoRoutines> {
        let [readable, writable] = [offset_of!(PlanarMapping, readable), offset_of!(PlanarMapping, writable)];
        let functions = [offset::READ, offset::WRITE];
        let [read, write] = functions.map(|function| BusCall { function, changes: false });
        let [read_to_change, write_changed] = functions.map(|function| BusCall { function, changes: true });
        let (byte, stored_byte) = (add(load_byte(&[readable], None))?, add(store_byte(writable, None))?);
        let (word, stored_word) = (add(load_word(byte))?, add(store_word(stored_byte))?);
        Some(VideoRoutines {
            load: [
                add(load_byte(&[readable], Some(read)))?,
                add(or_otherwise(word, read, 2))?,
                add(always(read, 4))?,
            ],
            store: [
                add(store_byte(writable, Some(write)))?,
                add(or_otherwise(stored_word, write, 2))?,
                add(always(write, 4))?,
            ],
            load_to_change: [
                add(load_byte(&[readable, writable], Some(read_to_change)))?,
                add(always(read_to_change, 2))?,
                add(always(read_to_change, 4))?,
            ],
            store_changed: [
                add(store_byte(writable, Some(write_changed)))?,
                add(always(write_changed, 2))?,
                add(always(write_changed, 4))?,
            ],
        })
    }
}

/// Returns the offset of a field of [`PlanarMapping`] as a displacement.
pub(super) fn reach(field: usize) -> i64 {
    field as i64
}

/// Base-2 logarithm of the addresses per page of a plane.
pub(super) const PAGE_BITS: i32 = PLANE_PAGE.ilog2() as i32;

/// Loads the [`PlanarMapping`] into RDI and the offset in the window into ESI. Jumps if that is not
/// below these of its fields.
fn enter_window(code: &mut Emitter, lengths: &[usize], refused: Label) {
    code.load(C::Mov_r64_rm64, R::RDI, CONTEXT, offset::REACH);
    code.load(C::Sub_r32_rm32, R::ESI, R::RDI, reach(offset_of!(PlanarMapping, base)));
    for &length in lengths {
        code.load(C::Cmp_r32_rm32, R::ESI, R::RDI, reach(length));
        code.jump(C::Jae_rel32_64, refused);
    }
}

/// Reads a byte whose offset is below these fields of the [`PlanarMapping`].
fn load_byte(lengths: &[usize], otherwise: Option<BusCall>) -> Emitter {
    const KEPT: [R; 1] = [R::RCX];
    let mut code = Emitter::default();
    let refused = code.label();
    code.keep(&KEPT);
    enter_window(&mut code, lengths, refused);
    lane(&mut code, R::ECX);
    code.load_at(
        C::Movzx_r32_rm8,
        R::ECX,
        scaled(R::RDI, R::RCX, 1, reach(offset_of!(PlanarMapping, shifts))),
    );
    plane_address(&mut code, R::EAX);
    code.load(C::Mov_r64_rm64, R::RDI, CONTEXT, offset::PLANES);
    code.load_at(C::Mov_r32_rm32, R::EAX, scaled(R::RDI, R::RSI, 4, 0));
    code.load(C::Mov_r64_rm64, R::RDI, CONTEXT, offset::LATCH);
    code.store(C::Mov_rm32_r32, R::RDI, 0, R::EAX);
    code.regs(C::Shr_rm32_CL, R::EAX, R::CL);
    code.regs(C::Movzx_r32_rm8, R::EAX, R::AL);
    end(&mut code, &KEPT, refused, otherwise);
    code
}

/// Emits the return of a routine for a byte, and at the label the call of the bus, if there is one: RDI is the
/// [`PlanarMapping`] there, and ESI the offset in the window.
fn end(code: &mut Emitter, kept: &[R], refused: Label, otherwise: Option<BusCall>) {
    let Some(otherwise) = otherwise else { return code.end(kept, refused) };
    code.bring_back(kept);
    code.plain(C::Clc);
    code.plain(C::Retnq);
    code.bind(refused);
    code.bring_back(kept);
    code.load(C::Add_r32_rm32, R::ESI, R::RDI, reach(offset_of!(PlanarMapping, base)));
    call(code, otherwise, 1);
}

/// Calls the function of the bus for the linear address in ESI, and returns.
fn call(code: &mut Emitter, BusCall { function, changes }: BusCall, bytes: i32) {
    code.regs(C::Mov_r32_rm32, R::EDI, R::ESI);
    code.imm(C::Mov_r32_imm32, R::ESI, changes.into());
    call_bus(code, function, bytes, R::EAX);
    code.plain(C::Retnq);
}

/// Emits a routine that always calls the bus.
fn always(to_bus: BusCall, bytes: i32) -> Emitter {
    let mut code = Emitter::default();
    call(&mut code, to_bus, bytes);
    code
}

/// Emits a routine that calls another, and the bus if that refuses.
fn or_otherwise(routine: u64, otherwise: BusCall, bytes: i32) -> Emitter {
    const KEPT: [R; 2] = [R::RAX, R::RSI];
    let mut code = Emitter::default();
    let refused = code.label();
    code.keep(&KEPT);
    code.jump_to(C::Call_rel32_64, routine);
    code.jump(C::Jb_rel32_64, refused);
    // EAX may be the result.
    code.reg(C::Pop_r64, R::RSI);
    code.reg(C::Pop_r64, R::RSI);
    code.plain(C::Retnq);
    code.bind(refused);
    code.bring_back(&KEPT);
    call(&mut code, otherwise, bytes);
    code
}

/// Loads the low two bits of the offset in ESI.
fn lane(code: &mut Emitter, register: R) {
    code.regs(C::Mov_r32_rm32, register, R::ESI);
    code.imm(C::And_rm32_imm8, register, 3);
}

/// Converts the offset in ESI to the plane address.
fn plane_address(code: &mut Emitter, scratch: R) {
    code.load(C::Movzx_r32_rm16, scratch, R::RDI, reach(offset_of!(PlanarMapping, index_mask)));
    code.regs(C::And_r32_rm32, R::ESI, scratch);
}

/// Writes a byte whose offset is below this field of the [`PlanarMapping`].
fn store_byte(length: usize, otherwise: Option<BusCall>) -> Emitter {
    const KEPT: [R; 2] = [R::RCX, R::RDX];
    let data = |field: usize| reach(offset_of!(PlanarMapping, data) + field);
    let mut code = Emitter::default();
    let refused = code.label();
    code.keep(&KEPT);
    enter_window(&mut code, &[length], refused);
    // The value: the byte, fixed bits, and bits that the latches keep.
    code.regs(C::Movzx_r32_rm8, R::EAX, R::AL);
    code.regs_imm(C::Imul_r32_rm32_imm32, R::EAX, R::EAX, 0x0101_0101);
    code.load(C::And_r32_rm32, R::EAX, R::RDI, data(offset_of!(Data, open)));
    code.load(C::Or_r32_rm32, R::EAX, R::RDI, data(offset_of!(Data, fixed)));
    code.load(C::Mov_r64_rm64, R::RCX, CONTEXT, offset::LATCH);
    code.load(C::Mov_r32_rm32, R::ECX, R::RCX, 0);
    code.regs(C::Xor_r32_rm32, R::EAX, R::ECX);
    code.load(C::And_r32_rm32, R::EAX, R::RDI, data(offset_of!(Data, mask)));
    code.regs(C::Xor_r32_rm32, R::EAX, R::ECX);
    // The destination: the planes to write, and the address.
    lane(&mut code, R::ECX);
    code.load_at(C::Mov_r32_rm32, R::EDX, scaled(R::RDI, R::RCX, 4, reach(offset_of!(PlanarMapping, lanes))));
    plane_address(&mut code, R::ECX);
    mark_page(&mut code);
    code.load(C::Mov_r64_rm64, R::RCX, CONTEXT, offset::PLANES);
    code.load_at(C::Mov_r32_rm32, R::EDI, scaled(R::RCX, R::RSI, 4, 0));
    code.regs(C::Xor_r32_rm32, R::EAX, R::EDI);
    code.regs(C::And_r32_rm32, R::EAX, R::EDX);
    code.regs(C::Xor_r32_rm32, R::EAX, R::EDI);
    code.store_at(C::Mov_rm32_r32, scaled(R::RCX, R::RSI, 4, 0), R::EAX);
    end(&mut code, &KEPT, refused, otherwise);
    code
}

/// Marks the page of the plane address in ESI as written. Uses RCX and EDI.
fn mark_page(code: &mut Emitter) {
    code.load(C::Mov_r64_rm64, R::RCX, CONTEXT, offset::PLANES_WRITTEN);
    code.regs(C::Mov_r32_rm32, R::EDI, R::ESI);
    code.imm(C::Shr_rm32_imm8, R::EDI, PAGE_BITS);
    code.memory_imm(C::Mov_rm8_imm8, indexed(R::RCX, R::RDI), 1);
}

/// Reads two bytes, the low byte first.
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

/// Writes two bytes, the low byte first. Does not write the first if the second is refused, because
/// the handler may read there.
fn store_word(store_byte: u64) -> Emitter {
    let mut code = Emitter::default();
    let refused = code.label();
    code.reg(C::Push_r64, R::RSI);
    code.load(C::Lea_r32_m, R::ESI, R::RSI, 1);
    enter_window(&mut code, &[offset_of!(PlanarMapping, writable)], refused);
    code.reg(C::Pop_r64, R::RSI);
    code.keep(&[R::RAX, R::RSI]);
    code.jump_to(C::Call_rel32_64, store_byte);
    code.bring_back(&[R::RAX, R::RSI]);
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
