//! Explains why a search found more states than it could hold.

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
/// reached by the same choices in a different order. `None` if the search did not reach a limit on
/// states, or if the program has ended in each of these states.
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
    let Some(here) = reached(setup, choices, last, kept)? else { return Ok(None) };
    let mut nearest: Option<(usize, Vec<usize>, ProgramUnderTest)> = None;
    for path in neighbours(last) {
        let Some(there) = reached(setup, choices, &path, kept)? else { continue };
        if there.identity(kept) == here.identity(kept) {
            continue;
        }
        let distance = distance(&here, &there, kept);
        if nearest.as_ref().is_none_or(|(least, ..)| distance < *least) {
            nearest = Some((distance, path, there));
        }
    }
    let names = choices.names();
    Ok(nearest.map(|(_, path, there)| StateDifferences {
        keys: [keys(&names, &path), keys(&names, last)],
        differences: differences(&there, &here, kept),
    }))
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

/// Returns the canonical program after these choices; `None` if it has ended.
fn reached(
    setup: &Setup,
    choices: &Choices,
    path: &[usize],
    kept: &ReadSet,
) -> Result<Option<ProgramUnderTest>, StartError> {
    let mut walked = ProgramUnderTest::start(setup)?;
    walked.make_canonical(kept);
    for &choice in path {
        walked.take(choices, choice);
        if walked.end().is_some() {
            return Ok(None);
        }
        walked.make_canonical(kept);
    }
    Ok(Some(walked))
}

/// Returns paths to states that may differ little from the one at the end of this path.
fn neighbours(path: &[usize]) -> Vec<Vec<usize>> {
    let varied = path.len().saturating_sub(MOST_VARIED)..path.len();
    let mut ways: Vec<Vec<usize>> = varied.clone().map(|len| path[..len].to_vec()).collect();
    for (number, first) in varied.clone().enumerate() {
        for second in varied.clone().skip(number + 1).filter(|&second| path[first] != path[second]) {
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
