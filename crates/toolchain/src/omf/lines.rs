//! Source lines, as LINNUM records give them: which line of which file a byte of code came from.
//!
//! A header record in the middle of a module names the file that the lines after it belong to.

use std::collections::BTreeMap;

/// The lines of a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    files: Vec<String>,
    /// By segment and offset: the file and the line.
    starts: BTreeMap<(usize, u32), (usize, u32)>,
}

impl Lines {
    /// The lines from here on are of this file.
    pub(super) fn begin_file(&mut self, name: String) {
        self.files.push(name);
    }

    pub(super) fn add(&mut self, segment: usize, offset: u32, line: u32) {
        let file = self.files.len().saturating_sub(1);
        self.starts.insert((segment, offset), (file, line));
    }

    /// Calls the files by other names, those that the user knows.
    pub(crate) fn rename_files(&mut self, user_names: &BTreeMap<String, String>) {
        for file in &mut self.files {
            if let Some(name) = user_names.get(file) {
                file.clone_from(name);
            }
        }
    }

    /// The places at which a line's code begins: segment, offset, file and line, in the order of their offsets within each
    /// segment.
    pub(crate) fn starts(&self) -> impl Iterator<Item = (usize, u32, &str, u32)> {
        self.starts.iter().filter_map(|(&(segment, at), &(file, line))| {
            Some((segment, at, self.files.get(file)?.as_str(), line))
        })
    }

    /// The file and line of a byte in a segment.
    pub(crate) fn find(&self, segment: usize, at: u32) -> Option<(&str, u32)> {
        let (&(_, _), &(file, line)) = self.starts.range((segment, 0)..=(segment, at)).next_back()?;
        Some((self.files.get(file)?.as_str(), line))
    }
}
