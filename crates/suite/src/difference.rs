//! Line-by-line differences of two texts: `-` was expected, `+` was found.

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::{ChangeTag, DiffOp};

use super::bytes;

const MOST_LINES: usize = 60;
const MOST_CHARACTERS: usize = 200;
/// Equal lines shown before and after a change.
const CONTEXT: usize = 2;
/// The most bytes compared, which bounds the work.
const MOST_BYTES: usize = 64 << 10;
const MOST_COMPARED: usize = 500;

/// Returns the lines of a screen without blank lines at the end.
pub(super) fn used(mut lines: Vec<String>) -> Vec<String> {
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

pub(super) fn of_lines(expected: &[String], found: &[String]) -> Vec<String> {
    let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    of_texts(&text(expected), &text(found), false)
}

/// Returns the difference of two outputs. Line endings are shown if lines differ only there.
pub(super) fn of_bytes(expected: &[u8], found: &[u8]) -> Vec<String> {
    let text = |bytes: &[u8]| {
        let text = bytes::to_text(&bytes[..bytes.len().min(MOST_BYTES)]);
        text.split_inclusive('\n').take(MOST_COMPARED).collect::<String>()
    };
    let (expected, found) = (text(expected), text(found));
    let plain = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    of_texts(&expected, &found, plain(&expected) == plain(&found))
}

fn of_texts(expected: &str, found: &str, ends: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let [expected, found] = [expected, found].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let groups = similar::group_diff_ops(steps(&expected, &found), CONTEXT);
    for (number, group) in groups.iter().enumerate() {
        if number > 0 {
            lines.push("  ...".to_owned());
        }
        for change in group.iter().flat_map(|op| op.iter_changes(&expected, &found)) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let line = if ends { change.value() } else { change.value().trim_end_matches(['\r', '\n']) };
            let line = bytes::shortened(&bytes::visible(line), MOST_CHARACTERS);
            lines.push(format!("{sign} {line}").trim_end_matches(' ').to_owned());
        }
    }
    if lines.len() > MOST_LINES {
        let more = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(format!("  ... and {more} more lines"));
    }
    lines
}

/// Returns the edit steps from one list to the other. Uses one algorithm and one list type:
/// choosing at run time would compile all algorithms of the crate for each type.
fn steps(from: &[&str], to: &[&str]) -> Vec<DiffOp> {
    let mut steps = Compact::new(Replace::new(Capture::new()), from, to);
    let Ok(()) = myers::diff_deadline_raw(&mut steps, from, 0..from.len(), to, 0..to.len(), None);
    steps.into_inner().into_inner().into_ops()
}

/// Returns the fraction of lines that two outputs have in common, in order: 0 to 1.
pub(super) fn share_of_lines(expected: &[u8], found: &[u8]) -> f64 {
    let [expected, found] =
        [expected, found].map(|bytes| bytes::to_text(&bytes[..bytes.len().min(MOST_BYTES)]));
    let [expected, found] = [&expected, &found].map(|text| text.lines().collect::<Vec<_>>());
    let equal = |step: &DiffOp| if let DiffOp::Equal { len, .. } = step { *len } else { 0 };
    let common: usize = steps(&expected, &found).iter().map(equal).sum();
    common as f64 / expected.len().max(found.len()).max(1) as f64
}

/// Returns the similarity of two texts, from 0 to 1.
fn likeness(a: &str, b: &str) -> f32 {
    let [a, b] = [a, b]
        .map(|text| text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect::<Vec<_>>());
    similar::diff_ratio(&steps(&a, &b), a.len(), b.len())
}

/// Returns the line most similar to a missing text, unless none is similar.
pub(super) fn nearest<'a>(text: &str, lines: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lines =
        lines.into_iter().map(str::trim).filter(|line| !line.is_empty() && line.len() <= MOST_CHARACTERS);
    if text.len() > MOST_CHARACTERS {
        return None;
    }
    let alike = lines.take(MOST_COMPARED).map(|line| (likeness(text, line), line));
    let best = alike.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= 0.5).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_shown() {
        let rows: [(&str, &str, &str); 6] = [
            ("a\r\nb\r\nc\r\n", "a\r\nx\r\nc\r\n", "  a|- b|+ x|  c"),
            ("a\r\n", "a\n", "- a\\r\\n|+ a\\n"),
            ("a", "a\r\n", "- a|+ a\\r\\n"),
            ("", "x\x1B", "+ x\\x1B"),
            ("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\n5\n6\n7\n9\n", "  6|  7|- 8|+ 9"),
            ("same", "same", ""),
        ];
        for (expected, found, shown) in rows {
            let lines = of_bytes(expected.as_bytes(), found.as_bytes());
            assert_eq!(lines.join("|"), shown, "{expected:?} {found:?}");
        }
        let long = "x\n".repeat(500);
        assert_eq!(of_bytes(b"", long.as_bytes()).len(), MOST_LINES + 1);
    }

    #[test]
    fn lines_are_counted_that_are_right() {
        for (expected, found, share) in [
            ("1\r\n2\r\n3\r\n4\r\n", "1\r\n2\r\n4\r\n", 0.75),
            ("1\n2\n", "1\n2\n", 1.0),
            ("1\n", "1\n1\n1\n1\n", 0.25),
            ("1\n", "", 0.0),
        ] {
            assert_eq!(share_of_lines(expected.as_bytes(), found.as_bytes()), share, "{found:?}");
        }
    }

    #[test]
    fn the_line_that_was_meant_is_found() {
        let long = "You win".repeat(1000);
        let lines = ["Guess: 5", "", "  You have won!", &long];
        for (text, expected) in
            [("You win", Some("You have won!")), ("Guess:", Some("Guess: 5")), ("QQQQ", None)]
        {
            assert_eq!(nearest(text, lines), expected, "{text}");
        }
    }
}
