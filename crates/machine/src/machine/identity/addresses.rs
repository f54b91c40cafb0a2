//! A set of linear addresses, stored as ranges: most of them are next to each other.

use std::ops::Range;

/// A set of addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Addresses {
    /// In ascending order, not empty, with a gap between each and the next.
    ranges: Vec<Range<u32>>,
}

impl Addresses {
    pub(super) fn insert(&mut self, range: Range<u32>) {
        if range.is_empty() {
            return;
        }
        let touched = self.touched(range.start, range.end);
        let start = self.ranges.get(touched.start).map_or(range.start, |first| first.start.min(range.start));
        let end = self.ranges[touched.clone()].last().map_or(range.end, |last| last.end.max(range.end));
        self.ranges.splice(touched.clone(), [if touched.is_empty() { range } else { start..end }]);
    }

    pub(super) fn remove(&mut self, range: Range<u32>) {
        if range.is_empty() {
            return;
        }
        // Ranges that only touch it stay as they are.
        let touched = self.touched(range.start, range.end);
        let left: Vec<Range<u32>> = self.ranges[touched.clone()]
            .iter()
            .flat_map(|old| [old.start..old.end.min(range.start), old.start.max(range.end)..old.end])
            .filter(|rest| !rest.is_empty())
            .collect();
        self.ranges.splice(touched, left);
    }

    pub(super) fn contains(&self, address: u32) -> bool {
        self.meets(&(address..address + 1))
    }

    /// Whether any address of a range is in the set.
    pub(super) fn meets(&self, range: &Range<u32>) -> bool {
        let first = self.ranges.partition_point(|old| old.end <= range.start);
        !range.is_empty() && self.ranges.get(first).is_some_and(|old| old.start < range.end)
    }

    pub(super) fn extend(&mut self, other: &Addresses) {
        other.ranges.iter().for_each(|range| self.insert(range.clone()));
    }

    pub(super) fn is_subset(&self, other: &Addresses) -> bool {
        self.ranges.iter().all(|range| {
            let place = other.ranges.partition_point(|old| old.end < range.end);
            other.ranges.get(place).is_some_and(|old| old.start <= range.start)
        })
    }

    /// Returns the positions of the ranges that overlap `start..end` or are next to it.
    fn touched(&self, start: u32, end: u32) -> Range<usize> {
        let first = self.ranges.partition_point(|old| old.end < start);
        let after = self.ranges.partition_point(|old| old.start <= end);
        first..after.max(first)
    }
}

impl FromIterator<u32> for Addresses {
    fn from_iter<I: IntoIterator<Item = u32>>(addresses: I) -> Self {
        let mut set = Addresses::default();
        addresses.into_iter().for_each(|address| set.insert(address..address + 1));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_is_a_set(steps in prop::collection::vec((any::<bool>(), 0..40_u32, 0..8_u32), 0..24), other: [bool; 48]) {
            let (mut set, mut model) = (Addresses::default(), BTreeSet::new());
            for (is_insertion, start, len) in steps {
                let range = start..start + len;
                if is_insertion {
                    set.insert(range.clone());
                    model.extend(range);
                } else {
                    set.remove(range.clone());
                    range.for_each(|address| _ = model.remove(&address));
                }
                prop_assert!(set.ranges.windows(2).all(|pair| pair[0].end < pair[1].start), "{:?}", set);
            }
            for address in 0..48 {
                prop_assert_eq!(set.contains(address), model.contains(&address), "{}", address);
                let range = address..address + 3;
                prop_assert_eq!(set.meets(&range), model.range(range.clone()).next().is_some());
            }
            let others: BTreeSet<u32> = (0..48).filter(|&address| other[address as usize]).collect();
            let mut other: Addresses = others.iter().copied().collect();
            prop_assert_eq!(set.is_subset(&other), model.is_subset(&others));
            other.extend(&set);
            prop_assert!(set.is_subset(&other));
            let both: Addresses = model.union(&others).copied().collect();
            prop_assert_eq!(other, both);
        }
    }
}
