//! Floppy and hard disk drives, whose disks are image files of the host.
//!
//! An image is read in place and never written during a run. Guest writes are kept in blocks that
//! snapshots share (`hardware::sparse`), and reach the file as a whole on [`Image::flush`]. A
//! snapshot therefore holds the writes without the image, and can be restored over a copy of the
//! same image.

mod geometry;
mod image;
mod medium;

pub use geometry::{Geometry, SECTOR};
pub use image::{DiskError, Image, ImageError, LARGEST_FLOPPY};

use super::sparse::Sparse;
use serde::{Deserialize, Serialize};

/// The first hard disk, as the BIOS numbers drives; floppy drives count from 0.
pub const FIRST_FIXED: u8 = 0x80;

/// Number of drives of each kind.
pub const MOST_DRIVES: usize = 2;

/// The drives of a machine. Serialised, for the state hash, as the blocks written to them.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Disks {
    floppies: Vec<Image>,
    fixed: Vec<Image>,
}

/// The blocks written to the drives, as a snapshot holds them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct SavedDisks {
    floppies: Vec<Sparse>,
    fixed: Vec<Sparse>,
}

impl SavedDisks {
    /// Number of blocks not shared with `other`.
    pub(crate) fn blocks_beyond(&self, other: &SavedDisks) -> usize {
        let floppies = self.floppies.iter().zip(&other.floppies);
        floppies.chain(self.fixed.iter().zip(&other.fixed)).map(|(own, other)| own.blocks_beyond(other)).sum()
    }
}

impl Disks {
    /// Drives with these images; of each kind the first two.
    pub(crate) fn new(floppies: &[Image], fixed: &[Image]) -> Disks {
        let first = |images: &[Image]| images.iter().take(MOST_DRIVES).cloned().collect();
        Disks { floppies: first(floppies), fixed: first(fixed) }
    }

    /// The image in a drive, by the BIOS's number.
    pub(crate) fn get(&self, drive: u8) -> Option<&Image> {
        match drive.checked_sub(FIRST_FIXED) {
            Some(fixed) => self.fixed.get(usize::from(fixed)),
            None => self.floppies.get(usize::from(drive)),
        }
    }

    pub(crate) fn get_mut(&mut self, drive: u8) -> Option<&mut Image> {
        match drive.checked_sub(FIRST_FIXED) {
            Some(fixed) => self.fixed.get_mut(usize::from(fixed)),
            None => self.floppies.get_mut(usize::from(drive)),
        }
    }

    /// Reads a sector of the disk in a drive. Fails without a disk, and like [`Image::read`].
    pub(crate) fn read(&self, drive: u8, sector: u32) -> Result<[u8; SECTOR], DiskError> {
        self.get(drive).ok_or(DiskError::NotReady)?.read(sector)
    }

    /// Writes a sector of the disk in a drive. Fails without a disk, and like [`Image::write`].
    pub(crate) fn write(&mut self, drive: u8, sector: u32, bytes: &[u8; SECTOR]) -> Result<(), DiskError> {
        self.get_mut(drive).ok_or(DiskError::NotReady)?.write(sector, bytes)
    }

    pub(crate) fn floppies(&self) -> &[Image] {
        &self.floppies
    }

    pub(crate) fn fixed(&self) -> &[Image] {
        &self.fixed
    }

    pub(crate) fn save(&self) -> SavedDisks {
        let changes = |images: &[Image]| images.iter().map(|image| image.changes().clone()).collect();
        SavedDisks { floppies: changes(&self.floppies), fixed: changes(&self.fixed) }
    }

    pub(crate) fn restore(&mut self, saved: &SavedDisks) {
        let drives = self.floppies.iter_mut().zip(&saved.floppies);
        for (image, changes) in drives.chain(self.fixed.iter_mut().zip(&saved.fixed)) {
            image.restore(changes);
        }
    }

    /// Writes the changes to the image files. Returns the error of the first file that the host
    /// refuses; the others are still written.
    pub(crate) fn flush(&mut self) -> std::io::Result<()> {
        let mut result = Ok(());
        for image in self.floppies.iter_mut().chain(&mut self.fixed) {
            result = result.and(image.flush());
        }
        result
    }
}

#[cfg(test)]
mod tests;
