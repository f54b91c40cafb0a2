//! The processes in memory, read from the structures of DOS. No earlier observation is needed, so
//! the result is valid at any position of a timeline.
//!
//! Source: Ralf Brown's interrupt list, tables 01628 (memory control block) and 01378 (PSP).

use super::program::Program;
use super::symbols::Symbols;
use oxbox_machine::dos;
use oxbox_machine::hardware::vga::cp437::{self, Controls};
use oxbox_machine::hardware::{Hardware, linear};
use oxbox_machine::machine::Machine;

/// A program file and its symbols.
#[derive(Clone, Debug, Default)]
pub struct Brought {
    /// Symbols and lines; empty if unknown.
    pub symbols: Symbols,
    /// The program file.
    pub file: Vec<u8>,
}

/// Finds the file and symbols of an executed program by its path on drive C:.
pub type Lookup = Box<dyn Fn(&str) -> Option<Brought>>;

/// A process: a running program, one that waits for its child, or a resident one.
///
/// ```
/// use oxbox_inspect::Process;
/// use oxbox_machine::machine::{Config, Machine};
///
/// let mut machine = Machine::new(&Config::default())?;
/// machine.load(b"\xCD\x20", "END.COM", "")?;
/// let process = Process::current(&machine).unwrap();
/// assert_eq!(process.psp, machine.cpu().regs.ds());
/// assert!(process.path.ends_with("END.COM"));
/// assert!(Process::all(&machine).contains(&process));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Process {
    /// The segment of its PSP.
    pub psp: u16,
    /// Its path on a drive, which DOS stores after the environment.
    pub path: String,
    /// The size of its memory block in bytes, including the PSP.
    pub bytes: u32,
}

impl Process {
    /// Returns all processes, ordered by address; none if the chain of memory blocks is broken.
    pub fn all(machine: &Machine) -> Vec<Process> {
        const MOST_BLOCKS: usize = 4096;
        let hw = &machine.hardware();
        let mut found = Vec::new();
        let mut at = dos::first_block(hw);
        for _ in 0..MOST_BLOCKS {
            let last = match hw.memory.read8(linear(at, 0)) {
                b'M' => false,
                b'Z' => true,
                _ => return Vec::new(),
            };
            let psp = at.wrapping_add(1);
            // A process owns the block that contains it.
            if hw.memory.read16(linear(at, 1)) == psp {
                found.extend(Process::at(psp, hw));
            }
            let next = u32::from(psp) + u32::from(hw.memory.read16(linear(at, 3)));
            match u16::try_from(next) {
                Ok(next) if !last => at = next,
                _ => return found,
            }
        }
        found
    }

    /// Returns the current process of DOS.
    pub fn current(machine: &Machine) -> Option<Process> {
        Process::current_in(machine.hardware())
    }

    pub(super) fn current_in(hw: &Hardware) -> Option<Process> {
        Process::at(dos::current_psp(hw), hw)
    }

    fn at(psp: u16, hw: &Hardware) -> Option<Process> {
        // Each PSP starts with INT 20h.
        const SIGNATURE: u16 = 0x20CD;
        let is_psp = hw.memory.read16(linear(psp, 0)) == SIGNATURE;
        let paragraphs = u32::from(hw.memory.read16(linear(psp.wrapping_sub(1), 3)));
        is_psp.then(|| Process { psp, path: path_of(psp, hw), bytes: paragraphs * 16 })
    }

    /// Returns whether a linear address is in its memory.
    pub fn holds(&self, address: u32) -> bool {
        let first = u32::from(self.psp) * 16;
        (first..first + self.bytes).contains(&address)
    }

    /// Returns the last part of its path.
    pub fn name(&self) -> &str {
        self.path.rsplit(['\\', '/']).next().unwrap_or(&self.path)
    }

    /// Returns its program and symbols; `None` if the file is not found.
    pub fn program(&self, lookup: &Lookup) -> Option<Program> {
        let Brought { symbols, file } = lookup(&self.path)?;
        Some(Program::of_file(symbols, self.psp, &file))
    }
}

fn path_of(psp: u16, hw: &Hardware) -> String {
    const LONGEST: u16 = 0x8000;
    let environment = hw.memory.read16(linear(psp, 0x2C));
    let byte = |offset: u16| hw.memory.read8(linear(environment, offset));
    let end = (0..LONGEST).find(|&at| byte(at) == 0 && byte(at + 1) == 0);
    let Some(end) = end else { return String::new() };
    let name: Vec<u8> = (end + 4..LONGEST).map(byte).take_while(|&byte| byte != 0).take(128).collect();
    cp437::text(&name, Controls::Drawn)
}
