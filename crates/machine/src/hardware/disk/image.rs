//! A disk image in a drive: its sectors, and writing them back to the file.

use super::geometry::{COMMON_FLOPPY, Geometry, SECTOR};
use super::medium::Medium;
use crate::hardware::sparse::{BLOCK, Sparse};
use oxbox_files::atomic_file::AtomicFile;
use serde::{Serialize, Serializer};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// The longest floppy image, 2.88 MB, in bytes.
pub const LARGEST_FLOPPY: u64 = 2880 * 1024;
/// The longest hard disk image: 28-bit sector numbers.
const LARGEST_FIXED: u64 = (1 << 28) * SECTOR as u64;

const EXTENSIONS: [&str; 5] = ["img", "ima", "dsk", "flp", "vfd"];

/// Sizes in KiB of whole floppies that are recognised by their contents alone.
const FLOPPIES: [u64; 8] = [160, 180, 320, 360, 720, 1200, 1440, 2880];

/// Most blocks that a guest may write to an image: 256 MiB.
const MOST_BLOCKS: usize = (256 << 20) / BLOCK;

/// The error that a file cannot be used as a disk image.
#[derive(Debug, Error)]
#[error("the image {} cannot be used: {why}", path.display())]
pub struct ImageError {
    /// The path as it was given.
    pub path: PathBuf,
    /// The reason.
    pub why: String,
}

/// The error that a sector cannot be read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskError {
    /// The drive is empty or missing.
    NotReady,
    /// The sector does not exist.
    NotFound,
    /// The file is protected on the host.
    Protected,
    /// The host cannot read the file, or the limit of written blocks was reached.
    Failed,
}

/// A disk image in a drive.
///
/// ```
/// use oxbox_machine::hardware::disk::Image;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("disk.img");
/// std::fs::write(&path, vec![0; 360 * 1024])?;
/// let mut image = Image::floppy(&path, false)?;
/// assert_eq!((image.geometry().sectors, image.sectors()), (9, 720));
/// image.write(5, &[0xE5; 512]).unwrap();
/// image.flush()?;
/// assert_eq!(std::fs::read(&path)?[5 * 512], 0xE5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Image {
    path: PathBuf,
    geometry: Geometry,
    medium: Arc<Medium>,
    changes: Sparse,
    /// The blocks as last written to the file; nothing to do while the changes are equal to these.
    flushed: Sparse,
    is_protected: bool,
    /// Whether writes stay in memory.
    stays: bool,
}

impl Image {
    /// Opens a floppy: 160 KB to 2.88 MB, or only the beginning of one, such as a boot sector. With
    /// `read_only`, writes stay in memory.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or its length is not that of a floppy.
    pub fn floppy(path: &Path, read_only: bool) -> Result<Image, ImageError> {
        Image::of_floppy(path, open(path)?, read_only)
    }

    fn of_floppy(path: &Path, medium: Medium, read_only: bool) -> Result<Image, ImageError> {
        let len = medium.len();
        let part =
            (len > 0 && len <= LARGEST_FLOPPY && len.is_multiple_of(SECTOR as u64)).then_some(COMMON_FLOPPY);
        let geometry = Geometry::of_floppy(len).or(part).ok_or_else(|| {
            let why = format!("it has {len} bytes, and a floppy has 512 to 2949120, whole sectors of 512");
            ImageError { path: path.to_owned(), why }
        })?;
        Ok(Image::new(path, medium, geometry, read_only))
    }

    /// Opens a hard disk image.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or its length is not that of a hard disk.
    pub fn fixed(path: &Path, read_only: bool) -> Result<Image, ImageError> {
        Image::of_fixed(path, open(path)?, read_only)
    }

    /// Creates a disk in memory: a floppy, or a hard disk if it is too long for one. Writes stay in
    /// the machine. Error messages use `name`.
    ///
    /// # Errors
    /// Fails if the length is not that of a disk.
    ///
    /// ```
    /// use oxbox_machine::hardware::disk::Image;
    ///
    /// assert_eq!(Image::in_memory("a.img", vec![0; 1440 * 1024])?.geometry().sectors, 18);
    /// assert_eq!(Image::in_memory("b.img", vec![0; 9]).unwrap_err().path.to_str(), Some("b.img"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_memory(name: &str, bytes: Vec<u8>) -> Result<Image, ImageError> {
        let (path, is_floppy) = (Path::new(name), bytes.len() as u64 <= LARGEST_FLOPPY);
        let medium = Medium::Memory(bytes);
        if is_floppy { Image::of_floppy(path, medium, true) } else { Image::of_fixed(path, medium, true) }
    }

    fn of_fixed(path: &Path, medium: Medium, read_only: bool) -> Result<Image, ImageError> {
        let failed = |why: String| ImageError { path: path.to_owned(), why };
        let len = medium.len();
        if len == 0 || len > LARGEST_FIXED || !len.is_multiple_of(SECTOR as u64) {
            return Err(failed(format!(
                "it has {len} bytes, and a hard disk has whole sectors of 512, at most 2^28"
            )));
        }
        let mut first = [0; SECTOR];
        medium.read(0, &mut first).map_err(|error| failed(error.to_string()))?;
        let geometry = Geometry::of_fixed(len / SECTOR as u64, &first);
        Ok(Image::new(path, medium, geometry, read_only))
    }

    fn new(path: &Path, medium: Medium, geometry: Geometry, stays: bool) -> Image {
        let is_protected =
            !stays && std::fs::metadata(path).is_ok_and(|about| about.permissions().readonly());
        Image {
            path: path.to_owned(),
            geometry,
            medium: Arc::new(medium),
            changes: Sparse::default(),
            flushed: Sparse::default(),
            is_protected,
            stays,
        }
    }

    /// Cylinders, heads, sectors.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of sectors, counted from 0.
    pub fn sectors(&self) -> u32 {
        (self.medium.len() / SECTOR as u64) as u32
    }

    pub(super) fn changes(&self) -> &Sparse {
        &self.changes
    }

    pub(super) fn restore(&mut self, changes: &Sparse) {
        self.changes.clone_from(changes);
    }

    /// Whether its length is that of a floppy.
    pub fn is_floppy(&self) -> bool {
        self.medium.len() <= LARGEST_FLOPPY
    }

    /// Whether a file is a disk image, by its name, or by its length and the mark 55AAh at the end
    /// of its first sector `first` (which may be cut short).
    pub fn is_disk(name: &str, len: u64, first: &[u8]) -> bool {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        if EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension)) {
            return true;
        }
        let may_be = len == SECTOR as u64 || FLOPPIES.iter().any(|kib| kib * 1024 == len);
        may_be && first.get(510..512) == Some(&[0x55, 0xAA]) && !matches!(&first[..2], b"MZ" | b"ZM")
    }

    /// Whether the first sector looks bootable: the mark 55AAh at its end, or (for disks older than
    /// that mark) any sector whose bytes are not all equal.
    pub fn may_boot(&self) -> bool {
        let Ok(first) = self.read(0) else { return false };
        let is_whole = Geometry::of_floppy(self.medium.len()).is_some();
        first[510..] == [0x55, 0xAA] || is_whole && first.iter().any(|byte| *byte != first[0])
    }

    /// Reads a sector.
    ///
    /// # Errors
    /// Fails if the sector does not exist, or the host cannot read it.
    pub fn read(&self, sector: u32) -> Result<[u8; SECTOR], DiskError> {
        if sector >= self.sectors() {
            return Err(DiskError::NotFound);
        }
        let at = sector as usize * SECTOR;
        let mut bytes = [0; SECTOR];
        match self.changes.get((at / BLOCK) as u32) {
            Some(block) => bytes.copy_from_slice(&block[at % BLOCK..][..SECTOR]),
            None => self.medium.read(at as u64, &mut bytes).map_err(|_| DiskError::Failed)?,
        }
        Ok(bytes)
    }

    /// Writes a sector.
    ///
    /// # Errors
    /// Fails if the sector does not exist, the disk is protected, or the limit of written blocks is
    /// reached.
    pub fn write(&mut self, sector: u32, bytes: &[u8; SECTOR]) -> Result<(), DiskError> {
        if sector >= self.sectors() {
            return Err(DiskError::NotFound);
        }
        if self.is_protected {
            return Err(DiskError::Protected);
        }
        let at = sector as usize * SECTOR;
        let number = (at / BLOCK) as u32;
        let mut original = [0; BLOCK];
        self.medium.read(u64::from(number) * BLOCK as u64, &mut original).map_err(|_| DiskError::Failed)?;
        let known = self.changes.get(number);
        if known.is_none() && self.changes.len() >= MOST_BLOCKS {
            return Err(DiskError::Failed);
        }
        let mut block = *known.unwrap_or(&original);
        let place = &mut block[at % BLOCK..][..SECTOR];
        if place == bytes {
            return Ok(());
        }
        place.copy_from_slice(bytes);
        if block == original {
            self.changes.forget(number);
        } else {
            self.changes.set(number, &block);
        }
        Ok(())
    }

    /// Writes the changes to the file, atomically: the file always holds either the old or the new
    /// disk.
    ///
    /// # Errors
    /// Fails if the host refuses; the file then stays as it was.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.stays || self.changes.is_same(&self.flushed) || self.changes.len() + self.flushed.len() == 0 {
            return Ok(());
        }
        self.replace()
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", self.path.display())))?;
        self.flushed = self.changes.clone();
        Ok(())
    }

    fn replace(&self) -> io::Result<()> {
        let mut whole = AtomicFile::create(&self.path)?;
        let len = self.medium.len();
        let mut block = [0; BLOCK];
        for (number, at) in (0..).zip((0..len).step_by(BLOCK)) {
            let part = (len - at).min(BLOCK as u64) as usize;
            match self.changes.get(number) {
                Some(changed) => block = *changed,
                None => self.medium.read(at, &mut block)?,
            }
            whole.write_all(&block[..part])?;
        }
        whole.commit_durably()
    }
}

fn open(path: &Path) -> Result<Medium, ImageError> {
    Medium::open(path).map_err(|error| ImageError { path: path.to_owned(), why: error.to_string() })
}

/// Serialises the written blocks, for the state hash.
impl Serialize for Image {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.changes.hash())
    }
}
