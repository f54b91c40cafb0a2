//! Files of the host, written whole: under its name stands the old file or the new one, never a part of either.
//!
//! What is written goes to a temporary file in the same folder, which takes the target's place when it is complete. So a run that is
//! killed leaves the target as it was, and a hard link to it keeps what it had. A target that is a link is written where the link
//! leads; what is no file (a pipe, a device) is written to as it is.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Links followed one after the other, as many as Linux follows.
const MOST_LINKS: usize = 40;

/// A file that is being written. Dropped without [`WholeFile::commit`], it leaves no trace.
///
/// ```
/// use oxbox::whole_file::WholeFile;
/// use std::io::Write;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("GREETING.TXT");
/// let mut file = WholeFile::create(&path)?;
/// file.write_all(b"hello")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"hello");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct WholeFile {
    file: File,
    /// None when what is written is no file.
    place: Option<Place>,
}

/// The temporary file, and whose place it takes.
#[derive(Debug)]
struct Place {
    temporary: PathBuf,
    target: PathBuf,
    /// The target holds something that could be lost.
    has_contents: bool,
}

impl WholeFile {
    /// Starts to write the file at `path`.
    ///
    /// # Errors
    /// When there can be no such file, its folder takes no new file, or the host protects what is there.
    pub fn create(path: &Path) -> io::Result<WholeFile> {
        match fs::metadata(path) {
            Ok(there) if there.is_file() || there.is_dir() => WholeFile::beside(&path.canonicalize()?),
            Ok(_) => Ok(WholeFile { file: OpenOptions::new().write(true).open(path)?, place: None }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                WholeFile::beside(&end_of_links(path.to_owned())?)
            }
            Err(error) => Err(error),
        }
    }

    /// Starts to write the file at `target`, which is no link.
    fn beside(target: &Path) -> io::Result<WholeFile> {
        let there = match at_once(OpenOptions::new().write(true)).open(target) {
            Ok(file) => Some(file.metadata()?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let (temporary, file) = temporary_in(folder.unwrap_or(Path::new(".")))?;
        let has_contents = there.as_ref().is_some_and(|there| there.len() > 0);
        let place = Place { temporary, target: target.to_owned(), has_contents };
        let whole = WholeFile { file, place: Some(place) };
        if let Some(there) = there {
            take_over(&whole.file, &there)?;
        }
        Ok(whole)
    }

    /// The file that is written to.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The file is complete and takes its place.
    ///
    /// # Errors
    /// When the host refuses; the target stays as it was.
    pub fn commit(mut self) -> io::Result<()> {
        self.take_place()
    }

    /// As [`WholeFile::commit`], for contents that are to outlive a loss of power: what was there before is only given up when the new
    /// contents are on the disk.
    ///
    /// # Errors
    /// As [`WholeFile::commit`].
    pub(crate) fn commit_durably(mut self) -> io::Result<()> {
        if self.place.as_ref().is_some_and(|place| place.has_contents) {
            self.file.sync_all()?;
        }
        self.take_place()
    }

    fn take_place(&mut self) -> io::Result<()> {
        let Some(Place { temporary, target, .. }) = &self.place else { return Ok(()) };
        fs::rename(temporary, target)?;
        self.place = None;
        Ok(())
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some(place) = &self.place {
            let _ = fs::remove_file(&place.temporary);
        }
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for WholeFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Writes the file at `path`, whole.
///
/// # Errors
/// As [`WholeFile::create`], or when the disk is full: the file stays as it was.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut whole = WholeFile::create(path)?;
    whole.write_all(bytes)?;
    whole.commit()
}

/// Whether two paths lead to one file, by whatever names. What is not there yet is told by the folder in which it would be.
pub fn is_same(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(a), Ok(b)) = (fs::metadata(a), fs::metadata(b)) {
        use std::os::unix::fs::MetadataExt;
        return (a.dev(), a.ino()) == (b.dev(), b.ino());
    }
    let place = |path: &Path| {
        let end = end_of_links(path.to_owned()).unwrap_or_else(|_| path.to_owned());
        let folder = end.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(end.file_name()?))
    };
    let (a, b) = (place(a), place(b));
    a.is_some() && a == b
}

/// Where a link to nothing leads.
fn end_of_links(mut path: PathBuf) -> io::Result<PathBuf> {
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().map_or(target.clone(), |folder| folder.join(target));
    }
    Err(io::Error::other("the link leads in a circle"))
}

/// True for the name of a temporary file: a run that was killed may have left one behind.
#[cfg(any(unix, windows))]
pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with(".oxbox-") && name.ends_with(".tmp")
}

/// A name for a temporary file that nobody else in this process gets.
pub(crate) fn temporary_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!(".oxbox-{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// A new file in a folder, under a name that nobody uses.
fn temporary_in(folder: &Path) -> io::Result<(PathBuf, File)> {
    loop {
        let path = folder.join(temporary_name());
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => return Ok((path, file)),
        }
    }
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

/// Gives a file the owner and the permissions of the one whose place it takes.
pub(crate) fn take_over(file: &File, there: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let ours = file.metadata()?;
        if (ours.uid(), ours.gid()) != (there.uid(), there.gid()) {
            // Only the superuser can give files away; for anybody else the file changes hands.
            let _ = std::os::unix::fs::fchown(file, Some(there.uid()), Some(there.gid()));
        }
    }
    file.set_permissions(there.permissions())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_old_file_stands_until_the_new_one_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("A");
        fs::write(&path, "old").unwrap();
        let mut whole = WholeFile::create(&path).unwrap();
        whole.write_all(b"ne").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        drop(whole);
        assert_eq!(
            (fs::read(&path).unwrap().as_slice(), names(folder.path()).join(" ")),
            (&b"old"[..], "A".into())
        );
        write(&path, b"new").unwrap();
        assert_eq!(
            (fs::read(&path).unwrap().as_slice(), names(folder.path()).join(" ")),
            (&b"new"[..], "A".into())
        );
    }

    #[test]
    fn what_cannot_be_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write(folder.path(), b"x").is_err(), "a folder");
        assert!(write(&folder.path().join("no/such"), b"x").is_err(), "no folder");
        assert!(names(folder.path()).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_and_permissions_stay() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("d")).unwrap();
        fs::write(at("d/file"), "old").unwrap();
        fs::set_permissions(at("d/file"), fs::Permissions::from_mode(0o640)).unwrap();
        fs::hard_link(at("d/file"), at("hard")).unwrap();
        symlink("d/file", at("soft")).unwrap();
        symlink("d/none", at("dangling")).unwrap();
        symlink("circle", at("circle")).unwrap();

        write(&at("soft"), b"new").unwrap();
        assert!(at("soft").is_symlink());
        assert_eq!(fs::read(at("d/file")).unwrap(), b"new");
        assert_eq!(fs::metadata(at("d/file")).unwrap().mode() & 0o777, 0o640);
        assert_eq!(fs::read(at("hard")).unwrap(), b"old", "a hard link is another file from now on");

        write(&at("dangling"), b"made").unwrap();
        assert!(at("dangling").is_symlink());
        assert_eq!(fs::read(at("d/none")).unwrap(), b"made");
        assert!(write(&at("circle"), b"x").is_err());
        write(Path::new("/dev/null"), b"x").unwrap();
        assert_eq!(names(&at("d")), ["file", "none"]);
    }
}
