//! String instructions with 16-bit addresses: MOVS, STOS, LODS, SCAS and CMPS, and all of them except
//! LODS with a repeat prefix.

use iced_x86::{Code as C, Register as R};

use super::codegen::Body;
use super::context::offset;
use super::emit::{at, indexed, scaled};
use super::registers::{CONTEXT, HOST, OFFSET, address, of_bytes, word};
use super::repeated::Repeated;
use crate::bus::Bus;
use crate::registers::{Reg, Segment};

impl<B: Bus> Body<'_, B> {
    /// Stores AL, AX or EAX at ES:DI.
    pub(super) fn store_string(&mut self, number: usize, bytes: u32) {
        self.string_place(Reg::Di);
        let done = self.locate_store(number, Segment::Es, bytes);
        self.code.store_at(store_code(bytes), indexed(HOST, R::RDI), of_bytes(Reg::A, bytes));
        self.code.bind(done);
        self.advance(bytes, &[Reg::Di]);
    }

    /// Loads AL, AX or EAX from DS:SI, or with another segment.
    pub(super) fn load_string(&mut self, number: usize, bytes: u32) {
        self.string_place(Reg::Si);
        self.locate_load(number, self.decoded[number].op.seg, bytes);
        self.code.load_at(load_code(bytes), of_bytes(Reg::A, bytes), indexed(HOST, R::RDI));
        self.advance(bytes, &[Reg::Si]);
    }

    /// Copies an element from DS:SI, or with another segment, to ES:DI.
    pub(super) fn move_string(&mut self, number: usize, bytes: u32) {
        let value = at(CONTEXT, offset::VALUE);
        let accumulator = accumulator(bytes);
        self.string_place(Reg::Si);
        self.locate_load(number, self.decoded[number].op.seg, bytes);
        self.code.load_at(load_code(bytes), accumulator, indexed(HOST, R::RDI));
        self.code.store_at(store_code(bytes), value, accumulator);
        self.string_place(Reg::Di);
        let done = self.locate_store(number, Segment::Es, bytes);
        self.code.load_at(load_code(bytes), accumulator, value);
        self.code.store_at(store_code(bytes), indexed(HOST, R::RDI), accumulator);
        self.code.bind(done);
        self.advance(bytes, &[Reg::Si, Reg::Di]);
    }

    /// Compares AL, AX or EAX with ES:DI.
    pub(super) fn scan_string(&mut self, number: usize, bytes: u32) {
        let plan = self.plans[number];
        self.string_place(Reg::Di);
        self.locate_load(number, Segment::Es, bytes);
        self.code.load_at(compare_code(bytes), of_bytes(Reg::A, bytes), indexed(HOST, R::RDI));
        self.held = self.before_flags(&plan, 0);
        self.advance_with_flags(bytes, &[Reg::Di]);
    }

    /// Compares the element at DS:SI, or with another segment, with that at ES:DI, which is read first.
    pub(super) fn compare_strings(&mut self, number: usize, bytes: u32) {
        let plan = self.plans[number];
        let second = at(CONTEXT, offset::PLACE);
        let accumulator = accumulator(bytes);
        self.string_place(Reg::Di);
        self.locate_load(number, Segment::Es, bytes);
        self.code.load_at(load_code(bytes), accumulator, indexed(HOST, R::RDI));
        self.code.store_at(store_code(bytes), second, accumulator);
        self.string_place(Reg::Si);
        self.locate_load(number, self.decoded[number].op.seg, bytes);
        self.code.load_at(load_code(bytes), accumulator, indexed(HOST, R::RDI));
        self.code.load_at(compare_code(bytes), accumulator, second);
        self.held = self.before_flags(&plan, 0);
        self.advance_with_flags(bytes, &[Reg::Si, Reg::Di]);
    }

    /// Emits a string instruction with a repeat prefix, the last operation of its block. The handler
    /// executes what the routine leaves.
    pub(super) fn repeat(&mut self, number: usize, repeated: Repeated, bytes: u32) {
        let bail_out = self.bail_out(number);
        let routine = self.exits.routines.repeat[repeated as usize][bytes.ilog2() as usize];
        self.code.imm(C::Mov_r32_imm32, OFFSET, self.decoded[number].op.seg as i32);
        self.code.jump_to(C::Call_rel32_64, routine);
        self.code.jump(C::Jb_rel32_64, bail_out);
        self.resume_after(number);
    }

    fn string_place(&mut self, index: Reg) {
        self.code.regs(C::Movzx_r32_rm16, OFFSET, word(index));
    }

    /// Advances the indices by one element in the direction of DF.
    fn advance(&mut self, bytes: u32, indices: &[Reg]) {
        self.code.load(C::Mov_r32_rm32, R::EAX, CONTEXT, offset::DIRECTION);
        if bytes > 1 {
            self.code.imm(C::Shl_rm32_imm8, R::EAX, bytes.ilog2() as i32);
        }
        for &index in indices {
            self.code.regs(C::Add_r16_rm16, word(index), R::AX);
        }
    }

    /// Like [`Body::advance`], with the flags of the host unchanged.
    fn advance_with_flags(&mut self, bytes: u32, indices: &[Reg]) {
        for &index in indices {
            self.code.load(C::Mov_r32_rm32, R::EAX, CONTEXT, offset::DIRECTION);
            self.code.load_at(C::Lea_r32_m, R::EAX, scaled(address(index), R::RAX, bytes, 0));
            self.code.regs(C::Mov_r16_rm16, word(index), R::AX);
        }
    }
}

/// Returns the part of EAX with `bytes` bytes.
pub(super) fn accumulator(bytes: u32) -> R {
    match bytes {
        1 => R::AL,
        2 => R::AX,
        _ => R::EAX,
    }
}

pub(super) fn store_code(bytes: u32) -> C {
    match bytes {
        1 => C::Mov_rm8_r8,
        2 => C::Mov_rm16_r16,
        _ => C::Mov_rm32_r32,
    }
}

fn compare_code(bytes: u32) -> C {
    match bytes {
        1 => C::Cmp_r8_rm8,
        2 => C::Cmp_r16_rm16,
        _ => C::Cmp_r32_rm32,
    }
}

pub(super) fn load_code(bytes: u32) -> C {
    match bytes {
        1 => C::Mov_r8_rm8,
        2 => C::Mov_r16_rm16,
        _ => C::Mov_r32_rm32,
    }
}
