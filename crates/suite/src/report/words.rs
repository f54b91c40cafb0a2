//! Common parts of the reports: ends, points and reasons as text.

use super::error::ReportError;
use crate::{
    End, Visibility,
    play::At,
    results::{Failure, Report, SubmissionReport, TestReport},
};

/// Returns the submission of a report about one, from the first suite that graded it.
pub(super) fn only<'a>(report: &'a Report, what: &'static str) -> Result<&'a SubmissionReport, ReportError> {
    if report.suites.iter().any(|suite| suite.submissions.len() > 1) {
        return Err(ReportError::SeveralSubmissions(what));
    }
    report.submissions().next().map(|(_, first)| first).ok_or(ReportError::NoSubmission)
}

/// Returns the visible tests, and the total points and maximum of all others, if any: for formats
/// without hidden tests.
pub(super) fn visible(report: &Report) -> (Vec<&TestReport>, Option<(f64, f64)>) {
    let tests = report.submissions().flat_map(|(_, submission)| &submission.tests);
    let (visible, hidden): (Vec<_>, Vec<_>) = tests.partition(|test| test.hidden == Visibility::Visible);
    let sum = |points: fn(&TestReport) -> f64| hidden.iter().fold(0.0, |sum, test| sum + points(test));
    let hidden_points = (!hidden.is_empty()).then(|| (sum(TestReport::points), sum(|test| test.of)));
    (visible, hidden_points)
}

/// Returns the points and the maximum of all tests.
pub(super) fn total(report: &Report) -> (f64, f64) {
    let of = |points: fn(&SubmissionReport) -> f64| {
        report.submissions().fold(0.0, |sum, (_, submission)| sum + points(submission))
    };
    (of(SubmissionReport::points), of(SubmissionReport::of))
}

/// Returns the source line of a failed test: the position of the program.
pub(super) fn source_line(test: &TestReport) -> Option<(&str, u32)> {
    let at = test.at.as_ref()?;
    at.file.as_deref().zip(at.line)
}

/// Describes how and where a program ended. The failure explains a bad end.
pub(super) fn ending(end: &End, at: Option<&At>) -> String {
    let place = at.map(|at| format!(" at {at}")).unwrap_or_default();
    match end {
        End::Exited(_) | End::Waiting => format!("it {end}{place}"),
        _ if at.is_some() => format!("it stood{place}"),
        _ => format!("it {end}"),
    }
}

/// Formats points without unnecessary decimals.
pub(super) fn points(points: f64) -> String {
    format!("{}", (points * 1000.0).round() / 1000.0)
}

/// Explains why a test failed: reasons with their differences, the position of the program, its
/// screen, and how to repeat it.
pub(super) fn explanation(test: &TestReport) -> String {
    let mut text = String::new();
    for Failure { what, message, difference } in &test.failures {
        text += &format!("{what}: {message}\n");
        difference.iter().for_each(|line| text += &format!("    {line}\n"));
    }
    if let Some(end) = &test.end {
        text += &format!("{}\n", ending(end, test.at.as_ref()));
        match &test.screen {
            Some(lines) if lines.is_empty() => text += "the screen is empty\n",
            Some(lines) => {
                text += "the screen:\n";
                lines.iter().for_each(|line| text += &format!("{}\n", format!("    | {line}").trim_end()));
            }
            None => text += "the screen is in a graphics mode\n",
        }
    }
    text + &format!("repeat: {}\n", test.command)
}
