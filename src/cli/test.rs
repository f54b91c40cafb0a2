//! `oxbox test`: test suites over one program or a class, and what is written about them.

use std::io::Write;
use std::path::{Path, PathBuf};

use oxbox::suite::{self, Options, Report, Suite, SuiteError, report};
use oxbox::{toolchain, whole_file};

use super::arguments::Test;
use super::failure::Failure;
use super::outputs;
use crate::frontend::watch::add_coverage;

/// Runs the suites and writes the reports. 0 when all tests passed, 1 when some did not.
pub(super) fn run(options: &Test) -> Result<u8, Failure> {
    let files = [&options.junit, &options.gradescope, &options.csv, &options.html, &options.coverage];
    // Where --program comes first, it takes the names of the suites, too.
    let is_suite = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "toml");
    let (behind, programs): (Vec<&PathBuf>, Vec<&PathBuf>) = options.program.iter().partition(is_suite);
    let paths: Vec<&Path> = options.suites.iter().chain(behind).map(PathBuf::as_path).collect();
    if paths.is_empty() {
        return Err(Failure::Usage("name a suite, a .toml file".to_owned()));
    }
    let programs: Vec<PathBuf> = programs.into_iter().cloned().collect();
    let suites = open(&paths)?;
    let own = suites.iter().filter_map(|suite| Some(&suite.program.as_ref()?.path));
    let mut inputs: Vec<PathBuf> =
        programs.iter().chain(own).flat_map(|path| toolchain::parts(path)).collect();
    inputs.extend(suites.iter().flat_map(Suite::files));
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let files = files.map(|path| path.as_deref());
    outputs::check(&files, &inputs)?;
    let wanted = Options {
        jobs: options.jobs.map_or(0, usize::from),
        filter: options.filter.clone(),
        bless: options.bless,
        dir: options.dir.clone(),
        includes: options.assembler.include.clone(),
        assembler: options.assembler.assembler.clone(),
        pictures: options.html.is_some(),
        coverage: options.coverage.is_some(),
    };
    let results = suite::run(&suites, &programs, &wanted).map_err(failure)?;
    // What sources include is known only now.
    let included: Vec<&Path> = results.files.iter().map(PathBuf::as_path).collect();
    outputs::check(&files, &included)?;
    write_reports(&results, options)?;
    if let Some(path) = &options.coverage {
        let added = add_coverage(path, results.coverage.clone());
        added.map_err(|error| Failure::host(format!("cannot write {}", path.display()), error))?;
    }
    Ok(u8::from(!results.passed()))
}

/// Reads the suites; the mistakes of all are told at once.
fn open(paths: &[&Path]) -> Result<Vec<Suite>, Failure> {
    let (mut suites, mut mistakes) = (Vec::new(), Vec::new());
    for path in paths {
        match Suite::open(path) {
            Ok(suite) => suites.push(suite),
            Err(SuiteError::Broken(more)) => mistakes.extend(more),
            Err(other) => return Err(failure(other)),
        }
    }
    if mistakes.is_empty() { Ok(suites) } else { Err(failure(SuiteError::Broken(mistakes))) }
}

fn failure(error: SuiteError) -> Failure {
    match error {
        SuiteError::Broken(_) => Failure::Suite(error.to_string()),
        SuiteError::Usage(text) => Failure::Usage(text),
        SuiteError::Host(text) => Failure::Host(text),
    }
}

fn write_reports(results: &Report, options: &Test) -> Result<(), Failure> {
    let host = |what: &str, why: String| Failure::host(format!("cannot write the {what}"), why);
    if let Some(path) = &options.gradescope {
        let json = report::gradescope(results).map_err(Failure::Usage)?;
        write(path, &format!("{json:#}\n"))?;
    }
    if let Some(path) = &options.junit {
        write(path, &report::junit(results).map_err(|why| host("JUnit XML", why))?)?;
    }
    if let Some(path) = &options.csv {
        write(path, &report::csv(results).map_err(|why| host("CSV", why))?)?;
    }
    if let Some(path) = &options.html {
        write(path, &report::html(results))?;
    }
    let text = if options.json { format!("{:#}\n", report::json(results)) } else { report::text(results) };
    // A report on stdout is not mixed with another.
    if files_on_stdout(options) == 0 {
        std::io::stdout().lock().write_all(text.as_bytes())?;
    }
    Ok(())
}

fn files_on_stdout(options: &Test) -> usize {
    let files = [&options.junit, &options.gradescope, &options.csv, &options.html];
    files.iter().filter(|path| path.as_deref() == Some(Path::new("-"))).count()
}

/// Writes a report; `-` is stdout.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Ok(std::io::stdout().lock().write_all(text.as_bytes())?);
    }
    whole_file::write(path, text.as_bytes())
        .map_err(|error| Failure::host(format!("cannot write {}", path.display()), error))
}
