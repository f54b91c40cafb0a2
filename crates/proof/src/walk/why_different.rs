//! Explains why a search finds many states.

use super::choices::Choices;
use super::explore::keys;
use super::program::{ProgramUnderTest, Setup};
use super::search_stats::SearchStats;
use oxbox_machine::machine::{ReadSet, StartError};

/// Two states with a small difference.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StateDifferences {
    /// The keys to each in the form of `--keys`, after the initial inputs.
    pub keys: [String; 2],
    /// The differences between the states, one per line.
    pub differences: Vec<String>,
}

/// The maximum number of choices that are varied, from the end of the path to the last state.
const MOST_VARIED: usize = 10;

/// The weight of a differing field, relative to a differing byte of memory.
const FIELD_WEIGHT: usize = 4;

/// Finds the state that differs least from the last one of a search: one on the path to it, or one
/// reached by the same choices in a different order. `None` if [`SearchStats::last`] is not set, or if
/// the program has ended in each of these states.
///
/// # Errors
/// Fails if the program cannot be started.
pub fn why_different(
    setup: &Setup,
    choices: &Choices,
    stats: &SearchStats,
) -> Result<Option<StateDifferences>, StartError> {
    let Some(last) = &stats.last else { return Ok(None) };
    let kept = &stats.kept;
    let (common, varied) = last.split_at(last.len().saturating_sub(MOST_VARIED));
    let mut here = ProgramUnderTest::start(setup)?;
    here.make_canonical(kept);
    if !takes(&mut here, choices, common, kept) {
        return Ok(None);
    }
    let base = here.save();
    if !takes(&mut here, choices, varied, kept) {
        return Ok(None);
    }
    let mut there = ProgramUnderTest::start(setup)?;
    let names = choices.names();
    let mut nearest: Option<(usize, StateDifferences)> = None;
    for path in neighbours(varied) {
        there.restore(&base);
        if !takes(&mut there, choices, &path, kept) || there.identity(kept) == here.identity(kept) {
            continue;
        }
        let distance = distance(&here, &there, kept);
        if nearest.as_ref().is_none_or(|(least, _)| distance < *least) {
            let keys = [keys(&names, &[common, &path].concat()), keys(&names, last)];
            nearest =
                Some((distance, StateDifferences { keys, differences: differences(&there, &here, kept) }));
        }
    }
    Ok(nearest.map(|(_, found)| found))
}

/// Returns the differences between two canonical states of a program, one per line. Memory is named
/// by the symbols of the program.
pub fn differences(a: &ProgramUnderTest, b: &ProgramUnderTest, kept: &ReadSet) -> Vec<String> {
    let mut lines = a.machine().differences(b.machine(), kept);
    for range in a.machine().differing_memory(b.machine()) {
        if let Some(name) = u32::try_from(range.start).ok().and_then(|address| a.name_at(address)) {
            let place = format!("memory {range:05X?}: ");
            for line in lines.iter_mut().filter(|line| line.starts_with(&place)) {
                line.push_str(&format!(", at {name}"));
            }
        }
    }
    lines
}

/// Takes choices, with a canonical state after each. Returns false if the program ends.
fn takes(walked: &mut ProgramUnderTest, choices: &Choices, path: &[usize], kept: &ReadSet) -> bool {
    path.iter().all(|&choice| {
        walked.take(choices, choice);
        let waits = walked.end().is_none();
        if waits {
            walked.make_canonical(kept);
        }
        waits
    })
}

/// Returns paths to states that may differ little from the one at the end of this path.
fn neighbours(path: &[usize]) -> Vec<Vec<usize>> {
    let mut ways: Vec<Vec<usize>> = (0..path.len()).map(|len| path[..len].to_vec()).collect();
    for first in 0..path.len() {
        for second in (first + 1..path.len()).filter(|&second| path[first] != path[second]) {
            let mut swapped = path.to_vec();
            swapped.swap(first, second);
            ways.push(swapped);
        }
    }
    ways
}

/// Returns the weighted difference of two states.
fn distance(a: &ProgramUnderTest, b: &ProgramUnderTest, kept: &ReadSet) -> usize {
    let bytes: usize = a.machine().differing_memory(b.machine()).iter().map(ExactSizeIterator::len).sum();
    bytes + FIELD_WEIGHT * a.machine().differences(b.machine(), kept).len()
}
