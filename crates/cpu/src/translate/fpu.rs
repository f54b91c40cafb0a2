//! Coprocessor instructions, on the host's x87 with the guest's rounding and precision.

use iced_x86::{Code as C, Register as R};

use super::codegen::Body;
use super::context::offset;
use super::emit::at;
use super::fpu_kind::{FpuOp, Operand, by_st0, load, store, to_register, with_memory};
use super::fpu_run::STATE;
use super::fpu_stack::Codes;
use super::registers::{CONTEXT, GRANULE_FLAGS, HOST, OFFSET};
use crate::bus::Bus;
use crate::fpu::{Binary, Format};
use crate::op::Mode;

impl<B: Bus> Body<'_, B> {
    pub(super) fn coprocessor(&mut self, number: usize, op: FpuOp) {
        if !op.is_calculation() {
            return self.control(number, op);
        }
        self.begin_in_run(number);
        self.locate_operand(number, op);
        match op {
            FpuOp::Arithmetic { binary, with, to, pops } => {
                self.hold_operands(with);
                self.arithmetic(binary, with, to);
                self.pop_held_if(pops);
            }
            FpuOp::Compare { with, pops, ordered } => {
                self.hold_operands(with);
                self.compare(with, ordered);
                self.pop_held_if(pops > 0);
                self.pop_held_if(pops > 1);
                // Instructions after it may leave the host's codes undefined.
                self.end_run();
            }
            FpuOp::Test => {
                self.hold_operands(Operand::Register(0));
                self.code.plain(C::Ftst);
                self.finish(Codes::Compared, true);
                self.end_run();
            }
            FpuOp::Load(from) => self.load(from),
            FpuOp::LoadConstant(code) => {
                self.require(7, false);
                self.code.plain(code);
                self.push_held();
                self.finish(Codes::Exact, false);
            }
            FpuOp::Store { format, pops } => self.store(format, pops),
            FpuOp::StoreRegister { to, pops } => {
                self.copy(0);
                self.assign(to);
                self.pop_held_if(pops);
                self.finish(Codes::Exact, false);
            }
            FpuOp::Exchange(i) => {
                self.hold(i);
                self.hold(0);
                self.exchange_held(i);
                self.finish(Codes::Exact, false);
            }
            FpuOp::Unary(code) => {
                self.hold_operands(Operand::Register(0));
                self.code.plain(code);
                self.mark_changed(0);
                match code {
                    C::Fchs | C::Fabs => self.finish(Codes::Exact, false),
                    _ => self.finish(Codes::Rounded, true),
                }
            }
            _ => self.code.poison(),
        }
    }

    /// WAIT does nothing, unless the coprocessor is another task's.
    pub(super) fn wait(&mut self, number: usize) {
        if self.run.is_none() {
            let bail_out = self.bail_out(number);
            self.code.memory_imm(C::Cmp_rm64_imm8, at(CONTEXT, offset::FPU), 0);
            self.code.jump(C::Je_rel32_64, bail_out);
        }
    }

    /// Holds the other operand, and ST(0) on top of the host's stack.
    fn hold_operands(&mut self, with: Operand) {
        if let Operand::Register(i) = with {
            self.hold(i);
        }
        self.hold(0);
        self.surface();
    }

    fn pop_held_if(&mut self, pops: bool) {
        if pops {
            self.pop_held();
        }
    }

    /// Checks that the memory operand is plain memory, and loads its address into RSI and its linear
    /// address into the context's place.
    fn locate_operand(&mut self, number: usize, op: FpuOp) {
        let bytes = op.memory_bytes();
        if bytes == 0 {
            return;
        }
        let refused = self.refused();
        let (guest, writes) = (&self.decoded[number].op, op.writes_memory());
        if writes {
            self.code.load(C::Mov_r64_rm64, GRANULE_FLAGS, CONTEXT, offset::GRANULE_FLAGS);
        }
        self.offset(guest);
        // The last part first: if it is within the segment, so are the others. But a 32-bit offset may
        // wrap, so each part is checked.
        let parts: &[(u32, u32)] = match bytes {
            8 => &[(4, 4), (0, 4)],
            10 => &[(8, 2), (4, 4), (0, 4)],
            _ => &[(0, bytes)],
        };
        let mut moved = 0;
        for &(by, bytes) in parts {
            self.code.load(C::Lea_r32_m, OFFSET, R::RDI, i64::from(by) - moved);
            moved = i64::from(by);
            if by == parts[0].0 || guest.mode == Mode::Wide {
                self.check_bounds(guest.seg, bytes, refused);
            }
            if writes {
                self.check_granule_flag(guest.seg, bytes, refused);
            }
        }
        if writes {
            self.code.load(C::Mov_r64_rm64, STATE, CONTEXT, offset::FPU_READY);
        }
        if moved != 0 {
            self.code.load(C::Lea_r32_m, OFFSET, R::RDI, -moved);
        }
        self.begin_of(guest.seg);
        self.code.regs(C::Add_r64_rm64, HOST, R::RDI);
        self.code.load(C::Add_r32_rm32, OFFSET, CONTEXT, offset::base(guest.seg as usize));
        self.code.store(C::Mov_rm32_r32, CONTEXT, offset::PLACE, OFFSET);
        self.note_operand();
    }

    /// Calculates with ST(0) and the operand.
    fn arithmetic(&mut self, binary: Binary, with: Operand, to: u8) {
        match with {
            Operand::Memory(format) => self.code.memory(with_memory(binary, format), at(HOST, 0)),
            Operand::Register(i) => {
                let other = self.host_register(i);
                if to == 0 {
                    self.code.regs(by_st0(binary), R::ST0, other);
                } else {
                    self.code.regs(to_register(binary), other, R::ST0);
                }
            }
        }
        self.mark_changed(to);
        self.finish(Codes::Rounded, true);
    }

    fn compare(&mut self, with: Operand, ordered: bool) {
        match with {
            Operand::Memory(format) => self.code.memory(with_memory(Binary::Compare, format), at(HOST, 0)),
            Operand::Register(i) => {
                let other = self.host_register(i);
                let code = if ordered { by_st0(Binary::Compare) } else { C::Fucom_st0_sti };
                self.code.regs(code, R::ST0, other);
            }
        }
        self.finish(Codes::Compared, true);
    }

    fn load(&mut self, from: Operand) {
        self.require(7, false);
        let may_raise = match from {
            Operand::Register(i) => {
                self.copy(i);
                false
            }
            Operand::Memory(format) => {
                self.code.memory(load(format), at(HOST, 0));
                matches!(format, Format::Single | Format::Double)
            }
        };
        self.push_held();
        self.finish(Codes::Exact, may_raise);
    }

    /// Stores ST(0) in memory, at the end of the run.
    fn store(&mut self, format: Format, pops: bool) {
        self.copy(0);
        self.code.memory(store(format), at(CONTEXT, offset::FPU_SCRATCH));
        match format {
            Format::Extended => self.finish(Codes::Exact, false),
            _ => self.finish(Codes::Rounded, true),
        }
        self.pop_held_if(pops);
        self.end_run_with_store(format);
    }
}
