//! DOS 5.00: the services behind the traps 20h to 2Fh, 30h (the entry of CP/M calls), 00h (divide
//! error) and 1Bh (Ctrl-Break).
//!
//! Structures that programs may read or change are in guest memory (`sysvars`). The rest is in
//! `Dos`, which is guest state too: a clone is a snapshot. A service never blocks: it returns a
//! `Resume`, and the state for its continuation is in a `PendingCall`.
//! Source of all facts, unless stated otherwise: Ralf Brown's interrupt list.

mod absolute;
mod built_in;
mod codepage;
mod console;
mod country;
mod critical;
mod ctrl_c;
mod days;
mod devices;
mod drive;
mod drives;
mod ems;
mod environment;
mod error;
mod fat;
mod fcb;
mod files;
mod functions;
mod handles;
mod interrupts;
mod ioctl;
mod last_error;
mod loader;
mod memory;
mod multiplex;
mod names;
mod nesting;
mod notices;
mod open_files;
mod outside;
mod pending;
mod process;
mod psp;
mod search;
mod settings;
mod state;
mod sysvars;
mod time;
mod transfer;
mod volumes;
mod work;
mod xms;

#[cfg(test)]
mod tests;

pub use built_in::COMSPEC;
pub use drive::{GROWTH_LIMIT, PENDING_LIMIT, Timestamp};
pub use loader::{LARGEST_COM, LoadError};
pub use outside::PutFileError;
pub use state::{DosOptions, FolderError};

pub use functions::tells_errors_by_carry;
pub(crate) use interrupts::names_of;
pub(crate) use state::Dos;
pub use sysvars::transfer_area;
pub(crate) use sysvars::{BREAK_CHECK, CHANGING, CURRENT_DRIVE};

use crate::{
    bios::data,
    firmware::{Far, Guest, GuestMemory, Resume},
    hardware::{Hardware, linear},
};
use error::Pause;
use oxbox_cpu::Registers;
use pending::Call;
use state::OriginalVectors;

/// The virtual time that one service takes at most; the rest is added to the next ones.
const MOST_CYCLES_AT_ONCE: u64 = 50_000;

/// The virtual time that may be left to the next services. The excess passes at once, so that no
/// program can avoid it.
const MOST_DEFERRED_CYCLES: u64 = 3_000_000;

/// Returns the segment of the running program's PSP.
pub fn current_psp(hw: &Hardware) -> u16 {
    let Far { segment, offset } = sysvars::CURRENT_PSP;
    hw.memory.read16(linear(segment, offset))
}

/// Returns the segment of the first memory control block.
pub fn first_block(hw: &Hardware) -> u16 {
    let Far { segment, offset } = sysvars::FIRST_BLOCK;
    hw.memory.read16(linear(segment, offset))
}

impl Dos {
    /// Builds the structures in guest memory. The vectors 00h to 30h must already point to the
    /// firmware's stubs, and the BIOS data area must contain the memory size (0 means 640 KiB).
    /// `environment` is described at [`DosOptions::environment`].
    pub(crate) fn init(&mut self, hw: &mut Hardware, environment: &[(String, String)]) {
        self.stubs = OriginalVectors::of_machine(hw);
        self.disk.volumes.put_images(&hw.disks);
        sysvars::write(hw, &self.disk.volumes.shown(&hw.disks));
        let kilobytes = match hw.memory.read16(data::MEMORY_SIZE) {
            size @ 64..=640 => size,
            _ => 640,
        };
        let block = psp::environment_block(&environment::strings(environment), COMSPEC.as_bytes());
        memory::init(hw, kilobytes * 64, block.len());
        self.write_shell(hw, &block);
        self.write_cpm_vector(hw);
    }

    /// Writes the parent of the first program: a PSP that is its own parent, with an environment
    /// and the standard handles.
    fn write_shell(&mut self, hw: &mut Hardware, environment: &[u8]) {
        let shell = sysvars::SHELL;
        psp::create(hw, shell, shell + 0x20, shell, sysvars::SHELL_ENVIRONMENT);
        // Room for the frame that a program's end takes from the stack.
        hw.set_far(Far::new(shell, psp::STACK), Far::new(shell, 0x1C0));
        hw.set_bytes(Far::new(sysvars::SHELL_ENVIRONMENT, 0), environment);
        hw.set_word(sysvars::CURRENT_PSP, shell);
        hw.set_far(sysvars::DTA, Far::new(shell, psp::TAIL));
        self.open_standard(hw, shell);
    }

    /// Writes a far jump at 0000:00C0 and, for machines without the 1 MiB wrap, 1 MiB above.
    fn write_cpm_vector(&mut self, hw: &mut Hardware) {
        let stub = self.stubs.of(sysvars::CPM_VECTOR).to_dword().to_le_bytes();
        let jump = [0xEA, stub[0], stub[1], stub[2], stub[3]];
        hw.set_bytes(Far::new(0, u16::from(sysvars::CPM_VECTOR) * 4), &jump);
        hw.set_bytes(Far::new(0xFFFF, 0xD0), &jump);
    }

    /// Handles a trap of the stub of `vector` (00h, 1Bh, 20h to 30h).
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

    /// Serves INT 21h if it can be done at once, without leaving the processor. Returns false, with
    /// nothing done, otherwise.
    pub(crate) fn serve_at_once(&mut self, regs: &mut Registers, hw: &mut Hardware) -> bool {
        let done = self.fast_character(regs, hw);
        if done {
            self.status.waiting = false;
            self.console.input_exhausted = false;
        }
        done
    }

    /// Lets the virtual time of the drive's work pass: less than a timer tick per service, so that
    /// no tick is lost, unless too much is owed.
    fn spend_time(&mut self, g: &mut Call) {
        let deferred_cycles = &mut self.clock.deferred_cycles;
        *deferred_cycles += self.disk.volumes.take_host_cost();
        let now = (*deferred_cycles)
            .min(MOST_CYCLES_AT_ONCE)
            .max(deferred_cycles.saturating_sub(MOST_DEFERRED_CYCLES));
        *deferred_cycles -= now;
        g.cpu.cycles += now;
    }
}
