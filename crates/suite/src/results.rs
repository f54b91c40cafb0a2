//! What came of a suite, as plain data: the reports are made of this and of nothing else.

use std::fmt;
use std::path::PathBuf;

use oxbox_inspect::Lcov;
use oxbox_machine::machine::End;
use serde::Serialize;

use super::likeness::Likeness;
use super::model::Visibility;
use super::play::At;
use super::program::BuildError;

/// What came of all suites.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// In the order in which they were given.
    pub suites: Vec<SuiteReport>,
    /// The files that were read to build programs and models, what sources include among them.
    pub files: Vec<PathBuf>,
    /// Which source lines all tests have executed, if that was asked for.
    pub coverage: Lcov,
}

/// What came of one suite.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SuiteReport {
    /// The suite's file.
    pub suite: String,
    /// In the order in which they were given.
    pub submissions: Vec<SubmissionReport>,
    /// How alike they are, if that was asked for.
    pub likeness: Option<Likeness>,
}

/// What came of one program.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SubmissionReport {
    /// The program's file.
    pub program: String,
    /// Why it cannot be run at all: then it fails every test.
    pub errors: Vec<BuildError>,
    /// In the order of the suite.
    pub tests: Vec<TestReport>,
}

/// What came of one test.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TestReport {
    /// The test's name.
    pub name: String,
    /// The suite's line that it begins in.
    pub line: usize,
    /// Points that it is worth.
    pub of: f64,
    /// When students see it.
    pub hidden: Visibility,
    /// The share of the points that it brings, from 0 to 1.
    pub share: f64,
    /// What was not as expected: nothing when it has passed.
    pub failures: Vec<Failure>,
    /// How the program ended; none when it could not be built.
    pub end: Option<End>,
    /// Where it stood then.
    pub at: Option<At>,
    /// The text screen, without the blank lines at its end; none in a graphics mode.
    pub screen: Option<Vec<String>>,
    /// Console output.
    pub output: String,
    /// Virtual time that has passed.
    pub ms: u64,
    /// Instructions that were executed.
    pub instructions: u64,
    /// The shell command that repeats the run.
    pub command: String,
    /// Pictures for a page, where they were asked for.
    pub pictures: Pictures,
}

/// Screens for a page, each as the bytes of a PNG file.
#[derive(Debug, Clone, Default)]
pub struct Pictures {
    /// What was to be seen.
    pub expected: Option<Vec<u8>>,
    /// What was seen.
    pub found: Option<Vec<u8>>,
    /// Where they differ.
    pub difference: Option<Vec<u8>>,
    /// A text screen that was to be seen.
    pub expected_text: Option<Vec<String>>,
}

/// What a test looks at, by the key that asks for it in a suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Check {
    /// Whether there is a program to run.
    Build,
    /// Whether the program comes to an end by itself.
    End,
    /// Its exit code.
    Exit,
    /// Whether it ends or waits.
    Ends,
    /// Lines of the screen.
    Screen,
    /// All of the output.
    Output,
    /// A part of the output.
    OutputHas,
    /// A text that must not be there.
    Not,
    /// The screen or picture in a file.
    Golden,
    /// Files that it writes.
    ExpectFiles,
    /// What a model program does.
    SameAs,
    /// Bytes in memory.
    Memory,
    /// A condition.
    Where,
    /// The input of a generated case, at which the others failed.
    Input,
}

impl Check {
    /// The key's name, or `build`, `end`.
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

/// Something that was not as expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Failure {
    /// The expectation.
    pub what: Check,
    /// What was expected and found, in a line.
    pub message: String,
    /// The difference: lines that begin with `-` were expected, with `+` found, with a blank both.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub difference: Vec<String>,
}

impl Failure {
    /// A failure that a line says all about.
    pub fn new(what: Check, message: impl Into<String>) -> Failure {
        Failure { what, message: message.into(), difference: Vec::new() }
    }
}

impl TestReport {
    /// Nothing failed.
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }

    /// The points that it brings.
    pub fn points(&self) -> f64 {
        self.of * self.share
    }
}

impl SubmissionReport {
    /// All tests passed.
    pub fn passed(&self) -> bool {
        self.tests.iter().all(TestReport::passed)
    }

    /// The points of all tests.
    pub fn points(&self) -> f64 {
        // From +0: the sum of no floats is -0.
        self.tests.iter().fold(0.0, |sum, test| sum + test.points())
    }

    /// The points that could be had.
    pub fn of(&self) -> f64 {
        self.tests.iter().fold(0.0, |sum, test| sum + test.of)
    }
}

impl Report {
    /// Every program has passed every test.
    pub fn passed(&self) -> bool {
        self.submissions().all(|(_, submission)| submission.passed())
    }

    /// Every program in every suite, with the suite's file.
    pub fn submissions(&self) -> impl Iterator<Item = (&str, &SubmissionReport)> {
        self.suites
            .iter()
            .flat_map(|suite| suite.submissions.iter().map(|submission| (suite.suite.as_str(), submission)))
    }

    /// Tests that passed, and tests in all.
    pub fn counts(&self) -> (usize, usize) {
        let tests = || self.submissions().flat_map(|(_, submission)| &submission.tests);
        (tests().filter(|test| test.passed()).count(), tests().count())
    }
}
