//! The TOML of a suite, as serde sees it, and its way into a [`Suite`]: every mistake is told with its file and line.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::bytes;
use super::memory::MemoryCheck;
use super::model::{Expectations, Input, Mistake, Suite, SuiteError, Test, Visibility, Wanted};
use crate::machine::Script;

/// Virtual time that a test gets when the suite says nothing, in milliseconds.
const LIMIT_MS: u64 = 10_000;

/// No suite, script or golden file is larger: a mistaken name must not fill the host's memory.
const LARGEST: u64 = 16 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSuite {
    program: Option<Spanned<String>>,
    limit_ms: Option<Spanned<u64>>,
    dir: Option<Spanned<String>>,
    #[serde(default)]
    test: Vec<Spanned<RawTest>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTest {
    name: Spanned<String>,
    points: Option<Spanned<f64>>,
    hidden: Option<Spanned<RawHidden>>,
    limit_ms: Option<Spanned<u64>>,
    #[serde(default)]
    args: String,
    keys: Option<Spanned<String>>,
    script: Option<Spanned<String>>,
    stdin: Option<Spanned<String>>,
    #[serde(default)]
    files: BTreeMap<String, Spanned<String>>,
    exit: Option<u8>,
    #[serde(default)]
    screen: Vec<Spanned<String>>,
    output: Option<Spanned<String>>,
    #[serde(default)]
    output_has: Vec<Spanned<String>>,
    #[serde(default)]
    not: Vec<Spanned<String>>,
    golden: Option<Spanned<String>>,
    #[serde(default)]
    expect_files: BTreeMap<String, Spanned<String>>,
    same_as: Option<Spanned<String>>,
    choices: Option<Spanned<String>>,
    #[serde(default)]
    memory: BTreeMap<String, Spanned<String>>,
}

/// `hidden = true`, or when Gradescope is to show the test.
#[derive(Deserialize)]
#[serde(untagged, expecting = "hidden is true, false, \"after_due_date\" or \"after_published\"")]
enum RawHidden {
    Always(bool),
    Until(String),
}

/// Reads a file of the suite, within bounds.
pub(super) fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::{Error, ErrorKind, Read};
    if !std::fs::metadata(path)?.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is not a file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it has more than {LARGEST} bytes")));
    }
    Ok(bytes)
}

impl Suite {
    /// Reads a suite.
    ///
    /// # Errors
    /// Every mistake in it, with its line.
    pub fn open(path: &Path) -> Result<Suite, SuiteError> {
        open(path)
    }

    /// Reads a suite from its text. `path` is where it would stand, for the files that it names.
    ///
    /// # Errors
    /// Every mistake in it, with its line.
    pub fn parse(path: &Path, text: &str) -> Result<Suite, SuiteError> {
        parse(path, text)
    }
}

/// Reads the suite at `path`.
fn open(path: &Path) -> Result<Suite, SuiteError> {
    let file = path.display().to_string();
    let whole =
        |message: String| SuiteError::Broken(vec![Mistake { file: file.clone(), line: None, message }]);
    let bytes = read_file(path).map_err(|error| whole(format!("cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let line = error.as_bytes()[..error.utf8_error().valid_up_to()].split(|&b| b == b'\n').count();
        let message = "it is not UTF-8".to_owned();
        SuiteError::Broken(vec![Mistake { file: file.clone(), line: Some(line), message }])
    })?;
    parse(path, &text)
}

/// Reads a suite from its text; `path` is where it stands, for the files that it names and for messages.
fn parse(path: &Path, text: &str) -> Result<Suite, SuiteError> {
    let mut reader = Reader { path, text, mistakes: Vec::new() };
    let raw: RawSuite = match toml::from_str(text) {
        Ok(raw) => raw,
        Err(error) => {
            let message = error.message().replace('\n', ", ");
            reader.mistake(&error.span().unwrap_or(0..0), message);
            return Err(SuiteError::Broken(reader.mistakes));
        }
    };
    let suite = reader.suite(raw);
    if reader.mistakes.is_empty() { Ok(suite) } else { Err(SuiteError::Broken(reader.mistakes)) }
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    mistakes: Vec<Mistake>,
}

impl Reader<'_> {
    fn line(&self, span: &Range<usize>) -> usize {
        let before = self.text.as_bytes().get(..span.start).unwrap_or_default();
        1 + before.iter().filter(|&&byte| byte == b'\n').count()
    }

    fn mistake(&mut self, span: &Range<usize>, message: impl Into<String>) {
        let line = Some(self.line(span));
        self.mistakes.push(Mistake { file: self.path.display().to_string(), line, message: message.into() });
    }

    fn suite(&mut self, raw: RawSuite) -> Suite {
        let folder = parent(self.path);
        if raw.test.is_empty() {
            self.mistake(&(0..0), "there is no test: a test begins with [[test]] and has a name");
        }
        let limit_ms = self.limit(raw.limit_ms.as_ref()).unwrap_or(LIMIT_MS);
        let mut tests: Vec<Test> = Vec::new();
        for raw in raw.test {
            let span = raw.get_ref().name.span();
            let test = self.test(raw.into_inner(), &folder, limit_ms);
            if tests.iter().any(|other| other.name == test.name) {
                self.mistake(&span, format!("another test is called {:?} too", test.name));
            }
            tests.push(test);
        }
        Suite {
            path: self.path.to_owned(),
            program: raw.program.map(|program| self.wanted(&program, &folder)),
            dir: raw.dir.map(|dir| self.wanted(&dir, &folder)),
            folder,
            tests,
        }
    }

    fn limit(&mut self, raw: Option<&Spanned<u64>>) -> Option<u64> {
        let raw = raw?;
        if *raw.get_ref() == 0 {
            self.mistake(&raw.span(), "limit_ms is at least 1");
        }
        Some(*raw.get_ref())
    }

    fn wanted(&self, name: &Spanned<String>, folder: &Path) -> Wanted {
        let names = name.get_ref().split('+').map(|name| folder.join(name));
        let whole = folder.join(name.get_ref());
        // A plus may belong to a name.
        let path = if whole.exists() { whole } else { super::program::joined(&names.collect::<Vec<_>>()) };
        Wanted { path, line: self.line(&name.span()) }
    }

    fn test(&mut self, raw: RawTest, folder: &Path, limit_ms: u64) -> Test {
        let name = raw.name.get_ref().trim().to_owned();
        if name.is_empty() || name.contains(char::is_control) {
            self.mistake(&raw.name.span(), "a test's name is one line that is not empty");
        }
        let points = raw.points.as_ref().map_or(1.0, |points| *points.get_ref());
        if let Some(raw) = raw.points.filter(|_| !points.is_finite() || points < 0.0) {
            self.mistake(&raw.span(), "points are a number from 0");
        }
        if bytes::from_text(&raw.args).is_err() || raw.args.len() > 125 {
            self.mistake(&raw.name.span(), "args are at most 125 characters of code page 437");
        }
        if let Some(choices) = raw.choices.as_ref().filter(|_| raw.same_as.is_none()) {
            self.mistake(&choices.span(), "choices say what same_as is held against: name that, too");
        }
        Test {
            points,
            hidden: self.visibility(raw.hidden.as_ref()),
            limit_ms: self.limit(raw.limit_ms.as_ref()).unwrap_or(limit_ms),
            line: self.line(&raw.name.span()),
            name,
            args: raw.args,
            input: self.input(raw.keys, raw.script, raw.stdin, folder),
            files: self.files(raw.files),
            expect: Expectations {
                exit: raw.exit,
                screen: self.texts(raw.screen),
                output: raw.output.map(|text| self.bytes(&text)),
                output_has: self.texts(raw.output_has),
                not: self.texts(raw.not),
                golden: raw.golden.map(|golden| self.golden(&golden, folder)),
                files: self.files(raw.expect_files),
                same_as: raw.same_as.map(|name| self.wanted(&name, folder)),
                choices: raw.choices.map(Spanned::into_inner),
                memory: self.memory(raw.memory),
            },
        }
    }

    fn visibility(&mut self, raw: Option<&Spanned<RawHidden>>) -> Visibility {
        let Some(raw) = raw else { return Visibility::Visible };
        match raw.get_ref() {
            RawHidden::Always(false) => Visibility::Visible,
            RawHidden::Always(true) => Visibility::Hidden,
            RawHidden::Until(when) if when == "after_due_date" => Visibility::AfterDueDate,
            RawHidden::Until(when) if when == "after_published" => Visibility::AfterPublished,
            RawHidden::Until(_) => {
                self.mistake(&raw.span(), "hidden is true, false, \"after_due_date\" or \"after_published\"");
                Visibility::Hidden
            }
        }
    }

    fn input(
        &mut self,
        keys: Option<Spanned<String>>,
        script: Option<Spanned<String>>,
        stdin: Option<Spanned<String>>,
        folder: &Path,
    ) -> Input {
        match (keys, script, stdin) {
            (None, None, None) => Input::None,
            (Some(keys), None, None) => match Script::from_keys(keys.get_ref()) {
                Ok(script) => Input::Keys(keys.into_inner(), script),
                Err(error) => self.no_input(&keys, format!("keys: {error}")),
            },
            (None, Some(name), None) => {
                let path = folder.join(name.get_ref());
                let read = read_file(&path).map_err(|error| error.to_string());
                let text =
                    read.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "it is not UTF-8".into()));
                match text {
                    Ok(text) => match text.parse() {
                        Ok(script) => Input::Script(path, script),
                        Err(error) => self.no_input(&name, format!("script {}: {error}", path.display())),
                    },
                    Err(error) => {
                        self.no_input(&name, format!("script {} cannot be read: {error}", path.display()))
                    }
                }
            }
            (None, None, Some(text)) => Input::Stdin(bytes::with_carriage_returns(&self.bytes(&text))),
            (keys, script, stdin) => match keys.or(script).or(stdin) {
                Some(first) => self.no_input(&first, "keys, script and stdin exclude each other".to_owned()),
                None => Input::None,
            },
        }
    }

    fn no_input(&mut self, at: &Spanned<String>, message: String) -> Input {
        self.mistake(&at.span(), message);
        Input::None
    }

    fn bytes(&mut self, text: &Spanned<String>) -> Vec<u8> {
        bytes::from_text(text.get_ref()).unwrap_or_else(|character| {
            self.mistake(&text.span(), format!("{character:?} has no place in code page 437"));
            Vec::new()
        })
    }

    /// What is looked for on a screen or in the output: not empty, and of code page 437.
    fn texts(&mut self, raw: Vec<Spanned<String>>) -> Vec<String> {
        for text in &raw {
            self.bytes(text);
            if text.get_ref().is_empty() {
                self.mistake(&text.span(), "an empty text is found everywhere");
            }
        }
        raw.into_iter().map(Spanned::into_inner).collect()
    }

    fn files(&mut self, raw: BTreeMap<String, Spanned<String>>) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        for (name, text) in raw {
            match super::drive::dos_path(&name) {
                Ok(path) => files.push((path, self.bytes(&text))),
                Err(why) => self.mistake(&text.span(), format!("{name:?} is no file of drive C:: {why}")),
            }
        }
        files
    }

    fn golden(&mut self, name: &Spanned<String>, folder: &Path) -> Wanted {
        let path = folder.join(name.get_ref());
        let extension = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
        if !extension.is_some_and(|extension| extension == "png" || extension == "txt") {
            self.mistake(&name.span(), "a golden file is a .png or a .txt");
        }
        Wanted { path, line: self.line(&name.span()) }
    }

    fn memory(&mut self, raw: BTreeMap<String, Spanned<String>>) -> Vec<MemoryCheck> {
        let mut checks = Vec::new();
        for (place, value) in raw {
            match MemoryCheck::parse(&place, value.get_ref()) {
                Ok(check) => checks.push(check),
                Err(why) => self.mistake(&value.span(), why),
            }
        }
        checks
    }
}

/// Where a file of the suite stands, for a message about it.
pub(super) fn about(suite: &Suite, wanted: &Wanted, message: impl Into<String>) -> Mistake {
    let file = suite.path.display().to_string();
    Mistake { file, line: Some(wanted.line), message: message.into() }
}

/// A path as a user of the suite sees it.
pub(super) fn shown(path: &Path) -> PathBuf {
    match path.strip_prefix(".") {
        Ok(below) if !below.as_os_str().is_empty() => below.to_owned(),
        _ => path.to_owned(),
    }
}

/// The folder of a file.
fn parent(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new(".")).to_owned()
}
