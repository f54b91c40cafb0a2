//! The programs in memory: the first one, those that it executes, and resident ones.
//!
//! An executed program is detected at its first instruction, when DS is its PSP. Structures of DOS
//! in guest memory (the block before the PSP, the path after the environment) give its size and
//! name.

use super::processes::{Lookup, Process};
use super::program::{Program, SourcePlace};
use oxbox_cpu::Cpu;
use oxbox_machine::hardware::{Hardware, linear};
use oxbox_machine::machine::Machine;
use std::fmt;

/// A loaded program, its name, and its address range.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) name: String,
    pub(super) program: Program,
    pub(super) image: Vec<u8>,
    /// Linear address of the first byte.
    first: u32,
    end: u32,
}

/// The loaded programs in the order of loading, including ended ones.
pub struct Programs {
    loaded: Vec<Loaded>,
    /// The index of the last program found.
    latest: usize,
    lookup: Lookup,
    /// Whether EXEC was called: the next instruction may be the first of a new program.
    expects_child: bool,
}

impl fmt::Debug for Programs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Programs").field("loaded", &self.loaded).finish_non_exhaustive()
    }
}

impl Programs {
    /// Creates the list with the program that a machine has just loaded. `lookup` finds the
    /// programs that it executes.
    pub fn new(name: &str, program: Program, machine: &Machine, lookup: Lookup) -> Programs {
        let mut programs = Programs { loaded: Vec::new(), latest: 0, lookup, expects_child: false };
        programs.add(name.to_owned(), program, machine.hardware());
        programs
    }

    fn add(&mut self, name: String, program: Program, hw: &Hardware) {
        let first = program.base();
        let end = first + program.length().min(0x11_0000);
        let image = hw.memory.read_bytes(first, (end - first) as usize);
        self.latest = self.loaded.len();
        self.loaded.push(Loaded { name, program, image, first, end });
    }

    /// Must be called before each service, because EXEC may start a program.
    pub fn serve(&mut self, vector: u8, cpu: &Cpu) {
        self.expects_child |= vector == 0x21 && cpu.regs.ah() == 0x4B;
    }

    /// Must be called before each instruction, or after each service. Detects a new program.
    #[inline]
    pub fn see(&mut self, cpu: &Cpu, hw: &Hardware) {
        if self.expects_child && cpu.regs.cs() != oxbox_machine::firmware::ROM_SEGMENT {
            self.meet(cpu, hw);
        }
    }

    fn meet(&mut self, cpu: &Cpu, hw: &Hardware) {
        self.expects_child = false;
        let Some(process) = Process::current_in(hw).filter(|process| process.psp == cpu.regs.ds()) else {
            return;
        };
        let is_it = |loaded: &Loaded| loaded.program.psp() == process.psp && loaded.name == process.name();
        if self.loaded.last().is_some_and(is_it) {
            return;
        }
        let size = process.bytes.saturating_sub(0x100) as usize;
        let symbols = (self.lookup)(&process.path).unwrap_or_default().symbols;
        let name = process.name().to_owned();
        self.add(name, Program::new(symbols, &cpu.regs, size), hw);
    }

    /// Returns the index of the program that contains a linear address: the last one loaded there.
    #[inline]
    pub(super) fn at(&mut self, address: u32) -> Option<usize> {
        let is_of = |loaded: &Loaded| (loaded.first..loaded.end).contains(&address);
        if self.latest + 1 == self.loaded.len() && is_of(&self.loaded[self.latest]) {
            return Some(self.latest);
        }
        self.latest = self.loaded.iter().rposition(is_of)?;
        Some(self.latest)
    }

    pub(super) fn loaded(&self) -> &[Loaded] {
        &self.loaded
    }

    pub(super) fn place(&mut self, cs: u16, ip: u16) -> Option<SourcePlace> {
        let number = self.at(linear(cs, ip))?;
        self.loaded[number].program.place(cs, ip)
    }

    pub(super) fn program(&mut self, cs: u16, ip: u16) -> Option<&Program> {
        let number = self.at(linear(cs, ip))?;
        self.loaded.get(number).map(|loaded| &loaded.program)
    }

    /// Formats a place as `file:line`, or CS:IP.
    pub(super) fn place_text(&mut self, cs: u16, ip: u16) -> String {
        match self.place(cs, ip) {
            Some(place @ SourcePlace { line: Some(_), .. }) => place.to_string(),
            _ => format!("{cs:04X}:{ip:04X}"),
        }
    }
}
