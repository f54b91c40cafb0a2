//! A volume: its start on a disk, and its sectors during a call.

use super::layout::Layout;
use crate::dos::error::ErrorCode;
use crate::hardware::disk::{DiskError, Disks, Image};
use serde::{Deserialize, Serialize};

/// Virtual time of an access, of a step along a chain of clusters, and of transferring bytes.
const CYCLES_AN_ACCESS: u64 = 300;
pub(super) const CYCLES_A_STEP: u64 = 4;
pub(super) const BYTES_A_CYCLE: u64 = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::dos) struct Partition {
    /// The disk, by the BIOS's drive number.
    pub(in crate::dos) disk: u8,
    /// Its first sector on the disk.
    pub(in crate::dos) start: u32,
}

impl Partition {
    pub(in crate::dos) fn whole(disk: u8) -> Partition {
        Partition { disk, start: 0 }
    }

    /// Returns the first FAT12 or FAT16 volume of a hard disk: a primary partition, or the whole
    /// disk if it contains a file system itself.
    pub(in crate::dos) fn first_of(disks: &Disks, disk: u8) -> Option<Partition> {
        const KINDS: [u8; 4] = [0x01, 0x04, 0x06, 0x0E];
        let image = disks.get(disk)?;
        let first = image.read(0).ok()?;
        let found = first[446..510].chunks_exact(16).find_map(|entry| {
            let start = u32::from_le_bytes([entry[8], entry[9], entry[10], entry[11]]);
            let is_volume = KINDS.contains(&entry[4]) && Layout::read(image, start).is_some();
            is_volume.then_some(Partition { disk, start })
        });
        found.or_else(|| Layout::read(image, 0).map(|_| Partition::whole(disk)))
    }

    pub(in crate::dos) fn layout(self, disks: &Disks) -> Option<Layout> {
        Layout::read(disks.get(self.disk)?, self.start)
    }
}

#[derive(Debug)]
pub(in crate::dos) struct Fat<'a> {
    image: &'a mut Image,
    pub(super) layout: Layout,
    /// Virtual time of the call, in cycles.
    pub(super) host_cost: &'a mut u64,
}

impl<'a> Fat<'a> {
    /// Mounts the volume of a partition. Fails with `UnknownMedia` if it has no file system.
    pub(in crate::dos) fn mount(
        partition: Partition,
        disks: &'a mut Disks,
        host_cost: &'a mut u64,
    ) -> Result<Fat<'a>, ErrorCode> {
        let layout = partition.layout(disks).ok_or(ErrorCode::UnknownMedia)?;
        let image = disks.get_mut(partition.disk).ok_or(ErrorCode::UnknownMedia)?;
        *host_cost += CYCLES_AN_ACCESS;
        Ok(Fat { image, layout, host_cost })
    }

    pub(in crate::dos) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(super) fn read_sector(&mut self, sector: u32) -> Result<[u8; 512], ErrorCode> {
        let at = self.layout.start.saturating_add(sector);
        self.image.read(at).map_err(|_| ErrorCode::ReadFault)
    }

    pub(super) fn write_sector(&mut self, sector: u32, bytes: &[u8; 512]) -> Result<(), ErrorCode> {
        let at = self.layout.start.saturating_add(sector);
        self.image.write(at, bytes).map_err(|error| match error {
            DiskError::Protected => ErrorCode::WriteProtected,
            _ => ErrorCode::WriteFault,
        })
    }
}
