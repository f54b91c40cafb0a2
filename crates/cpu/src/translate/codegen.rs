//! Code generation for a block: its operations in a straight line, followed by the rarely taken
//! paths.

use iced_x86::{Code as C, Register as R};

use super::emit::{Emitter, Label};
use super::exits::{ExitTarget, Exits, SideExit};
use super::flags::{FlagLocation, image};
use super::fpu_stack::Run;
use super::kind::Kind;
use super::plan::{Action, Plan};
use super::registers::{BUDGET, IMAGE};
use super::slow_path::SlowPath;
use super::window;
use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::model::Model;
use crate::op::{Flow, Mode, Op};
use crate::registers::Flags;

/// A block during code generation.
pub(super) struct Body<'a, B> {
    pub(super) code: Emitter,
    pub(super) exits: Exits,
    pub(super) model: Model,
    pub(super) decoded: &'a [Decoded<B>],
    pub(super) plans: Vec<Plan>,
    pub(super) entry: Label,
    side_exits: Vec<SideExit>,
    /// Slow-path accesses that are not emitted yet.
    pub(super) slow_paths: Vec<SlowPath>,
    /// The run of coprocessor instructions, if one has begun.
    pub(super) run: Option<Run>,
    /// Ended runs whose ways to the handlers are not emitted yet.
    pub(super) ended_runs: Vec<Run>,
    /// Jumps to operations of the block that are not emitted yet.
    ahead: Vec<(usize, SideExit)>,
    /// Whether RSI holds the host address of the stack segment.
    pub(super) has_stack: bool,
    /// The location of the guest's status flags.
    pub(super) held: FlagLocation,
    /// The operations that have an entry point, after a handler.
    pub(super) resumes: Vec<(usize, Label)>,
}

impl<'a, B: Bus> Body<'a, B> {
    /// Translates the operations, which are `count` instructions.
    pub(super) fn of(
        model: Model,
        decoded: &'a [Decoded<B>],
        plans: Vec<Plan>,
        exits: Exits,
        count: u32,
    ) -> Self {
        let mut code = Emitter::default();
        let entry = code.label();
        let mut body = Body {
            code,
            exits,
            model,
            decoded,
            plans,
            entry,
            side_exits: Vec::new(),
            slow_paths: Vec::new(),
            run: None,
            ended_runs: Vec::new(),
            ahead: Vec::new(),
            has_stack: false,
            held: FlagLocation::Image,
            resumes: Vec::new(),
        };
        body.begin(count);
        for number in 0..decoded.len() {
            if !body.continues_run(number) || body.is_reached_by_jump(number) {
                body.end_run();
            }
            body.arrive(number);
            body.operation(number);
        }
        body.end();
        body
    }

    /// Emits the cycle count of the block, and the exit if the limit is inside it.
    fn begin(&mut self, count: u32) {
        self.code.bind(self.entry);
        self.code.imm(C::Sub_rm64_imm8, BUDGET, count as i32);
        let short = self.side_exit(ExitTarget::Back(Flow::BUDGET_EXHAUSTED), count as u8);
        self.code.jump(C::Jl_rel32_64, short);
    }

    fn is_reached_by_jump(&self, number: usize) -> bool {
        self.ahead.iter().any(|(to, _)| *to == number)
    }

    /// Binds the jumps of the block to this operation.
    fn arrive(&mut self, number: usize) {
        let (here, ahead) = std::mem::take(&mut self.ahead).into_iter().partition(|(to, _)| *to == number);
        self.ahead = ahead;
        let here: Vec<(usize, SideExit)> = here;
        if here.is_empty() {
            return;
        }
        if here.iter().any(|(_, way)| way.held != self.held) {
            self.save();
        }
        let label = self.code.label();
        self.code.bind(label);
        for (_, way) in here {
            let to = ExitTarget::Here(label, self.held);
            self.side_exits.push(SideExit { to, ..way });
        }
    }

    pub(super) fn save(&mut self) {
        self.held.save(&mut self.code);
    }

    /// Returns whether execution continues at the block's first exit after the last operation.
    fn falls(&self) -> bool {
        let Some((plan, last)) = self.plans.last().zip(self.decoded.last()) else { return true };
        match plan.kind {
            Kind::Return => !last.ends,
            Kind::Jump | Kind::Call | Kind::JumpComputed | Kind::CallComputed => false,
            Kind::JumpFar | Kind::CallFar | Kind::ReturnFar => false,
            Kind::Interrupt | Kind::InterruptReturn | Kind::Leave => false,
            _ => true,
        }
    }

    /// Emits the block's first exit after the last operation, and the pending paths.
    fn end(&mut self) {
        self.end_run();
        if self.falls() {
            self.exits.write(&mut self.code, self.held, 0, ExitTarget::Exit(0));
        }
        self.write_slow_paths();
        self.write_refusals();
        for SideExit { label, held, skipped, to } in std::mem::take(&mut self.side_exits) {
            self.code.bind(label);
            self.exits.write(&mut self.code, held, skipped, to);
        }
        self.exits.write_unlinked(&mut self.code);
    }

    /// Returns a label for the exit of a taken jump, with the flags in their current location.
    fn taken(&mut self, op: &Op<B>) -> Label {
        let label = self.code.label();
        let exit_to = |to| SideExit { label, held: self.held, skipped: op.skipped, to };
        if let Some(number) = op.exit.operation() {
            let nowhere = ExitTarget::Back(Flow::STOP);
            self.ahead.push((number, exit_to(nowhere)));
        } else if let Some(exit) = op.exit.exit() {
            self.side_exits.push(exit_to(ExitTarget::Exit(exit)));
        } else {
            self.side_exits.push(exit_to(ExitTarget::Here(self.entry, FlagLocation::Image)));
        }
        label
    }

    /// Emits the exit of an unconditional jump.
    pub(super) fn take(&mut self, op: &Op<B>) {
        let to = match op.exit.exit() {
            Some(exit) => ExitTarget::Exit(exit),
            None => ExitTarget::Here(self.entry, FlagLocation::Image),
        };
        self.exits.write(&mut self.code, self.held, op.skipped, to);
    }

    /// Returns a label that bails out before an operation, to its handler.
    pub(super) fn bail_out(&mut self, number: usize) -> Label {
        if self.held != FlagLocation::Image {
            self.code.poison();
        }
        self.side_exit(ExitTarget::Back(Flow::within(number)), 0)
    }

    /// Returns a label that leaves the block and skips this many cycles of it. The flags must be saved.
    pub(super) fn side_exit(&mut self, to: ExitTarget, skipped: u8) -> Label {
        let label = self.code.label();
        self.side_exits.push(SideExit { label, held: FlagLocation::Image, skipped, to });
        label
    }

    fn operation(&mut self, number: usize) {
        let (plan, decoded) = (self.plans[number], &self.decoded[number]);
        if plan.may_leave() {
            self.save();
        }
        self.has_stack &= window::keeps_host(&plan);
        if let Some(window) = plan.window {
            self.check_window(number, window);
        }
        match plan.kind {
            Kind::Leave => self.leave(number),
            Kind::Nothing => {}
            Kind::Same(code) => self.same(number, code),
            Kind::DoubleShift(code) => self.double_shift(number, code),
            Kind::Shift(code, count) => self.shift(number, code, count),
            Kind::ShiftByCl(code) => self.shift_by_cl(number, code),
            Kind::Multiply(code) => self.multiply(number, code),
            Kind::Divide { signed: false } => self.divide(number),
            Kind::Divide { signed: true } => self.divide_signed(number),
            Kind::Extend(mnemonic) => self.extend(mnemonic),
            Kind::Lea => self.lea(&decoded.op, &decoded.instruction),
            Kind::Push => self.push_operand(number),
            Kind::PushMemory => self.push_memory(number),
            Kind::PushSegment => self.push_segment(number),
            Kind::ReadSegment => self.read_segment(number),
            Kind::StoreSegment => self.store_segment(number),
            Kind::WriteSegment => self.write_segment(number),
            Kind::PopSegment => self.pop_segment(number),
            Kind::LoadPointer => self.load_pointer(number),
            Kind::Pop => self.pop(number),
            Kind::PopMemory => self.pop_memory(number),
            Kind::PushAll => self.push_all(number),
            Kind::PopAll => self.pop_all(number),
            Kind::PushFlags => self.push_flags(number),
            Kind::PopFlags => self.pop_flags(number),
            Kind::EnterFrame => self.enter_frame(number),
            Kind::LeaveFrame => self.leave_frame(number),
            Kind::LoadFlags => self.load_flags(),
            Kind::StoreFlags => self.store_flags(),
            Kind::Direct { down } => self.direct(down),
            Kind::Input(bytes) => self.input(number, bytes),
            Kind::Output(bytes) => self.output(number, bytes),
            Kind::Cli => self.disable_interrupts(),
            Kind::Sti => self.enable_interrupts(number),
            Kind::BitTest(code) => self.bit_test(number, code),
            Kind::BitScan(code) => self.bit_scan(number, code),
            Kind::Coprocessor(op) => self.coprocessor(number, op),
            Kind::Wait => self.wait(number),
            Kind::Xlat => self.xlat(number),
            Kind::LiveImmediate(code) => self.live_immediate(number, code),
            Kind::StoreString => self.store_string(number, plan.bytes),
            Kind::LoadString => self.load_string(number, plan.bytes),
            Kind::MoveString => self.move_string(number, plan.bytes),
            Kind::ScanString => self.scan_string(number, plan.bytes),
            Kind::CompareStrings => self.compare_strings(number, plan.bytes),
            Kind::Repeat(repeated) => self.repeat(number, repeated, plan.bytes),
            Kind::Jump => {
                if number + 1 == self.decoded.len() {
                    self.take(&decoded.op);
                }
            }
            Kind::Call => self.call(number),
            Kind::JumpComputed => self.jump_computed(number),
            Kind::CallComputed => self.call_computed(number),
            Kind::Return => self.ret(number),
            Kind::JumpFar => self.jump_far(number),
            Kind::CallFar => self.call_far(number),
            Kind::ReturnFar => self.ret_far(number),
            Kind::Interrupt => self.interrupt(number),
            Kind::InterruptReturn => self.interrupt_return(number),
            Kind::Jcc => self.held.load(&mut self.code),
            Kind::Loop | Kind::LoopWhile { .. } | Kind::JumpIfZero => self.count(plan.kind, &decoded.op),
        }
        if let Some(condition) = decoded.condition
            && plan.kind != Kind::Leave
        {
            let label = self.taken(&decoded.op);
            self.code.jump(JCC[usize::from(condition & 15)], label);
        }
    }

    /// Leaves the operation to its handler. If the block continues, it is re-entered after it.
    fn leave(&mut self, number: usize) {
        self.exits.back(&mut self.code, Flow::within(number));
        self.resume_after(number);
        self.held = FlagLocation::Image;
    }

    /// Makes an entry point after an operation, for its handler, unless it is the last. The flags must be
    /// saved.
    pub(super) fn resume_after(&mut self, number: usize) {
        if number + 1 < self.decoded.len() {
            let label = self.code.label();
            self.code.bind(label);
            self.resumes.push((number + 1, label));
        }
    }

    /// Moves the flags where an instruction needs them, and returns their location after it.
    pub(super) fn before_flags(&mut self, plan: &Plan, reads: u32) -> FlagLocation {
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
            _ if !is_live => FlagLocation::Nowhere,
            Action::Sets | Action::KeepsCarry => FlagLocation::HOST,
            Action::SetsWithoutAdjust => FlagLocation::Host { clear_adjust: true },
            // If the other flags were dead, nothing reads them.
            Action::SetsCarry if self.held == FlagLocation::Nowhere => FlagLocation::HOST,
            Action::SetsCarry => self.held,
        }
    }

    /// Emits LOOP, LOOPE, LOOPNE and JCXZ, which keep the flags.
    fn count(&mut self, kind: Kind, op: &Op<B>) {
        self.save();
        let is_wide = op.mode == Mode::Wide;
        let (register, dec, test) = match is_wide {
            true => (R::ECX, C::Dec_rm32, C::Test_rm32_r32),
            false => (R::CX, C::Dec_rm16, C::Test_rm16_r16),
        };
        let over = self.code.label();
        let jump = match kind {
            Kind::LoopWhile { equal } => {
                self.code.reg(dec, register);
                self.code.jump(C::Je_rel32_64, over);
                self.code.imm(C::Test_rm32_imm32, IMAGE, image(Flags::ZF) as i32);
                if equal { C::Jne_rel32_64 } else { C::Je_rel32_64 }
            }
            Kind::Loop => {
                self.code.reg(dec, register);
                C::Jne_rel32_64
            }
            _ => {
                self.code.regs(test, register, register);
                C::Je_rel32_64
            }
        };
        let label = self.taken(op);
        self.code.jump(jump, label);
        self.code.bind(over);
    }
}

/// The conditional jumps, by the condition's number in an instruction.
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
