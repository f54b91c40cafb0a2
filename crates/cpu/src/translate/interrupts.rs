//! INT through a vector at address 0, and IRET.

use iced_x86::{Code as C, Register as R};

use super::codegen::Body;
use super::context::{VECTOR_BYTES, offset};
use super::emit::{at, indexed};
use super::registers::{CONTEXT, HOST, OFFSET, word};
use crate::bus::Bus;
use crate::exception::{FRAME_BYTES, LAST_FRAME};
use crate::registers::{Flags, Reg, Segment};

impl<B: Bus> Body<'_, B> {
    /// INT n and INT3, if the handler that the vector points to is translated.
    pub(super) fn interrupt(&mut self, number: usize) {
        let op = &self.decoded[number].op;
        let back = u32::from(self.selector()) << 16 | op.next() & 0xFFFF;
        let elsewhere = self.bail_out(number);
        self.code.imm(C::Mov_r32_imm32, OFFSET, (op.imm * VECTOR_BYTES) as i32);
        self.code.jump_to(C::Call_rel32_64, self.exits.routines.read_vector);
        self.code.jump(C::Jb_rel32_64, elsewhere);
        self.code.store(C::Mov_rm32_r32, CONTEXT, offset::VALUE, R::EAX);
        self.code.store(C::Mov_rm32_r32, CONTEXT, offset::PLACE, R::EAX);
        self.code.imm(C::Shr_rm32_imm8, R::EAX, 16);
        self.slot_of_pointer();
        self.code.load(C::Cmp_r64_rm64, R::RAX, R::RSI, 0);
        self.code.jump(C::Jne_rel32_64, elsewhere);

        self.flags_as_pushed();
        self.code.store(C::Mov_rm32_r32, CONTEXT, offset::VALUE, R::EAX);
        self.below_stack(number, 2);
        self.code.load(C::Mov_r16_rm16, R::AX, CONTEXT, offset::VALUE);
        self.code.store_at(C::Mov_rm16_r16, indexed(HOST, R::RDI), R::AX);
        self.stack_place(FRAME_BYTES.into());
        self.locate(number, Segment::Ss, 4, true);
        self.code.memory_imm(C::Mov_rm32_imm32, indexed(HOST, R::RDI), back as i32);
        self.set_sp();
        let flags = at(CONTEXT, offset::OTHER_FLAGS);
        self.code.memory_imm(C::And_rm32_imm32, flags, !((Flags::IF | Flags::TF) as i32));
        self.code.load(C::Mov_r32_rm32, R::EAX, CONTEXT, offset::PLACE);
        self.code.store(C::Mov_rm32_r32, CONTEXT, offset::VALUE, R::EAX);
        self.jump_to_pointer();
    }

    /// IRET. The handler executes it if the flags that it loads have to be checked.
    pub(super) fn interrupt_return(&mut self, number: usize) {
        const FLAGS_AT: i32 = 4;
        let outside = self.bail_out(number);
        self.code.regs(C::Movzx_r32_rm16, OFFSET, word(Reg::Sp));
        self.code.imm(C::Cmp_rm32_imm32, OFFSET, LAST_FRAME as i32);
        self.code.jump(C::Ja_rel32_64, outside);
        self.code.imm(C::Add_rm32_imm8, OFFSET, FLAGS_AT);
        self.locate(number, Segment::Ss, 2, false);
        self.code.regs(C::Add_r64_rm64, HOST, R::RDI);
        self.code.load(C::Movzx_r32_rm16, R::EAX, HOST, 0);
        self.check_popped_flags(outside);
        self.code.load(C::Mov_r32_rm32, R::ESI, HOST, -i64::from(FLAGS_AT));
        self.code.store(C::Mov_rm32_r32, CONTEXT, offset::VALUE, R::ESI);
        self.take_popped_flags();
        self.code.imm(C::Add_rm16_imm8, word(Reg::Sp), FRAME_BYTES);
        self.jump_to_pointer();
    }
}
