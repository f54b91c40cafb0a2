//! The contents of a suite: programs, tests, and their inputs and expectations.

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
    /// The file of the suite.
    pub path: PathBuf,
    /// The folder of the suite, to which its file names are relative.
    pub folder: PathBuf,
    /// The program under test, unless others are given.
    pub program: Option<NamedFile>,
    /// The folder that is copied to drive C:.
    pub dir: Option<NamedFile>,
    /// Folders and files that sources may include and link, besides the submission's own.
    pub include: Vec<NamedFile>,
    /// Folders and files that are on drive C: at the start of each test.
    pub given: Vec<NamedFile>,
    /// The tests.
    pub tests: Vec<Test>,
}

impl Suite {
    /// Returns the suite's own file and those named by tests: scripts, models, goldens. Programs
    /// under test may not see them.
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

/// A file named by a suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    /// Its path.
    pub path: PathBuf,
    /// The line of the suite that names it.
    pub line: usize,
}

/// A test.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Test {
    /// Its name.
    pub name: String,
    /// The first line of the test in the suite.
    pub line: usize,
    /// Its points.
    pub points: f64,
    /// When students see it.
    pub hidden: Visibility,
    /// Its limit of virtual time in milliseconds.
    pub limit_ms: u64,
    /// The machine settings: the test's, else its script's, else the suite's.
    pub settings: Settings,
    /// The command tail of the program.
    pub args: String,
    /// The input of the program.
    pub input: Input,
    /// Files on drive C: before the run.
    pub files: Vec<(String, Vec<u8>)>,
    /// The expected results.
    pub expect: Expectations,
    /// Generated input, drawn for each of many cases.
    pub generated: Option<Arc<Generated>>,
    /// The rule for partial points.
    pub partial: Partial,
    /// The values of the numeric inputs in this case.
    pub(super) numbers: Vec<(String, i64)>,
}

/// The rule for points of a test that was not passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partial {
    /// No points.
    None,
    /// By the fraction of correct cases.
    Cases,
    /// By the fraction of correct output lines.
    Lines,
}

/// When a student sees a test, in Gradescope's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Always.
    Visible,
    /// Never.
    Hidden,
    /// After the assignment's due date.
    AfterDueDate,
    /// After the grades are published.
    AfterPublished,
}

/// The input of a program.
#[derive(Debug, Clone)]
pub enum Input {
    /// No input.
    None,
    /// Keys, and the text that defines them.
    Keys(String, Script),
    /// A script, and its file.
    Script(PathBuf, Script),
    /// Bytes on standard input, followed by the end of file.
    Stdin(Vec<u8>),
}

impl Input {
    /// Returns the machine settings that a script names.
    pub(super) fn settings(&self) -> Settings {
        match self {
            Input::Keys(_, script) | Input::Script(_, script) => script.settings,
            Input::Stdin(_) | Input::None => Settings::default(),
        }
    }
}

/// The expected results of a run. An absent item is not checked.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Expectations {
    /// The exit code.
    pub exit: Option<u8>,
    /// Whether the program must end on its own, with any exit code.
    pub ends: bool,
    /// Texts on the final text screen, in this order.
    pub screen: Vec<String>,
    /// The complete console output.
    pub output: Option<Vec<u8>>,
    /// Parts of the console output, in any position.
    pub output_has: Vec<String>,
    /// Texts that must be neither on the screen nor in the output.
    pub not: Vec<String>,
    /// The final screen as a picture or a text.
    pub golden: Option<NamedFile>,
    /// Files on drive C: after the run.
    pub files: Vec<(String, Vec<u8>)>,
    /// A model program with the same behaviour.
    pub same_as: Option<NamedFile>,
    /// With [`Expectations::same_as`]: a user's possible inputs, as in `oxbox same --choices`.
    pub choices: Option<String>,
    /// Bytes in memory after the run.
    pub memory: Vec<ExpectedBytes>,
    /// A condition on registers, flags and memory after the run.
    pub condition: Option<Expression>,
}

/// A mistake in a suite and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValidationError {
    /// The file of the suite.
    pub file: String,
    /// The line, if the mistake is in a line.
    pub line: Option<usize>,
    /// The message.
    pub message: String,
}

impl std::fmt::Display for ValidationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// The reason for a missing report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SuiteError {
    /// The suite has mistakes, one per line.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Broken(Vec<ValidationError>),
    /// The options contradict each other.
    #[error("{0}")]
    Usage(String),
    /// An error of the host.
    #[error("{0}")]
    Host(String),
}
