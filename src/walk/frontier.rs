//! States that are known and not looked at yet, in the order in which they were found.
//!
//! A state as it was saved is quick to go back to, but takes a page for each that the program has written. So most of the memory that a
//! search may take is for packed states: the first few wait as they are, all others packed, until their turn comes.

use super::search::{Expander, Waiting};
use std::collections::VecDeque;

/// The part of a search's memory that states may take as they were saved: one in so many.
pub(super) const WHOLE_SHARE: usize = 8;

/// States that wait.
pub(super) struct Frontier<E: Expander> {
    entries: VecDeque<Entry<E>>,
    bytes: usize,
    whole_bytes: usize,
}

/// A state that waits.
struct Entry<E: Expander> {
    number: u32,
    bytes: usize,
    choices: usize,
    saved: Saved<E>,
}

enum Saved<E: Expander> {
    Whole(E::Saved),
    Packed(E::Packed),
}

impl<E: Expander> Frontier<E> {
    /// Nothing waits.
    pub(super) fn new() -> Self {
        Frontier { entries: VecDeque::new(), bytes: 0, whole_bytes: 0 }
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes of those that are not packed.
    pub(super) fn whole_bytes(&self) -> usize {
        self.whole_bytes
    }

    /// Adds what has been found: as it is, as long as that takes no more than `room` bytes, then packed.
    pub(super) fn extend(&mut self, found: Vec<Waiting<E::Saved>>, room: usize, expander: &mut E) {
        let mut bytes = 0;
        let fits = |waiting: &&Waiting<E::Saved>| {
            bytes += waiting.bytes;
            bytes <= room
        };
        let whole = found.iter().take_while(fits).count();
        let packed = expander.pack(&found[whole..]);
        let packed = (0..whole).map(|_| None).chain(packed);
        for (Waiting { number, bytes, choices, saved }, packed) in found.into_iter().zip(packed) {
            let (bytes, saved) = match packed {
                Some((packed, bytes)) => (bytes, Saved::Packed(packed)),
                None => {
                    self.whole_bytes += bytes;
                    (bytes, Saved::Whole(saved))
                }
            };
            let bytes = bytes + size_of::<Entry<E>>();
            self.bytes += bytes;
            self.entries.push_back(Entry { number, bytes, choices, saved });
        }
    }

    /// Takes out the first ones, as many as have no more than so many choices in all, at least one.
    pub(super) fn batch(&mut self, most_choices: usize, expander: &mut E) -> Vec<Waiting<E::Saved>> {
        let mut choices = 0;
        let fits = |entry: &&Entry<E>| {
            choices += entry.choices;
            choices <= most_choices
        };
        let many = self.entries.iter().take_while(fits).count().max(1).min(self.entries.len());
        let entries: Vec<Entry<E>> = self.entries.drain(..many).collect();
        let packed = entries.iter().filter_map(|entry| match &entry.saved {
            Saved::Packed(packed) => Some(packed),
            Saved::Whole(_) => None,
        });
        let mut unpacked = expander.unpack(&packed.collect::<Vec<_>>()).into_iter();
        let mut batch = Vec::new();
        for Entry { number, bytes, choices, saved } in entries {
            self.bytes -= bytes;
            let bytes = bytes - size_of::<Entry<E>>();
            let saved = match saved {
                Saved::Whole(saved) => {
                    self.whole_bytes -= bytes;
                    Some(saved)
                }
                Saved::Packed(_) => unpacked.next(),
            };
            batch.extend(saved.map(|saved| Waiting { number, bytes, choices, saved }));
        }
        batch
    }

    /// Keeps those alone that are asked for, by their place in the order and how many there are.
    pub(super) fn keep(&mut self, is_kept: impl Fn(usize, usize) -> bool) {
        let len = self.len();
        let mut places = 0..len;
        self.entries.retain(|_| places.next().is_some_and(|place| is_kept(place, len)));
        self.bytes = self.entries.iter().map(|entry| entry.bytes).sum();
        let is_whole = |entry: &&Entry<E>| matches!(entry.saved, Saved::Whole(_));
        let whole = self.entries.iter().filter(is_whole);
        self.whole_bytes = whole.map(|entry| entry.bytes - size_of::<Entry<E>>()).sum();
    }
}
