//! What the host folder holds now, brought into the directory's slots.
//!
//! Files and folders only; a link counts as what it leads to, and only when that lies within the root. Entries that the host has lost go,
//! new ones take the holes and then the end, in the order of their names.

use super::{
    About, Drive, Node, aliases, attribute,
    directory::{Directory, Entry, MOST_ENTRIES},
    host::Root,
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

/// The name on the host for one that the guest has given: in capitals, as DOS writes it.
pub(super) fn host_name(name: &Name) -> String {
    codepage::text(&display(name), codepage::Controls::Kept)
}

/// True for what leads down and nowhere else. Paths made here always do; those of a stored snapshot need not.
fn is_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
}

/// False for names that are devices to Windows though not to DOS: no host is asked to make such a file, so that the drive behaves
/// alike everywhere.
pub(super) fn may_be_made(name: &Name) -> bool {
    let base = name[..8].trim_ascii_end();
    let numbered = base.len() == 4 && (base.starts_with(b"COM") || base.starts_with(b"LPT"));
    let digit = base.last().is_some_and(|&b| b.is_ascii_digit() || b == SUPERSCRIPT_TWO);
    !(numbered && digit || base == b"CONIN$" || base == b"CONOUT$")
}

/// Which Windows takes for a digit there.
const SUPERSCRIPT_TWO: u8 = 0xFD;

struct Listed {
    host: String,
    directory: bool,
}

impl Drive {
    /// A directory on the host, from the drive's folder. None when the drive has no host folder.
    pub(super) fn host_directory(&self, id: u16) -> Option<PathBuf> {
        let below = self.directories.get(usize::from(id))?.host.as_ref()?;
        is_below(below).then_some(())?;
        self.root.as_ref()?;
        Some(below.clone())
    }

    /// An entry on the host. None while it is not there.
    pub(super) fn host_path(&self, node: Node) -> Option<PathBuf> {
        let host = self.entry(node).ok()?.host.as_ref()?;
        is_below(Path::new(host)).then_some(())?;
        Some(self.host_directory(node.directory)?.join(host))
    }

    /// False when the host has lost the entry, or put something else in its place.
    pub(super) fn still_there(&self, node: Node) -> bool {
        let (Some(path), Some(root), Ok(entry)) = (self.host_path(node), &self.root, self.entry(node)) else {
            return true;
        };
        root.about(&path).is_some_and(|about| about.is_directory == entry.is_directory())
    }

    /// What the host says of an entry. None while it is not there.
    pub(super) fn about(&self, node: Node) -> Option<About> {
        self.root.as_ref()?.about(&self.host_path(node)?)
    }

    /// When the host's folder was last changed.
    pub(super) fn folder_time(&self, id: u16) -> Option<SystemTime> {
        self.root.as_ref()?.about(&self.host_directory(id)?)?.modified
    }

    /// The folder has been changed by the drive itself, which knows the change: if nobody else had changed it before, it need not be
    /// read again. A program that makes thousands of files would read them all for each otherwise.
    pub(super) fn changed_by_drive(&mut self, id: u16, before: Option<SystemTime>) {
        let now = self.folder_time(id);
        if let Some(directory) = self.directories.get_mut(usize::from(id))
            && before.is_some()
            && directory.seen[0] == before
        {
            directory.seen = [now; 2];
        }
    }

    /// Takes over what the host folder holds now, unless it has not changed since it was last looked at.
    pub(super) fn refresh(&mut self, id: u16) {
        let (Some(folder), Some(root)) = (self.host_directory(id), self.root.as_ref()) else { return };
        let Some(directory) = self.directories.get_mut(usize::from(id)) else { return };
        let changed = root.about(&folder).and_then(|about| about.modified);
        // The host's clock is coarse: only a time that was there at the look before too tells that nothing has changed since.
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
    // Names that are 8.3 by themselves come first, so that no made name takes theirs.
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

/// The folder's entries that a guest may see, the first `most` by name.
fn list(folder: &Path, root: &Root, most: usize) -> Vec<Listed> {
    let listed = root.list(folder).into_iter();
    let mut listed: Vec<Listed> = listed.map(|(host, directory)| Listed { host, directory }).collect();
    // Which of too many are seen does not depend on the host's order either.
    listed.sort_by(|a, b| a.host.cmp(&b.host));
    listed.truncate(most);
    listed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which files are seen of a folder that has too many.
    #[test]
    fn the_host_s_order_does_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["K", "C", "E", "A", "H", "D", "B", "G", "F", "I"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let names: Vec<_> = list(Path::new(""), &Root::open(folder.path()).unwrap(), 3)
            .into_iter()
            .map(|listed| listed.host)
            .collect();
        assert_eq!(names, ["A", "B", "C"]);
    }
}
