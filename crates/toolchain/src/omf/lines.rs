//! Line numbers from LINNUM records: the source line of each byte of code.
//!
//! A header record inside a module names the file of the following lines.

use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    files: Vec<String>,
    /// File and line, by segment and offset.
    starts: BTreeMap<(usize, u32), (usize, u32)>,
}

impl Lines {
    /// Starts a file: the following lines belong to it.
    pub(super) fn begin_file(&mut self, name: String) {
        self.files.push(name);
    }

    pub(super) fn add(&mut self, segment: usize, offset: u32, line: u32) {
        let file = self.files.len().saturating_sub(1);
        self.starts.insert((segment, offset), (file, line));
    }

    /// Replaces file names by the user's names.
    pub(crate) fn rename_files(&mut self, user_names: &BTreeMap<String, String>) {
        for file in &mut self.files {
            if let Some(name) = user_names.get(file) {
                file.clone_from(name);
            }
        }
    }

    /// Returns the positions at which the code of a line starts: segment, offset, file and line,
    /// ordered by offset within each segment.
    pub(crate) fn starts(&self) -> impl Iterator<Item = (usize, u32, &str, u32)> {
        self.starts.iter().filter_map(|(&(segment, at), &(file, line))| {
            Some((segment, at, self.files.get(file)?.as_str(), line))
        })
    }

    /// Returns the file and line of a byte in a segment.
    pub(crate) fn find(&self, segment: usize, at: u32) -> Option<(&str, u32)> {
        let (&(_, _), &(file, line)) = self.starts.range((segment, 0)..=(segment, at)).next_back()?;
        Some((self.files.get(file)?.as_str(), line))
    }
}
