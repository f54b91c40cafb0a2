//! The state of DOS that is not in guest memory, grouped by service.

use super::{
    console::{Console, TAB_STOP},
    days::day_number,
    drive::{Drive, Timestamp},
    ems::board::Ems,
    error::Answer,
    names::{DRIVE_C, DRIVE_Z},
    notices::Notices,
    open_files::FileTable,
    pending::{Call, PendingCall},
    sysvars,
    volumes::{Medium, Volumes},
    xms::blocks::Xms,
};
use crate::{
    firmware::{Far, GuestMemory},
    hardware::{DateTime, Hardware},
    notice::{Notice, NoticeKind},
};
use oxbox_cpu::Registers;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use thiserror::Error;

/// Options of DOS.
#[derive(Debug, Clone, Default)]
pub struct DosOptions {
    /// The host folder of drive C:. `None`: the drive is empty and in memory.
    pub folder: Option<PathBuf>,
    /// Further host folders as drives, by letter: A, B and D to Y. Floppy images take precedence.
    pub drives: Vec<(char, PathBuf)>,
    /// Whether to leave out the driver of extended memory.
    pub no_xms: bool,
    /// Whether to leave out expanded memory.
    pub no_ems: bool,
    /// Whether writing to the drives is denied.
    pub read_only: bool,
    /// Environment variables, in addition to COMSPEC, PATH and PROMPT or replacing them: name and
    /// value. Names are converted to capitals; characters that code page 437 lacks become question
    /// marks.
    pub environment: Vec<(String, String)>,
    /// Whether to leave out ANSI.SYS: escape sequences are then ordinary characters.
    pub no_ansi: bool,
    /// Date and time of all files that the guest has not written, instead of the host's. With it a
    /// directory looks the same on every host.
    pub fixed_stamp: Option<Timestamp>,
    /// COMMAND.COM, which programs find on drive Z: through COMSPEC. Empty: none.
    pub command_com: &'static [u8],
}

/// The folder for drive C: cannot be read.
#[derive(Debug, Error)]
#[error("the folder {} cannot be read: {source}", folder.display())]
pub struct FolderError {
    /// The folder as given.
    pub folder: PathBuf,
    /// The host's error.
    pub source: std::io::Error,
}

/// Returns the number of a drive for a further folder.
fn drive_of_letter(letter: char) -> Option<u8> {
    let number = (letter.to_ascii_uppercase() as u32).checked_sub(u32::from(b'A'))?;
    u8::try_from(number).ok().filter(|drive| *drive != DRIVE_C && *drive < DRIVE_Z)
}

/// A function: takes its arguments from the registers and returns its results in them.
pub(super) type Handler = fn(&mut Dos, &mut Call<'_>) -> Answer;

/// The firmware's vectors when DOS started: a vector that differs has been hooked by a program.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OriginalVectors(Vec<Far>);

impl OriginalVectors {
    const COUNT: u8 = 0x31;

    /// Reads the current vectors of DOS.
    pub(super) fn of_machine(hw: &mut Hardware) -> Self {
        OriginalVectors((0..Self::COUNT).map(|vector| hw.vector(vector)).collect())
    }

    pub(super) fn of(&self, vector: u8) -> Far {
        self.0.get(usize::from(vector)).copied().unwrap_or_default()
    }

    pub(super) fn hooked(&self, hw: &mut Hardware, vector: u8) -> bool {
        hw.vector(vector) != self.of(vector)
    }
}

/// The drives, and the files open on them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Disk {
    pub(super) volumes: Volumes,
    pub(super) files: FileTable,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Process {
    pub(super) psp: u16,
    /// The number of services in progress at its start. Later ones belong to it, and end with it.
    pub(super) levels: usize,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Running {
    /// Calls interrupted by a program's handler or a wait, the innermost last.
    pub(super) calls: Vec<PendingCall>,
    /// Programs that have not ended, the innermost last.
    pub(super) processes: Vec<Process>,
}

/// The date, and virtual time.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Clock {
    /// Days since 1980-01-01.
    pub(super) days: u32,
    /// Virtual time of host work that has not passed for the guest yet, in cycles.
    pub(super) deferred_cycles: u64,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Settings {
    /// Allocation strategy of function 58h.
    pub(super) strategy: u8,
    /// Verify flag of functions 2Eh and 54h.
    pub(super) verify: bool,
    /// The number of names that function 5Ah has tried.
    pub(super) temporary: u32,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Status {
    /// The first program's exit code, once it has ended.
    pub(super) exit_code: Option<u8>,
    pub(super) waiting: bool,
}

/// The operating system.
// The order of the fields is the order of their bytes in stored snapshots.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Dos {
    pub(super) disk: Disk,
    pub(super) console: Console,
    pub(super) running: Running,
    pub(super) clock: Clock,
    pub(super) settings: Settings,
    pub(super) stubs: OriginalVectors,
    pub(super) notices: Notices,
    pub(super) status: Status,
    pub(super) xms: Xms,
    pub(super) ems: Ems,
}

impl Dos {
    /// Returns DOS before its start, on the day of `start`. The time of day is the BIOS's tick
    /// count. Fails if the folder for drive C: cannot be read.
    pub(crate) fn new(options: &DosOptions, start: DateTime) -> Result<Self, FolderError> {
        let mut volumes = Volumes::default();
        let open = |folder: Option<&PathBuf>| {
            let drive = Drive::open(folder.map(PathBuf::as_path), options.read_only, options.fixed_stamp);
            drive
                .map(|drive| Medium::Folder(Box::new(drive)))
                .map_err(|source| FolderError { folder: folder.cloned().unwrap_or_default(), source })
        };
        volumes.put(DRIVE_C, open(options.folder.as_ref())?);
        for (letter, folder) in &options.drives {
            if let Some(drive) = drive_of_letter(*letter) {
                volumes.put(drive, open(Some(folder))?);
            }
        }
        volumes.put_built_in(options.command_com);
        let mut console = Console::default();
        console.ansi.switch(!options.no_ansi);
        Ok(Dos {
            disk: Disk { volumes, files: FileTable::default() },
            console,
            running: Running::default(),
            clock: Clock { days: day_number(start).unwrap_or(0), deferred_cycles: 0 },
            settings: Settings::default(),
            stubs: OriginalVectors(Vec::new()),
            notices: Notices::default(),
            status: Status::default(),
            xms: Xms::default(),
            ems: Ems::default(),
        })
    }

    /// Whether INT 67h is available.
    pub(crate) fn has_expanded_memory(&self) -> bool {
        self.ems.is_there
    }

    pub(crate) fn add_memory(&mut self, hw: &mut Hardware, extended: bool, expanded: bool) {
        self.xms.is_there = extended;
        if expanded {
            self.ems = Ems::present();
            hw.fit_page_frame();
            sysvars::write_expanded_memory(hw);
        }
    }

    /// Whether DOS runs. False on a machine that was started from a disk, which has its own system.
    pub(crate) fn is_there(&self) -> bool {
        !self.stubs.0.is_empty()
    }

    /// Takes over registers that were changed while a call waits.
    pub(crate) fn adopt_registers_of_wait(&mut self, regs: &Registers) {
        if let Some(call) = self.running.calls.last_mut() {
            call.adopt_registers(regs);
        }
    }

    /// Makes the column that DOS counts for tabs canonical: the column within a tab stop if the
    /// program depends on it, otherwise 0.
    pub(crate) fn set_column_of_wait(&mut self, is_kept: bool) {
        let kept = if is_kept { TAB_STOP - 1 } else { 0 };
        self.console.mask_column(kept);
        let lines = self.running.calls.iter_mut().filter_map(|call| call.line.as_mut());
        lines.for_each(|line| line.mask_start(kept));
    }

    /// Discards the listing of drive C:'s folder where it is not in use.
    pub(crate) fn forget_folder(&mut self) {
        self.disk.volumes.forget_listings();
    }

    /// Returns about how many bytes of memory its state needs beyond another's.
    pub(crate) fn bytes_beyond(&self, other: &Dos) -> usize {
        let calls: usize = self.running.calls.iter().map(PendingCall::bytes).sum();
        self.disk.volumes.bytes_beyond(&other.disk.volumes) + self.console.bytes() + calls
    }

    /// Returns the number of written bytes that are not on the host yet.
    pub(crate) fn pending_bytes(&self) -> u64 {
        self.disk.volumes.pending()
    }

    /// Returns the address of the first memory control block of an owner.
    pub(crate) fn first_block_of(hw: &Hardware, owner: u16) -> Option<u32> {
        super::memory::first_block_of(&hw.memory, owner)
    }

    /// Returns the bytes that the program has added to the drives' folders.
    pub(crate) fn added_to_drives(&self) -> u64 {
        self.disk.volumes.added()
    }

    /// Takes over a saved state, except for the host folder of drive C:.
    pub(crate) fn adopt(&mut self, saved: Dos) {
        let mut volumes = std::mem::take(&mut self.disk.volumes);
        *self = saved;
        volumes.adopt(std::mem::take(&mut self.disk.volumes));
        self.disk.volumes = volumes;
    }

    /// Returns the first program's exit code, once it has ended. By then its files are stored on
    /// the host, unless the host refused: see [`Dos::flush`].
    pub(crate) fn exit_code(&self) -> Option<u8> {
        self.status.exit_code
    }

    /// Whether the last service waits for input: a key, or bytes from [`Dos::feed_input`].
    pub(crate) fn waiting_for_input(&self) -> bool {
        self.status.waiting
    }

    /// Whether it waits for bytes from [`Dos::feed_input`].
    pub(crate) fn waiting_for_fed_input(&self) -> bool {
        self.status.waiting && self.console.input_exhausted
    }

    /// Whether these bytes have been fed since, or the input closed: the program can continue.
    pub(crate) fn fed_input_has_come(&self) -> bool {
        self.waiting_for_fed_input() && self.console.fed_or_closed()
    }

    /// Cancels the virtual time that services still owe.
    pub(crate) fn owe_nothing(&mut self) {
        self.clock.deferred_cycles = 0;
    }

    /// Starts or ends replaying, during which files stay in guest state.
    pub(crate) fn set_dry_run(&mut self, dry_run: bool) {
        self.disk.volumes.set_dry_run(dry_run);
    }

    /// Stores all written data on the host. Errors: the first refused file, and the reason.
    pub(crate) fn flush(&mut self) -> std::io::Result<()> {
        self.disk.volumes.flush()
    }

    /// Returns the notices since the last call: unsupported calls, each once.
    pub(crate) fn take_notices(&mut self) -> Vec<Notice> {
        self.notices.take()
    }

    pub(super) fn notice(&mut self, g: &mut Call, kind: NoticeKind) {
        let at = g.caller();
        self.notices.push(Notice { kind, at: Some((at.segment, at.offset)) });
    }
}
