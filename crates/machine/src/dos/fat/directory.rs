//! Directories: finding entries, searching, and creating, renaming and removing them.
//!
//! A directory is identified by its first cluster, the root by 0; an entry by its index there.

use super::entry::{Entry, UNUSED};
use super::layout::ENTRIES;
use super::volume::{CYCLES_A_STEP, Fat};
use crate::dos::devices::Device;
use crate::dos::drive::{Found, Node, Timestamp, attribute};
use crate::dos::error::ErrorCode;
use crate::dos::names::{Name, matches};

const ROOT: u16 = 0;

/// The maximum number of sectors of a directory: slot numbers have 16 bits.
const MOST_SECTORS: usize = 0x1_0000 / ENTRIES as usize;

/// Attributes that exclude an entry from a search that does not request them.
const SPECIAL: u8 = attribute::HIDDEN | attribute::SYSTEM | attribute::DIRECTORY | attribute::LABEL;

impl Fat<'_> {
    /// Returns the sector of an entry and its offset there. `None` after the directory's end.
    fn place(&mut self, node: Node) -> Result<Option<(u32, usize)>, ErrorCode> {
        let (sector, at) = (u32::from(node.slot) / ENTRIES, (u32::from(node.slot) % ENTRIES * 32) as usize);
        if node.directory == ROOT {
            let there = node.slot < self.layout.root_entries;
            return Ok(there.then_some((self.layout.root + sector, at)));
        }
        let steps = sector / u32::from(self.layout.cluster);
        let cluster = self.cluster_at(node.directory, steps)?;
        let within = sector % u32::from(self.layout.cluster);
        Ok(cluster.map(|cluster| (self.layout.sector_of(cluster) + within, at)))
    }

    /// Returns the entry as it is on the disk, free or not. `None` after the directory's end.
    fn raw_entry(&mut self, node: Node) -> Result<Option<Entry>, ErrorCode> {
        let Some((sector, at)) = self.place(node)? else { return Ok(None) };
        let mut entry = [0; 32];
        entry.copy_from_slice(&self.read_sector(sector)?[at..at + 32]);
        Ok(Some(Entry(entry)))
    }

    pub(super) fn entry(&mut self, node: Node) -> Result<Entry, ErrorCode> {
        let entry = self.raw_entry(node)?.filter(|entry| !entry.is_free() && !entry.is_long_name());
        entry.ok_or(ErrorCode::FileNotFound)
    }

    pub(super) fn set_entry(&mut self, node: Node, entry: &Entry) -> Result<(), ErrorCode> {
        let (sector, at) = self.place(node)?.ok_or(ErrorCode::FileNotFound)?;
        let mut bytes = self.read_sector(sector)?;
        bytes[at..at + 32].copy_from_slice(&entry.0);
        self.write_sector(sector, &bytes)
    }

    /// Returns the sectors of a directory, up to the maximum: so a circular chain ends too.
    fn sectors_of(&mut self, directory: u16) -> Result<Vec<u32>, ErrorCode> {
        if directory == ROOT {
            return Ok((self.layout.root..self.layout.data).collect());
        }
        let mut sectors = Vec::new();
        let mut cluster = Some(directory).filter(|first| self.layout.has(*first));
        while let Some(here) = cluster.filter(|_| sectors.len() < MOST_SECTORS) {
            let first = self.layout.sector_of(here);
            sectors.extend(first..first + u32::from(self.layout.cluster));
            cluster = self.after(here)?;
        }
        sectors.truncate(MOST_SECTORS);
        Ok(sectors)
    }

    /// Returns the first entry at or after a slot for which `wanted` returns true.
    fn first_entry(
        &mut self,
        directory: u16,
        from: u16,
        wanted: impl Fn(&Entry) -> bool,
    ) -> Result<Option<(Node, Entry)>, ErrorCode> {
        let skipped = u32::from(from) / ENTRIES;
        let sectors = self.sectors_of(directory)?;
        for (sector, first) in
            sectors.into_iter().zip((0..=u16::MAX).step_by(ENTRIES as usize)).skip(skipped as usize)
        {
            let bytes = self.read_sector(sector)?;
            *self.host_cost += CYCLES_A_STEP;
            for (bytes, slot) in
                bytes.as_chunks::<32>().0.iter().zip(first..).skip(usize::from(from.saturating_sub(first)))
            {
                let entry = Entry(*bytes);
                if entry.0[0] == UNUSED {
                    return Ok(None);
                }
                if !entry.is_free() && !entry.is_long_name() && wanted(&entry) {
                    return Ok(Some((Node { directory, slot }, entry)));
                }
            }
        }
        Ok(None)
    }

    fn find_in(&mut self, directory: u16, name: &Name) -> Result<Option<(Node, Entry)>, ErrorCode> {
        self.first_entry(directory, 0, |entry| !entry.is_label() && entry.name() == *name)
    }

    pub(in crate::dos) fn find_directory(&mut self, path: &[Name]) -> Result<u16, ErrorCode> {
        let mut directory = ROOT;
        for name in path {
            let found = self.find_in(directory, name)?.filter(|(_, entry)| entry.is_directory());
            directory = found.ok_or(ErrorCode::PathNotFound)?.1.first();
        }
        Ok(directory)
    }

    /// Returns the file or directory with this path.
    pub(in crate::dos) fn find(&mut self, path: &[Name]) -> Result<Node, ErrorCode> {
        let (name, parents) = path.split_last().ok_or(ErrorCode::FileNotFound)?;
        let directory = self.find_directory(parents)?;
        Ok(self.find_in(directory, name)?.ok_or(ErrorCode::FileNotFound)?.0)
    }

    /// Returns the first match at or after a slot, as for function 4Eh.
    pub(in crate::dos) fn search(
        &mut self,
        directory: u16,
        pattern: &Name,
        wanted: u8,
        slot: u16,
    ) -> Result<Found, ErrorCode> {
        let found = self.first_entry(directory, slot, |entry| {
            let is_asked_for = match wanted {
                attribute::LABEL => entry.is_label(),
                _ => entry.attributes() & SPECIAL & !wanted == 0,
            };
            is_asked_for && matches(pattern, &entry.name())
        })?;
        let (node, entry) = found.ok_or(ErrorCode::NoMoreFiles)?;
        Ok(Found {
            name: entry.name(),
            attributes: entry.attributes(),
            stamp: entry.stamp(),
            size: entry.size(),
            node,
        })
    }

    /// Adds an entry to a directory. The directory grows if necessary, unless it is the root.
    fn add(&mut self, directory: u16, entry: &Entry) -> Result<Node, ErrorCode> {
        let sectors = self.sectors_of(directory)?;
        for (sector, first) in sectors.iter().zip((0..=u16::MAX).step_by(ENTRIES as usize)) {
            let bytes = self.read_sector(*sector)?;
            let free = bytes.as_chunks::<32>().0.iter().position(|bytes| Entry(*bytes).is_free());
            if let Some(free) = free {
                let node = Node { directory, slot: first + free as u16 };
                self.set_entry(node, entry)?;
                return Ok(node);
            }
        }
        let clusters = sectors.len() as u32 / u32::from(self.layout.cluster);
        if directory == ROOT || clusters == 0 || sectors.len() >= MOST_SECTORS {
            return Err(ErrorCode::CannotMakeDirectory);
        }
        let last = self.cluster_at(directory, clusters - 1)?;
        let cluster = self.allocate(last)?.ok_or(ErrorCode::CannotMakeDirectory)?;
        self.clear(cluster)?;
        let node = Node { directory, slot: (sectors.len() as u32 * ENTRIES) as u16 };
        self.set_entry(node, entry)?;
        Ok(node)
    }

    /// Fills a cluster with zeros.
    fn clear(&mut self, cluster: u16) -> Result<(), ErrorCode> {
        let first = self.layout.sector_of(cluster);
        (first..first + u32::from(self.layout.cluster))
            .try_for_each(|sector| self.write_sector(sector, &[0; 512]))
    }

    /// Creates a file, or truncates an existing one.
    pub(in crate::dos) fn create(&mut self, path: &[Name], attributes: u8) -> Result<Node, ErrorCode> {
        let (name, parents) = path.split_last().ok_or(ErrorCode::AccessDenied)?;
        let directory = self.find_directory(parents)?;
        may_be_made(name)?;
        let mut fresh = Entry::new(name, attributes | attribute::ARCHIVE);
        match self.find_in(directory, name)? {
            Some((_, entry)) if entry.attributes() & (attribute::READ_ONLY | attribute::DIRECTORY) != 0 => {
                Err(ErrorCode::AccessDenied)
            }
            Some((node, entry)) => {
                self.free(entry.first())?;
                fresh.set_stamp(entry.stamp());
                self.set_entry(node, &fresh)?;
                Ok(node)
            }
            None => self.add(directory, &fresh),
        }
    }

    pub(in crate::dos) fn delete(&mut self, node: Node) -> Result<(), ErrorCode> {
        let entry = self.entry(node)?;
        if entry.attributes() & (attribute::READ_ONLY | attribute::DIRECTORY | attribute::LABEL) != 0 {
            return Err(ErrorCode::AccessDenied);
        }
        self.free(entry.first())?;
        self.forget(node, entry)
    }

    fn forget(&mut self, node: Node, mut entry: Entry) -> Result<(), ErrorCode> {
        entry.0[0] = super::entry::DELETED;
        self.set_entry(node, &entry)
    }

    /// Renames a file or directory; a file possibly into another directory.
    pub(in crate::dos) fn rename(&mut self, node: Node, path: &[Name]) -> Result<(), ErrorCode> {
        let (name, parents) = path.split_last().ok_or(ErrorCode::AccessDenied)?;
        may_be_made(name)?;
        let directory = self.find_directory(parents)?;
        let mut entry = self.entry(node)?;
        if self.find_in(directory, name)?.is_some() || entry.is_directory() && directory != node.directory {
            return Err(ErrorCode::AccessDenied);
        }
        let old = entry;
        entry.set_name(name);
        if directory == node.directory {
            return self.set_entry(node, &entry);
        }
        self.add(directory, &entry)?;
        self.forget(node, old)
    }

    /// Creates a directory, with its entries for itself and its parent.
    pub(in crate::dos) fn make_directory(
        &mut self,
        path: &[Name],
        stamp: Timestamp,
    ) -> Result<(), ErrorCode> {
        let (name, parents) = path.split_last().ok_or(ErrorCode::AccessDenied)?;
        let directory = self.find_directory(parents)?;
        may_be_made(name)?;
        if self.find_in(directory, name)?.is_some() {
            return Err(ErrorCode::AccessDenied);
        }
        let cluster = self.allocate(None)?.ok_or(ErrorCode::AccessDenied)?;
        self.clear(cluster)?;
        let mut entry = Entry::new(name, attribute::DIRECTORY);
        entry.set_stamp(stamp);
        entry.set_first(cluster);
        if let Err(error) = self.add(directory, &entry) {
            self.free(cluster)?;
            return Err(error);
        }
        for (slot, name, first) in [(0, b".          ", cluster), (1, b"..         ", directory)] {
            entry.set_name(name);
            entry.set_first(first);
            self.set_entry(Node { directory: cluster, slot }, &entry)?;
        }
        Ok(())
    }

    pub(in crate::dos) fn remove_directory(&mut self, path: &[Name]) -> Result<(), ErrorCode> {
        let node = self.find(path).map_err(|_| ErrorCode::PathNotFound)?;
        let entry = self.entry(node)?;
        if !entry.is_directory() || !self.layout.has(entry.first()) {
            return Err(ErrorCode::PathNotFound);
        }
        if self.first_entry(entry.first(), 0, |entry| entry.0[0] != b'.')?.is_some() {
            return Err(ErrorCode::AccessDenied);
        }
        self.free(entry.first())?;
        self.forget(node, entry)
    }
}

/// Names of devices and patterns cannot be created.
fn may_be_made(name: &Name) -> Result<(), ErrorCode> {
    if Device::named(name).is_some() || name.contains(&b'?') {
        return Err(ErrorCode::AccessDenied);
    }
    Ok(())
}
