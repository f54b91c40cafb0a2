//! Stages a submission: copies of its own files, and of the suite's include files, in a private
//! folder.
//!
//! A submission is a file, several files joined by `+`, a folder, or a ZIP archive of a folder. The
//! assembler works on the copies, so that only files of the author are beside a source. Symbolic
//! links are not copied, because they could lead to a file of another person.

use std::io;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use oxbox_files::scratch::ScratchFolder;

use super::archive::{Archive, is_archive};
use super::drive::{LARGEST, read_file};
use oxbox_toolchain::{is_built_from, parts};

const MOST_FILES: usize = 500;

/// The deepest nesting of folders in a submission's folder.
const MOST_NESTED: usize = 16;

/// Extensions of programs, besides those of sources and objects.
const PROGRAMS: [&str; 2] = ["com", "exe"];

/// The copies of a submission. The folder is removed with this value.
#[derive(Debug)]
pub(super) struct Staged {
    folder: ScratchFolder,
    /// The copies of its files in order; of a folder, the copy of its program.
    pub(super) parts: Vec<PathBuf>,
    /// The folder of the copied include files, if there are any.
    pub(super) includes: Option<PathBuf>,
    /// Names of copies, and the user's for them. A name that ends with a separator is a prefix.
    names: Vec<(String, String)>,
}

impl Staged {
    /// Copies a submission and single include files. Fails if a file of the submission cannot be
    /// read. The error contains its path.
    pub(super) fn copy(path: &Path, include_files: &[PathBuf]) -> Result<Staged, (PathBuf, io::Error)> {
        let at = |path: &Path| {
            let path = path.to_owned();
            move |error| (path, error)
        };
        let folder = ScratchFolder::new().map_err(at(path))?;
        let mut staged = Staged { folder, parts: Vec::new(), includes: None, names: Vec::new() };
        if is_archive(path) {
            let archive = Archive::read(path).map_err(at(path))?;
            let root = staged.folder.path().join("0");
            archive.unpack(&staged.folder, &root).map_err(at(path))?;
            let main = program_among(archive.files()).map_err(at(path))?;
            staged.parts.push(root.join(main));
            staged.names.push((below(&root), below(path)));
        } else if is_folder(path) {
            let main = program_of(path).map_err(at(path))?;
            let root = staged.folder.path().join("0");
            let mut left = Bounds { files: MOST_FILES, bytes: LARGEST };
            copy_folder(&staged.folder, path, &root, MOST_NESTED, &mut left).map_err(at(path))?;
            staged.parts.push(root.join(main.file_name().unwrap_or_default()));
            staged.names.push((below(&root), below(path)));
        } else {
            let mut parents: Vec<PathBuf> = Vec::new();
            for part in parts(path) {
                let parent = part.parent().unwrap_or(Path::new("")).to_owned();
                let number = parents.iter().position(|other| *other == parent).unwrap_or_else(|| {
                    parents.push(parent.clone());
                    parents.len() - 1
                });
                let root = staged.folder.path().join(number.to_string());
                let copy = root.join(part.file_name().unwrap_or_default());
                copy_file(&staged.folder, &part, &copy).map_err(at(&part))?;
                staged.parts.push(copy);
                if number + 1 > staged.names.len() {
                    staged.names.push((below(&root), below(&parent)));
                }
            }
        }
        let includes = staged.folder.path().join("include");
        for file in include_files {
            let copy = includes.join(file.file_name().unwrap_or_default());
            copy_file(&staged.folder, file, &copy).map_err(at(file))?;
            staged.names.push((copy.display().to_string(), file.display().to_string()));
            staged.includes = Some(includes.clone());
        }
        Ok(staged)
    }

    /// Replaces names of copies in a text by the user's names.
    pub(super) fn user_text(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, (copy, user)| text.replace(copy, user))
    }
}

/// Returns the common prefix of all names in a folder.
fn below(folder: &Path) -> String {
    let text = folder.display().to_string();
    if text.is_empty() || text.ends_with(MAIN_SEPARATOR) { text } else { format!("{text}{MAIN_SEPARATOR}") }
}

/// Returns whether a submission is a folder rather than a link to one.
fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_dir())
}

/// Returns the file that a user runs: the program of a folder or archive, with its path in there,
/// or the submission itself.
pub(super) fn runnable(path: &Path) -> PathBuf {
    if is_archive(path) {
        let program = Archive::read(path).and_then(|archive| program_among(archive.files()));
        return program.map_or_else(|_| path.to_owned(), |program| path.join(program));
    }
    if is_folder(path) { program_of(path).unwrap_or_else(|_| path.to_owned()) } else { path.to_owned() }
}

/// Returns a folder's program: its only source or program file, or the one named `main`.
fn program_of(folder: &Path) -> io::Result<PathBuf> {
    let entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let files = entries.filter(|path| path.as_ref().map_or(true, |path| !path.is_symlink()));
    program_among(files.collect::<io::Result<Vec<PathBuf>>>()?)
}

/// Returns the program among the files of a folder.
fn program_among(files: impl IntoIterator<Item = PathBuf>) -> io::Result<PathBuf> {
    let mut programs: Vec<PathBuf> = files.into_iter().collect();
    let is_one = |text: Option<&std::ffi::OsStr>, of: &[&str]| {
        text.is_some_and(|text| of.iter().any(|one| text.eq_ignore_ascii_case(one)))
    };
    programs.retain(|path| is_built_from(path) || is_one(path.extension(), &PROGRAMS));
    programs.sort();
    if programs.len() > 1 {
        programs.retain(|path| is_one(path.file_stem(), &["main"]));
    }
    match &programs[..] {
        [one] => Ok(one.clone()),
        _ => {
            let why = "it must contain exactly one source or program, or one with the name main";
            Err(io::Error::new(io::ErrorKind::InvalidInput, why))
        }
    }
}

/// The remaining limits for copying.
struct Bounds {
    files: usize,
    bytes: u64,
}

fn copy_folder(
    scratch: &ScratchFolder,
    from: &Path,
    to: &Path,
    depth: usize,
    left: &mut Bounds,
) -> io::Result<()> {
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, "the folder is too large");
    scratch.make_folder(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (kind, to) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            let depth = depth.checked_sub(1).ok_or_else(too_large)?;
            copy_folder(scratch, &entry.path(), &to, depth, left)?;
        } else if kind.is_file() {
            left.files = left.files.checked_sub(1).ok_or_else(too_large)?;
            left.bytes = left.bytes.checked_sub(entry.metadata()?.len()).ok_or_else(too_large)?;
            copy_file(scratch, &entry.path(), &to)?;
        }
    }
    Ok(())
}

fn copy_file(scratch: &ScratchFolder, from: &Path, to: &Path) -> io::Result<()> {
    if from.symlink_metadata()?.is_symlink() {
        let why = "it is a symbolic link: hand in the file itself";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    if let Some(parent) = to.parent() {
        scratch.make_folder(parent)?;
    }
    std::fs::write(to, read_file(from)?)
}
