//! The output of an evaluation for the Virtual Programming Lab (VPL) of Moodle.
//!
//! Source: VPL's `vpl_submission.class.php`: lines `Grade :=>>NUMBER`, of which the last counts, and
//! comments: `Comment :=>>TEXT`, or the lines between `<|--` and `--|>`. In a comment, a line that
//! starts with `-` is a title, and one that starts with `>` is shown verbatim. Each line of a
//! program's output starts with `>` here, so that it cannot be a grade or end a comment. Hidden
//! tests count and are not named.

use super::error::ReportError;
use super::words::{explanation, only, points, total, visible};
use crate::Report;

/// Formats the report for VPL. Points are scaled to a grade from `least` to `most`, or stay points.
///
/// # Errors
/// Fails unless exactly one submission was graded.
pub fn vpl(report: &Report, scale: Option<(f64, f64)>) -> Result<String, ReportError> {
    let submission = only(report, "grade for VPL")?;
    let (tests, hidden) = visible(report);
    let mut text = String::new();
    let comment = |text: &mut String, title: &str, lines: &str| {
        *text += &format!("<|--\n-{}\n", plain(title));
        lines.lines().for_each(|line| *text += &format!(">{}\n", plain(line)));
        *text += "--|>\n";
    };
    if !submission.errors.is_empty() {
        let errors: Vec<String> = submission.errors.iter().map(ToString::to_string).collect();
        comment(&mut text, "The program cannot be built", &errors.join("\n"));
    }
    for test in tests {
        let title = format!("{}: {} of {}", test.name, points(test.points()), points(test.of));
        let told = !test.passed() && submission.errors.is_empty();
        comment(&mut text, &title, &if told { explanation(test) } else { String::new() });
    }
    if let Some((have, of)) = hidden {
        comment(&mut text, &format!("Hidden tests: {} of {}", points(have), points(of)), "");
    }
    let (have, of) = total(report);
    let grade = match scale {
        Some((least, most)) if of > 0.0 => least + (most - least) * have / of,
        Some((least, _)) => least,
        None => have,
    };
    Ok(text + &format!("Grade :=>>{}\n", points(grade)))
}

/// Removes characters that may end a line for some readers.
fn plain(line: &str) -> String {
    line.chars()
        .map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c })
        .collect()
}
