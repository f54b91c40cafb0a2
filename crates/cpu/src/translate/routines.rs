//! Subroutines for translated code that are too long to inline.
//!
//! Each preserves all registers except EAX, ESI and EDI, if it does not say otherwise. It returns with CF set if the
//! handler must execute the instruction. The handler then repeats what the routine had already done, with the same
//! result.

use iced_x86::{Code as C, Register as R};

use super::context::{GRANULE_BITS, offset};
use super::emit::{Emitter, at, indexed, scaled};
use super::fpu_routines::FpuRoutines;
use super::port_routines::PortRoutines;
use super::registers::{CONTEXT, GRANULE_FLAGS};
use super::repeated::Repeated;
use super::video_routines::VideoRoutines;
use crate::memory::PlainMemory;
use crate::registers::Segment;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Routines {
    pub(super) video: VideoRoutines,
    /// Checks whether a write of 1, 2 or 4 bytes at the linear address in ESI touches decoded code. RAX is the
    /// granule of the address. The index is the base-2 logarithm of the width, as for the others.
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
    pub(super) fpu: FpuRoutines,
}

impl Routines {
    /// Writes the routines. `add` stores each one and returns its address.
    pub(super) fn write(mut add: impl FnMut(Emitter) -> Option<u64>) -> Option<Routines> {
        let beside_word = add(beside(2))?;
        Some(Routines {
            video: VideoRoutines::write(&mut add)?,
            beside: [add(beside(1))?, beside_word, add(beside(4))?],
            window: [add(window(None))?, add(window(Some(beside_word)))?],
            load_segment: add(load_segment())?,
            ports: PortRoutines::write(&mut add)?,
            read_vector: add(read_vector())?,
            repeat: [[0; 3]; Repeated::ALL.len()],
            fpu: FpuRoutines::write(&mut add)?,
        })
    }
}

fn beside(bytes: i32) -> Emitter {
    const KEPT: [R; 1] = [R::RCX];
    const LAST: i32 = PlainMemory::GRANULE as i32 - 1;
    let mut code = Emitter::default();
    let refused = code.label();
    code.keep(&KEPT);
    code.regs(C::Mov_r32_rm32, R::ECX, R::ESI);
    code.imm(C::And_rm32_imm8, R::ECX, LAST);
    code.load(C::Mov_r64_rm64, R::RSI, CONTEXT, offset::DECODED);
    // The bits of two granules: the last byte may be in the next.
    code.load_at(C::Mov_r32_rm32, R::EAX, scaled(R::RSI, R::RAX, 2, 0));
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

/// Points RSI to the context's value, for a value that was read elsewhere.
pub(super) fn point_at_value(code: &mut Emitter) {
    code.load_at(C::Lea_r64_m, R::RSI, at(CONTEXT, offset::VALUE));
    code.regs(C::Xor_r32_rm32, R::EDI, R::EDI);
}
