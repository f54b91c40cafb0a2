//! A staging folder: copies of a source and all its includes, under names that any host can open.
//!
//! In the copies each `include` and `incbin` names the copy, so that case, backslashes and drive
//! letters do not matter. Line numbers do not change. A file ends at Ctrl-Z, as on DOS.

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

pub(super) const OBJECT: &str = "object.obj";
/// The assembler's message file in the scratch folder.
pub(super) const MESSAGES: &str = "messages.txt";
/// The assembler's listing in the scratch folder.
pub(super) const LISTING: &str = "listing.txt";

/// The file assembled before the source, in the scratch folder.
pub(super) const PRELUDE: &str = "prelude.inc";

/// A bound for files that include each other; more than any program includes.
const MOST_FILES: usize = 4096;
/// The deepest nesting of includes. The assembler keeps each file open.
const MOST_NESTED: usize = 100;
const CTRL_Z: u8 = 0x1A;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

pub(super) struct StagingDir {
    folder: ScratchFolder,
    source: String,
    /// The user's file names, by name of the copy.
    names: BTreeMap<String, String>,
    /// The search path for files, after the folder of the including file.
    folders: Vec<PathBuf>,
    /// The copies, by the user's file and its kind (text or bytes).
    copies: BTreeMap<(PathBuf, Kind), String>,
    /// The files whose includes are being copied, the innermost last.
    open: Vec<PathBuf>,
    /// The line by which a file includes itself, directly or through others.
    cycle: Option<Diagnostic>,
    /// The text assembled before the source.
    prelude: String,
    /// The user's source with replaced include names.
    text: Vec<u8>,
    /// Words that are spelled differently in the copies.
    renamed: BTreeSet<String>,
    /// The user's files that were read.
    read: Vec<PathBuf>,
    /// Names of files outside of the allowed folders, in the copies those of [`absent`] files.
    absent: Vec<String>,
    /// The files of [`BuildRequest::built_in`].
    built_in: &'static [(&'static str, &'static str)],
}

impl StagingDir {
    /// Copies the source at `path` and its includes. Adds the files read to `files`.
    pub(super) fn set(
        path: &Path,
        source: &[u8],
        request: &BuildRequest,
        files: &mut Vec<PathBuf>,
    ) -> Result<Self, ToolError> {
        let parent = scratch::parent();
        let folder = ScratchFolder::new_in(&parent);
        let folder = folder.map_err(|error| ToolError::file(parent, error))?;
        // The object and @FileName contain the source's name: keep it if any host can open it.
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

    /// Rewrites the source and its includes for UASM. Returns the warnings for its lines.
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

    fn text_copies(&self) -> impl Iterator<Item = &String> {
        self.copies.iter().filter(|((_, kind), _)| *kind == Kind::Text).map(|(_, copy)| copy)
    }

    /// Returns the texts of all includes, each with a final line feed.
    fn included_texts(&self) -> Vec<String> {
        let read = |copy: &String| fs::read(self.folder.path().join(copy)).unwrap_or_default();
        self.text_copies().map(|copy| letters(&read(copy)) + "\n").collect()
    }

    /// Returns the name that the line of a message defines or tries to define.
    pub(super) fn defined_at(&self, message: &Diagnostic) -> Option<String> {
        let Place::Line(number) = message.place else { return None };
        let copy = self.names.iter().find(|(_, user)| **user == message.file).map(|(copy, _)| copy)?;
        let line = self.line(copy, number);
        let tokens = dialect::line::tokens(&line);
        let shape = dialect::line::shape(&tokens);
        Some(tokens[shape.label.or(shape.name)?].text.to_owned())
    }

    pub(super) fn line(&self, copy: &str, number: u32) -> String {
        let copy = base_name(copy);
        let read = || fs::read(self.folder.path().join(copy)).unwrap_or_default();
        let text = if copy == self.source { self.text.clone() } else { read() };
        let line = text.split(|&byte| byte == b'\n').nth((number as usize).wrapping_sub(1));
        line.map(letters).unwrap_or_default()
    }

    /// Returns a message of the assembler with the user's spelling of words.
    pub(super) fn restored(&self, text: &str) -> String {
        names::restored(text, &self.renamed)
    }

    /// Returns the words that the object spells differently from the user.
    pub(super) fn spellings(&self) -> BTreeMap<String, String> {
        names::spellings(&self.renamed)
    }

    /// Changes a line of a copy. Returns false if the line does not exist or did not change.
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

    /// Writes the text before the source for a chosen processor. Returns whether there is any.
    pub(super) fn prelude(&self, processor: Option<u8>, macros: &str) -> Result<bool, ToolError> {
        // From the 386 on, segments would have 32-bit offsets.
        let narrow = if processor >= Some(3) { "option segment:use16\n" } else { "" };
        self.write(PRELUDE, &bytes(&format!("{narrow}{}{macros}", self.prelude)))?;
        Ok(!narrow.is_empty() || !self.prelude.is_empty() || !macros.is_empty())
    }

    /// Removes `.8086`, since TASM accepts newer instructions. Returns whether the source has it.
    pub(super) fn without_8086(&self) -> Result<bool, ToolError> {
        let path = self.folder.path().join(&self.source);
        let text = letters(&fs::read(&path).map_err(|error| ToolError::file(&path, error))?);
        let is_named = |line: &str| line.trim().eq_ignore_ascii_case(".8086");
        let lines: Vec<&str> = text.split('\n').map(|line| if is_named(line) { "" } else { line }).collect();
        let changed = lines.join("\n");
        self.write(&self.source, &bytes(&changed))?;
        Ok(changed != text)
    }

    /// Returns the name of the source in the scratch folder.
    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// Returns the folders that the assembler may search, for names that only it can resolve.
    pub(super) fn folders(&self) -> impl Iterator<Item = PathBuf> + '_ {
        // A relative path would not lead there from the scratch folder.
        self.folders.iter().filter_map(|folder| {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            std::path::absolute(folder).ok()
        })
    }

    /// Returns the line by which a file includes itself: no error as long as the assembler ends.
    pub(super) fn cycle(&self) -> Option<&Diagnostic> {
        self.cycle.as_ref()
    }

    /// Returns the user's name of the file that the assembler calls `name`.
    pub(super) fn user_name(&self, name: &str) -> String {
        match self.names.get(base_name(name)) {
            Some(user) => user.clone(),
            None => name.into(),
        }
    }

    /// Blanks the instructions of lines with errors in the copies, except labels. Returns false if
    /// a line is not an instruction: errors caused by its absence would be misleading.
    pub(super) fn comment_out(&self, errors: &[Diagnostic]) -> Result<bool, ToolError> {
        for error in errors {
            if !self.change(error, label_of_instruction)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the user's names by names of copies.
    pub(super) fn user_names(&self) -> BTreeMap<String, String> {
        self.names.clone()
    }

    /// Copies a file's includes and replaces their names in its text. `own` is the folder of the
    /// file, `shown` its name for the user.
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
                    // UASM treats quotes as a part of the name, and the name of the copy needs
                    // none.
                    let is_text = included(line).is_some_and(|(kind, _)| kind == Kind::Text);
                    let is_quote =
                        |byte: Option<&u8>| matches!(byte, Some(b'\'')) || is_text && byte == Some(&b'"');
                    let quote = usize::from(is_quote(line[..name.start].last()));
                    result.extend_from_slice(&line[..name.start - quote]);
                    result.extend_from_slice(copy.as_bytes());
                    let quote = usize::from(quote == 1 && is_quote(line[name.end..].first()));
                    result.extend_from_slice(&line[name.end + quote..]);
                }
                // A missing file may be included in a part that is not assembled: the assembler
                // reports it if not.
                None => result.extend_from_slice(line),
            }
        }
        Ok(result)
    }

    /// Copies an included file once. Returns the copy's name; `None` if the file does not exist.
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
        // The author's folders need not exist here: the bare name is tried second.
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
            let text = format!("{shown} is included through {MOST_NESTED} other files, which is too deep");
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

    /// Returns whether a file is in one of the allowed folders after resolving links.
    fn may_read(&self, path: &Path) -> bool {
        self.folders.iter().any(|folder| is_below(path, folder))
    }

    /// Returns a message of the assembler with the file names that the source uses.
    pub(super) fn user_text(&self, text: &str) -> String {
        let names = self.absent.iter().enumerate();
        names.fold(text.to_owned(), |text, (number, name)| text.replace(&absent(number), name))
    }

    fn write(&self, name: &str, contents: &[u8]) -> Result<(), ToolError> {
        let path = self.folder.path().join(name);
        fs::write(&path, contents).map_err(|error| ToolError::file(path, error))
    }
}

/// Converts each byte to one character. Bytes of a code page keep their value.
fn letters(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// Converts the result of [`letters`] back to bytes.
fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|letter| letter as u8).collect()
}

/// Creates an error for a line, with the user's name of the file and the line number.
fn error_at((file, line): (&str, u32), text: String) -> Diagnostic {
    Diagnostic { place: Place::Line(line), ..Diagnostic::error(file, text) }
}

fn rejected(place: (&str, u32), text: String) -> ToolError {
    ToolError::Rejected(vec![error_at(place, text)])
}

/// Returns a name in the scratch folder that no file has. The assembler does not learn whether a
/// file outside of the allowed folders exists.
fn absent(number: usize) -> String {
    format!("absent{number}.inc")
}

/// Returns whether a name can lead out of the folder that it is looked up in.
fn leads_elsewhere(name: &str) -> bool {
    let is_drive = matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    is_drive || name.starts_with(['/', '\\']) || name.split(['/', '\\']).any(|part| part == "..")
}

/// Returns whether the path is neither a file nor a folder.
fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// Returns the label, with its colon, before an instruction; `None` for other lines.
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

/// Returns whether a source of this name would collide with a scratch file, ignoring case.
fn is_scratch(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.is_empty()
        || name == OBJECT
        || name == MESSAGES
        || name == LISTING
        || name == PRELUDE
        || (name.starts_with("include") || name.starts_with("absent")) && name.ends_with(".inc")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Text,
    Binary,
}

/// Returns the file name of an `include` or `incbin` line, without quotes or angle brackets.
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
