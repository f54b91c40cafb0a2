//! What a suite asks for: programs, tests, what each is given and what must come of it.

use super::generated::Generated;
use oxbox_machine::expression::{ExpectedBytes, Expression};
use oxbox_machine::machine::{Script, Settings};
use oxbox_toolchain::parts;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// A suite of tests.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Suite {
    /// Its file.
    pub path: PathBuf,
    /// The folder that it stands in: what it names is looked for there.
    pub folder: PathBuf,
    /// The program that it tests, unless others are given.
    pub program: Option<Wanted>,
    /// The folder whose copies are drive C:.
    pub dir: Option<Wanted>,
    /// Folders and files that sources may include and link, besides the submission's own.
    pub include: Vec<Wanted>,
    /// Folders and files that are on drive C: at the beginning of every test.
    pub given: Vec<Wanted>,
    /// Its tests.
    pub tests: Vec<Test>,
}

impl Suite {
    /// Its own file and those that its tests name: scripts, models, goldens. No program under test may see them.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = vec![self.path.clone()];
        for test in &self.tests {
            files.extend(test.expect.golden.iter().map(|golden| golden.path.clone()));
            files.extend(test.expect.same_as.iter().flat_map(|model| parts(&model.path)));
            if let Input::Script(path, _) = &test.input {
                files.push(path.clone());
            }
        }
        files
    }
}

/// A file that a suite names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Where it is.
    pub path: PathBuf,
    /// The suite's line that names it.
    pub line: usize,
}

/// One test.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Test {
    /// What it is called.
    pub name: String,
    /// The suite's line that it begins in.
    pub line: usize,
    /// What it is worth.
    pub points: f64,
    /// When students see it.
    pub hidden: Visibility,
    /// Virtual time that it gets, in milliseconds.
    pub limit_ms: u64,
    /// Settings of the machine: the test's own, else its script's, else the suite's.
    pub settings: Settings,
    /// The program's command tail.
    pub args: String,
    /// What the program is given.
    pub input: Input,
    /// Files on drive C: before the run.
    pub files: Vec<(String, Vec<u8>)>,
    /// What must come of it.
    pub expect: Expectations,
    /// Input that is drawn anew for each of many cases.
    pub generated: Option<Arc<Generated>>,
    /// How the points are shared out.
    pub partial: Partial,
    /// What the names of the inputs stand for in this case.
    pub(super) numbers: Vec<(String, i64)>,
}

/// How a test that was not passed brings a part of its points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partial {
    /// Not at all.
    None,
    /// By the share of its cases that are right.
    Cases,
    /// By the share of the lines of the output that are right.
    Lines,
}

/// When a student sees a test, in Gradescope's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Always.
    Visible,
    /// Never.
    Hidden,
    /// From the assignment's due date on.
    AfterDueDate,
    /// When the grades are published.
    AfterPublished,
}

/// What a program is given to read.
#[derive(Debug, Clone)]
pub enum Input {
    /// Nothing.
    None,
    /// Keys, as they were written.
    Keys(String, Script),
    /// A script, and its file.
    Script(PathBuf, Script),
    /// Bytes on its standard input, and then the end.
    Stdin(Vec<u8>),
}

impl Input {
    /// Settings of the machine that a script names.
    pub(super) fn settings(&self) -> Settings {
        match self {
            Input::Keys(_, script) | Input::Script(_, script) => script.settings,
            Input::Stdin(_) | Input::None => Settings::default(),
        }
    }
}

/// What must come of a run. What is not named is not looked at.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Expectations {
    /// The exit code.
    pub exit: Option<u8>,
    /// Whether the program must end by itself, whatever its exit code.
    pub ends: bool,
    /// Texts on the final text screen, in this order.
    pub screen: Vec<String>,
    /// The console output, whole.
    pub output: Option<Vec<u8>>,
    /// Parts of the console output, each anywhere.
    pub output_has: Vec<String>,
    /// Texts that are neither on the screen nor in the output.
    pub not: Vec<String>,
    /// The final screen: a picture or a text.
    pub golden: Option<Wanted>,
    /// Files on drive C: after the run.
    pub files: Vec<(String, Vec<u8>)>,
    /// A program that must do the same.
    pub same_as: Option<Wanted>,
    /// With [`Expectations::same_as`]: what a user may type, as `oxbox same --choices` takes it.
    pub choices: Option<String>,
    /// Bytes in memory after the run.
    pub memory: Vec<ExpectedBytes>,
    /// A condition on registers, flags and memory after the run.
    pub condition: Option<Expression>,
}

/// A mistake in a suite, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mistake {
    /// The suite's file.
    pub file: String,
    /// Its line, where one is at fault.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SuiteError {
    /// The suite has mistakes: one a line.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Broken(Vec<Mistake>),
    /// What was asked for does not go together.
    #[error("{0}")]
    Usage(String),
    /// The host failed.
    #[error("{0}")]
    Host(String),
}
