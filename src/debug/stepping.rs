//! Source-level steps: into, over and out of procedures, forwards and backwards.
//!
//! A step skips BIOS, DOS and hardware interrupts: their work is done before the program continues.

mod back;

use oxbox::cpu::Registers;
use oxbox::hardware::linear;
use oxbox::inspect::Place;
use oxbox::machine::{Observer, Stop, Until};

use super::debuggee::{Breakpoint, Debuggee, ROM, StopReason, halted_by};

const LONGEST_STEP: u64 = 2_000_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// One line, or one instruction if no line is known, entering procedures.
    Into,
    /// The same, without entering procedures.
    Over,
    Out,
}

impl Debuggee {
    pub(crate) fn step(&mut self, step: Step) -> StopReason {
        if step == Step::Out {
            return self.step_out();
        }
        let from = self.line_at(self.pc());
        let start = self.pc();
        loop {
            let halted = self.step_instruction(step);
            if halted != StopReason::Step {
                return halted;
            }
            let here = self.line_at(self.pc());
            // The next instruction of the same line, such as a macro's, is skipped; a loop to its
            // own start is not.
            if from.is_none() || here != from || self.pc() == start {
                return StopReason::Step;
            }
        }
    }

    /// Executes one instruction of the program, and what BIOS, DOS and interrupts do meanwhile.
    pub(crate) fn step_instruction(&mut self, step: Step) -> StopReason {
        if let Some(finale) = self.timeline.finale() {
            return halted_by(finale.clone());
        }
        let registers = self.registers().clone();
        let (ss, sp) = (registers.ss(), registers.sp());
        let here = self.pc();
        let code = self.read(here, 8);
        let instruction = Kind::of(&code);
        let next = linear(registers.cs(), (registers.ip as u16).wrapping_add(instruction.length));
        let limit =
            Until { instructions: self.timeline.machine().instructions() + LONGEST_STEP, ..Until::KEY_WAIT };
        if instruction.calls && (step == Step::Over || instruction.is_interrupt && self.goes_to_rom(&code)) {
            return self.run_to(&limit, Some((next, ss, sp)));
        }
        let before = self.timeline.position();
        self.timeline.enter_interrupt();
        if self.timeline.position() != before {
            // An interrupt runs first: to the program's position before it.
            match self.run_to(&limit, Some((here, ss, sp))) {
                StopReason::Step => {}
                other => return other,
            }
        }
        match self.timeline.step() {
            None => {}
            Some(stop) => return halted_by(stop),
        }
        if self.registers().cs() == ROM && registers.cs() != ROM {
            return self.leave_rom(&limit);
        }
        StopReason::Step
    }

    /// Whether the current INT is served by BIOS or DOS.
    fn goes_to_rom(&mut self, code: &[u8]) -> bool {
        let vector = match code {
            [0xCD, vector, ..] => *vector,
            [0xCE, ..] => 4,
            _ => 3,
        };
        let entry = self.read(u32::from(vector) * 4, 4);
        matches!(entry[..], [_, _, low, high] if u16::from_le_bytes([low, high]) == ROM)
    }

    /// Runs until the program itself continues, or its handler of an interrupt.
    fn leave_rom(&mut self, until: &Until) -> StopReason {
        let mut leave = When(|registers: &Registers| registers.cs() != ROM, false);
        match self.timeline.run(until, &mut leave) {
            Stop::Breakpoint => StopReason::Step,
            stop => halted_by(stop),
        }
    }

    fn step_out(&mut self) -> StopReason {
        let (ss, sp) = (self.registers().ss(), self.registers().sp());
        let stops: Vec<u32> = self
            .breakpoints
            .iter()
            .filter_map(|breakpoint| match breakpoint.place {
                Place::Address(address) if breakpoint.condition.is_none() => Some(address),
                _ => None,
            })
            .collect();
        let mut out = Out { ss, sp, stops, returning: false, first: true, found: false };
        let limit =
            Until { instructions: self.timeline.machine().instructions() + LONGEST_STEP, ..Until::KEY_WAIT };
        match self.timeline.run(&limit, &mut out) {
            Stop::Breakpoint => {
                let pc = self.pc();
                let at = |breakpoint: &Breakpoint| breakpoint.place == Place::Address(pc);
                self.breakpoints.iter().position(at).map_or(StopReason::Step, StopReason::Breakpoint)
            }
            stop => halted_by(stop),
        }
    }
}

/// The properties of an instruction that matter to a step.
struct Kind {
    length: u16,
    /// Whether it continues at the next instruction: a call, an interrupt, a loop to itself.
    calls: bool,
    is_interrupt: bool,
}

impl Kind {
    fn at(address: u32, read: impl Fn(u32) -> u8) -> Kind {
        Kind::of(&[0, 1, 2, 3, 4, 5, 6, 7].map(|offset| read(address + offset)))
    }

    fn of(code: &[u8]) -> Kind {
        let is = |length: u16, calls: bool, is_interrupt: bool| Kind { length, calls, is_interrupt };
        match code {
            [0xCD, ..] => is(2, true, true),
            [0xCC | 0xCE, ..] => is(1, true, true),
            [0xE8, ..] => is(3, true, false),
            [0x9A, ..] => is(5, true, false),
            [0xE2, 0xFE, ..] => is(2, true, false),
            [0x26 | 0x2E | 0x36 | 0x3E, 0xFF, rest @ ..] => match indirect_call(rest) {
                Some(length) => is(length + 1, true, false),
                None => is(1, false, false),
            },
            [0xFF, rest @ ..] => match indirect_call(rest) {
                Some(length) => is(length, true, false),
                None => is(1, false, false),
            },
            _ => is(1, false, false),
        }
    }
}

/// Returns the length of `FF /2` and `FF /3`.
fn indirect_call(rest: &[u8]) -> Option<u16> {
    let modrm = *rest.first()?;
    if !matches!(modrm >> 3 & 7, 2 | 3) {
        return None;
    }
    Some(match (modrm >> 6, modrm & 7) {
        (0, 6) | (2, _) => 4,
        (1, _) => 3,
        _ => 2,
    })
}

/// Stops at the first instruction for which a condition is true.
struct When<F>(F, bool);

impl<F: FnMut(&Registers) -> bool> Observer for When<F> {
    const EVERY_INSTRUCTION: bool = true;

    fn instruction(&mut self, cpu: &oxbox::cpu::Cpu, _: &oxbox::hardware::Hardware) {
        self.1 = (self.0)(&cpu.regs);
    }

    fn wants_stop(&self) -> bool {
        self.1
    }
}

/// Stops after the return from the current procedure, or at an address.
struct Out {
    ss: u16,
    sp: u16,
    stops: Vec<u32>,
    returning: bool,
    first: bool,
    found: bool,
}

impl Observer for Out {
    const EVERY_INSTRUCTION: bool = true;

    fn instruction(&mut self, cpu: &oxbox::cpu::Cpu, hw: &oxbox::hardware::Hardware) {
        let registers = &cpu.regs;
        let here = linear(registers.cs(), registers.ip as u16);
        let returned = self.returning && registers.ss() == self.ss && registers.sp() > self.sp;
        self.found = returned && registers.cs() != ROM || !self.first && self.stops.contains(&here);
        self.first = false;
        self.returning = matches!(hw.memory.read8(here), 0xC2 | 0xC3 | 0xCA | 0xCB | 0xCF);
    }

    fn wants_stop(&self) -> bool {
        self.found
    }
}
