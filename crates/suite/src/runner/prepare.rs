//! Prepares suites for running: checks the files that they name, and builds their models.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::Options;
use crate::check::Golden;
use crate::drive::{Template, places};
use crate::format::about;
use crate::model::{Suite, SuiteError, Test, ValidationError};
use crate::program::Program;
use crate::same::Model;
use oxbox_proof::walk::Choices;
use oxbox_toolchain::{BuildRequest, parts};

/// A suite and the data shared by its tests.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    pub(super) suite: &'a Suite,
    pub(super) template: Template,
    /// The build options for submissions.
    pub(super) build: BuildRequest,
    /// Single files that submissions may include.
    pub(super) include_files: Vec<PathBuf>,
    pub(super) programs: Vec<PathBuf>,
    pub(super) tests: Vec<PreparedTest<'a>>,
    /// The files read to build the tests' models.
    pub(super) files: Vec<PathBuf>,
}

#[derive(Debug)]
pub(super) struct PreparedTest<'a> {
    pub(super) test: &'a Test,
    pub(super) golden: Option<Golden>,
    pub(super) model: Option<Arc<Program>>,
    pub(super) model_run: OnceLock<Result<Model, String>>,
}

/// Reads the files that the suites name, and builds the models. Fails if a suite has mistakes, or
/// the host fails.
pub(super) fn prepare<'a>(
    suites: &'a [Suite],
    programs: &[PathBuf],
    options: &Options,
) -> Result<Vec<Prepared<'a>>, SuiteError> {
    let mut mistakes = Vec::new();
    let mut prepared = Vec::new();
    if let Some(none) = programs.iter().find(|path| is_pattern(path)) {
        return Err(SuiteError::Usage(format!("--program {} matches no file", none.display())));
    }
    for suite in suites {
        let own = suite.program.iter().map(|program| program.path.clone()).collect();
        let programs: Vec<PathBuf> = if programs.is_empty() { own } else { programs.to_vec() };
        if programs.is_empty() {
            let message = "it has no program; name one with program = or --program".to_owned();
            mistakes.push(ValidationError { file: suite.path.display().to_string(), line: None, message });
        }
        let left_out: Vec<PathBuf> =
            suites.iter().flat_map(Suite::files).chain(programs.iter().flat_map(|p| parts(p))).collect();
        // A single program needs no protection from others.
        let hidden = if programs.len() > 1 {
            left_out.clone()
        } else {
            suites.iter().flat_map(Suite::files).collect()
        };
        let secrets = places(&hidden).map_err(|error| SuiteError::Host(error.to_string()))?;
        if let Some((path, why)) =
            options.build.includes.iter().find_map(|path| Some((path, exposes(path, &secrets)?)))
        {
            return Err(SuiteError::Usage(format!("--include {}: {why}", path.display())));
        }
        let named = suite.include.iter().map(|wanted| ("include", wanted));
        for (key, wanted) in named.chain(suite.given.iter().map(|wanted| ("given", wanted))) {
            let why = exposes(&wanted.path, &secrets);
            mistakes.extend(
                why.map(|why| about(suite, wanted, format!("{key} {}: {why}", wanted.path.display()))),
            );
        }
        let template = template(suite, options, &left_out, &mut mistakes)?;
        let mut build = options.build.clone();
        let (folders, include_files): (Vec<PathBuf>, Vec<PathBuf>) =
            suite.include.iter().map(|wanted| wanted.path.clone()).partition(|path| path.is_dir());
        build.includes.extend(folders);
        // A model belongs to the suite and may be among its files.
        let mut model_build = build.clone();
        model_build.includes.push(suite.folder.clone());
        let wanted =
            |test: &&Test| options.filter.as_ref().is_none_or(|part| test.name.contains(part.as_str()));
        let (mut tests, mut files) = (Vec::new(), Vec::new());
        for test in suite.tests.iter().filter(wanted) {
            tests.push(prepare_test(suite, test, &model_build, options, &mut files, &mut mistakes)?);
        }
        prepared.push(Prepared { suite, template, build, include_files, programs, tests, files });
    }
    if mistakes.is_empty() { Ok(prepared) } else { Err(SuiteError::Broken(mistakes)) }
}

/// Returns whether a name is a pattern that the shell left unchanged because no file matches.
fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '[']) && parts(path).iter().any(|part| !part.exists())
}

/// Returns why a file or folder must not be given to submissions: it is or contains one of these.
fn exposes(path: &Path, secrets: &BTreeSet<PathBuf>) -> Option<String> {
    let place = path.canonicalize().ok()?;
    let secret = secrets.iter().find(|secret| secret.starts_with(&place))?;
    let name = secret.file_name().unwrap_or_default().to_string_lossy();
    Some(if *secret == place {
        "submissions must not see it".to_owned()
    } else {
        format!(
            "it contains {name}, which submissions must not see: put the given files into a separate folder"
        )
    })
}

/// Returns the initial contents of the drive of each test.
fn template(
    suite: &Suite,
    options: &Options,
    left_out: &[PathBuf],
    mistakes: &mut Vec<ValidationError>,
) -> Result<Template, SuiteError> {
    let mut template = Template::default();
    if let Some(dir) = &options.dir {
        let read = Template::read(dir, left_out);
        template = read.map_err(|error| SuiteError::Usage(format!("--dir {}: {error}", dir.display())))?;
    } else if let Some(dir) = &suite.dir {
        match Template::read(&dir.path, left_out) {
            Ok(read) => template = read,
            Err(error) => mistakes.push(about(suite, dir, format!("dir {}: {error}", dir.path.display()))),
        }
    }
    for wanted in &suite.given {
        if let Err(error) = template.give(&wanted.path, &suite.folder) {
            mistakes.push(about(suite, wanted, format!("given {}: {error}", wanted.path.display())));
        }
    }
    Ok(template)
}

fn prepare_test<'a>(
    suite: &Suite,
    test: &'a Test,
    build: &BuildRequest,
    options: &Options,
    files: &mut Vec<PathBuf>,
    mistakes: &mut Vec<ValidationError>,
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
        match Program::open(&wanted.path, build, files)? {
            Ok(program) => prepared.model = Some(Arc::new(program)),
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
