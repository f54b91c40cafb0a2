//! Test suites: a class is graded, mistakes are reported with their line, reports have the format
//! that their readers expect.
#![cfg(all(feature = "suite", feature = "assembler"))]
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

mod alike;
mod class;
#[cfg(feature = "cli")]
mod command;
mod expectations;
mod generated;
mod mistakes;
mod platforms;
mod reasons;
mod red_team;
mod reports;

use oxbox::suite::{Options, Report, Suite, SuiteError, run};
use std::path::{Path, PathBuf};

/// Prints "hi" through DOS and ends with code 7.
const HI: &[u8] = b"\xB4\x09\xBA\x0C\x01\xCD\x21\xB8\x07\x4C\xCD\x21hi\r\n$";

/// Returns the folder of the exercise, which contains the class.
fn exercise() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite")
}

/// Returns some submissions to the exercise, by the beginning of their names.
fn submissions(beginnings: &[&str]) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(exercise().join("class")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let name = |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    paths.retain(|path| beginnings.iter().any(|beginning| name(path).starts_with(beginning)));
    paths.sort();
    paths
}

fn grade(beginnings: &[&str], jobs: usize) -> Report {
    let suite = Suite::open(&exercise().join("suite.toml")).unwrap();
    let options = Options { jobs, pictures: true, ..Options::default() };
    run(&[suite], &submissions(beginnings), &options).unwrap()
}

/// Runs a suite of one test over HI.COM, with these lines in the test.
fn one_test(folder: &Path, lines: &str) -> Result<Report, SuiteError> {
    std::fs::write(folder.join("HI.COM"), HI).unwrap();
    let text = format!("program = \"HI.COM\"\n[[test]]\nname = \"a test\"\n{lines}\n");
    let suite = Suite::parse(&folder.join("suite.toml"), &text)?;
    run(&[suite], &[], &Options::default())
}

/// Panics if a page needs another file or the network. Its namespace is a name, not a resource.
fn needs_nothing_else(page: &str) {
    let page = page.replace("http://www.w3.org/1999/xhtml", "");
    for foreign in ["http:", "https:", "<script", "<link", "@import"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
}

/// Returns the messages of the only test's failures.
fn failures(report: &Report) -> Vec<String> {
    let test = &report.suites[0].submissions[0].tests[0];
    test.failures.iter().map(|failure| format!("{}: {}", failure.what, failure.message)).collect()
}
