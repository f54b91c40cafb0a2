//! Subroutines for translated code that are too long to inline: bytes and words of display memory,
//! and the check of a write near decoded code.
//!
//! Each takes a linear address in ESI and preserves all registers except EAX, ESI and, for video
//! memory, EDI. It returns with CF set if the handler must do the access. The handler then repeats
//! what the routine had already done, with the same result.

use std::mem::offset_of;

use iced_x86::{Code as C, Register as R};

use super::context::{GRANULE_BITS, offset};
use super::emit::{Emitter, Label, at, indexed, scaled};
use super::port_routines::PortRoutines;
use super::registers::{CONTEXT, GRANULE_FLAGS};
use super::repeated::Repeated;
use crate::memory::PlainMemory;
use crate::memory::{Data, PLANE_PAGE, PlanarMapping};
use crate::registers::Segment;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Routines {
    /// Reads a byte or a word of video memory into EAX, zero-extended. The index is the base-2
    /// logarithm of the width, as for the others.
    pub(super) load: [u64; 2],
    /// Reads a byte of video memory that can also be written.
    pub(super) load_to_change: u64,
    /// Writes AL, or AX as two bytes, to video memory.
    pub(super) store: [u64; 2],
    /// Checks whether a write of 1, 2 or 4 bytes touches decoded code. RAX is the granule of the
    /// address.
    pub(super) beside: [u64; 3],
    /// Checks whether the bytes of the stack from the offset in EDI to that in ESI are in plain memory, and, the
    /// second routine, whether words up to the offset in EAX may be written.
    pub(super) window: [u64; 2],
    /// Loads the segment register with the number in RDI with the selector in EAX.
    pub(super) load_segment: u64,
    pub(super) ports: PortRoutines,
    /// Loads the interrupt vector at the address in EDI into EAX.
    pub(super) read_vector: u64,
    /// Executes string instructions with a repeat prefix, by [`Repeated`] and width. Those that are not
    /// written yet are 0.
    pub(super) repeat: [[u64; 3]; Repeated::ALL.len()],
    /// Prepares the host's x87 for the coprocessor's control word and loads the address of the
    /// coprocessor's state into R14; loads 0 if the x87 cannot be used.
    pub(super) prepare_fpu: u64,
}

impl Routines {
    /// Writes the routines. `add` stores each one and returns its address.
    pub(super) fn write(mut add: impl FnMut(Emitter) -> Option<u64>) -> Option<Routines> {
        let [readable, writable] = [offset_of!(PlanarMapping, readable), offset_of!(PlanarMapping, writable)];
        let (load, store) = (add(load_byte(&[readable]))?, add(store_byte(writable))?);
        let beside_word = add(beside(2))?;
        Some(Routines {
            load_to_change: add(load_byte(&[readable, writable]))?,
            load: [load, add(load_word(load))?],
            store: [store, add(store_word(store))?],
            beside: [add(beside(1))?, beside_word, add(beside(4))?],
            window: [add(window(None))?, add(window(Some(beside_word)))?],
            load_segment: add(load_segment())?,
            ports: PortRoutines::write(&mut add)?,
            read_vector: add(read_vector())?,
            repeat: [[0; 3]; Repeated::ALL.len()],
            prepare_fpu: add(prepare_fpu())?,
        })
    }
}

pub(super) fn has_routine(bytes: u32) -> bool {
    matches!(bytes, 1 | 2)
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
fn load_byte(lengths: &[usize]) -> Emitter {
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
    code.end(&KEPT, refused);
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

fn store_byte(length: usize) -> Emitter {
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
    code.end(&KEPT, refused);
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

fn beside(bytes: i32) -> Emitter {
    const KEPT: [R; 1] = [R::RCX];
    const GRANULE: i32 = PlainMemory::GRANULE as i32;
    let mut code = Emitter::default();
    let refused = code.label();
    code.keep(&KEPT);
    code.regs(C::Mov_r32_rm32, R::ECX, R::ESI);
    code.imm(C::And_rm32_imm8, R::ECX, GRANULE - 1);
    code.imm(C::Cmp_rm32_imm8, R::ECX, GRANULE - bytes);
    code.jump(C::Ja_rel32_64, refused);
    code.load(C::Mov_r64_rm64, R::RSI, CONTEXT, offset::DECODED);
    code.load_at(C::Movzx_r32_rm16, R::EAX, scaled(R::RSI, R::RAX, 2, 0));
    code.regs(C::Shr_rm32_CL, R::EAX, R::CL);
    code.imm(C::Test_rm8_imm8, R::AL, (1 << bytes) - 1);
    code.jump(C::Jne_rel32_64, refused);
    code.end(&KEPT, refused);
    code
}

/// Checks a window of the stack. With the routine for a word beside decoded code, at most
/// [`MOST_WRITTEN`](super::window::MOST_WRITTEN) bytes may be written.
fn window(beside_word: Option<u64>) -> Emitter {
    const SS: usize = Segment::Ss as usize;
    let mut code = Emitter::default();
    let refused = code.label();
    // No end may wrap at 0.
    code.regs(C::Cmp_r32_rm32, R::EDI, R::ESI);
    code.jump(C::Ja_rel32_64, refused);
    code.load(C::Cmp_r32_rm32, R::ESI, CONTEXT, offset::bounds(0, SS));
    code.jump(C::Jae_rel32_64, refused);
    let Some(beside_word) = beside_word else {
        code.end(&[], refused);
        return code;
    };
    let beside = code.label();
    code.load(C::Add_r32_rm32, R::EAX, CONTEXT, offset::base(SS));
    code.load(C::Add_r32_rm32, R::EDI, CONTEXT, offset::base(SS));
    for place in [R::EAX, R::EDI] {
        code.regs(C::Mov_r32_rm32, R::ESI, place);
        code.imm(C::Shr_rm32_imm8, R::ESI, GRANULE_BITS);
        code.memory_imm(C::Cmp_rm8_imm8, indexed(GRANULE_FLAGS, R::RSI), 0);
        code.jump(C::Jne_rel32_64, beside);
    }
    code.end(&[], refused);
    code.bind(beside);
    words_beside(&mut code, beside_word);
    code
}

/// Checks the words from the linear address in EDI to that in EAX, and returns.
fn words_beside(code: &mut Emitter, beside_word: u64) {
    const KEPT: [R; 1] = [R::RCX];
    let [word, next, refused] = [code.label(), code.label(), code.label()];
    code.keep(&KEPT);
    code.regs(C::Mov_r32_rm32, R::ECX, R::EAX);
    code.bind(word);
    code.regs(C::Mov_r32_rm32, R::EAX, R::EDI);
    code.imm(C::Shr_rm32_imm8, R::EAX, GRANULE_BITS);
    let flag = indexed(GRANULE_FLAGS, R::RAX);
    code.memory_imm(C::Cmp_rm8_imm8, flag, 0);
    code.jump(C::Je_rel32_64, next);
    code.memory_imm(C::Cmp_rm8_imm8, flag, PlainMemory::BESIDE_CODE.into());
    code.jump(C::Jne_rel32_64, refused);
    code.regs(C::Mov_r32_rm32, R::ESI, R::EDI);
    code.jump_to(C::Call_rel32_64, beside_word);
    code.jump(C::Jb_rel32_64, refused);
    code.bind(next);
    code.imm(C::Add_rm32_imm8, R::EDI, 2);
    code.regs(C::Cmp_r32_rm32, R::EDI, R::ECX);
    code.jump(C::Jbe_rel32_64, word);
    code.end(&KEPT, refused);
}

/// Computes what [`Context::set_segments`](super::context::Context) computes for one segment register.
/// Changes EAX, ESI and the flags.
fn load_segment() -> Emitter {
    const PARAGRAPH_BITS: i32 = 4;
    const SEGMENT_BYTES: i32 = 0x1_0000;
    let mut code = Emitter::default();
    let [outside, cut, store] = [code.label(), code.label(), code.label()];
    code.store_at(C::Mov_rm16_r16, scaled(CONTEXT, R::RDI, 2, offset::SELECTORS), R::AX);
    code.imm(C::Shl_rm32_imm8, R::EAX, PARAGRAPH_BITS);
    code.store_at(C::Mov_rm32_r32, scaled(CONTEXT, R::RDI, 4, offset::base(0)), R::EAX);
    code.load(C::Mov_r64_rm64, R::RSI, CONTEXT, offset::CELLS);
    code.regs(C::Add_r64_rm64, R::RSI, R::RAX);
    code.store_at(C::Mov_rm64_r64, scaled(CONTEXT, R::RDI, 8, offset::segment(0)), R::RSI);
    // ESI: the number of bytes of the segment in plain memory.
    code.load(C::Cmp_r32_rm32, R::EAX, CONTEXT, offset::DIRECT_FROM);
    code.jump(C::Jb_rel32_64, outside);
    code.load(C::Mov_r32_rm32, R::ESI, CONTEXT, offset::PLAIN_BYTES);
    code.regs(C::Sub_r32_rm32, R::ESI, R::EAX);
    code.jump(C::Jae_rel32_64, cut);
    code.bind(outside);
    code.regs(C::Xor_r32_rm32, R::ESI, R::ESI);
    code.bind(cut);
    code.imm(C::Cmp_rm32_imm32, R::ESI, SEGMENT_BYTES);
    code.jump(C::Jbe_rel32_64, store);
    code.imm(C::Mov_r32_imm32, R::ESI, SEGMENT_BYTES);
    code.bind(store);
    code.store_at(C::Mov_rm32_r32, scaled(CONTEXT, R::RDI, 4, offset::bounds(0, 0)), R::ESI);
    // An access of 2 bytes ends one byte later than one of 1, and one of 4 two bytes after that.
    for (width, more) in [(1, 1), (2, 2)] {
        let fits = code.label();
        code.imm(C::Sub_rm32_imm8, R::ESI, more);
        code.jump(C::Jae_rel32_64, fits);
        code.regs(C::Xor_r32_rm32, R::ESI, R::ESI);
        code.bind(fits);
        code.store_at(C::Mov_rm32_r32, scaled(CONTEXT, R::RDI, 4, offset::bounds(width, 0)), R::ESI);
    }
    code.plain(C::Retnq);
    code
}

/// Loads the vector at the address in EDI, which is at most that of the last one, into EAX. CF is set if
/// the processor's table is elsewhere.
pub(super) fn read_vector() -> Emitter {
    let mut code = Emitter::default();
    let elsewhere = code.label();
    code.load(C::Cmp_r32_rm32, R::EDI, CONTEXT, offset::VECTORS);
    code.jump(C::Jae_rel32_64, elsewhere);
    code.load(C::Mov_r64_rm64, R::RAX, CONTEXT, offset::CELLS);
    code.load_at(C::Mov_r32_rm32, R::EAX, indexed(R::RAX, R::RDI));
    code.end(&[], elsewhere);
    code
}

/// Changes EAX, R14 and the flags. The host's x87 may be an emulation with shorter significands: 1/3
/// shows that, once.
fn prepare_fpu() -> Emitter {
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

/// Points RSI to the context's value, for a value that was read elsewhere.
pub(super) fn point_at_value(code: &mut Emitter) {
    code.load_at(C::Lea_r64_m, R::RSI, at(CONTEXT, offset::VALUE));
    code.regs(C::Xor_r32_rm32, R::EDI, R::EDI);
}
