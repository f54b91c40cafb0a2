//! DOS 5.00: what the traps 20h to 2Fh do; with 30h (the entry of CP/M calls), 00h (divide error) and 1Bh (Ctrl-Break).
//!
//! What programs may look at or change lies in guest memory (`sysvars`); the rest is in `Dos`, which is guest state too: a clone is
//! a snapshot. A service never blocks: it leaves with a `Resume`, and what it needs to go on later is kept in a `PendingCall`.
//! Source of all facts, unless said otherwise: Ralf Brown's interrupt list.

mod codepage;
mod console;
mod country;
mod critical;
mod drive;
mod drives;
mod error;
mod fcb;
mod files;
mod functions;
mod handles;
mod interrupts;
mod ioctl;
mod loader;
mod memory;
mod multiplex;
mod names;
mod notices;
mod pending;
mod process;
mod psp;
mod search;
mod settings;
mod sysvars;
mod time;

#[cfg(test)]
mod tests;

pub use drive::{GROWTH_LIMIT, PENDING_LIMIT, Stamp};
pub use loader::{LARGEST_COM, LoadError};

pub(crate) use interrupts::names_of;

use crate::{
    bios::data,
    cpu::Registers,
    firmware::{Far, Guest, GuestMemory, Resume},
    hardware::{DateTime, Hardware},
};
use error::{Answer, Pause};
use pending::{Call, PendingCall};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
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

/// A function: does what it is asked by the registers, and answers in them.
type Handler = fn(&mut Dos, &mut Call<'_>) -> Answer;

/// The firmware's own vectors, as they were when DOS started: a vector that differs has been hooked by a program.
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

/// Drive C: and what stands open on it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Disk {
    drive: drive::Drive,
    /// The current directory.
    directory: names::Path,
    files: handles::FileTable,
}

/// What is under way.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Running {
    /// Calls that a program's handler or a wait has interrupted, the innermost last.
    calls: Vec<PendingCall>,
    /// Programs that have not ended, the innermost last.
    processes: Vec<process::Process>,
}

/// The date, and virtual time.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Clock {
    /// Days since 1980-01-01.
    days: u32,
    /// Virtual time that the host's work has taken and the guest has not seen yet, in cycles.
    owed: u64,
}

/// What programs set for all of DOS.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Settings {
    /// Allocation strategy of function 58h.
    strategy: u8,
    /// Verify flag of functions 2Eh and 54h.
    verify: bool,
    /// Names that function 5Ah has tried.
    temporary: u32,
}

/// What the machine asks after a service.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Status {
    /// The first program's, once it has ended.
    exit_code: Option<u8>,
    /// The service has left to wait for input.
    waiting: bool,
}

/// The operating system.
// The order of the fields is the order of their bytes in stored snapshots.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Dos {
    disk: Disk,
    console: console::Console,
    running: Running,
    clock: Clock,
    settings: Settings,
    stubs: Stubs,
    notices: notices::Notices,
    status: Status,
}

/// Virtual time that a service takes at once; the rest is added to the next ones.
const MOST_CYCLES_AT_ONCE: u64 = 50_000;

/// Virtual time that may be left to the next services. What is beyond it passes at once, so that no program runs away from it.
const MOST_CYCLES_OWED: u64 = 3_000_000;

impl Dos {
    /// DOS before its start, on the day of `start`. The time of day is the BIOS's tick count.
    ///
    /// # Errors
    /// When the folder for drive C: cannot be read.
    pub(crate) fn new(options: &DosOptions, start: DateTime) -> Result<Self, FolderError> {
        let folder = options.folder.as_deref();
        let drive = drive::Drive::open(folder, options.read_only, options.fixed_stamp)
            .map_err(|source| FolderError { folder: options.folder.clone().unwrap_or_default(), source })?;
        Ok(Dos {
            disk: Disk { drive, directory: names::Path::new(), files: handles::FileTable::default() },
            console: console::Console::default(),
            running: Running::default(),
            clock: Clock { days: time::day_number(start).unwrap_or(0), owed: 0 },
            settings: Settings::default(),
            stubs: Stubs(Vec::new()),
            notices: notices::Notices::default(),
            status: Status::default(),
        })
    }

    /// Takes over a saved state. The folder that is drive C: stays this machine's.
    pub(crate) fn adopt(&mut self, saved: Dos) {
        let folder = self.disk.drive.take_folder();
        *self = saved;
        self.disk.drive.set_folder(folder);
    }

    /// Builds the structures in guest memory. The vectors 00h to 30h must point to the firmware's stubs already, and
    /// the BIOS data area tell the memory size (640 KiB if it is zero).
    pub(crate) fn init(&mut self, hw: &mut Hardware) {
        self.stubs = Stubs((0..Stubs::COUNT).map(|v| hw.vector(v)).collect());
        sysvars::write(hw);
        let kilobytes = match hw.memory.read16(data::MEMORY_SIZE) {
            size @ 128..=640 => size,
            _ => 640,
        };
        memory::init(hw, kilobytes * 64);
        self.write_shell(hw);
        self.write_cpm_vector(hw);
    }

    /// The parent of the first program: a PSP that is its own parent, with an environment and the standard handles.
    fn write_shell(&mut self, hw: &mut Hardware) {
        let shell = sysvars::SHELL;
        psp::create(hw, shell, shell + 0x20, shell, sysvars::SHELL_ENVIRONMENT);
        // Room for the frame that a program's end takes from the stack.
        hw.set_far(Far::new(shell, psp::STACK), Far::new(shell, 0x1C0));
        let strings = b"COMSPEC=C:\\COMMAND.COM\0PATH=C:\\\0PROMPT=$P$G\0\0";
        let block = psp::environment_block(strings, b"C:\\COMMAND.COM");
        hw.set_bytes(Far::new(sysvars::SHELL_ENVIRONMENT, 0), &block);
        hw.set_word(sysvars::CURRENT_PSP, shell);
        hw.set_far(sysvars::DTA, Far::new(shell, psp::TAIL));
        self.open_standard(hw, shell);
    }

    /// A far jump at 0000:00C0 and, for machines without the wrap at 1 MiB, at the same place above it.
    fn write_cpm_vector(&mut self, hw: &mut Hardware) {
        let stub = self.stubs.of(sysvars::CPM_VECTOR).to_dword().to_le_bytes();
        let jump = [0xEA, stub[0], stub[1], stub[2], stub[3]];
        hw.set_bytes(Far::new(0, u16::from(sysvars::CPM_VECTOR) * 4), &jump);
        hw.set_bytes(Far::new(0xFFFF, 0xD0), &jump);
    }

    /// Answers a trap of the stub of `vector` (00h, 1Bh, 20h to 30h).
    pub(crate) fn service(&mut self, vector: u8, guest: &mut Guest) -> Resume {
        self.status.waiting = false;
        self.console.input_exhausted = false;
        let mut g = self.take_up(vector, guest);
        let answer = self.finish_break(&mut g).and_then(|()| self.interrupt(vector, &mut g));
        self.spend_time(&mut g);
        match answer {
            Ok(()) | Err(Pause::Fail(_)) => Resume::Return,
            Err(Pause::Leave(how)) => {
                match how {
                    Resume::Wait => self.suspend(g, true),
                    Resume::Call(_) => self.suspend(g, false),
                    Resume::Return | Resume::Jump => {}
                }
                how
            }
        }
    }

    /// INT 21h when it can be done at once, without leaving the processor: true, or false with nothing done.
    pub(crate) fn serve_at_once(&mut self, regs: &mut Registers, hw: &mut Hardware) -> bool {
        let done = self.quick_character(regs, hw);
        if done {
            self.status.waiting = false;
            self.console.input_exhausted = false;
        }
        done
    }

    /// Passes the virtual time of the drive's work: less than a timer tick at once, so that none is lost, unless very much is
    /// owed.
    fn spend_time(&mut self, g: &mut Call) {
        let owed = &mut self.clock.owed;
        *owed += self.disk.drive.take_effort();
        let now = (*owed).min(MOST_CYCLES_AT_ONCE).max(owed.saturating_sub(MOST_CYCLES_OWED));
        *owed -= now;
        g.cpu.cycles += now;
    }

    /// The first program's exit code, once it has ended. What it wrote has been brought to the host by then, unless the host refused:
    /// see [`Dos::flush`].
    pub(crate) fn exit_code(&self) -> Option<u8> {
        self.status.exit_code
    }

    /// True when the last service left to wait for input: a key, or bytes by [`Dos::feed_input`].
    pub(crate) fn waiting_for_input(&self) -> bool {
        self.status.waiting
    }

    /// True when what it waits for are bytes by [`Dos::feed_input`].
    pub(crate) fn waiting_for_fed_input(&self) -> bool {
        self.status.waiting && self.console.input_exhausted
    }

    /// True when the bytes that it waited for have been fed since, or the input has been closed: the program can go on.
    pub(crate) fn fed_input_has_come(&self) -> bool {
        self.waiting_for_fed_input() && self.console.fed_or_closed()
    }

    /// Brings all that was written to the host now.
    ///
    /// # Errors
    /// The first file that the host refuses, and why.
    pub(crate) fn flush(&mut self) -> std::io::Result<()> {
        self.disk.drive.flush()
    }
}
