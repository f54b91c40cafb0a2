//! Disk images on the command line: the disk to boot, and those of `--floppy` and `--disk`.

use std::io::Read;
use std::path::Path;

use oxbox::atomic_file;
use oxbox::hardware::disk::{FIRST_FIXED, Image, ImageError, LARGEST_FLOPPY, MOST_DRIVES, SECTOR};
use oxbox::machine::Config;

use super::arguments::GuestOptions;
use super::failure::Failure;

#[derive(Debug, Clone)]
pub(super) enum BootDisk {
    Floppy(Image),
    Fixed(Image),
}

impl BootDisk {
    /// Makes the machine boot from the disk, the first one of its kind.
    pub(super) fn put_into(self, config: &mut Config) {
        let (images, image, drive) = match self {
            BootDisk::Floppy(image) => (&mut config.floppies, image, 0),
            BootDisk::Fixed(image) => (&mut config.disks, image, FIRST_FIXED),
        };
        images.insert(0, image);
        config.boot = Some(drive);
    }
}

/// Returns the disk in a file, if it is one: by its name, or by its length and the mark 55AAh at
/// the end of its first sector.
pub(super) fn boot_disk(path: &Path, read_only: bool) -> Result<Option<BootDisk>, Failure> {
    let Ok(about) = std::fs::metadata(path) else { return Ok(None) };
    let len = if about.is_file() { about.len() } else { 0 };
    let mut first = Vec::new();
    if len > 0 {
        let _ = std::fs::File::open(path).and_then(|file| file.take(SECTOR as u64).read_to_end(&mut first));
    }
    if !Image::is_disk(&path.to_string_lossy(), len, &first) {
        return Ok(None);
    }
    let is_floppy = len <= LARGEST_FLOPPY;
    let image = if is_floppy { Image::floppy(path, read_only) } else { Image::fixed(path, read_only) };
    let image = image.map_err(|error| refused(&error))?;
    if !image.may_boot() {
        let why =
            "its first sector is empty, or does not end in 55AAh; --floppy or --disk mounts it as a drive";
        return Err(Failure::Host(format!("cannot start {}: {why}", path.display())));
    }
    Ok(Some(if is_floppy { BootDisk::Floppy(image) } else { BootDisk::Fixed(image) }))
}

/// Returns a boot sector that was built, as a disk that stays in memory.
pub(super) fn boot_sector(title: &str, bytes: Vec<u8>) -> Result<BootDisk, Failure> {
    let image = Image::in_memory(title, bytes).map_err(|error| refused(&error))?;
    Ok(if image.is_floppy() { BootDisk::Floppy(image) } else { BootDisk::Fixed(image) })
}

/// Puts the images of the options into the drives, after the disk that is booted.
pub(super) fn fill(
    config: &mut Config,
    started: Option<&BootDisk>,
    options: &GuestOptions,
) -> Result<(), Failure> {
    for path in &options.floppy {
        config.floppies.push(Image::floppy(path, options.read_only).map_err(|error| refused(&error))?);
    }
    for path in &options.disk {
        config.disks.push(Image::fixed(path, options.read_only).map_err(|error| refused(&error))?);
    }
    if let Some(disk) = started {
        disk.clone().put_into(config);
    }
    let floppies = ('A'..).take(config.floppies.len());
    if let Some(letter) =
        floppies.into_iter().find(|letter| options.drive.iter().any(|(own, _)| own == letter))
    {
        return Err(Failure::Usage(format!("--drive {letter}: a floppy image is in that drive")));
    }
    for (images, option) in [(&config.floppies, "--floppy"), (&config.disks, "--disk")] {
        if images.len() > MOST_DRIVES {
            let count = MOST_DRIVES;
            return Err(Failure::Usage(format!(
                "{option}: there are only {count} drives, including that of the boot disk"
            )));
        }
        let twice = images.iter().enumerate().any(|(number, image)| {
            images[..number].iter().any(|other| atomic_file::is_same(other.path(), image.path()))
        });
        if twice {
            return Err(Failure::Usage(format!("{option}: one image cannot be in two drives")));
        }
    }
    Ok(())
}

fn refused(error: &ImageError) -> Failure {
    Failure::Host(error.to_string())
}
