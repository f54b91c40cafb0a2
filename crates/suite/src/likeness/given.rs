//! Code that everybody was given: what a suite lets submissions include, and the lines of a skeleton.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use oxbox_inspect::Symbols;

/// Lines in a row that are the same as in a skeleton: fewer are chance.
const ROW: usize = 3;

/// What all submissions of a suite were given.
#[derive(Debug, Default)]
pub(crate) struct Given {
    /// Files and folders whose code counts for nobody.
    included: Vec<PathBuf>,
    /// Each [`ROW`] lines in a row of the given sources.
    rows: HashSet<[String; ROW]>,
}

impl Given {
    /// What a suite names to include, and sources that it gives. A file that cannot be read gives nothing.
    pub(crate) fn new(included: Vec<PathBuf>, sources: &[PathBuf]) -> Given {
        let read = |path: &PathBuf| Some(String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned());
        let rows = sources.iter().filter_map(read).flat_map(|text| {
            let lines = plain_lines(&text);
            lines.windows(ROW).filter_map(row).collect::<Vec<_>>()
        });
        Given { rows: rows.collect(), included }
    }

    /// Whether a source file was given as a whole.
    fn holds(&self, file: &str) -> bool {
        file.starts_with('<') || self.included.iter().any(|path| Path::new(file).starts_with(path))
    }

    /// The lines of a submission's source that are those of a skeleton, from 1.
    fn lines(&self, text: &str) -> BTreeSet<u32> {
        let lines = plain_lines(text);
        let given = lines.windows(ROW).filter(|lines| row(lines).is_some_and(|row| self.rows.contains(&row)));
        given.flatten().map(|(number, _)| *number).collect()
    }
}

/// A source's lines with code, with their numbers from 1: without comments, in small letters, with single blanks.
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

/// The sources of one submission, and which of their code is the author's own.
#[derive(Debug)]
pub(crate) struct Sources {
    symbols: Symbols,
    /// Texts by file name, of the submission's own files that can be read.
    pub(super) texts: BTreeMap<String, String>,
    given: BTreeMap<String, BTreeSet<u32>>,
}

impl Sources {
    /// Reads the sources that a program's lines are of.
    pub(crate) fn new(symbols: Symbols, given: &Given) -> Sources {
        let own = symbols.files().iter().filter(|file| !given.holds(file));
        let texts: BTreeMap<String, String> = own
            .filter_map(|file| Some((file.clone(), std::fs::read(file).ok()?)))
            .map(|(file, bytes)| (file, String::from_utf8_lossy(&bytes).into_owned()))
            .collect();
        let mut lines: BTreeMap<String, BTreeSet<u32>> =
            texts.iter().map(|(file, text)| (file.clone(), given.lines(text))).collect();
        // All of a given file, which is none of the texts.
        for file in symbols.files().iter().filter(|file| given.holds(file)) {
            lines.insert(
                file.clone(),
                symbols.lines().filter(|(line, _)| line.file == file).map(|(line, _)| line.line).collect(),
            );
        }
        Sources { texts, given: lines, symbols }
    }

    /// The source line at an address of the program.
    pub(super) fn line_at(&self, address: u32) -> Option<(&str, u32)> {
        self.symbols.line_at(address).map(|line| (line.file, line.line))
    }

    /// Whether the instruction at an address is the author's own: of a program with sources, code without a line is a library's.
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
