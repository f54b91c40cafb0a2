//! Where names and lines of a program come from that was not built here: a file beside it, or one that is named.

use std::path::{Path, PathBuf};

use oxbox::inspect::{Lookup, Symbols};
use oxbox::toolchain::debug_file::{self, DebugFile};

use super::failure::Failure;

/// Of debug information and maps more is not read.
const LARGEST: u64 = 64 << 20;

/// The debug information or map in a file that the user names.
pub(super) fn of_file(path: &Path, program: &[u8]) -> Result<Symbols, Failure> {
    let text = read(path).map_err(|error| Failure::host(format!("cannot read {}", path.display()), error))?;
    let found =
        debug_file::read(&text).map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))?;
    Ok(checked(path, found, program))
}

/// The debug information or the map that stands beside a program under its name, if there is one.
pub(super) fn beside(path: &Path, program: &[u8]) -> Option<Symbols> {
    ["dbg", "map"].into_iter().find_map(|extension| {
        let place = neighbour(path, extension)?;
        let found = debug_file::read(&read(&place).ok()?).ok()?;
        Some(checked(&place, found, program))
    })
}

/// The same for programs that a program executes, by their paths on drive C:.
pub(super) fn of_drive(folder: Option<PathBuf>) -> Lookup {
    Box::new(move |path: &str| {
        let path = path.split_once(':').map_or(path, |(_, path)| path).replace('\\', "/");
        let place = folder.as_ref()?.join(path.trim_start_matches('/'));
        beside(&place, &std::fs::read(exact(&place)?).ok()?)
    })
}

fn checked(path: &Path, found: DebugFile, program: &[u8]) -> Symbols {
    if !found.is_of(program) {
        super::say(format!("{} is of another build of the program", path.display()));
        return Symbols::default();
    }
    found.symbols
}

fn read(path: &Path) -> std::io::Result<String> {
    let about = std::fs::metadata(path)?;
    if !about.is_file() || about.len() > LARGEST {
        return Err(std::io::Error::other("it is no file, or too large"));
    }
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}

/// The file of the same name with this extension, whatever the case of its letters.
fn neighbour(path: &Path, extension: &str) -> Option<PathBuf> {
    exact(&path.with_extension(extension))
}

fn exact(path: &Path) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path.to_owned());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name()?;
    let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    entries
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|own| own.eq_ignore_ascii_case(name)))
        .min()
}
