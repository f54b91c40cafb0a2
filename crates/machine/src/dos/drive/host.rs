//! The host folder of a drive, held as an open directory. Files outside of it cannot be reached,
//! whatever the host does to a name meanwhile.
//!
//! Every path is relative to the folder. `cap-std` resolves it there (Linux: `openat2` with
//! `RESOLVE_BENEATH`), including links, so that nothing can change between a check and a use. Only
//! plain files are opened: no access waits for the other end of a pipe.

use super::Metadata;
use super::contents::PagedFile;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};
use oxbox_files::{atomic_file, scratch};
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(super) struct SandboxDir(Arc<Dir>);

impl SandboxDir {
    /// Opens the folder at `path`. Fails if it cannot be found or read.
    pub(super) fn open(path: &Path) -> io::Result<SandboxDir> {
        let folder = Dir::open_ambient_dir(path, ambient_authority())?;
        folder.entries()?;
        Ok(SandboxDir(Arc::new(folder)))
    }

    /// Returns information about `path`; `None` for links that lead out, pipes, sockets, devices.
    pub(super) fn about(&self, path: &Path) -> Option<Metadata> {
        let metadata = self.0.metadata(or_here(path)).ok()?;
        (metadata.is_file() || metadata.is_dir()).then(|| Metadata {
            is_directory: metadata.is_dir(),
            len: metadata.len(),
            modified: metadata.modified().ok().map(cap_std::time::SystemTime::into_std),
            is_protected: metadata.permissions().readonly(),
        })
    }

    /// Whether the name exists, even as a dangling link.
    pub(super) fn exists(&self, path: &Path) -> bool {
        self.0.symlink_metadata(path).is_ok()
    }

    /// Returns a folder's names that a guest may see, and whether each is a folder, in host order.
    pub(super) fn list(&self, folder: &Path) -> Vec<(String, bool)> {
        let Ok(entries) = self.0.read_dir(or_here(folder)) else { return Vec::new() };
        let listed = entries.flatten().filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            if atomic_file::is_temporary(&name) {
                return None;
            }
            let kind = entry.file_type().ok()?;
            if kind.is_dir() || kind.is_file() {
                return Some((name, kind.is_dir()));
            }
            let about = kind.is_symlink().then(|| self.about(&folder.join(&name)))??;
            Some((name, about.is_directory))
        });
        listed.collect()
    }

    /// Opens the file at `path` for reading. Fails if a guest may see no such file.
    pub(super) fn read(&self, path: &Path) -> io::Result<std::fs::File> {
        self.open_file(path, OpenOptions::new().read(true)).map(File::into_std)
    }

    /// Opens the file at `path` for writing, without changing it. Fails like [`SandboxDir::read`],
    /// and if the host protects the file.
    pub(super) fn write(&self, path: &Path) -> io::Result<File> {
        self.open_file(path, OpenOptions::new().write(true))
    }

    fn open_file(&self, path: &Path, options: &mut OpenOptions) -> io::Result<File> {
        let file = self.0.open_with(path, at_once(options))?;
        if file.metadata()?.is_file() {
            return Ok(file);
        }
        Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is not a plain file"))
    }

    /// Creates an empty file. Fails if the name exists, even as a dangling link.
    pub(super) fn create_new(&self, path: &Path) -> io::Result<()> {
        self.0.open_with(path, OpenOptions::new().write(true).create_new(true)).map(drop)
    }

    /// Replaces the contents of the file at `path` as a whole, and creates it if it has
    /// disappeared. Returns its former length. A hard link to the file keeps the old contents: it
    /// may be outside of the folder. Fails like [`SandboxDir::write`] and
    /// [`SandboxDir::create_new`], and if the disk is full. The old contents are then kept.
    pub(super) fn replace(&self, path: &Path, data: &PagedFile) -> io::Result<u64> {
        let (target, there) = match self.write(path) {
            Ok(file) => (self.0.canonicalize(path)?, Some(file.into_std().metadata()?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !self.exists(path) => {
                (path.to_owned(), None)
            }
            Err(error) => return Err(error),
        };
        let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = self.0.open_dir(or_here(target.parent().unwrap_or(Path::new(""))))?;
        sweep(&folder);
        // A process that has been told to end waits for the whole step, so that no temporary file
        // is left.
        let _step = scratch::undisturbed();
        let (temporary, mut file) = loop {
            let name = atomic_file::temporary_name();
            match folder.open_with(&name, OpenOptions::new().write(true).create_new(true)) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                opened => {
                    let file = opened?.into_std();
                    if scratch::is_kept(&file) {
                        break (name, file);
                    }
                }
            }
        };
        let before = there.as_ref().map_or(0, std::fs::Metadata::len);
        let mut fill = || {
            there.as_ref().map_or(Ok(()), |there| atomic_file::copy_ownership(&file, there))?;
            data.chunks().try_for_each(|stretch| file.write_all(stretch))?;
            // The old contents are given up only after the new contents are on the disk.
            if before > 0 { file.sync_all() } else { Ok(()) }
        };
        let replaced = fill().and_then(|()| folder.rename(&temporary, &folder, name));
        if replaced.is_err() {
            let _ = folder.remove_file(&temporary);
        }
        replaced.map(|()| before)
    }

    pub(super) fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.0.remove_file(path)
    }

    /// Renames a file or folder. Fails if the new name exists, or the host refuses.
    pub(super) fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        if self.exists(to) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.rename_to_free_name(from, to)
    }

    /// The host checks the name and renames in one step, so that a file created meanwhile is kept.
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    fn rename_to_free_name(&self, from: &Path, to: &Path) -> io::Result<()> {
        use rustix::fs::{RenameFlags, renameat_with};
        use rustix::io::Errno;

        let parent = |path: &Path| self.0.open_dir(or_here(path.parent().unwrap_or(Path::new(""))));
        let name = |path: &Path| path.file_name().map(OsStr::to_owned).ok_or(io::ErrorKind::InvalidInput);
        let (old_parent, new_parent) = (parent(from)?, parent(to)?);
        match renameat_with(&old_parent, name(from)?, &new_parent, name(to)?, RenameFlags::NOREPLACE) {
            // Unsupported by file systems such as NFS, and by kernels before 3.15.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => self.0.rename(from, &self.0, to),
            renamed => Ok(renamed?),
        }
    }

    /// A file that is created after the check is overwritten: the host offers no other way.
    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    fn rename_to_free_name(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.rename(from, &self.0, to)
    }

    pub(super) fn make_directory(&self, path: &Path) -> io::Result<()> {
        self.0.create_dir(path)
    }

    pub(super) fn remove_directory(&self, path: &Path) -> io::Result<()> {
        self.0.remove_dir(path)
    }
}

/// Removes the temporary files of killed processes, before this process first writes there.
fn sweep(folder: &Dir) {
    #[cfg(unix)]
    {
        let about = folder.open(".").and_then(|folder| folder.into_std().metadata());
        if !about.is_ok_and(|about| scratch::is_first_look(&about)) {
            return;
        }
        for entry in folder.entries().into_iter().flatten().flatten() {
            let name = entry.file_name();
            let opened = || folder.open_with(&name, at_once(OpenOptions::new().read(true)));
            // The lock is held until the file is removed.
            if name.to_str().is_some_and(atomic_file::is_temporary)
                && let Ok(file) = opened().map(File::into_std)
                && scratch::is_abandoned(&file)
            {
                let _ = folder.remove_file(&name);
            }
        }
    }
    #[cfg(not(unix))]
    let _ = folder;
}

/// Returns `.` for the folder itself.
fn or_here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// Opens without waiting for the other end of a pipe.
#[cfg(unix)]
fn at_once(options: &mut OpenOptions) -> &OpenOptions {
    use cap_std::fs::OpenOptionsExt;
    options.custom_flags(libc::O_NONBLOCK)
}

#[cfg(not(unix))]
fn at_once(options: &mut OpenOptions) -> &OpenOptions {
    options
}

#[cfg(test)]
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod tests {
    use super::*;

    /// Simulates a file that is created between the check and the renaming.
    #[test]
    fn a_name_that_was_taken_meanwhile_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("OLD.TXT"), "old").unwrap();
        std::fs::write(path("NEW.TXT"), "made meanwhile").unwrap();
        std::fs::create_dir(path("SUB")).unwrap();
        let root = SandboxDir::open(folder.path()).unwrap();
        let taken = root.rename_to_free_name(Path::new("OLD.TXT"), Path::new("NEW.TXT"));
        assert_eq!(taken.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read_to_string(path("NEW.TXT")).unwrap(), "made meanwhile");
        root.rename_to_free_name(Path::new("OLD.TXT"), Path::new("SUB/FREE.TXT")).unwrap();
        assert_eq!(std::fs::read_to_string(path("SUB/FREE.TXT")).unwrap(), "old");
    }
}
