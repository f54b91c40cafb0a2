//! Access from outside to files on drive C: that are only in guest state.

use super::{
    names::{Name, display, parse_name},
    state::Dos,
};
use crate::hardware::vga::cp437::{self, Controls};
use thiserror::Error;

/// A file that cannot exist on drive C:.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot store {path} on drive C: {why}")]
pub struct PutFileError {
    /// The path as given.
    pub path: String,
    /// The reason.
    pub why: &'static str,
}

impl Dos {
    /// Stores a file on drive C:. `path` is written from the root as in a program; a name that is
    /// too long is truncated. Fails if such a file cannot exist.
    pub(crate) fn put_file(&mut self, path: &str, bytes: &[u8]) -> Result<(), PutFileError> {
        let failed = |why| PutFileError { path: path.to_owned(), why };
        let names = names_of(path).ok_or_else(|| failed("DOS cannot have this name"))?;
        let drive = self.disk.volumes.folder_of_c().ok_or_else(|| failed("the drive does not exist"))?;
        drive.put_file(&names, bytes).map_err(|_| failed("the drive does not accept it"))
    }

    /// Returns paths and contents of the files on drive C: that are in guest state.
    pub(crate) fn kept_files(&mut self) -> Vec<(String, Vec<u8>)> {
        let files = self.disk.volumes.folder_of_c().map(|drive| drive.kept_files()).unwrap_or_default();
        let text = |name: &Name| cp437::text(&display(name), Controls::Drawn);
        let path = |names: Vec<Name>| names.iter().map(text).collect::<Vec<_>>().join("\\");
        files.into_iter().map(|(names, bytes)| (path(names), bytes)).collect()
    }
}

/// Returns a path from the root. `None` if it does not name a file.
fn names_of(path: &str) -> Option<Vec<Name>> {
    let text: Vec<u8> = path.chars().map(cp437::from_char).collect::<Option<_>>()?;
    let parts = text.split(|byte| matches!(byte, b'/' | b'\\')).filter(|part| !part.is_empty());
    let names: Vec<Name> = parts.map(parse_name).collect::<Option<_>>()?;
    let is_plain = !names.is_empty() && names.iter().all(|name| !name.contains(&b'?'));
    is_plain.then_some(names)
}
