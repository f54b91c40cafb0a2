//! PUSH, POP, PUSHA, POPA, ENTER, LEAVE, CALL, RET and computed jumps. Some are in a `window`.

use iced_x86::{Code as C, MemoryOperand, Register as R};

use super::codegen::Body;
use super::context::offset;
use super::emit::{indexed, scaled};
use super::exits::ExitTarget;
use super::kind;
use super::registers::{CONTEXT, HOST, OFFSET, address, dword, of_bytes, word};
use super::strings::{accumulator, load_code, store_code};
use super::window::Window;
use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::registers::{Reg, Segment};

/// The number of values that PUSHA pushes.
const ALL: i32 = 8;
/// The last offset in a segment.
const LAST_OFFSET: i32 = 0xFFFF;

impl<B: Bus> Body<'_, B> {
    /// Loads the offset of this many bytes below the top of the stack.
    pub(super) fn stack_place(&mut self, bytes: i64) {
        self.code.load(C::Lea_r32_m, OFFSET, address(Reg::Sp), -bytes);
        self.code.regs(C::Movzx_r32_rm16, OFFSET, R::DI);
    }

    /// Locates and checks the memory below the top of the stack.
    pub(super) fn below_stack(&mut self, number: usize, bytes: u32) {
        self.stack_place(bytes.into());
        self.locate(number, Segment::Ss, bytes, true);
    }

    pub(super) fn set_sp(&mut self) {
        self.code.regs(C::Mov_r16_rm16, word(Reg::Sp), R::DI);
    }

    /// Returns the place that an operation pushes to, which is checked.
    pub(super) fn room(&mut self, number: usize, bytes: u32) -> MemoryOperand {
        if self.plans[number].in_window {
            return self.in_window(-i64::from(bytes));
        }
        self.below_stack(number, bytes);
        indexed(HOST, R::RDI)
    }

    /// Moves SP to the place that [`Body::room`] has returned.
    fn lower_sp(&mut self, number: usize, bytes: u32) {
        if self.plans[number].in_window { self.move_sp(-i64::from(bytes)) } else { self.set_sp() }
    }

    /// Stores a register at the place that [`Body::room`] has returned, and moves SP there.
    pub(super) fn put_on_stack(&mut self, number: usize, place: MemoryOperand, register: R, bytes: u32) {
        self.code.store_at(store_code(bytes), place, register);
        self.lower_sp(number, bytes);
    }

    /// PUSH of a register or a number.
    pub(super) fn push_operand(&mut self, number: usize) {
        let (bytes, decoded) = (self.plans[number].bytes, &self.decoded[number]);
        match kind::stack_register(&decoded.instruction) {
            Some(reg) => {
                let place = self.room(number, bytes);
                self.put_on_stack(number, place, of_bytes(reg, bytes), bytes);
            }
            None => self.push_number(number, decoded.op.imm, bytes),
        }
    }

    pub(super) fn push_memory(&mut self, number: usize) {
        let bytes = self.plans[number].bytes;
        self.load_value(number, bytes);
        self.has_stack = false;
        self.push_value(number, bytes);
    }

    /// Pushes the context's value.
    pub(super) fn push_value(&mut self, number: usize, bytes: u32) {
        let place = self.room(number, bytes);
        self.code.load(load_code(bytes), accumulator(bytes), CONTEXT, offset::VALUE);
        self.put_on_stack(number, place, accumulator(bytes), bytes);
    }

    /// Loads the operand, a register or plain memory, into EDI and into the context's value.
    pub(super) fn load_value(&mut self, number: usize, bytes: u32) {
        let decoded = &self.decoded[number];
        let load = offset_code(bytes);
        match kind::stack_register(&decoded.instruction) {
            Some(reg) => self.code.regs(load, OFFSET, of_bytes(reg, bytes)),
            None => {
                self.offset(&decoded.op);
                self.locate(number, decoded.op.seg, bytes, false);
                self.code.load_at(load, OFFSET, indexed(HOST, R::RDI));
            }
        }
        self.code.store(C::Mov_rm32_r32, CONTEXT, offset::VALUE, OFFSET);
    }

    pub(super) fn push_number(&mut self, number: usize, value: u32, bytes: u32) {
        let place = self.room(number, bytes);
        let (store, value) = match bytes {
            2 => (C::Mov_rm16_imm16, i32::from(value as i16)),
            _ => (C::Mov_rm32_imm32, value as i32),
        };
        self.code.memory_imm(store, place, value);
        self.lower_sp(number, bytes);
    }

    /// Locates and checks the value at the top of the stack.
    pub(super) fn top_of_stack(&mut self, number: usize, bytes: u32) {
        self.code.regs(C::Movzx_r32_rm16, OFFSET, word(Reg::Sp));
        self.locate(number, Segment::Ss, bytes, false);
    }

    pub(super) fn pop(&mut self, number: usize) {
        let bytes = self.plans[number].bytes;
        let Some(reg) = kind::stack_register(&self.decoded[number].instruction) else {
            return self.code.poison();
        };
        let into = of_bytes(reg, bytes);
        if self.plans[number].in_window {
            let place = self.in_window(0);
            self.code.load_at(load_code(bytes), into, place);
            return self.move_sp(bytes.into());
        }
        self.top_of_stack(number, bytes);
        self.code.imm(C::Add_rm16_imm8, word(Reg::Sp), bytes as i32);
        self.code.load_at(load_code(bytes), into, indexed(HOST, R::RDI));
    }

    /// POP to memory. SP moves only after both addresses were checked.
    pub(super) fn pop_memory(&mut self, number: usize) {
        let (bytes, op) = (self.plans[number].bytes, &self.decoded[number].op);
        self.top_of_stack(number, bytes);
        self.code.load_at(load_code(bytes), accumulator(bytes), indexed(HOST, R::RDI));
        self.code.store(C::Mov_rm32_r32, CONTEXT, offset::VALUE, R::EAX);
        self.offset(op);
        self.locate(number, op.seg, bytes, true);
        self.code.load(C::Mov_r32_rm32, R::EAX, CONTEXT, offset::VALUE);
        self.code.store_at(store_code(bytes), indexed(HOST, R::RDI), accumulator(bytes));
        self.code.imm(C::Add_rm16_imm8, word(Reg::Sp), bytes as i32);
    }

    /// PUSHA. If a check fails, the handler stores the same values again; none is stored if one
    /// would be outside of the segment.
    pub(super) fn push_all(&mut self, number: usize) {
        let outside = self.bail_out(number);
        let bytes = self.plans[number].bytes;
        self.code.imm(C::Cmp_rm16_imm8, word(Reg::Sp), ALL * bytes as i32);
        self.code.jump(C::Jb_rel32_64, outside);
        for (place, reg) in (1..).zip(Reg::ALL) {
            self.stack_place(i64::from(bytes) * place);
            self.locate(number, Segment::Ss, bytes, true);
            self.code.store_at(store_code(bytes), indexed(HOST, R::RDI), of_bytes(reg, bytes));
        }
        self.set_sp();
    }

    /// POPA. If the last value is in plain memory, so are those before it.
    pub(super) fn pop_all(&mut self, number: usize) {
        let outside = self.bail_out(number);
        let bytes = self.plans[number].bytes;
        let all = ALL * bytes as i32;
        self.code.regs(C::Movzx_r32_rm16, OFFSET, word(Reg::Sp));
        self.code.imm(C::Cmp_rm32_imm32, OFFSET, LAST_OFFSET + 1 - all);
        self.code.jump(C::Ja_rel32_64, outside);
        self.code.imm(C::Add_rm32_imm8, OFFSET, all - bytes as i32);
        self.locate(number, Segment::Ss, bytes, false);
        self.code.regs(C::Add_r64_rm64, HOST, R::RDI);
        for (place, reg) in (0..).zip(Reg::ALL).filter(|(_, reg)| *reg != Reg::Sp) {
            self.code.load(load_code(bytes), of_bytes(reg, bytes), HOST, -i64::from(bytes) * place);
        }
        self.code.imm(C::Add_rm16_imm8, word(Reg::Sp), all);
    }

    /// ENTER with level 0: pushes BP, sets it to SP, and lowers SP.
    pub(super) fn enter_frame(&mut self, number: usize) {
        let size = self.decoded[number].op.imm;
        self.below_stack(number, 2);
        self.code.store_at(C::Mov_rm16_r16, indexed(HOST, R::RDI), word(Reg::Bp));
        self.code.regs(C::Mov_r16_rm16, word(Reg::Bp), R::DI);
        self.code.load(C::Lea_r32_m, OFFSET, R::RDI, -i64::from(size));
        self.set_sp();
    }

    /// LEAVE: sets SP to BP and pops BP.
    pub(super) fn leave_frame(&mut self, number: usize) {
        let bytes = self.plans[number].bytes;
        self.code.regs(C::Movzx_r32_rm16, OFFSET, word(Reg::Bp));
        self.locate(number, Segment::Ss, bytes, false);
        self.set_sp();
        self.code.imm(C::Add_rm16_imm8, word(Reg::Sp), bytes as i32);
        self.code.load_at(load_code(bytes), of_bytes(Reg::Bp, bytes), indexed(HOST, R::RDI));
    }

    pub(super) fn call(&mut self, number: usize) {
        let op = &self.decoded[number].op;
        self.push_number(number, op.next() & 0xFFFF, self.plans[number].bytes);
        if number + 1 == self.decoded.len() {
            self.take(op);
        }
    }

    /// RET: jumps to the offset on the stack. If the block continues there, only other offsets leave it.
    pub(super) fn ret(&mut self, number: usize) {
        let Decoded { op, ends, .. } = &self.decoded[number];
        let (bytes, in_window) = (self.plans[number].bytes, self.plans[number].in_window);
        let place = if in_window {
            self.in_window(0)
        } else {
            self.top_of_stack(number, bytes);
            indexed(HOST, R::RDI)
        };
        self.code.load_at(offset_code(bytes), OFFSET, place);
        self.save();
        self.refuse_offset(number, bytes);
        if in_window {
            self.move_sp(i64::from(bytes + op.imm));
        } else {
            self.code.imm(C::Add_rm16_imm16, word(Reg::Sp), i32::from((bytes + op.imm) as i16));
        }
        if *ends {
            self.exits.jump_to_offset(&mut self.code);
        } else {
            self.code.imm(C::Cmp_rm32_imm32, OFFSET, op.target as i32);
            let elsewhere = self.side_exit(ExitTarget::Offset, op.after);
            self.code.jump(C::Jne_rel32_64, elsewhere);
        }
    }

    pub(super) fn jump_computed(&mut self, number: usize) {
        self.save();
        let bytes = if self.decoded[number].instruction.code() == C::Jmp_rm32 { 4 } else { 2 };
        self.load_value(number, bytes);
        self.refuse_offset(number, bytes);
        self.exits.jump_to_offset(&mut self.code);
    }

    pub(super) fn call_computed(&mut self, number: usize) {
        let bytes = self.plans[number].bytes;
        self.load_value(number, bytes);
        self.refuse_offset(number, bytes);
        self.push_number(number, self.decoded[number].op.next() & 0xFFFF, bytes);
        self.code.load(C::Mov_r32_rm32, OFFSET, CONTEXT, offset::VALUE);
        self.exits.jump_to_offset(&mut self.code);
    }

    /// Leaves a jump to an offset of 32 bits beyond the segment to the handler.
    fn refuse_offset(&mut self, number: usize, bytes: u32) {
        if bytes == 4 {
            let outside = self.bail_out(number);
            self.code.imm(C::Cmp_rm32_imm32, OFFSET, LAST_OFFSET);
            self.code.jump(C::Ja_rel32_64, outside);
        }
    }

    /// Checks the accesses of a window before its first operation.
    pub(super) fn check_window(&mut self, number: usize, window: Window) {
        let outside = self.bail_out(number);
        let Window { low, high, top } = window;
        let [for_reads, for_writes] = self.exits.routines.window;
        let mut load = |register, distance| {
            self.code.load(C::Lea_r32_m, register, address(Reg::Sp), distance);
        };
        load(OFFSET, low);
        load(R::ESI, high);
        if let Some(top) = top {
            load(R::EAX, top - 2);
        }
        self.code.jump_to(C::Call_rel32_64, if top.is_some() { for_writes } else { for_reads });
        self.code.jump(C::Jb_rel32_64, outside);
        self.has_stack = false;
    }

    /// Returns the operand at a distance from the top of the stack in a window.
    pub(super) fn in_window(&mut self, distance: i64) -> MemoryOperand {
        if !self.has_stack {
            self.begin_of(Segment::Ss);
            self.has_stack = true;
        }
        scaled(HOST, address(Reg::Sp), 1, distance)
    }

    /// Changes SP in a window, where it does not wrap. The flags stay.
    pub(super) fn move_sp(&mut self, by: i64) {
        self.code.load(C::Lea_r32_m, dword(Reg::Sp), address(Reg::Sp), by);
    }
}

/// Returns the load of a word or doubleword into a 32-bit register.
pub(super) fn offset_code(bytes: u32) -> C {
    if bytes == 2 { C::Movzx_r32_rm16 } else { C::Mov_r32_rm32 }
}
