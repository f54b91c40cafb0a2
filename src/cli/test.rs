//! `oxbox test`: runs test suites over one program or a class, and writes reports.

use std::io::Write;
use std::path::{Path, PathBuf};

use oxbox::suite::report::{self, ReportError};
use oxbox::suite::{self, Options, Report, Suite, SuiteError};
use oxbox::toolchain::BuildRequest;
use oxbox::{atomic_file, built_in, toolchain};

use super::arguments::Test;
use super::failure::Failure;
use super::{needs, outputs};
use crate::frontend::visible;
use crate::frontend::watch::add_coverage;

/// Runs the suites and writes the reports. Returns 0 if all tests passed, 1 otherwise.
pub(super) fn run(options: &Test) -> Result<u8, Failure> {
    let mut files: Vec<Option<&Path>> = reports(options).map(Option::as_deref).to_vec();
    files.push(options.coverage.as_deref());
    // If --program comes first, it also takes the names of the suites.
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
    outputs::check(&files, &inputs)?;
    if options.similar.is_some() && programs.len() < 2 {
        return Err(Failure::Usage("--similar compares submissions: name several with --program".to_owned()));
    }
    let wanted = Options {
        jobs: options.jobs.map_or(0, usize::from),
        filter: options.filter.clone(),
        bless: options.bless,
        dir: options.dir.clone(),
        build: BuildRequest {
            includes: options.assembler.include.clone(),
            assembler: options.assembler.assembler.clone(),
            reading: options.assembler.reading(None),
            ..built_in::build_request()
        },
        machine: built_in::config(),
        pictures: options.html.is_some(),
        coverage: options.coverage.is_some(),
        likeness: options.similar.is_some(),
    };
    let confined = options.sandbox.confine(&needs::of_building(options, &suites, &programs))?;
    let built = suite::build(&suites, &programs, &wanted).map_err(failure)?;
    // From here no host program is started.
    options.sandbox.confine_further(&confined, &needs::of_tests(options, &suites, &programs));
    let results = built.run().map_err(failure)?;
    // The files that sources include are known only now.
    let included: Vec<&Path> = results.files.iter().map(PathBuf::as_path).collect();
    outputs::check(&files, &included)?;
    write_reports(&results, options)?;
    if let Some(path) = &options.coverage {
        let added = add_coverage(path, results.coverage.clone());
        added.map_err(|error| Failure::unwritten(path, error))?;
    }
    Ok(u8::from(!results.passed()))
}

/// Reads the suites; reports the mistakes of all of them together.
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
        other => Failure::Host(other.to_string()),
    }
}

fn write_reports(results: &Report, options: &Test) -> Result<(), Failure> {
    let host = |error: ReportError| Failure::Host(error.to_string());
    let usage = |error: ReportError| Failure::Usage(error.to_string());
    if let Some(path) = &options.gradescope {
        outputs::write(path, format!("{:#}\n", report::gradescope(results).map_err(usage)?))?;
    }
    if let Some(path) = &options.classroom {
        outputs::write(path, format!("{}\n", report::classroom(results).map_err(usage)?))?;
    }
    if let Some(path) = &options.vpl {
        outputs::write(path, report::vpl(results, grades()).map_err(usage)?)?;
    }
    if let Some(path) = &options.annotations {
        outputs::write(path, report::workflow_commands(results))?;
    }
    if let Some(path) = &options.sarif {
        outputs::write(path, format!("{:#}\n", report::sarif(results)))?;
    }
    if let Some(path) = &options.junit {
        outputs::write(path, report::junit(results).map_err(host)?)?;
    }
    if let Some(path) = &options.csv {
        outputs::write(path, report::csv(results).map_err(host)?)?;
    }
    if let Some(path) = &options.html {
        outputs::write(path, report::html(results))?;
    }
    if let Some(path) = &options.similar {
        let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        let page = || report::likeness_html(results);
        outputs::write(
            path,
            if is_json { format!("{:#}\n", report::likeness_json(results)) } else { page() },
        )?;
    }
    let text = if options.json {
        format!("{:#}\n", report::json(results))
    } else {
        visible(&report::text(results)).into_owned()
    };
    // A report on stdout is not mixed with another.
    if files_on_stdout(options) == 0 {
        std::io::stdout().lock().write_all(text.as_bytes())?;
    }
    Ok(())
}

pub(super) fn reports(options: &Test) -> [&Option<PathBuf>; 9] {
    [
        &options.junit,
        &options.gradescope,
        &options.classroom,
        &options.vpl,
        &options.annotations,
        &options.sarif,
        &options.csv,
        &options.html,
        &options.similar,
    ]
}

fn files_on_stdout(options: &Test) -> usize {
    reports(options).into_iter().filter(|path| path.as_deref().is_some_and(atomic_file::is_stdout)).count()
}

/// Returns the lowest and the highest grade that VPL passes to an evaluation.
fn grades() -> Option<(f64, f64)> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<f64>().ok().filter(|grade| grade.is_finite());
    number("VPL_GRADEMAX").map(|most| (number("VPL_GRADEMIN").unwrap_or_default(), most))
}
