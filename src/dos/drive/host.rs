//! Opening files of the host's folder.
//!
//! Invariant: what is opened is a plain file below the root, whatever the host has put in its place meanwhile: a link that leads
//! out, a pipe, a device. Nothing here waits for another process.

use super::contents::Contents;
use crate::whole_file::{WholeFile, at_once};
use std::{
    fs::{File, Metadata, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// The file at `path`, for reading.
///
/// # Errors
/// When there is none, or none that a guest may see.
pub(super) fn read(root: &Path, path: &Path) -> io::Result<File> {
    open(root, path, OpenOptions::new().read(true))
}

/// The file at `path`, for writing. It stays as it is.
///
/// # Errors
/// As [`read`], and when the host protects it.
pub(super) fn write(root: &Path, path: &Path) -> io::Result<File> {
    open(root, path, OpenOptions::new().write(true))
}

/// Makes an empty file where there is nothing yet.
///
/// # Errors
/// When there is something, even if it is a link to nowhere.
pub(super) fn make(root: &Path, path: &Path) -> io::Result<File> {
    below(root, path.parent().unwrap_or(root))?;
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Gives the file at `path` these contents, whole, and makes it when it has gone. Returns its former length. A hard link to the file
/// keeps what it had: it may stand outside of the root.
///
/// # Errors
/// As [`write`] and [`make`]; when the disk is full. What was there before is kept then.
pub(super) fn replace(root: &Path, path: &Path, data: &Contents) -> io::Result<u64> {
    let (target, before) = match write(root, path) {
        Ok(file) => (below(root, path)?, file.metadata()?.len()),
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.symlink_metadata().is_err() => {
            let folder = below(root, path.parent().unwrap_or(root))?;
            (folder.join(path.file_name().unwrap_or_default()), 0)
        }
        Err(error) => return Err(error),
    };
    let mut whole = WholeFile::beside(&target)?;
    // Somebody may have put a link in the folder's place meanwhile.
    if let Some(temporary) = whole.temporary() {
        below(root, temporary)?;
    }
    data.stretches().try_for_each(|stretch| whole.write_all(stretch))?;
    whole.commit_durably()?;
    Ok(before)
}

fn open(root: &Path, path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let target = below(root, path)?;
    let file = at_once(options).open(&target)?;
    // Somebody may have changed the path between the look at it and the opening.
    let opened = file.metadata()?;
    if !opened.is_file() || below(root, path)? != target || !is_same(&opened, &target.symlink_metadata()?) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is no plain file of this folder"));
    }
    Ok(file)
}

/// Where `path` leads.
fn below(root: &Path, path: &Path) -> io::Result<PathBuf> {
    let target = path.canonicalize()?;
    if target.starts_with(root) {
        return Ok(target);
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, "it leads out of the folder"))
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}
