//! Runs suites: every program through every test, on all cores, with results in the order of the
//! suites.
//!
//! Each worker takes the next piece of work when it is free, so that a program that hangs delays
//! only one worker. Programs are assembled once; a model runs once per test.

mod cases;
mod commands;
mod job;
mod likeness;
mod prepare;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

use self::job::Job;
use self::prepare::{Prepared, prepare};
use super::drive::shown;
use super::model::{Suite, SuiteError};
use super::program::{BuildError, Program};
use super::results::{Report, SubmissionReport, SuiteReport};
use oxbox_inspect::Lcov;
use oxbox_machine::machine::Config;
use oxbox_proof::walk::thread_pool;
use oxbox_toolchain::BuildRequest;

/// Options for running suites.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The number of threads; 0 for one per core.
    pub jobs: usize,
    /// If set, runs only tests whose name contains this.
    pub filter: Option<String>,
    /// Whether to write golden files instead of comparing them.
    pub bless: bool,
    /// The folder to copy to drive C:, instead of the suite's.
    pub dir: Option<PathBuf>,
    /// The build options. The inputs are each submission's; a suite's include files are added.
    pub build: BuildRequest,
    /// The machine at the start of a test, apart from drive C:.
    pub machine: Config,
    /// Whether to count executed source lines.
    pub coverage: bool,
    /// Whether to keep pictures of the screens, for a page.
    pub pictures: bool,
    /// Whether to compare the submissions, which runs each again.
    pub likeness: bool,
}

/// Parsed suites and assembled programs before the runs.
#[derive(Debug)]
pub struct Built<'a> {
    prepared: Vec<Prepared<'a>>,
    options: &'a Options,
    /// The programs by suite and submission.
    programs: Vec<Result<Program, Vec<BuildError>>>,
    /// The files read for them.
    files: Vec<PathBuf>,
}

/// Runs every program (without any, each suite's own) through every test.
///
/// # Errors
/// Fails if a suite has mistakes, the options contradict each other, or the host fails.
pub fn run(suites: &[Suite], programs: &[PathBuf], options: &Options) -> Result<Report, SuiteError> {
    build(suites, programs, options)?.run()
}

/// Does the part of [`run`] that starts programs of the host. [`Built::run`] does the rest.
///
/// # Errors
/// Fails if a suite has mistakes, the options contradict each other, or the host fails.
pub fn build<'a>(
    suites: &'a [Suite],
    programs: &[PathBuf],
    options: &'a Options,
) -> Result<Built<'a>, SuiteError> {
    if options.bless && programs.len() > 1 {
        let text = "golden files are written from one program: name only one with --program";
        return Err(SuiteError::Usage(text.to_owned()));
    }
    let prepared = prepare(suites, programs, options)?;
    if let Some(filter) = options.filter.as_ref().filter(|_| prepared.iter().all(|one| one.tests.is_empty()))
    {
        return Err(SuiteError::Usage(format!("no test's name contains {filter:?}")));
    }
    let submissions = submissions(&prepared);
    let built = parallel(submissions.len(), options, |n| {
        let (one, path) = submissions[n];
        let mut files = Vec::new();
        let program = Program::submitted(path, &one.build, &one.include_files, &mut files);
        (program, files)
    });
    let (built, files): (Vec<_>, Vec<_>) = built.into_iter().unzip();
    let programs = built.into_iter().collect::<Result<Vec<_>, SuiteError>>()?;
    let models = prepared.iter().flat_map(|one| one.files.clone());
    let files = files.into_iter().flatten().chain(models).collect();
    Ok(Built { prepared, options, programs, files })
}

impl Built<'_> {
    /// Runs every test of every program.
    ///
    /// # Errors
    /// Fails if a model cannot be run, or the host fails.
    pub fn run(self) -> Result<Report, SuiteError> {
        let Built { prepared, options, programs, files } = self;
        let submissions = submissions(&prepared);
        let work: Vec<(usize, usize)> = (0..submissions.len())
            .flat_map(|n| (0..submissions[n].0.tests.len()).map(move |test| (n, test)))
            .collect();
        let coverage = Mutex::new(Lcov::default());
        let done = parallel(work.len(), options, |n| {
            let (submission, test) = work[n];
            let (one, path) = submissions[submission];
            let job = Job { one, test: &one.tests[test], path, options, coverage: &coverage };
            match &programs[submission] {
                Ok(program) => job.run(program),
                Err(errors) => Ok(job.unbuilt(errors)),
            }
        });
        let mut likeness = Vec::new();
        if options.likeness {
            likeness = likeness::compare(&prepared, &submissions, &programs, options)?;
        }
        let (mut done, mut likeness) = (done.into_iter(), likeness.into_iter());
        let mut programs = programs.into_iter();
        let coverage = coverage.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut report = Report { suites: Vec::new(), files, coverage };
        for one in &prepared {
            let mut submissions = Vec::new();
            for path in &one.programs {
                let tests = done.by_ref().take(one.tests.len()).collect::<Result<Vec<_>, SuiteError>>()?;
                let errors = programs.next().and_then(Result::err).unwrap_or_default();
                submissions.push(SubmissionReport {
                    program: shown(path).display().to_string(),
                    errors,
                    tests,
                });
            }
            let suite = one.suite.path.display().to_string();
            report.suites.push(SuiteReport { suite, submissions, likeness: likeness.next() });
        }
        Ok(report)
    }
}

/// Returns every submission with its suite, in order.
fn submissions<'a, 'b>(prepared: &'b [Prepared<'a>]) -> Vec<(&'b Prepared<'a>, &'b Path)> {
    prepared.iter().flat_map(|one| one.programs.iter().map(move |path| (one, path.as_path()))).collect()
}

/// Does work in parallel. A free worker takes the next piece; results are in order.
fn parallel<T: Send>(count: usize, options: &Options, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let jobs = match options.jobs {
        0 => thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs,
    };
    thread_pool::share(&mut vec![(); jobs.min(count)], count, |(), piece| work(piece))
}
