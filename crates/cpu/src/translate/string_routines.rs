//! Subroutines for string instructions with a repeat prefix, which the host's own instructions
//! execute.
//!
//! A routine executes all iterations if they are before the limit, and if all bytes are in plain memory,
//! within the segments, and, where it writes, not decoded and at most [`MOST_WRITTEN`]. A comparison or a
//! search executes at most [`MOST_COMPARED`] of them. If not all bytes are in plain memory, it calls the bus to
//! write or copy them all at once. The handler executes the rest: CX, SI, DI and the flags are then as between
//! two iterations.

use iced_x86::{Code as C, Register as R};

use super::bus_calls::call_bus;
use super::context::{GRANULE_BITS, offset};
use super::emit::{Emitter, Label, at, indexed, scaled};
use super::flags::image;
use super::registers::{BUDGET, CONTEXT, GRANULE_FLAGS, IMAGE, dword, word};
use super::repeated::Repeated;
use crate::memory::PlainMemory;
use crate::registers::{Flags, Reg, Segment};

/// The most iterations of a comparison or a search. The handler is faster for long strings.
const MOST_COMPARED: i32 = 64;

/// The most bytes of a string that is written. The handler checks the granules of a longer one faster.
const MOST_WRITTEN: i32 = 1024;

/// Returns the routine of an instruction for elements of 1, 2 or 4 bytes.
pub(super) fn routine(repeated: Repeated, bytes: u32) -> Emitter {
    Routine { repeated, bytes }.code()
}

/// The registers that hold other values in a routine: ECX the iterations to come, EDX a distance in bytes
/// or the last granule, EBX the number of the source's segment register, if there is a source, R8D the
/// iterations.
const KEPT: [R; 4] = [R::RCX, R::RDX, R::RBX, R::R8];

/// A routine. It takes the number of the source's segment register in EDI, and the flags in the image. It
/// changes EAX, ESI, EDI, the flags, and what the instruction changes; CF is set if the handler must
/// execute the rest.
struct Routine {
    repeated: Repeated,
    bytes: u32,
}

impl Routine {
    fn code(&self) -> Emitter {
        let mut code = Emitter::default();
        let [refused, nothing, finish] = [code.label(), code.label(), code.label()];
        let device = if self.repeated.writes() { code.label() } else { refused };
        code.keep(&KEPT);
        if self.repeated.has_source() {
            code.regs(C::Mov_r32_rm32, R::EBX, R::EDI);
        }
        code.regs(C::Movzx_r32_rm16, R::ECX, word(Reg::C));
        code.regs(C::Test_rm32_r32, R::ECX, R::ECX);
        code.jump(C::Je_rel32_64, nothing);
        if !self.repeated.writes() {
            let few = code.label();
            code.imm(C::Cmp_rm32_imm8, R::ECX, MOST_COMPARED);
            code.jump(C::Jbe_rel32_64, few);
            code.imm(C::Mov_r32_imm32, R::ECX, MOST_COMPARED);
            code.bind(few);
        }
        code.regs(C::Cmp_r64_rm64, BUDGET, R::RCX);
        code.jump(C::Jl_rel32_64, refused);
        self.check(&mut code, refused, device);
        self.execute(&mut code);
        code.bind(finish);
        self.finish(&mut code);
        if self.repeated.writes() {
            code.bind(device);
            self.call_device(&mut code, refused);
            code.jump(C::Jmp_rel32_64, finish);
        }

        code.bind(nothing);
        code.end(&KEPT, refused);
        code
    }

    fn shift(&self) -> i32 {
        self.bytes.ilog2() as i32
    }

    /// Checks the memory of ECX iterations, and leaves the distance of the first and the last element in EDX.
    /// Jumps to `device` if not all of it is plain memory within the segments.
    fn check(&self, code: &mut Emitter, refused: Label, device: Label) {
        let width = self.shift() as usize;
        code.load(C::Lea_r32_m, R::EDX, R::RCX, -1);
        code.imm(C::Shl_rm32_imm8, R::EDX, self.shift());
        if self.repeated.writes() {
            code.imm(C::Cmp_rm32_imm32, R::EDX, MOST_WRITTEN);
            code.jump(C::Jae_rel32_64, refused);
        }
        if self.repeated.has_source() {
            span(code, Reg::Si, refused);
            code.load_at(C::Cmp_r32_rm32, R::EAX, scaled(CONTEXT, R::RBX, 4, offset::bounds(width, 0)));
            code.jump(C::Jae_rel32_64, device);
        }
        span(code, Reg::Di, refused);
        code.load(C::Cmp_r32_rm32, R::EAX, CONTEXT, offset::bounds(width, Segment::Es as usize));
        code.jump(C::Jae_rel32_64, device);
        if self.repeated.writes() {
            code.load(C::Mov_r32_rm32, R::ESI, CONTEXT, offset::base(Segment::Es as usize));
            code.regs(C::Add_r32_rm32, R::EDI, R::ESI);
            code.regs(C::Add_r32_rm32, R::EAX, R::ESI);
            code.load(C::Lea_r32_m, R::EAX, R::RAX, i64::from(self.bytes) - 1);
            granules(code, refused);
        }
    }

    /// Executes at most ECX iterations, and leaves their number in R8D. ECX is the number of those that
    /// were not executed.
    fn execute(&self, code: &mut Emitter) {
        let [down, over] = [code.label(), code.label()];
        if self.repeated.has_source() {
            code.regs(C::Movzx_r32_rm16, R::ESI, word(Reg::Si));
            code.load_at(C::Add_r64_rm64, R::RSI, scaled(CONTEXT, R::RBX, 8, offset::segment(0)));
        } else {
            code.regs(C::Mov_r32_rm32, R::EAX, dword(Reg::A));
        }
        code.regs(C::Movzx_r32_rm16, R::EDI, word(Reg::Di));
        code.load(C::Add_r64_rm64, R::RDI, CONTEXT, offset::segment(Segment::Es as usize));
        code.regs(C::Mov_r32_rm32, R::R8D, R::ECX);
        code.memory_imm(C::Cmp_rm32_imm8, at(CONTEXT, offset::DIRECTION), 0);
        code.jump(C::Jl_rel32_64, down);
        self.host_instruction(code);
        code.jump(C::Jmp_rel32_64, over);
        code.bind(down);
        code.plain(C::Std);
        self.host_instruction(code);
        code.plain(C::Cld);
        code.bind(over);
        code.regs(C::Sub_r32_rm32, R::R8D, R::ECX);
    }

    /// Calls the bus to execute ECX iterations, upwards and within the segments, and leaves their number in R8D.
    fn call_device(&self, code: &mut Emitter, refused: Label) {
        code.memory_imm(C::Cmp_rm32_imm8, at(CONTEXT, offset::DIRECTION), 0);
        code.jump(C::Jl_rel32_64, refused);
        if self.repeated.has_source() {
            self.first_offset(code, R::EAX, Reg::Si, refused);
            code.load_at(C::Add_r32_rm32, R::EAX, scaled(CONTEXT, R::RBX, 4, offset::base(0)));
        } else {
            code.regs(C::Mov_r32_rm32, R::EAX, dword(Reg::A));
        }
        self.first_offset(code, R::EDI, Reg::Di, refused);
        code.load(C::Add_r32_rm32, R::EDI, CONTEXT, offset::base(Segment::Es as usize));
        code.regs(C::Mov_r32_rm32, R::ESI, R::ECX);
        let function = if self.repeated.has_source() { offset::COPY } else { offset::FILL };
        call_bus(code, function, self.bytes as i32, R::EAX);
        code.jump(C::Jb_rel32_64, refused);
        code.regs(C::Mov_r32_rm32, R::R8D, R::ECX);
    }

    /// Loads the offset of the first element of a string that goes up. The last is EDX bytes higher, and must
    /// be in the segment. Uses ESI.
    fn first_offset(&self, code: &mut Emitter, register: R, index: Reg, refused: Label) {
        code.regs(C::Movzx_r32_rm16, register, word(index));
        code.load_at(C::Lea_r32_m, R::ESI, indexed(register.full_register(), R::RDX));
        code.imm(C::Cmp_rm32_imm32, R::ESI, 0x1_0000 - self.bytes as i32);
        code.jump(C::Ja_rel32_64, refused);
    }

    fn host_instruction(&self, code: &mut Emitter) {
        code.try_put(self.repeated.instruction(self.bytes));
        if !self.repeated.writes() {
            code.plain(C::Lahf);
            code.reg(C::Seto_rm8, R::AL);
            code.regs(C::Mov_r32_rm32, IMAGE, R::EAX);
        }
    }

    /// Changes the guest's registers and the budget by R8D iterations, and returns. The first one is
    /// counted with the block, or, if the handler continues, its first one is.
    fn finish(&self, code: &mut Emitter) {
        code.regs(C::Mov_r32_rm32, R::EDX, R::R8D);
        code.imm(C::Shl_rm32_imm8, R::EDX, self.shift());
        code.load(C::Imul_r32_rm32, R::EDX, CONTEXT, offset::DIRECTION);
        if self.repeated.has_source() {
            code.regs(C::Add_r16_rm16, word(Reg::Si), R::DX);
        }
        code.regs(C::Add_r16_rm16, word(Reg::Di), R::DX);
        code.regs(C::Mov_r32_rm32, R::ESI, R::R8D);
        code.bring_back(&KEPT);
        code.regs(C::Sub_r16_rm16, word(Reg::C), R::SI);
        let end = code.label();
        let over = match self.repeated {
            Repeated::Move | Repeated::Store => None,
            Repeated::CompareEqual | Repeated::ScanEqual => Some(C::Je_rel32_64),
            Repeated::CompareNotEqual | Repeated::ScanNotEqual => Some(C::Jne_rel32_64),
        };
        if let Some(over) = over {
            code.jump(C::Je_rel32_64, end);
            code.imm(C::Test_rm32_imm32, IMAGE, image(Flags::ZF) as i32);
            code.jump(over, end);
            count(code);
            code.plain(C::Stc);
            code.plain(C::Retnq);
        }
        code.bind(end);
        code.load(C::Lea_r64_m, R::RSI, R::RSI, -1);
        count(code);
        code.plain(C::Clc);
        code.plain(C::Retnq);
    }
}

/// Subtracts RSI iterations from the budget.
fn count(code: &mut Emitter) {
    code.regs(C::Sub_r64_rm64, BUDGET, R::RSI);
    code.store(C::Add_rm64_r64, CONTEXT, offset::ITERATIONS, R::RSI);
}

/// Loads the lowest offset of a string into EDI and that of its highest element into EAX. The first and
/// the last element are EDX bytes apart. The highest offset may be beyond the segment.
fn span(code: &mut Emitter, index: Reg, refused: Label) {
    let up = code.label();
    code.regs(C::Movzx_r32_rm16, R::EDI, word(index));
    code.load_at(C::Lea_r32_m, R::EAX, indexed(R::RDI, R::RDX));
    code.memory_imm(C::Cmp_rm32_imm8, at(CONTEXT, offset::DIRECTION), 0);
    code.jump(C::Jge_rel32_64, up);
    code.regs(C::Mov_r32_rm32, R::EAX, R::EDI);
    code.regs(C::Sub_r32_rm32, R::EDI, R::EDX);
    code.jump(C::Jb_rel32_64, refused);
    code.bind(up);
}

/// Checks that the program may write the bytes from the linear address EDI to EAX.
fn granules(code: &mut Emitter, refused: Label) {
    const GRANULE: i32 = PlainMemory::GRANULE as i32;
    let [each, beside, next, checked] = [code.label(), code.label(), code.label(), code.label()];
    code.regs(C::Mov_r32_rm32, R::ESI, R::EDI);
    code.imm(C::Shr_rm32_imm8, R::ESI, GRANULE_BITS);
    code.regs(C::Mov_r32_rm32, R::EDX, R::EAX);
    code.imm(C::Shr_rm32_imm8, R::EDX, GRANULE_BITS);
    code.bind(each);
    code.memory_imm(C::Cmp_rm8_imm8, indexed(GRANULE_FLAGS, R::RSI), 0);
    code.jump(C::Jne_rel32_64, beside);
    code.bind(next);
    code.imm(C::Add_rm32_imm8, R::ESI, 1);
    code.regs(C::Cmp_r32_rm32, R::ESI, R::EDX);
    code.jump(C::Jbe_rel32_64, each);
    code.jump(C::Jmp_rel32_64, checked);

    // R8D: which bytes of the granule are decoded. Those before the first and after the last byte do not
    // count.
    code.bind(beside);
    let [not_first, not_last] = [code.label(), code.label()];
    let mark = i32::from(PlainMemory::BESIDE_CODE);
    code.memory_imm(C::Cmp_rm8_imm8, indexed(GRANULE_FLAGS, R::RSI), mark);
    code.jump(C::Jne_rel32_64, refused);
    code.load(C::Mov_r64_rm64, R::R8, CONTEXT, offset::DECODED);
    code.load_at(C::Movzx_r32_rm16, R::R8D, scaled(R::R8, R::RSI, 2, 0));
    code.keep(&[R::RCX]);
    code.regs(C::Mov_r32_rm32, R::ECX, R::EDI);
    code.imm(C::Shr_rm32_imm8, R::ECX, GRANULE_BITS);
    code.regs(C::Cmp_r32_rm32, R::ECX, R::ESI);
    code.jump(C::Jne_rel32_64, not_first);
    code.regs(C::Mov_r32_rm32, R::ECX, R::EDI);
    code.imm(C::And_rm32_imm8, R::ECX, GRANULE - 1);
    code.regs(C::Shr_rm32_CL, R::R8D, R::CL);
    code.regs(C::Shl_rm32_CL, R::R8D, R::CL);
    code.bind(not_first);
    code.regs(C::Cmp_r32_rm32, R::ESI, R::EDX);
    code.jump(C::Jne_rel32_64, not_last);
    code.regs(C::Mov_r32_rm32, R::ECX, R::EAX);
    code.reg(C::Not_rm32, R::ECX);
    code.imm(C::And_rm32_imm8, R::ECX, GRANULE - 1);
    code.regs(C::Shl_rm32_CL, R::R8D, R::CL);
    code.bind(not_last);
    code.regs(C::Test_rm16_r16, R::R8W, R::R8W);
    code.bring_back(&[R::RCX]);
    code.jump(C::Je_rel32_64, next);
    code.jump(C::Jmp_rel32_64, refused);
    code.bind(checked);
}
