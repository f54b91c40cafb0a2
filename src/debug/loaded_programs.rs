//! The programs in the debugged machine's memory, with their symbols: the program that was started,
//! those that it has executed, and resident ones.
//!
//! They are found in the guest's memory at every request, so the result is correct at every
//! position in the machine's history.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use oxbox::inspect::expression::Named;
use oxbox::inspect::{Lookup, Process, Program, SourceLine, Symbol, named};
use oxbox::machine::Machine;

pub(super) struct LoadedPrograms {
    main: Rc<Program>,
    lookup: Lookup,
    found: RefCell<HashMap<Process, Option<Rc<Program>>>>,
}

impl LoadedPrograms {
    pub(super) fn new(main: Program, lookup: Lookup) -> LoadedPrograms {
        LoadedPrograms { main: Rc::new(main), lookup, found: RefCell::default() }
    }

    fn program(&self, process: &Process) -> Option<Rc<Program>> {
        if process.psp == self.main.psp() {
            return Some(self.main.clone());
        }
        let mut found = self.found.borrow_mut();
        if let Some(program) = found.get(process) {
            return program.clone();
        }
        let program = process.program(&self.lookup).map(Rc::new);
        found.insert(process.clone(), program.clone());
        program
    }

    pub(super) fn running(&self, machine: &Machine) -> Rc<Program> {
        let process = Process::current(machine);
        process.and_then(|process| self.program(&process)).unwrap_or_else(|| self.main.clone())
    }

    /// Returns all programs, the running one first.
    pub(super) fn all(&self, machine: &Machine) -> Vec<Rc<Program>> {
        let mut programs = vec![self.running(machine), self.main.clone()];
        programs.extend(Process::all(machine).iter().filter_map(|process| self.program(process)));
        let mut seen = Vec::new();
        programs.retain(|program| {
            let is_new = !seen.contains(&program.psp());
            seen.push(program.psp());
            is_new
        });
        programs
    }

    /// Returns the program whose memory contains a linear address.
    pub(super) fn at(&self, machine: &Machine, address: u32) -> Option<Rc<Program>> {
        if is_in(&self.main, address) {
            return Some(self.main.clone());
        }
        let process = Process::all(machine).into_iter().find(|process| process.holds(address));
        let program = match process {
            Some(process) => self.program(&process)?,
            None => self.main.clone(),
        };
        is_in(&program, address).then_some(program)
    }

    pub(super) fn line_at<T>(
        &self,
        machine: &Machine,
        address: u32,
        told: impl FnOnce(SourceLine) -> T,
    ) -> Option<T> {
        let program = self.at(machine, address)?;
        program.symbols().line_at(address.checked_sub(program.base())?).map(told)
    }

    /// Returns the name at or before a linear address, and the distance.
    pub(super) fn symbol_at(&self, machine: &Machine, address: u32) -> Option<(String, u32)> {
        let program = self.at(machine, address)?;
        let (symbol, past) = program.symbols().symbol_at(address.checked_sub(program.base())?)?;
        Some((symbol.name.clone(), past))
    }

    pub(super) fn named(&self, machine: &Machine, name: &str) -> Option<Named> {
        self.all(machine).iter().find_map(|program| named(program.symbols(), program.base(), name))
    }
}

/// Whether a linear address is in a program's loaded image, or the uninitialised data after it.
fn is_in(program: &Program, address: u32) -> bool {
    let last = program.symbols().symbols().last().map_or(0, Symbol::address);
    let end = (program.base() + program.length()).max(program.base() + last + 0x100);
    (program.base()..end).contains(&address)
}
