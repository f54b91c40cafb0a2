//! The sixteen patterns of the assignment, rows from the top.
//!
//! `O` computer, `X` user, `_` empty, `*` anything, `?` the target, which must be empty. Two are
//! printed with an X in a wrong place. TTT1 of 1996 has the correct ones.

use oxbox_proof::engine::board::ring_index;
use oxbox_proof::engine::{Mark, Move};
use std::ops::Range;

/// The nine cells around the edge from the upper left, with the centre last.
pub(super) type Cells = [Option<Mark>; 9];

/// A pattern as printed and as corrected.
pub(super) struct Pattern {
    printed: &'static str,
    meant: &'static str,
}

const fn plain(printed: &'static str) -> Pattern {
    Pattern { printed, meant: printed }
}

/// Patterns 1 to 16.
pub(super) const PATTERNS: [Pattern; 16] = [
    plain("?OO/***/***"),
    plain("?**/O**/O**"),
    plain("?**/*O*/**O"),
    plain("O?O/***/***"),
    plain("*?*/*O*/*O*"),
    plain("?XX/***/***"),
    plain("?**/X**/X**"),
    plain("?**/*X*/**X"),
    plain("X?X/***/***"),
    plain("*?*/*X*/*X*"),
    Pattern { printed: "_?X/_OX/X__", meant: "_?X/_O_/X__" },
    Pattern { printed: "?X_/_O*/_**", meant: "?X_/XO*/_**" },
    plain("?_X/XO*/_**"),
    plain("?_X/_O*/X**"),
    plain("*?*/*X*/*_*"),
    plain("?**/*X*/**_"),
];

/// Wins, blocks, look-ahead.
pub(super) const GROUPS: [Range<usize>; 3] = [0..5, 5..10, 10..16];

/// Returns the misprinted patterns: number, as printed, corrected.
pub fn misprints() -> impl Iterator<Item = (usize, &'static str, &'static str)> {
    let numbered = PATTERNS.iter().enumerate().filter(|(_, pattern)| pattern.printed != pattern.meant);
    numbered.map(|(index, pattern)| (index + 1, pattern.printed, pattern.meant))
}

impl Pattern {
    /// Returns the position to take, if `view` matches.
    pub(super) fn target(&self, view: &Cells, mended: bool) -> Option<usize> {
        let text = if mended { self.meant } else { self.printed };
        let mut target = None;
        for (cell, wanted) in Move::ALL.into_iter().zip(text.chars().filter(|&c| c != '/')) {
            let position = ring_index(cell);
            let fits = matches!(
                (wanted, view[position]),
                ('*', _) | ('O', Some(Mark::O)) | ('X', Some(Mark::X)) | ('_' | '?', None)
            );
            if !fits {
                return None;
            }
            if wanted == '?' {
                target = Some(position);
            }
        }
        target
    }
}
