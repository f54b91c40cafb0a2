//! Mistakes that a program survives: each is found at the instruction that makes it, and told once per place.

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

/// A mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is about.
    pub kind: Kind,
    /// Which mistake of its kind it is, as `loop-zero`: a word for filters and baselines.
    pub id: &'static str,
    /// CS and IP of the instruction.
    pub at: (u16, u16),
    /// Its place in the source, if that is known.
    pub place: Option<SourcePlace>,
    /// What happened, in one sentence.
    pub text: String,
    /// What to do.
    pub help: String,
    /// Another place that has to do with it, if it is known, and what happened there.
    pub note: Option<(SourcePlace, &'static str)>,
    /// How often it happened there.
    pub times: u32,
}

impl fmt::Display for Finding {
    /// `file:line: mistake[stack]: text`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place @ SourcePlace { line: Some(_), .. }) => write!(f, "{place}")?,
            _ => write!(f, "{:04X}:{:04X}", self.at.0, self.at.1)?,
        }
        write!(f, ": mistake[{}]: {}", self.kind.name(), self.text)
    }
}

/// Looks for mistakes while a program runs.
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
    /// While an interrupt of the hardware is served nothing else is checked.
    handlers: Handlers,
    hooks: Hooks,
    /// The numbers of findings, by what and where they are.
    known: BTreeMap<(&'static str, (u16, u16)), usize>,
    findings: Vec<Finding>,
}

/// Findings of a run that are kept.
const MOST_FINDINGS: usize = 100;

impl Check {
    /// Of a program that begins now.
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

    /// The mistakes in the order in which they were made.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Before an instruction.
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
        // A far RET at an EXE program's end leads to the INT 20h in its PSP.
        let is_exit = ip == 0 && programs.loaded().iter().any(|loaded| loaded.program.psp() == cs);
        // Data that are executed are no program: what they do is no mistake of their own.
        let is_code =
            |program: &&Program| is_exit || program.is_code(cs, ip) || program.variable_at(cs, ip).is_none();
        let segment = if is_exit { cs.wrapping_add(0x10) } else { cs };
        let Some(program) = programs.program(segment, ip).filter(is_code) else {
            // Code that was made at run time, or somebody else's: nothing is known of its calls.
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

    /// Before an interrupt of the hardware is delivered.
    pub fn interrupt(&mut self, vector: u8, cpu: &Cpu) {
        self.handlers.interrupt(vector, cpu);
    }

    fn tell(&mut self, programs: &mut Programs, found: Found) {
        let Found { kind, id, at, text, note, help } = found;
        if let Some(number) = self.known.get(&(id, at)) {
            self.findings[*number].times += 1;
            return;
        }
        // A program that runs into its data or its PSP makes no mistake there that is worth a word.
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
