//! Runs suites: every program through every test, over all cores, with results in the order of the suites.
//!
//! A worker takes the next piece of work when it has done its last one, so that programs that hang hold nobody up but one of
//! them. Programs are assembled once; models run once for each test.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use super::bytes;
use super::check::{self, Golden};
use super::drive::{Template, TestDrive, printf, quoted, shell_copy};
use super::format::{about, shown};
use super::model::{Input, Mistake, Suite, SuiteError, Test};
use super::play::{self, Run};
use super::program::{BuildError, Program};
use super::results::{Failure, Pictures, Report, SubmissionReport, SuiteReport, TestReport};
use super::same::{Model, WalkRequest, walk_beside};
use crate::inspect::Lcov;
use crate::picture::Picture;
use crate::toolchain::parts;
use crate::walk::{Choices, crew};

/// Characters of a run's output that the report keeps.
const MOST_KEPT: usize = 16 << 10;

/// How suites are run.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Threads; 0 for one a core.
    pub jobs: usize,
    /// Only tests whose name holds this.
    pub filter: Option<String>,
    /// Golden files are written instead of compared.
    pub bless: bool,
    /// The folder whose copies are drive C:, instead of the suites' own.
    pub dir: Option<PathBuf>,
    /// Folders with include files and libraries, besides each suite's own and the built-in one.
    pub includes: Vec<PathBuf>,
    /// Another assembler than the built-in one.
    pub assembler: Option<PathBuf>,
    /// Count the source lines that are executed.
    pub coverage: bool,
    /// Keep pictures of the screens, for a page.
    pub pictures: bool,
}

/// A suite with everything that its tests share.
struct Prepared<'a> {
    suite: &'a Suite,
    template: Template,
    includes: Vec<PathBuf>,
    programs: Vec<PathBuf>,
    tests: Vec<PreparedTest<'a>>,
    /// What was read to build the tests' models.
    files: Vec<PathBuf>,
}

struct PreparedTest<'a> {
    test: &'a Test,
    golden: Option<Golden>,
    model: Option<Program>,
    model_run: OnceLock<Result<Model, String>>,
}

/// Runs every program (each suite's own, when none is given) through every test.
///
/// # Errors
/// When a suite is broken, the options do not go together, or the host fails.
pub fn run(suites: &[Suite], programs: &[PathBuf], options: &Options) -> Result<Report, SuiteError> {
    if options.bless && programs.len() > 1 {
        let text = "golden files are written from one program: name just one with --program";
        return Err(SuiteError::Usage(text.to_owned()));
    }
    let prepared = prepare(suites, programs, options)?;
    if let Some(filter) = options.filter.as_ref().filter(|_| prepared.iter().all(|one| one.tests.is_empty()))
    {
        return Err(SuiteError::Usage(format!("no test's name holds {filter:?}")));
    }
    let jobs = match options.jobs {
        0 => thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs,
    };
    let submissions: Vec<(&Prepared<'_>, &Path)> =
        prepared.iter().flat_map(|one| one.programs.iter().map(move |path| (one, path.as_path()))).collect();
    let built = parallel(submissions.len(), jobs, |n| {
        let (one, path) = submissions[n];
        let mut files = Vec::new();
        let program = Program::open(path, &one.includes, options.assembler.as_deref(), &mut files);
        (program, files)
    });
    let (built, files): (Vec<_>, Vec<_>) = built.into_iter().unzip();
    let built = built.into_iter().collect::<Result<Vec<_>, SuiteError>>()?;
    let files = files.into_iter().flatten().chain(prepared.iter().flat_map(|one| one.files.clone()));
    let work: Vec<(usize, usize)> = (0..submissions.len())
        .flat_map(|n| (0..submissions[n].0.tests.len()).map(move |test| (n, test)))
        .collect();
    let coverage = Mutex::new(Lcov::default());
    let done = parallel(work.len(), jobs, |n| {
        let (submission, test) = work[n];
        let (one, path) = submissions[submission];
        let job = Job { one, test: &one.tests[test], path, options, coverage: &coverage };
        match &built[submission] {
            Ok(program) => job.run(program),
            Err(errors) => Ok(job.unbuilt(errors)),
        }
    });
    let mut done = done.into_iter();
    let mut built = built.into_iter();
    let coverage = coverage.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut report = Report { suites: Vec::new(), files: files.collect(), coverage };
    for one in &prepared {
        let mut submissions = Vec::new();
        for path in &one.programs {
            let tests = done.by_ref().take(one.tests.len()).collect::<Result<Vec<_>, SuiteError>>()?;
            let errors = built.next().and_then(Result::err).unwrap_or_default();
            submissions.push(SubmissionReport { program: shown(path).display().to_string(), errors, tests });
        }
        report.suites.push(SuiteReport { suite: one.suite.path.display().to_string(), submissions });
    }
    Ok(report)
}

/// Does work in parallel: whoever is free takes the next piece. The results are in the order of the pieces.
fn parallel<T: Send>(count: usize, jobs: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    crew::share(&mut vec![(); jobs.min(count)], count, |(), piece| work(piece))
}

fn prepare<'a>(
    suites: &'a [Suite],
    programs: &[PathBuf],
    options: &Options,
) -> Result<Vec<Prepared<'a>>, SuiteError> {
    let mut mistakes = Vec::new();
    let mut prepared = Vec::new();
    for suite in suites {
        let own = suite.program.iter().map(|program| program.path.clone()).collect();
        let programs: Vec<PathBuf> = if programs.is_empty() { own } else { programs.to_vec() };
        if programs.is_empty() {
            let message = "it names no program, and none is given with --program".to_owned();
            mistakes.push(Mistake { file: suite.path.display().to_string(), line: None, message });
        }
        let left_out: Vec<PathBuf> =
            suites.iter().flat_map(Suite::files).chain(programs.iter().flat_map(|p| parts(p))).collect();
        let folder =
            options.dir.as_ref().or(suite.dir.as_ref().map(|dir| &dir.path)).unwrap_or(&suite.folder);
        let template = match (Template::read(folder, &left_out), &options.dir, &suite.dir) {
            (Ok(template), ..) => Some(template),
            (Err(error), Some(dir), _) => {
                return Err(SuiteError::Usage(format!("--dir {}: {error}", dir.display())));
            }
            (Err(error), None, Some(dir)) => {
                mistakes.push(about(suite, dir, format!("dir {}: {error}", folder.display())));
                None
            }
            (Err(error), None, None) => {
                let message = format!("its folder {}: {error}", folder.display());
                mistakes.push(Mistake { file: suite.path.display().to_string(), line: None, message });
                None
            }
        };
        let mut includes = options.includes.clone();
        includes.push(suite.folder.clone());
        let wanted =
            |test: &&Test| options.filter.as_ref().is_none_or(|part| test.name.contains(part.as_str()));
        let (mut tests, mut files) = (Vec::new(), Vec::new());
        for test in suite.tests.iter().filter(wanted) {
            tests.push(prepare_test(suite, test, &includes, options, &mut files, &mut mistakes)?);
        }
        let one = |template| Prepared { suite, template, includes, programs, tests, files };
        prepared.extend(template.map(one));
    }
    if mistakes.is_empty() { Ok(prepared) } else { Err(SuiteError::Broken(mistakes)) }
}

fn prepare_test<'a>(
    suite: &Suite,
    test: &'a Test,
    includes: &[PathBuf],
    options: &Options,
    files: &mut Vec<PathBuf>,
    mistakes: &mut Vec<Mistake>,
) -> Result<PreparedTest<'a>, SuiteError> {
    let mut prepared = PreparedTest { test, golden: None, model: None, model_run: OnceLock::new() };
    if let Some(wanted) = test.expect.golden.as_ref().filter(|_| !options.bless) {
        match Golden::read(&wanted.path) {
            Ok(golden) => prepared.golden = Some(golden),
            Err(error) => {
                let advice = if wanted.path.exists() { "" } else { "; --bless writes it" };
                mistakes.push(about(
                    suite,
                    wanted,
                    format!("golden {}: {error}{advice}", wanted.path.display()),
                ));
            }
        }
    }
    if let Some(wanted) = &test.expect.same_as {
        match Program::open(&wanted.path, includes, options.assembler.as_deref(), files)? {
            Ok(program) => prepared.model = Some(program),
            Err(errors) => {
                mistakes
                    .extend(errors.first().map(|error| about(suite, wanted, format!("same_as: {error}"))));
            }
        }
        let choices = test.expect.choices.as_deref().map(Choices::from_words);
        if let Some(Err(error)) = choices {
            mistakes.push(about(suite, wanted, format!("choices: {error}")));
        }
    }
    Ok(prepared)
}

/// One program and one test.
struct Job<'a> {
    one: &'a Prepared<'a>,
    test: &'a PreparedTest<'a>,
    path: &'a Path,
    options: &'a Options,
    /// Of all tests together; the sum does not depend on their order.
    coverage: &'a Mutex<Lcov>,
}

impl Job<'_> {
    /// A report without a run.
    fn blank(&self) -> TestReport {
        let test = self.test.test;
        TestReport {
            name: test.name.clone(),
            line: test.line,
            of: test.points,
            hidden: test.hidden,
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

    fn unbuilt(&self, errors: &[BuildError]) -> TestReport {
        let first = errors.first().map(ToString::to_string).unwrap_or_default();
        let more = match errors.len() {
            0 | 1 => String::new(),
            count => format!(" (and {} more)", count - 1),
        };
        let failures = vec![Failure::new("build", format!("there is no program to run: {first}{more}"))];
        TestReport { failures, ..self.blank() }
    }

    fn run(&self, program: &Program) -> Result<TestReport, SuiteError> {
        let test = self.test.test;
        let host = |error: std::io::Error| SuiteError::Host(format!("no drive for {:?}: {error}", test.name));
        let drive = self.drive(program).map_err(host)?;
        let mut run = play::play(program, test, &drive, self.options.coverage).map_err(host)?;
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
        let (files, bytes) = self.one.template.growth(&drive);
        if let Some(failure) = failures.first_mut().filter(|_| files > 100 || bytes > 1 << 20) {
            failure.message += &format!("; it wrote {files} files with {bytes} bytes on drive C:");
        }
        let writes = (files, bytes) != (0, 0) || !test.expect.files.is_empty();
        Ok(TestReport {
            screen: run.screen(),
            output: bytes::shortened(&bytes::to_text(&run.output), MOST_KEPT),
            ms: run.milliseconds(),
            instructions: run.instructions(),
            pictures: if self.options.pictures { self.pictures(&run) } else { Pictures::default() },
            failures,
            end: Some(run.end),
            at: run.at,
            command: self.command(writes),
            ..self.blank()
        })
    }

    /// A drive for one run, with the program's own file, which it may read.
    fn drive(&self, program: &Program) -> std::io::Result<TestDrive> {
        let drive = self.one.template.copy(&self.test.test.files)?;
        if program.symbols.is_none() {
            drive.write(&program.name, &program.bytes)?;
        }
        Ok(drive)
    }

    /// Golden screen and model.
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

    /// The model's run, by the first who asks.
    fn model_run(&self, model: &Program) -> Result<&Model, String> {
        let run = self.test.model_run.get_or_init(|| {
            let drive = self.drive(model).map_err(|error| error.to_string())?;
            let run = play::play(model, self.test.test, &drive, false).map_err(|error| error.to_string())?;
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
            if found.difference(expected).is_some() {
                pictures.difference = found.marked(expected).encode().ok();
            }
        }
        pictures
    }

    /// The shell command that repeats the run: on a copy of the folder, where files are needed or written.
    fn command(&self, copied: bool) -> String {
        let test = self.test.test;
        let mut words = Vec::new();
        let folder = shown(&self.one.template.folder);
        let word = |path: &Path| quoted(&shown(path).to_string_lossy());
        let program = self.path.to_string_lossy();
        words.push(format!("oxbox run {}", quoted(&program)));
        match &test.input {
            Input::Keys(keys, _) => words.push(format!("--keys {}", quoted(keys))),
            Input::Script(path, _) => words.push(format!("--script {}", word(path))),
            Input::Stdin(_) => {}
            Input::None => words.push("--headless".to_owned()),
        }
        let dir = if copied { "$d".to_owned() } else { word(&folder) };
        words.push(format!("--dir {dir} --time-limit {}", test.limit_ms));
        if program.to_ascii_lowercase().ends_with(".asm") {
            words.extend(self.one.includes.iter().map(|folder| format!("--include {}", word(folder))));
            let assembler = self.options.assembler.iter();
            words.extend(assembler.map(|path| format!("--assembler {}", word(path))));
        }
        if !test.args.is_empty() {
            words.push(format!("-- {}", quoted(&test.args)));
        }
        let run = match &test.input {
            Input::Stdin(bytes) => format!("printf {} | {}", printf(bytes), words.join(" ")),
            _ => words.join(" "),
        };
        if copied { format!("{} && {run}", shell_copy(&folder, &test.files)) } else { run }
    }
}
