//! Runs every submission again to compare the executed code.

use std::path::{Path, PathBuf};

use super::prepare::{Prepared, PreparedTest};
use super::{Options, parallel};
use crate::drive::shown;
use crate::likeness::{self, Given, Likeness, Recording, Sources, Subject};
use crate::model::SuiteError;
use crate::play;
use crate::program::{BuildError, Program};
use oxbox_toolchain::is_source;

/// The most recorded cases of a test with generated input, which execute much the same code.
const MOST_CASES: u64 = 5;

/// Returns the submissions' similarity for each suite. Fails if the host provides no drive.
pub(super) fn compare(
    prepared: &[Prepared<'_>],
    submissions: &[(&Prepared<'_>, &Path)],
    built: &[Result<Program, Vec<BuildError>>],
    options: &Options,
) -> Result<Vec<Likeness>, SuiteError> {
    let given: Vec<Given> = prepared.iter().map(given).collect();
    let subjects = parallel(submissions.len(), options, |n| {
        let (one, path) = submissions[n];
        let given = prepared.iter().position(|other| std::ptr::eq(other, one)).map(|number| &given[number]);
        subject(one, path, &built[n], given.unwrap_or(&Given::default()), options)
    });
    let mut subjects = subjects.into_iter();
    let of_suites = prepared.iter().map(|one| {
        let subjects = subjects.by_ref().take(one.programs.len()).collect::<Result<Vec<_>, _>>()?;
        Ok(likeness::compare(subjects))
    });
    of_suites.collect()
}

/// Returns the code that a suite gives to everybody.
fn given(one: &Prepared<'_>) -> Given {
    let paths = |wanted: &[crate::model::NamedFile]| -> Vec<PathBuf> {
        wanted.iter().map(|wanted| wanted.path.clone()).collect()
    };
    let mut sources = paths(&one.suite.given);
    sources.retain(|path| is_source(path));
    sources.extend(one.include_files.iter().cloned());
    Given::new(paths(&one.suite.include), &sources)
}

fn subject(
    one: &Prepared<'_>,
    path: &Path,
    built: &Result<Program, Vec<BuildError>>,
    given: &Given,
    options: &Options,
) -> Result<Subject, SuiteError> {
    let name = shown(path).display().to_string();
    let Ok(program) = built else { return Ok(Subject::unknown(name, "it does not assemble")) };
    if program.boots {
        return Ok(Subject::unknown(name, "it is a boot sector"));
    }
    let sources = Sources::new(program.symbols.clone().unwrap_or_default(), given);
    let mut recording = Recording::default();
    for test in &one.tests {
        let cases = test.test.generated.as_ref().map_or(1, |generated| generated.cases().min(MOST_CASES));
        for number in 0..cases {
            record(one, test, number, program, options, &mut recording, &sources)?;
        }
    }
    Ok(Subject::new(name, &recording, &sources))
}

fn record(
    one: &Prepared<'_>,
    prepared: &PreparedTest<'_>,
    number: u64,
    program: &Program,
    options: &Options,
    recording: &mut Recording,
    sources: &Sources,
) -> Result<(), SuiteError> {
    let case = prepared.test.generated.as_ref().map(|generated| {
        // A case without a value is a mistake of the suite, which grading has reported.
        generated.test(prepared.test, &generated.inputs.case(number)).ok()
    });
    let test = match &case {
        None => prepared.test,
        Some(Some(test)) => test,
        Some(None) => return Ok(()),
    };
    let host = |error: std::io::Error| SuiteError::Host(format!("no drive for {:?}: {error}", test.name));
    let drive = one.template.copy(&test.files).map_err(host)?;
    if program.symbols.is_none() {
        drive.write(&program.name, &program.bytes).map_err(host)?;
    }
    play::record(program, test, &drive, &options.machine, recording, sources).map_err(host)
}
