//! Runs one test of one program: the run, the checks, and the report.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::Options;
use super::prepare::{Prepared, PreparedTest};
use crate::bytes;
use crate::check::{self, Golden};
use crate::difference;
use crate::drive::{TestDrive, shown};
use crate::format::about;
use crate::model::{Input, Partial, SuiteError};
use crate::play::{self, Run};
use crate::program::{BuildError, Program};
use crate::results::{Check, Failure, Pictures, TestReport};
use crate::same::{Model, WalkRequest, walk_beside};
use oxbox_inspect::Lcov;
use oxbox_media::picture::Picture;
use oxbox_media::pixels::Pixels;

/// The most characters of output that the report keeps.
const MOST_KEPT: usize = 16 << 10;

pub(super) struct Job<'a> {
    pub(super) one: &'a Prepared<'a>,
    pub(super) test: &'a PreparedTest<'a>,
    pub(super) path: &'a Path,
    pub(super) options: &'a Options,
    /// The coverage of all tests. The sum does not depend on their order.
    pub(super) coverage: &'a Mutex<Lcov>,
}

impl Job<'_> {
    /// Creates a report without a run.
    pub(super) fn blank(&self) -> TestReport {
        let test = self.test.test;
        TestReport {
            name: test.name.clone(),
            line: test.line,
            of: test.points,
            hidden: test.hidden,
            share: 1.0,
            failures: Vec::new(),
            end: None,
            at: None,
            screen: None,
            output: String::new(),
            ms: 0,
            instructions: 0,
            command: self.command(!test.files.is_empty()),
            pictures: Pictures::default(),
        }
    }

    /// Creates the report of a program that cannot be built.
    pub(super) fn unbuilt(&self, errors: &[BuildError]) -> TestReport {
        let first = errors.first().map(ToString::to_string).unwrap_or_default();
        let more = match errors.len() {
            0 | 1 => String::new(),
            count => format!(" (and {} more)", count - 1),
        };
        let failures =
            vec![Failure::new(Check::Build, format!("the program could not be built: {first}{more}"))];
        TestReport { failures, share: 0.0, ..self.blank() }
    }

    pub(super) fn run(&self, program: &Program) -> Result<TestReport, SuiteError> {
        match &self.test.test.generated {
            Some(generated) => self.run_cases(program, generated),
            None => self.run_once(program),
        }
    }

    pub(super) fn run_once(&self, program: &Program) -> Result<TestReport, SuiteError> {
        let test = self.test.test;
        let host = |error: std::io::Error| SuiteError::Host(format!("no drive for {:?}: {error}", test.name));
        let drive = self.drive(program).map_err(host)?;
        let mut run =
            play::play(program, test, &drive, &self.options.machine, self.options.coverage).map_err(host)?;
        if let Some(coverage) = &run.coverage {
            self.coverage.lock().unwrap_or_else(PoisonError::into_inner).merge(coverage);
        }
        let mut failures = check::check(test, program, &mut run, &drive);
        self.compare(program, &run, &mut failures)?;
        if let Some(golden) =
            test.expect.golden.as_ref().filter(|_| self.options.bless && failures.is_empty())
        {
            let written = Golden::bless(&golden.path, &run);
            written
                .map_err(|why| SuiteError::Host(format!("cannot write {}: {why}", golden.path.display())))?;
        }
        let share = self.share(&run, &failures);
        let (files, bytes) = self.one.template.growth(&drive);
        if let Some(failure) = failures.first_mut().filter(|_| files > 100 || bytes > 1 << 20) {
            failure.message += &format!("; it wrote {files} files with {bytes} bytes on drive C:");
        }
        let writes = (files, bytes) != (0, 0) || !test.expect.files.is_empty();
        let command = match &test.expect.same_as {
            Some(model) if failures.iter().any(|failure| failure.what == Check::SameAs) => {
                self.comparison(&model.path, writes)
            }
            _ => self.command(writes),
        };
        let mut report = TestReport {
            screen: run.screen(),
            output: bytes::shortened(&bytes::to_text(&run.output), MOST_KEPT),
            ms: run.milliseconds(),
            instructions: run.instructions(),
            pictures: if self.options.pictures { self.pictures(&run) } else { Pictures::default() },
            share,
            failures,
            end: Some(run.end.clone()),
            at: run.at.clone(),
            command,
            ..self.blank()
        };
        // The machine continues, so all checks were done before.
        if let Some(more) = run.go_on() {
            let ends = report.failures.iter_mut().filter(|failure| failure.what == Check::End);
            ends.for_each(|failure| failure.message += &format!("; {more}"));
        }
        Ok(report)
    }

    /// Returns the fraction of the points that a run earns. Correct lines count if only the output,
    /// or the end, is wrong.
    fn share(&self, run: &Run, failures: &[Failure]) -> f64 {
        let test = self.test.test;
        let is_of_output =
            |failure: &Failure| matches!(failure.what, Check::Output | Check::SameAs | Check::End);
        if failures.is_empty() {
            return 1.0;
        }
        if test.partial != Partial::Lines || !failures.iter().all(is_of_output) {
            return 0.0;
        }
        let model = self.test.model_run.get().and_then(|model| model.as_ref().ok());
        let expected = test.expect.output.as_ref().or(model.map(|model| &model.output));
        expected.map_or(0.0, |expected| difference::share_of_lines(expected, &run.output))
    }

    /// Creates a drive for one run, including the program's own file.
    pub(super) fn drive(&self, program: &Program) -> std::io::Result<TestDrive> {
        let drive = self.one.template.copy(&self.test.test.files)?;
        if program.symbols.is_none() {
            drive.write(&program.name, &program.bytes)?;
        }
        Ok(drive)
    }

    /// Compares with the golden screen and the model.
    fn compare(&self, program: &Program, run: &Run, failures: &mut Vec<Failure>) -> Result<(), SuiteError> {
        let expect = &self.test.test.expect;
        if let (Some(golden), Some(wanted)) = (&self.test.golden, &expect.golden) {
            failures.extend(golden.compare(run, &shown(&wanted.path).display().to_string()));
        }
        let (Some(model), Some(wanted)) = (&self.test.model, &expect.same_as) else { return Ok(()) };
        let name = shown(&wanted.path).display().to_string();
        let wrong = |why: String| SuiteError::Broken(vec![about(self.one.suite, wanted, why)]);
        let Some(choices) = &expect.choices else {
            let model = self.model_run(model).map_err(wrong)?;
            failures.extend(model.compare(run, &name));
            return Ok(());
        };
        let drive = self.drive(program).map_err(|error| SuiteError::Host(error.to_string()))?;
        let request = WalkRequest {
            program: (&program.name, &program.bytes),
            model: (&model.name, &model.bytes),
            folder: drive.path(),
            settings: self.test.test.settings,
            args: &self.test.test.args,
            first: match &self.test.test.input {
                Input::Keys(_, script) | Input::Script(_, script) => Some(script),
                Input::Stdin(_) | Input::None => None,
            },
            choices,
            limit_ms: self.test.test.limit_ms,
        };
        failures.extend(walk_beside(&request, &name).map_err(wrong)?);
        Ok(())
    }

    /// Returns the model's run, which the first caller starts.
    pub(super) fn model_run(&self, model: &Program) -> Result<&Model, String> {
        let run = self.test.model_run.get_or_init(|| {
            let drive = self.drive(model).map_err(|error| error.to_string())?;
            let run = play::play(model, self.test.test, &drive, &self.options.machine, false)
                .map_err(|error| error.to_string())?;
            Ok(Model::new(run))
        });
        run.as_ref().map_err(Clone::clone)
    }

    fn pictures(&self, run: &Run) -> Pictures {
        let mut pictures = Pictures::default();
        let model = self.test.model_run.get().and_then(|run| run.as_ref().ok());
        let expected = match (&self.test.golden, model) {
            (Some(Golden::Picture(golden)), _) => Some(golden),
            (Some(Golden::Text(lines)), _) => {
                pictures.expected_text = Some(lines.clone());
                None
            }
            (None, Some(model)) => {
                pictures.expected_text.clone_from(&model.screen);
                model.picture.as_ref()
            }
            (None, None) => None,
        };
        if expected.is_none() && run.screen().is_some() {
            return pictures;
        }
        let found = Picture::from(run.machine.frame());
        pictures.found = found.encode().ok();
        if let Some(expected) = expected {
            pictures.expected = expected.encode().ok();
            if Pixels::from(&found) != expected.into() {
                let pixels = Pixels::from(&found).marked(expected.into());
                pictures.difference = Picture { pixels, ..expected.clone() }.encode().ok();
            }
        }
        pictures
    }
}
