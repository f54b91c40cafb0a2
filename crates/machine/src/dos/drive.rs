//! Drive C:: a host folder as a DOS file system that programs cannot leave.
//!
//! Invariants: a host path always consists of names that the host itself has listed (or that
//! [`names`](super::names) has made), never of a guest's text. It is resolved below the folder,
//! which is held open. Links that lead out of the folder, and anything that is neither file nor
//! folder, are invisible.
//! What a program writes stays in guest state (`Entry::data`) until the file is closed or
//! committed, so a snapshot taken before contains it and a restore undoes it. Creating, deleting
//! and renaming files and folders take effect at once.
//! Without a host folder the drive exists only in guest state.

mod aliases;
mod changes;
mod contents;
mod directory;
#[cfg(any(unix, windows))]
mod host;
#[cfg(not(any(unix, windows)))]
#[path = "drive/no_host.rs"]
mod host;
mod outside;
mod scan;
mod shared;
mod timestamp;
mod store;

pub use timestamp::Timestamp;

use super::{
    error::ErrorCode,
    names::{Name, matches},
};
use directory::{Directory, Entry};
use host::SandboxDir;
use serde::{Deserialize, Serialize};
use std::{io, path::PathBuf, time::SystemTime};

/// The host's information about a file or folder, or about the target of a link.
#[derive(Debug, Clone, Copy)]
struct Metadata {
    is_directory: bool,
    len: u64,
    modified: Option<SystemTime>,
    is_protected: bool,
}

pub(crate) mod attribute {
    pub(crate) const READ_ONLY: u8 = 0x01;
    pub(crate) const HIDDEN: u8 = 0x02;
    pub(crate) const SYSTEM: u8 = 0x04;
    pub(crate) const LABEL: u8 = 0x08;
    pub(crate) const DIRECTORY: u8 = 0x10;
    pub(crate) const ARCHIVE: u8 = 0x20;
}

/// The maximum of written data in guest state in bytes. More is reported as a full disk.
pub const PENDING_LIMIT: u64 = 64 << 20;

/// The maximum that a program may add to the host folder in bytes; each new file or folder counts
/// as a cluster. More is reported as a full disk.
pub const GROWTH_LIMIT: u64 = 256 << 20;

/// Size of a cluster in bytes, as returned by functions 1Ch and 36h.
pub(crate) const CLUSTER: u64 = 0x8000;

/// Virtual time of reading an entry from the host, of passing slots in a search, of transferring
/// bytes to or from the host, and of any other access.
const CYCLES_AN_ENTRY: u64 = 30;
const SLOTS_A_CYCLE: u64 = 2;
const BYTES_A_CYCLE: u64 = 8;
const CYCLES_AN_ACCESS: u64 = 300;

/// The position of an entry. It is valid until the entry is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Node {
    pub(crate) directory: u16,
    pub(crate) slot: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) name: Name,
    pub(crate) attributes: u8,
    pub(crate) stamp: Timestamp,
    pub(crate) size: u32,
    pub(crate) node: Node,
}

/// The file system of drive C:.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Drive {
    /// The host folder. It belongs to the machine and not to its state: runs in different folders
    /// can have equal states, and a stored snapshot opens no folder.
    #[serde(skip)]
    root: Option<SandboxDir>,
    /// Set while replaying: writes do not reach the host.
    #[serde(skip)]
    dry_run: bool,
    read_only: bool,
    /// The time stamp of files that the guest has not stamped; `None` uses the host's (in UTC).
    fixed_stamp: Option<Timestamp>,
    directories: Vec<Directory>,
    pending: u64,
    growth: u64,
    /// Host work since it was last taken, in cycles.
    host_cost: u64,
    #[serde(skip)]
    cache: store::ReadAhead,
}

/// The host folder, and how it may be changed. Not part of a snapshot.
#[derive(Debug)]
pub(crate) struct Folder {
    root: Option<SandboxDir>,
    read_only: bool,
    dry_run: bool,
}

impl Drive {
    /// Opens the host folder `root` as a drive. Fails if the folder cannot be found or read.
    pub(crate) fn open(
        root: Option<&std::path::Path>,
        read_only: bool,
        fixed: Option<Timestamp>,
    ) -> io::Result<Self> {
        let root = root.map(SandboxDir::open).transpose()?;
        let top = Directory::new(root.as_ref().map(|_| PathBuf::new()));
        Ok(Drive {
            root,
            dry_run: false,
            read_only,
            fixed_stamp: fixed,
            directories: vec![top],
            pending: 0,
            growth: 0,
            host_cost: 0,
            cache: store::ReadAhead::default(),
        })
    }

    /// Discards the listing of the host folder unless in use. The next access reads it again.
    pub(crate) fn forget_listing(&mut self) {
        if let [top] = self.directories.as_mut_slice()
            && top.is_untouched()
        {
            *top = Directory::new(top.host.take());
        }
    }

    /// Returns the free and the total clusters. They depend only on what the guest has written.
    pub(crate) fn clusters(&self) -> (u16, u16) {
        let free = GROWTH_LIMIT.saturating_sub(self.growth + self.pending) / CLUSTER;
        (free.min(0xFFF0) as u16, (GROWTH_LIMIT / CLUSTER).min(0xFFF0) as u16)
    }

    /// Returns about how many bytes of memory its state needs beyond another's.
    pub(crate) fn bytes_beyond(&self, other: &Drive) -> usize {
        let own = self.directories.iter().enumerate();
        own.map(|(number, directory)| directory.bytes_beyond(other.directories.get(number))).sum()
    }

    /// Returns the bytes that are written and not on the host yet.
    pub(crate) fn pending(&self) -> u64 {
        self.pending
    }

    /// Returns the bytes by which files and folders have grown; each new one counts as a cluster.
    pub(crate) fn growth(&self) -> u64 {
        self.growth
    }

    fn directory(&self, id: u16) -> Result<&Directory, ErrorCode> {
        self.directories.get(usize::from(id)).filter(|d| d.alive).ok_or(ErrorCode::PathNotFound)
    }

    fn entry(&self, node: Node) -> Result<&Entry, ErrorCode> {
        self.directory(node.directory)?.get(node.slot).ok_or(ErrorCode::FileNotFound)
    }

    fn entry_mut(&mut self, node: Node) -> Result<&mut Entry, ErrorCode> {
        self.directories
            .get_mut(usize::from(node.directory))
            .and_then(|d| d.get_mut(node.slot))
            .ok_or(ErrorCode::FileNotFound)
    }

    /// Returns the directory with this path. Fails with `PathNotFound` if a part is no directory.
    pub(crate) fn find_directory(&mut self, path: &[Name]) -> Result<u16, ErrorCode> {
        let mut id = 0;
        for name in path {
            let node = self.find_in(id, name).ok_or(ErrorCode::PathNotFound)?;
            id = self.enter(node)?;
        }
        Ok(id)
    }

    /// Returns the directory of an entry.
    fn enter(&mut self, node: Node) -> Result<u16, ErrorCode> {
        let entry = self.entry(node)?;
        if !entry.is_directory() {
            return Err(ErrorCode::PathNotFound);
        }
        if let Some(child) = entry.child {
            return Ok(child);
        }
        let id = u16::try_from(self.directories.len()).map_err(|_| ErrorCode::PathNotFound)?;
        let host = match (&self.directory(node.directory)?.host, &entry.host) {
            (Some(parent), Some(name)) => Some(parent.join(name)),
            _ => None,
        };
        self.directories.push(Directory::new(host));
        self.entry_mut(node)?.child = Some(id);
        Ok(id)
    }

    /// Returns the entry with this name; reads the host folder again if it is unknown.
    fn find_in(&mut self, id: u16, name: &Name) -> Option<Node> {
        let known = self.known(id, name);
        // Whether the host folder must be read depends on the host, but the virtual time must
        // not.
        self.host_cost += CYCLES_AN_ACCESS;
        if known.is_none() {
            self.host_cost += self.directory(id).map_or(0, |d| d.len() as u64) * CYCLES_AN_ENTRY;
        }
        match known {
            Some(node) if self.still_there(node) => Some(node),
            _ => {
                self.refresh(id);
                self.known(id, name)
            }
        }
    }

    fn known(&self, id: u16, name: &Name) -> Option<Node> {
        let slot = self.directory(id).ok()?.find(name)?;
        Some(Node { directory: id, slot })
    }

    /// Returns the file or directory with this path; the root has no entry. Fails with
    /// `PathNotFound` or `FileNotFound`.
    pub(crate) fn find(&mut self, path: &[Name]) -> Result<Node, ErrorCode> {
        let (name, parents) = path.split_last().ok_or(ErrorCode::FileNotFound)?;
        let id = self.find_directory(parents)?;
        self.find_in(id, name).ok_or(ErrorCode::FileNotFound)
    }

    /// Converts a host path, relative to the drive's folder, to the path that programs use.
    pub(crate) fn find_host(&mut self, path: &str) -> Option<Vec<Name>> {
        let mut id = 0;
        let mut found = Vec::new();
        for part in path.split(['/', '\\']) {
            if let Some(name) = found.last() {
                let node = self.known(id, name)?;
                id = self.enter(node).ok()?;
            }
            self.refresh(id);
            let directory = self.directory(id).ok()?;
            let entry = directory.entries_from(0).find(|(_, e)| e.host.as_deref() == Some(part));
            found.push(entry?.1.name);
        }
        Some(found)
    }

    pub(crate) fn attributes(&self, node: Node) -> Result<u8, ErrorCode> {
        let entry = self.entry(node)?;
        if entry.own_attributes || entry.is_directory() {
            return Ok(entry.attributes);
        }
        let is_protected = self.about(node).is_some_and(|about| about.is_protected);
        Ok(entry.attributes | if is_protected { attribute::READ_ONLY } else { 0 })
    }

    /// Sets the attributes that a program may change. They are kept in guest state, because the
    /// host has no such bits.
    pub(crate) fn set_attributes(&mut self, node: Node, attributes: u8) -> Result<(), ErrorCode> {
        self.writable()?;
        let entry = self.entry_mut(node)?;
        let kept = entry.attributes & attribute::DIRECTORY;
        entry.attributes = attributes & 0x27 | kept;
        entry.own_attributes = true;
        Ok(())
    }

    /// Takes the parts that belong to the machine and not to its state.
    pub(crate) fn take_folder(&mut self) -> Folder {
        Folder { root: self.root.take(), read_only: self.read_only, dry_run: self.dry_run }
    }

    pub(crate) fn set_folder(&mut self, Folder { root, read_only, dry_run }: Folder) {
        (self.root, self.read_only, self.dry_run) = (root, read_only, dry_run);
    }

    /// Starts or ends replaying, during which the host folder does not change.
    pub(crate) fn set_dry_run(&mut self, dry_run: bool) {
        self.dry_run = dry_run;
    }

    /// Returns the host folder if changes have to reach it.
    fn changed_root(&self) -> Option<&SandboxDir> {
        self.root.as_ref().filter(|_| !self.dry_run)
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.read_only
    }

    fn writable(&self) -> Result<(), ErrorCode> {
        if self.read_only { Err(ErrorCode::AccessDenied) } else { Ok(()) }
    }

    /// Refreshes the directory, then returns the first match at or after `slot`. `wanted` are the
    /// attributes of 4Eh: hidden and system files and directories match only if they are requested.
    /// Fails with `NoMoreFiles`.
    pub(crate) fn search(
        &mut self,
        id: u16,
        pattern: &Name,
        wanted: u8,
        slot: u16,
    ) -> Result<Found, ErrorCode> {
        if slot == 0 {
            self.refresh(id);
        }
        let special = attribute::HIDDEN | attribute::SYSTEM | attribute::DIRECTORY;
        let directory = self.directory(id).map_err(|_| ErrorCode::NoMoreFiles)?;
        let slots = directory.len();
        let found = directory
            .entries_from(slot)
            .find(|(_, e)| matches(pattern, &e.name) && e.attributes & special & !wanted == 0)
            .map(|(slot, e)| (slot, e.name));
        let passed =
            found.map_or(slots, |(slot, _)| usize::from(slot)).saturating_sub(usize::from(slot)) as u64;
        self.host_cost += CYCLES_AN_ACCESS + passed / SLOTS_A_CYCLE;
        if slot == 0 {
            self.host_cost += slots as u64 * CYCLES_AN_ENTRY;
        }
        let (slot, name) = found.ok_or(ErrorCode::NoMoreFiles)?;
        let node = Node { directory: id, slot };
        let attributes = self.attributes(node).map_err(|_| ErrorCode::NoMoreFiles)?;
        let size = if attributes & attribute::DIRECTORY != 0 { 0 } else { self.size(node).unwrap_or(0) };
        Ok(Found { name, attributes, stamp: self.stamp(node), size, node })
    }

    /// Returns and clears the host work since the last call, in cycles. Drive accesses take virtual
    /// time, so that a limit of virtual time also limits the host's time. Depends only on sizes.
    pub(crate) fn take_host_cost(&mut self) -> u64 {
        std::mem::take(&mut self.host_cost)
    }

    pub(crate) fn hold(&mut self, node: Node) {
        self.cache = store::ReadAhead::default();
        if let Ok(entry) = self.entry_mut(node) {
            entry.opens += 1;
        }
    }

    /// Ends a handle on the file. The last one stores written data on the host; others try to.
    /// Fails if the host refuses the data.
    pub(crate) fn release(&mut self, node: Node) -> Result<(), ErrorCode> {
        let result = self.commit(node);
        if let Ok(entry) = self.entry_mut(node) {
            entry.opens = entry.opens.saturating_sub(1);
            if entry.opens == 0 && entry.deleted {
                self.forget(node, 0);
            }
        }
        result
    }
}
