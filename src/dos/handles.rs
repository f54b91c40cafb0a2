//! Handles: the job file table in the PSP, and the system file table that it indexes.
//!
//! A handle is an index into the PSP's table of bytes (FFh is closed), each an index into the system file table. The system file
//! table is kept here; what programs look at in guest memory (table 01642 of the interrupt list) is written from here whenever it changes.

use super::{
    Dos,
    drive::Node,
    error::{Answer, ErrorCode},
    names::{Device, Name},
    pending::Call,
    psp, sysvars,
};
use crate::firmware::{Far, GuestMemory};
use crate::hardware::Hardware;
use serde::{Deserialize, Serialize};

/// What an open file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    /// Screen and keyboard; `raw` is bit 5 of the device information.
    Con { raw: bool },
    /// A device that is not the console.
    Device(Device),
    /// A file of drive C:.
    File { node: Node },
    /// What the host feeds.
    HostInput,
    /// What the host takes; `errors` for standard error.
    HostOutput { errors: bool },
}

/// An entry of the system file table.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OpenFile {
    pub(super) kind: Kind,
    pub(super) name: Name,
    /// How many handles are bound to it.
    references: u16,
    /// As given to function 3Dh: bits 0 to 2 access, 7 not inherited.
    pub(super) mode: u8,
    pub(super) position: u32,
    /// The file has been written through this entry.
    pub(super) written: bool,
    owner: u16,
}

impl OpenFile {
    pub(super) fn new(kind: Kind, name: Name, mode: u8) -> Self {
        OpenFile { kind, name, references: 0, mode, position: 0, written: false, owner: 0 }
    }

    pub(super) fn may_read(&self) -> bool {
        self.mode & 7 != 1
    }

    pub(super) fn may_write(&self) -> bool {
        self.mode & 7 != 0
    }

    /// Device information of IOCTL 00.
    pub(super) fn information(&self) -> u16 {
        match self.kind {
            Kind::Con { raw } => Device::Con.information() | if raw { 0x20 } else { 0 },
            Kind::Device(device) => device.information(),
            // Drive C:, bit 6 clear once it has been written. What the host feeds or takes is a file to the program.
            _ => 0x0002 | if self.written { 0 } else { 0x40 },
        }
    }
}

/// The system file table.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct FileTable(Vec<Option<OpenFile>>);

/// Entries that the standard handles use: AUX, CON, PRN.
const AUX: u8 = 0;
const CON: u8 = 1;
const PRN: u8 = 2;

/// A handle that is closed.
const CLOSED: u8 = 0xFF;

impl FileTable {
    pub(super) fn get(&self, index: usize) -> Option<&OpenFile> {
        self.0.get(index)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut OpenFile> {
        self.0.get_mut(index)?.as_mut()
    }

    /// Puts an entry into the first free place.
    pub(super) fn insert(&mut self, file: OpenFile) -> Result<usize, ErrorCode> {
        if let Some(free) = self.0.iter().position(Option::is_none) {
            self.0[free] = Some(file);
            return Ok(free);
        }
        if self.0.len() >= sysvars::FILES {
            return Err(ErrorCode::TooManyOpenFiles);
        }
        self.0.push(Some(file));
        Ok(self.0.len() - 1)
    }

    pub(super) fn remove(&mut self, index: usize) {
        if let Some(place) = self.0.get_mut(index) {
            *place = None;
        }
    }

    /// The entry that a handle of the current process is bound to.
    pub(super) fn of_handle(&self, hw: &mut Hardware, handle: u16) -> Result<usize, ErrorCode> {
        let at = handle_place(hw, handle).ok_or(ErrorCode::InvalidHandle)?;
        let index = usize::from(hw.byte(at));
        self.get(index).map(|_| index).ok_or(ErrorCode::InvalidHandle)
    }

    /// Writes an entry's position to guest memory, which is what changes most.
    pub(super) fn show_position(&self, hw: &mut Hardware, index: usize) {
        if let Some(file) = self.get(index) {
            hw.set_dword(shown_at(index).plus(0x15), file.position);
        }
    }

    /// Writes an entry to guest memory.
    pub(super) fn show(&self, hw: &mut Hardware, index: usize) {
        let at = shown_at(index);
        let Some(file) = self.get(index) else {
            hw.set_word(at, 0);
            return;
        };
        hw.set_word(at, file.references);
        hw.set_word(at.plus(0x02), u16::from(file.mode));
        hw.set_byte(at.plus(0x04), 0x20);
        hw.set_word(at.plus(0x05), file.information());
        let driver = match file.kind {
            Kind::Con { .. } => sysvars::device_header(Device::Con),
            Kind::Device(device) => sysvars::device_header(device),
            _ => sysvars::DPB.plus(2 * 0x21),
        };
        hw.set_far(at.plus(0x07), driver);
        hw.set_dword(at.plus(0x15), file.position);
        hw.set_bytes(at.plus(0x20), &file.name);
        hw.set_word(at.plus(0x31), file.owner);
    }
}

/// Where an entry stands in guest memory.
fn shown_at(index: usize) -> Far {
    sysvars::SFT.plus(6 + index as u16 * sysvars::SFT_ENTRY)
}

/// Where the byte of a handle stands. None when the table has no such handle.
#[inline]
fn handle_place(hw: &mut Hardware, handle: u16) -> Option<Far> {
    let psp = hw.word(sysvars::CURRENT_PSP);
    place_in(hw, psp, handle)
}

#[inline]
fn place_in(hw: &mut Hardware, psp: u16, handle: u16) -> Option<Far> {
    let count = hw.word(Far::new(psp, psp::HANDLE_COUNT));
    (handle < count).then(|| hw.far(Far::new(psp, psp::HANDLE_TABLE)).plus(handle))
}

impl Dos {
    /// The shell's standard handles: CON for 0 to 2, AUX, PRN.
    pub(super) fn open_standard(&mut self, hw: &mut Hardware, shell: u16) {
        let con = OpenFile::new(Kind::Con { raw: false }, *b"CON        ", 2);
        let aux = OpenFile::new(Kind::Device(Device::Aux), *b"AUX        ", 2);
        let prn = OpenFile::new(Kind::Device(Device::Prn), *b"PRN        ", 1);
        self.disk.files = FileTable(vec![Some(aux), Some(con), Some(prn)]);
        for (handle, index) in [CON, CON, CON, AUX, PRN].into_iter().enumerate() {
            self.bind(hw, Far::new(shell, psp::HANDLES + handle as u16), usize::from(index));
        }
    }

    /// Binds a handle's byte to an entry.
    fn bind(&mut self, hw: &mut Hardware, at: Far, index: usize) {
        hw.set_byte(at, index as u8);
        if let Some(file) = self.disk.files.get_mut(index) {
            file.references = file.references.saturating_add(1);
        }
        self.disk.files.show(hw, index);
    }

    /// Host redirection of handle 1: output is kept for [`Dos::take_output`] instead of shown. For programs loaded later and the one
    /// that runs.
    pub(crate) fn redirect_output(&mut self, hw: &mut Hardware) {
        self.redirect(hw, 1, Kind::HostOutput { errors: false }, *b"STDOUT     ", 1);
    }

    /// Host redirection of handle 2, for [`Dos::take_errors`].
    pub(crate) fn redirect_errors(&mut self, hw: &mut Hardware) {
        self.redirect(hw, 2, Kind::HostOutput { errors: true }, *b"STDERR     ", 1);
    }

    /// Host redirection of handle 0: input comes from [`Dos::feed_input`] instead of the keyboard.
    pub(crate) fn redirect_input(&mut self, hw: &mut Hardware) {
        self.redirect(hw, 0, Kind::HostInput, *b"STDIN      ", 0);
    }

    fn redirect(&mut self, hw: &mut Hardware, handle: u16, kind: Kind, name: Name, mode: u8) {
        let Ok(index) = self.disk.files.insert(OpenFile::new(kind, name, mode)) else { return };
        let mut tables: Vec<u16> = self.running.processes.iter().map(|p| p.psp()).collect();
        tables.push(sysvars::SHELL);
        for psp in tables {
            let Some(at) = place_in(hw, psp, handle) else { continue };
            // What is bound to the console is a device, whose closing cannot fail.
            if hw.byte(at) == CON && self.unbind(hw, at).is_ok() {
                self.bind(hw, at, index);
            }
        }
    }

    /// What the standard handle is bound to.
    #[inline]
    pub(super) fn standard(&self, hw: &mut Hardware, handle: u16) -> Option<Kind> {
        let at = handle_place(hw, handle)?;
        self.disk.files.get(usize::from(hw.byte(at))).map(|file| file.kind)
    }

    /// A new handle for a new entry.
    ///
    /// # Errors
    /// `TooManyOpenFiles`.
    pub(super) fn open_handle(&mut self, g: &mut Call, mut file: OpenFile) -> Result<u16, ErrorCode> {
        let handle = self.free_handle(g)?;
        file.owner = self.psp(g);
        let kind = file.kind;
        let index = self.disk.files.insert(file)?;
        if let Kind::File { node } = kind {
            self.disk.drive.hold(node);
        }
        let at = handle_place(g.hw, handle).ok_or(ErrorCode::TooManyOpenFiles)?;
        self.bind(g.hw, at, index);
        Ok(handle)
    }

    /// The lowest handle that is closed.
    pub(super) fn free_handle(&mut self, g: &mut Call) -> Result<u16, ErrorCode> {
        let psp = self.psp(g);
        let count = g.hw.word(Far::new(psp, psp::HANDLE_COUNT));
        let table = g.hw.far(Far::new(psp, psp::HANDLE_TABLE));
        (0..count).find(|&h| g.hw.byte(table.plus(h)) == CLOSED).ok_or(ErrorCode::TooManyOpenFiles)
    }

    /// Closes the handle whose byte is at `at`.
    fn unbind(&mut self, hw: &mut Hardware, at: Far) -> Result<(), ErrorCode> {
        let index = usize::from(hw.byte(at));
        hw.set_byte(at, CLOSED);
        let Some(file) = self.disk.files.get_mut(index) else { return Ok(()) };
        file.references = file.references.saturating_sub(1);
        let (left, kind) = (file.references, file.kind);
        let mut result = Ok(());
        // The three entries of the standard devices stay, whatever a program closes.
        if left == 0 && index > usize::from(PRN) {
            if let Kind::File { node } = kind {
                result = self.disk.drive.release(node);
            }
            self.disk.files.remove(index);
        } else if let Kind::File { node } = kind {
            result = self.disk.drive.commit(node);
        }
        self.disk.files.show(hw, index);
        result
    }

    /// 3Eh: closes BX.
    pub(super) fn close(&mut self, g: &mut Call) -> Answer {
        let handle = g.cpu.regs.bx();
        self.disk.files.of_handle(g.hw, handle)?;
        let at = handle_place(g.hw, handle).ok_or(ErrorCode::InvalidHandle)?;
        self.unbind(g.hw, at)?;
        Ok(())
    }

    /// Closes all handles of a process.
    pub(super) fn close_all(&mut self, hw: &mut Hardware, psp: u16) {
        let count = hw.word(Far::new(psp, psp::HANDLE_COUNT));
        for handle in 0..count {
            if let Some(at) = place_in(hw, psp, handle)
                && hw.byte(at) != CLOSED
            {
                // The program is gone: there is nobody to tell about a host that does not take the data.
                let _ = self.unbind(hw, at);
            }
        }
    }

    /// Gives a child the parent's first 20 handles, but those that are marked as not inherited.
    pub(super) fn inherit_handles(&mut self, hw: &mut Hardware, parent: u16, child: u16) {
        for handle in 0..psp::DEFAULT_HANDLES {
            let Some(at) = place_in(hw, parent, handle) else { return };
            let index = usize::from(hw.byte(at));
            if self.disk.files.get(index).is_some_and(|file| file.mode & 0x80 == 0) {
                self.bind(hw, Far::new(child, psp::HANDLES + handle), index);
            }
        }
    }

    /// 45h: another handle for the same entry.
    pub(super) fn duplicate(&mut self, g: &mut Call) -> Answer {
        let index = self.disk.files.of_handle(g.hw, g.cpu.regs.bx())?;
        let handle = self.free_handle(g)?;
        let at = handle_place(g.hw, handle).ok_or(ErrorCode::TooManyOpenFiles)?;
        self.bind(g.hw, at, index);
        self.commit_index(index)?;
        g.cpu.regs.set_ax(handle);
        Ok(())
    }

    /// 46h: CX becomes another handle for the entry of BX.
    pub(super) fn force_duplicate(&mut self, g: &mut Call) -> Answer {
        let (from, to) = (g.cpu.regs.bx(), g.cpu.regs.cx());
        let index = self.disk.files.of_handle(g.hw, from)?;
        let at = handle_place(g.hw, to).ok_or(ErrorCode::InvalidHandle)?;
        if from == to {
            return Ok(());
        }
        if g.hw.byte(at) != CLOSED {
            self.unbind(g.hw, at)?;
        }
        self.bind(g.hw, at, index);
        Ok(())
    }

    /// 67h: room for BX handles, in a block of memory when they are more than 20.
    pub(super) fn set_handle_count(&mut self, g: &mut Call) -> Answer {
        let psp = self.psp(g);
        let wanted = g.cpu.regs.bx().max(psp::DEFAULT_HANDLES);
        let count_at = Far::new(psp, psp::HANDLE_COUNT);
        let table_at = Far::new(psp, psp::HANDLE_TABLE);
        let (count, table) = (g.hw.word(count_at), g.hw.far(table_at));
        let open: Vec<u8> = g.hw.bytes(table, usize::from(count));
        if open.iter().skip(usize::from(wanted)).any(|&b| b != CLOSED) {
            return Err(ErrorCode::TooManyOpenFiles.into());
        }
        let target = if wanted == psp::DEFAULT_HANDLES {
            Far::new(psp, psp::HANDLES)
        } else {
            let paragraphs = wanted.div_ceil(16);
            let block = super::memory::allocate(g.hw, paragraphs, psp, self.settings.strategy)
                .map_err(ErrorCode::from)?;
            Far::new(block.memory(), 0)
        };
        let mut bytes = open;
        bytes.resize(usize::from(wanted), CLOSED);
        g.hw.set_bytes(target, &bytes);
        g.hw.set_far(table_at, target);
        g.hw.set_word(count_at, wanted);
        if table.segment != psp && table != target {
            let _ = super::memory::free(g.hw, table.segment);
        }
        Ok(())
    }
}
