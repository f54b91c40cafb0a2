//! A program held against a model that must do the same: over the test's own keys, or over everything a user can type.

use std::path::Path;

use super::difference;
use super::picture::Picture;
use super::play::{End, Run};
use super::results::Failure;
use crate::machine::Script;

/// What a walk over both programs is asked.
#[derive(Debug)]
pub struct WalkRequest<'a> {
    /// Name on drive C: and contents of the program under test.
    pub program: (&'a str, &'a [u8]),
    /// The same of the model.
    pub model: (&'a str, &'a [u8]),
    /// The folder that is drive C: of each; a walk keeps it as it is.
    pub folder: &'a Path,
    /// The command tail.
    pub args: &'a str,
    /// What is typed first.
    pub first: Option<&'a Script>,
    /// What may be typed at each wait, as `oxbox same --choices` takes it.
    pub choices: &'a str,
    /// Virtual time between two waits, in milliseconds.
    pub limit_ms: u64,
}

/// Walks two programs side by side. The failures say where they differ; the error, what is wrong with the request.
pub type Walk = fn(&WalkRequest<'_>) -> Result<Vec<Failure>, String>;

/// What of a model's run is held against others.
#[derive(Debug)]
pub(super) struct Model {
    end: End,
    pub(super) screen: Option<Vec<String>>,
    pub(super) picture: Option<Picture>,
    output: Vec<u8>,
}

impl Model {
    pub(super) fn new(run: Run) -> Model {
        let screen = run.screen();
        let picture = if screen.is_none() { Some(Picture::from(run.machine.frame())) } else { None };
        Model { end: run.end, screen, picture, output: run.output }
    }

    /// How a run differs from the model's.
    pub(super) fn compare(&self, run: &Run, name: &str) -> Vec<Failure> {
        let mut failures = Vec::new();
        let mut fail = |message: String, difference| {
            failures.push(Failure { what: "same_as".to_owned(), message, difference });
        };
        if (self.end.word(), self.end.exit_code()) != (run.end.word(), run.end.exit_code()) {
            fail(format!("{name} {}, this program {}", self.end, run.end), Vec::new());
        }
        match (&self.screen, run.screen(), &self.picture) {
            (Some(expected), Some(found), _) if *expected != found => {
                fail(format!("the screen is not that of {name}"), difference::of_lines(expected, &found));
            }
            (Some(_), None, _) => fail(format!("{name} shows text, this program graphics"), Vec::new()),
            (None, Some(_), _) => fail(format!("{name} shows graphics, this program text"), Vec::new()),
            (None, None, Some(expected)) => {
                if let Some(text) = Picture::from(run.machine.frame()).difference(expected) {
                    fail(format!("not the picture of {name}: {text}"), Vec::new());
                }
            }
            _ => {}
        }
        if self.output != run.output {
            let shown = difference::of_bytes(&self.output, &run.output);
            fail(format!("the output is not that of {name}"), shown);
        }
        failures
    }
}
