//! The report of a class as a spreadsheet: one row per submission with the points of each test.

use std::collections::BTreeMap;

use super::error::ReportError;
use super::words::points;
use crate::{Report, SubmissionReport};

/// Formats the report as CSV.
///
/// # Errors
/// Fails if a row cannot be written.
pub fn csv(report: &Report) -> Result<String, ReportError> {
    let several = report.suites.len() > 1;
    let mut columns = Vec::new();
    let mut rows: Vec<(&str, Vec<&SubmissionReport>, BTreeMap<String, String>)> = Vec::new();
    for (suite, submission) in report.submissions() {
        let row = rows.iter().position(|row| row.0 == submission.program).unwrap_or_else(|| {
            rows.push((&submission.program, Vec::new(), BTreeMap::new()));
            rows.len() - 1
        });
        rows[row].1.push(submission);
        for test in &submission.tests {
            let name = if several { format!("{suite}: {}", test.name) } else { test.name.clone() };
            if !columns.contains(&name) {
                columns.push(name.clone());
            }
            rows[row].2.insert(name, points(test.points()));
        }
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    let fixed = ["program", "points", "of", "passed", "failed", "remark"].map(str::to_owned);
    let head: Vec<String> = fixed.into_iter().chain(columns.iter().map(|name| plain(name))).collect();
    writer.write_record(&head)?;
    for (program, submissions, by_test) in rows {
        let sum =
            |value: fn(&SubmissionReport) -> f64| points(submissions.iter().map(|one| value(one)).sum());
        let tests = || submissions.iter().flat_map(|one| &one.tests);
        let passed = tests().filter(|test| test.passed()).count();
        let mut row = vec![
            plain(program),
            sum(SubmissionReport::points),
            sum(SubmissionReport::of),
            passed.to_string(),
            (tests().count() - passed).to_string(),
            plain(&remark(&submissions)),
        ];
        row.extend(columns.iter().map(|name| by_test.get(name).cloned().unwrap_or_default()));
        writer.write_record(&row)?;
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    // Every field was a string.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns in one line why a submission has lost points: its first message, or the failed tests.
fn remark(submissions: &[&SubmissionReport]) -> String {
    if let Some(error) = submissions.iter().flat_map(|one| &one.errors).next() {
        return error.to_string();
    }
    let failed = submissions.iter().flat_map(|one| &one.tests).filter(|test| !test.passed());
    let reasons =
        failed.filter_map(|test| Some(format!("{}: {}", test.name, test.failures.first()?.message)));
    reasons.collect::<Vec<_>>().join("; ")
}

/// Escapes a text that a spreadsheet would interpret as a formula.
fn plain(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t']) { format!("'{text}") } else { text.to_owned() }
}
