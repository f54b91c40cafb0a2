//! IN and OUT.

use iced_x86::{Code as C, OpKind, Register as R};

use super::codegen::Body;
use super::context::offset;
use super::exits::ExitTarget;
use super::registers::{BUDGET, CONTEXT, OFFSET, of_bytes, word};
use super::strings::{accumulator, load_code};
use crate::bus::Bus;
use crate::registers::Reg;

impl<B: Bus> Body<'_, B> {
    /// IN: the bus reads the port.
    pub(super) fn input(&mut self, number: usize, bytes: u32) {
        self.call_bus(number, 1, self.exits.routines.ports.input[bytes.ilog2() as usize]);
        self.code.regs(load_code(bytes), of_bytes(Reg::A, bytes), accumulator(bytes));
        self.stop_if_told(number);
    }

    /// OUT: a routine writes some registers of the display adapter, and the bus all other ports.
    pub(super) fn output(&mut self, number: usize, bytes: u32) {
        let routines = self.exits.routines.ports;
        let width = bytes.ilog2() as usize;
        let by_dx = self.decoded[number].instruction.op0_kind() == OpKind::Register;
        let [other, done] = [self.code.label(), self.code.label()];
        if let Some(of_pixels) = routines.pixels.get(width).filter(|_| by_dx) {
            self.code.jump_to(C::Call_rel32_64, *of_pixels);
            self.code.jump(C::Jb_rel32_64, other);
            self.code.load(C::Lea_r64_m, R::RAX, BUDGET, self.cycles_to_end(number).into());
            self.code.store(C::Mov_rm64_r64, CONTEXT, offset::OUTPUT_BUDGET, R::RAX);
            self.code.jump(C::Jmp_rel32_64, done);
        }
        self.code.bind(other);
        self.call_bus(number, 0, routines.output[width]);
        self.stop_if_told(number);
        self.code.bind(done);
    }

    /// Returns the cycles from the beginning of an operation to the end of the block.
    fn cycles_to_end(&self, number: usize) -> i32 {
        let op = &self.decoded[number].op;
        i32::from(op.after) + i32::from(op.count)
    }

    /// Calls a routine that calls the bus, for the port in this operand.
    fn call_bus(&mut self, number: usize, operand: u32, routine: u64) {
        let decoded = &self.decoded[number];
        match decoded.instruction.op_kind(operand) {
            OpKind::Register => self.code.regs(C::Movzx_r32_rm16, OFFSET, word(Reg::D)),
            _ => self.code.imm(C::Mov_r32_imm32, OFFSET, decoded.op.imm as i32),
        }
        self.code.imm(C::Mov_r32_imm32, R::ESI, self.cycles_to_end(number));
        self.code.jump_to(C::Call_rel32_64, routine);
    }

    /// Leaves the block after an operation, if CF is set.
    fn stop_if_told(&mut self, number: usize) {
        let op = &self.decoded[number].op;
        let ip = self.model.wrapped_ip(op.next());
        let stopped = self.side_exit(ExitTarget::Stop(ip), op.after);
        self.code.jump(C::Jb_rel32_64, stopped);
    }
}
