//! The difference of one page from another: the changed bits, in runs of groups of eight cells.
//!
//! Stored as the number of runs, and for each its first group, its length in groups, and its bits.
//! Numbers have 16 bits, lowest byte first. The bits are stored by the place of their byte in a
//! cell: first the lowest bytes of all cells, last the highest. So the changes of a text's characters
//! are together, apart from its attributes, and pack well.

use super::Cell;
use std::ops::Range;

/// Wide enough to skip equal cells quickly, narrow enough to store few of them.
type Group<T> = [T; 8];
/// The number of groups that are compared at once: most of a page is equal.
const LINE: usize = 8;
/// A run includes this many equal groups: they pack into less than the beginning of another run.
const GAP: usize = 2;

/// Appends the difference of two pages.
pub(super) fn append<T: Cell>(stored: &mut Vec<u8>, page: &[T], other: &[T]) {
    let place = stored.len();
    stored.extend_from_slice(&[0; 2]);
    let (page, other) = (page.as_chunks().0, other.as_chunks().0);
    let (mut count, mut run) = (0_u16, 0..0);
    for at in differing(page, other) {
        if at > run.end + GAP {
            count += append_run(stored, page, other, run);
            run = at..at;
        }
        run.end = at + 1;
    }
    count += append_run(stored, page, other, run);
    stored[place..place + 2].copy_from_slice(&count.to_le_bytes());
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

/// Appends a run unless it is empty, and returns the number of runs appended.
fn append_run<T: Cell>(
    stored: &mut Vec<u8>,
    page: &[Group<T>],
    other: &[Group<T>],
    run: Range<usize>,
) -> u16 {
    if run.is_empty() {
        return 0;
    }
    for number in [run.start, run.len()] {
        stored.extend_from_slice(&(number as u16).to_le_bytes());
    }
    let cells = page[run.clone()].as_flattened().iter().zip(other[run].as_flattened());
    for place in 0..size_of::<T>() {
        stored.extend(cells.clone().map(|(cell, other)| cell.byte(place) ^ other.byte(place)));
    }
    1
}

/// Removes a number from the beginning of the stored bytes.
pub(super) fn number(stored: &mut &[u8]) -> Option<u16> {
    let (number, rest) = stored.split_first_chunk()?;
    *stored = rest;
    Some(u16::from_le_bytes(*number))
}

/// Removes a difference from the beginning of the stored bytes and applies it to a page. `None` if it
/// is cut off or leads out of the page.
pub(super) fn apply<T: Cell>(stored: &mut &[u8], page: &mut [T]) -> Option<()> {
    for _ in 0..number(stored)? {
        let [first, len] = [number(stored)?, number(stored)?].map(usize::from);
        let groups: &mut [Group<T>] = page.as_chunks_mut().0;
        let cells = groups.get_mut(first..first + len)?.as_flattened_mut();
        for place in 0..size_of::<T>() {
            let (bytes, rest) = stored.split_at_checked(cells.len())?;
            cells.iter_mut().zip(bytes).for_each(|(cell, bits)| cell.invert(place, *bits));
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
            let most = 2 + changes.len() * ((1 + GAP) * size_of::<Group<u8>>() + 4);
            prop_assert!(stored.len() <= most, "{} bytes", stored.len());
            let [page, base] = [page, base].map(|page| page.as_chunks().0.iter().map(|cell| u32::from_le_bytes(*cell)).collect::<Vec<_>>());
            comes_back(&page, &base)?;
        }
    }
}
