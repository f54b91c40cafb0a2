//! A scratch folder with copies of a source and of all that it includes, under names any host can open.
//!
//! In the copies each `include` and `incbin` names the copy, so that case, backslashes and drive letters do not matter;
//! lines stay lines. A file is cut at Ctrl-Z, where DOS has it end.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::emu8086;
use crate::toolchain::diagnostic::{Diagnostic, Place, Severity, ToolError};
use crate::toolchain::files::{base_name, find, read};

/// The object, in the scratch folder.
pub(super) const OBJECT: &str = "object.obj";
/// The assembler's messages, in the scratch folder.
pub(super) const MESSAGES: &str = "messages.txt";
/// What the assembler made of each line, in the scratch folder.
pub(super) const LISTING: &str = "listing.txt";

/// What is assembled before the source, in the scratch folder.
pub(super) const PRELUDE: &str = "prelude.inc";

/// Included files that oxbox brings along.
const BUILT_IN: [(&str, &str); 7] = [
    ("dos.inc", include_str!("../../../asm/include/dos.inc")),
    ("emu8086.inc", include_str!("../../../asm/include/emu8086.inc")),
    ("irvine16.inc", include_str!("../../../asm/include/irvine16.inc")),
    ("screen.inc", include_str!("../../../asm/include/screen.inc")),
    ("speaker.inc", include_str!("../../../asm/include/speaker.inc")),
    ("tune.inc", include_str!("../../../asm/include/tune.inc")),
    ("ucrlib.a", include_str!("../../../asm/include/ucrlib.a")),
];

/// More files than any program includes; a bound for files that include each other.
const MOST_FILES: usize = 4096;
/// Files that include one another in a row: the assembler keeps each of them open.
const MOST_NESTED: usize = 100;
const CTRL_Z: u8 = 0x1A;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The scratch folder of one run.
pub(super) struct Stage {
    folder: tempfile::TempDir,
    source: String,
    /// From the copy's name to the user's.
    names: BTreeMap<String, String>,
    /// Where to look for files, in order, after the including file's own folder.
    folders: Vec<PathBuf>,
    /// From the user's file, as a text or as bytes, to its copy.
    copies: BTreeMap<(PathBuf, Kind), String>,
    /// The files whose includes are being copied, the innermost last.
    open: Vec<PathBuf>,
    /// The line by which a file includes itself, be it by way of others.
    cycle: Option<Diagnostic>,
    has_prelude: bool,
    /// The user's files that were read.
    read: Vec<PathBuf>,
}

impl Stage {
    /// Copies the source at `path` and what it includes; `files` gets what was read for that.
    pub(super) fn set(
        path: &Path,
        source: &[u8],
        includes: &[PathBuf],
        files: &mut Vec<PathBuf>,
    ) -> Result<Self, ToolError> {
        let parent = std::env::temp_dir();
        let folder = tempfile::Builder::new().prefix("oxbox-").tempdir_in(&parent);
        let folder = folder.map_err(|error| ToolError::file(parent, error))?;
        // The object carries the source's name, and so does @FileName: keep it, if it is one that any host can open.
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let plain = !name.starts_with(['-', '@']) && name.chars().all(|c| c.is_ascii_graphic() && c != '"');
        let name = if plain && !is_scratch(name) { name } else { "source.asm" }.to_owned();
        let own = path.parent().map(Path::to_owned).unwrap_or_default();
        let mut stage = Self {
            folder,
            source: name.clone(),
            names: BTreeMap::new(),
            folders: std::iter::once(own.clone()).chain(includes.iter().cloned()).collect(),
            copies: BTreeMap::new(),
            open: Vec::new(),
            cycle: None,
            has_prelude: false,
            read: Vec::new(),
        };
        stage.names.insert(name.clone(), path.display().to_string());
        let rewritten = stage.rewrite(source, &own, &path.display().to_string());
        files.append(&mut stage.read);
        let mut text = rewritten?;
        // What is not UTF-8 is of a code page: its letters stand in texts and comments, which stay as they are.
        let letters: String = text.iter().map(|&byte| char::from(byte)).collect();
        if let Some(adapted) = emu8086::adapt(&letters, &stage.included_text()) {
            text = adapted.text.chars().map(|letter| letter as u8).collect();
            stage.has_prelude = !adapted.prelude.is_empty();
            stage.write(PRELUDE, adapted.prelude.as_bytes())?;
        }
        stage.write(&name, &text)?;
        Ok(stage)
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The text of all that is included.
    fn included_text(&self) -> String {
        let texts = self.copies.iter().filter(|((_, kind), _)| *kind == Kind::Text);
        let read = |copy: &String| fs::read(self.folder.path().join(copy)).unwrap_or_default();
        texts.map(|(_, copy)| String::from_utf8_lossy(&read(copy)).into_owned() + "\n").collect()
    }

    /// Whether something has to be assembled before the source.
    pub(super) fn has_prelude(&self) -> bool {
        self.has_prelude
    }

    /// The source's name in the scratch folder.
    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// The folders in which the assembler itself may look, for names that only it can tell.
    pub(super) fn folders(&self) -> impl Iterator<Item = PathBuf> + '_ {
        // It runs in the scratch folder, where a relative path would lead nowhere.
        self.folders.iter().filter_map(|folder| {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            std::path::absolute(folder).ok()
        })
    }

    /// A file that includes itself: no fault as long as the assembler comes to an end.
    pub(super) fn cycle(&self) -> Option<&Diagnostic> {
        self.cycle.as_ref()
    }

    /// What the user calls the file that the assembler calls `name`.
    pub(super) fn user_name(&self, name: &str) -> String {
        match self.names.get(base_name(name)) {
            Some(user) => user.clone(),
            None => name.into(),
        }
    }

    /// Takes the instructions of lines with errors out of the copies, labels apart. False when a line is not an instruction: what
    /// follows from its absence is nobody's mistake.
    pub(super) fn blank(&self, errors: &[Diagnostic]) -> Result<bool, ToolError> {
        for error in errors {
            let copy = self.names.iter().find(|(_, user)| **user == error.file).map(|(copy, _)| copy);
            let (Some(copy), Place::Line(number)) = (copy, &error.place) else { return Ok(false) };
            let path = self.folder.path().join(copy);
            let text = fs::read(&path).map_err(|error| ToolError::file(&path, error))?;
            let mut lines: Vec<Vec<u8>> = text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
            let Some(line) = lines.get_mut((*number as usize).wrapping_sub(1)) else { return Ok(false) };
            let Some(label) = label_of_instruction(&line_text(line)) else { return Ok(false) };
            *line = label.into_bytes();
            self.write(copy, &lines.join(&b'\n'))?;
        }
        Ok(true)
    }

    /// From the copies' names to the user's.
    pub(super) fn user_names(&self) -> BTreeMap<String, String> {
        self.names.clone()
    }

    /// The text with its includes copied and renamed; `own` is the folder of the file, `shown` what the user calls it.
    fn rewrite(&mut self, text: &[u8], own: &Path, shown: &str) -> Result<Vec<u8>, ToolError> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let end = text.iter().position(|&byte| byte == CTRL_Z).unwrap_or(text.len());
        let mut result = Vec::with_capacity(end);
        for (number, line) in (1..).zip(text[..end].split_inclusive(|&byte| byte == b'\n')) {
            let copy = match included(line) {
                Some((kind, name)) => {
                    let includer = (shown, number);
                    self.copy(kind, &line_text(&line[name.clone()]), own, includer)?.map(|copy| (name, copy))
                }
                None => None,
            };
            match copy {
                Some((name, copy)) => {
                    // emu8086's quotes are not MASM's, and the copy's name needs none.
                    let quote = usize::from(line[..name.start].ends_with(b"'"));
                    result.extend_from_slice(&line[..name.start - quote]);
                    result.extend_from_slice(copy.as_bytes());
                    let quote = usize::from(quote == 1 && line[name.end..].starts_with(b"'"));
                    result.extend_from_slice(&line[name.end + quote..]);
                }
                // What cannot be found may stand in a part that is not assembled: the assembler is to say so.
                None => result.extend_from_slice(line),
            }
        }
        Ok(result)
    }

    /// Copies an included file, once; gives the copy's name, or nothing where there is no such file.
    fn copy(
        &mut self,
        kind: Kind,
        name: &str,
        own: &Path,
        includer: (&str, u32),
    ) -> Result<Option<String>, ToolError> {
        let folders = || std::iter::once(own).chain(self.folders.iter().map(PathBuf::as_path));
        // The author's own folders need not exist here: the bare name is the second try.
        let found = folders()
            .find_map(|folder| find(folder, name))
            .or_else(|| folders().find_map(|folder| find(folder, base_name(name))));
        let (key, shown, contents, parent) = match found {
            Some(path) => {
                if !self.may_read(&path) {
                    let text = "lies outside of the source's folder and the include folders: name its folder with --include";
                    return Err(rejected(includer, format!("{} {text}", path.display())));
                }
                let contents = read(&path).map_err(|error| ToolError::file(&path, error))?;
                self.read.push(path.clone());
                let parent = path.parent().map(Path::to_owned).unwrap_or_default();
                (path.clone(), path.display().to_string(), contents, parent)
            }
            None => {
                // The assembler would wait for a pipe.
                if let Some(path) = folders().map(|folder| folder.join(name)).find(|path| is_device(path)) {
                    return Err(rejected(includer, format!("{} is not a file", path.display())));
                }
                let built_in = BUILT_IN.iter().find(|(own, _)| own.eq_ignore_ascii_case(base_name(name)));
                let Some((name, text)) = built_in else { return Ok(None) };
                let shown = format!("<oxbox>/{name}");
                (PathBuf::from(&shown), shown, text.as_bytes().to_vec(), PathBuf::new())
            }
        };
        if self.open.contains(&key) {
            self.cycle.get_or_insert(error_at(includer, format!("{shown} includes itself")));
        }
        let key = (key, kind);
        if let Some(copy) = self.copies.get(&key) {
            return Ok(Some(copy.clone()));
        }
        if self.copies.len() >= MOST_FILES {
            return Ok(None);
        }
        if self.open.len() >= MOST_NESTED {
            let text = format!("{shown} is included by way of {MOST_NESTED} other files: that is too deep");
            return Err(rejected(includer, text));
        }
        let copy = format!("include{}.inc", self.copies.len());
        self.open.push(key.0.clone());
        self.copies.insert(key, copy.clone());
        self.names.insert(copy.clone(), shown);
        let contents = match kind {
            Kind::Text => {
                let shown = self.user_name(&copy);
                self.rewrite(&contents, &parent, &shown)?
            }
            Kind::Binary => contents,
        };
        self.open.pop();
        self.write(&copy, &contents)?;
        Ok(Some(copy))
    }

    /// Whether a file lies in one of the folders that were given, wherever links lead.
    fn may_read(&self, path: &Path) -> bool {
        let Ok(place) = path.canonicalize() else { return false };
        let mut folders = self.folders.iter().map(|folder| {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            folder.canonicalize()
        });
        folders.any(|folder| folder.is_ok_and(|folder| place.starts_with(folder)))
    }

    fn write(&self, name: &str, contents: &[u8]) -> Result<(), ToolError> {
        let path = self.folder.path().join(name);
        fs::write(&path, contents).map_err(|error| ToolError::file(path, error))
    }
}

/// What is wrong with a line: the file as the user calls it, and the line's number.
fn error_at((file, line): (&str, u32), text: String) -> Diagnostic {
    Diagnostic { file: file.to_owned(), place: Place::Line(line), severity: Severity::Error, text }
}

fn rejected(place: (&str, u32), text: String) -> ToolError {
    ToolError::Rejected(vec![error_at(place, text)])
}

/// Whether there is something that is neither file nor folder.
fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// The label of a line that holds an instruction, with its colon; None for a directive or a definition.
fn label_of_instruction(line: &str) -> Option<String> {
    let code = line.split(';').next().unwrap_or_default().trim();
    let (label, rest) = match code.split_once(':') {
        Some((label, rest)) if label.chars().all(|c| c.is_ascii_alphanumeric() || "_@$?".contains(c)) => {
            (format!("{label}:"), rest)
        }
        _ => (String::new(), code),
    };
    let mut words = rest.split_whitespace().map(str::to_ascii_lowercase);
    let (first, second) = (words.next()?, words.next().unwrap_or_default());
    let is_directive = |word: &str| {
        const WORDS: [&str; 22] = [
            "db", "dw", "dd", "dq", "byte", "word", "dword", "equ", "=", "proc", "endp", "segment", "ends",
            "struct", "struc", "macro", "endm", "label", "textequ", "end", "org", "assume",
        ];
        word.starts_with('.') || WORDS.contains(&word)
    };
    (!is_directive(&first) && !is_directive(&second)).then_some(label)
}

/// Whether a source of this name would be in the way of another scratch file, on hosts that ignore case too.
fn is_scratch(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.is_empty()
        || name == OBJECT
        || name == MESSAGES
        || name == LISTING
        || name == PRELUDE
        || name.starts_with("include") && name.ends_with(".inc")
}

/// What an included file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Text,
    Binary,
}

/// The file name in an `include` or `incbin` line, without quotes or angle brackets.
fn included(line: &[u8]) -> Option<(Kind, Range<usize>)> {
    let start = line.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let word = line[start..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let kind = match line[start..start + word].to_ascii_lowercase().as_slice() {
        b"include" => Kind::Text,
        b"incbin" => Kind::Binary,
        _ => return None,
    };
    let after = start + word;
    let begin = after + line[after..].iter().position(|byte| !byte.is_ascii_whitespace())?;
    if begin == after {
        return None;
    }
    let (begin, stop): (usize, &[u8]) = match line[begin] {
        b'<' => (begin + 1, b">\r\n"),
        b'"' => (begin + 1, b"\"\r\n"),
        b'\'' => (begin + 1, b"'\r\n"),
        _ if kind == Kind::Binary => (begin, b" \t;,\r\n"),
        _ => (begin, b" \t;\r\n"),
    };
    let length = line[begin..].iter().take_while(|byte| !stop.contains(byte)).count();
    (length > 0).then_some((kind, begin..begin + length))
}

fn line_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_can_be_left_out() {
        let rows = [
            ("  mov ax, nowhere ; x", Some("")),
            ("again: loop nowhere", Some("again:")),
            ("@@:  mvo ax, 1", Some("@@:")),
            ("x dw nowhere", None),
            ("main proc", None),
            (".model what", None),
            ("org nowhere", None),
            ("size_ = nowhere", None),
            ("", None),
        ];
        for (line, label) in rows {
            assert_eq!(label_of_instruction(line).as_deref(), label, "{line}");
        }
    }

    #[test]
    fn include_lines() {
        let rows = [
            ("include dos.inc", "Text dos.inc"),
            ("\t INCLUDE\tMACROS\\Dos.Inc ; ours\r\n", "Text MACROS\\Dos.Inc"),
            ("include <my file.inc>", "Text my file.inc"),
            ("incbin \"font.bin\", 0, 14", "Binary font.bin"),
            ("incbin font.bin,2", "Binary font.bin"),
            ("includelib ucrlib.lib", "none"),
            ("include", "none"),
            ("; include x.inc", "none"),
        ];
        for (line, expected) in rows {
            let found = included(line.as_bytes())
                .map_or("none".into(), |(kind, name)| format!("{kind:?} {}", &line[name]));
            assert_eq!(found, expected, "{line}");
        }
    }
}
