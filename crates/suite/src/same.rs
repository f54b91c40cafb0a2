//! A program held against a model that must do the same: over the test's own keys, or over everything a user can type.

use std::path::Path;

use super::difference;
use super::picture;
use super::play::Run;
use super::results::{Check, Failure};
use oxbox_machine::machine::{End, Script, Settings};
use oxbox_media::picture::Picture;
use oxbox_proof::walk::choices::{Act, acts_of};
use oxbox_proof::walk::{self, Bounds, Choices, SameOptions, Setup};

/// Pairs of waits that a walk looks at, at most: a test is to be over in a second.
const MOST_STATES: usize = 2_000;

/// Most memory that they may take, in bytes.
const MOST_BYTES: usize = 256 << 20;

/// What a walk over both programs is asked.
#[derive(Debug)]
pub(super) struct WalkRequest<'a> {
    /// Name on drive C: and contents of the program under test.
    pub(super) program: (&'a str, &'a [u8]),
    /// The same of the model.
    pub(super) model: (&'a str, &'a [u8]),
    /// The folder that is drive C: of each; a walk keeps it as it is.
    pub(super) folder: &'a Path,
    /// Settings of the machine.
    pub(super) settings: Settings,
    /// The command tail.
    pub(super) args: &'a str,
    /// What is typed first.
    pub(super) first: Option<&'a Script>,
    /// What may be typed at each wait, as `oxbox same --choices` takes it.
    pub(super) choices: &'a str,
    /// Virtual time between two waits, in milliseconds.
    pub(super) limit_ms: u64,
}

/// Walks the program and its model side by side. The failures say where they differ; the error, what is wrong with the
/// request.
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

/// What a script does that does nothing but what a user can.
fn opening(script: Option<&Script>) -> Result<Vec<Act>, String> {
    let acts = script.map_or(Ok(Vec::new()), acts_of);
    acts.map_err(|error| format!("same_as with choices begins with keys alone: {error}"))
}

/// What of a model's run is held against others.
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

    /// How a run differs from the model's.
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
                if let Some(text) = picture::difference(&Picture::from(run.machine.frame()), expected) {
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
