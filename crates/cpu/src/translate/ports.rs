//! OUT to the port in DX.

use iced_x86::{Code as C, Register as R};

use super::codegen::Body;
use super::context::offset;
use super::registers::{BUDGET, CONTEXT};
use crate::bus::Bus;

impl<B: Bus> Body<'_, B> {
    /// Emits OUT of a byte or a word. The handler executes it if the routine refuses the port or the
    /// register.
    pub(super) fn output(&mut self, number: usize, bytes: u32) {
        let bail_out = self.bail_out(number);
        self.code.jump_to(C::Call_rel32_64, self.exits.routines.output[bytes.ilog2() as usize]);
        self.code.jump(C::Jb_rel32_64, bail_out);
        let op = &self.decoded[number].op;
        let before = i64::from(op.after) + i64::from(op.count);
        self.code.load(C::Lea_r64_m, R::RAX, BUDGET, before);
        self.code.store(C::Mov_rm64_r64, CONTEXT, offset::OUTPUT_BUDGET, R::RAX);
        self.resume_after(number);
    }
}
