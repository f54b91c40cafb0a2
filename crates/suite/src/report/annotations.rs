//! Failures at their source lines: workflow commands, which GitHub shows at the line, and SARIF
//! 2.1.0.
//!
//! Sources: GitHub, Workflow commands for GitHub Actions, "Setting an error message"; OASIS, Static
//! Analysis Results Interchange Format 2.1.0. Hidden tests are left out, because everybody with
//! access to the repository sees both.

use serde_json::{Value, json};

use super::words::{explanation, source_line};
use crate::{Report, SubmissionReport, TestReport, Visibility};

struct Annotation<'a> {
    rule: &'static str,
    title: String,
    message: String,
    file: &'a str,
    line: Option<u32>,
}

fn annotations<'a>(suite: &'a str, submission: &'a SubmissionReport) -> Vec<Annotation<'a>> {
    let errors = submission.errors.iter().map(|error| Annotation {
        rule: "build",
        title: "cannot be built".to_owned(),
        message: error.message.clone(),
        file: &error.file,
        line: error.line,
    });
    let seen = |test: &&TestReport| {
        submission.errors.is_empty() && !test.passed() && test.hidden == Visibility::Visible
    };
    let failed = submission.tests.iter().filter(seen).map(|test| {
        // Without a source line, the failed test is the position.
        let (file, line) = source_line(test).unwrap_or((suite, test.line as u32));
        Annotation {
            rule: "test",
            title: format!("{}: {}", submission.program, test.name),
            message: explanation(test),
            file,
            line: Some(line),
        }
    });
    errors.chain(failed).collect()
}

/// Formats the failures as workflow commands, one per line.
pub fn workflow_commands(report: &Report) -> String {
    let mut text = String::new();
    for (suite, submission) in report.submissions() {
        for Annotation { title, message, file, line, .. } in annotations(suite, submission) {
            let line = line.map(|line| format!(",line={line}")).unwrap_or_default();
            let (file, title) = (property(file), property(&title));
            text += &format!("::error file={file}{line},title={title}::{}\n", data(message.trim_end()));
        }
    }
    text
}

/// Escapes a text for the message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a text for a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Returns the failures in SARIF.
pub fn sarif(report: &Report) -> Value {
    let annotations = report.submissions().flat_map(|(suite, submission)| annotations(suite, submission));
    let results = annotations.map(|Annotation { rule, title, message, file, line }| {
        let mut place = json!({ "artifactLocation": { "uri": uri(file) } });
        if let Some(line) = line.filter(|line| *line > 0) {
            place["region"] = json!({ "startLine": line });
        }
        json!({
            "ruleId": rule,
            "level": "error",
            "message": { "text": format!("{title}\n{}", message.trim_end()) },
            "locations": [{ "physicalLocation": place }],
        })
    });
    let rules = [("build", "The program can be built"), ("test", "The program passes the test")];
    let rules = rules.map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } }));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "oxbox", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "results": results.collect::<Vec<_>>(),
        }],
    })
}

/// Converts a path to a relative URI reference.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}
