//! The report as JUnit XML for CI servers: one `testsuite` per program, one `testcase` per test.
//! Times are virtual.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};

use super::error::ReportError;
use super::words::explanation;
use crate::{Report, SubmissionReport, TestReport};

/// Formats the report as JUnit XML.
///
/// # Errors
/// Fails if the XML cannot be written.
pub fn junit(report: &Report) -> Result<String, ReportError> {
    let mut junit = Junit::new("oxbox test");
    let mut total = Duration::ZERO;
    for (suite, submission) in report.submissions() {
        let one = test_suite(suite, submission);
        total += one.time.unwrap_or_default();
        junit.add_test_suite(one);
    }
    junit.set_time(total);
    Ok(junit.to_string()?)
}

fn test_suite(suite: &str, submission: &SubmissionReport) -> TestSuite {
    let mut one = TestSuite::new(submission.program.as_str());
    one.add_property(("suite", suite)).add_property(("points", submission.points().to_string().as_str()));
    one.extra.insert("file".into(), suite.into());
    if !submission.errors.is_empty() {
        let errors: Vec<String> = submission.errors.iter().map(ToString::to_string).collect();
        one.set_system_err(errors.join("\n"));
    }
    let mut total = Duration::ZERO;
    for test in &submission.tests {
        let time = Duration::from_millis(test.ms);
        total += time;
        let mut case = TestCase::new(test.name.as_str(), status(test));
        case.set_classname(submission.program.as_str()).set_time(time);
        case.extra.insert("file".into(), suite.into());
        case.extra.insert("line".into(), test.line.to_string().into());
        one.add_test_case(case);
    }
    one.set_time(total);
    one
}

fn status(test: &TestReport) -> TestCaseStatus {
    let Some(first) = test.failures.first() else { return TestCaseStatus::success() };
    // An error is a test that could not be run; a failure, one that ran and did not pass.
    let kind = if test.end.is_none() { NonSuccessKind::Error } else { NonSuccessKind::Failure };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(first.what.name());
    status.set_message(format!("{}: {}", first.what, first.message));
    status.set_description(explanation(test));
    status
}
