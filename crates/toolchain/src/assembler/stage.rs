//! A scratch folder with copies of a source and of all that it includes, under names any host can open.
//!
//! In the copies each `include` and `incbin` names the copy, so that case, backslashes and drive letters do not matter;
//! lines stay lines. A file is cut at Ctrl-Z, where DOS has it end.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use oxbox_files::scratch::{self, ScratchFolder};

use crate::BuildRequest;
use crate::diagnostic::{Diagnostic, Place, ToolError};
use crate::dialect::{self, Adapted, names};
use crate::files::{base_name, find, is_below, read};
use crate::reading::Dialect;

/// The object, in the scratch folder.
pub(super) const OBJECT: &str = "object.obj";
/// The assembler's messages, in the scratch folder.
pub(super) const MESSAGES: &str = "messages.txt";
/// What the assembler made of each line, in the scratch folder.
pub(super) const LISTING: &str = "listing.txt";

/// What is assembled before the source, in the scratch folder.
pub(super) const PRELUDE: &str = "prelude.inc";

/// More files than any program includes; a bound for files that include each other.
const MOST_FILES: usize = 4096;
/// Files that include one another in a row: the assembler keeps each of them open.
const MOST_NESTED: usize = 100;
const CTRL_Z: u8 = 0x1A;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The scratch folder of one run.
pub(super) struct Stage {
    folder: ScratchFolder,
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
    /// What is assembled before the source.
    prelude: String,
    /// The source as the user has it, but for the names of the files that it includes.
    text: Vec<u8>,
    /// Words that the copies have in another spelling.
    renamed: BTreeSet<String>,
    /// The user's files that were read.
    read: Vec<PathBuf>,
    /// Names of files outside of the folders: in the copies they are those of [`absent`] files.
    absent: Vec<String>,
    /// As [`BuildRequest::built_in`] has them.
    built_in: &'static [(&'static str, &'static str)],
}

impl Stage {
    /// Copies the source at `path` and what it includes; `files` gets what was read for that.
    pub(super) fn set(
        path: &Path,
        source: &[u8],
        request: &BuildRequest,
        files: &mut Vec<PathBuf>,
    ) -> Result<Self, ToolError> {
        let parent = scratch::parent();
        let folder = ScratchFolder::new_in(&parent);
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
            folders: std::iter::once(own.clone()).chain(request.includes.iter().cloned()).collect(),
            copies: BTreeMap::new(),
            open: Vec::new(),
            cycle: None,
            prelude: String::new(),
            text: Vec::new(),
            renamed: BTreeSet::new(),
            read: Vec::new(),
            absent: Vec::new(),
            built_in: request.built_in,
        };
        stage.names.insert(name.clone(), path.display().to_string());
        let rewritten = stage.rewrite(source, &own, &path.display().to_string());
        files.append(&mut stage.read);
        stage.text = rewritten?;
        stage.write(&name, &stage.text)?;
        if let Some(adapted) = dialect::completed(&letters(&stage.text), &stage.included_texts()) {
            stage.put(adapted)?;
        }
        Ok(stage)
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Puts the source and what it includes into UASM's words. Gives what is to be said of its lines.
    pub(super) fn adapt(&mut self, dialect: Dialect) -> Result<Vec<Diagnostic>, ToolError> {
        let adapted = dialect::adapt(dialect, &letters(&self.text), &self.included_texts());
        let file = self.user_name(&self.source);
        let warning = |(line, text): &(u32, String)| Diagnostic {
            place: Place::Line(*line),
            ..Diagnostic::warning(&file, text)
        };
        let warnings = adapted.warnings.iter().map(warning).collect();
        self.put(adapted)?;
        Ok(warnings)
    }

    fn put(&mut self, adapted: Adapted) -> Result<(), ToolError> {
        self.write(&self.source, &bytes(&adapted.source))?;
        for (copy, text) in self.text_copies().zip(&adapted.included) {
            self.write(copy, &bytes(text))?;
        }
        self.prelude = adapted.prelude;
        self.renamed = adapted.renamed;
        Ok(())
    }

    /// Copies of what is included as a text.
    fn text_copies(&self) -> impl Iterator<Item = &String> {
        self.copies.iter().filter(|((_, kind), _)| *kind == Kind::Text).map(|(_, copy)| copy)
    }

    /// The texts of all that is included, each ending with its line.
    fn included_texts(&self) -> Vec<String> {
        let read = |copy: &String| fs::read(self.folder.path().join(copy)).unwrap_or_default();
        self.text_copies().map(|copy| letters(&read(copy)) + "\n").collect()
    }

    /// The name that the line of a message defines, or means to.
    pub(super) fn defined_at(&self, message: &Diagnostic) -> Option<String> {
        let Place::Line(number) = message.place else { return None };
        let copy = self.names.iter().find(|(_, user)| **user == message.file).map(|(copy, _)| copy)?;
        let line = self.line(copy, number);
        let tokens = dialect::line::tokens(&line);
        let shape = dialect::line::shape(&tokens);
        Some(tokens[shape.label.or(shape.name)?].text.to_owned())
    }

    /// A line of a copy before it was put into UASM's words.
    pub(super) fn line(&self, copy: &str, number: u32) -> String {
        let copy = base_name(copy);
        let read = || fs::read(self.folder.path().join(copy)).unwrap_or_default();
        let text = if copy == self.source { self.text.clone() } else { read() };
        let line = text.split(|&byte| byte == b'\n').nth((number as usize).wrapping_sub(1));
        line.map(letters).unwrap_or_default()
    }

    /// A text of the assembler's with the user's spelling of words.
    pub(super) fn restored(&self, text: &str) -> String {
        names::restored(text, &self.renamed)
    }

    /// The words that the object has in another spelling than the user.
    pub(super) fn spellings(&self) -> BTreeMap<String, String> {
        names::spellings(&self.renamed)
    }

    /// Changes a line of a copy. False when there is no such line, or nothing to change.
    pub(super) fn change(
        &self,
        place: &Diagnostic,
        change: impl FnOnce(&str) -> Option<String>,
    ) -> Result<bool, ToolError> {
        let copy = self.names.iter().find(|(_, user)| **user == place.file).map(|(copy, _)| copy);
        let (Some(copy), Place::Line(number)) = (copy, &place.place) else { return Ok(false) };
        let path = self.folder.path().join(copy);
        let text = fs::read(&path).map_err(|error| ToolError::file(&path, error))?;
        let mut lines: Vec<Vec<u8>> = text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        let Some(line) = lines.get_mut((*number as usize).wrapping_sub(1)) else { return Ok(false) };
        let Some(changed) = change(&letters(line)) else { return Ok(false) };
        *line = bytes(&changed);
        self.write(copy, &lines.join(&b'\n'))?;
        Ok(true)
    }

    /// Writes what has to be assembled before the source, for a processor that was chosen. Whether there is anything.
    pub(super) fn prelude(&self, processor: Option<u8>, macros: &str) -> Result<bool, ToolError> {
        // From the 386 on, segments would have offsets of 32 bits.
        let narrow = if processor >= Some(3) { "option segment:use16\n" } else { "" };
        self.write(PRELUDE, &bytes(&format!("{narrow}{}{macros}", self.prelude)))?;
        Ok(!narrow.is_empty() || !self.prelude.is_empty() || !macros.is_empty())
    }

    /// Leaves out `.8086`: TASM has instructions of newer processors all the same. Whether the source says so.
    pub(super) fn without_8086(&self) -> Result<bool, ToolError> {
        let path = self.folder.path().join(&self.source);
        let text = letters(&fs::read(&path).map_err(|error| ToolError::file(&path, error))?);
        let is_named = |line: &str| line.trim().eq_ignore_ascii_case(".8086");
        let lines: Vec<&str> = text.split('\n').map(|line| if is_named(line) { "" } else { line }).collect();
        let changed = lines.join("\n");
        self.write(&self.source, &bytes(&changed))?;
        Ok(changed != text)
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
            if !self.change(error, label_of_instruction)? {
                return Ok(false);
            }
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
                    // UASM takes quotes for a part of the name, and the copy's name needs none.
                    let is_text = included(line).is_some_and(|(kind, _)| kind == Kind::Text);
                    let is_quote =
                        |byte: Option<&u8>| matches!(byte, Some(b'\'')) || is_text && byte == Some(&b'"');
                    let quote = usize::from(is_quote(line[..name.start].last()));
                    result.extend_from_slice(&line[..name.start - quote]);
                    result.extend_from_slice(copy.as_bytes());
                    let quote = usize::from(quote == 1 && is_quote(line[name.end..].first()));
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
        let look_for =
            |name: &str| folders().find_map(|folder| find(folder, name).filter(|path| self.may_read(path)));
        // The author's own folders need not exist here: the bare name is the second try.
        let built_in = self.built_in.iter().find(|(own, _)| own.eq_ignore_ascii_case(base_name(name)));
        let found = look_for(name).or_else(|| look_for(base_name(name)));
        let (key, shown, contents, parent) = match found {
            Some(path) => {
                let contents = read(&path).map_err(|error| ToolError::file(&path, error))?;
                self.read.push(path.clone());
                let parent = path.parent().map(Path::to_owned).unwrap_or_default();
                (path.clone(), path.display().to_string(), contents, parent)
            }
            None => {
                let Some((name, text)) = built_in else {
                    if leads_elsewhere(name) {
                        self.absent.push(name.to_owned());
                        return Ok(Some(absent(self.absent.len() - 1)));
                    }
                    // The assembler would wait for a pipe.
                    let device = folders().map(|folder| folder.join(name)).find(|path| is_device(path));
                    return match device {
                        Some(path) => Err(rejected(includer, format!("{} is not a file", path.display()))),
                        None => Ok(None),
                    };
                };
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
        self.folders.iter().any(|folder| is_below(path, folder))
    }

    /// The assembler's text with the names of files that the source wrote.
    pub(super) fn user_text(&self, text: &str) -> String {
        let names = self.absent.iter().enumerate();
        names.fold(text.to_owned(), |text, (number, name)| text.replace(&absent(number), name))
    }

    fn write(&self, name: &str, contents: &[u8]) -> Result<(), ToolError> {
        let path = self.folder.path().join(name);
        fs::write(&path, contents).map_err(|error| ToolError::file(path, error))
    }
}

/// Bytes as letters, each its own: what is not UTF-8 is of a code page, and stays as it is.
fn letters(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// The bytes of [`letters`].
fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|letter| letter as u8).collect()
}

/// What is wrong with a line: the file as the user calls it, and the line's number.
fn error_at((file, line): (&str, u32), text: String) -> Diagnostic {
    Diagnostic { place: Place::Line(line), ..Diagnostic::error(file, text) }
}

fn rejected(place: (&str, u32), text: String) -> ToolError {
    ToolError::Rejected(vec![error_at(place, text)])
}

/// A name in the scratch folder that no file has. The assembler does not learn whether a file outside of the folders is there.
fn absent(number: usize) -> String {
    format!("absent{number}.inc")
}

/// Whether a name can lead out of the folder that it is looked for in.
fn leads_elsewhere(name: &str) -> bool {
    let is_drive = matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    is_drive || name.starts_with(['/', '\\']) || name.split(['/', '\\']).any(|part| part == "..")
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
        || (name.starts_with("include") || name.starts_with("absent")) && name.ends_with(".inc")
}

/// What an included file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Text,
    Binary,
}

/// The file name in an `include` or `incbin` line, without quotes or angle brackets.
pub(super) fn included(line: &[u8]) -> Option<(Kind, Range<usize>)> {
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
