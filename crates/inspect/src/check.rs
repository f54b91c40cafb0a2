//! Detects mistakes that a program survives, at the instruction that makes them, once per place.

mod arguments;
mod facts;
mod handlers;
mod kinds;
mod loops;
mod registers;
mod segments;
mod services;
mod sight;
mod stack;

pub use kinds::{Kind, Kinds, UnknownKind};

use super::program::{Program, SourcePlace};
use super::programs::Programs;
use arguments::Arguments;
use facts::Facts;
use handlers::{Handlers, Hooks};
use loops::Loops;
use oxbox_cpu::Cpu;
use oxbox_machine::firmware::ROM_SEGMENT;
use oxbox_machine::hardware::Hardware;
use registers::Registers;
use segments::Segments;
use services::Services;
use sight::{Found, Sight};
use stack::Stack;
use std::collections::BTreeMap;
use std::fmt;

/// A mistake in a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The kind of mistake.
    pub kind: Kind,
    /// The identifier within the kind, such as `loop-zero`, for filters and baselines.
    pub id: &'static str,
    /// CS and IP of the instruction.
    pub at: (u16, u16),
    /// The place in the source, if known.
    pub place: Option<SourcePlace>,
    /// One sentence that describes the mistake.
    pub text: String,
    /// The repair.
    pub help: String,
    /// A related place, if known, and its role.
    pub note: Option<(SourcePlace, &'static str)>,
    /// The number of occurrences at this place.
    pub times: u32,
}

impl fmt::Display for Finding {
    /// Formats as `file:line: mistake[stack]: text`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place @ SourcePlace { line: Some(_), .. }) => write!(f, "{place}")?,
            _ => write!(f, "{:04X}:{:04X}", self.at.0, self.at.1)?,
        }
        write!(f, ": mistake[{}]: {}", self.kind.name(), self.text)
    }
}

/// An observer that detects mistakes while a program runs.
#[derive(Debug)]
pub struct Check {
    kinds: Kinds,
    facts: Facts,
    arguments: Arguments,
    segments: Segments,
    services: Services,
    loops: Loops,
    stack: Stack,
    registers: Registers,
    /// During a hardware interrupt nothing else is checked.
    handlers: Handlers,
    hooks: Hooks,
    /// The indices of findings, by identifier and place.
    known: BTreeMap<(&'static str, (u16, u16)), usize>,
    findings: Vec<Finding>,
}

const MOST_FINDINGS: usize = 100;

impl Check {
    /// Creates a checker for a program that starts now.
    pub fn new(kinds: Kinds, programs: &Programs) -> Check {
        Check {
            kinds,
            facts: Facts::new(),
            arguments: Arguments::default(),
            segments: Segments::default(),
            services: Services::default(),
            loops: Loops::default(),
            stack: Stack::new(programs.loaded().first().map(|loaded| &loaded.program)),
            registers: Registers::default(),
            handlers: Handlers::default(),
            hooks: Hooks::default(),
            known: BTreeMap::new(),
            findings: Vec::new(),
        }
    }

    /// Returns the mistakes in the order of their first occurrence.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Called before an instruction.
    pub fn instruction(&mut self, programs: &mut Programs, cpu: &Cpu, hw: &Hardware) {
        let (cs, ip) = (cpu.regs.cs(), cpu.regs.ip as u16);
        if self.handlers.is_serving(cpu) {
            if cs != ROM_SEGMENT && programs.program(cs, ip).is_some() {
                self.handlers.serve((cs, ip));
            }
            return;
        }
        if let Some(found) = self.handlers.end(cpu, hw.interrupts_in_service()) {
            self.tell(programs, found);
        }
        if cs == ROM_SEGMENT {
            return;
        }
        // A far RET at the end of an EXE program leads to the INT 20h in its PSP.
        let is_exit = ip == 0 && programs.loaded().iter().any(|loaded| loaded.program.psp() == cs);
        // Executed data are not a program, and have no mistakes of their own.
        let is_code =
            |program: &&Program| is_exit || program.is_code(cs, ip) || program.variable_at(cs, ip).is_none();
        let segment = if is_exit { cs.wrapping_add(0x10) } else { cs };
        let Some(program) = programs.program(segment, ip).filter(is_code) else {
            // Code that was generated at run time, or that belongs to another program: its calls
            // are unknown.
            self.services.forget();
            self.stack.forget();
            self.registers.forget();
            return;
        };
        let sight = Sight { fact: self.facts.at(cpu, hw), cpu, hw, at: (cs, ip) };
        let found = [
            self.hooks.instruction(&sight, program.psp()),
            self.segments.instruction(&sight, program),
            self.arguments.instruction(&sight),
            self.services.instruction(&sight),
            self.loops.instruction(&sight),
            self.stack.instruction(&sight),
            self.registers.instruction(&sight),
        ];
        for found in found.into_iter().flatten() {
            self.tell(programs, found);
        }
    }

    /// Called before a hardware interrupt is delivered.
    pub fn interrupt(&mut self, vector: u8, cpu: &Cpu) {
        self.handlers.interrupt(vector, cpu);
    }

    fn tell(&mut self, programs: &mut Programs, found: Found) {
        let Found { kind, id, at, text, note, help } = found;
        if let Some(number) = self.known.get(&(id, at)) {
            self.findings[*number].times += 1;
            return;
        }
        // A program that executes its data or its PSP makes no further mistake worth reporting.
        let is_exit = |program: &Program| at == (program.psp(), 0);
        let is_meant = |program: &Program| is_exit(program) || program.is_code(at.0, at.1);
        let is_told = self.kinds.has(kind) && self.findings.len() < MOST_FINDINGS;
        if !is_told || !programs.program(at.0, at.1).is_none_or(is_meant) {
            return;
        }
        self.known.insert((id, at), self.findings.len());
        let text = match note {
            Some(((cs, ip), _)) => text.replace("{place}", &programs.place_text(cs, ip)),
            None => text,
        };
        let note = note.and_then(|((cs, ip), what)| Some((programs.place(cs, ip)?, what)));
        let (place, help) = (programs.place(at.0, at.1), help.to_owned());
        self.findings.push(Finding { kind, id, at, place, text, help, note, times: 1 });
    }
}
