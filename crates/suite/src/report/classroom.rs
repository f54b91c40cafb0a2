//! The result format of GitHub Classroom runners, which the reporter expects base64-encoded.
//!
//! Source: the actions `classroom-resources/autograding-command-grader` (writer) and
//! `autograding-grading-reporter` (reader): `version` 1, `status` of all tests, `max_score`, and
//! tests with `name`, `status`, `score`, `message`, `test_code`, `filename`, `line_no` (0 if
//! unknown) and `duration`. The grade is the sum of the scores. Hidden tests become one test
//! without details.

use serde_json::{Value, json};

use super::error::ReportError;
use super::words::{explanation, only, source_line, total, visible};
use crate::{Report, TestReport};

/// Returns the report as a runner's result.
///
/// # Errors
/// Fails unless exactly one submission was graded.
pub fn classroom(report: &Report) -> Result<Value, ReportError> {
    let errors = &only(report, "result for GitHub Classroom")?.errors;
    let (tests, hidden) = visible(report);
    let mut tests: Vec<Value> = tests.into_iter().map(test).collect();
    if let Some((points, of)) = hidden {
        tests.push(json!({
            "name": "hidden tests",
            "status": status(points >= of),
            "score": points,
            "message": "",
            "test_code": "",
            "filename": "",
            "line_no": 0,
            "duration": 0,
        }));
    }
    let passed = report.passed() && errors.is_empty();
    Ok(json!({ "version": 1, "status": status(passed), "max_score": total(report).1, "tests": tests }))
}

fn test(test: &TestReport) -> Value {
    let (file, line) = source_line(test).filter(|_| !test.passed()).unwrap_or_default();
    json!({
        "name": test.name,
        "status": status(test.passed()),
        "score": test.points(),
        "message": if test.passed() { String::new() } else { explanation(test) },
        "test_code": test.command,
        "filename": file,
        "line_no": line,
        "duration": test.ms,
    })
}

fn status(passed: bool) -> &'static str {
    if passed { "pass" } else { "fail" }
}
