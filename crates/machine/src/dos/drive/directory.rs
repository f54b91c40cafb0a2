//! The entries of a directory, by slot and by name.
//!
//! Invariant: `index` names exactly the slots of entries that are not deleted. As in a FAT
//! directory an entry keeps its slot and a deleted one leaves a hole, so a search that deletes what
//! it finds misses nothing.

use super::{Timestamp, attribute, contents::PagedFile, shared::Shared};
use crate::dos::names::Name;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::PathBuf, time::SystemTime};

/// The maximum number of entries; a slot number has 16 bits.
pub(super) const MOST_ENTRIES: usize = 65_000;

/// About how many bytes of memory an entry's names take.
const NAMES_OF_ENTRY: usize = 64;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) name: Name,
    /// The name on the host; `None` if the file has not been written there yet.
    pub(super) host: Option<String>,
    pub(super) attributes: u8,
    /// Whether the guest has set the attributes, so that the host's are not used.
    pub(super) own_attributes: bool,
    /// Set by the guest; otherwise the host's.
    pub(super) stamp: Option<Timestamp>,
    /// Contents that the host does not have yet.
    pub(super) data: Option<PagedFile>,
    pub(super) opens: u32,
    /// Its directory, if it has been read.
    pub(super) child: Option<u16>,
    /// Whether it was deleted while open: its handles keep it, but it cannot be found.
    pub(super) deleted: bool,
}

impl Entry {
    pub(super) fn new(name: Name, host: Option<String>, attributes: u8) -> Self {
        Entry {
            name,
            host,
            attributes,
            own_attributes: false,
            stamp: None,
            data: None,
            opens: 0,
            child: None,
            deleted: false,
        }
    }

    pub(super) fn is_directory(&self) -> bool {
        self.attributes & attribute::DIRECTORY != 0
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Directory {
    /// Its path on the host, from the root of the drive. `None` if the drive has no host folder.
    pub(super) host: Option<PathBuf>,
    pub(super) alive: bool,
    slots: Shared<Vec<Option<Entry>>>,
    index: Shared<BTreeMap<Name, u16>>,
    /// The modification times of the host folder at the last two reads.
    #[serde(skip)]
    pub(super) seen: [Option<SystemTime>; 2],
}

impl Directory {
    pub(super) fn new(host: Option<PathBuf>) -> Self {
        Directory { host, alive: true, slots: Shared::default(), index: Shared::default(), seen: [None; 2] }
    }

    pub(super) fn get(&self, slot: u16) -> Option<&Entry> {
        self.slots.get(usize::from(slot))?.as_ref()
    }

    /// Returns an entry. Only [`Directory::take`] and [`Directory::put`] may change its name.
    pub(super) fn get_mut(&mut self, slot: u16) -> Option<&mut Entry> {
        self.slots.get_mut(usize::from(slot))?.as_mut()
    }

    pub(super) fn find(&self, name: &Name) -> Option<u16> {
        self.index.get(name).copied()
    }

    /// Returns the entries with their slots, from a slot, without those that only handles refer to.
    pub(super) fn entries_from(&self, slot: u16) -> impl Iterator<Item = (u16, &Entry)> {
        let slots = self.slots.iter().enumerate().skip(usize::from(slot));
        slots.filter_map(|(i, entry)| Some((i as u16, entry.as_ref().filter(|entry| !entry.deleted)?)))
    }

    /// Returns about how many bytes of memory are not shared with another.
    pub(super) fn bytes_beyond(&self, other: Option<&Directory>) -> usize {
        if other.is_some_and(|other| self.slots.is(&other.slots)) {
            return 0;
        }
        let others = other.map_or(&[][..], |other| &other.slots);
        let entries = self.slots.iter().enumerate().filter_map(|(slot, entry)| Some((slot, entry.as_ref()?)));
        let written = entries.filter_map(|(slot, entry)| {
            let before = others.get(slot).and_then(|other| other.as_ref()?.data.as_ref());
            Some(entry.data.as_ref()?.bytes_beyond(before))
        });
        written.sum::<usize>() + self.slots.len() * (size_of::<Option<Entry>>() + NAMES_OF_ENTRY)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Whether the guest neither set nor uses any of it: it can be read from the host again.
    pub(super) fn is_untouched(&self) -> bool {
        self.slots.iter().flatten().all(|entry| {
            entry.host.is_some()
                && entry.data.is_none()
                && entry.opens == 0
                && entry.child.is_none()
                && entry.stamp.is_none()
                && !entry.own_attributes
        })
    }

    /// Returns the number of slots, including holes.
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Adds an entry in the first hole at or after `from`, otherwise at the end, as FAT does.
    /// `None` if the directory is full.
    pub(super) fn add(&mut self, entry: Entry, from: usize) -> Option<u16> {
        let hole = self.slots.iter().skip(from).position(Option::is_none);
        let slot = match hole {
            Some(hole) => from + hole,
            None if self.slots.len() < MOST_ENTRIES => {
                self.slots.push(None);
                self.slots.len() - 1
            }
            None => return None,
        };
        self.put(slot as u16, entry);
        Some(slot as u16)
    }

    /// Stores an entry in a slot that exists and is empty.
    pub(super) fn put(&mut self, slot: u16, entry: Entry) {
        self.index.insert(entry.name, slot);
        self.slots[usize::from(slot)] = Some(entry);
    }

    pub(super) fn take(&mut self, slot: u16) -> Option<Entry> {
        let entry = self.slots.get_mut(usize::from(slot))?.take()?;
        // Another file may have the name of one that was deleted while open.
        if !entry.deleted {
            self.index.remove(&entry.name);
        }
        Some(entry)
    }

    /// Removes an entry's name; its slot stays in use until the last handle is closed.
    pub(super) fn unlist(&mut self, slot: u16) {
        if let Some(entry) = self.slots.get_mut(usize::from(slot)).and_then(Option::as_mut) {
            entry.deleted = true;
            entry.host = None;
            self.index.remove(&entry.name);
        }
    }
}
