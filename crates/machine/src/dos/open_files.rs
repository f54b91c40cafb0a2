//! The system file table, and the job file table in a PSP.
//!
//! A handle is an index into the PSP's table of bytes (FFh is closed), each of which is an index
//! into the system file table. The system file table is kept here. The copy in guest memory (table
//! 01642 of the interrupt list), which programs may read, is updated at every change.

use super::{
    devices::Device,
    error::ErrorCode,
    names::{DRIVE_C, Name},
    psp, sysvars,
    volumes::Place,
};
use crate::firmware::{Far, GuestMemory};
use crate::hardware::Hardware;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    Device(Device),
    /// A file of a drive.
    File(Place),
    HostInput,
    /// Output to the host; `errors` for standard error.
    HostOutput {
        errors: bool,
    },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OpenFile {
    pub(super) kind: Kind,
    pub(super) name: Name,
    /// The number of handles bound to it.
    pub(super) references: u16,
    /// The mode given to function 3Dh: bits 0 to 2 access, bit 7 not inherited.
    pub(super) mode: u8,
    pub(super) position: u32,
    /// The low byte of the device information (IOCTL 00).
    pub(super) flags: u8,
    pub(super) owner: u16,
}

impl OpenFile {
    pub(super) fn new(kind: Kind, name: Name, mode: u8) -> Self {
        let flags = match kind {
            Kind::Device(device) => device.flags(),
            Kind::File(place) => place.drive | CLEAN,
            // For the program, redirected input and output are files on C:.
            Kind::HostInput | Kind::HostOutput { .. } => DRIVE_C | CLEAN,
        };
        OpenFile { kind, name, references: 0, mode, position: 0, flags, owner: 0 }
    }

    pub(super) fn may_read(&self) -> bool {
        self.mode & 7 != 1
    }

    pub(super) fn may_write(&self) -> bool {
        self.mode & 7 != 0
    }

    /// Returns the device information of IOCTL 00.
    pub(super) fn information(&self) -> u16 {
        let high = if let Kind::Device(device) = self.kind { device.attributes() & 0xFF00 } else { 0 };
        high | u16::from(self.flags)
    }

    /// Whether a device is in raw mode.
    pub(super) fn is_raw(&self) -> bool {
        self.flags & RAW != 0
    }

    /// Whether a read of a device returns nothing, because the last one met the end of its input.
    pub(super) fn is_ended(&self) -> bool {
        matches!(self.kind, Kind::Device(_)) && self.flags & MORE == 0
    }

    fn drive(&self) -> u8 {
        if let Kind::File(place) = self.kind { place.drive } else { DRIVE_C }
    }
}

/// Bit 5 of a device's information: raw mode.
const RAW: u8 = 0x20;
/// Bit 6 of a device's information: its input has not ended.
const MORE: u8 = 0x40;
/// Bit 6 of a file's information: it has not been written to.
const CLEAN: u8 = 0x40;

/// The system file table.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct FileTable(pub(super) Vec<Option<OpenFile>>);

/// Entries of the standard handles: AUX, CON, PRN.
pub(super) const AUX: u8 = 0;
pub(super) const CON: u8 = 1;
pub(super) const PRN: u8 = 2;

pub(super) const CLOSED: u8 = 0xFF;

impl FileTable {
    pub(super) fn get(&self, index: usize) -> Option<&OpenFile> {
        self.0.get(index)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut OpenFile> {
        self.0.get_mut(index)?.as_mut()
    }

    /// Stores an entry in the first free position.
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

    pub(super) fn of_handle(&self, hw: &mut Hardware, handle: u16) -> Result<usize, ErrorCode> {
        let at = handle_place(hw, handle).ok_or(ErrorCode::InvalidHandle)?;
        let index = usize::from(hw.byte(at));
        self.get(index).map(|_| index).ok_or(ErrorCode::InvalidHandle)
    }

    /// Notes a write in the information: a file has changed, and a device has more input.
    pub(super) fn note_write(&mut self, hw: &mut Hardware, index: usize) {
        let Some(file) = self.get_mut(index) else { return };
        match file.kind {
            Kind::Device(_) => file.flags |= MORE,
            _ => file.flags &= !CLEAN,
        }
        self.show(hw, index);
    }

    /// Notes the end of a device's input, which lasts until something is written to it.
    pub(super) fn end_input(&mut self, hw: &mut Hardware, index: usize) {
        if let Some(file) = self.get_mut(index) {
            file.flags &= !MORE;
            self.show(hw, index);
        }
    }

    /// Writes an entry's position to guest memory: it changes most often.
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
        hw.set_word(at.plus(0x05), u16::from(file.flags));
        let driver = match file.kind {
            Kind::Device(device) => sysvars::device_header(device),
            _ => sysvars::dpb(hw, file.drive()),
        };
        hw.set_far(at.plus(0x07), driver);
        hw.set_dword(at.plus(0x15), file.position);
        hw.set_bytes(at.plus(0x20), &file.name);
        hw.set_word(at.plus(0x31), file.owner);
    }
}

/// Returns the address of an entry in guest memory.
fn shown_at(index: usize) -> Far {
    sysvars::SFT.plus(6 + index as u16 * sysvars::SFT_ENTRY)
}

/// Returns the address of a handle's byte. `None` if the table has no such handle.
#[inline]
pub(super) fn handle_place(hw: &mut Hardware, handle: u16) -> Option<Far> {
    let psp = hw.word(sysvars::CURRENT_PSP);
    place_in(hw, psp, handle)
}

#[inline]
pub(super) fn place_in(hw: &mut Hardware, psp: u16, handle: u16) -> Option<Far> {
    let count = hw.word(Far::new(psp, psp::HANDLE_COUNT));
    (handle < count).then(|| hw.far(Far::new(psp, psp::HANDLE_TABLE)).plus(handle))
}
