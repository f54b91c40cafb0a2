//! The source line of a message, with a mark below the part that it names.

use std::collections::BTreeMap;

use oxbox::inspect::Finding;
use oxbox::toolchain::{Diagnostic, Place, Severity};

/// The maximum size of a source whose lines are shown.
const LARGEST: u64 = 16 << 20;

/// Returns messages in the form `file:line:column: error[A2102]: text`. Below an error are its
/// source line, a mark, and a suggestion.
pub(super) fn with_sources(diagnostics: &[Diagnostic]) -> String {
    let mut sources: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut text = String::new();
    // Notes on how a source was read are shown only on request.
    let is_shown = |diagnostic: &&Diagnostic| {
        diagnostic.severity != Severity::Note || log::log_enabled!(log::Level::Info)
    };
    for diagnostic in diagnostics.iter().filter(is_shown) {
        if !text.is_empty() {
            text.push('\n');
        }
        let source = match (diagnostic.severity, &diagnostic.place) {
            (Severity::Error, Place::Line(line)) => {
                let lines = sources.entry(&diagnostic.file).or_insert_with(|| read(&diagnostic.file));
                lines.get((*line as usize).wrapping_sub(1)).map(|source| (*line, source.clone()))
            }
            _ => None,
        };
        let Some((line, source)) = source else {
            text.push_str(&diagnostic.to_string());
            continue;
        };
        let (column, length) = mark(&source, diagnostic);
        let code = diagnostic.code.map_or(String::new(), |code| format!("[A{code}]"));
        let place = format!("{}:{line}:{}", diagnostic.file, column + 1);
        text.push_str(&format!("{place}: error{code}: {}", diagnostic.text));
        text.push_str(&format!("\n    {source}\n    {}{}", " ".repeat(column), "^".repeat(length)));
        if let Some(help) = &diagnostic.help {
            text.push_str(&format!("\n    help: {help}"));
        }
    }
    text
}

/// Returns findings, each with its source line and a suggestion.
pub(super) fn of_findings(findings: &[Finding]) -> Vec<String> {
    let text = |finding: &Finding| {
        let place = finding.place.as_ref();
        let line = place.and_then(|place| {
            let number = place.line?.checked_sub(1)?;
            read(place.file.as_ref()?).into_iter().nth(number as usize)
        });
        let line = line.map(|line| format!("\n    {line}")).unwrap_or_default();
        format!("{finding}{line}\n    help: {}", finding.help)
    };
    findings.iter().map(text).collect()
}

fn read(file: &str) -> Vec<String> {
    let is_small = std::fs::metadata(file).is_ok_and(|about| about.is_file() && about.len() <= LARGEST);
    let bytes = if is_small { std::fs::read(file).unwrap_or_default() } else { Vec::new() };
    String::from_utf8_lossy(&bytes).lines().map(shown).collect()
}

/// Replaces tabs, and characters that a terminal would execute.
fn shown(line: &str) -> String {
    let plain = line.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control());
    plain.collect::<String>().trim_end().chars().take(120).collect()
}

/// Returns column (from 0) and length of what a message names last; otherwise of the instruction.
fn mark(source: &str, diagnostic: &Diagnostic) -> (usize, usize) {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_@$?.".contains(c);
    let code = source.split(';').next().unwrap_or_default();
    let folded = code.to_ascii_lowercase();
    // The subject of an explained message is between backquotes; its other words are prose.
    let quoted = diagnostic.text.split('`').nth(1);
    let message = match diagnostic.code.zip(diagnostic.help.as_ref()) {
        Some(_) => quoted.unwrap_or_default(),
        None => &diagnostic.text,
    };
    let words = message.split(|c: char| !is_name(c)).filter(|word| !word.is_empty()).rev();
    let found = words.filter_map(|word| {
        let word = word.to_ascii_lowercase();
        let at = folded.match_indices(&word).map(|(at, _)| at).find(|&at| {
            let around = [folded[..at].chars().next_back(), folded[at + word.len()..].chars().next()];
            !around.into_iter().flatten().any(is_name)
        })?;
        Some((source[..at].chars().count(), word.chars().count()))
    });
    found.into_iter().next().unwrap_or_else(|| instruction(code))
}

/// Returns the column and length of a line's first word after its label.
fn instruction(code: &str) -> (usize, usize) {
    let label = code
        .find(':')
        .filter(|at| !code[..*at].trim().contains(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
    let start = label.map_or(0, |at| at + 1);
    let start = if code[start..].trim().is_empty() { 0 } else { start };
    let blanks = code[start..].chars().take_while(|c| c.is_whitespace()).count();
    let column = code[..start].chars().count() + blanks;
    let length = code.chars().skip(column).take_while(|c| !c.is_whitespace()).count();
    (column, length.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_stands_below_the_name() {
        let explained = |text: &str| Diagnostic { code: Some(2102), help: Some("".into()), ..plain(text) };
        let rows = [
            ("        mov ax, nowhere ; nowhere", plain("Symbol not defined: nowhere"), (16, 7)),
            ("start:  call GO", plain("undefined symbol go"), (13, 2)),
            ("        mov ax, bl", plain("Invalid instruction operands"), (8, 3)),
            ("        mov nowhere2, nowhere", plain("undefined symbol nowhere"), (22, 7)),
            ("        mov ax, there", explained("`there` is not defined"), (16, 5)),
            ("again:  in al, 300", explained("the operand in memory has no size"), (8, 2)),
        ];
        for (source, message, expected) in rows {
            assert_eq!(mark(source, &message), expected, "{source}: {message}");
        }
    }

    fn plain(text: &str) -> Diagnostic {
        Diagnostic::error("", text)
    }
}
