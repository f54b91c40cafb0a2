//! The translation of a block: its operations in a straight line, and behind it the ways that are taken more rarely.

use iced_x86::{Code as C, Register as R};

use super::emit::{Emitter, Label};
use super::exits::{To, Way, Ways};
use super::flags::Held;
use super::plan::{Action, Kind, Plan};
use super::registers::BUDGET;
use super::slow_path::Beyond;
use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::op::{Flow, Mode, Op};
use crate::registers::Flags;

/// A block on its way to machine code.
pub(super) struct Body<'a, B> {
    pub(super) code: Emitter,
    pub(super) ways: Ways,
    pub(super) decoded: &'a [Decoded<B>],
    pub(super) plans: Vec<Plan>,
    /// Where the block begins.
    pub(super) entry: Label,
    /// The ways that are still to be written.
    later: Vec<Way>,
    /// Accesses to memory that is not plain, still to be written.
    pub(super) beyond: Vec<Beyond>,
    /// Jumps to an operation of the block that is not written yet.
    ahead: Vec<(usize, Way)>,
    /// Where the guest's status flags are.
    pub(super) held: Held,
    /// The operations before which the code can be entered again, after a handler.
    pub(super) resumes: Vec<(usize, Label)>,
}

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
            beyond: Vec::new(),
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

    pub(super) fn save(&mut self) {
        self.held.save(&mut self.code);
    }

    /// After the last operation: the block's first exit, and the ways behind it.
    fn end(&mut self) {
        let falls = !matches!(
            self.plans.last().map(|plan| plan.kind),
            Some(
                Kind::Jump
                    | Kind::Call
                    | Kind::Return
                    | Kind::JumpComputed
                    | Kind::CallComputed
                    | Kind::Leave
            )
        );
        if falls {
            self.ways.write(&mut self.code, self.held, 0, To::Exit(0));
        }
        self.write_beyond();
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
    pub(super) fn take(&mut self, op: &Op<B>) {
        let to = match op.exit.exit() {
            Some(exit) => To::Exit(exit),
            None => To::Here(self.entry, Held::Image),
        };
        self.ways.write(&mut self.code, self.held, op.leaves_out, to);
    }

    /// A label at which the block is left before an operation, for its handler.
    pub(super) fn left(&mut self, number: usize) -> Label {
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
            Kind::ReadSegment => self.read_segment(number),
            Kind::Pop => self.pop(number),
            Kind::LeaveFrame => self.leave_frame(number),
            Kind::Xlat => self.xlat(number),
            Kind::LiveImmediate(code) => self.live_immediate(number, code),
            Kind::StoreString => self.store_string(number, plan.bytes),
            Kind::LoadString => self.load_string(number, plan.bytes),
            Kind::MoveString => self.move_string(number, plan.bytes),
            Kind::Jump => {
                if number + 1 == self.decoded.len() {
                    self.take(&decoded.op);
                }
            }
            Kind::Call => self.call(number),
            Kind::JumpComputed => self.jump_computed(number),
            Kind::CallComputed => self.call_computed(number),
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
    pub(super) fn before_flags(&mut self, plan: &Plan, reads: u32) -> Held {
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
