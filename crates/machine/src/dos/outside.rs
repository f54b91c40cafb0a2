//! Files of drive C: that come from outside, or are looked at there, where no folder of the host holds them.

use super::{
    names::{Name, display, parse_name},
    state::Dos,
};
use crate::hardware::vga::cp437::{self, Controls};
use thiserror::Error;

/// A file that drive C: cannot have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path} cannot be on drive C:, {why}")]
pub struct PutFileError {
    /// As it was given.
    pub path: String,
    /// What is in the way.
    pub why: &'static str,
}

impl Dos {
    /// Puts a file on drive C:. `path` is as a program would write it from the root; a name that is too long is cut.
    ///
    /// # Errors
    /// Why there can be no such file.
    pub(crate) fn put_file(&mut self, path: &str, bytes: &[u8]) -> Result<(), PutFileError> {
        let failed = |why| PutFileError { path: path.to_owned(), why };
        let names = names_of(path).ok_or_else(|| failed("its name is none of DOS"))?;
        let drive = self.disk.volumes.folder_of_c().ok_or_else(|| failed("which is not there"))?;
        drive.put_file(&names, bytes).map_err(|_| failed("which does not take it"))
    }

    /// The files of drive C: that are in guest state: their paths, and what they hold.
    pub(crate) fn kept_files(&mut self) -> Vec<(String, Vec<u8>)> {
        let files = self.disk.volumes.folder_of_c().map(|drive| drive.kept_files()).unwrap_or_default();
        let text = |name: &Name| cp437::text(&display(name), Controls::Drawn);
        let path = |names: Vec<Name>| names.iter().map(text).collect::<Vec<_>>().join("\\");
        files.into_iter().map(|(names, bytes)| (path(names), bytes)).collect()
    }
}

/// A path from the root. None when it names no file.
fn names_of(path: &str) -> Option<Vec<Name>> {
    let text: Vec<u8> = path.chars().map(cp437::from_char).collect::<Option<_>>()?;
    let parts = text.split(|byte| matches!(byte, b'/' | b'\\')).filter(|part| !part.is_empty());
    let names: Vec<Name> = parts.map(parse_name).collect::<Option<_>>()?;
    let is_plain = !names.is_empty() && names.iter().all(|name| !name.contains(&b'?'));
    is_plain.then_some(names)
}
