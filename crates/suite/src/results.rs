//! The results of a suite as plain data, from which the reports are created.

use std::fmt;
use std::path::PathBuf;

use oxbox_inspect::Lcov;
use oxbox_machine::machine::End;
use serde::Serialize;

use super::likeness::Likeness;
use super::model::Visibility;
use super::play::At;
use super::program::BuildError;

/// The results of all suites.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// The suites in their given order.
    pub suites: Vec<SuiteReport>,
    /// The files that were read to build programs and models, includes among them.
    pub files: Vec<PathBuf>,
    /// The source lines that all tests have executed, if coverage was requested.
    pub coverage: Lcov,
}

/// The results of one suite.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SuiteReport {
    /// The file of the suite.
    pub suite: String,
    /// The submissions in their given order.
    pub submissions: Vec<SubmissionReport>,
    /// Their similarity, if it was requested.
    pub likeness: Option<Likeness>,
}

/// The results of one program.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SubmissionReport {
    /// The file of the program.
    pub program: String,
    /// The reasons why it cannot be run; it then fails every test.
    pub errors: Vec<BuildError>,
    /// The tests in the order of the suite.
    pub tests: Vec<TestReport>,
}

/// The result of one test.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TestReport {
    /// The test's name.
    pub name: String,
    /// The first line of the test in the suite.
    pub line: usize,
    /// The maximum points.
    pub of: f64,
    /// When students see it.
    pub hidden: Visibility,
    /// The fraction of the points that it earns, 0 to 1.
    pub share: f64,
    /// The failed checks; empty if the test was passed.
    pub failures: Vec<Failure>,
    /// The way the program ended; `None` if it could not be built.
    pub end: Option<End>,
    /// The position of the program at its end.
    pub at: Option<At>,
    /// The text screen without blank lines at the end; `None` in a graphics mode.
    pub screen: Option<Vec<String>>,
    /// The console output.
    pub output: String,
    /// The elapsed virtual time.
    pub ms: u64,
    /// The executed instructions.
    pub instructions: u64,
    /// The shell command that repeats the run.
    pub command: String,
    /// Pictures for a page, if they were requested.
    pub pictures: Pictures,
}

/// Screens for a page, as PNG files.
#[derive(Debug, Clone, Default)]
pub struct Pictures {
    /// The expected screen.
    pub expected: Option<Vec<u8>>,
    /// The actual screen.
    pub found: Option<Vec<u8>>,
    /// The difference.
    pub difference: Option<Vec<u8>>,
    /// The expected text screen.
    pub expected_text: Option<Vec<String>>,
}

/// The kind of check, by its key in a suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Check {
    /// Whether the program can be built.
    Build,
    /// Whether the program ends on its own.
    End,
    /// The exit code.
    Exit,
    /// Whether the program ends rather than waits.
    Ends,
    /// Lines of the screen.
    Screen,
    /// The complete output.
    Output,
    /// A part of the output.
    OutputHas,
    /// A text that must be absent.
    Not,
    /// The screen or picture in a file.
    Golden,
    /// Files that the program writes.
    ExpectFiles,
    /// The behaviour of a model program.
    SameAs,
    /// Bytes in memory.
    Memory,
    /// A condition.
    Where,
    /// The input of the failing case of a test with generated input.
    Input,
}

impl Check {
    /// Returns the key in a suite, or `build` or `end`.
    pub fn name(self) -> &'static str {
        match self {
            Check::Build => "build",
            Check::End => "end",
            Check::Exit => "exit",
            Check::Ends => "ends",
            Check::Screen => "screen",
            Check::Output => "output",
            Check::OutputHas => "output_has",
            Check::Not => "not",
            Check::Golden => "golden",
            Check::ExpectFiles => "expect_files",
            Check::SameAs => "same_as",
            Check::Memory => "memory",
            Check::Where => "where",
            Check::Input => "input",
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A failed check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Failure {
    /// The kind of check.
    pub what: Check,
    /// The expected and actual result in one line.
    pub message: String,
    /// The difference: lines with `-` were expected, with `+` found, with a blank both.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub difference: Vec<String>,
}

impl Failure {
    /// Creates a failure without a difference.
    pub fn new(what: Check, message: impl Into<String>) -> Failure {
        Failure { what, message: message.into(), difference: Vec::new() }
    }
}

impl TestReport {
    /// Returns whether no check failed.
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }

    /// Returns the earned points.
    pub fn points(&self) -> f64 {
        self.of * self.share
    }
}

impl SubmissionReport {
    /// Returns whether all tests passed.
    pub fn passed(&self) -> bool {
        self.tests.iter().all(TestReport::passed)
    }

    /// Returns the points of all tests.
    pub fn points(&self) -> f64 {
        // From +0, because the sum of no floats is -0.
        self.tests.iter().fold(0.0, |sum, test| sum + test.points())
    }

    /// Returns the maximum points.
    pub fn of(&self) -> f64 {
        self.tests.iter().fold(0.0, |sum, test| sum + test.of)
    }
}

impl Report {
    /// Returns whether every program has passed every test.
    pub fn passed(&self) -> bool {
        self.submissions().all(|(_, submission)| submission.passed())
    }

    /// Returns every program of every suite, with the suite's file.
    pub fn submissions(&self) -> impl Iterator<Item = (&str, &SubmissionReport)> {
        self.suites
            .iter()
            .flat_map(|suite| suite.submissions.iter().map(|submission| (suite.suite.as_str(), submission)))
    }

    /// Returns the number of passed tests, and of all tests.
    pub fn counts(&self) -> (usize, usize) {
        let tests = || self.submissions().flat_map(|(_, submission)| &submission.tests);
        (tests().filter(|test| test.passed()).count(), tests().count())
    }
}
