//! The TOML format of a suite, and its conversion to a [`Suite`]. Every mistake is reported with
//! file and line.

mod inputs;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;

use super::bytes;
use super::drive::{self, read_file};
use super::generated::Generated;
use super::model::{Expectations, Input, NamedFile, Suite, SuiteError, Test, ValidationError, Visibility};
use inputs::{RawExpect, RawInputs};
use oxbox_machine::expression::{ExpectedBytes, Expression};
use oxbox_machine::machine::{Script, Settings};

/// The default limit of virtual time per test, in milliseconds.
const LIMIT_MS: u64 = 10_000;

/// The most syntax errors reported for a suite.
const MOST_MISTAKES: usize = 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSuite {
    program: Option<Spanned<String>>,
    limit_ms: Option<Spanned<u64>>,
    dir: Option<Spanned<String>>,
    clock: Option<Spanned<String>>,
    cpu: Option<Spanned<String>>,
    machine: Option<Spanned<String>>,
    #[serde(default)]
    include: Vec<Spanned<String>>,
    #[serde(default)]
    given: Vec<Spanned<String>>,
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
    clock: Option<Spanned<String>>,
    #[serde(default)]
    args: String,
    keys: Option<Spanned<String>>,
    script: Option<Spanned<String>>,
    stdin: Option<Spanned<String>>,
    #[serde(default)]
    files: BTreeMap<String, Spanned<String>>,
    exit: Option<u8>,
    #[serde(default)]
    ends: bool,
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
    #[serde(rename = "where")]
    condition: Option<Spanned<String>>,
    #[serde(default)]
    input: BTreeMap<String, Spanned<String>>,
    cases: Option<Spanned<u64>>,
    seed: Option<u64>,
    expect: Option<Spanned<RawExpect>>,
    partial: Option<Spanned<String>>,
}

/// The value of `hidden`: true, or when Gradescope shows the test.
#[derive(Deserialize)]
#[serde(untagged, expecting = "hidden must be true, false, \"after_due_date\" or \"after_published\"")]
enum RawHidden {
    Always(bool),
    Until(String),
}

impl Suite {
    /// Reads a suite.
    ///
    /// # Errors
    /// Fails with all mistakes and their lines.
    pub fn open(path: &Path) -> Result<Suite, SuiteError> {
        open(path)
    }

    /// Parses a suite. `path` is its path, to which the names of its files are relative.
    ///
    /// # Errors
    /// Fails with all mistakes and their lines.
    pub fn parse(path: &Path, text: &str) -> Result<Suite, SuiteError> {
        parse(path, text)
    }
}

fn open(path: &Path) -> Result<Suite, SuiteError> {
    let file = path.display().to_string();
    let whole = |message: String| {
        SuiteError::Broken(vec![ValidationError { file: file.clone(), line: None, message }])
    };
    let bytes = read_file(path).map_err(|error| whole(format!("cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let line = error.as_bytes()[..error.utf8_error().valid_up_to()].split(|&b| b == b'\n').count();
        let message = "it is not UTF-8".to_owned();
        SuiteError::Broken(vec![ValidationError { file: file.clone(), line: Some(line), message }])
    })?;
    parse(path, &text)
}

/// Parses a suite. Messages name `path`, and the names of its files are relative to it.
fn parse(path: &Path, text: &str) -> Result<Suite, SuiteError> {
    let mut reader = Reader { path, text, mistakes: Vec::new() };
    let suite = reader.raw().map(|raw| reader.suite(raw));
    reader.mistakes.sort_by_key(|mistake| mistake.line);
    match suite {
        Some(suite) if reader.mistakes.is_empty() => Ok(suite),
        _ => Err(SuiteError::Broken(reader.mistakes)),
    }
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    mistakes: Vec<ValidationError>,
}

impl Reader<'_> {
    /// Parses the text. A line with a mistake is removed and the rest parsed again, so that all
    /// mistakes are reported.
    fn raw(&mut self) -> Option<RawSuite> {
        let mut text = self.text.to_owned();
        for _ in 0..MOST_MISTAKES {
            let error = match toml::from_str(&text) {
                Ok(raw) => return Some(raw),
                Err(error) => error,
            };
            let span = error.span().unwrap_or(0..0);
            // A key may be missing because its line was removed. Removing another line cannot fix
            // that.
            let is_missing = error.message().starts_with("missing field");
            if !is_missing || self.mistakes.is_empty() {
                self.mistake(&span, error.message().replace('\n', ", "));
            }
            if is_missing {
                break;
            }
            let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
            let end = text[span.end..].find('\n').map_or(text.len(), |at| span.end + at);
            let lines = text[start..end].matches('\n').count();
            // Without valid TOML the remaining lines have no meaning.
            let is_toml = toml::from_str::<toml::Table>(&text).is_ok();
            text.replace_range(
                start..end,
                &format!("{}{}", "\n".repeat(lines), " ".repeat(end - start - lines)),
            );
            if !is_toml || toml::from_str::<toml::Table>(&text).is_err() {
                break;
            }
        }
        None
    }

    fn line(&self, span: &Range<usize>) -> usize {
        let before = self.text.as_bytes().get(..span.start).unwrap_or_default();
        1 + before.iter().filter(|&&byte| byte == b'\n').count()
    }

    fn mistake(&mut self, span: &Range<usize>, message: impl Into<String>) {
        let line = Some(self.line(span));
        self.mistakes.push(ValidationError {
            file: self.path.display().to_string(),
            line,
            message: message.into(),
        });
    }

    fn suite(&mut self, raw: RawSuite) -> Suite {
        let folder = parent(self.path);
        if raw.test.is_empty() && self.mistakes.is_empty() {
            self.mistake(&(0..0), "the suite has no tests: add [[test]] with a name");
        }
        let limit_ms = self.limit(raw.limit_ms.as_ref()).unwrap_or(LIMIT_MS);
        let settings = self.settings([("clock", &raw.clock), ("cpu", &raw.cpu), ("machine", &raw.machine)]);
        let mut tests: Vec<Test> = Vec::new();
        for raw in raw.test {
            let span = raw.get_ref().name.span();
            let mut test = self.test(raw.into_inner(), &folder, limit_ms);
            test.settings = test.settings.or(settings);
            if tests.iter().any(|other| other.name == test.name) {
                self.mistake(&span, format!("the test name {:?} is used twice", test.name));
            }
            tests.push(test);
        }
        Suite {
            path: self.path.to_owned(),
            program: raw.program.map(|program| self.wanted(&program, &folder)),
            dir: raw.dir.map(|dir| self.read(&dir, "dir", &folder)),
            include: raw.include.iter().map(|name| self.there(name, "include", &folder)).collect(),
            given: raw.given.iter().map(|name| self.there(name, "given", &folder)).collect(),
            folder,
            tests,
        }
    }

    fn settings<const N: usize>(&mut self, raw: [(&str, &Option<Spanned<String>>); N]) -> Settings {
        let mut settings = Settings::default();
        for (name, value) in raw {
            let Some(value) = value else { continue };
            if let Err(error) = settings.set(name, value.get_ref()) {
                self.mistake(&value.span(), format!("{name}: {error}"));
            }
        }
        settings
    }

    fn limit(&mut self, raw: Option<&Spanned<u64>>) -> Option<u64> {
        let raw = raw?;
        if *raw.get_ref() == 0 {
            self.mistake(&raw.span(), "limit_ms must be at least 1");
        }
        Some(*raw.get_ref())
    }

    /// Resolves a file or folder before anything runs, so that a missing one is reported together
    /// with all other mistakes.
    fn read(&mut self, name: &Spanned<String>, key: &str, folder: &Path) -> NamedFile {
        let wanted = self.wanted(name, folder);
        for part in oxbox_toolchain::parts(&wanted.path) {
            if let Err(error) = std::fs::metadata(&part) {
                let part = drive::shown(&part);
                self.mistake(&name.span(), format!("{key} {}: cannot be read: {error}", part.display()));
            }
        }
        wanted
    }

    fn wanted(&self, name: &Spanned<String>, folder: &Path) -> NamedFile {
        let names = name.get_ref().split('+').map(|name| folder.join(name));
        let whole = folder.join(name.get_ref());
        // A name may contain a plus.
        let path = if whole.exists() { whole } else { super::program::joined(&names.collect::<Vec<_>>()) };
        NamedFile { path, line: self.line(&name.span()) }
    }

    /// Resolves a file or folder that must exist.
    fn there(&mut self, name: &Spanned<String>, key: &str, folder: &Path) -> NamedFile {
        let path = folder.join(name.get_ref());
        if let Err(error) = path.metadata() {
            self.mistake(&name.span(), format!("{key} {}: {error}", path.display()));
        }
        NamedFile { path, line: self.line(&name.span()) }
    }

    fn test(&mut self, mut raw: RawTest, folder: &Path, limit_ms: u64) -> Test {
        let name = raw.name.get_ref().trim().to_owned();
        if name.is_empty() || name.contains(char::is_control) {
            self.mistake(&raw.name.span(), "a test's name must be one non-empty line");
        }
        let points = raw.points.as_ref().map_or(1.0, |points| *points.get_ref());
        if let Some(raw) = raw.points.take().filter(|_| !points.is_finite() || points < 0.0) {
            self.mistake(&raw.span(), "points must be a number from 0");
        }
        if bytes::from_text(&raw.args).is_err() || raw.args.len() > 125 {
            self.mistake(&raw.name.span(), "args must be at most 125 characters of code page 437");
        }
        if let Some(choices) = raw.choices.as_ref().filter(|_| raw.same_as.is_none()) {
            self.mistake(&choices.span(), "choices need same_as");
        }
        let settings = self.settings([("clock", &raw.clock)]);
        let generated = self.generated_of(&mut raw);
        let has_output = raw.output.is_some()
            || raw.same_as.is_some() && raw.choices.is_none()
            || generated.as_ref().is_some_and(|generated| generated.templates.output.is_some());
        let partial = self.partial(raw.partial.take(), generated.is_some(), has_output);
        let input = self.input(raw.keys, raw.script, raw.stdin, folder);
        let span = raw.name.clone();
        let test = Test {
            points,
            hidden: self.visibility(raw.hidden.as_ref()),
            limit_ms: self.limit(raw.limit_ms.as_ref()).unwrap_or(limit_ms),
            line: self.line(&raw.name.span()),
            name,
            args: raw.args,
            settings: settings.or(input.settings()),
            input,
            files: self.files(raw.files),
            expect: Expectations {
                exit: raw.exit,
                ends: raw.ends,
                screen: self.texts(raw.screen),
                output: raw.output.map(|text| self.bytes(&text)),
                output_has: self.texts(raw.output_has),
                not: self.texts(raw.not),
                golden: raw.golden.map(|golden| self.golden(&golden, folder)),
                files: self.files(raw.expect_files),
                same_as: raw.same_as.map(|name| self.read(&name, "same_as:", folder)),
                choices: raw.choices.map(Spanned::into_inner),
                memory: self.memory(raw.memory),
                condition: raw.condition.and_then(|text| self.condition(&text)),
            },
            generated,
            partial,
            numbers: Vec::new(),
        };
        self.try_out(&test, &span);
        test
    }

    /// Returns the generated input of a test, whose keys, texts and files are then templates.
    fn generated_of(&mut self, raw: &mut RawTest) -> Option<Arc<Generated>> {
        if raw.input.is_empty() {
            let alone = raw.cases.as_ref().map(Spanned::span).or(raw.expect.as_ref().map(Spanned::span));
            alone.iter().for_each(|span| self.mistake(span, "cases and expect need input = { ... }"));
            return None;
        }
        for fixed in [&raw.script, &raw.golden, &raw.choices].into_iter().flatten() {
            self.mistake(&fixed.span(), "input cannot be combined with script, golden and choices");
        }
        if raw.expect.is_none() && raw.same_as.is_none() && raw.condition.is_none() {
            self.mistake(&raw.name.span(), "a test with input needs expect, same_as or where");
        }
        let inputs = RawInputs {
            name: raw.name.clone(),
            input: std::mem::take(&mut raw.input),
            cases: raw.cases.take(),
            seed: raw.seed,
            expect: raw.expect.take(),
            args: std::mem::take(&mut raw.args),
            keys: raw.keys.take(),
            stdin: raw.stdin.take(),
            files: std::mem::take(&mut raw.files),
        };
        Some(Arc::new(self.generated(inputs)))
    }

    fn visibility(&mut self, raw: Option<&Spanned<RawHidden>>) -> Visibility {
        let Some(raw) = raw else { return Visibility::Visible };
        match raw.get_ref() {
            RawHidden::Always(false) => Visibility::Visible,
            RawHidden::Always(true) => Visibility::Hidden,
            RawHidden::Until(when) if when == "after_due_date" => Visibility::AfterDueDate,
            RawHidden::Until(when) if when == "after_published" => Visibility::AfterPublished,
            RawHidden::Until(_) => {
                self.mistake(
                    &raw.span(),
                    "hidden must be true, false, \"after_due_date\" or \"after_published\"",
                );
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
            self.mistake(&text.span(), format!("{character:?} is not in code page 437"));
            Vec::new()
        })
    }

    /// Converts the texts of `screen`, `output_has` and `not`: not empty, and in code page 437.
    fn texts(&mut self, raw: Vec<Spanned<String>>) -> Vec<String> {
        for text in &raw {
            self.bytes(text);
            if text.get_ref().is_empty() {
                self.mistake(&text.span(), "the text is empty");
            }
        }
        raw.into_iter().map(Spanned::into_inner).collect()
    }

    fn files(&mut self, raw: BTreeMap<String, Spanned<String>>) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        for (name, text) in raw {
            match drive::dos_path(&name) {
                Ok(path) => files.push((path, self.bytes(&text))),
                Err(why) => {
                    self.mistake(&text.span(), format!("{name:?} is not a file name on drive C:: {why}"));
                }
            }
        }
        files
    }

    fn golden(&mut self, name: &Spanned<String>, folder: &Path) -> NamedFile {
        let path = folder.join(name.get_ref());
        let extension = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
        if !extension.is_some_and(|extension| extension == "png" || extension == "txt") {
            self.mistake(&name.span(), "a golden file must be a .png or a .txt");
        }
        NamedFile { path, line: self.line(&name.span()) }
    }

    fn memory(&mut self, raw: BTreeMap<String, Spanned<String>>) -> Vec<ExpectedBytes> {
        let mut checks = Vec::new();
        for (place, value) in raw {
            match ExpectedBytes::parse(&place, value.get_ref()) {
                Ok(check) => checks.push(check),
                Err(error) => {
                    self.mistake(&value.span(), format!("memory {place} = {}: {error}", value.get_ref()));
                }
            }
        }
        checks
    }

    fn condition(&mut self, text: &Spanned<String>) -> Option<Expression> {
        let parsed = text.get_ref().parse();
        parsed.map_err(|error| self.mistake(&text.span(), format!("where: {error}"))).ok()
    }
}

/// Creates a message about a file of the suite, with the place where it is named.
pub(super) fn about(suite: &Suite, wanted: &NamedFile, message: impl Into<String>) -> ValidationError {
    let file = suite.path.display().to_string();
    ValidationError { file, line: Some(wanted.line), message: message.into() }
}

fn parent(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new(".")).to_owned()
}
