//! Finds symbols and lines of a program that was built elsewhere: in a file beside it, or in a
//! given file.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use oxbox::inspect::{Brought, Lookup, Symbols};
use oxbox::toolchain::debug_file::{self, DebugFile};
use oxbox::toolchain::is_source;

use super::failure::Failure;
use super::program::has_extension;

/// The maximum size of debug information and maps.
const LARGEST: u64 = 64 << 20;

/// Reads the debug information, map or listing in a file given by the user.
pub(super) fn of_file(path: &Path, program: &[u8]) -> Result<Symbols, Failure> {
    let text = read(path).map_err(|error| Failure::host(format!("cannot read {}", path.display()), error))?;
    of_text(path, &text, program).map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))
}

/// The files beside a program that may describe it.
pub(super) struct CompanionFiles(Vec<PathBuf>);

impl CompanionFiles {
    /// Returns the files beside this program; the folder is read once for all of them.
    pub(super) fn of(path: &Path) -> CompanionFiles {
        CompanionFiles(namesakes(path))
    }

    /// Returns those that are read for debug information.
    pub(super) fn inputs(&self) -> impl Iterator<Item = PathBuf> {
        let is_read = |place: &&PathBuf| is_source(place) || has_extension(place, &["dbg", "lst", "map"]);
        self.0.iter().filter(is_read).cloned()
    }

    /// Returns the program's debug information: from a file beside it, from the program file
    /// itself, or from a listing or a map beside it.
    pub(super) fn symbols(&self, program: &[u8]) -> Option<Symbols> {
        let of_neighbour = |extension: &str| {
            let place = self.0.iter().find(|place| has_extension(place, &[extension]))?;
            of_text(place, &read(place).ok()?, program).ok()
        };
        of_neighbour("dbg")
            .or_else(|| debug_file::embedded(program))
            .or_else(|| of_neighbour("lst"))
            .or_else(|| of_neighbour("map"))
    }
}

fn of_text(path: &Path, text: &str, program: &[u8]) -> Result<Symbols, String> {
    if !debug_file::is_listing(text) {
        return debug_file::read(text)
            .map_err(|error| error.to_string())
            .map(|found| checked(path, found, program));
    }
    // The first lines of most listings contain the source's name.
    let words = text.lines().take(3).filter_map(|line| line.split_whitespace().next());
    let named = words.filter(|word| is_source(Path::new(word))).find_map(|word| {
        let name = word.rsplit(['/', '\\']).next()?;
        exact(&path.with_file_name(name))
    });
    let beside = || namesakes(path).into_iter().find(|place| is_source(place));
    let source = named.or_else(beside);
    let shown = |path: &Path| path.strip_prefix(".").unwrap_or(path).display().to_string();
    let source = source.and_then(|source| Some((shown(&source), read(&source).ok()?)));
    let source = source.as_ref().map(|(name, text)| (name.as_str(), text.as_str()));
    debug_file::read_listing(text, &shown(path), source, program).map_err(|error| error.to_string())
}

/// Returns a lookup for programs that a program executes, by their paths on drive C:.
pub(super) fn of_drive(folder: Option<PathBuf>) -> Lookup {
    Box::new(move |path: &str| {
        let path = path.split_once(':').map_or(path, |(_, path)| path).replace('\\', "/");
        let place = folder.as_ref()?.join(path.trim_start_matches('/'));
        let file = std::fs::read(exact(&place)?).ok()?;
        Some(Brought { symbols: CompanionFiles::of(&place).symbols(&file).unwrap_or_default(), file })
    })
}

fn checked(path: &Path, found: DebugFile, program: &[u8]) -> Symbols {
    if !found.is_of(program) {
        super::say(format!("{} belongs to a different build of the program", path.display()));
        return Symbols::default();
    }
    found.symbols
}

fn read(path: &Path) -> std::io::Result<String> {
    let about = std::fs::metadata(path)?;
    if !about.is_file() || about.len() > LARGEST {
        return Err(std::io::Error::other("it is not a file, or too large"));
    }
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}

/// Returns the files beside this one with its name and any extension, in a fixed order.
fn namesakes(path: &Path) -> Vec<PathBuf> {
    let Some(stem) = path.file_stem() else { return Vec::new() };
    matching(path, |name| Path::new(name).file_stem().is_some_and(|own| own.eq_ignore_ascii_case(stem)))
}

/// Returns the file with this name, in any case.
fn exact(path: &Path) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path.to_owned());
    }
    let name = path.file_name()?;
    matching(path, |own| own.eq_ignore_ascii_case(name)).into_iter().next()
}

/// Returns the files in this file's folder whose names `asked` accepts.
fn matching(path: &Path, asked: impl Fn(&OsStr) -> bool) -> Vec<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    let mut found: Vec<_> = names.filter(|name| asked(name)).map(|name| folder.join(name)).collect();
    found.sort();
    found
}
