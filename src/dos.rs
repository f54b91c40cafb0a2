//! DOS 5.00: what the traps 20h to 2Fh do; with 30h (the entry of CP/M calls), 00h (divide error) and 1Bh (Ctrl-Break).
//!
//! What programs may look at or change lies in guest memory (`layout`); the rest is in [`Dos`], which is guest state too: a clone is
//! a snapshot. A service never blocks: it leaves with an [`Outcome`], and what it needs to go on later is kept in a
//! `Level`. Source of all facts, unless said otherwise: Ralf Brown's interrupt list.

mod calls;
mod codepage;
mod console;
mod country;
mod critical;
mod drive;
mod drives;
mod error;
mod fcb;
mod files;
mod guest;
mod handles;
mod ioctl;
mod layout;
mod level;
mod loader;
mod memory;
mod multiplex;
mod names;
mod process;
mod psp;
mod search;
mod system;
mod time;

#[cfg(test)]
mod tests;

pub use drive::{GROWTH_LIMIT, PENDING_LIMIT, Stamp};
pub use loader::{LARGEST_COM, LoadError};
pub use time::Date;

use crate::{
    cpu::{Cpu, Registers},
    firmware::Outcome,
    hardware::Hardware,
};
use guest::{Far, Guest, GuestMemory};
use level::Level;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, path::PathBuf};
use thiserror::Error;

/// What DOS is to be like.
#[derive(Debug, Clone, Default)]
pub struct DosOptions {
    /// The host folder that is drive C:. None: the drive is empty and lives in memory.
    pub folder: Option<PathBuf>,
    /// Writing to the drive is denied.
    pub read_only: bool,
    /// Date and time of all files that the guest has not written, instead of the host's. With it a directory looks the same
    /// on every host.
    pub fixed_stamp: Option<Stamp>,
    /// The day at the start; 1980-01-01 when not given. The time of day is the BIOS's tick count.
    pub date: Option<Date>,
}

/// The folder that is to be drive C: cannot be read.
#[derive(Debug, Error)]
#[error("the folder {} cannot be read: {source}", folder.display())]
pub struct FolderError {
    /// As it was given.
    pub folder: PathBuf,
    /// What the host says.
    pub source: std::io::Error,
}

/// The firmware's own vectors, as they were when DOS started: a vector that differs has been taken over by a program.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Stubs(Vec<Far>);

impl Stubs {
    const COUNT: u8 = 0x31;

    fn of(&self, vector: u8) -> Far {
        self.0.get(usize::from(vector)).copied().unwrap_or_default()
    }

    fn hooked(&self, hw: &mut Hardware, vector: u8) -> bool {
        hw.vector(vector) != self.of(vector)
    }
}

/// The operating system.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Dos {
    drive: drive::Drive,
    /// Current directory of C:.
    directory: names::Path,
    files: handles::FileTable,
    console: console::Console,
    /// Services that a program's handler or a wait has interrupted, the innermost last.
    levels: Vec<Level>,
    processes: Vec<process::Process>,
    /// Days since 1980-01-01.
    days: u32,
    /// Virtual time that the host's work has taken and the guest has not seen yet, in cycles.
    owed: u64,
    /// Of function 58h.
    strategy: u8,
    /// Of function 54h.
    verify: bool,
    /// Names that function 5Ah has tried.
    temporary: u32,
    stubs: Stubs,
    notices: Vec<String>,
    noticed: BTreeSet<String>,
    exit_code: Option<u8>,
    waiting: bool,
}

/// Nested services; more are a program that leaves its handlers without returning, and the oldest are forgotten.
const MOST_LEVELS: usize = 64;

/// Virtual time that a service takes at once; the rest is added to the next ones.
const MOST_CYCLES_AT_ONCE: u64 = 50_000;

/// Virtual time that may be left to the next services. What is beyond it passes at once, so that no program runs away from it.
const MOST_CYCLES_OWED: u64 = 3_000_000;

/// Different notices that are kept.
const MOST_NOTICES: usize = 256;

impl Dos {
    /// DOS before its start.
    ///
    /// # Errors
    /// When the folder for drive C: cannot be read.
    pub fn new(options: &DosOptions) -> Result<Self, FolderError> {
        let folder = options.folder.as_deref();
        let drive = drive::Drive::open(folder, options.read_only, options.fixed_stamp)
            .map_err(|source| FolderError { folder: options.folder.clone().unwrap_or_default(), source })?;
        Ok(Dos {
            drive,
            directory: names::Path::new(),
            files: handles::FileTable::default(),
            console: console::Console::default(),
            levels: Vec::new(),
            processes: Vec::new(),
            days: options.date.and_then(Date::to_days).unwrap_or(0),
            owed: 0,
            strategy: 0,
            verify: false,
            temporary: 0,
            stubs: Stubs(Vec::new()),
            notices: Vec::new(),
            noticed: BTreeSet::new(),
            exit_code: None,
            waiting: false,
        })
    }

    /// Takes over a saved state. The folder that is drive C: stays this machine's.
    pub fn adopt(&mut self, saved: Dos) {
        let folder = self.drive.take_folder();
        *self = saved;
        self.drive.set_folder(folder);
    }

    /// Builds the structures in guest memory. The vectors 00h to 30h must point to the firmware's stubs already, and
    /// 0040:0013 tell the memory size (640 KiB if it is zero).
    pub fn init(&mut self, hw: &mut Hardware) {
        self.stubs = Stubs((0..Stubs::COUNT).map(|v| hw.vector(v)).collect());
        layout::write(hw);
        let kilobytes = match hw.word(Far::new(0x40, 0x13)) {
            size @ 128..=640 => size,
            _ => 640,
        };
        memory::init(hw, kilobytes * 64);
        self.write_shell(hw);
        self.write_cpm_vector(hw);
    }

    /// The parent of the first program: a PSP that is its own parent, with an environment and the standard handles.
    fn write_shell(&mut self, hw: &mut Hardware) {
        let shell = layout::SHELL;
        psp::create(hw, shell, shell + 0x20, shell, layout::SHELL_ENVIRONMENT);
        // Room for the frame that a program's end takes from the stack.
        hw.set_far(Far::new(shell, psp::STACK), Far::new(shell, 0x1C0));
        let strings = b"COMSPEC=C:\\COMMAND.COM\0PATH=C:\\\0PROMPT=$P$G\0\0";
        let block = psp::environment_block(strings, b"C:\\COMMAND.COM");
        hw.set_bytes(Far::new(layout::SHELL_ENVIRONMENT, 0), &block);
        hw.set_word(layout::CURRENT_PSP, shell);
        hw.set_far(layout::DTA, Far::new(shell, psp::TAIL));
        self.open_standard(hw, shell);
    }

    /// A far jump at 0000:00C0 and, for machines without the wrap at 1 MiB, at the same place above it.
    fn write_cpm_vector(&mut self, hw: &mut Hardware) {
        let stub = self.stubs.of(layout::CPM_VECTOR).to_dword().to_le_bytes();
        let jump = [0xEA, stub[0], stub[1], stub[2], stub[3]];
        hw.set_bytes(Far::new(0, u16::from(layout::CPM_VECTOR) * 4), &jump);
        hw.set_bytes(Far::new(0xFFFF, 0xD0), &jump);
    }

    /// Answers a trap of the stub of `vector` (00h, 1Bh, 20h to 30h). SS:SP points to the caller's IP, CS, FLAGS.
    pub fn service(&mut self, vector: u8, cpu: &mut Cpu, hw: &mut Hardware) -> Outcome {
        self.waiting = false;
        self.console.starved = false;
        let mut g = Guest { cpu, hw };
        if vector == 0x21 && self.quick_character(&mut g.cpu.regs, g.hw) {
            return Outcome::Return;
        }
        let mut level = self.resume(vector, &mut g);
        let answer = self.answer(vector, &mut g, &mut level);
        self.spend_time(&mut g);
        match answer {
            Ok(()) | Err(error::Pause::Fail(_)) => Outcome::Return,
            Err(error::Pause::Leave(outcome)) => {
                match outcome {
                    Outcome::Wait => self.suspend(&mut g, level, true),
                    Outcome::Call(_) => self.suspend(&mut g, level, false),
                    Outcome::Return | Outcome::Jump => {}
                }
                outcome
            }
        }
    }

    /// INT 21h when it can be done at once, without leaving the processor: true, or false with nothing done.
    pub fn serve_at_once(&mut self, regs: &mut Registers, hw: &mut Hardware) -> bool {
        let done = self.quick_character(regs, hw);
        if done {
            self.waiting = false;
            self.console.starved = false;
        }
        done
    }

    /// Lets the virtual time of the drive's work pass: less than a timer tick at once, so that none is lost, unless very much is
    /// owed.
    fn spend_time(&mut self, g: &mut Guest) {
        self.owed += self.drive.take_effort();
        let now = self.owed.min(MOST_CYCLES_AT_ONCE).max(self.owed.saturating_sub(MOST_CYCLES_OWED));
        self.owed -= now;
        g.cpu.cycles += now;
    }

    fn answer(&mut self, vector: u8, g: &mut Guest, level: &mut Level) -> error::Answer {
        self.finish_break(g, level)?;
        match vector {
            0x00 => self.divide_error(g, level),
            0x1B => {
                g.hw.set_byte(layout::BREAK_FLAG, 1);
                Ok(())
            }
            0x20 => self.terminate_by_cs(g),
            0x21 => self.call(g, level),
            0x22 => self.end(g),
            0x23 => self.terminate(g, 0, process::Ending::Break),
            0x24 => {
                // As COMMAND.COM does when it may not ask: fail.
                g.cpu.regs.set_al(3);
                Ok(())
            }
            0x25 | 0x26 => self.absolute_disk(g, level),
            0x27 => self.stay_resident_27(g),
            0x28 => Ok(()),
            0x29 => self.fast_output(g, level),
            0x2A => {
                // No network: function 00h answers AH = 0.
                if g.cpu.regs.ah() == 0 {
                    g.cpu.regs.set_ah(0);
                }
                Ok(())
            }
            // INT 2Eh runs a command line: there is no command interpreter, which is failure FFFFh.
            0x2E => {
                self.notice(g, "INT 2E (run a command line)");
                g.cpu.regs.set_ax(0xFFFF);
                Ok(())
            }
            0x2F => self.multiplex(g, level),
            0x30 => self.cpm_call(g),
            _ => Ok(()),
        }
    }

    /// INT 00h that no program has hooked: says so and ends the program.
    fn divide_error(&mut self, g: &mut Guest, level: &mut Level) -> error::Answer {
        self.show(g, level, b"\r\nDivide overflow\r\n", false)?;
        self.terminate(g, 0, process::Ending::Break)
    }

    /// INT 22h of the shell: the first program has ended.
    fn end(&mut self, g: &mut Guest) -> error::Answer {
        // What the host refuses now is told when the machine's owner calls `flush`.
        let _ = self.drive.bring_all();
        self.exit_code = Some(g.hw.byte(layout::RETURN_CODE));
        Err(error::Pause::Leave(Outcome::Wait))
    }

    /// The first program's exit code, once it has ended. What it wrote has been brought to the host by then, unless the host refused:
    /// see [`Dos::flush`].
    pub fn exit_code(&self) -> Option<u8> {
        self.exit_code
    }

    /// True when the last service left to wait for input: a key, or bytes by [`Dos::feed_input`].
    pub fn waiting_for_input(&self) -> bool {
        self.waiting
    }

    /// True when what it waits for are bytes by [`Dos::feed_input`].
    pub fn waiting_for_fed_input(&self) -> bool {
        self.waiting && self.console.starved
    }

    /// True when the bytes that it waited for have been fed since, or the input has been closed: the program can go on.
    pub fn fed_input_has_come(&self) -> bool {
        self.waiting_for_fed_input() && self.console.fed_or_closed()
    }

    /// Hands over what DOS has to tell the user: calls that it does not know, each once, with number and CS:IP.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Notes something that is not there; each once.
    fn notice(&mut self, g: &mut Guest, what: &str) {
        if self.noticed.len() < MOST_NOTICES && self.noticed.insert(what.to_owned()) {
            let at = g.caller();
            self.notices
                .push(format!("not there: {what}, called before {:04X}:{:04X}", at.segment, at.offset));
        }
    }

    /// Brings all that was written to the host now: at the end of a run, so that nothing is lost when it was cut short, or in silence
    /// when the host has refused it before.
    ///
    /// # Errors
    /// The first file that the host refuses, and why.
    pub fn flush(&mut self) -> std::io::Result<()> {
        self.drive.bring_all()
    }
}
