//! The processes that are in memory at a moment, as DOS keeps them there: no look at what came before is needed, so that it is right
//! at any moment of a history.
//!
//! Source: Ralf Brown's interrupt list, tables 01628 (memory control block) and 01378 (PSP).

use super::program::Program;
use super::symbols::Symbols;
use oxbox_machine::dos;
use oxbox_machine::hardware::vga::cp437::{self, Controls};
use oxbox_machine::hardware::{Hardware, linear};
use oxbox_machine::machine::Machine;

/// A program that was found, and what is known of it.
#[derive(Clone, Debug, Default)]
pub struct Brought {
    /// Names and lines; empty where nothing is known.
    pub symbols: Symbols,
    /// The program file.
    pub file: Vec<u8>,
}

/// Where executed programs, their names and their lines come from, by their paths on drive C:.
pub type Lookup = Box<dyn Fn(&str) -> Option<Brought>>;

/// A process: a program that runs, waits for the end of another, or stays resident.
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
    /// Its path on a drive, as DOS notes it behind the environment.
    pub path: String,
    /// Bytes of its memory block, the PSP among them.
    pub bytes: u32,
}

impl Process {
    /// All of them, by their addresses; none where the chain of memory blocks is broken.
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
            // A process owns the block that it stands in.
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

    /// The one that DOS works for.
    pub fn current(machine: &Machine) -> Option<Process> {
        Process::current_in(machine.hardware())
    }

    pub(super) fn current_in(hw: &Hardware) -> Option<Process> {
        Process::at(dos::current_psp(hw), hw)
    }

    fn at(psp: u16, hw: &Hardware) -> Option<Process> {
        // Each PSP begins with INT 20h.
        const SIGNATURE: u16 = 0x20CD;
        let is_psp = hw.memory.read16(linear(psp, 0)) == SIGNATURE;
        let paragraphs = u32::from(hw.memory.read16(linear(psp.wrapping_sub(1), 3)));
        is_psp.then(|| Process { psp, path: path_of(psp, hw), bytes: paragraphs * 16 })
    }

    /// Whether a linear address lies in its memory.
    pub fn holds(&self, address: u32) -> bool {
        let first = u32::from(self.psp) * 16;
        (first..first + self.bytes).contains(&address)
    }

    /// The last part of its path.
    pub fn name(&self) -> &str {
        self.path.rsplit(['\\', '/']).next().unwrap_or(&self.path)
    }

    /// Its program, with what is known of it; None when its file is not found.
    pub fn program(&self, lookup: &Lookup) -> Option<Program> {
        let Brought { symbols, file } = lookup(&self.path)?;
        Some(Program::of_file(symbols, self.psp, &file))
    }
}

/// The path that stands behind the environment of a process.
fn path_of(psp: u16, hw: &Hardware) -> String {
    const LONGEST: u16 = 0x8000;
    let environment = hw.memory.read16(linear(psp, 0x2C));
    let byte = |offset: u16| hw.memory.read8(linear(environment, offset));
    let end = (0..LONGEST).find(|&at| byte(at) == 0 && byte(at + 1) == 0);
    let Some(end) = end else { return String::new() };
    let name: Vec<u8> = (end + 4..LONGEST).map(byte).take_while(|&byte| byte != 0).take(128).collect();
    cp437::text(&name, Controls::Drawn)
}
