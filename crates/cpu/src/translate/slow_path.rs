//! The slow path for memory accesses: memory that is not plain, and pages that hold decoded code.

use std::mem::offset_of;

use iced_x86::{Code as C, OpKind, Register as R};

use super::codegen::Body;
use super::context::offset;
use super::emit::{Label, indexed, scaled};
use super::kind::Kind;
use super::registers::{self, CONTEXT, GRANULE_FLAGS, OFFSET, dword, word};
use super::routines::point_at_value;
use super::strings::{accumulator, load_code};
use super::video_routines::{PAGE_BITS, reach};
use crate::bus::Bus;
use crate::memory::PlainMemory;
use crate::memory::PlanarMapping;
use crate::registers::{Reg, Segment};

/// A memory access whose slow path is emitted after the block.
#[derive(Debug)]
pub(super) struct SlowPath {
    pub(super) label: Label,
    pub(super) bail_out: Label,
    /// The label at which the fast path continues.
    pub(super) back: Label,
    pub(super) segment: Segment,
    pub(super) bytes: u32,
    pub(super) kind: Access,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Access {
    /// A write to plain memory near decoded code.
    BesideCode,
    /// A read of memory that is not plain.
    Load,
    /// The store of the operation with this number to such memory.
    Store(usize),
    /// The whole operation with this number: a read-modify-write of such memory, with one host
    /// instruction.
    Change(usize, C),
}

impl<B: Bus> Body<'_, B> {
    pub(super) fn write_slow_paths(&mut self) {
        for path in std::mem::take(&mut self.slow_paths) {
            let SlowPath { label, bail_out, back, segment, bytes, kind } = path;
            let width = bytes.ilog2() as usize;
            let routines = self.exits.routines;
            self.code.bind(label);
            match kind {
                Access::BesideCode => {
                    let mark = i32::from(PlainMemory::BESIDE_CODE);
                    self.code.memory_imm(C::Cmp_rm8_imm8, indexed(GRANULE_FLAGS, R::RAX), mark);
                    self.code.jump(C::Jne_rel32_64, bail_out);
                    self.linear_address(segment);
                    self.call_routine(routines.beside.get(width), bail_out);
                }
                Access::Load => {
                    self.within_segment(bytes, bail_out);
                    self.linear_address(segment);
                    self.call_routine(routines.video.load.get(width), bail_out);
                    self.code.store(C::Mov_rm32_r32, CONTEXT, offset::VALUE, R::EAX);
                    point_at_value(&mut self.code);
                }
                Access::Store(number) => {
                    self.within_segment(bytes, bail_out);
                    if bytes == 2 {
                        self.store_cell(number, segment, back);
                    }
                    self.stored_value(number, bytes);
                    self.linear_address(segment);
                    self.call_routine(routines.video.store.get(width), bail_out);
                }
                Access::Change(number, code) => {
                    self.within_segment(bytes, bail_out);
                    self.linear_address(segment);
                    self.code.store(C::Mov_rm32_r32, CONTEXT, offset::PLACE, R::ESI);
                    self.call_routine(routines.video.load_to_change.get(width), bail_out);
                    self.code.store(C::Mov_rm32_r32, CONTEXT, offset::VALUE, R::EAX);
                    point_at_value(&mut self.code);
                    self.put_change(number, code);
                    // The flags of the change may be live. Twice, because a routine expects the stack aligned.
                    self.code.plain(C::Pushfq);
                    self.code.plain(C::Pushfq);
                    self.code.load(C::Mov_r32_rm32, R::EAX, CONTEXT, offset::VALUE);
                    self.code.load(C::Mov_r32_rm32, R::ESI, CONTEXT, offset::PLACE);
                    let lost = self.code.label();
                    self.call_routine(routines.video.store_changed.get(width), lost);
                    self.code.plain(C::Popfq);
                    self.code.plain(C::Popfq);
                    self.code.jump(C::Jmp_rel32_64, back);
                    self.code.bind(lost);
                    self.code.plain(C::Popfq);
                    self.code.plain(C::Popfq);
                    self.code.jump(C::Jmp_rel32_64, bail_out);
                }
            }
            if !matches!(kind, Access::Change(..)) {
                self.code.jump(C::Jmp_rel32_64, back);
            }
        }
    }

    fn within_segment(&mut self, bytes: u32, bail_out: Label) {
        self.code.imm(C::Cmp_rm32_imm32, OFFSET, 0x1_0000 - bytes as i32);
        self.code.jump(C::Ja_rel32_64, bail_out);
    }

    fn linear_address(&mut self, segment: Segment) {
        self.code.load(C::Mov_r32_rm32, R::ESI, CONTEXT, offset::base(segment as usize));
        self.code.regs(C::Add_r32_rm32, R::ESI, OFFSET);
    }

    fn call_routine(&mut self, routine: Option<&u64>, bail_out: Label) {
        match routine {
            Some(at) => self.code.jump_to(C::Call_rel32_64, *at),
            None => self.code.poison(),
        }
        self.code.jump(C::Jb_rel32_64, bail_out);
    }

    /// Stores a word in a text cell, the most common write to video memory, and jumps to `done`.
    /// Continues after it if the address is not that of a cell.
    fn store_cell(&mut self, number: usize, segment: Segment, done: Label) {
        let no_cell = self.code.label();
        self.linear_address(segment);
        self.code.load(C::Mov_r64_rm64, R::RAX, CONTEXT, offset::REACH);
        self.code.load(C::Sub_r32_rm32, R::ESI, R::RAX, reach(offset_of!(PlanarMapping, base)));
        self.code.imm(C::Test_rm32_imm32, R::ESI, 1);
        self.code.jump(C::Jne_rel32_64, no_cell);
        self.code.load(C::Cmp_r32_rm32, R::ESI, R::RAX, reach(offset_of!(PlanarMapping, text)));
        self.code.jump(C::Jae_rel32_64, no_cell);
        self.code.regs(C::Movzx_r32_rm16, R::ESI, R::SI);
        self.code.load(C::Mov_r64_rm64, R::RAX, CONTEXT, offset::PLANES);
        let cell = scaled(R::RAX, R::RSI, 4, 0);
        let decoded = &self.decoded[number];
        let instruction = &decoded.instruction;
        match (self.plans[number].kind, registers::of_guest(instruction.op1_register())) {
            (Kind::StoreString, _) => self.code.store_at(C::Mov_rm16_r16, cell, word(Reg::A)),
            (Kind::MoveString, _) => {
                self.code.load(C::Mov_r32_rm32, OFFSET, CONTEXT, offset::VALUE);
                self.code.store_at(C::Mov_rm16_r16, cell, R::DI);
            }
            (_, Some(register)) => self.code.store_at(C::Mov_rm16_r16, cell, register),
            (_, None) => self.code.memory_imm(C::Mov_rm16_imm16, cell, i32::from(decoded.op.imm as i16)),
        }
        self.code.imm(C::Shr_rm32_imm8, R::ESI, PAGE_BITS);
        self.code.load(C::Mov_r64_rm64, R::RAX, CONTEXT, offset::PLANES_WRITTEN);
        self.code.memory_imm(C::Mov_rm8_imm8, indexed(R::RAX, R::RSI), 1);
        self.code.jump(C::Jmp_rel32_64, done);
        self.code.bind(no_cell);
    }

    /// Loads the value that an operation stores into EAX.
    fn stored_value(&mut self, number: usize, bytes: u32) {
        let decoded = &self.decoded[number];
        let instruction = &decoded.instruction;
        match self.plans[number].kind {
            Kind::StoreString => self.code.regs(C::Mov_r32_rm32, R::EAX, dword(Reg::A)),
            Kind::MoveString => self.code.load(C::Mov_r32_rm32, R::EAX, CONTEXT, offset::VALUE),
            _ if instruction.op1_kind() != OpKind::Register => {
                self.code.imm(C::Mov_r32_imm32, R::EAX, decoded.op.imm as i32);
            }
            _ => match (instruction.op1_register(), bytes) {
                (R::BH, _) => {
                    self.code.regs(C::Mov_r32_rm32, R::EAX, dword(Reg::B));
                    self.code.imm(C::Shr_rm32_imm8, R::EAX, 8);
                }
                (register, _) => match registers::of_guest(register) {
                    Some(register) => self.code.regs(load_code(bytes), accumulator(bytes), register),
                    None => self.code.poison(),
                },
            },
        }
    }
}
