//! Directory searches: functions 4Eh and 4Fh, 11h and 12h.
//!
//! As in DOS, the state of a search is only in the guest's DTA or FCB: a program may copy it, keep
//! several, or drop it. It consists of the directory's number, the pattern, the attributes and the
//! next position.

use super::{
    drive::{Found, Node, Timestamp, attribute},
    error::{Answer, ErrorCode},
    names::{Name, Target, display, matches},
    pending::Call,
    state::Dos,
    sysvars,
};
use crate::firmware::GuestMemory;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Search {
    pub(super) drive: u8,
    pub(super) pattern: Name,
    pub(super) attributes: u8,
    pub(super) directory: u16,
    /// The position at which the search continues: on an image a slot of the directory; in a host
    /// folder 0 for `.`, 1 for `..`, and for other entries their slot plus 2.
    pub(super) next: u16,
}

const NO_DIRECTORY: u16 = 0xFFFF;
/// A slot after the last one of every directory.
const NO_SLOT: u16 = 0xFFFF;
const NO_NODE: Node = Node { directory: NO_DIRECTORY, slot: 0 };

impl Dos {
    /// Returns the next match, and advances the search. Fails with `NoMoreFiles`.
    pub(super) fn next_match(&mut self, g: &mut Call, search: &mut Search) -> Result<Found, ErrorCode> {
        let mut files = self.on(g, search.drive).map_err(|_| ErrorCode::NoMoreFiles)?;
        if files.keeps_dot_entries() {
            let found = files.search(search.directory, &search.pattern, search.attributes, search.next);
            let found = found.map_err(|_| ErrorCode::NoMoreFiles)?;
            search.next = found.node.slot.saturating_add(1);
            return Ok(found);
        }
        // Only the volume label is requested, and a host folder has none.
        if search.attributes == attribute::LABEL {
            return Err(ErrorCode::NoMoreFiles);
        }
        while search.next < 2 {
            let name = if search.next == 0 { *b".          " } else { *b"..         " };
            search.next += 1;
            let wanted = search.attributes & attribute::DIRECTORY != 0 && search.directory != 0;
            if wanted && matches(&search.pattern, &name) {
                let stamp = Timestamp { date: 0x21, time: 0 };
                return Ok(Found { name, attributes: attribute::DIRECTORY, stamp, size: 0, node: NO_NODE });
            }
        }
        let found = files.search(search.directory, &search.pattern, search.attributes, search.next - 2)?;
        search.next = found.node.slot.saturating_add(3);
        Ok(found)
    }

    /// 4Eh: finds the first file that matches DS:DX and the attributes CX.
    pub(super) fn find_first(&mut self, g: &mut Call) -> Answer {
        let attributes = g.cpu.regs.cl();
        let mut search = match self.target_at(g, g.ds_dx())? {
            Target::Device(_, name) => return self.found_device(g, name),
            Target::Disk { drive, path, .. } => {
                let (name, parents) = path.split_last().ok_or(ErrorCode::NoMoreFiles)?;
                let directory = self.on(g, drive)?.find_directory(parents)?;
                Search { drive, pattern: *name, attributes, directory, next: 0 }
            }
            Target::NotReady(_) => return Err(ErrorCode::PathNotFound.into()),
        };
        let found = self.next_match(g, &mut search)?;
        self.write_found(g, &search, &found);
        Ok(())
    }

    fn found_device(&mut self, g: &mut Call, name: Name) -> Answer {
        let drive = g.hw.byte(sysvars::CURRENT_DRIVE);
        let search = Search { drive, pattern: name, attributes: 0, directory: NO_DIRECTORY, next: NO_SLOT };
        let stamp = self.stamp_now(g.hw);
        self.write_found(g, &search, &Found { name, attributes: 0x40, stamp, size: 0, node: NO_NODE });
        Ok(())
    }

    /// 4Fh: finds the next file, with the state in the DTA.
    pub(super) fn find_next(&mut self, g: &mut Call) -> Answer {
        let dta = g.hw.far(sysvars::DTA);
        let number = g.hw.byte(dta);
        let Some(drive) = number.checked_sub(1).filter(|drive| self.disk.volumes.has(*drive)) else {
            return Err(ErrorCode::NoMoreFiles.into());
        };
        let mut search = Search {
            drive,
            pattern: g.hw.bytes(dta.plus(1), 11).try_into().unwrap_or([b' '; 11]),
            attributes: g.hw.byte(dta.plus(0x0C)),
            next: g.hw.word(dta.plus(0x0D)),
            directory: g.hw.word(dta.plus(0x0F)),
        };
        let found = self.next_match(g, &mut search)?;
        self.write_found(g, &search, &found);
        Ok(())
    }

    /// Stores state and result in the DTA: drive, pattern, attributes, position, directory; then
    /// attributes, time, date, size, name.
    fn write_found(&mut self, g: &mut Call, search: &Search, found: &Found) {
        let dta = g.hw.far(sysvars::DTA);
        g.hw.set_byte(dta, search.drive + 1);
        g.hw.set_bytes(dta.plus(1), &search.pattern);
        g.hw.set_byte(dta.plus(0x0C), search.attributes);
        g.hw.set_word(dta.plus(0x0D), search.next);
        g.hw.set_word(dta.plus(0x0F), search.directory);
        g.hw.set_byte(dta.plus(0x15), found.attributes);
        g.hw.set_word(dta.plus(0x16), found.stamp.time);
        g.hw.set_word(dta.plus(0x18), found.stamp.date);
        g.hw.set_dword(dta.plus(0x1A), found.size);
        let mut name = display(&found.name);
        if found.name[0] == b'.' {
            name = found.name.iter().copied().take_while(|&b| b == b'.').collect();
        }
        name.resize(13, 0);
        g.hw.set_bytes(dta.plus(0x1E), &name);
    }
}
