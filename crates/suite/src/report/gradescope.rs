//! Gradescope's `results.json`, for an autograder that runs `oxbox test` on a student's submission.
//!
//! Source: Gradescope, Autograder Specifications, "Output format". Students see nothing of hidden
//! tests.

use serde_json::{Value, json};

use super::error::ReportError;
use super::words::{explanation, only};
use crate::{Report, SubmissionReport, TestReport, Visibility};

/// Returns the report as `results.json`. Several suites become one list of tests.
///
/// # Errors
/// Fails unless exactly one submission was graded.
pub fn gradescope(report: &Report) -> Result<Value, ReportError> {
    let first = only(report, "results.json for Gradescope")?;
    let tests = report.submissions().flat_map(|(_, submission)| &submission.tests);
    Ok(json!({
        "output": summary(first),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": tests.enumerate().map(|(index, one)| test(index + 1, one)).collect::<Vec<_>>(),
    }))
}

/// Returns a summary of the submission that does not reveal hidden tests.
fn summary(submission: &SubmissionReport) -> String {
    if submission.errors.is_empty() {
        return format!("{} was assembled and run.", submission.program);
    }
    let errors: Vec<String> = submission.errors.iter().map(ToString::to_string).collect();
    format!("{} cannot be run:\n{}", submission.program, errors.join("\n"))
}

fn test(number: usize, test: &TestReport) -> Value {
    let visibility = match test.hidden {
        Visibility::Visible => "visible",
        Visibility::Hidden => "hidden",
        Visibility::AfterDueDate => "after_due_date",
        Visibility::AfterPublished => "after_published",
    };
    json!({
        "number": number.to_string(),
        "name": test.name,
        "name_format": "text",
        "score": test.points(),
        "max_score": test.of,
        "status": if test.passed() { "passed" } else { "failed" },
        "visibility": visibility,
        "output": if test.passed() { String::new() } else { explanation(test) },
        "output_format": "text",
    })
}
