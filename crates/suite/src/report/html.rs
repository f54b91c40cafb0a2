//! The report as a self-contained HTML page: a table of the class, followed by each test with its
//! screens side by side.
//!
//! All text from programs and submissions is escaped. The page contains no script.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::words::{ending, points};
use crate::{Failure, Report, SubmissionReport, TestReport, Visibility};
use oxbox_media::markup::{self, escaped};

const STYLE: &str = include_str!("html.css");

/// Formats the report as an HTML page. Its pictures are those of
/// [`Options::pictures`](crate::Options::pictures).
pub fn html(report: &Report) -> String {
    let title = report.suites.iter().map(|suite| suite.suite.as_str()).collect::<Vec<_>>().join(", ");
    let (passed, count) = report.counts();
    let mut body = format!("<h1>{}</h1>\n<p>{passed} of {count} tests passed.</p>\n", escaped(&title));
    for suite in &report.suites {
        if report.suites.len() > 1 {
            body += &format!("<h2>{}</h2>\n", escaped(&suite.suite));
        }
        table(&mut body, &suite.suite, &suite.submissions);
        for submission in &suite.submissions {
            details(&mut body, &suite.suite, submission);
        }
    }
    markup::page(&title, STYLE, &body)
}

fn anchor(suite: &str, program: &str, test: &str) -> String {
    escaped(&format!("{suite}/{program}/{test}").replace(char::is_whitespace, "_"))
}

fn table(page: &mut String, suite: &str, submissions: &[SubmissionReport]) {
    let Some(first) = submissions.first() else { return };
    *page += "<div class=\"wide\"><table><thead><tr><th>program</th><th>points</th>";
    for test in &first.tests {
        *page += &format!("<th class=\"test\"><span>{}</span></th>", escaped(&test.name));
    }
    *page += "</tr></thead><tbody>\n";
    for submission in submissions {
        let program = &submission.program;
        *page += &format!(
            "<tr><td><a href=\"#{}\">{}</a></td><td class=\"points\">{} / {}</td>",
            anchor(suite, program, ""),
            escaped(program),
            points(submission.points()),
            points(submission.of())
        );
        for test in &submission.tests {
            let (class, sign) = if test.passed() { ("pass", "✓") } else { ("fail", "✗") };
            *page += &format!(
                "<td class=\"{class}\"><a href=\"#{}\" title=\"{}\">{sign}</a></td>",
                anchor(suite, program, &test.name),
                escaped(&test.name)
            );
        }
        *page += "</tr>\n";
    }
    *page += "</tbody></table></div>\n";
}

fn details(page: &mut String, suite: &str, submission: &SubmissionReport) {
    let program = &submission.program;
    *page += &format!(
        "<section id=\"{}\"><h2>{} <small>{} of {} points</small></h2>\n",
        anchor(suite, program, ""),
        escaped(program),
        points(submission.points()),
        points(submission.of())
    );
    if !submission.errors.is_empty() {
        let errors: Vec<String> = submission.errors.iter().map(ToString::to_string).collect();
        *page += &format!("<pre class=\"errors\">{}</pre>\n", escaped(&errors.join("\n")));
    }
    for test in &submission.tests {
        one(page, &anchor(suite, program, &test.name), test, submission.errors.is_empty());
    }
    *page += "</section>\n";
}

fn one(page: &mut String, id: &str, test: &TestReport, built: bool) {
    let (class, sign) = if test.passed() { ("pass", "✓") } else { ("fail", "✗") };
    let open = if test.passed() || !built { "" } else { " open" };
    let hidden = match test.hidden {
        Visibility::Visible => "",
        Visibility::Hidden => " <em>hidden</em>",
        Visibility::AfterDueDate => " <em>hidden until due</em>",
        Visibility::AfterPublished => " <em>hidden until published</em>",
    };
    *page += &format!(
        "<details id=\"{id}\" class=\"{class}\"{open}><summary><b>{sign}</b> {}{hidden} <small>{} / {}</small></summary>\n",
        escaped(&test.name),
        points(test.points()),
        points(test.of)
    );
    for failure in &test.failures {
        reason(page, failure);
    }
    if let Some(end) = &test.end {
        *page += &format!(
            "<p class=\"end\">After {} ms and {} instructions {}.</p>\n",
            test.ms,
            test.instructions,
            escaped(&ending(end, test.at.as_ref()))
        );
        screens(page, test);
        if !test.output.is_empty() {
            *page += &format!(
                "<details><summary>Output</summary><pre>\n{}</pre></details>\n",
                escaped(&printable(&test.output))
            );
        }
    }
    *page += &format!("<p>Repeat:</p><pre class=\"command\">{}</pre>\n</details>\n", escaped(&test.command));
}

fn reason(page: &mut String, failure: &Failure) {
    *page += &format!("<p><code>{}</code>: {}</p>\n", failure.what, escaped(&failure.message));
    if failure.difference.is_empty() {
        return;
    }
    *page += "<pre class=\"difference\">";
    for line in &failure.difference {
        let class = match line.as_bytes().first() {
            Some(b'-') => "expected",
            Some(b'+') => "found",
            _ => "both",
        };
        *page += &format!("<span class=\"{class}\">{}</span>", escaped(line));
    }
    *page += "</pre>\n";
}

/// Adds the expected screen, the actual screen and the difference.
fn screens(page: &mut String, test: &TestReport) {
    let pictures = &test.pictures;
    *page += "<div class=\"screens\">";
    let mut figure =
        |title: &str, picture: Option<&Vec<u8>>, text: Option<&Vec<String>>, other: Option<&Vec<String>>| {
            let body = match (picture, text) {
                (Some(png), _) => {
                    format!("<img alt=\"{title}\" src=\"data:image/png;base64,{}\">", STANDARD.encode(png))
                }
                (None, Some(lines)) => format!("<pre class=\"screen\">\n{}</pre>", marked(lines, other)),
                (None, None) => return,
            };
            *page += &format!("<figure><figcaption>{title}</figcaption>{body}</figure>");
        };
    let expected = pictures.expected_text.as_ref();
    figure("Expected", pictures.expected.as_ref(), expected, None);
    figure("Found", pictures.found.as_ref(), test.screen.as_ref(), expected);
    figure("Difference", pictures.difference.as_ref(), None, None);
    *page += "</div>\n";
}

/// Returns the lines of a screen, with lines that differ from the other screen marked.
fn marked(lines: &[String], other: Option<&Vec<String>>) -> String {
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        let same = other.is_none_or(|other| other.get(number) == Some(line));
        let line = escaped(&printable(line));
        text += &if same { format!("{line}\n") } else { format!("<mark>{line}</mark>\n") };
    }
    text
}

/// Removes control characters, which a page cannot contain.
fn printable(text: &str) -> String {
    text.chars().filter(|&c| matches!(c, '\n' | '\t') || !c.is_control()).collect()
}
