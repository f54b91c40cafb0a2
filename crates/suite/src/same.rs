//! Compares a program with a model, for the test's own keys or for all possible inputs of a user.

use std::path::Path;

use super::difference;
use super::play::Run;
use super::results::{Check, Failure};
use oxbox_machine::machine::{End, Script, Settings};
use oxbox_media::picture::Picture;
use oxbox_media::pixels::Pixels;
use oxbox_proof::walk::choices::{Act, acts_of};
use oxbox_proof::walk::{self, Bounds, Choices, SameOptions, Setup};

/// The most pairs of states of an exploration, because a test should take less than a second.
const MOST_STATES: usize = 2_000;

/// The most memory for the states, in bytes.
const MOST_BYTES: usize = 256 << 20;

/// The parameters of an exploration of both programs.
#[derive(Debug)]
pub(super) struct WalkRequest<'a> {
    /// The program under test: name on drive C:, and contents.
    pub(super) program: (&'a str, &'a [u8]),
    /// The model: name on drive C:, and contents.
    pub(super) model: (&'a str, &'a [u8]),
    /// The folder for each drive C:. The exploration does not change it.
    pub(super) folder: &'a Path,
    pub(super) settings: Settings,
    pub(super) args: &'a str,
    pub(super) first: Option<&'a Script>,
    /// The possible inputs at each wait, in the form of `oxbox same --choices`.
    pub(super) choices: &'a str,
    /// The limit of virtual time between two waits, in milliseconds.
    pub(super) limit_ms: u64,
}

/// Explores the program and its model together. Failures describe the difference; the error is a
/// mistake in the request.
pub(super) fn walk_beside(request: &WalkRequest<'_>, name: &str) -> Result<Vec<Failure>, String> {
    let choices = Choices::from_words(request.choices).map_err(|error| format!("choices: {error}"))?;
    let opening = opening(request.first)?;
    let setup = |(name, bytes): (&str, &[u8])| {
        let mut setup = Setup::new(bytes.to_vec(), name);
        request.settings.apply(&mut setup.config);
        setup.config.dos.folder = Some(request.folder.to_owned());
        setup.config.dos.read_only = true;
        setup.arguments = request.args.to_owned();
        setup.opening.clone_from(&opening);
        setup.time_limit_ms = request.limit_ms;
        setup
    };
    let bounds =
        Bounds { states: Some(MOST_STATES), memory: Some(MOST_BYTES), disk: Some(0), ..Bounds::default() };
    let options = SameOptions { bounds, ..SameOptions::default() };
    let comparison = walk::same(&setup(request.model), &setup(request.program), &choices, &options, &|_| {});
    let comparison = comparison.map_err(|error| error.to_string())?;
    let Some(found) = comparison.difference else { return Ok(Vec::new()) };
    let place =
        if found.keys.is_empty() { "at the first key".to_owned() } else { format!("after {}", found.keys) };
    let ends = [&found.a, &found.b].map(|side| side.ending().unwrap_or_else(|| "waits".to_owned()));
    let message = match &ends {
        [model, program] if model != program => format!("{place}: {name}: {model}, this program: {program}"),
        _ => format!("{place}: the screen is not that of {name}"),
    };
    let difference = difference::of_lines(&found.a.screen, &found.b.screen);
    Ok(vec![Failure { what: Check::SameAs, message, difference }])
}

/// Converts a script that only does what a user can do.
fn opening(script: Option<&Script>) -> Result<Vec<Act>, String> {
    let acts = script.map_or(Ok(Vec::new()), acts_of);
    acts.map_err(|error| format!("same_as with choices needs plain keys: {error}"))
}

/// The parts of a model's run that are compared.
#[derive(Debug)]
pub(super) struct Model {
    end: End,
    pub(super) screen: Option<Vec<String>>,
    pub(super) picture: Option<Picture>,
    pub(super) output: Vec<u8>,
}

impl Model {
    pub(super) fn new(run: Run) -> Model {
        let screen = run.screen();
        let picture = if screen.is_none() { Some(Picture::from(run.machine.frame())) } else { None };
        Model { end: run.end, screen, picture, output: run.output }
    }

    /// Returns the differences of a run from the model's.
    pub(super) fn compare(&self, run: &Run, name: &str) -> Vec<Failure> {
        let mut failures = Vec::new();
        let mut fail = |message: String, difference| {
            failures.push(Failure { what: Check::SameAs, message, difference });
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
                if let Some(text) = Pixels::from(&run.machine.frame()).difference(expected.into()) {
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
