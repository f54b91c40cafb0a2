//! The register stack, and the responses to empty and used registers.

use super::calculation::{Answer, Unmasked};
use super::control::Exceptions;
use super::extended::{Extended, Operand};
use super::unit::{Fpu, Status};

impl Fpu {
    /// Returns the register number of ST(i).
    fn register(&self, i: u8) -> u8 {
        (self.top + i) & 7
    }

    /// Returns ST(i); `None` if it is empty.
    pub(super) fn st(&self, i: u8) -> Option<Extended> {
        let register = self.register(i);
        (self.filled & 1 << register != 0).then_some(self.registers[usize::from(register)])
    }

    pub(super) fn set(&mut self, i: u8, value: Extended) {
        let register = self.register(i);
        self.registers[usize::from(register)] = value;
        self.filled |= 1 << register;
    }

    pub(super) fn free(&mut self, i: u8) {
        self.filled &= !(1 << self.register(i));
    }

    pub(super) fn pop(&mut self) {
        self.free(0);
        self.move_top(1);
    }

    /// Moves the stack top by 1 or -1.
    pub(super) fn move_top(&mut self, by: i8) {
        self.top = self.top.wrapping_add_signed(by) & 7;
    }

    fn stack_fault(&mut self, code: u16) -> Answer<()> {
        self.note(Exceptions::IE | Exceptions::SF | code);
        if self.control.masked(Exceptions::IE) == 0 { Err(Unmasked) } else { Ok(()) }
    }

    /// Responds to an empty operand: an invalid operation, whose result is the indefinite value.
    pub(super) fn underflow(&mut self) -> Answer {
        self.stack_fault(0).map(|()| Extended::INDEFINITE)
    }

    /// Responds to a push onto a full stack.
    pub(super) fn overflow(&mut self) -> Answer {
        self.stack_fault(Status::C1).map(|()| Extended::INDEFINITE)
    }

    /// Pushes a value, or the indefinite value if the stack is full.
    pub(super) fn push(&mut self, value: Extended) {
        if self.st(7).is_none() {
            self.move_top(-1);
            self.set(0, value);
        } else if let Ok(value) = self.overflow() {
            self.move_top(-1);
            self.set(0, value);
        }
    }

    /// Returns ST(0) as an operand.
    pub(super) fn top(&self) -> Option<Operand> {
        self.st(0).map(Operand::from)
    }
}
