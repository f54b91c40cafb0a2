//! Steps of a program by instructions, forwards and backwards: into, over and out of procedures.
//!
//! A step skips BIOS, DOS and hardware interrupts: their work is done before the program continues.

use super::access::{instruction_at, interrupt_of};
use super::breakpoints::{Breakpoints, Holds, Place, StopReason};
use super::disassembly::{bytes_from, decode};
use super::writers::last_moment;
use iced_x86::{FlowControl, Instruction, Mnemonic};
use oxbox_cpu::{Cpu, Registers};
use oxbox_machine::hardware::{Hardware, linear};
use oxbox_machine::machine::{Machine, Observer, Stop, Timeline, Until};

/// The segment of the system's ROM: BIOS, DOS and the first instructions of interrupts.
pub const ROM: u16 = 0xF000;

/// The kind of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// One instruction, entering procedures.
    Into,
    /// One instruction, and everything that it calls.
    Over,
    /// To the return from the current procedure; backwards, to its call.
    Out,
}

/// A program that is stepped, with breakpoints at which a step stops early.
///
/// ```
/// use oxbox_inspect::{StepKind, Stepper, StopReason};
/// use oxbox_machine::machine::{Config, Machine, Timeline};
///
/// let mut machine = Machine::new(&Config::default())?;
/// // call 106h; int 20h; nop; inc ax; ret
/// machine.load(b"\xE8\x03\x00\xCD\x20\x90\x40\xC3", "CALL.COM", "")?;
/// let mut timeline = Timeline::new(machine, 1 << 20);
/// let mut stepper = Stepper::new(&mut timeline, &[], &|_, _| true, 1_000_000);
/// assert_eq!(stepper.step(StepKind::Over), StopReason::Step);
/// assert_eq!(stepper.step_back(StepKind::Into), StopReason::Step);
/// assert_eq!(timeline.machine().cpu().regs.ip, 0x107);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Stepper<'a> {
    timeline: &'a mut Timeline,
    places: &'a [Place],
    holds: Holds<'a>,
    longest: u64,
}

impl<'a> Stepper<'a> {
    /// Creates the stepper of a program with breakpoints at `places`, each of which counts if it
    /// `holds`. A step has at most `longest` instructions.
    pub fn new(timeline: &'a mut Timeline, places: &'a [Place], holds: Holds<'a>, longest: u64) -> Self {
        Stepper { timeline, places, holds, longest }
    }

    /// Executes a step of the program, and what BIOS, DOS and interrupts do meanwhile.
    pub fn step(&mut self, kind: StepKind) -> StopReason {
        let instructions = self.timeline.machine().instructions() + self.longest;
        let limit = Until { instructions, ..Until::KEY_WAIT };
        if kind == StepKind::Out {
            return self.step_out(&limit);
        }
        if let Some(finale) = self.timeline.finale() {
            return finale.clone().into();
        }
        let registers = self.registers().clone();
        let (ss, sp, here) = (registers.ss(), registers.sp(), self.pc());
        let instruction = instruction_at(&registers, self.timeline.machine().hardware());
        let next = linear(registers.cs(), instruction.next_ip16());
        let is_service = interrupt_of(&instruction).is_some_and(|vector| self.is_in_rom(vector));
        if is_service || kind == StepKind::Over && calls(&instruction) {
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
            Some(stop) => stop.into(),
            None if self.registers().cs() == ROM => self.leave_rom(&limit),
            None => StopReason::Step,
        }
    }

    /// Steps back to where the same step forwards would have begun.
    pub fn step_back(&mut self, kind: StepKind) -> StopReason {
        let found = match kind {
            StepKind::Into => last_moment(self.timeline, |registers, _| registers.cs() != ROM).is_some(),
            StepKind::Over => self.back_over(),
            StepKind::Out => self.back_to_call(),
        };
        if found {
            return StopReason::Step;
        }
        self.timeline.go_to(self.timeline.start());
        StopReason::Beginning
    }

    /// Runs to a breakpoint.
    pub fn run(&mut self, until: &Until) -> StopReason {
        self.run_to(until, None)
    }

    /// Runs back to the breakpoint that was passed last.
    pub fn run_back(&mut self) -> StopReason {
        Breakpoints::new(self.places.to_vec()).run_back(self.timeline, self.holds)
    }

    /// Runs to a breakpoint, or to an address at which the stack has the given depth.
    fn run_to(&mut self, until: &Until, target: Option<(u32, u16, u16)>) -> StopReason {
        let (own, holds) = (self.places.len(), self.holds);
        let more = target.map(|(address, ..)| Place::Address(address));
        let breakpoints = Breakpoints::new(self.places.iter().cloned().chain(more).collect());
        let reached = breakpoints.run(self.timeline, until, &|number, machine: &mut Machine| match target {
            Some((_, ss, sp)) if number == own => {
                machine.cpu().regs.ss() == ss && machine.cpu().regs.sp() >= sp
            }
            _ => holds(number, machine),
        });
        if reached == StopReason::Breakpoint(own) { StopReason::Step } else { reached }
    }

    /// Whether BIOS or DOS serve an interrupt.
    fn is_in_rom(&mut self, vector: u8) -> bool {
        let entry = self.read(u32::from(vector) * 4, 4);
        matches!(entry[..], [_, _, low, high] if u16::from_le_bytes([low, high]) == ROM)
    }

    /// Runs until the program itself continues, or its handler of an interrupt.
    fn leave_rom(&mut self, until: &Until) -> StopReason {
        match self.timeline.run(until, &mut Leave { is_out: false }) {
            Stop::Breakpoint => StopReason::Step,
            stop => stop.into(),
        }
    }

    fn step_out(&mut self, until: &Until) -> StopReason {
        let (ss, sp) = (self.registers().ss(), self.registers().sp());
        let address = |place: &Place| if let Place::Address(address) = place { Some(*address) } else { None };
        let stops = self.places.iter().filter_map(address).collect();
        let mut out = Out { ss, sp, stops, returning: false, first: true, returned: false, found: false };
        loop {
            match self.timeline.run(until, &mut out) {
                Stop::Breakpoint => {}
                stop => return stop.into(),
            }
            let here = Place::Address(self.pc());
            let mut numbers = (0..self.places.len()).filter(|&number| self.places[number] == here);
            let machine = self.timeline.machine_mut();
            if let Some(number) = numbers.find(|&number| (self.holds)(number, machine)) {
                return StopReason::Breakpoint(number);
            }
            if out.returned {
                return StopReason::Step;
            }
            out.first = true;
        }
    }

    /// Steps back by an instruction; if it returned from a call, to before the call.
    fn back_over(&mut self) -> bool {
        let (ss, sp, now) = (self.registers().ss(), self.registers().sp(), self.timeline.position());
        if last_moment(self.timeline, |registers, _| registers.cs() != ROM).is_none() {
            return false;
        }
        let is_deeper = self.registers().sp() < sp || self.registers().ss() != ss;
        if !is_deeper || !self.read(self.pc(), 1).first().is_some_and(|&code| returns(code)) {
            return true;
        }
        self.timeline.go_to(now);
        let next = self.pc();
        let call = last_moment(self.timeline, |registers, read| {
            let here = linear(registers.cs(), registers.ip as u16);
            registers.ss() == ss && registers.sp() <= sp && {
                let instruction = instruction_from(registers, read);
                calls(&instruction) && here + instruction.len() as u32 == next
            }
        });
        call.is_some()
    }

    /// Steps back to the call of the current procedure.
    fn back_to_call(&mut self) -> bool {
        let (ss, sp) = (self.registers().ss(), self.registers().sp());
        let call = last_moment(self.timeline, |registers, read| {
            registers.ss() == ss && registers.sp() > sp && registers.cs() != ROM && {
                let flow = instruction_from(registers, read).flow_control();
                matches!(flow, FlowControl::Call | FlowControl::IndirectCall)
            }
        });
        call.is_some()
    }

    fn registers(&self) -> &Registers {
        &self.timeline.machine().cpu().regs
    }

    /// Returns the linear address of CS:IP.
    fn pc(&self) -> u32 {
        linear(self.registers().cs(), self.registers().ip as u16)
    }

    fn read(&mut self, address: u32, len: u32) -> Vec<u8> {
        self.timeline.machine_mut().read_memory(address, len)
    }
}

fn instruction_from(registers: &Registers, read: &dyn Fn(u32) -> u8) -> Instruction {
    let (cs, ip) = (registers.cs(), registers.ip as u16);
    decode(&bytes_from(read, cs, ip), ip)
}

/// Whether an instruction continues at the next one: a call, an interrupt, a loop to itself.
fn calls(instruction: &Instruction) -> bool {
    let is_loop = matches!(instruction.mnemonic(), Mnemonic::Loop | Mnemonic::Loope | Mnemonic::Loopne);
    match instruction.flow_control() {
        FlowControl::Call | FlowControl::IndirectCall | FlowControl::Interrupt => true,
        _ => is_loop && instruction.near_branch_target() == instruction.ip(),
    }
}

/// Whether an opcode is a RET, RETF or IRET.
fn returns(opcode: u8) -> bool {
    matches!(opcode, 0xC2 | 0xC3 | 0xCA | 0xCB | 0xCF)
}

/// Stops where the program continues.
struct Leave {
    is_out: bool,
}

impl Observer for Leave {
    const EVERY_INSTRUCTION: bool = true;

    fn instruction(&mut self, cpu: &Cpu, _: &Hardware) {
        self.is_out = cpu.regs.cs() != ROM;
    }

    fn wants_stop(&self) -> bool {
        self.is_out
    }
}

/// Stops after the return from the current procedure, or at an address.
struct Out {
    ss: u16,
    sp: u16,
    stops: Vec<u32>,
    returning: bool,
    first: bool,
    returned: bool,
    found: bool,
}

impl Observer for Out {
    const EVERY_INSTRUCTION: bool = true;

    fn instruction(&mut self, cpu: &Cpu, hw: &Hardware) {
        let registers = &cpu.regs;
        let here = linear(registers.cs(), registers.ip as u16);
        let returned = self.returning && registers.ss() == self.ss && registers.sp() > self.sp;
        self.returned = returned && registers.cs() != ROM;
        self.found = self.returned || !self.first && self.stops.contains(&here);
        self.first = false;
        self.returning = returns(hw.memory.read8(here));
    }

    fn wants_stop(&self) -> bool {
        self.found
    }
}
