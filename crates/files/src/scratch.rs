//! Scratch resources of a process: temporary files, folders and children, removed when it ends.
//!
//! Each is registered while it exists, so that [`clean_up`] removes all of them when the process
//! must end, whatever its threads are doing. Remains of a killed process are recognised by their
//! name and by an unheld lock. The next process that works in the same folder removes them.

use std::collections::BTreeMap;
#[cfg(unix)]
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, TryLockError};

use crate::group;

/// A child that [`clean_up`] can kill.
pub type SharedChild = Arc<Mutex<Child>>;

/// A resource that must not outlive the process.
#[derive(Debug)]
enum Leftover {
    File(PathBuf),
    Folder(PathBuf),
    Process(SharedChild),
}

#[derive(Debug)]
struct Registry {
    next: u64,
    leftovers: BTreeMap<u64, Leftover>,
    /// Folders already searched for remains of dead processes, by device and inode.
    #[cfg(unix)]
    swept: BTreeSet<(u64, u64)>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    next: 0,
    leftovers: BTreeMap::new(),
    #[cfg(unix)]
    swept: BTreeSet::new(),
});

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An entry of the registry, removed when this value is dropped.
#[derive(Debug)]
pub struct Registered(u64);

impl Drop for Registered {
    fn drop(&mut self) {
        registry().leftovers.remove(&self.0);
    }
}

/// Registers a temporary file that `make` creates. [`clean_up`] never runs between both steps.
pub(crate) fn file<T>(
    make: impl FnOnce() -> io::Result<(PathBuf, T)>,
) -> io::Result<(PathBuf, T, Registered)> {
    let mut registry = registry();
    let (path, made) = make()?;
    let registered = registry.add(Leftover::File(path.clone()));
    Ok((path, made, registered))
}

/// Registers a child, which [`clean_up`] kills with the group that it leads.
pub fn child(child: Child) -> (SharedChild, Registered) {
    let shared = Arc::new(Mutex::new(child));
    let registered = registry().add(Leftover::Process(Arc::clone(&shared)));
    (shared, registered)
}

impl Registry {
    fn add(&mut self, leftover: Leftover) -> Registered {
        let number = self.next;
        self.next += 1;
        self.leftovers.insert(number, leftover);
        Registered(number)
    }

    fn remove_all(&mut self) {
        for leftover in std::mem::take(&mut self.leftovers).into_values() {
            match leftover {
                Leftover::Process(child) => {
                    let _ = group::end(&mut child.lock().unwrap_or_else(PoisonError::into_inner));
                }
                Leftover::File(path) => drop(fs::remove_file(path)),
                Leftover::Folder(path) => remove_folder(&path),
            }
        }
    }
}

/// Removes a folder in which other threads may still create files. A file created during the
/// removal makes it fail; the next attempt finds that file.
fn remove_folder(path: &Path) {
    const TRIES: u32 = 100;
    for _ in 0..TRIES {
        if is_removed(fs::remove_dir_all(path)) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Returns whether nothing is left after a removal.
fn is_removed(result: io::Result<()>) -> bool {
    result.map_or_else(|error| error.kind() == io::ErrorKind::NotFound, |()| true)
}

/// The lock between indivisible steps (readers) and the end of the process (the writer).
static STEPS: RwLock<()> = RwLock::new(());

/// Starts an indivisible step: [`clean_up`] waits until the returned value is dropped.
#[must_use = "the step ends when this value is dropped"]
pub fn undisturbed() -> RwLockReadGuard<'static, ()> {
    STEPS.read().unwrap_or_else(PoisonError::into_inner)
}

/// Kills the children and removes the temporary files and scratch folders of this process. After
/// this, no thread can create more of them or commit a file. Call it just before the process ends.
pub fn clean_up() {
    let steps = STEPS.write();
    let mut registry = registry();
    registry.remove_all();
    // A thread that now starts a step or needs the registry waits until the process ends.
    std::mem::forget((steps, registry));
}

/// Like [`clean_up`], but never waits: for a process that is stuck.
pub fn clean_up_at_once() {
    match REGISTRY.try_lock() {
        Ok(mut registry) => registry.remove_all(),
        Err(TryLockError::Poisoned(registry)) => registry.into_inner().remove_all(),
        Err(TryLockError::WouldBlock) => {}
    }
}

/// The folder for scratch files and folders, if it is not the host's own.
static ROOM: Mutex<Option<PathBuf>> = Mutex::new(None);

/// A scratch folder for all other scratch files and folders of this process, so that the process
/// needs no access to the host's temporary files.
#[derive(Debug)]
pub struct Room(ScratchFolder);

impl Room {
    /// Creates a room in the host's folder for temporary files.
    ///
    /// # Errors
    /// Fails if no folder can be created there.
    pub fn new() -> io::Result<Room> {
        let folder = ScratchFolder::new()?;
        *room() = Some(folder.path().to_owned());
        Ok(Room(folder))
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        *room() = None;
    }
}

fn room() -> MutexGuard<'static, Option<PathBuf>> {
    ROOM.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the folder for scratch files and folders: this process's [`Room`], or the host's.
pub fn parent() -> PathBuf {
    room().clone().unwrap_or_else(std::env::temp_dir)
}

/// A folder for scratch files, removed when this value is dropped and by [`clean_up`].
///
/// ```
/// use oxbox_files::scratch::ScratchFolder;
///
/// let parent = tempfile::tempdir()?;
/// let folder = ScratchFolder::new_in(parent.path())?;
/// let path = folder.path().to_owned();
/// std::fs::write(path.join("A"), "scratch")?;
/// drop(folder);
/// assert!(!path.exists());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ScratchFolder {
    path: PathBuf,
    /// The open and locked folder: a sign that its process is alive.
    _alive: Option<File>,
    _registered: Registered,
}

impl ScratchFolder {
    /// Creates a folder in [`parent`].
    ///
    /// # Errors
    /// Fails if no folder can be created there.
    pub fn new() -> io::Result<ScratchFolder> {
        ScratchFolder::new_in(&parent())
    }

    /// Creates a folder in `parent` that only the user can access.
    ///
    /// # Errors
    /// Fails if no folder can be created there.
    pub fn new_in(parent: &Path) -> io::Result<ScratchFolder> {
        sweep_once(parent, is_scratch_folder, fs::remove_dir_all);
        let mut registry = registry();
        with_free_name(|| {
            let path = parent.join(scratch_name());
            private_folder(&path)?;
            let Ok(alive) = hold(&path) else { return Ok(None) };
            let registered = registry.add(Leftover::Folder(path.clone()));
            Ok(Some(ScratchFolder { path, _alive: alive, _registered: registered }))
        })
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates the folder `path`, which is below this one, and those between them. Unlike
    /// [`fs::create_dir_all`], never creates the scratch folder again after its removal.
    ///
    /// # Errors
    /// Fails if the path is not below this folder, or if a folder cannot be created.
    pub fn make_folder(&self, path: &Path) -> io::Result<()> {
        let below = path.strip_prefix(&self.path).map_err(io::Error::other)?;
        let mut folder = self.path.clone();
        for part in below.components() {
            folder.push(part);
            match fs::create_dir(&folder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Opens and locks a folder that this process has just created; `None` if the host does not open
/// folders. Fails if another process removed it as abandoned, before it was opened or before it was
/// locked.
fn hold(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(folder) if is_kept(&folder) => Ok(Some(folder)),
        Ok(_) => Err(io::ErrorKind::NotFound.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(error),
        Err(_) => Ok(None),
    }
}

fn private_folder(path: &Path) -> io::Result<()> {
    #[allow(unused_mut, reason = "Unix alone has modes")]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// Tries names until `make` succeeds with one. Skips names that exist, and names whose file was
/// removed at once (`None`).
pub(crate) fn with_free_name<T>(mut make: impl FnMut() -> io::Result<Option<T>>) -> io::Result<T> {
    // More names than dead processes with this number can have left.
    const MOST_NAMES: u32 = 1000;
    for _ in 0..MOST_NAMES {
        match make() {
            Ok(Some(made)) => return Ok(made),
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "all names for a temporary file are in use"))
}

/// Returns a name for a scratch folder that is unique in this process.
fn scratch_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("oxbox-{}-{}.scratch", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn is_scratch_folder(name: &str) -> bool {
    let numbers = name.strip_prefix("oxbox-").and_then(|name| name.strip_suffix(".scratch"));
    numbers.is_some_and(|numbers| numbers.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'))
}

/// Locks a temporary file or folder that this process has just created. Returns false if another
/// process removed it as abandoned before that.
pub fn is_kept(file: &File) -> bool {
    // On hosts without locks no process removes abandoned files.
    let _ = file.lock();
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        file.metadata().is_ok_and(|about| about.nlink() > 0)
    }
    #[cfg(not(unix))]
    true
}

/// Returns whether the process that created a temporary file or folder has ended: its lock is free.
/// False if the host cannot tell. `file` then holds the lock and must stay open until the file is
/// removed.
pub fn is_abandoned(file: &File) -> bool {
    cfg!(unix) && file.try_lock().is_ok()
}

/// Returns whether this process has not yet searched a folder. True only once per folder.
#[cfg(unix)]
pub fn is_first_look(folder: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    registry().swept.insert((folder.dev(), folder.ino()))
}

/// Removes what dead processes left in a folder, when this process first works there.
pub(crate) fn sweep_once(folder: &Path, is_ours: fn(&str) -> bool, remove: fn(PathBuf) -> io::Result<()>) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let Ok(about) = fs::metadata(folder) else { return };
        if !is_first_look(&about) {
            return;
        }
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if !entry.file_name().to_str().is_some_and(is_ours) {
                continue;
            }
            let mut options = fs::OpenOptions::new();
            let opened =
                options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(entry.path());
            // The lock is held until the removal. A process that has just created the file waits
            // for it and creates another.
            if let Ok(file) = opened
                && is_abandoned(&file)
            {
                let _ = remove(entry.path());
            }
        }
    }
    #[cfg(not(unix))]
    let _ = (folder, is_ours, remove);
}

#[cfg(all(test, unix))]
mod tests {
    // Each scratch folder here has its own parent: a mutant of the removal must not reach the
    // host's temporary files.

    use super::*;

    #[test]
    fn what_nobody_holds_is_swept_once() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        for name in ["oxbox-1-1.scratch", "oxbox-2-1.scratch", "oxbox-notes.scratch", "oxbox-1-1"] {
            fs::create_dir(at(name)).unwrap();
            fs::write(at(name).join("F"), "").unwrap();
        }
        // A folder that another test searched and removed may have had this one's inode.
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let about = fs::metadata(parent.path()).unwrap();
            registry().swept.remove(&(about.dev(), about.ino()));
        }
        // The target of a link must not be removed, and opening a pipe without a writer must not
        // wait.
        std::os::unix::fs::symlink(at("oxbox-notes.scratch"), at("oxbox-3-1.scratch")).unwrap();
        let held = File::open(at("oxbox-2-1.scratch")).unwrap();
        held.lock().unwrap();
        let folder = ScratchFolder::new_in(parent.path()).unwrap();
        for (name, stays) in [
            ("oxbox-1-1.scratch", false),
            ("oxbox-2-1.scratch", true),
            ("oxbox-3-1.scratch", true),
            ("oxbox-notes.scratch", true),
            ("oxbox-1-1", true),
        ] {
            assert_eq!(at(name).exists(), stays, "{name}");
        }
        assert!(!is_abandoned(&File::open(folder.path()).unwrap()));
        fs::create_dir(at("oxbox-1-1.scratch")).unwrap();
        let again = ScratchFolder::new_in(parent.path()).unwrap();
        assert!(at("oxbox-1-1.scratch").exists(), "a folder is looked through once");
        let paths = [folder.path().to_owned(), again.path().to_owned()];
        drop((folder, again));
        assert!(paths.iter().all(|path| !path.exists()));
    }

    #[test]
    fn a_room_holds_the_scratch_of_its_process() {
        let room = Room::new().unwrap();
        let folder = ScratchFolder::new().unwrap();
        assert!(folder.path().starts_with(room.path()));
        let place = room.path().to_owned();
        drop((folder, room));
        assert!(!place.exists());
        assert_eq!(parent(), std::env::temp_dir());
    }

    #[test]
    fn a_file_that_was_swept_before_it_was_locked_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("F");
        let file = File::create(&path).unwrap();
        assert!(is_kept(&file));
        fs::remove_file(&path).unwrap();
        assert!(!is_kept(&file));
    }

    #[test]
    fn a_folder_that_was_swept_before_it_was_opened_is_noticed() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("D");
        private_folder(&path).unwrap();
        assert!(hold(&path).unwrap().is_some());
        fs::remove_dir(&path).unwrap();
        assert_eq!(hold(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn the_registry_removes_what_is_registered_and_forgets_what_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let (lost, kept) = (folder.path().join("F"), folder.path().join("K"));
        let inner = folder.path().join("D");
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("G"), "").unwrap();
        for path in [&lost, &kept] {
            fs::write(path, "").unwrap();
        }
        let mut registry = Registry { next: 0, leftovers: BTreeMap::new(), swept: BTreeSet::new() };
        for leftover in
            [Leftover::File(kept.clone()), Leftover::File(lost.clone()), Leftover::Folder(inner.clone())]
        {
            // Dropping it would remove an entry of the process's registry.
            std::mem::forget(registry.add(leftover));
        }
        registry.leftovers.remove(&0);
        registry.remove_all();
        assert_eq!((lost.exists(), inner.exists(), kept.exists()), (false, false, true));

        let (_, _, registered) = file(|| Ok((kept.clone(), ()))).unwrap();
        let number = registered.0;
        assert!(super::registry().leftovers.contains_key(&number));
        drop(registered);
        assert!(!super::registry().leftovers.contains_key(&number));
    }

    #[test]
    fn a_removal_is_tried_again_unless_nothing_is_left() {
        assert!(is_removed(Ok(())));
        assert!(is_removed(Err(io::ErrorKind::NotFound.into())));
        assert!(!is_removed(Err(io::ErrorKind::DirectoryNotEmpty.into())));
    }

    #[test]
    fn names_that_are_taken_are_passed_over() {
        let answers = [
            Err(io::ErrorKind::AlreadyExists.into()),
            Ok(None),
            Ok(Some("third")),
            Err(io::ErrorKind::PermissionDenied.into()),
        ];
        let mut answers = answers.into_iter();
        assert_eq!(with_free_name(|| answers.next().unwrap()).unwrap(), "third");
        assert_eq!(
            with_free_name(|| answers.next().unwrap()).unwrap_err().kind(),
            io::ErrorKind::PermissionDenied
        );
        let none = with_free_name(|| Ok(None::<()>)).unwrap_err();
        assert_eq!(none.kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn folders_are_made_below_a_scratch_folder_while_it_is_there() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = ScratchFolder::new_in(parent.path()).unwrap();
        let path = scratch.path().join("A/B");
        for _ in 0..2 {
            scratch.make_folder(&path).unwrap();
            assert!(path.is_dir());
        }
        assert!(scratch.make_folder(Path::new("/elsewhere")).is_err());
        fs::remove_dir_all(scratch.path()).unwrap();
        assert!(scratch.make_folder(&path).is_err());
        assert!(!scratch.path().exists());
    }
}
