//! The difference of one page from another: the changed bits, in runs of words that differ.
//!
//! Stored as the number of runs, and for each its first word, its length in words, and its bits.
//! Numbers have 16 bits, lowest byte first.

use super::PAGE_BYTES;

type Page = [u8; PAGE_BYTES];
/// Wide enough to skip equal bytes quickly, narrow enough to store few of them.
type Word = [u8; 8];

fn words(page: &Page) -> &[Word] {
    page.as_chunks().0
}

/// Appends the difference of two pages.
pub(super) fn append(stored: &mut Vec<u8>, page: &Page, other: &Page) {
    let place = stored.len();
    stored.extend_from_slice(&[0; 2]);
    let (words, others) = (words(page), words(other));
    let (mut runs, mut at) = (0_u16, 0);
    while let Some(first) = (at..words.len()).find(|&at| words[at] != others[at]) {
        at = (first..words.len()).find(|&at| words[at] == others[at]).unwrap_or(words.len());
        runs += 1;
        stored.extend_from_slice(&(first as u16).to_le_bytes());
        stored.extend_from_slice(&((at - first) as u16).to_le_bytes());
        for (word, other) in words[first..at].iter().zip(&others[first..at]) {
            let bits = u64::from_le_bytes(*word) ^ u64::from_le_bytes(*other);
            stored.extend_from_slice(&bits.to_le_bytes());
        }
    }
    stored[place..place + 2].copy_from_slice(&runs.to_le_bytes());
}

/// Removes a number from the beginning of the stored bytes.
pub(super) fn number(stored: &mut &[u8]) -> Option<u16> {
    let (number, rest) = stored.split_first_chunk()?;
    *stored = rest;
    Some(u16::from_le_bytes(*number))
}

/// Removes a difference from the beginning of the stored bytes and applies it to a page. `None` if it
/// is cut off or leads out of the page.
pub(super) fn apply(stored: &mut &[u8], page: &mut Page) -> Option<()> {
    for _ in 0..number(stored)? {
        let [first, len] = [number(stored)?, number(stored)?].map(usize::from);
        let words = page.as_chunks_mut::<{ size_of::<Word>() }>().0.get_mut(first..first + len)?;
        let (bits, rest) = stored.split_at_checked(len * size_of::<Word>())?;
        words.as_flattened_mut().iter_mut().zip(bits).for_each(|(byte, bits)| *byte ^= bits);
        *stored = rest;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_difference_comes_back(
            base in any::<u8>(),
            changes in prop::collection::vec((0..PAGE_BYTES, any::<u8>()), 0..40),
        ) {
            let base = [base; PAGE_BYTES];
            let mut page = base;
            changes.iter().for_each(|&(at, byte)| page[at] = byte);
            let mut stored = Vec::new();
            append(&mut stored, &page, &base);
            let most = 2 + changes.len() * (size_of::<Word>() + 4);
            prop_assert!(stored.len() <= most, "{} bytes", stored.len());
            let (mut found, mut rest) = (base, &stored[..]);
            prop_assert_eq!(apply(&mut rest, &mut found), Some(()));
            prop_assert!(found == page && rest.is_empty());
            if page != base {
                let mut cut = &stored[..stored.len() - 1];
                prop_assert_eq!(apply(&mut cut, &mut found), None);
            }
        }
    }
}
