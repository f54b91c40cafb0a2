//! Brings the directory's slots up to date with the host folder.
//!
//! Only files and folders count. A link counts as its target, and only if that is within the root.
//! Entries that the host has removed are deleted; new ones take the holes and then the end, in the
//! order of their names.

use super::{
    Drive, Metadata, Node, aliases, attribute,
    directory::{Directory, Entry, MOST_ENTRIES},
    host::SandboxDir,
};
use crate::dos::{
    codepage,
    names::{Name, display},
};
use std::{
    collections::BTreeSet,
    path::{Component, Path, PathBuf},
    time::SystemTime,
};

/// Returns the host name for a name given by the guest: in capitals, as DOS writes it.
pub(super) fn host_name(name: &Name) -> String {
    codepage::text(&display(name), codepage::Controls::Kept)
}

/// Whether the path only leads down. Paths made here always do; those of a stored snapshot may not.
fn is_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
}

/// Whether the name is not a device in Windows. Names that are devices only there are refused on
/// every host, so that the drive behaves the same everywhere.
pub(super) fn may_be_made(name: &Name) -> bool {
    let base = name[..8].trim_ascii_end();
    let numbered = base.len() == 4 && (base.starts_with(b"COM") || base.starts_with(b"LPT"));
    let digit = base.last().is_some_and(|&b| b.is_ascii_digit() || b == SUPERSCRIPT_TWO);
    !(numbered && digit || base == b"CONIN$" || base == b"CONOUT$")
}

/// Windows treats it as a digit in device names.
const SUPERSCRIPT_TWO: u8 = 0xFD;

struct Listed {
    host: String,
    directory: bool,
}

impl Drive {
    /// Returns the host path of a directory, from the drive's folder; `None` without a host folder.
    pub(super) fn host_directory(&self, id: u16) -> Option<PathBuf> {
        let below = self.directories.get(usize::from(id))?.host.as_ref()?;
        is_below(below).then_some(())?;
        self.root.as_ref()?;
        Some(below.clone())
    }

    /// Returns the host path of an entry. `None` if it is not on the host.
    pub(super) fn host_path(&self, node: Node) -> Option<PathBuf> {
        let host = self.entry(node).ok()?.host.as_ref()?;
        is_below(Path::new(host)).then_some(())?;
        Some(self.host_directory(node.directory)?.join(host))
    }

    /// Whether the host still has the entry, with the same kind.
    pub(super) fn still_there(&self, node: Node) -> bool {
        let (Some(path), Some(root), Ok(entry)) = (self.host_path(node), &self.root, self.entry(node)) else {
            return true;
        };
        root.about(&path).is_some_and(|about| about.is_directory == entry.is_directory())
    }

    /// Returns the host's information about an entry. `None` if it is not on the host.
    pub(super) fn about(&self, node: Node) -> Option<Metadata> {
        self.root.as_ref()?.about(&self.host_path(node)?)
    }

    /// Returns the modification time of the host folder.
    pub(super) fn folder_time(&self, id: u16) -> Option<SystemTime> {
        self.root.as_ref()?.about(&self.host_directory(id)?)?.modified
    }

    /// Records that the drive itself has changed the folder. If nothing else had changed it before,
    /// it need not be read again. Otherwise a program that creates thousands of files would read
    /// all of them for each.
    pub(super) fn changed_by_drive(&mut self, id: u16, before: Option<SystemTime>) {
        let now = self.folder_time(id);
        if let Some(directory) = self.directories.get_mut(usize::from(id))
            && before.is_some()
            && directory.seen[0] == before
        {
            directory.seen = [now; 2];
        }
    }

    /// Updates a directory from the host folder, if the folder has changed since the last read.
    pub(super) fn refresh(&mut self, id: u16) {
        let (Some(folder), Some(root)) = (self.host_directory(id), self.root.as_ref()) else { return };
        let Some(directory) = self.directories.get_mut(usize::from(id)) else { return };
        let changed = root.about(&folder).and_then(|about| about.modified);
        // The host's clock is coarse: only a time that was also seen at the previous read shows
        // that nothing has changed since.
        if changed.is_some() && directory.seen == [changed; 2] {
            return;
        }
        directory.seen = [changed, directory.seen[0]];
        merge(directory, list(&folder, root, MOST_ENTRIES));
    }
}

fn merge(directory: &mut Directory, listed: Vec<Listed>) {
    let present: BTreeSet<(&str, bool)> = listed.iter().map(|l| (l.host.as_str(), l.directory)).collect();
    let is_lost = |entry: &Entry| {
        let there = entry.host.as_deref().is_none_or(|host| present.contains(&(host, entry.is_directory())));
        !there && entry.opens == 0 && entry.data.is_none()
    };
    let lost: Vec<u16> =
        directory.entries_from(0).filter(|(_, e)| is_lost(e)).map(|(slot, _)| slot).collect();
    for slot in lost {
        directory.take(slot);
    }
    let mut names = aliases::Aliases::default();
    let mut known = BTreeSet::new();
    for (_, entry) in directory.entries_from(0) {
        names.take(entry.name);
        known.extend(entry.host.clone());
    }
    // Names that are 8.3 come first, so that no alias takes theirs.
    let mut fresh: Vec<(Listed, Option<Name>)> = Vec::new();
    for item in listed.into_iter().filter(|l| !known.contains(&l.host)) {
        let name = aliases::plain(&item.host).filter(|&name| names.take(name));
        fresh.push((item, name));
    }
    let mut from = 0;
    for (item, name) in fresh {
        let Some(name) = name.or_else(|| names.make(&item.host)) else { continue };
        let Some(slot) = directory.add(entry_for(item, name), from) else { return };
        from = usize::from(slot) + 1;
    }
}

fn entry_for(item: Listed, name: Name) -> Entry {
    let kind = if item.directory { attribute::DIRECTORY } else { attribute::ARCHIVE };
    Entry::new(name, Some(item.host), kind)
}

/// Returns the folder's entries that a guest may see, the first `most` by name.
fn list(folder: &Path, root: &SandboxDir, most: usize) -> Vec<Listed> {
    let listed = root.list(folder).into_iter();
    let mut listed: Vec<Listed> = listed.map(|(host, directory)| Listed { host, directory }).collect();
    // The selection from too many does not depend on the host's order either.
    listed.sort_by(|a, b| a.host.cmp(&b.host));
    listed.truncate(most);
    listed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files that are visible in a folder with too many.
    #[test]
    fn the_host_s_order_does_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["K", "C", "E", "A", "H", "D", "B", "G", "F", "I"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let names: Vec<_> = list(Path::new(""), &SandboxDir::open(folder.path()).unwrap(), 3)
            .into_iter()
            .map(|listed| listed.host)
            .collect();
        assert_eq!(names, ["A", "B", "C"]);
    }
}
