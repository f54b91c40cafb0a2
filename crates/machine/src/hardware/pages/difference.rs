//! The difference of one page from another, in runs of groups of eight cells.
//!
//! Stored for each run: one more than its distance from the end of the previous run, and its length,
//! both in groups; a byte of bits that tells which lanes differ; and these lanes, lowest bit first. A
//! zero ends the difference. A lane is the same byte of every [`STEP`](Cell::STEP)th cell. In video
//! memory, the characters of a text are one lane, the attributes another: where only text differs,
//! only text is stored, in one piece, and packs well.

use super::Cell;
use std::ops::Range;

/// Wide enough to skip equal cells quickly, narrow enough to store few of them.
type Group<T> = [T; 8];
/// The number of groups that are compared at once: most of a page is equal.
const LINE: usize = 8;
/// A run includes this many equal groups: they take about as much as the beginning of another run.
const GAP: usize = 2;
/// The largest [`STEP`](Cell::STEP).
const MOST_STEPS: usize = 2;

/// Appends the difference of two pages.
pub(super) fn append<T: Cell>(stored: &mut Vec<u8>, page: &[T], other: &[T]) {
    let (page, other) = (page.as_chunks().0, other.as_chunks().0);
    let (mut end, mut run) = (0, 0..0);
    for at in differing(page, other) {
        if at > run.end + GAP {
            end = append_run(stored, page, other, run, end);
            run = at..at;
        }
        run.end = at + 1;
    }
    append_run(stored, page, other, run, end);
    append_number(stored, 0);
}

/// Returns the numbers of the groups that differ.
fn differing<T: Cell>(page: &[Group<T>], other: &[Group<T>]) -> impl Iterator<Item = usize> {
    let lines = page.chunks(LINE).zip(other.chunks(LINE)).zip((0..).step_by(LINE));
    let lines = lines.filter(|((line, others), _)| line.as_flattened() != others.as_flattened());
    lines.flat_map(|((line, others), first)| {
        let groups = line.iter().zip(others).zip(first..);
        groups.filter(|((group, other), _)| group != other).map(|(_, at)| at)
    })
}

/// Appends a run unless it is empty. `end` is the end of the previous run; returns that of the last one.
fn append_run<T: Cell>(
    stored: &mut Vec<u8>,
    page: &[Group<T>],
    other: &[Group<T>],
    run: Range<usize>,
    end: usize,
) -> usize {
    if run.is_empty() {
        return end;
    }
    append_number(stored, run.start - end + 1);
    append_number(stored, run.len());
    let [page, other] = [page, other].map(|page| page[run.clone()].as_flattened());
    let differing = differing_lanes(page, other);
    stored.push(differing);
    for number in (0..lanes::<T>()).filter(|number| differing & 1 << number != 0) {
        stored.extend(lane(page, number));
    }
    run.end
}

/// Returns a bit for each lane that differs.
fn differing_lanes<T: Cell>(page: &[T], other: &[T]) -> u8 {
    let mut bits = [T::default(); MOST_STEPS];
    for (cells, others) in page.chunks_exact(T::STEP).zip(other.chunks_exact(T::STEP)) {
        for ((bits, &cell), &other) in bits.iter_mut().zip(cells).zip(others) {
            *bits = *bits | cell ^ other;
        }
    }
    let differs = |number: usize| {
        let (place, first) = place_of::<T>(number);
        bits[first].byte(place) != 0
    };
    (0..lanes::<T>()).fold(0, |lanes, number| lanes | u8::from(differs(number)) << number)
}

/// Returns the number of lanes, at most 8.
const fn lanes<T: Cell>() -> usize {
    size_of::<T>() * T::STEP
}

/// Returns the byte of a cell that is in a lane, and the first such cell.
const fn place_of<T: Cell>(lane: usize) -> (usize, usize) {
    (lane / T::STEP, lane % T::STEP)
}

/// Returns the bytes of a lane.
pub(super) fn lane<T: Cell>(cells: &[T], number: usize) -> impl Iterator<Item = u8> {
    let (place, first) = place_of::<T>(number);
    cells.chunks_exact(T::STEP).map(move |cells| cells[first].byte(place))
}

/// Appends a number, seven bits a byte, lowest first; all bytes but the last have their highest bit set.
pub(super) fn append_number(stored: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        stored.push(number as u8 | 0x80);
        number >>= 7;
    }
    stored.push(number as u8);
}

/// Removes a number from the beginning of the stored bytes. `None` if it is cut off or too large.
pub(super) fn number(stored: &mut &[u8]) -> Option<usize> {
    let mut number = 0;
    for shift in [0, 7, 14] {
        let byte = *stored.split_off_first()?;
        number |= usize::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Removes a difference from the beginning of the stored bytes and applies it to a page. `None` if it
/// is cut off or leads out of the page.
pub(super) fn apply<T: Cell>(stored: &mut &[u8], page: &mut [T]) -> Option<()> {
    let mut end = 0;
    while let Some(distance) = number(stored)?.checked_sub(1) {
        let first = end + distance;
        end = first + number(stored)?;
        let groups: &mut [Group<T>] = page.as_chunks_mut().0;
        let cells = groups.get_mut(first..end)?.as_flattened_mut();
        let differing = *stored.split_off_first()?;
        for number in (0..lanes::<T>()).filter(|number| differing & 1 << number != 0) {
            let (bytes, rest) = stored.split_at_checked(cells.len() / T::STEP)?;
            let (place, first) = place_of::<T>(number);
            let lane = cells.chunks_exact_mut(T::STEP).map(|cells| &mut cells[first]);
            lane.zip(bytes).for_each(|(cell, byte)| cell.set_byte(place, *byte));
            *stored = rest;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::PAGE_BYTES;
    use super::*;
    use proptest::prelude::*;

    /// Appends a difference, and applies it to the other page.
    fn comes_back<T: Cell + std::fmt::Debug>(page: &[T], other: &[T]) -> Result<Vec<u8>, TestCaseError> {
        let mut stored = Vec::new();
        append(&mut stored, page, other);
        let (mut found, mut rest) = (other.to_vec(), &stored[..]);
        prop_assert_eq!(apply(&mut rest, &mut found), Some(()));
        prop_assert!(found == page && rest.is_empty());
        if page != other {
            let mut cut = &stored[..stored.len() - 1];
            prop_assert_eq!(apply(&mut cut, &mut found), None);
        }
        Ok(stored)
    }

    proptest! {
        #[test]
        fn a_difference_comes_back(
            base in any::<u8>(),
            changes in prop::collection::vec((0..PAGE_BYTES, any::<u8>()), 0..40),
        ) {
            let base = [base; PAGE_BYTES];
            let mut page = base;
            changes.iter().for_each(|&(at, byte)| page[at] = byte);
            let stored = comes_back(&page, &base)?;
            let most = 1 + changes.len() * ((1 + GAP) * size_of::<Group<u8>>() + 5);
            prop_assert!(stored.len() <= most, "{} bytes", stored.len());
            let [page, base] = [page, base].map(|page| page.as_chunks().0.iter().map(|cell| u32::from_le_bytes(*cell)).collect::<Vec<_>>());
            comes_back(&page, &base)?;
        }
    }
}
