//! Code that everybody was given: a suite's include files, and the lines of a skeleton.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use oxbox_inspect::Symbols;

/// The fewest consecutive lines that match a skeleton: fewer may match by chance.
const ROW: usize = 3;

/// The code given to all submissions of a suite.
#[derive(Debug, Default)]
pub(crate) struct Given {
    /// Files and folders whose code is ignored.
    included: Vec<PathBuf>,
    /// Each [`ROW`] consecutive lines of the given sources.
    rows: HashSet<[String; ROW]>,
}

impl Given {
    /// Creates it from a suite's include files and given sources. Unreadable files are ignored.
    pub(crate) fn new(included: Vec<PathBuf>, sources: &[PathBuf]) -> Given {
        let read = |path: &PathBuf| Some(String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned());
        let rows = sources.iter().filter_map(read).flat_map(|text| {
            let lines = plain_lines(&text);
            lines.windows(ROW).filter_map(row).collect::<Vec<_>>()
        });
        Given { rows: rows.collect(), included }
    }

    /// Returns whether a source file was given completely.
    fn holds(&self, file: &str) -> bool {
        file.starts_with('<') || self.included.iter().any(|path| Path::new(file).starts_with(path))
    }

    /// Returns the lines of a submission's source, from 1, that match a skeleton.
    fn lines(&self, text: &str) -> BTreeSet<u32> {
        let lines = plain_lines(text);
        let given = lines.windows(ROW).filter(|lines| row(lines).is_some_and(|row| self.rows.contains(&row)));
        given.flatten().map(|(number, _)| *number).collect()
    }
}

/// Returns a source's lines with code, numbered from 1: no comments, lower case, single blanks.
fn plain_lines(text: &str) -> Vec<(u32, String)> {
    let lines = text.lines().zip(1..).map(|(line, number)| {
        let code = line.split(';').next().unwrap_or_default().to_lowercase();
        (number, code.split_whitespace().collect::<Vec<_>>().join(" "))
    });
    lines.filter(|(_, line)| !line.is_empty()).collect()
}

fn row(lines: &[(u32, String)]) -> Option<[String; ROW]> {
    lines.iter().map(|(_, line)| line.clone()).collect::<Vec<_>>().try_into().ok()
}

/// The sources of a submission, and which of their code is the author's own.
#[derive(Debug)]
pub(crate) struct Sources {
    symbols: Symbols,
    /// The texts of the submission's own readable files, by name.
    pub(super) texts: BTreeMap<String, String>,
    given: BTreeMap<String, BTreeSet<u32>>,
}

impl Sources {
    pub(crate) fn new(symbols: Symbols, given: &Given) -> Sources {
        let own = symbols.files().iter().filter(|file| !given.holds(file));
        let texts: BTreeMap<String, String> = own
            .filter_map(|file| Some((file.clone(), std::fs::read(file).ok()?)))
            .map(|(file, bytes)| (file, String::from_utf8_lossy(&bytes).into_owned()))
            .collect();
        let mut lines: BTreeMap<String, BTreeSet<u32>> =
            texts.iter().map(|(file, text)| (file.clone(), given.lines(text))).collect();
        // Given files have no text: all of their lines are excluded.
        for file in symbols.files().iter().filter(|file| given.holds(file)) {
            lines.insert(
                file.clone(),
                symbols.lines().filter(|(line, _)| line.file == file).map(|(line, _)| line.line).collect(),
            );
        }
        Sources { texts, given: lines, symbols }
    }

    pub(super) fn line_at(&self, address: u32) -> Option<(&str, u32)> {
        self.symbols.line_at(address).map(|line| (line.file, line.line))
    }

    /// Returns whether the instruction at an address is the author's own. In a program with
    /// sources, code without a line comes from a library.
    pub(super) fn is_own(&self, address: u32) -> bool {
        match self.line_at(address) {
            Some((file, line)) => !self.given.get(file).is_some_and(|lines| lines.contains(&line)),
            None => self.symbols.files().is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_skeleton_are_found_in_rows() {
        let folder = tempfile::tempdir().unwrap();
        let skeleton = folder.path().join("skeleton.asm");
        std::fs::write(&skeleton, "start:  mov ax, @data ; here it begins\n\n  MOV ds, ax\n  call main\n")
            .unwrap();
        let given = Given::new(vec!["lib".into()], &[skeleton]);
        let text = "mov ax, @data\nstart: mov  ax, @data\nmov ds, ax ; mine\n call main\nmov ds, ax\n";
        assert_eq!(given.lines(text), BTreeSet::from([2, 3, 4]));
        assert!(given.holds("lib/io.inc") && given.holds("<dos.inc>") && !given.holds("library.asm"));
    }
}
