//! Opening files of the host's folder.
//!
//! Invariant: what is opened is a plain file below the root, whatever the host has put in its place meanwhile: a link that leads
//! out, a pipe, a device. Nothing here waits for another process.

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

/// Gives the file at `path` these contents, and makes it when it has gone. Returns its former length.
///
/// # Errors
/// As [`write`] and [`make`]; when the disk is full.
pub(super) fn replace(root: &Path, path: &Path, data: &[u8]) -> io::Result<u64> {
    let mut file = match write(root, path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => make(root, path)?,
        opened => opened?,
    };
    let before = file.metadata()?.len();
    file.write_all(data)?;
    // Cut last: on a full disk what was there before is not lost as well.
    file.set_len(data.len() as u64)?;
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

/// Follows no link at the end of the path, and does not wait for the other end of a pipe.
#[cfg(unix)]
fn at_once(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
}

#[cfg(not(unix))]
fn at_once(options: &mut OpenOptions) -> &mut OpenOptions {
    options
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
