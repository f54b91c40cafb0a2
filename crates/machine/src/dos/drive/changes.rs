//! Creating, deleting and renaming files and directories.
//!
//! Invariant: each change is made on the host first, and recorded only if the host has made it.
//! `growth` counts a cluster for each entry that the guest has created, and subtracts one for each
//! that it deletes.

use super::{
    CLUSTER, Drive, GROWTH_LIMIT, Node, attribute, contents::PagedFile, directory::Entry, scan, store,
};
use crate::dos::{error::ErrorCode, names::Name};
use std::{io, path::PathBuf};

fn may_be_made(name: &Name) -> Result<(), ErrorCode> {
    if scan::may_be_made(name) { Ok(()) } else { Err(ErrorCode::AccessDenied) }
}

impl Drive {
    /// Creates a file, or truncates an existing one. Fails with `AccessDenied` for a directory, a
    /// read-only or an open file, or a read-only drive.
    pub(crate) fn create(&mut self, path: &[Name], attributes: u8) -> Result<Node, ErrorCode> {
        let (name, parents) = path.split_last().ok_or(ErrorCode::AccessDenied)?;
        let id = self.find_directory(parents)?;
        self.writable()?;
        may_be_made(name)?;
        let attributes = attributes & 0x27 | attribute::ARCHIVE;
        if let Some(node) = self.find_in(id, name) {
            let entry = self.entry(node)?;
            if entry.is_directory() || self.attributes(node)? & attribute::READ_ONLY != 0 {
                return Err(ErrorCode::AccessDenied);
            }
            self.host_lets_write(node)?;
            self.resize(node, 0)?;
            let entry = self.entry_mut(node)?;
            entry.attributes = attributes;
            entry.own_attributes = true;
            entry.stamp = None;
            return Ok(node);
        }
        self.has_room()?;
        // Created on the host at once, so that the program gets an error if the host refuses.
        let before = self.folder_time(id);
        let host = match self.host_directory(id).zip(self.changed_root()) {
            Some((folder, root)) => {
                let host = scan::host_name(name);
                root.create_new(&folder.join(&host)).map_err(|_| ErrorCode::AccessDenied)?;
                self.changed_by_drive(id, before);
                Some(host)
            }
            None => None,
        };
        self.add(id, Entry { data: Some(PagedFile::default()), ..Entry::new(*name, host, attributes) })
    }

    /// Checks with the host whether a file can be written. Fails with `AccessDenied` if it is
    /// protected, or no longer a plain file of the folder.
    pub(crate) fn host_lets_write(&self, node: Node) -> Result<(), ErrorCode> {
        let Some((path, root)) = self.host_path(node).zip(self.changed_root()) else { return Ok(()) };
        match root.write(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(ErrorCode::AccessDenied),
            _ => Ok(()),
        }
    }

    fn has_room(&self) -> Result<(), ErrorCode> {
        let full = self.growth + self.pending + CLUSTER > GROWTH_LIMIT;
        if full { Err(ErrorCode::CannotMakeDirectory) } else { Ok(()) }
    }

    /// Adds an entry in the first hole, as FAT does.
    fn add(&mut self, id: u16, entry: Entry) -> Result<Node, ErrorCode> {
        self.has_room()?;
        let directory = self.directories.get_mut(usize::from(id)).ok_or(ErrorCode::PathNotFound)?;
        let slot = directory.add(entry, 0).ok_or(ErrorCode::CannotMakeDirectory)?;
        self.growth += CLUSTER;
        Ok(Node { directory: id, slot })
    }

    /// Deletes a file. Fails with `AccessDenied` for a directory, a read-only file, a read-only
    /// drive, if the host refuses, or for an open file that is too large to be kept for its
    /// handles. As in DOS without SHARE, other open files are deleted, and their handles stay
    /// valid.
    pub(crate) fn delete(&mut self, node: Node) -> Result<(), ErrorCode> {
        self.writable()?;
        let entry = self.entry(node)?;
        let protected = entry.is_directory() || self.attributes(node)? & attribute::READ_ONLY != 0;
        let open = entry.opens > 0;
        let size = if entry.data.is_some() { 0 } else { u64::from(self.size(node).unwrap_or(0)) };
        if protected || open && !self.load(node)? {
            return Err(ErrorCode::AccessDenied);
        }
        if let Some((path, root)) = self.host_path(node).zip(self.changed_root()) {
            let before = self.folder_time(node.directory);
            root.remove_file(&path).map_err(|_| ErrorCode::AccessDenied)?;
            self.changed_by_drive(node.directory, before);
        }
        if open {
            self.growth = self.growth.saturating_sub(size);
            if let Some(directory) = self.directories.get_mut(usize::from(node.directory)) {
                directory.unlist(node.slot);
            }
        } else {
            self.forget(node, size);
        }
        Ok(())
    }

    /// Removes an entry. `size` is its size on the host.
    pub(super) fn forget(&mut self, node: Node, size: u64) {
        self.cache = store::ReadAhead::default();
        let directory = self.directories.get_mut(usize::from(node.directory));
        let Some(entry) = directory.and_then(|d| d.take(node.slot)) else { return };
        match entry.data {
            Some(data) => self.pending = self.pending.saturating_sub(data.len() as u64),
            None => self.growth = self.growth.saturating_sub(size),
        }
        self.growth = self.growth.saturating_sub(CLUSTER);
    }

    /// Renames a file or directory, possibly into another directory. Fails with `AccessDenied` if
    /// the new name exists, the file is open, or the host refuses. Names that the host has created
    /// since the directory was last read are not known here, but the host checks this name.
    pub(crate) fn rename(&mut self, node: Node, path: &[Name]) -> Result<(), ErrorCode> {
        self.writable()?;
        let (name, parents) = path.split_last().ok_or(ErrorCode::AccessDenied)?;
        may_be_made(name)?;
        let id = self.find_directory(parents)?;
        let entry = self.entry(node)?;
        let is_directory = entry.is_directory();
        // DOS renames a directory only within its parent.
        if entry.opens > 0 || self.known(id, name).is_some() || is_directory && id != node.directory {
            return Err(ErrorCode::AccessDenied);
        }
        let mut moved = self.entry(node)?.clone();
        if let Some((from, root)) = self.host_path(node).zip(self.changed_root()) {
            let host = scan::host_name(name);
            let to = self.host_directory(id).ok_or(ErrorCode::PathNotFound)?.join(&host);
            root.rename(&from, &to).map_err(|_| ErrorCode::AccessDenied)?;
            moved.host = Some(host);
        }
        moved.name = *name;
        if let (Some(child), Some(host)) = (moved.child, &moved.host) {
            let below = self.directory(id)?.host.as_ref().map(|parent| parent.join(host));
            self.move_directory(child, below);
        }
        self.cache = store::ReadAhead::default();
        let directory = &mut self.directories[usize::from(node.directory)];
        directory.take(node.slot);
        if id == node.directory {
            directory.put(node.slot, moved);
            return Ok(());
        }
        self.growth = self.growth.saturating_sub(CLUSTER);
        self.add(id, moved).map(|_| ())
    }

    /// Updates the paths below a renamed directory.
    fn move_directory(&mut self, id: u16, host: Option<PathBuf>) {
        let mut work = vec![(id, host)];
        while let Some((id, host)) = work.pop() {
            let Some(directory) = self.directories.get_mut(usize::from(id)) else { continue };
            for (_, entry) in directory.entries_from(0) {
                if let Some(child) = entry.child {
                    work.push((child, host.as_ref().zip(entry.host.as_ref()).map(|(h, name)| h.join(name))));
                }
            }
            directory.host = host;
        }
    }

    /// Creates a directory. Fails with `AccessDenied` if the name exists, the drive is read-only or
    /// the host refuses.
    pub(crate) fn make_directory(&mut self, path: &[Name]) -> Result<(), ErrorCode> {
        let (name, parents) = path.split_last().ok_or(ErrorCode::AccessDenied)?;
        let id = self.find_directory(parents)?;
        self.writable()?;
        may_be_made(name)?;
        if self.find_in(id, name).is_some() {
            return Err(ErrorCode::AccessDenied);
        }
        let host = match self.host_directory(id).zip(self.changed_root()) {
            Some((parent, root)) => {
                let host = scan::host_name(name);
                root.make_directory(&parent.join(&host)).map_err(|_| ErrorCode::AccessDenied)?;
                Some(host)
            }
            None => None,
        };
        self.add(id, Entry::new(*name, host, attribute::DIRECTORY))?;
        Ok(())
    }

    /// Removes an empty directory. Fails with `PathNotFound`; `AccessDenied` if it is not empty or
    /// the host refuses.
    pub(crate) fn remove_directory(&mut self, path: &[Name]) -> Result<(), ErrorCode> {
        self.writable()?;
        let node = self.find(path).map_err(|_| ErrorCode::PathNotFound)?;
        let id = self.enter(node)?;
        self.refresh(id);
        if !self.directory(id)?.is_empty() {
            return Err(ErrorCode::AccessDenied);
        }
        if let Some((path, root)) = self.host_path(node).zip(self.changed_root()) {
            root.remove_directory(&path).map_err(|_| ErrorCode::AccessDenied)?;
        }
        self.directories[usize::from(id)].alive = false;
        self.forget(node, 0);
        Ok(())
    }
}
