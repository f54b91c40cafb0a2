//! Contents of files. Written data and the entry's size are on the disk at once.

use super::entry::Entry;
use super::volume::{BYTES_A_CYCLE, Fat};
use crate::dos::drive::{Node, Timestamp, attribute};
use crate::dos::error::ErrorCode;

/// Attributes that programs may set.
const CHANGEABLE: u8 = attribute::READ_ONLY | attribute::HIDDEN | attribute::SYSTEM | attribute::ARCHIVE;

impl Fat<'_> {
    pub(in crate::dos) fn size(&mut self, node: Node) -> Result<u32, ErrorCode> {
        let entry = self.entry(node)?;
        Ok(if entry.is_directory() { 0 } else { entry.size() })
    }

    pub(in crate::dos) fn stamp(&mut self, node: Node) -> Timestamp {
        self.entry(node).map_or(Timestamp::default(), |entry| entry.stamp())
    }

    pub(in crate::dos) fn set_stamp(&mut self, node: Node, stamp: Timestamp) -> Result<(), ErrorCode> {
        self.change(node, |entry| entry.set_stamp(stamp))
    }

    pub(in crate::dos) fn attributes(&mut self, node: Node) -> Result<u8, ErrorCode> {
        Ok(self.entry(node)?.attributes())
    }

    pub(in crate::dos) fn set_attributes(&mut self, node: Node, attributes: u8) -> Result<(), ErrorCode> {
        self.change(node, |entry| {
            let kept = entry.attributes() & !CHANGEABLE;
            entry.set_attributes(kept | attributes & CHANGEABLE);
        })
    }

    fn change(&mut self, node: Node, change: impl FnOnce(&mut Entry)) -> Result<(), ErrorCode> {
        let mut entry = self.entry(node)?;
        change(&mut entry);
        self.set_entry(node, &entry)
    }

    /// Returns up to `len` bytes from `offset`; fewer at the end of the file or of its chain.
    pub(in crate::dos) fn read(&mut self, node: Node, offset: u32, len: usize) -> Result<Vec<u8>, ErrorCode> {
        let entry = self.entry(node)?;
        let len = (entry.size().saturating_sub(offset) as usize).min(len);
        *self.host_cost += len as u64 / BYTES_A_CYCLE;
        let mut bytes = Vec::with_capacity(len);
        let per_cluster = self.layout.cluster_bytes();
        let mut cluster = self.cluster_at(entry.first(), offset / per_cluster)?;
        while let Some(here) = cluster {
            let first = self.layout.sector_of(here);
            while bytes.len() < len {
                let at = (offset + bytes.len() as u32) % per_cluster;
                let sector = self.read_sector(first + at / 512)?;
                let part = &sector[(at % 512) as usize..];
                bytes.extend_from_slice(&part[..part.len().min(len - bytes.len())]);
                if (at / 512 + 1) * 512 == per_cluster {
                    break;
                }
            }
            if bytes.len() >= len {
                break;
            }
            cluster = self.after(here)?;
        }
        Ok(bytes)
    }

    /// Writes at `offset`. A gap keeps the disk's old contents. Returns the number of bytes
    /// written: fewer on a full disk.
    pub(in crate::dos) fn write(
        &mut self,
        node: Node,
        offset: u32,
        bytes: &[u8],
    ) -> Result<usize, ErrorCode> {
        let mut entry = self.entry(node)?;
        let room = (u32::MAX - offset) as usize;
        let wanted = bytes.len().min(room);
        let end = offset + wanted as u32;
        let have = self.reserve(&mut entry, end)?;
        let per_cluster = self.layout.cluster_bytes();
        let count = (u64::from(have) * u64::from(per_cluster)).saturating_sub(u64::from(offset));
        let count = count.min(wanted as u64) as usize;
        *self.host_cost += count as u64 / BYTES_A_CYCLE;
        let mut done = 0;
        let mut cluster = self.cluster_at(entry.first(), offset / per_cluster)?;
        while let Some(here) = cluster.filter(|_| done < count) {
            let first = self.layout.sector_of(here);
            while done < count {
                let at = (offset + done as u32) % per_cluster;
                let within = (at % 512) as usize;
                let part = (512 - within).min(count - done);
                let mut sector = self.read_sector(first + at / 512)?;
                sector[within..within + part].copy_from_slice(&bytes[done..done + part]);
                self.write_sector(first + at / 512, &sector)?;
                done += part;
                if (at + part as u32).is_multiple_of(per_cluster) {
                    break;
                }
            }
            cluster = self.after(here)?;
        }
        if done > 0 {
            entry.set_size(entry.size().max(offset + done as u32));
        }
        entry.set_attributes(entry.attributes() | attribute::ARCHIVE);
        self.set_entry(node, &entry)?;
        Ok(done)
    }

    /// Allocates clusters for the given size, as far as possible. Returns the number of clusters.
    fn reserve(&mut self, entry: &mut Entry, bytes: u32) -> Result<u32, ErrorCode> {
        let needed = bytes.div_ceil(self.layout.cluster_bytes());
        let (mut have, mut last) = (0, None);
        let mut cluster = Some(entry.first()).filter(|first| self.layout.has(*first));
        while let Some(here) = cluster.filter(|_| have < needed) {
            (have, last) = (have + 1, Some(here));
            cluster = self.after(here)?;
        }
        while have < needed {
            let Some(fresh) = self.allocate(last)? else { break };
            if last.is_none() {
                entry.set_first(fresh);
            }
            (have, last) = (have + 1, Some(fresh));
        }
        Ok(have)
    }

    /// Truncates the file, or extends it. Returns false on a full disk.
    pub(in crate::dos) fn resize(&mut self, node: Node, size: u32) -> Result<bool, ErrorCode> {
        let mut entry = self.entry(node)?;
        let needed = size.div_ceil(self.layout.cluster_bytes());
        let fits = if size > entry.size() {
            self.reserve(&mut entry, size)? == needed
        } else {
            match needed.checked_sub(1) {
                None => {
                    self.free(entry.first())?;
                    entry.set_first(0);
                }
                Some(steps) => {
                    if let Some(last) = self.cluster_at(entry.first(), steps)? {
                        self.cut_behind(last)?;
                    }
                }
            }
            true
        };
        if fits {
            entry.set_size(size);
        }
        entry.set_attributes(entry.attributes() | attribute::ARCHIVE);
        self.set_entry(node, &entry)?;
        Ok(fits)
    }
}
