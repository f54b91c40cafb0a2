//! The state of DOS that is not in guest memory, in the parts that its services are about.

use super::{
    console::Console,
    days::day_number,
    drive::{Drive, Stamp},
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

/// What DOS is to be like.
#[derive(Debug, Clone, Default)]
pub struct DosOptions {
    /// The host folder that is drive C:. None: the drive is empty and lives in memory.
    pub folder: Option<PathBuf>,
    /// More host folders as drives, by letter: A, B and D to Y. A floppy image goes before a folder at A or B.
    pub drives: Vec<(char, PathBuf)>,
    /// Without a driver of extended memory.
    pub no_xms: bool,
    /// Without expanded memory.
    pub no_ems: bool,
    /// Writing to the drive is denied.
    pub read_only: bool,
    /// Environment variables beside COMSPEC, PATH and PROMPT, or in their place: name and value. Names are put into capitals;
    /// what code page 437 does not have becomes a question mark.
    pub environment: Vec<(String, String)>,
    /// Without ANSI.SYS: escape sequences are characters like others.
    pub no_ansi: bool,
    /// Date and time of all files that the guest has not written, instead of the host's. With it a directory looks the same
    /// on every host.
    pub fixed_stamp: Option<Stamp>,
    /// COMMAND.COM, which programs find on drive Z: by COMSPEC. Empty: there is none.
    pub command_com: &'static [u8],
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

/// The number of a drive for a further folder.
fn drive_of_letter(letter: char) -> Option<u8> {
    let number = (letter.to_ascii_uppercase() as u32).checked_sub(u32::from(b'A'))?;
    u8::try_from(number).ok().filter(|drive| *drive != DRIVE_C && *drive < DRIVE_Z)
}

/// A function: does what it is asked by the registers, and answers in them.
pub(super) type Handler = fn(&mut Dos, &mut Call<'_>) -> Answer;

/// The firmware's own vectors, as they were when DOS started: a vector that differs has been hooked by a program.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Stubs(Vec<Far>);

impl Stubs {
    const COUNT: u8 = 0x31;

    /// What the vectors of DOS hold now.
    pub(super) fn of_machine(hw: &mut Hardware) -> Self {
        Stubs((0..Self::COUNT).map(|vector| hw.vector(vector)).collect())
    }

    pub(super) fn of(&self, vector: u8) -> Far {
        self.0.get(usize::from(vector)).copied().unwrap_or_default()
    }

    pub(super) fn hooked(&self, hw: &mut Hardware, vector: u8) -> bool {
        hw.vector(vector) != self.of(vector)
    }
}

/// The drives and what stands open on them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Disk {
    pub(super) volumes: Volumes,
    pub(super) files: FileTable,
}

/// A process that has not ended.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Process {
    pub(super) psp: u16,
    /// Services in progress when it was started: what comes above them is its own, and ends with it.
    pub(super) levels: usize,
}

/// What is under way.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Running {
    /// Calls that a program's handler or a wait has interrupted, the innermost last.
    pub(super) calls: Vec<PendingCall>,
    /// Programs that have not ended, the innermost last.
    pub(super) processes: Vec<Process>,
}

/// The date, and virtual time.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Clock {
    /// Days since 1980-01-01.
    pub(super) days: u32,
    /// Virtual time that the host's work has taken and the guest has not seen yet, in cycles.
    pub(super) owed: u64,
}

/// What programs set for all of DOS.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Settings {
    /// Allocation strategy of function 58h.
    pub(super) strategy: u8,
    /// Verify flag of functions 2Eh and 54h.
    pub(super) verify: bool,
    /// Names that function 5Ah has tried.
    pub(super) temporary: u32,
}

/// What the machine asks after a service.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Status {
    /// The first program's, once it has ended.
    pub(super) exit_code: Option<u8>,
    /// The service has left to wait for input.
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
    pub(super) stubs: Stubs,
    pub(super) notices: Notices,
    pub(super) status: Status,
    pub(super) xms: Xms,
    pub(super) ems: Ems,
}

impl Dos {
    /// DOS before its start, on the day of `start`. The time of day is the BIOS's tick count.
    ///
    /// # Errors
    /// When the folder for drive C: cannot be read.
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
            clock: Clock { days: day_number(start).unwrap_or(0), owed: 0 },
            settings: Settings::default(),
            stubs: Stubs(Vec::new()),
            notices: Notices::default(),
            status: Status::default(),
            xms: Xms::default(),
            ems: Ems::default(),
        })
    }

    /// Whether INT 67h is answered.
    pub(crate) fn has_expanded_memory(&self) -> bool {
        self.ems.is_there
    }

    /// Gives the programs a driver of extended memory, and expanded memory.
    pub(crate) fn add_memory(&mut self, hw: &mut Hardware, extended: bool, expanded: bool) {
        self.xms.is_there = extended;
        if expanded {
            self.ems = Ems::present();
            hw.fit_page_frame();
            sysvars::write_expanded_memory(hw);
        }
    }

    /// False on a machine that was started from a disk: what runs there brings its own.
    pub(crate) fn is_there(&self) -> bool {
        !self.stubs.0.is_empty()
    }

    /// The registers of the call that waits have been changed while it waits: it comes back with these.
    pub(crate) fn adopt_registers_of_wait(&mut self, regs: &Registers) {
        if let Some(call) = self.running.calls.last_mut() {
            call.adopt_registers(regs);
        }
    }

    /// As if the console's cursor stood at the start of a line.
    pub(crate) fn forget_column(&mut self) {
        self.console.forget_column();
    }

    /// Forgets what it has read of the folder that is drive C: and does not use.
    pub(crate) fn forget_folder(&mut self) {
        self.disk.volumes.forget_listings();
    }

    /// Bytes of memory that its state takes and another's does not, about.
    pub(crate) fn bytes_beyond(&self, other: &Dos) -> usize {
        let calls: usize = self.running.calls.iter().map(PendingCall::bytes).sum();
        self.disk.volumes.bytes_beyond(&other.disk.volumes) + self.console.bytes() + calls
    }

    /// Bytes that the program has written and the host has not got.
    pub(crate) fn pending_bytes(&self) -> u64 {
        self.disk.volumes.pending()
    }

    /// Whether a memory block belongs to the program whose PSP is at a segment.
    pub(crate) fn keeps_memory_of(hw: &Hardware, psp: u16) -> bool {
        super::memory::holds_block_of(&hw.memory, psp)
    }

    /// What the program has added to the drives' folders.
    pub(crate) fn added_to_drives(&self) -> u64 {
        self.disk.volumes.added()
    }

    /// Takes over a saved state. The folder that is drive C: stays this machine's.
    pub(crate) fn adopt(&mut self, saved: Dos) {
        let mut volumes = std::mem::take(&mut self.disk.volumes);
        *self = saved;
        volumes.adopt(std::mem::take(&mut self.disk.volumes));
        self.disk.volumes = volumes;
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

    /// From now on changes of files stay in guest state (or, again, reach the host).
    pub(crate) fn rehearse(&mut self, rehearsal: bool) {
        self.disk.volumes.rehearse(rehearsal);
    }

    /// Brings all that was written to the host now.
    ///
    /// # Errors
    /// The first file that the host refuses, and why.
    pub(crate) fn flush(&mut self) -> std::io::Result<()> {
        self.disk.volumes.flush()
    }

    /// Returns the notices since the last call: calls that DOS does not have, each once.
    pub(crate) fn take_notices(&mut self) -> Vec<Notice> {
        self.notices.take()
    }

    /// Adds a notice about the call.
    pub(super) fn notice(&mut self, g: &mut Call, kind: NoticeKind) {
        let at = g.caller();
        self.notices.push(Notice { kind, at: Some((at.segment, at.offset)) });
    }
}
