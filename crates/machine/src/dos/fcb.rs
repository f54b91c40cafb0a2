//! File control blocks: functions 0Fh to 17h, 21h to 24h, 27h to 29h.
//!
//! A plain FCB has 37 bytes: drive, name, current block (0Ch), record size (0Eh), file size (10h),
//! date, time, 8 bytes reserved for DOS (18h), current record (20h), random record (21h). An
//! extended one has FFh, five bytes and attributes before it. DOS's data about an open file is only
//! in the eight bytes: a mark, and the file's position in the file system. So a copy of an FCB
//! works too.

mod parse;
mod records;

pub(super) use parse::from_tail;

use super::{
    devices::Device,
    drive::{Found, Node, attribute},
    error::{Answer, ErrorCode},
    names::{Name, Path},
    pending::Call,
    search::Search,
    state::Dos,
    sysvars,
    volumes::Place,
};
use crate::firmware::{Far, GuestMemory};

const BLOCK: u16 = 0x0C;
const RECORD_SIZE: u16 = 0x0E;
const SIZE: u16 = 0x10;
const DATE: u16 = 0x14;
const TIME: u16 = 0x16;
const MARK: u16 = 0x18;
const RECORD: u16 = 0x20;
const RANDOM: u16 = 0x21;

/// Marks of an open FCB: of a file, with its drive in the lower bits and bit 7 clear as in DOS 5,
/// and of a device.
const OPEN_FILE: u8 = 0x40;
const OPEN_DEVICE: u8 = 0xD1;
/// The bits of a mark that distinguish the two.
const OPEN: u8 = 0xC0;

#[derive(Debug, Clone, Copy)]
struct Fcb {
    /// The address of the plain part.
    at: Far,
    /// The attributes of an extended FCB.
    attributes: Option<u8>,
}

impl Fcb {
    /// Returns the FCB at DS:DX.
    fn of_call(g: &mut Call) -> Fcb {
        let at = g.ds_dx();
        if g.hw.byte(at) == 0xFF {
            Fcb { at: at.plus(7), attributes: Some(g.hw.byte(at.plus(6))) }
        } else {
            Fcb { at, attributes: None }
        }
    }
}

impl Dos {
    /// Returns the directory, always the current one, and the name (or pattern) of an FCB.
    fn fcb_path(&mut self, g: &mut Call, fcb: Fcb) -> Answer<(u8, Path)> {
        let given = g.hw.byte(fcb.at);
        let drive = self.drive_number(g, given).ok_or(ErrorCode::InvalidDrive)?;
        let Some(volume) = self.disk.volumes.get(drive) else { return Err(self.not_ready(g, drive)) };
        let mut path = volume.directory.clone();
        path.push(fcb_name(g, fcb.at.plus(1)));
        Ok((drive, path))
    }

    /// 0Fh.
    pub(super) fn fcb_open(&mut self, g: &mut Call) -> Answer {
        let fcb = Fcb::of_call(g);
        let name = fcb_name(g, fcb.at.plus(1));
        if let Some(device) = Device::named(&name) {
            return self.fcb_open_device(g, fcb, device);
        }
        let (drive, mut path) = self.fcb_path(g, fcb)?;
        if name.contains(&b'?') {
            let found = self.fcb_matches(g, drive, &path, fcb.attributes.unwrap_or(0))?;
            path.pop();
            path.extend(found.first().map(|f| f.name));
        }
        let mut files = self.on(g, drive)?;
        let node = files.find(&path)?;
        if files.attributes(node)? & attribute::DIRECTORY != 0 {
            return Err(ErrorCode::FileNotFound.into());
        }
        self.fcb_fill(g, fcb, Place { drive, node })?;
        Ok(())
    }

    fn fcb_fill(&mut self, g: &mut Call, fcb: Fcb, place: Place) -> Result<(), ErrorCode> {
        let Place { drive, node } = place;
        let mut files = self.on(g, drive)?;
        let (size, stamp) = (files.size(node)?, files.stamp(node));
        g.hw.set_byte(fcb.at, drive + 1);
        g.hw.set_word(fcb.at.plus(BLOCK), 0);
        g.hw.set_word(fcb.at.plus(RECORD_SIZE), 128);
        g.hw.set_dword(fcb.at.plus(SIZE), size);
        g.hw.set_word(fcb.at.plus(DATE), stamp.date);
        g.hw.set_word(fcb.at.plus(TIME), stamp.time);
        g.hw.set_byte(fcb.at.plus(MARK), OPEN_FILE | drive);
        g.hw.set_word(fcb.at.plus(MARK + 2), node.directory);
        g.hw.set_word(fcb.at.plus(MARK + 4), node.slot);
        Ok(())
    }

    fn fcb_open_device(&mut self, g: &mut Call, fcb: Fcb, device: Device) -> Answer {
        let now = self.stamp_now(g.hw);
        g.hw.set_word(fcb.at.plus(BLOCK), 0);
        g.hw.set_word(fcb.at.plus(RECORD_SIZE), 128);
        g.hw.set_dword(fcb.at.plus(SIZE), 0);
        g.hw.set_word(fcb.at.plus(DATE), now.date);
        g.hw.set_word(fcb.at.plus(TIME), now.time);
        g.hw.set_byte(fcb.at.plus(MARK), OPEN_DEVICE);
        g.hw.set_byte(fcb.at.plus(MARK + 1), u8::from(device == Device::Con));
        Ok(())
    }

    /// 10h: stores written data on the host.
    pub(super) fn fcb_close(&mut self, g: &mut Call) -> Answer {
        let fcb = Fcb::of_call(g);
        match g.hw.byte(fcb.at.plus(MARK)) {
            mark if mark & OPEN == OPEN_FILE => {
                let place = fcb_place(g, fcb);
                self.commit_place(g.hw, place)?;
                g.hw.set_byte(fcb.at.plus(MARK), 0);
                Ok(())
            }
            OPEN_DEVICE => Ok(()),
            // Closing an FCB that was never opened: DOS looks the name up, and reports success if
            // the file exists.
            _ => {
                let (drive, path) = self.fcb_path(g, fcb)?;
                self.on(g, drive)?.find(&path)?;
                Ok(())
            }
        }
    }

    /// 11h.
    pub(super) fn fcb_find_first(&mut self, g: &mut Call) -> Answer {
        self.fcb_search(g, true)
    }

    /// 12h.
    pub(super) fn fcb_find_next(&mut self, g: &mut Call) -> Answer {
        self.fcb_search(g, false)
    }

    /// Stores a directory entry at the DTA, after the drive's number.
    fn fcb_search(&mut self, g: &mut Call, first: bool) -> Answer {
        let fcb = Fcb::of_call(g);
        let (drive, mut path) = self.fcb_path(g, fcb)?;
        let pattern = path.pop().unwrap_or([b'?'; 11]);
        let (directory, next) = if first {
            (self.on(g, drive)?.find_directory(&path)?, 0)
        } else {
            (g.hw.word(fcb.at.plus(BLOCK + 2)), g.hw.word(fcb.at.plus(BLOCK)))
        };
        let mut search = Search { drive, pattern, attributes: fcb.attributes.unwrap_or(0), directory, next };
        let found = self.next_match(g, &mut search)?;
        g.hw.set_word(fcb.at.plus(BLOCK), search.next);
        g.hw.set_word(fcb.at.plus(BLOCK + 2), directory);
        let mut dta = g.hw.far(sysvars::DTA);
        if let Some(attributes) = fcb.attributes {
            g.hw.set_bytes(dta, &[0xFF, 0, 0, 0, 0, 0, attributes]);
            dta = dta.plus(7);
        }
        g.hw.set_byte(dta, drive + 1);
        g.hw.set_bytes(dta.plus(1), &found.name);
        g.hw.set_byte(dta.plus(12), found.attributes);
        g.hw.set_bytes(dta.plus(13), &[0; 10]);
        g.hw.set_word(dta.plus(23), found.stamp.time);
        g.hw.set_word(dta.plus(25), found.stamp.date);
        g.hw.set_word(dta.plus(27), 0);
        g.hw.set_dword(dta.plus(29), found.size);
        Ok(())
    }

    /// Returns all files that match the pattern at the end of a path.
    fn fcb_matches(
        &mut self,
        g: &mut Call,
        drive: u8,
        path: &[Name],
        attributes: u8,
    ) -> Result<Vec<Found>, ErrorCode> {
        let (pattern, parents) = path.split_last().ok_or(ErrorCode::FileNotFound)?;
        let directory = self.on(g, drive)?.find_directory(parents)?;
        let wanted = attributes & !attribute::DIRECTORY;
        let mut search = Search { drive, pattern: *pattern, attributes: wanted, directory, next: 0 };
        let mut found = Vec::new();
        while let Ok(entry) = self.next_match(g, &mut search) {
            found.push(entry);
        }
        if found.is_empty() { Err(ErrorCode::FileNotFound) } else { Ok(found) }
    }

    /// 13h: deletes all matching files. Fails if none matches, or one cannot be deleted.
    pub(super) fn fcb_delete(&mut self, g: &mut Call) -> Answer {
        let fcb = Fcb::of_call(g);
        let (drive, path) = self.fcb_path(g, fcb)?;
        let mut result = Ok(());
        for found in self.fcb_matches(g, drive, &path, fcb.attributes.unwrap_or(0))? {
            let deleted = self.on(g, drive).and_then(|mut files| files.delete(found.node));
            result = result.and(deleted);
        }
        Ok(result?)
    }

    /// 16h.
    pub(super) fn fcb_create(&mut self, g: &mut Call) -> Answer {
        let fcb = Fcb::of_call(g);
        let name = fcb_name(g, fcb.at.plus(1));
        if let Some(device) = Device::named(&name) {
            return self.fcb_open_device(g, fcb, device);
        }
        let (drive, path) = self.fcb_path(g, fcb)?;
        if !is_file_name(&name) {
            return Err(ErrorCode::FileNotFound.into());
        }
        let stamp = self.stamp_now(g.hw);
        let mut files = self.on(g, drive)?;
        let node = files.create(&path, fcb.attributes.unwrap_or(0))?;
        files.set_stamp(node, stamp)?;
        self.fcb_fill(g, fcb, Place { drive, node })?;
        Ok(())
    }

    /// 17h: renames all matching files to the name at 11h, whose question marks keep the character.
    pub(super) fn fcb_rename(&mut self, g: &mut Call) -> Answer {
        let fcb = Fcb::of_call(g);
        let (drive, path) = self.fcb_path(g, fcb)?;
        let to = fcb_name(g, fcb.at.plus(0x11));
        for found in self.fcb_matches(g, drive, &path, fcb.attributes.unwrap_or(0))? {
            let new = |i: usize| if to[i] == b'?' { found.name[i] } else { to[i] };
            let name: Name = std::array::from_fn(new);
            if !is_file_name(&name) || Device::named(&name).is_some() {
                return Err(ErrorCode::AccessDenied.into());
            }
            let mut target = path.clone();
            target.pop();
            target.push(name);
            self.on(g, drive)?.rename(found.node, &target)?;
        }
        Ok(())
    }

    /// 23h: stores the number of records in the random record field.
    pub(super) fn fcb_size(&mut self, g: &mut Call) -> Answer {
        let fcb = Fcb::of_call(g);
        let (drive, path) = self.fcb_path(g, fcb)?;
        let mut files = self.on(g, drive)?;
        let node = files.find(&path)?;
        let size = files.size(node)?;
        let record = record_size(g, fcb);
        set_random(g, fcb, size.div_ceil(u32::from(record)));
        Ok(())
    }

    /// 24h: sets the random record to the current sequential record.
    pub(super) fn fcb_set_random(&mut self, g: &mut Call) -> Answer {
        let fcb = Fcb::of_call(g);
        let record = sequential_record(g, fcb);
        set_random(g, fcb, record);
        Ok(())
    }
}

/// Returns name and extension from the FCB, in capitals.
fn fcb_name(g: &mut Call, at: Far) -> Name {
    let bytes = g.hw.bytes(at, 11);
    std::array::from_fn(|i| super::codepage::upper(bytes[i]))
}

/// Whether a file can have the name: only permitted characters, blanks only at the ends.
fn is_file_name(name: &Name) -> bool {
    let part = |bytes: &[u8]| {
        let len = bytes.iter().rposition(|&b| b != b' ').map_or(0, |i| i + 1);
        bytes[..len].iter().all(|&b| super::names::is_name_character(b))
    };
    name[0] != b' ' && part(&name[..8]) && part(&name[8..])
}

/// Returns the file of an open FCB.
fn fcb_place(g: &mut Call, fcb: Fcb) -> Place {
    let drive = g.hw.byte(fcb.at.plus(MARK)) & !OPEN;
    let node = Node { directory: g.hw.word(fcb.at.plus(MARK + 2)), slot: g.hw.word(fcb.at.plus(MARK + 4)) };
    Place { drive, node }
}

/// Returns the size of a record in bytes; 0 means 128.
fn record_size(g: &mut Call, fcb: Fcb) -> u16 {
    match g.hw.word(fcb.at.plus(RECORD_SIZE)) {
        0 => 128,
        size => size,
    }
}

/// Returns the current record of sequential calls: a block has 128 records.
fn sequential_record(g: &mut Call, fcb: Fcb) -> u32 {
    let block = u32::from(g.hw.word(fcb.at.plus(BLOCK)));
    block * 128 + u32::from(g.hw.byte(fcb.at.plus(RECORD)) & 0x7F)
}

fn set_sequential(g: &mut Call, fcb: Fcb, record: u32) {
    g.hw.set_word(fcb.at.plus(BLOCK), (record / 128) as u16);
    g.hw.set_byte(fcb.at.plus(RECORD), (record % 128) as u8);
}

/// Returns the random record. Its fourth byte is used only for records below 64 bytes.
fn random_record(g: &mut Call, fcb: Fcb) -> u32 {
    let record = g.hw.dword(fcb.at.plus(RANDOM));
    if record_size(g, fcb) < 64 { record } else { record & 0xFF_FFFF }
}

fn set_random(g: &mut Call, fcb: Fcb, record: u32) {
    let bytes = record.to_le_bytes();
    let len = if record_size(g, fcb) < 64 { 4 } else { 3 };
    g.hw.set_bytes(fcb.at.plus(RANDOM), &bytes[..len]);
}
