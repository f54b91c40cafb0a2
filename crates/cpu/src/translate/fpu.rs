//! Coprocessor instructions, on the host's x87.
//!
//! The registers stay in the coprocessor's state: each instruction loads its operands onto the host's
//! empty stack, calculates with the guest's rounding and precision, and stores the result. Before
//! anything changes, an empty or full register and any exception except an inexact result lead to the
//! handler. The host's stack is empty between instructions.
//!
//! R14 holds the address of the state during an instruction, and the granule flags again after it.

use iced_x86::{Code as C, Register as R};

use super::address::{HOST, OFFSET};
use super::codegen::Body;
use super::context::offset;
use super::emit::{Label, at, scaled};
use super::fpu_kind::{Format, FpuOp, Operand, with_memory, with_register};
use super::registers::{CONTEXT, GRANULE_FLAGS, word};
use crate::bus::Bus;
use crate::fpu::{Fpu, field};
use crate::registers::Reg;

/// Holds the address of the coprocessor's state.
const STATE: R = R::R14;
/// Invalid operation, denormal operand, zero divide, overflow and underflow.
const EXCEPTIONS: i32 = 0x1F;
/// Inexact result.
const PE: i32 = 0x20;
/// Condition code 1: a result was rounded up.
const C1: i32 = 0x200;
/// All condition codes.
const CODES: i32 = 0x4700;
/// Base-2 logarithm of the size of a register in the state, in bytes.
const REGISTER_BITS: i32 = Fpu::REGISTER_BYTES.ilog2() as i32;

/// The ways to the handler of an instruction: with nothing on the host's stack, and with one value.
#[derive(Debug, Clone, Copy)]
struct BailOut {
    empty: Label,
    one: Label,
}

impl<B: Bus> Body<'_, B> {
    pub(super) fn coprocessor(&mut self, number: usize, op: FpuOp) {
        let bail_out = BailOut { empty: self.bail_out(number), one: self.code.label() };
        self.host_stack_bail_outs.push((bail_out.one, bail_out.empty));
        self.locate_operand(number, op, bail_out);
        self.ready(bail_out);
        match op {
            FpuOp::Arithmetic { row, with, to, pops } => {
                self.arithmetic(row, with, bail_out);
                self.put_result(to, pops, bail_out);
            }
            FpuOp::Compare { with, pops, ordered } => {
                self.compare(with, ordered, bail_out);
                (0..pops).for_each(|_| self.pop_register());
            }
            FpuOp::Test => self.test(bail_out),
            FpuOp::Load(Operand::Memory(format)) => {
                self.code.memory(format.load(), at(HOST, 0));
                self.refuse_exceptions(bail_out.one);
                self.push_register(bail_out);
            }
            FpuOp::Load(Operand::Register(i)) => {
                self.load_register(i, bail_out.empty);
                self.push_register(bail_out);
            }
            FpuOp::LoadConstant(code) => {
                self.code.plain(code);
                self.push_register(bail_out);
            }
            FpuOp::Store { format, pops } => self.store(format, pops, bail_out),
            FpuOp::StoreRegister { to, pops } => {
                self.load_register(0, bail_out.empty);
                self.store_register(to, pops);
            }
            FpuOp::Exchange(i) => self.exchange(i, bail_out),
            FpuOp::Unary(code) => {
                self.load_register(0, bail_out.empty);
                self.code.plain(code);
                self.put_result(0, false, bail_out);
            }
            FpuOp::StatusToAx => self.status_to_ax(),
        }
        if op != FpuOp::StatusToAx {
            self.point(number, op);
        }
        self.code.load(C::Mov_r64_rm64, GRANULE_FLAGS, CONTEXT, offset::GRANULE_FLAGS);
    }

    /// WAIT does nothing, unless the coprocessor is another task's.
    pub(super) fn wait(&mut self, number: usize) {
        let bail_out = self.bail_out(number);
        self.code.memory_imm(C::Cmp_rm64_imm8, at(CONTEXT, offset::FPU), 0);
        self.code.jump(C::Je_rel32_64, bail_out);
    }

    /// Emits the paths to the handlers with a value on the host's stack.
    pub(super) fn write_host_stack_bail_outs(&mut self) {
        for (one, empty) in std::mem::take(&mut self.host_stack_bail_outs) {
            self.code.bind(one);
            self.code.reg(C::Fstp_sti, R::ST0);
            self.code.jump(C::Jmp_rel32_64, empty);
        }
    }

    /// Checks that the memory operand is plain memory, and loads its address into RSI and its linear
    /// address into the context's place.
    fn locate_operand(&mut self, number: usize, op: FpuOp, bail_out: BailOut) {
        let bytes = op.memory_bytes();
        if bytes == 0 {
            return;
        }
        let (guest, writes) = (&self.decoded[number].op, op.writes_memory());
        self.offset(guest);
        // The last part first: if it is within the segment, so are the others.
        let parts: &[(u32, u32)] = match bytes {
            8 => &[(4, 4), (0, 4)],
            10 => &[(8, 2), (4, 4), (0, 4)],
            _ => &[(0, bytes)],
        };
        let mut moved = 0;
        for &(by, bytes) in parts {
            self.code.load(C::Lea_r32_m, OFFSET, R::RDI, i64::from(by) - moved);
            moved = i64::from(by);
            if by == parts[0].0 {
                self.check_bounds(guest.seg, bytes, bail_out.empty);
            }
            if writes {
                self.check_granule_flag(guest.seg, bytes, bail_out.empty);
            }
        }
        if moved != 0 {
            self.code.load(C::Lea_r32_m, OFFSET, R::RDI, -moved);
        }
        self.begin_of(guest.seg);
        self.code.regs(C::Add_r64_rm64, HOST, R::RDI);
        self.code.load(C::Add_r32_rm32, OFFSET, CONTEXT, offset::base(guest.seg as usize));
        self.code.store(C::Mov_rm32_r32, CONTEXT, offset::PLACE, OFFSET);
    }

    /// Loads the address of the state. The first instruction of a visit prepares the host's x87.
    fn ready(&mut self, bail_out: BailOut) {
        let ready = self.code.label();
        self.code.load(C::Mov_r64_rm64, STATE, CONTEXT, offset::FPU_READY);
        self.code.regs(C::Test_rm64_r64, STATE, STATE);
        self.code.jump(C::Jne_rel32_64, ready);
        self.code.jump_to(C::Call_rel32_64, self.exits.routines.prepare_fpu);
        self.code.regs(C::Test_rm64_r64, STATE, STATE);
        self.code.jump(C::Je_rel32_64, bail_out.empty);
        self.code.bind(ready);
    }

    /// Loads the number of the register ST(i) into EDI.
    fn number_of(&mut self, i: u8) {
        self.code.load(C::Movzx_r32_rm8, R::EDI, STATE, field::TOP);
        if i != 0 {
            self.code.load(C::Lea_r32_m, R::EDI, R::RDI, i.into());
            self.code.imm(C::And_rm32_imm8, R::EDI, 7);
        }
    }

    /// Loads or stores the register with the number in EDI, which changes.
    fn transfer(&mut self, code: C) {
        self.code.imm(C::Shl_rm32_imm8, R::EDI, REGISTER_BITS);
        self.code.memory(code, scaled(STATE, R::RDI, 1, field::REGISTERS));
    }

    /// Loads ST(i) onto the host's stack. Changes EAX and EDI.
    fn load_register(&mut self, i: u8, empty: Label) {
        self.number_of(i);
        self.code.load(C::Movzx_r32_rm8, R::EAX, STATE, field::FILLED);
        self.code.regs(C::Bt_rm32_r32, R::EAX, R::EDI);
        self.code.jump(C::Jae_rel32_64, empty);
        self.transfer(C::Fld_m80fp);
    }

    /// Pops the host's stack into ST(i).
    fn set_register(&mut self, i: u8) {
        self.number_of(i);
        self.code.load(C::Movzx_r32_rm8, R::EAX, STATE, field::FILLED);
        self.code.regs(C::Bts_rm32_r32, R::EAX, R::EDI);
        self.code.store(C::Mov_rm8_r8, STATE, field::FILLED, R::AL);
        self.transfer(C::Fstp_m80fp);
    }

    /// Pushes the value on the host's stack.
    fn push_register(&mut self, bail_out: BailOut) {
        self.number_of(7);
        self.code.load(C::Movzx_r32_rm8, R::EAX, STATE, field::FILLED);
        self.code.regs(C::Bts_rm32_r32, R::EAX, R::EDI);
        self.code.jump(C::Jb_rel32_64, bail_out.one);
        self.code.store(C::Mov_rm8_r8, STATE, field::FILLED, R::AL);
        self.code.store(C::Mov_rm8_r8, STATE, field::TOP, R::DIL);
        self.transfer(C::Fstp_m80fp);
        self.clear_c1();
    }

    fn pop_register(&mut self) {
        self.number_of(0);
        self.code.load(C::Movzx_r32_rm8, R::EAX, STATE, field::FILLED);
        self.code.regs(C::Btr_rm32_r32, R::EAX, R::EDI);
        self.code.store(C::Mov_rm8_r8, STATE, field::FILLED, R::AL);
        self.number_of(1);
        self.code.store(C::Mov_rm8_r8, STATE, field::TOP, R::DIL);
    }

    fn clear_c1(&mut self) {
        self.code.memory_imm(C::And_rm16_imm16, at(STATE, field::STATUS), !C1);
    }

    /// Loads the host's status word into AX, and jumps if it has an exception other than PE.
    fn refuse_exceptions(&mut self, refused: Label) {
        self.code.reg(C::Fnstsw_AX, R::AX);
        self.code.imm(C::Test_rm8_imm8, R::AL, EXCEPTIONS);
        self.code.jump(C::Jne_rel32_64, refused);
    }

    /// Clears bits of the status word, and sets those of `taken` that are set in AX. Changes EAX and EDI.
    fn take_status(&mut self, cleared: i32, taken: i32) {
        self.code.imm(C::And_rm32_imm32, R::EAX, taken);
        self.code.load(C::Movzx_r32_rm16, R::EDI, STATE, field::STATUS);
        self.code.imm(C::And_rm32_imm32, R::EDI, !cleared);
        self.code.regs(C::Or_r32_rm32, R::EDI, R::EAX);
        self.code.store(C::Mov_rm16_r16, STATE, field::STATUS, R::DI);
    }

    /// Calculates with ST(0) and the operand. The result is on the host's stack.
    fn arithmetic(&mut self, row: u8, with: Operand, bail_out: BailOut) {
        match with {
            Operand::Memory(format) => {
                self.load_register(0, bail_out.empty);
                self.code.memory(with_memory(row, format), at(HOST, 0));
            }
            Operand::Register(i) => {
                self.load_register(i, bail_out.empty);
                self.load_register(0, bail_out.one);
                self.code.regs(with_register(row), R::ST1, R::ST0);
            }
        }
    }

    /// Stores the result on the host's stack into ST(i), unless it raised an exception.
    fn put_result(&mut self, to: u8, pops: bool, bail_out: BailOut) {
        self.refuse_exceptions(bail_out.one);
        self.take_status(C1, C1 | PE);
        self.set_register(to);
        if pops {
            self.pop_register();
        }
    }

    fn compare(&mut self, with: Operand, ordered: bool, bail_out: BailOut) {
        match with {
            Operand::Memory(format) => {
                const FCOMP: u8 = 3;
                self.load_register(0, bail_out.empty);
                self.code.memory(with_memory(FCOMP, format), at(HOST, 0));
            }
            Operand::Register(i) => {
                self.load_register(i, bail_out.empty);
                self.load_register(0, bail_out.one);
                self.code.plain(if ordered { C::Fcompp } else { C::Fucompp });
            }
        }
        self.refuse_exceptions(bail_out.empty);
        self.take_status(CODES, CODES);
    }

    /// FTST.
    fn test(&mut self, bail_out: BailOut) {
        self.load_register(0, bail_out.empty);
        self.code.plain(C::Ftst);
        self.refuse_exceptions(bail_out.one);
        self.take_status(CODES, CODES);
        self.code.reg(C::Fstp_sti, R::ST0);
    }

    /// Stores ST(0) in memory. The value is complete before memory changes.
    fn store(&mut self, format: Format, pops: bool, bail_out: BailOut) {
        self.load_register(0, bail_out.empty);
        if format == Format::Extended {
            self.code.memory(C::Fstp_m80fp, at(HOST, 0));
            self.clear_c1();
        } else {
            self.code.memory(format.store(), at(CONTEXT, offset::FPU_SCRATCH));
            self.refuse_exceptions(bail_out.empty);
            self.take_status(C1, C1 | PE);
            self.code.load(C::Mov_r64_rm64, R::RAX, CONTEXT, offset::FPU_SCRATCH);
            let (code, register) = match format.bytes() {
                2 => (C::Mov_rm16_r16, R::AX),
                4 => (C::Mov_rm32_r32, R::EAX),
                _ => (C::Mov_rm64_r64, R::RAX),
            };
            self.code.store(code, HOST, 0, register);
        }
        if pops {
            self.pop_register();
        }
    }

    /// FST and FSTP to a register: stores the value on the host's stack.
    fn store_register(&mut self, to: u8, pops: bool) {
        self.set_register(to);
        self.clear_c1();
        if pops {
            self.pop_register();
        }
    }

    fn exchange(&mut self, i: u8, bail_out: BailOut) {
        self.load_register(0, bail_out.empty);
        self.load_register(i, bail_out.one);
        self.set_register(0);
        self.set_register(i);
        self.clear_c1();
    }

    /// FNSTSW AX.
    fn status_to_ax(&mut self) {
        const TOP_SHIFT: i32 = 11;
        self.number_of(0);
        self.code.imm(C::Shl_rm32_imm8, R::EDI, TOP_SHIFT);
        self.code.load(C::Movzx_r32_rm16, R::EAX, STATE, field::STATUS);
        self.code.regs(C::Or_r32_rm32, R::EAX, R::EDI);
        self.code.regs(C::Mov_r16_rm16, word(Reg::A), R::AX);
    }

    /// Records the addresses of the instruction and of its memory operand.
    fn point(&mut self, number: usize, op: FpuOp) {
        let guest = &self.decoded[number].op;
        let code = (u32::from(self.selector()) << 4) + guest.ip;
        let opcode = (guest.imm & 0x07FF) as i32;
        self.code.memory_imm(C::Mov_rm32_imm32, at(STATE, field::CODE), code as i32);
        self.code.memory_imm(C::Mov_rm16_imm16, at(STATE, field::OPCODE), opcode);
        if op.memory_bytes() != 0 {
            self.code.load(C::Mov_r32_rm32, R::EAX, CONTEXT, offset::PLACE);
            self.code.store(C::Mov_rm32_r32, STATE, field::DATA, R::EAX);
        }
    }
}
