//! Sectors between a disk and memory, and the virtual time that this takes.

use super::guest::{Far, Guest, GuestMemory};
use crate::hardware::disk::{DiskError, SECTOR};

/// Virtual time of a call that moves sectors, in cycles.
pub(crate) const CYCLES_A_CALL: u64 = 300;
/// Virtual time of moving a sector, in cycles: eight bytes each, as DOS takes it for files.
pub(crate) const CYCLES_A_SECTOR: u64 = SECTOR as u64 / 8;

impl<P> Guest<'_, P> {
    /// A sector of the disk in a drive goes to memory.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(crate) fn read_sector(&mut self, drive: u8, sector: u32, to: Far) -> Result<(), DiskError> {
        let bytes = self.hw.disks.read(drive, sector)?;
        self.hw.set_bytes(to, &bytes);
        Ok(())
    }

    /// Memory goes to a sector of the disk in a drive.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub(crate) fn write_sector(&mut self, drive: u8, sector: u32, from: Far) -> Result<(), DiskError> {
        let mut bytes = [0; SECTOR];
        bytes.copy_from_slice(&self.hw.bytes(from, SECTOR));
        self.hw.disks.write(drive, sector, &bytes)
    }
}
