//! Transfers sectors between a disk and memory, and takes the virtual time for it.

use super::guest::{Far, Guest, GuestMemory};
use crate::hardware::disk::{DiskError, SECTOR};

/// Virtual time of a call that transfers sectors, in cycles.
pub(crate) const CYCLES_A_CALL: u64 = 300;
/// Virtual time of transferring a sector, in cycles: one per eight bytes, as DOS counts for files.
pub(crate) const CYCLES_A_SECTOR: u64 = SECTOR as u64 / 8;

impl<P> Guest<'_, P> {
    /// Reads a sector of the disk in a drive to memory. Fails if it cannot be read.
    pub(crate) fn read_sector(&mut self, drive: u8, sector: u32, to: Far) -> Result<(), DiskError> {
        let bytes = self.hw.disks.read(drive, sector)?;
        self.hw.set_bytes(to, &bytes);
        Ok(())
    }

    /// Writes memory to a sector of the disk in a drive. Fails if it cannot be written.
    pub(crate) fn write_sector(&mut self, drive: u8, sector: u32, from: Far) -> Result<(), DiskError> {
        let mut bytes = [0; SECTOR];
        bytes.copy_from_slice(&self.hw.bytes(from, SECTOR));
        self.hw.disks.write(drive, sector, &bytes)
    }
}
