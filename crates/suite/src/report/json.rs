//! The report as JSON with all details, with the names of `oxbox run --json`.

use serde_json::{Value, json};

use crate::{End, Report, SubmissionReport, TestReport};

/// Returns the report as JSON.
pub fn json(report: &Report) -> Value {
    let suites = report.suites.iter().map(|suite| {
        let programs = suite.submissions.iter().map(submission).collect::<Vec<_>>();
        json!({ "suite": suite.suite, "programs": programs })
    });
    let (passed, count) = report.counts();
    json!({
        "passed": report.passed(),
        "tests": count,
        "tests_passed": passed,
        "suites": suites.collect::<Vec<_>>(),
    })
}

fn submission(submission: &SubmissionReport) -> Value {
    json!({
        "program": submission.program,
        "passed": submission.passed(),
        "points": submission.points(),
        "of": submission.of(),
        "errors": submission.errors,
        "tests": submission.tests.iter().map(test).collect::<Vec<_>>(),
    })
}

fn test(test: &TestReport) -> Value {
    json!({
        "name": test.name,
        "line": test.line,
        "passed": test.passed(),
        "points": test.points(),
        "of": test.of,
        "visibility": test.hidden,
        "failures": test.failures,
        "end": test.end.as_ref().map_or("failed", End::word),
        "exit_code": test.end.as_ref().and_then(End::exit_code),
        "at": test.at,
        "screen": test.screen,
        "output": test.output,
        "ms": test.ms,
        "instructions": test.instructions,
        "command": test.command,
    })
}
