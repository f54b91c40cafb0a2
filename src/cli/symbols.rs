//! Where names and lines of a program come from that was not built here: a file beside it, or one that is named.

use std::path::{Path, PathBuf};

use oxbox::inspect::{Brought, Lookup, Symbols};
use oxbox::toolchain::debug_file::{self, DebugFile};

use super::failure::Failure;

/// Of debug information and maps more is not read.
const LARGEST: u64 = 64 << 20;

/// The debug information, map or listing in a file that the user names.
pub(super) fn of_file(path: &Path, program: &[u8]) -> Result<Symbols, Failure> {
    let text = read(path).map_err(|error| Failure::host(format!("cannot read {}", path.display()), error))?;
    of_text(path, &text, program).map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))
}

/// What is known of a program: the debug information that stands beside it under its name, what its linker has left in it, a listing
/// or a map beside it.
pub(super) fn beside(path: &Path, program: &[u8]) -> Option<Symbols> {
    let of_neighbour = |extension: &str| {
        let place = neighbour(path, extension)?;
        of_text(&place, &read(&place).ok()?, program).ok()
    };
    of_neighbour("dbg")
        .or_else(|| debug_file::embedded(program))
        .or_else(|| of_neighbour("lst"))
        .or_else(|| of_neighbour("map"))
}

fn of_text(path: &Path, text: &str, program: &[u8]) -> Result<Symbols, String> {
    if !debug_file::is_listing(text) {
        return debug_file::read(text).map(|found| checked(path, found, program));
    }
    // The first lines of most listings name the source.
    let words = text.lines().take(3).filter_map(|line| line.split_whitespace().next());
    let named = words.filter(|word| word.to_ascii_lowercase().ends_with(".asm")).find_map(|word| {
        let name = word.rsplit(['/', '\\']).next()?;
        exact(&path.with_file_name(name))
    });
    let beside = || ["asm", "nasm"].into_iter().find_map(|extension| neighbour(path, extension));
    let source = named.or_else(beside);
    let shown = |path: &Path| path.strip_prefix(".").unwrap_or(path).display().to_string();
    let source = source.and_then(|source| Some((shown(&source), read(&source).ok()?)));
    let source = source.as_ref().map(|(name, text)| (name.as_str(), text.as_str()));
    debug_file::read_listing(text, &shown(path), source, program)
}

/// The same for programs that a program executes, by their paths on drive C:.
pub(super) fn of_drive(folder: Option<PathBuf>) -> Lookup {
    Box::new(move |path: &str| {
        let path = path.split_once(':').map_or(path, |(_, path)| path).replace('\\', "/");
        let place = folder.as_ref()?.join(path.trim_start_matches('/'));
        let file = std::fs::read(exact(&place)?).ok()?;
        Some(Brought { symbols: beside(&place, &file).unwrap_or_default(), file })
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
