//! The report for a terminal: one line per test, reasons of failures, and the total.

use super::words::{explanation, points};
use crate::Report;

/// Formats the report as text.
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    let several = report.suites.len() > 1;
    for (suite, submission) in report.submissions() {
        let name =
            if several { format!("{suite}: {}", submission.program) } else { submission.program.clone() };
        text += &format!("{name}: {} of {} points\n", points(submission.points()), points(submission.of()));
        for error in &submission.errors {
            text += &format!("  {error}\n");
        }
        for test in &submission.tests {
            let verdict = if test.passed() { "passed" } else { "FAILED" };
            let worth = format!("{}/{}", points(test.points()), points(test.of));
            text += &format!("  {verdict}  {worth:>5}  {}\n", test.name);
            // For a submission that does not assemble, the messages suffice.
            if !test.passed() && submission.errors.is_empty() {
                explanation(test).lines().for_each(|line| text += &format!("        {line}\n"));
            }
        }
        text.push('\n');
    }
    let (passed, count) = report.counts();
    let programs = report.submissions().count();
    let failed = report.submissions().filter(|(_, submission)| !submission.passed()).count();
    if programs > 1 {
        text += &format!("{programs} programs, {} of them passed all tests; ", programs - failed);
    }
    text + &format!("{passed} of {count} tests passed\n")
}
