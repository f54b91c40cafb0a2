//! The translation of a block: its operations in a straight line, and behind it the ways that are taken more rarely.

use iced_x86::{Code as C, Instruction, MemoryOperand, Mnemonic as M, OpKind, Register as R};

use super::emit::{Emitter, Label, at, indexed};
use super::flags::Held;
use super::host::offset;
use super::plan::{self, Action, Kind, Plan};
use super::registers::{self, BUDGET, CONTEXT, IMAGE, MARKS, address, dword, is_high, word};
use super::ways::{To, Way, Ways};
use crate::cpu::bus::Bus;
use crate::cpu::decoded::Decoded;
use crate::cpu::op::{Flow, Mode, Op};
use crate::cpu::registers::{Flags, Reg, Segment};

/// A block on its way to machine code.
pub(super) struct Body<'a, B> {
    pub(super) code: Emitter,
    pub(super) ways: Ways,
    decoded: &'a [Decoded<B>],
    plans: Vec<Plan>,
    /// Where the block begins.
    pub(super) entry: Label,
    /// The ways that are still to be written.
    later: Vec<Way>,
    /// Jumps to an operation of the block that is not written yet.
    ahead: Vec<(usize, Way)>,
    held: Held,
    /// The operations before which the code can be entered again, after a handler.
    pub(super) resumes: Vec<(usize, Label)>,
}

/// The operand registers of a stack access.
const OFFSET: R = R::EDI;
const HOST: R = R::RSI;

impl<'a, B: Bus> Body<'a, B> {
    /// Translates the operations, which are `count` instructions.
    pub(super) fn of(decoded: &'a [Decoded<B>], plans: Vec<Plan>, ways: Ways, count: u32) -> Self {
        let mut code = Emitter::default();
        let entry = code.label();
        let mut body = Body {
            code,
            ways,
            decoded,
            plans,
            entry,
            later: Vec::new(),
            ahead: Vec::new(),
            held: Held::Image,
            resumes: Vec::new(),
        };
        body.begin(count);
        for number in 0..decoded.len() {
            body.arrive(number);
            body.operation(number);
        }
        body.end();
        body
    }

    /// Counts the block, and leaves before it where the limit lies in it.
    fn begin(&mut self, count: u32) {
        self.code.bind(self.entry);
        self.code.imm(C::Sub_rm64_imm8, BUDGET, count as i32);
        let short = self.code.label();
        self.code.jump(C::Jl_rel32_64, short);
        let to = To::Back(Flow::SHORT);
        self.later.push(Way { label: short, held: Held::Image, leaves_out: count as u8, to });
    }

    /// The jumps of the block to this operation come together here.
    fn arrive(&mut self, number: usize) {
        let (here, ahead) = std::mem::take(&mut self.ahead).into_iter().partition(|(to, _)| *to == number);
        self.ahead = ahead;
        let here: Vec<(usize, Way)> = here;
        if here.is_empty() {
            return;
        }
        if here.iter().any(|(_, way)| way.held != self.held) {
            self.save();
        }
        let label = self.code.label();
        self.code.bind(label);
        for (_, way) in here {
            let to = To::Here(label, self.held);
            self.later.push(Way { to, ..way });
        }
    }

    fn save(&mut self) {
        self.held.save(&mut self.code);
    }

    /// After the last operation: the block's first exit, and the ways behind it.
    fn end(&mut self) {
        let falls = !matches!(
            self.plans.last().map(|plan| plan.kind),
            Some(Kind::Jump | Kind::Call | Kind::Return | Kind::Leave)
        );
        if falls {
            self.ways.write(&mut self.code, self.held, 0, To::Exit(0));
        }
        for Way { label, held, leaves_out, to } in std::mem::take(&mut self.later) {
            self.code.bind(label);
            self.ways.write(&mut self.code, held, leaves_out, to);
        }
        self.ways.write_unlinked(&mut self.code);
    }

    /// A label from which the way of a jump goes, with the flags as they are here.
    fn taken(&mut self, op: &Op<B>) -> Label {
        let label = self.code.label();
        let way = |to| Way { label, held: self.held, leaves_out: op.leaves_out, to };
        if let Some(number) = op.exit.operation() {
            let nowhere = To::Back(Flow::STOP);
            self.ahead.push((number, way(nowhere)));
        } else if let Some(exit) = op.exit.exit() {
            self.later.push(way(To::Exit(exit)));
        } else {
            self.later.push(way(To::Here(self.entry, Held::Image)));
        }
        label
    }

    /// The way of a jump that is always taken.
    fn take(&mut self, op: &Op<B>) {
        let to = match op.exit.exit() {
            Some(exit) => To::Exit(exit),
            None => To::Here(self.entry, Held::Image),
        };
        self.ways.write(&mut self.code, self.held, op.leaves_out, to);
    }

    /// A label at which the block is left before an operation, for its handler.
    fn left(&mut self, number: usize) -> Label {
        if self.held != Held::Image {
            self.code.spoil();
        }
        let label = self.code.label();
        let to = To::Back(Flow::within(number));
        self.later.push(Way { label, held: Held::Image, leaves_out: 0, to });
        label
    }

    fn operation(&mut self, number: usize) {
        let (plan, decoded) = (self.plans[number], &self.decoded[number]);
        if plan.may_leave() {
            self.save();
        }
        match plan.kind {
            Kind::Leave => self.leave(number),
            Kind::Nothing => {}
            Kind::Same(code) => self.same(number, code),
            Kind::Shift(code, count) => self.shift(number, code, count),
            Kind::ShiftByCl(code) => self.shift_by_cl(number, code),
            Kind::Multiply(code) => self.multiply(number, code),
            Kind::Extend(mnemonic) => self.extend(mnemonic),
            Kind::Lea => self.lea(&decoded.op, &decoded.instruction),
            Kind::Push => self.push_operand(number),
            Kind::PushSegment => self.push_segment(number),
            Kind::Pop => self.pop(number),
            Kind::LeaveFrame => self.leave_frame(number),
            Kind::Translate => self.translate(number),
            Kind::Jump => {
                if number + 1 == self.decoded.len() {
                    self.take(&decoded.op);
                }
            }
            Kind::Call => self.call(number),
            Kind::Return => self.ret(number),
            Kind::Jcc => self.held.load(&mut self.code),
            Kind::Loop | Kind::JumpIfZero => self.count(plan.kind, &decoded.op),
        }
        if let Some(condition) = decoded.condition
            && plan.kind != Kind::Leave
        {
            let label = self.taken(&decoded.op);
            self.code.jump(JCC[usize::from(condition & 15)], label);
        }
    }

    /// The operation is left to its handler; after it the code is entered again, if the block goes on.
    fn leave(&mut self, number: usize) {
        self.ways.back(&mut self.code, Flow::within(number));
        if number + 1 < self.decoded.len() {
            let label = self.code.label();
            self.code.bind(label);
            self.resumes.push((number + 1, label));
        }
        self.held = Held::Image;
    }

    /// Makes the flags ready for an instruction, and says where they are after it.
    fn before_flags(&mut self, plan: &Plan, reads: u32) -> Held {
        let is_live = plan.live != 0;
        match plan.action {
            _ if reads & !Flags::CF != 0 => self.held.load(&mut self.code),
            Action::SetsCarry if is_live => self.held.load(&mut self.code),
            Action::KeepsCarry if plan.live & Flags::CF != 0 => self.held.load_carry(&mut self.code),
            _ if reads != 0 => self.held.load_carry(&mut self.code),
            _ => {}
        }
        match plan.action {
            Action::None => self.held,
            _ if !is_live => Held::Nowhere,
            Action::Sets | Action::KeepsCarry => Held::HOST,
            Action::SetsWithoutAdjust => Held::Host { clear_adjust: true },
            // Where the others were nowhere, nobody asks for them.
            Action::SetsCarry if self.held == Held::Nowhere => Held::HOST,
            Action::SetsCarry => self.held,
        }
    }

    /// The guest's instruction as one of the host's, with its operands where they are here.
    fn same(&mut self, number: usize, code: C) {
        let (plan, decoded) = (self.plans[number], &self.decoded[number]);
        self.operand_address(number, &plan);
        let after = self.before_flags(&plan, decoded.effect.reads);
        self.put_same(&decoded.instruction, code);
        self.held = after;
    }

    /// Writes the instruction; its memory operand is where [`Body::locate`] has said.
    fn put_same(&mut self, guest: &Instruction, code: C) {
        let operands: Vec<R> = (0..guest.op_count())
            .filter(|&n| guest.op_kind(n) == OpKind::Register)
            .map(|n| guest.op_register(n))
            .collect();
        // BH is in AH for the time of the instruction, and BL in AL where the other operand is a high byte.
        let any_high = operands.iter().any(|register| is_high(*register));
        let stands_in = operands.contains(&R::BH) || any_high && operands.contains(&R::BL);
        let mut host = *guest;
        host.set_code(code);
        host.set_has_lock_prefix(false);
        host.set_has_repe_prefix(false);
        host.set_has_repne_prefix(false);
        host.set_segment_prefix(R::None);
        for n in 0..host.op_count() {
            match host.op_kind(n) {
                OpKind::Register => {
                    let register = match guest.op_register(n) {
                        R::BL if stands_in => R::AL,
                        register => match registers::of_guest(register) {
                            Some(register) => register,
                            None => return self.code.spoil(),
                        },
                    };
                    host.set_op_register(n, register);
                }
                OpKind::Memory => {
                    host.set_memory_base(HOST);
                    host.set_memory_index(R::RDI);
                    host.set_memory_index_scale(1);
                    host.set_memory_displacement64(0);
                    host.set_memory_displ_size(0);
                }
                _ => {}
            }
        }
        if stands_in {
            self.code.regs(C::Mov_r32_rm32, R::EAX, dword(Reg::B));
        }
        // MOVZX and MOVSX of a high byte into a register that needs a prefix: by way of EAX.
        let extended = host.op0_register();
        if any_high && extended.size() > 1 && host.op1_kind() == OpKind::Register {
            let wide = extended.size() == 4;
            host.set_op_register(0, if wide { R::EAX } else { R::AX });
            self.code.put(host);
            let (code, from) = if wide { (C::Mov_r32_rm32, R::EAX) } else { (C::Mov_r16_rm16, R::AX) };
            return self.code.regs(code, extended, from);
        }
        self.code.put(host);
        if stands_in {
            self.code.regs(C::Mov_r32_rm32, dword(Reg::B), R::EAX);
        }
    }

    /// OF of a shift is that of its last step by one bit, so that one is made by itself where somebody may look.
    fn shift(&mut self, number: usize, code: C, count: u8) {
        let (plan, decoded) = (self.plans[number], &self.decoded[number]);
        self.operand_address(number, &plan);
        let after = self.before_flags(&plan, decoded.effect.reads);
        if count > 1 && plan.live != 0 {
            self.put_shift(&decoded.instruction, code, count - 1);
            self.put_shift(&decoded.instruction, code, 1);
        } else {
            self.put_shift(&decoded.instruction, code, count);
        }
        self.held = after;
    }

    fn put_shift(&mut self, guest: &Instruction, code: C, count: u8) {
        let mut by_immediate = *guest;
        by_immediate.set_code(code);
        by_immediate.set_op1_kind(OpKind::Immediate8);
        by_immediate.set_immediate8(count);
        self.put_same(&by_immediate, code);
    }

    /// By CL: a count of 0 changes nothing; otherwise CL - 1 bits, and then one.
    fn shift_by_cl(&mut self, number: usize, code: C) {
        let (plan, decoded) = (self.plans[number], &self.decoded[number]);
        let by_cl = decoded.instruction.code();
        let all_dead = plan.live == 0 && decoded.effect.reads == 0;
        if all_dead {
            self.put_same(&decoded.instruction, by_cl);
            self.held = Held::Nowhere;
            return;
        }
        self.save();
        let done = self.code.label();
        self.code.imm(C::Test_rm8_imm8, R::CL, 31);
        self.code.jump(C::Je_rel32_64, done);
        if plan.action == Action::SetsCarry {
            self.held.load(&mut self.code);
        }
        let by = |code: &mut Emitter, step| code.load(C::Lea_r32_m, R::ECX, R::RCX, step);
        by(&mut self.code, -1);
        self.put_same(&decoded.instruction, by_cl);
        by(&mut self.code, 1);
        self.put_shift(&decoded.instruction, code, 1);
        self.held =
            if plan.action == Action::SetsCarry { Held::HOST } else { Held::Host { clear_adjust: true } };
        self.save();
        self.code.bind(done);
    }

    /// The product's upper half tells CF and OF; the other flags stay, as on the chips.
    fn multiply(&mut self, number: usize, code: C) {
        let (plan, decoded) = (self.plans[number], &self.decoded[number]);
        let guest = &decoded.instruction;
        let bytes = if plan.bytes != 0 { plan.bytes } else { guest.op0_register().size() as u32 };
        self.operand_address(number, &plan);
        self.save();
        self.code.regs(C::Mov_r32_rm32, R::EAX, dword(Reg::A));
        self.put_same(guest, code);
        match bytes {
            1 | 2 => self.code.regs(C::Mov_r16_rm16, word(Reg::A), R::AX),
            _ => self.code.regs(C::Mov_r32_rm32, dword(Reg::A), R::EAX),
        }
        if plan.live != 0 {
            // CF in bit 8 and OF in bit 0 of the image are both set, or both clear.
            self.code.regs(C::Sbb_r32_rm32, R::EAX, R::EAX);
            self.code.imm(C::And_rm32_imm32, R::EAX, 0x101);
            self.code.imm(C::And_rm32_imm32, IMAGE, !0x101);
            self.code.regs(C::Or_r32_rm32, IMAGE, R::EAX);
        }
    }

    fn extend(&mut self, mnemonic: M) {
        match mnemonic {
            M::Cbw => self.code.regs(C::Movsx_r16_rm8, word(Reg::A), R::BL),
            M::Cwde => self.code.regs(C::Movsx_r32_rm16, dword(Reg::A), word(Reg::A)),
            _ => {
                // EDX is where it is on the host.
                self.code.regs(C::Mov_r32_rm32, R::EAX, dword(Reg::A));
                self.code.plain(if mnemonic == M::Cwd { C::Cwd } else { C::Cdq });
            }
        }
    }

    fn lea(&mut self, op: &Op<B>, instruction: &Instruction) {
        self.offset(op);
        match instruction.op0_register().size() {
            2 => self.code.regs(C::Mov_r16_rm16, word(op.reg), R::DI),
            _ => self.code.regs(C::Mov_r32_rm32, dword(op.reg), OFFSET),
        }
    }

    /// The offset of the memory operand, in EDI.
    fn offset(&mut self, op: &Op<B>) {
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

    /// The memory operand, if there is one.
    fn operand_address(&mut self, number: usize, plan: &Plan) {
        if plan.bytes != 0 {
            let op = &self.decoded[number].op;
            self.offset(op);
            self.locate(number, op.seg, plan.bytes, plan.writes);
        }
    }

    /// Looks whether `bytes` bytes at the offset in EDI are in plain memory, and where the segment begins, in RSI.
    fn locate(&mut self, number: usize, segment: Segment, bytes: u32, writes: bool) {
        let left = self.left(number);
        let segment = segment as usize;
        self.code.load(C::Cmp_r32_rm32, OFFSET, CONTEXT, offset::room(bytes.ilog2() as usize, segment));
        self.code.jump(C::Jae_rel32_64, left);
        if writes {
            const GRANULE_BITS: i32 = crate::cpu::bus::PlainMemory::GRANULE.ilog2() as i32;
            self.code.load(C::Mov_r32_rm32, R::EAX, CONTEXT, offset::base(segment));
            self.code.regs(C::Add_r32_rm32, R::EAX, OFFSET);
            self.code.imm(C::Shr_rm32_imm8, R::EAX, GRANULE_BITS);
            self.code.memory_imm(C::Cmp_rm8_imm8, indexed(MARKS, R::RAX), 0);
            self.code.jump(C::Jne_rel32_64, left);
        }
        self.code.load(C::Mov_r64_rm64, HOST, CONTEXT, offset::segment(segment));
    }

    /// The place below the top of the stack, looked at.
    fn below_stack(&mut self, number: usize) {
        self.code.load(C::Lea_r32_m, OFFSET, address(Reg::Sp), -2);
        self.code.regs(C::Movzx_r32_rm16, OFFSET, R::DI);
        self.locate(number, Segment::Ss, 2, true);
    }

    /// SP is where something was just pushed.
    fn set_sp(&mut self) {
        self.code.regs(C::Mov_r16_rm16, word(Reg::Sp), R::DI);
    }

    fn push_register(&mut self, number: usize, register: R) {
        self.below_stack(number);
        let place = indexed(HOST, R::RDI);
        self.code.store_at(C::Mov_rm16_r16, place, register);
        self.set_sp();
    }

    fn push_operand(&mut self, number: usize) {
        let decoded = &self.decoded[number];
        match plan::stack_register(&decoded.instruction) {
            Some(reg) => self.push_register(number, word(reg)),
            None => self.push_number(number, decoded.op.imm),
        }
    }

    fn push_number(&mut self, number: usize, value: u32) {
        self.below_stack(number);
        self.code.memory_imm(C::Mov_rm16_imm16, indexed(HOST, R::RDI), i32::from(value as i16));
        self.set_sp();
    }

    fn push_segment(&mut self, number: usize) {
        const PARAGRAPH_BITS: i32 = 4;
        let register = self.decoded[number].instruction.op0_register();
        let Some(segment) = crate::cpu::form::segment_number(register) else { return self.code.spoil() };
        self.below_stack(number);
        self.code.load(C::Mov_r32_rm32, R::EAX, CONTEXT, offset::base(segment as usize));
        self.code.imm(C::Shr_rm32_imm8, R::EAX, PARAGRAPH_BITS);
        self.code.store_at(C::Mov_rm16_r16, indexed(HOST, R::RDI), R::AX);
        self.set_sp();
    }

    /// The word at the top of the stack, looked at.
    fn top_of_stack(&mut self, number: usize) {
        self.code.regs(C::Movzx_r32_rm16, OFFSET, word(Reg::Sp));
        self.locate(number, Segment::Ss, 2, false);
    }

    fn pop(&mut self, number: usize) {
        let Some(reg) = plan::stack_register(&self.decoded[number].instruction) else {
            return self.code.spoil();
        };
        self.top_of_stack(number);
        self.code.imm(C::Add_rm16_imm8, word(Reg::Sp), 2);
        self.code.load_at(C::Mov_r16_rm16, word(reg), indexed(HOST, R::RDI));
    }

    /// SP from BP, and then BP from the stack.
    fn leave_frame(&mut self, number: usize) {
        self.code.regs(C::Movzx_r32_rm16, OFFSET, word(Reg::Bp));
        self.locate(number, Segment::Ss, 2, false);
        self.set_sp();
        self.code.imm(C::Add_rm16_imm8, word(Reg::Sp), 2);
        self.code.load_at(C::Mov_r16_rm16, word(Reg::Bp), indexed(HOST, R::RDI));
    }

    /// XLAT: AL from BX + AL.
    fn translate(&mut self, number: usize) {
        self.code.regs(C::Movzx_r32_rm8, OFFSET, R::BL);
        self.code.regs(C::Add_r32_rm32, OFFSET, dword(Reg::B));
        self.code.regs(C::Movzx_r32_rm16, OFFSET, R::DI);
        self.locate(number, self.decoded[number].op.seg, 1, false);
        self.code.load_at(C::Mov_r8_rm8, R::BL, indexed(HOST, R::RDI));
    }

    fn call(&mut self, number: usize) {
        let op = &self.decoded[number].op;
        self.push_number(number, op.next() & 0xFFFF);
        if number + 1 == self.decoded.len() {
            self.take(op);
        }
    }

    /// To where the word on the stack says: straight to that block's code if it is in the table of computed jumps.
    fn ret(&mut self, number: usize) {
        let key = self.ways.key >> 32 << 32;
        let more = self.decoded[number].op.imm;
        self.top_of_stack(number);
        self.code.load_at(C::Movzx_r32_rm16, OFFSET, indexed(HOST, R::RDI));
        self.code.imm(C::Add_rm16_imm16, word(Reg::Sp), i32::from((2 + more) as i16));
        let miss = self.code.label();
        self.code.imm64(R::RAX, key);
        self.code.regs(C::Or_r64_rm64, R::RAX, R::RDI);
        self.code.regs(C::Mov_r32_rm32, R::ESI, OFFSET);
        self.code.imm(C::And_rm32_imm32, R::ESI, super::host::TARGETS as i32 - 1);
        self.code.imm(C::Shl_rm32_imm8, R::ESI, 4);
        self.code.load(C::Add_r64_rm64, R::RSI, CONTEXT, offset::TARGETS);
        self.code.load(C::Cmp_r64_rm64, R::RAX, R::RSI, 0);
        self.code.jump(C::Jne_rel32_64, miss);
        self.code.jump_through(R::RSI, 8);
        self.code.bind(miss);
        self.code.store(C::Mov_rm32_r32, CONTEXT, offset::IP, OFFSET);
        self.ways.back(&mut self.code, Flow::JUMP);
    }

    /// LOOP and JCXZ leave the flags alone.
    fn count(&mut self, kind: Kind, op: &Op<B>) {
        self.save();
        let is_wide = op.mode == Mode::Wide;
        let (register, dec, test) = match is_wide {
            true => (R::ECX, C::Dec_rm32, C::Test_rm32_r32),
            false => (R::CX, C::Dec_rm16, C::Test_rm16_r16),
        };
        let jump = if kind == Kind::Loop {
            self.code.reg(dec, register);
            C::Jne_rel32_64
        } else {
            self.code.regs(test, register, register);
            C::Je_rel32_64
        };
        let label = self.taken(op);
        self.code.jump(jump, label);
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

/// The jumps on a condition, by the number that the condition has in an instruction.
const JCC: [C; 16] = [
    C::Jo_rel32_64,
    C::Jno_rel32_64,
    C::Jb_rel32_64,
    C::Jae_rel32_64,
    C::Je_rel32_64,
    C::Jne_rel32_64,
    C::Jbe_rel32_64,
    C::Ja_rel32_64,
    C::Js_rel32_64,
    C::Jns_rel32_64,
    C::Jp_rel32_64,
    C::Jnp_rel32_64,
    C::Jl_rel32_64,
    C::Jge_rel32_64,
    C::Jle_rel32_64,
    C::Jg_rel32_64,
];
