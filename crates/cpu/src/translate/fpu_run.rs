//! Runs of coprocessor instructions on the host's x87.
//!
//! A run is a sequence of translated coprocessor instructions without others between them. It loads a
//! register onto the host's stack when it first needs it, and calculates there. At its end it checks
//! the exceptions of the whole run, and stores the registers that have changed. Until then nothing has
//! changed for the guest: if a register is empty or full, an operand is not in plain memory, or there
//! is an exception other than an inexact result, the handler of the run's first instruction takes over.
//! So a run ends with a store to memory.
//!
//! R14 holds the address of the coprocessor's state during a run, and the granule flags otherwise.
//! Within a run registers have numbers relative to the stack top at its beginning, modulo 8.

use iced_x86::{Code as C, Register as R};

use super::codegen::Body;
use super::context::offset;
use super::emit::{Label, at, scaled};
use super::fpu_stack::{Codes, HostValue, Run};
use super::kind::Kind;
use super::registers::{CONTEXT, GRANULE_FLAGS, HOST};
use super::strings::{accumulator, store_code};
use crate::bus::Bus;
use crate::fpu::status::{C1, CODES, EXCEPTIONS, PE};
use crate::fpu::{Format, Fpu, field};
use crate::op::Op;

/// Holds the address of the coprocessor's state.
pub(super) const STATE: R = R::R14;
/// Base-2 logarithm of the size of a register in the state, in bytes.
const REGISTER_BITS: i32 = Fpu::REGISTER_BYTES.ilog2() as i32;
/// The most values on the host's stack before an instruction, which needs up to two more.
const MOST_HELD: usize = 6;

impl<B: Bus> Body<'_, B> {
    /// Whether an instruction may be part of a run that has begun.
    pub(super) fn continues_run(&self, number: usize) -> bool {
        match self.plans[number].kind {
            Kind::Coprocessor(op) => op.is_calculation(),
            Kind::Wait | Kind::Nothing => true,
            _ => false,
        }
    }

    /// Begins an instruction: begins a run unless there is one with room on the host's stack.
    pub(super) fn begin_in_run(&mut self, number: usize) {
        if self.run.as_ref().is_some_and(|run| run.held.len() > MOST_HELD) {
            self.end_run();
        }
        if let Some(run) = &mut self.run {
            run.last = number;
            return;
        }
        let handler = self.bail_out(number);
        self.prepare(handler);
        self.run = Some(Run {
            handler,
            held: Vec::new(),
            top: 0,
            stored_tags: [None; 8],
            tags: [None; 8],
            may_raise: false,
            codes: Codes::Exact,
            last: number,
            has_operand: false,
            stored: None,
            refusals: [None; 9],
        });
    }

    /// Loads the address of the state. The first run of a visit prepares the host's x87.
    fn prepare(&mut self, unusable: Label) {
        let ready = self.code.label();
        self.code.load(C::Mov_r64_rm64, STATE, CONTEXT, offset::FPU_READY);
        self.code.regs(C::Test_rm64_r64, STATE, STATE);
        self.code.jump(C::Jne_rel32_64, ready);
        self.code.jump_to(C::Call_rel32_64, self.exits.routines.fpu.prepare);
        self.code.regs(C::Test_rm64_r64, STATE, STATE);
        self.code.jump(C::Je_rel32_64, unusable);
        self.code.bind(ready);
    }

    /// Returns the label that refuses the run as it is now.
    pub(super) fn refused(&mut self) -> Label {
        let Some(run) = &mut self.run else {
            self.code.poison();
            return self.entry;
        };
        *run.refusals[run.held.len().min(8)].get_or_insert_with(|| self.code.label())
    }

    /// Ends an instruction whose host instruction has just been emitted.
    pub(super) fn finish(&mut self, codes: Codes, may_raise: bool) {
        if let Some(run) = &mut self.run {
            run.codes = codes;
            run.may_raise |= may_raise;
        }
    }

    pub(super) fn note_operand(&mut self) {
        if let Some(run) = &mut self.run {
            run.has_operand = true;
        }
    }

    /// Ends the run, if there is one (then the flags are saved): checks its exceptions and changes the guest's state.
    pub(super) fn end_run(&mut self) {
        if self.run.is_none() {
            return;
        }
        let refused = self.refused();
        let Some(run) = self.run.take() else { return };
        self.take_status(&run, refused);
        self.point(&run);
        for held in run.held.iter().rev() {
            match held.register {
                Some(register) if held.changed => self.transfer(register, C::Fstp_m80fp),
                _ => self.code.reg(C::Fstp_sti, R::ST0),
            }
        }
        self.write_tags(&run);
        if run.top != 0 {
            self.index(run.top);
            self.code.store(C::Mov_rm8_r8, STATE, field::TOP, R::DIL);
        }
        if let Some(format) = run.stored {
            self.store_value(format);
        }
        self.code.load(C::Mov_r64_rm64, GRANULE_FLAGS, CONTEXT, offset::GRANULE_FLAGS);
        self.ended_runs.push(run);
    }

    /// Emits the ways to the handlers: each empties the host's stack.
    pub(super) fn write_refusals(&mut self) {
        for Run { handler, refusals: labels, .. } in std::mem::take(&mut self.ended_runs) {
            let Some(most) = labels.iter().rposition(Option::is_some) else { continue };
            for label in labels[1..=most].iter().rev() {
                if let Some(label) = label {
                    self.code.bind(*label);
                }
                self.code.reg(C::Fstp_sti, R::ST0);
            }
            if let Some(label) = labels[0] {
                self.code.bind(label);
            }
            self.code.jump(C::Jmp_rel32_64, handler);
        }
    }

    /// Refuses exceptions, and updates the status word. The host's PE stays set from earlier runs of the
    /// visit, which set the guest's.
    fn take_status(&mut self, run: &Run, refused: Label) {
        let status = at(STATE, field::STATUS);
        if !run.may_raise {
            return self.code.memory_imm(C::And_rm16_imm16, status, !C1);
        }
        self.code.reg(C::Fnstsw_AX, R::AX);
        self.code.imm(C::Test_rm8_imm8, R::AL, EXCEPTIONS);
        self.code.jump(C::Jne_rel32_64, refused);
        let (cleared, taken) = match run.codes {
            Codes::Exact => (C1, PE),
            Codes::Rounded => (C1, C1 | PE),
            Codes::Compared => (CODES, CODES | PE),
        };
        self.code.imm(C::And_rm32_imm32, R::EAX, taken);
        self.code.load(C::Movzx_r32_rm16, R::EDI, STATE, field::STATUS);
        self.code.imm(C::And_rm32_imm32, R::EDI, !cleared);
        self.code.regs(C::Or_r32_rm32, R::EDI, R::EAX);
        self.code.store(C::Mov_rm16_r16, STATE, field::STATUS, R::DI);
    }

    /// Records the addresses of the last instruction and of the last operand in memory.
    fn point(&mut self, run: &Run) {
        let guest = &self.decoded[run.last].op;
        let code = self.linear_ip(guest);
        let opcode = (guest.imm & 0x07FF) as i32;
        self.code.memory_imm(C::Mov_rm32_imm32, at(STATE, field::CODE), code as i32);
        self.code.memory_imm(C::Mov_rm16_imm16, at(STATE, field::OPCODE), opcode);
        if run.has_operand {
            self.code.load(C::Mov_r32_rm32, R::EAX, CONTEXT, offset::PLACE);
            self.code.store(C::Mov_rm32_r32, STATE, field::DATA, R::EAX);
        }
    }

    /// Returns the linear address of an instruction.
    pub(super) fn linear_ip(&self, guest: &Op<B>) -> u32 {
        (u32::from(self.selector()) << 4) + guest.ip
    }

    fn write_tags(&mut self, run: &Run) {
        let changed = (0..8u8).filter_map(|register| {
            let [now, stored] = [run.tags, run.stored_tags].map(|tags| tags[usize::from(register)]);
            (now != stored).then_some((register, now?))
        });
        let changed: Vec<(u8, bool)> = changed.collect();
        if changed.is_empty() {
            return;
        }
        self.code.load(C::Movzx_r32_rm8, R::EAX, STATE, field::FILLED);
        for (register, filled) in changed {
            self.index(register);
            self.code.regs(if filled { C::Bts_rm32_r32 } else { C::Btr_rm32_r32 }, R::EAX, R::EDI);
        }
        self.code.store(C::Mov_rm8_r8, STATE, field::FILLED, R::AL);
    }

    /// Stores the context's value at RSI.
    fn store_value(&mut self, format: Format) {
        self.code.load(C::Mov_r64_rm64, R::RAX, CONTEXT, offset::FPU_SCRATCH);
        let (code, register) = match format.bytes() as u32 {
            bytes @ (2 | 4) => (store_code(bytes), accumulator(bytes)),
            _ => (C::Mov_rm64_r64, R::RAX),
        };
        self.code.store(code, HOST, 0, register);
        if format == Format::Extended {
            self.code.load(C::Movzx_r32_rm16, R::EAX, CONTEXT, offset::FPU_SCRATCH + 8);
            self.code.store(C::Mov_rm16_r16, HOST, 8, R::AX);
        }
    }

    /// Loads the index of a register in the state into EDI: always below 8, also if the state was read
    /// from a damaged file.
    pub(super) fn index(&mut self, register: u8) {
        self.code.load(C::Movzx_r32_rm8, R::EDI, STATE, field::TOP);
        if register != 0 {
            self.code.load(C::Lea_r32_m, R::EDI, R::RDI, register.into());
        }
        self.code.imm(C::And_rm32_imm8, R::EDI, 7);
    }

    /// Loads a register from the state, or stores it there and pops.
    fn transfer(&mut self, register: u8, code: C) {
        self.index(register);
        self.code.imm(C::Shl_rm32_imm8, R::EDI, REGISTER_BITS);
        self.code.memory(code, scaled(STATE, R::RDI, 1, field::REGISTERS));
    }

    /// Refuses the run unless ST(i) holds a value, or holds none. Changes EAX and EDI.
    pub(super) fn require(&mut self, i: u8, filled: bool) {
        let refused = self.refused();
        let Some(run) = &mut self.run else { return };
        let register = run.number(i);
        let place = usize::from(register);
        match run.tags[place] {
            Some(known) if known == filled => {}
            Some(_) => self.code.jump(C::Jmp_rel32_64, refused),
            None => {
                (run.tags[place], run.stored_tags[place]) = (Some(filled), Some(filled));
                self.index(register);
                self.code.load(C::Movzx_r32_rm8, R::EAX, STATE, field::FILLED);
                self.code.regs(C::Bt_rm32_r32, R::EAX, R::EDI);
                self.code.jump(if filled { C::Jae_rel32_64 } else { C::Jb_rel32_64 }, refused);
            }
        }
    }

    /// Loads ST(i) onto the host's stack if it is not there. Changes EAX and EDI.
    pub(super) fn hold(&mut self, i: u8) {
        self.require(i, true);
        let Some(run) = &mut self.run else { return };
        let register = run.number(i);
        if run.place(register).is_none() {
            run.held.push(HostValue { register: Some(register), changed: false });
            self.transfer(register, C::Fld_m80fp);
        }
    }

    /// Loads ST(i) onto the host's stack, and a copy of it. Changes EAX and EDI.
    pub(super) fn copy(&mut self, i: u8) {
        self.hold(i);
        let from = self.host_register(i);
        self.code.reg(C::Fld_sti, from);
    }

    /// Returns the host's register that holds ST(i).
    pub(super) fn host_register(&mut self, i: u8) -> R {
        let found = self.run.as_ref().and_then(|run| Some(run.host_register(run.place(run.number(i))?)));
        found.unwrap_or_else(|| {
            self.code.poison();
            R::ST0
        })
    }

    /// Brings ST(0), which is held, to the top of the host's stack.
    pub(super) fn surface(&mut self) {
        let Some(run) = &mut self.run else { return self.code.poison() };
        let Some(place) = run.place(run.top) else { return self.code.poison() };
        let last = run.held.len() - 1;
        if place != last {
            let register = run.host_register(place);
            run.held.swap(place, last);
            self.code.regs(C::Fxch_st0_sti, R::ST0, register);
        }
    }

    /// Marks ST(i), which is held, as changed.
    pub(super) fn mark_changed(&mut self, i: u8) {
        if let Some(run) = &mut self.run
            && let Some(place) = run.place(run.number(i))
        {
            run.held[place].changed = true;
        }
    }

    /// Pushes the value on top of the host's stack. ST(7) holds none.
    pub(super) fn push_held(&mut self) {
        if let Some(run) = &mut self.run {
            run.top = run.number(7);
            run.add(run.top);
        }
    }

    /// Makes the value on top of the host's stack that of ST(i).
    pub(super) fn assign(&mut self, i: u8) {
        if let Some(run) = &mut self.run {
            run.add(run.number(i));
        }
    }

    /// Exchanges ST(0) and ST(i), which are held.
    pub(super) fn exchange_held(&mut self, i: u8) {
        let Some(run) = &mut self.run else { return self.code.poison() };
        let (Some(a), Some(b)) = (run.place(run.top), run.place(run.number(i))) else {
            return self.code.poison();
        };
        (run.held[a].register, run.held[b].register) = (run.held[b].register, run.held[a].register);
        (run.held[a].changed, run.held[b].changed) = (true, true);
    }

    /// Pops ST(0). The register keeps its value.
    pub(super) fn pop_held(&mut self) {
        if let Some(run) = &mut self.run {
            run.tags[usize::from(run.top)] = Some(false);
            run.top = run.number(1);
        }
    }

    /// Ends the run with a store of the context's value to RSI.
    pub(super) fn end_run_with_store(&mut self, format: Format) {
        if let Some(run) = &mut self.run {
            run.stored = Some(format);
        }
        self.end_run();
    }
}
