//! The line of a source that a message is about, with a mark below what it names.

use std::collections::BTreeMap;

use oxbox::toolchain::{Diagnostic, Place, Severity};

/// Larger sources are not shown.
const LARGEST: u64 = 16 << 20;

/// Messages, a line each; below an error its source line, and a caret.
pub(super) fn with_sources(diagnostics: &[Diagnostic]) -> String {
    let mut sources: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut text = String::new();
    for diagnostic in diagnostics {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&diagnostic.to_string());
        let (Severity::Error, Place::Line(line)) = (diagnostic.severity, &diagnostic.place) else { continue };
        let lines = sources.entry(&diagnostic.file).or_insert_with(|| read(&diagnostic.file));
        let Some(source) = lines.get((*line as usize).wrapping_sub(1)) else { continue };
        let mark = mark(source, &diagnostic.text);
        text.push_str(&format!("\n    {source}\n    {}^", " ".repeat(mark)));
    }
    text
}

fn read(file: &str) -> Vec<String> {
    let is_small = std::fs::metadata(file).is_ok_and(|about| about.is_file() && about.len() <= LARGEST);
    let bytes = if is_small { std::fs::read(file).unwrap_or_default() } else { Vec::new() };
    String::from_utf8_lossy(&bytes).lines().map(shown).collect()
}

/// Without tabs, or what a terminal would take for more than text.
fn shown(line: &str) -> String {
    let plain = line.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control());
    plain.collect::<String>().trim_end().chars().take(120).collect()
}

/// The column of what a message names last, or of the first character.
fn mark(source: &str, message: &str) -> usize {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_@$?.".contains(c);
    let code = source.split(';').next().unwrap_or_default();
    let folded = code.to_ascii_lowercase();
    let words = message.split(|c: char| !is_name(c)).filter(|word| !word.is_empty()).rev();
    let found = words.filter_map(|word| {
        let word = word.to_ascii_lowercase();
        let at = folded.match_indices(&word).map(|(at, _)| at).find(|&at| {
            let around = [folded[..at].chars().next_back(), folded[at + word.len()..].chars().next()];
            !around.into_iter().flatten().any(is_name)
        })?;
        Some(source[..at].chars().count())
    });
    let first = || source.chars().take_while(|c| c.is_whitespace()).count();
    found.into_iter().next().unwrap_or_else(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_stands_below_the_name() {
        let rows = [
            ("        mov ax, nowhere ; nowhere", "Symbol not defined: nowhere", 16),
            ("start:  call GO", "undefined symbol go", 13),
            ("        mov ax, bl", "Invalid instruction operands", 8),
            ("        mov nowhere2, nowhere", "undefined symbol nowhere", 22),
        ];
        for (source, message, column) in rows {
            assert_eq!(mark(source, message), column, "{source}: {message}");
        }
    }
}
