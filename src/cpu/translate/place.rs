//! Where an operand in memory is: its offset, and the look whether it is in plain memory.

use std::mem::offset_of;

use iced_x86::{Code as C, Instruction, MemoryOperand, Mnemonic as M, OpKind, Register as R};

use super::body::Body;
use super::emit::{Label, at, indexed, scaled};
use super::host::offset;
use super::plan::{Kind, Plan};
use super::registers::{self, CONTEXT, MARKS, address, dword, word};
use super::routines::{self, Routines, point_at_value};
use crate::cpu::bus::{Bus, PlainMemory};
use crate::cpu::op::{Mode, Op};
use crate::cpu::planar::Reach;
use crate::cpu::registers::{Reg, Segment};

/// The offset of an operand in memory.
pub(super) const OFFSET: R = R::EDI;
/// Where its segment begins on the host.
pub(super) const HOST: R = R::RSI;

/// An access to memory that is not plain, out of the straight line.
#[derive(Debug)]
pub(super) struct Beyond {
    /// Where the jump to it goes.
    label: Label,
    /// Where it goes on when the handler has to do it,
    left: Label,
    /// and when it is done.
    back: Label,
    segment: Segment,
    bytes: u32,
    kind: Access,
}

#[derive(Debug, Clone, Copy)]
enum Access {
    /// A write to plain memory, beside decoded code.
    BesideCode,
    /// A read of a display adapter's memory.
    Load,
    /// The store of the operation with this number to a display adapter's memory.
    Store(usize),
    /// All of the operation with this number, which changes a byte there and is the host's own instruction.
    Change(usize, C),
}

impl<B: Bus> Body<'_, B> {
    pub(super) fn lea(&mut self, op: &Op<B>, instruction: &Instruction) {
        self.offset(op);
        match instruction.op0_register().size() {
            2 => self.code.regs(C::Mov_r16_rm16, word(op.reg), R::DI),
            _ => self.code.regs(C::Mov_r32_rm32, dword(op.reg), OFFSET),
        }
    }

    /// The offset of the memory operand, in EDI.
    pub(super) fn offset(&mut self, op: &Op<B>) {
        let disp = i64::from(op.disp as i32);
        // Within 16 bits it is the same whether the displacement has a sign.
        let short = i64::from(op.disp as i16);
        match op.mode {
            Mode::Absolute | Mode::Register => {
                return self.code.imm(C::Mov_r32_imm32, OFFSET, (op.disp & 0xFFFF) as i32);
            }
            Mode::Based if short == 0 => {
                return self.code.regs(C::Movzx_r32_rm16, OFFSET, word(op.base));
            }
            Mode::Based => self.code.load(C::Lea_r32_m, OFFSET, address(op.base), short),
            Mode::Indexed => {
                let sum = indexed_with(address(op.base), address(op.index), 0, short);
                self.code.load_at(C::Lea_r32_m, OFFSET, sum);
            }
            Mode::Wide => {
                let sum = match (op.has_base, op.has_index) {
                    (true, true) => indexed_with(address(op.base), address(op.index), op.scale, disp),
                    (true, false) => at(address(op.base), disp),
                    (false, true) => indexed_with(R::None, address(op.index), op.scale, disp),
                    (false, false) => return self.code.imm(C::Mov_r32_imm32, OFFSET, op.disp as i32),
                };
                return self.code.load_at(C::Lea_r32_m, OFFSET, sum);
            }
        }
        self.code.regs(C::Movzx_r32_rm16, OFFSET, R::DI);
    }

    /// The memory operand, if there is one. Of one that may be written elsewhere, the label behind it, to be bound.
    pub(super) fn operand_address(&mut self, number: usize, plan: &Plan) -> Option<Label> {
        if plan.bytes == 0 {
            return None;
        }
        let decoded = &self.decoded[number];
        self.offset(&decoded.op);
        let segment = decoded.op.seg;
        match plan.kind {
            Kind::Same(_) if plan.writes && decoded.mnemonic() == M::Mov => {
                return Some(self.locate_store(number, segment, plan.bytes));
            }
            Kind::Same(code) if plan.writes && plan.bytes == 1 => {
                return Some(self.locate_change(number, segment, code));
            }
            _ if plan.writes => self.locate(number, segment, plan.bytes, true),
            _ => self.locate_load(number, segment, plan.bytes),
        }
        None
    }

    /// Looks whether `bytes` bytes at the offset in EDI are in plain memory, and where the segment begins, in RSI.
    pub(super) fn locate(&mut self, number: usize, segment: Segment, bytes: u32, writes: bool) {
        let left = self.left(number);
        self.look(segment, bytes, left);
        if writes {
            self.look_at_mark(segment, bytes, left);
        }
        self.begin_of(segment);
    }

    /// The same for reading, also from a display adapter: the value is at RSI + RDI then, wherever it was.
    pub(super) fn locate_load(&mut self, number: usize, segment: Segment, bytes: u32) {
        let left = self.left(number);
        let [device, back] = [self.code.label(), self.code.label()];
        let has_routine = bytes.ilog2() < Routines::default().load.len() as u32;
        self.look(segment, bytes, if has_routine { device } else { left });
        self.begin_of(segment);
        self.code.bind(back);
        if has_routine {
            let kind = Access::Load;
            self.beyond.push(Beyond { label: device, left, back, segment, bytes, kind });
        }
    }

    /// The same for a store, also to a display adapter; the label that is given has to be bound behind it.
    pub(super) fn locate_store(&mut self, number: usize, segment: Segment, bytes: u32) -> Label {
        let left = self.left(number);
        let [device, done] = [self.code.label(), self.code.label()];
        let has_routine = bytes.ilog2() < Routines::default().store.len() as u32;
        self.look(segment, bytes, if has_routine { device } else { left });
        self.look_at_mark(segment, bytes, left);
        self.begin_of(segment);
        if has_routine {
            let kind = Access::Store(number);
            self.beyond.push(Beyond { label: device, left, back: done, segment, bytes, kind });
        }
        done
    }

    /// The same for an instruction that changes a byte; the label that is given has to be bound behind it.
    pub(super) fn locate_change(&mut self, number: usize, segment: Segment, code: C) -> Label {
        let left = self.left(number);
        let [device, done] = [self.code.label(), self.code.label()];
        self.look(segment, 1, device);
        self.look_at_mark(segment, 1, left);
        self.begin_of(segment);
        let kind = Access::Change(number, code);
        self.beyond.push(Beyond { label: device, left, back: done, segment, bytes: 1, kind });
        done
    }

    fn look(&mut self, segment: Segment, bytes: u32, elsewhere: Label) {
        let room = offset::room(bytes.ilog2() as usize, segment as usize);
        self.code.load(C::Cmp_r32_rm32, OFFSET, CONTEXT, room);
        self.code.jump(C::Jae_rel32_64, elsewhere);
    }

    fn look_at_mark(&mut self, segment: Segment, bytes: u32, left: Label) {
        const GRANULE_BITS: i32 = PlainMemory::GRANULE.ilog2() as i32;
        let [beside, back] = [self.code.label(), self.code.label()];
        self.code.load(C::Mov_r32_rm32, R::EAX, CONTEXT, offset::base(segment as usize));
        self.code.regs(C::Add_r32_rm32, R::EAX, OFFSET);
        self.code.imm(C::Shr_rm32_imm8, R::EAX, GRANULE_BITS);
        self.code.memory_imm(C::Cmp_rm8_imm8, indexed(MARKS, R::RAX), 0);
        self.code.jump(C::Jne_rel32_64, beside);
        self.code.bind(back);
        self.beyond.push(Beyond { label: beside, left, back, segment, bytes, kind: Access::BesideCode });
    }

    fn begin_of(&mut self, segment: Segment) {
        self.code.load(C::Mov_r64_rm64, HOST, CONTEXT, offset::segment(segment as usize));
    }

    /// Writes the accesses to memory that is not plain.
    pub(super) fn write_beyond(&mut self) {
        for beyond in std::mem::take(&mut self.beyond) {
            let Beyond { label, left, back, segment, bytes, kind } = beyond;
            let width = bytes.ilog2() as usize;
            let routines = self.ways.routines;
            self.code.bind(label);
            match kind {
                Access::BesideCode => {
                    let mark = i32::from(PlainMemory::BESIDE_CODE);
                    self.code.memory_imm(C::Cmp_rm8_imm8, indexed(MARKS, R::RAX), mark);
                    self.code.jump(C::Jne_rel32_64, left);
                    self.linear_address(segment);
                    self.call_routine(routines.beside.get(width), left);
                }
                Access::Load => {
                    self.within_segment(bytes, left);
                    self.linear_address(segment);
                    self.call_routine(routines.load.get(width), left);
                    self.code.store(C::Mov_rm32_r32, CONTEXT, offset::VALUE, R::EAX);
                    point_at_value(&mut self.code);
                }
                Access::Store(number) => {
                    self.within_segment(bytes, left);
                    if bytes == 2 {
                        self.store_cell(number, segment, back);
                    }
                    self.stored_value(number, bytes);
                    self.linear_address(segment);
                    self.call_routine(routines.store.get(width), left);
                }
                Access::Change(number, code) => {
                    self.within_segment(bytes, left);
                    self.linear_address(segment);
                    self.code.store(C::Mov_rm32_r32, CONTEXT, offset::PLACE, R::ESI);
                    self.code.jump_to(C::Call_rel32_64, routines.load_to_change);
                    self.code.jump(C::Jb_rel32_64, left);
                    self.code.store(C::Mov_rm32_r32, CONTEXT, offset::VALUE, R::EAX);
                    point_at_value(&mut self.code);
                    self.put_change(number, code);
                    // The store is not refused any more. The flags that the change leaves may be wanted.
                    self.code.plain(C::Pushfq);
                    self.code.load(C::Mov_r32_rm32, R::EAX, CONTEXT, offset::VALUE);
                    self.code.load(C::Mov_r32_rm32, R::ESI, CONTEXT, offset::PLACE);
                    self.code.jump_to(C::Call_rel32_64, routines.store[0]);
                    self.code.plain(C::Popfq);
                }
            }
            self.code.jump(C::Jmp_rel32_64, back);
        }
    }

    fn within_segment(&mut self, bytes: u32, left: Label) {
        self.code.imm(C::Cmp_rm32_imm32, OFFSET, 0x1_0000 - bytes as i32);
        self.code.jump(C::Ja_rel32_64, left);
    }

    fn linear_address(&mut self, segment: Segment) {
        self.code.load(C::Mov_r32_rm32, R::ESI, CONTEXT, offset::base(segment as usize));
        self.code.regs(C::Add_r32_rm32, R::ESI, OFFSET);
    }

    fn call_routine(&mut self, routine: Option<&u64>, left: Label) {
        match routine {
            Some(at) => self.code.jump_to(C::Call_rel32_64, *at),
            None => self.code.spoil(),
        }
        self.code.jump(C::Jb_rel32_64, left);
    }

    /// Stores a word where it is a cell of text, and goes on at the label then: what programs do most with video memory.
    fn store_cell(&mut self, number: usize, segment: Segment, done: Label) {
        let no_cell = self.code.label();
        self.linear_address(segment);
        self.code.load(C::Mov_r64_rm64, R::RAX, CONTEXT, offset::REACH);
        self.code.load(C::Sub_r32_rm32, R::ESI, R::RAX, routines::reach(offset_of!(Reach, base)));
        self.code.imm(C::Test_rm32_imm32, R::ESI, 1);
        self.code.jump(C::Jne_rel32_64, no_cell);
        self.code.load(C::Cmp_r32_rm32, R::ESI, R::RAX, routines::reach(offset_of!(Reach, text)));
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
        self.code.imm(C::Shr_rm32_imm8, R::ESI, routines::PAGE_BITS);
        self.code.load(C::Mov_r64_rm64, R::RAX, CONTEXT, offset::PLANES_WRITTEN);
        self.code.memory_imm(C::Mov_rm8_imm8, indexed(R::RAX, R::RSI), 1);
        self.code.jump(C::Jmp_rel32_64, done);
        self.code.bind(no_cell);
    }

    /// What an operation stores, in EAX.
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
                    Some(register) if bytes == 1 => self.code.regs(C::Movzx_r32_rm8, R::EAX, register),
                    Some(register) => self.code.regs(C::Movzx_r32_rm16, R::EAX, register),
                    None => self.code.spoil(),
                },
            },
        }
    }

    /// XLAT: AL from BX + AL.
    pub(super) fn xlat(&mut self, number: usize) {
        self.code.regs(C::Movzx_r32_rm8, OFFSET, R::BL);
        self.code.regs(C::Add_r32_rm32, OFFSET, dword(Reg::B));
        self.code.regs(C::Movzx_r32_rm16, OFFSET, R::DI);
        self.locate(number, self.decoded[number].op.seg, 1, false);
        self.code.load_at(C::Mov_r8_rm8, R::BL, indexed(HOST, R::RDI));
    }
}

/// Memory at `base + index << scale + displacement`.
fn indexed_with(base: R, index: R, scale: u8, displacement: i64) -> MemoryOperand {
    let displacement_bytes = if base == R::None { 8 } else { 1 };
    MemoryOperand::with_base_index_scale_displ_size(
        base,
        index,
        1 << (scale & 3),
        displacement,
        displacement_bytes,
    )
}
