//! Lines about what had to be done otherwise than wanted.

use std::borrow::Cow;
use std::io::{self, Write};

/// A line about what had to be done otherwise than wanted. That stderr is closed is no reason to fail.
pub(super) fn notice(line: &str) {
    let _ = writeln!(io::stderr(), "oxbox: {}", visible(line));
}

/// A text for a terminal. It may name files, and so hold control characters that command the terminal: they are written as
/// escapes (`\u{1b}`), apart from line feeds and tabs.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let commands = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(commands) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| if commands(c) { c.escape_unicode().collect() } else { String::from(c) };
    Cow::Owned(text.chars().map(shown).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_command_the_terminal() {
        assert_eq!(visible("a\u{1b}]0;x\u{7}b\u{9b}c\r"), r"a\u{1b}]0;x\u{7}b\u{9b}c\u{d}");
        assert!(matches!(visible("\tü\n"), Cow::Borrowed("\tü\n")));
    }
}
