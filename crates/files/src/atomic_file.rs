//! Atomic replacement of host files: a reader sees the old contents or the new ones, never a part
//! of either.
//!
//! New contents go to a temporary file in the same folder, which replaces the target when it is
//! complete. So a killed run leaves the target unchanged, and other hard links to it keep the old
//! contents. The next run that writes in the same folder removes the temporary file. A link is
//! followed to its target. A pipe or a device is written directly. The path `-` is standard output,
//! which gets the complete contents, or nothing.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::scratch::{self, Registered, ScratchFolder};

/// The most links followed in sequence, as on Linux.
const MOST_LINKS: usize = 40;

/// A file that is being written. Dropped without [`AtomicFile::commit`], it changes nothing.
///
/// ```
/// use oxbox_files::atomic_file::AtomicFile;
/// use std::io::Write;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("GREETING.TXT");
/// let mut file = AtomicFile::create(&path)?;
/// file.write_all(b"hello")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"hello");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    target: Target,
}

#[derive(Debug)]
enum Target {
    /// A file, which is replaced.
    File(Place),
    /// Standard output; the contents are kept in this folder until they are complete.
    Stdout { _folder: ScratchFolder },
    /// A pipe or a device, or nothing any more: the target has been replaced.
    Direct,
}

#[derive(Debug)]
struct Place {
    temporary: PathBuf,
    target: PathBuf,
    /// Whether the target has contents that could be lost.
    has_contents: bool,
    _registered: Registered,
}

impl AtomicFile {
    /// Starts writing the file at `path`; `-` is standard output.
    ///
    /// # Errors
    /// Fails if the path is invalid, its folder accepts no new file, or the host protects the
    /// target.
    pub fn create(path: &Path) -> io::Result<AtomicFile> {
        if is_stdout(path) {
            let folder = ScratchFolder::new()?;
            let mut options = OpenOptions::new();
            let file = options.read(true).write(true).create_new(true).open(folder.path().join("output"))?;
            return Ok(AtomicFile { file, target: Target::Stdout { _folder: folder } });
        }
        match fs::metadata(path) {
            Ok(there) if there.is_file() || there.is_dir() => AtomicFile::beside(&path.canonicalize()?),
            Ok(_) => {
                Ok(AtomicFile { file: OpenOptions::new().write(true).open(path)?, target: Target::Direct })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                AtomicFile::beside(&resolve_links(path.to_owned())?)
            }
            Err(error) => Err(error),
        }
    }

    /// Starts writing the file at `target`, which must not be a link.
    fn beside(target: &Path) -> io::Result<AtomicFile> {
        let there = match at_once(OpenOptions::new().write(true)).open(target) {
            Ok(file) => Some(file.metadata()?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        scratch::sweep_once(folder, is_temporary, fs::remove_file);
        let (temporary, file, registered) = scratch::file(|| temporary_in(folder))?;
        let has_contents = there.as_ref().is_some_and(|there| there.len() > 0);
        let place = Place { temporary, target: target.to_owned(), has_contents, _registered: registered };
        let whole = AtomicFile { file, target: Target::File(place) };
        if let Some(there) = there {
            copy_ownership(&whole.file, &there)?;
        }
        Ok(whole)
    }

    /// Returns the file to write to.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Replaces the target with the complete file, or writes it to standard output.
    ///
    /// # Errors
    /// Fails if the host refuses the replacement. The target is then unchanged.
    pub fn commit(mut self) -> io::Result<()> {
        self.take_place()
    }

    /// Like [`AtomicFile::commit`], and survives a loss of power: the old contents are replaced
    /// only after the new ones are on the disk.
    ///
    /// # Errors
    /// Fails as [`AtomicFile::commit`] does.
    pub fn commit_durably(mut self) -> io::Result<()> {
        if let Target::File(Place { has_contents: true, .. }) = self.target {
            self.file.sync_all()?;
        }
        self.take_place()
    }

    fn take_place(&mut self) -> io::Result<()> {
        match &self.target {
            Target::File(Place { temporary, target, .. }) => fs::rename(temporary, target)?,
            Target::Stdout { .. } => {
                self.file.rewind()?;
                let mut out = io::stdout().lock();
                io::copy(&mut self.file, &mut out)?;
                out.flush()?;
            }
            Target::Direct => {}
        }
        self.target = Target::Direct;
        Ok(())
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Target::File(place) = &self.target {
            let _ = fs::remove_file(&place.temporary);
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Whether a path is `-`: standard output.
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes the file at `path` atomically; `-` is standard output.
///
/// # Errors
/// Fails as [`AtomicFile::create`] does, or if the disk is full. The file is then unchanged.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_stdout(path) {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        return out.flush();
    }
    let mut whole = AtomicFile::create(path)?;
    whole.write_all(bytes)?;
    whole.commit()
}

/// Returns the folder in which a file at `path` is replaced; `None` for a pipe or a device. Removes
/// temporary files of dead processes there.
///
/// # Errors
/// Fails if the path cannot be looked up.
pub fn folder_of(path: &Path) -> io::Result<Option<PathBuf>> {
    let target = match fs::metadata(path) {
        Ok(there) if there.is_file() || there.is_dir() => path.canonicalize()?,
        Ok(_) => return Ok(None),
        Err(_) => resolve_links(path.to_owned())?,
    };
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    scratch::sweep_once(folder, is_temporary, fs::remove_file);
    Ok(Some(folder.to_owned()))
}

/// Returns whether two paths name the same file. Missing files are compared by their folders.
pub fn is_same(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(a), Ok(b)) = (fs::metadata(a), fs::metadata(b)) {
        use std::os::unix::fs::MetadataExt;
        return (a.dev(), a.ino()) == (b.dev(), b.ino());
    }
    let place = |path: &Path| {
        let end = resolve_links(path.to_owned()).unwrap_or_else(|_| path.to_owned());
        let folder = end.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(end.file_name()?))
    };
    let (a, b) = (place(a), place(b));
    a.is_some() && a == b
}

/// Returns the target of a chain of links, which need not exist.
fn resolve_links(mut path: PathBuf) -> io::Result<PathBuf> {
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().map_or(target.clone(), |folder| folder.join(target));
    }
    Err(io::Error::other("the link points to itself"))
}

/// Returns whether a name is that of a temporary file, which a killed run may have left.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(".oxbox-") && name.ends_with(".tmp")
}

/// Returns a name for a temporary file that is unique in this process.
pub fn temporary_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!(".oxbox-{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Creates a file with an unused name in a folder.
fn temporary_in(folder: &Path) -> io::Result<(PathBuf, File)> {
    scratch::with_free_name(|| {
        let path = folder.join(temporary_name());
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok(scratch::is_kept(&file).then_some((path, file)))
    })
}

/// Sets the options that follow no final link and do not wait for the other end of a pipe.
#[cfg(unix)]
fn at_once(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
}

#[cfg(not(unix))]
fn at_once(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Copies owner and permissions of the target to the new file.
pub fn copy_ownership(file: &File, there: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let ours = file.metadata()?;
        if (ours.uid(), ours.gid()) != (there.uid(), there.gid()) {
            // Only the superuser can change the owner. Otherwise the file gets this user as its
            // owner.
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
        let mut whole = AtomicFile::create(&path).unwrap();
        whole.write_all(b"ne").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        // In the same folder, so that the replacement is one step.
        assert_eq!(names(folder.path()).len(), 2);
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

    #[test]
    fn a_file_is_written_at_any_place_and_committed_durably() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("A");
        for old in [None, Some("an older one")] {
            if let Some(old) = old {
                fs::write(&path, old).unwrap();
            }
            let mut file = AtomicFile::create(&path).unwrap();
            file.write_all(b"head, tail").unwrap();
            assert_eq!(file.seek(SeekFrom::Start(0)).unwrap(), 0);
            file.write_all(b"HEAD").unwrap();
            assert_eq!(file.stream_position().unwrap(), 4);
            file.flush().unwrap();
            assert_eq!(file.file().metadata().unwrap().len(), 10);
            file.commit_durably().unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"HEAD, tail");
            assert_eq!(names(folder.path()), ["A"]);
        }
    }

    #[test]
    fn temporary_files_have_names_of_their_own() {
        let (first, second) = (temporary_name(), temporary_name());
        assert_ne!(first, second);
        for (name, expected) in
            [(first.as_str(), true), (".oxbox-1-2", false), ("x.tmp", false), (".oxbox-1-2.tmp", true)]
        {
            assert_eq!(is_temporary(name), expected, "{name}");
        }
        // A name left by a dead process with the same number is skipped.
        let folder = tempfile::tempdir().unwrap();
        let (taken, _) = temporary_in(folder.path()).unwrap();
        let number = |path: &Path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            name.trim_end_matches(".tmp").rsplit('-').next().unwrap().parse::<u32>().unwrap()
        };
        let next = number(&taken) + 1;
        for number in next..next + 200 {
            fs::write(folder.path().join(format!(".oxbox-{}-{number}.tmp", std::process::id())), "").unwrap();
        }
        let (path, _) = temporary_in(folder.path()).unwrap();
        assert!(number(&path) >= next + 200, "{}", path.display());
    }

    #[test]
    fn paths_of_one_file_are_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("d")).unwrap();
        fs::write(at("d/file"), "").unwrap();
        fs::write(at("other"), "").unwrap();
        let rows = [
            ("d/file", "d/../d/file", true),
            ("d/file", "other", false),
            ("d/file", "d/none", false),
            // Files that do not exist yet.
            ("d/none", "d/../d/none", true),
            ("d/none", "d/nine", false),
            ("d/none", "none", false),
            ("no/such", "no/such", false),
        ];
        for (a, b, expected) in rows {
            assert_eq!(is_same(&at(a), &at(b)), expected, "{a} and {b}");
        }
        assert!(is_same(Path::new("no-such-file"), Path::new("./no-such-file")), "in the current folder");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_as_it_is() {
        use std::os::unix::fs::{FileTypeExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        // A link, so that a mistake replaces the link and not the device.
        let link = folder.path().join("null");
        symlink("/dev/null", &link).unwrap();
        let file = AtomicFile::create(&link).unwrap();
        assert!(matches!(file.target, Target::Direct));
        assert!(fs::metadata(&link).unwrap().file_type().is_char_device());
        assert_eq!(names(folder.path()), ["null"]);
        file.commit().unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_is_not_a_file_is_not_waited_for() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("link");
        symlink("file", &target).unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        // The chain of links was resolved before. A link that exists now was created since.
        assert!(AtomicFile::beside(&target).is_err());
        assert!(at_once(OpenOptions::new().write(true)).open(folder.path().join("file")).is_ok());
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
        assert_eq!(names(&at("d")), ["file", "none"]);
    }
}
