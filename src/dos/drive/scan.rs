//! What the host folder holds now, taken over into the directory's slots.
//!
//! Files and folders only; a link counts as what it leads to, and only when that lies within the root. Entries that the host has lost go,
//! new ones take the holes and then the end, in the order of their names.

use super::{Directory, Drive, Entry, Node, aliases, attribute};
use crate::dos::{
    codepage,
    names::{Name, display},
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// Entries of a directory that are seen; a slot number has 16 bits.
pub(super) const MOST_ENTRIES: usize = 65_000;

/// The name on the host for one that the guest has given: in capitals, as DOS writes it.
pub(super) fn host_name(name: &Name) -> String {
    codepage::to_string(&display(name))
}

struct Listed {
    host: String,
    directory: bool,
    read_only: bool,
}

impl Drive {
    /// A directory on the host. None when the drive has no host folder.
    pub(super) fn host_directory(&self, id: u16) -> Option<PathBuf> {
        let below = self.directories.get(usize::from(id))?.host.as_ref()?;
        Some(self.root.as_ref()?.join(below))
    }

    /// An entry on the host. None while it is not there.
    pub(super) fn host_path(&self, node: Node) -> Option<PathBuf> {
        let host = self.entry(node).ok()?.host.as_ref()?;
        Some(self.host_directory(node.directory)?.join(host))
    }

    /// False when the host has lost the entry, or put something else in its place.
    pub(super) fn still_there(&self, node: Node) -> bool {
        let (Some(path), Some(root), Ok(entry)) = (self.host_path(node), &self.root, self.entry(node)) else {
            return true;
        };
        let directory = entry.attributes & attribute::DIRECTORY != 0;
        kind(&path, root).is_some_and(|(is_directory, _)| is_directory == directory)
    }

    /// Takes over what the host folder holds now.
    pub(super) fn refresh(&mut self, id: u16) {
        let (Some(folder), Some(root)) = (self.host_directory(id), self.root.as_ref()) else { return };
        let listed = list(&folder, root);
        let Some(directory) = self.directories.get_mut(usize::from(id)) else { return };
        merge(directory, listed);
    }
}

fn merge(directory: &mut Directory, listed: Vec<Listed>) {
    let present: BTreeSet<(&str, bool)> = listed.iter().map(|l| (l.host.as_str(), l.directory)).collect();
    for slot in &mut directory.slots {
        let lost = slot.as_ref().is_some_and(|entry| {
            let is_directory = entry.attributes & attribute::DIRECTORY != 0;
            let there = entry.host.as_deref().is_none_or(|host| present.contains(&(host, is_directory)));
            !there && entry.opens == 0 && entry.data.is_none()
        });
        if lost {
            *slot = None;
        }
    }
    let mut names = aliases::Aliases::default();
    let mut known = BTreeSet::new();
    for entry in directory.slots.iter().flatten() {
        names.take(entry.name);
        known.extend(entry.host.clone());
    }
    // Names that are 8.3 by themselves come first, so that no made name takes theirs.
    let mut fresh: Vec<(Listed, Option<Name>)> = Vec::new();
    for item in listed.into_iter().filter(|l| !known.contains(&l.host)) {
        let name = aliases::plain(&item.host).filter(|&name| names.take(name));
        fresh.push((item, name));
    }
    let mut hole = 0;
    for (item, name) in fresh {
        let Some(name) = name.or_else(|| names.make(&item.host)) else { continue };
        while directory.slots.get(hole).is_some_and(Option::is_some) {
            hole += 1;
        }
        if hole >= MOST_ENTRIES {
            return;
        }
        if hole == directory.slots.len() {
            directory.slots.push(None);
        }
        directory.slots[hole] = Some(entry_for(item, name));
    }
}

fn entry_for(item: Listed, name: Name) -> Entry {
    let kind = if item.directory { attribute::DIRECTORY } else { attribute::ARCHIVE };
    let read_only = if item.read_only && !item.directory { attribute::READ_ONLY } else { 0 };
    Entry {
        name,
        host: Some(item.host),
        attributes: kind | read_only,
        stamp: None,
        data: None,
        opens: 0,
        child: None,
    }
}

/// The folder's entries that a guest may see, by name.
fn list(folder: &Path, root: &Path) -> Vec<Listed> {
    let Ok(entries) = std::fs::read_dir(folder) else { return vec![] };
    let mut listed: Vec<Listed> = entries
        .flatten()
        .filter_map(|entry| {
            let host = entry.file_name().into_string().ok()?;
            let (directory, read_only) = kind(&entry.path(), root)?;
            Some(Listed { host, directory, read_only })
        })
        .take(MOST_ENTRIES)
        .collect();
    listed.sort_by(|a, b| a.host.cmp(&b.host));
    listed
}

/// Whether it is a folder, and whether it may only be read. None for what no guest may see: links that lead out, pipes, sockets,
/// devices.
fn kind(path: &Path, root: &Path) -> Option<(bool, bool)> {
    let mut metadata = path.symlink_metadata().ok()?;
    if metadata.is_symlink() {
        let target = std::fs::canonicalize(path).ok()?;
        if !target.starts_with(root) {
            return None;
        }
        metadata = target.symlink_metadata().ok()?;
    }
    let seen = metadata.is_dir() || metadata.is_file();
    seen.then(|| (metadata.is_dir(), metadata.permissions().readonly()))
}
