//! Messages about fallbacks.

use std::borrow::Cow;
use std::io::{self, Write};

/// Prints a message about a fallback. A closed stderr is not an error.
pub(super) fn notice(line: &str) {
    let _ = writeln!(io::stderr(), "oxbox: {}", visible(line));
}

/// Makes a text safe for a terminal. It may contain file names, and so control characters that
/// command the terminal: they become escapes (`\u{1b}`), except for line feeds and tabs.
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
