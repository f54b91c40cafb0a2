//! Contents of files: read from the host, written into guest state, and stored on the host when the
//! file is closed.
//!
//! Invariant: `pending` is the sum of the lengths of all `data`. Reads use a small window of one
//! file, which is derived and not part of a snapshot.

use super::{
    BYTES_A_CYCLE, CLUSTER, CYCLES_AN_ACCESS, Drive, GROWTH_LIMIT, Node, PENDING_LIMIT, Timestamp,
    contents::PagedFile, scan,
};
use crate::dos::{codepage, error::ErrorCode, names};
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
};

/// Size of the window in bytes.
const WINDOW: usize = 0x1_0000;

/// The most recently read part of a host file.
#[derive(Debug, Default)]
pub(super) struct ReadAhead {
    node: Option<Node>,
    start: u64,
    bytes: Vec<u8>,
}

impl Clone for ReadAhead {
    /// Derived data: a snapshot does not contain it.
    fn clone(&self) -> Self {
        ReadAhead::default()
    }
}

impl Drive {
    /// Returns the length in bytes, limited to FFFFFFFFh. Fails with `FileNotFound` if the host has
    /// removed the file.
    pub(crate) fn size(&self, node: Node) -> Result<u32, ErrorCode> {
        if let Some(data) = &self.entry(node)?.data {
            return Ok(data.len() as u32);
        }
        let about = self.about(node).ok_or(ErrorCode::FileNotFound)?;
        Ok(u32::try_from(about.len).unwrap_or(u32::MAX))
    }

    /// Returns date and time: those set by the guest, else the fixed ones, else the host's.
    pub(crate) fn stamp(&self, node: Node) -> Timestamp {
        let own = self.entry(node).ok().and_then(|e| e.stamp).or(self.fixed_stamp);
        own.unwrap_or_else(|| {
            let modified = self.about(node).and_then(|about| about.modified);
            modified.map_or(Timestamp { date: 0x21, time: 0 }, Timestamp::from_host)
        })
    }

    /// Sets date and time, for this session.
    pub(crate) fn set_stamp(&mut self, node: Node, stamp: Timestamp) -> Result<(), ErrorCode> {
        self.writable()?;
        self.entry_mut(node)?.stamp = Some(stamp);
        Ok(())
    }

    /// Returns up to `len` bytes from `offset`; fewer at the end of the file. Fails with
    /// `AccessDenied` if the host does not allow reading.
    pub(crate) fn read(&mut self, node: Node, offset: u32, len: usize) -> Result<Vec<u8>, ErrorCode> {
        self.host_cost += CYCLES_AN_ACCESS + len as u64 / BYTES_A_CYCLE;
        if let Some(data) = &self.entry(node)?.data {
            let start = offset as usize;
            return Ok(data.read(start..start.saturating_add(len)));
        }
        let mut read = Vec::with_capacity(len);
        while read.len() < len {
            let at = u64::from(offset) + read.len() as u64;
            let part = self.window(node, at)?;
            if part.is_empty() {
                break;
            }
            let wanted = (len - read.len()).min(part.len());
            read.extend_from_slice(&part[..wanted]);
        }
        Ok(read)
    }

    /// Returns the bytes from `at` to the end of its window; empty at the end of the file.
    fn window(&mut self, node: Node, at: u64) -> Result<&[u8], ErrorCode> {
        let cached = self.cache.node == Some(node)
            && (self.cache.start..self.cache.start + self.cache.bytes.len() as u64).contains(&at);
        if !cached {
            self.cache = ReadAhead::default();
            let mut file = self.open_host(node)?;
            self.cache = ReadAhead { node: Some(node), start: at, bytes: Vec::new() };
            file.seek(SeekFrom::Start(at)).map_err(|_| ErrorCode::AccessDenied)?;
            file.take(WINDOW as u64)
                .read_to_end(&mut self.cache.bytes)
                .map_err(|_| ErrorCode::AccessDenied)?;
        }
        Ok(&self.cache.bytes[(at - self.cache.start) as usize..])
    }

    fn open_host(&self, node: Node) -> Result<File, ErrorCode> {
        let found = self.host_path(node).zip(self.root.as_ref());
        let (path, root) = found.ok_or(ErrorCode::FileNotFound)?;
        root.read(&path).map_err(|_| ErrorCode::AccessDenied)
    }

    /// Writes at `offset`, filling a gap with zeros. Returns the number of bytes written: fewer on
    /// a full disk. Fails with `AccessDenied` on a read-only drive or if the host does not allow
    /// reading.
    pub(crate) fn write(&mut self, node: Node, offset: u32, bytes: &[u8]) -> Result<usize, ErrorCode> {
        if !self.load(node)? {
            return Ok(0);
        }
        let have = self.entry(node)?.data.as_ref().map_or(0, PagedFile::len) as u64;
        // The host's word size may be too small for this sum.
        let end = u64::from(offset) + bytes.len() as u64;
        let room =
            if end <= have { bytes.len() } else { self.room_for(have, u64::from(offset), bytes.len()) };
        let entry = self.entry_mut(node)?;
        entry.stamp = None;
        let data = entry.data.get_or_insert_default();
        let before = data.len();
        if room > 0 {
            data.write(offset as usize, &bytes[..room]);
        }
        let grown = (data.len() - before) as u64;
        self.pending += grown;
        self.host_cost += grown / BYTES_A_CYCLE;
        Ok(room)
    }

    /// Returns how many of `len` bytes at `offset` fit if the file now has `have` bytes.
    fn room_for(&self, have: u64, offset: u64, len: usize) -> usize {
        let free = PENDING_LIMIT
            .saturating_sub(self.pending)
            .min(GROWTH_LIMIT.saturating_sub(self.growth + self.pending));
        let most = have + free;
        most.saturating_sub(offset).min(len as u64) as usize
    }

    /// Truncates the file, or extends it with zeros. Returns false on a full disk. Fails like
    /// [`Drive::write`].
    pub(crate) fn resize(&mut self, node: Node, size: u32) -> Result<bool, ErrorCode> {
        self.writable()?;
        if size == 0 && self.entry(node)?.data.is_none() {
            self.entry_mut(node)?.data = Some(PagedFile::default());
            self.cache = ReadAhead::default();
            return Ok(true);
        }
        if !self.load(node)? {
            return Ok(false);
        }
        let have = self.entry(node)?.data.as_ref().map_or(0, PagedFile::len) as u64;
        let wanted = u64::from(size);
        if wanted > have && self.room_for(have, have, (wanted - have) as usize) as u64 != wanted - have {
            return Ok(false);
        }
        self.entry_mut(node)?.data.get_or_insert_default().resize(size as usize);
        self.pending = self.pending - have + wanted;
        Ok(true)
    }

    /// Loads the file's contents into guest state. Returns false if they do not fit.
    pub(super) fn load(&mut self, node: Node) -> Result<bool, ErrorCode> {
        self.writable()?;
        if self.entry(node)?.data.is_some() {
            return Ok(true);
        }
        let size =
            u64::from(self.size(node).map_err(
                |error| match self.host_path(node).zip(self.root.as_ref()) {
                    // The name exists, but a guest may not see it.
                    Some((path, root)) if root.exists(&path) => ErrorCode::AccessDenied,
                    _ => error,
                },
            )?);
        if self.pending + size > PENDING_LIMIT {
            return Ok(false);
        }
        let file = self.open_host(node)?;
        let mut data = Vec::new();
        file.take(size).read_to_end(&mut data).map_err(|_| ErrorCode::AccessDenied)?;
        self.pending += data.len() as u64;
        self.host_cost += CYCLES_AN_ACCESS + data.len() as u64 / BYTES_A_CYCLE;
        self.entry_mut(node)?.data = Some(data.as_slice().into());
        self.cache = ReadAhead::default();
        Ok(true)
    }

    /// Stores written data on the host, and removes it from guest state. Fails with `AccessDenied`
    /// if the host refuses: the data stays in guest state.
    pub(crate) fn commit(&mut self, node: Node) -> Result<(), ErrorCode> {
        self.entry(node)?;
        self.flush_entry(node).map_err(|_| ErrorCode::AccessDenied)
    }

    /// Stores all written data on the host. Errors: the first failure, with the file's name; the
    /// other files are stored if possible.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let mut result = Ok(());
        for directory in 0..self.directories.len() {
            for slot in 0..self.directories[directory].len() {
                let node = Node { directory: directory as u16, slot: slot as u16 };
                result = result.and(self.flush_entry(node).map_err(|error| self.naming(node, &error)));
            }
        }
        result
    }

    fn flush_entry(&mut self, node: Node) -> io::Result<()> {
        if self.dry_run {
            let written = self.entry(node).ok().filter(|entry| !entry.deleted);
            let written = written.and_then(|entry| Some(entry.data.as_ref()?.len() as u64));
            self.host_cost += written.map_or(0, |len| CYCLES_AN_ACCESS + len / BYTES_A_CYCLE);
            return Ok(());
        }
        let Some((folder, root)) = self.host_directory(node.directory).zip(self.changed_root()) else {
            return Ok(());
        };
        let Ok(entry) = self.entry(node) else { return Ok(()) };
        let Some(data) = entry.data.as_ref().filter(|_| !entry.deleted) else { return Ok(()) };
        let host = entry.host.clone().unwrap_or_else(|| scan::host_name(&entry.name));
        let time = self.folder_time(node.directory);
        let before = root.replace(&folder.join(&host), data)?;
        let after = data.len() as u64;
        self.changed_by_drive(node.directory, time);
        self.host_cost += CYCLES_AN_ACCESS + after / BYTES_A_CYCLE;
        self.growth = (self.growth + after).saturating_sub(before);
        self.pending = self.pending.saturating_sub(after);
        self.cache = ReadAhead::default();
        if let Ok(entry) = self.entry_mut(node) {
            entry.host = Some(host);
            entry.data = None;
        }
        Ok(())
    }

    fn naming(&self, node: Node, error: &io::Error) -> io::Error {
        let name = self.entry(node).map_or_else(|_| Vec::new(), |entry| names::display(&entry.name));
        io::Error::new(error.kind(), format!("{}: {error}", codepage::text(&name, codepage::Controls::Drawn)))
    }
}

const _: () = assert!(GROWTH_LIMIT.is_multiple_of(CLUSTER));
