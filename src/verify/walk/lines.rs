//! The complete lines of play of a twin, counted without its program.

use super::super::report::Lines;
use super::super::twin::Twin;
use std::collections::HashMap;

/// Complete lines by outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LineCount {
    /// All of them.
    pub(crate) lines: Lines,
    /// Those below each position that the twin tells apart.
    known: HashMap<u64, Lines>,
}

impl LineCount {
    /// All of them in one number.
    pub(crate) fn total(&self) -> usize {
        self.lines.values().sum()
    }

    /// The lines below a position; none if the twin did not come there.
    pub(crate) fn below(&self, position: u64) -> Lines {
        self.known.get(&position).cloned().unwrap_or_default()
    }
}

/// Plays every line of a twin.
pub(crate) fn count<T: Twin>(twin: &T) -> LineCount {
    let mut count = LineCount::default();
    count.lines = below(twin, &mut count.known);
    count
}

fn below<T: Twin>(twin: &T, known: &mut HashMap<u64, Lines>) -> Lines {
    if let Some(outcome) = twin.outcome() {
        return Lines::from([(outcome.label(T::COMPUTER).to_owned(), 1)]);
    }
    if let Some(lines) = twin.position().and_then(|position| known.get(&position)) {
        return lines.clone();
    }
    let mut lines = Lines::new();
    for key in twin.moves() {
        let mut next = twin.clone();
        next.press(key);
        for (outcome, count) in below(&next, known) {
            *lines.entry(outcome).or_default() += count;
        }
    }
    if let Some(position) = twin.position() {
        known.insert(position, lines.clone());
    }
    lines
}
