//! Finds passages that two submissions share: the longest first, without overlaps.

use std::collections::HashMap;
use std::ops::Range;

/// The most positions of a gram. A more frequent one is meaningless, such as a table of calls.
const MOST_PLACES: usize = 20;

/// Returns the equal ranges of two sequences of hashes, ordered by position in the first. `None` is
/// equal to nothing.
pub(super) fn shared(one: &[Option<u64>], other: &[Option<u64>]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    for (place, hash) in other.iter().enumerate() {
        if let Some(hash) = hash {
            places.entry(*hash).or_default().push(place);
        }
    }
    let same =
        |i: usize, j: usize| one.get(i).is_some_and(|hash| hash.is_some() && other.get(j) == Some(hash));
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    for (i, hash) in one.iter().enumerate() {
        let at = hash.and_then(|hash| places.get(&hash)).filter(|at| at.len() <= MOST_PLACES);
        for &j in at.into_iter().flatten() {
            if i > 0 && j > 0 && same(i - 1, j - 1) {
                continue;
            }
            let length = (0..).take_while(|&further| same(i + further, j + further)).count();
            found.push((length, i, j));
        }
    }
    found.sort_by_key(|&(length, i, j)| (usize::MAX - length, i, j));
    let (mut taken_one, mut taken_other) = (vec![false; one.len()], vec![false; other.len()]);
    let mut passages = Vec::new();
    for (length, i, j) in found {
        // The remainder of a passage of which longer ones have taken parts.
        let is_free = |further: &usize| !taken_one[i + further] && !taken_other[j + further];
        let Some(skipped) = (0..length).find(is_free) else { continue };
        let length = (skipped..length).take_while(is_free).count();
        let (ours, theirs) = (i + skipped..i + skipped + length, j + skipped..j + skipped + length);
        taken_one[ours.clone()].fill(true);
        taken_other[theirs.clone()].fill(true);
        passages.push((ours, theirs));
    }
    passages.sort_by_key(|(ours, _)| ours.start);
    passages
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Option<u64>> {
        text.bytes().map(|byte| (byte != b'.').then_some(u64::from(byte))).collect()
    }

    #[test]
    fn the_longest_come_first_and_nothing_is_taken_twice() {
        let rows: [(&str, &str, &[(Range<usize>, Range<usize>)]); 4] = [
            ("abcdef", "abcdef", &[(0..6, 0..6)]),
            ("abcxdef", "defabc", &[(0..3, 3..6), (4..7, 0..3)]),
            ("..ab..", "..ab..", &[(2..4, 2..4)]),
            ("abcabcd", "abcd", &[(3..7, 0..4)]),
        ];
        for (one, other, expected) in rows {
            assert_eq!(shared(&read(one), &read(other)), expected, "{one} {other}");
        }
    }
}
