//! Address computation, and the bounds check for plain RAM.

use iced_x86::{Code as C, Instruction, MemoryOperand, Mnemonic as M, Register as R};

use super::codegen::Body;
use super::context::{GRANULE_BITS, offset};
use super::emit::{Label, at, indexed};
use super::kind::{Kind, is_setcc};
use super::plan::Plan;
use super::registers::{CONTEXT, GRANULE_FLAGS, HOST, OFFSET, address, dword, of_guest, word};
use super::slow_path::{Access, SlowPath};
use crate::bus::Bus;
use crate::op::{Mode, Op};
use crate::registers::{Reg, Segment};

impl<B: Bus> Body<'_, B> {
    pub(super) fn lea(&mut self, op: &Op<B>, instruction: &Instruction) {
        self.offset(op);
        match instruction.op0_register().size() {
            2 => self.code.regs(C::Mov_r16_rm16, word(op.reg), R::DI),
            _ => self.code.regs(C::Mov_r32_rm32, dword(op.reg), OFFSET),
        }
    }

    /// Computes the offset of the memory operand in EDI.
    pub(super) fn offset(&mut self, op: &Op<B>) {
        let disp = i64::from(op.disp as i32);
        // With 16-bit addresses the sign of the displacement makes no difference.
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

    /// Computes the address of the memory operand, if there is one. If a write may need the slow
    /// path, returns the label after it, which the caller binds.
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
            // SETcc writes without a read, which would change the latches.
            Kind::Same(code) if plan.writes && !is_setcc(decoded.mnemonic()) => {
                return Some(self.locate_change(number, segment, plan.bytes, code));
            }
            _ if plan.writes => self.locate(number, segment, plan.bytes, true),
            _ => self.locate_load(number, segment, plan.bytes),
        }
        None
    }

    /// Loads the operand with this number of an operation that writes no memory.
    pub(super) fn load_operand(&mut self, number: usize, operand: u32, load: C, into: R) {
        let plan = self.plans[number];
        self.operand_address(number, &plan);
        if plan.bytes != 0 {
            return self.code.load_at(load, into, indexed(HOST, R::RDI));
        }
        match of_guest(self.decoded[number].instruction.op_register(operand)) {
            Some(register) => self.code.regs(load, into, register),
            None => self.code.poison(),
        }
    }

    /// Checks that `bytes` bytes at the offset in EDI are in plain memory, and loads the address of
    /// the segment into RSI.
    pub(super) fn locate(&mut self, number: usize, segment: Segment, bytes: u32, writes: bool) {
        let bail_out = self.bail_out(number);
        self.check_bounds(segment, bytes, bail_out);
        if writes {
            self.check_granule_flag(segment, bytes, bail_out);
        }
        self.begin_of(segment);
    }

    /// Like `locate` for a read, including display memory. The value is then at RSI + RDI.
    pub(super) fn locate_load(&mut self, number: usize, segment: Segment, bytes: u32) {
        let bail_out = self.bail_out(number);
        let [label, back] = [self.code.label(), self.code.label()];
        self.check_bounds(segment, bytes, label);
        self.begin_of(segment);
        self.code.bind(back);
        self.slow_paths.push(SlowPath { label, bail_out, back, segment, bytes, kind: Access::Load });
    }

    /// Like `locate` for a store, including display memory. The caller binds the returned label
    /// after the store.
    pub(super) fn locate_store(&mut self, number: usize, segment: Segment, bytes: u32) -> Label {
        let bail_out = self.bail_out(number);
        let [label, done] = [self.code.label(), self.code.label()];
        self.check_bounds(segment, bytes, label);
        let kind = Access::Store(number);
        self.slow_paths.push(SlowPath { label, bail_out, back: done, segment, bytes, kind });
        self.check_granule_flag(segment, bytes, bail_out);
        self.begin_of(segment);
        done
    }

    /// Like `locate` for a read-modify-write, including display memory. The caller binds the returned label
    /// after the instruction.
    pub(super) fn locate_change(&mut self, number: usize, segment: Segment, bytes: u32, code: C) -> Label {
        let bail_out = self.bail_out(number);
        let [device, done] = [self.code.label(), self.code.label()];
        self.check_bounds(segment, bytes, device);
        self.check_granule_flag(segment, bytes, bail_out);
        self.begin_of(segment);
        let kind = Access::Change(number, code);
        self.slow_paths.push(SlowPath { label: device, bail_out, back: done, segment, bytes, kind });
        done
    }

    pub(super) fn check_bounds(&mut self, segment: Segment, bytes: u32, elsewhere: Label) {
        let bounds = offset::bounds(bytes.ilog2() as usize, segment as usize);
        self.code.load(C::Cmp_r32_rm32, OFFSET, CONTEXT, bounds);
        self.code.jump(C::Jae_rel32_64, elsewhere);
    }

    pub(super) fn check_granule_flag(&mut self, segment: Segment, bytes: u32, bail_out: Label) {
        let [beside, back] = [self.code.label(), self.code.label()];
        self.code.load(C::Mov_r32_rm32, R::EAX, CONTEXT, offset::base(segment as usize));
        self.code.regs(C::Add_r32_rm32, R::EAX, OFFSET);
        self.code.imm(C::Shr_rm32_imm8, R::EAX, GRANULE_BITS);
        self.code.memory_imm(C::Cmp_rm8_imm8, indexed(GRANULE_FLAGS, R::RAX), 0);
        self.code.jump(C::Jne_rel32_64, beside);
        self.code.bind(back);
        self.slow_paths.push(SlowPath {
            label: beside,
            bail_out,
            back,
            segment,
            bytes,
            kind: Access::BesideCode,
        });
    }

    pub(super) fn begin_of(&mut self, segment: Segment) {
        self.code.load(C::Mov_r64_rm64, HOST, CONTEXT, offset::segment(segment as usize));
    }

    /// XLAT: loads AL from BX + AL.
    pub(super) fn xlat(&mut self, number: usize) {
        self.code.regs(C::Movzx_r32_rm8, OFFSET, R::BL);
        self.code.regs(C::Add_r32_rm32, OFFSET, dword(Reg::B));
        self.code.regs(C::Movzx_r32_rm16, OFFSET, R::DI);
        self.locate(number, self.decoded[number].op.seg, 1, false);
        self.code.load_at(C::Mov_r8_rm8, R::BL, indexed(HOST, R::RDI));
    }
}

/// Returns the operand `base + index << scale + displacement`.
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
