//! States that are known and not looked at yet, in the order in which they were found.
//!
//! A state as it was saved is quick to go back to, but takes a page for each that the program has written. So most of the memory that a
//! search may take is for packed states: the first few wait as they are, all others packed, until their turn comes. What does not
//! fit into memory then waits on disk: the last ones, so that all that is found later goes there too, until none is left there.

mod shelf;

use super::disk::DiskError;
use super::search::{Expander, Held, HeldOf, Waiting};
use shelf::Shelf;
use std::collections::VecDeque;

/// Bytes that a state takes as it was saved, at most in an ordinary program.
const LARGE_STATE: usize = 128 << 10;

/// States that wait.
pub(super) struct Frontier<E: Expander> {
    /// The first ones, in memory.
    entries: VecDeque<Entry<E>>,
    /// Those after them.
    shelf: Option<Shelf<E>>,
    bytes: usize,
    whole_bytes: usize,
}

/// A state that waits.
struct Entry<E: Expander> {
    number: u32,
    bytes: usize,
    choices: usize,
    saved: HeldOf<E>,
}

/// Memory for more states, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// For states as they were saved.
    pub(super) whole: usize,
    /// For all; what does not fit goes to disk.
    pub(super) all: usize,
    /// For what is read of the disk.
    pub(super) cache: usize,
}

impl<E: Expander> Entry<E> {
    /// What it takes in memory, without what stands in [`Entry`] itself.
    fn saved_bytes(&self) -> usize {
        self.bytes - size_of::<Entry<E>>()
    }
}

impl<E: Expander> Frontier<E> {
    /// Nothing waits.
    pub(super) fn new() -> Self {
        Frontier { entries: VecDeque::new(), shelf: None, bytes: 0, whole_bytes: 0 }
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.entries.len() + self.shelf.as_ref().map_or(0, Shelf::len)
    }

    /// Nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.shelf.as_ref().map_or(0, Shelf::bytes)
    }

    /// Bytes on disk.
    pub(super) fn bytes_on_disk(&self) -> u64 {
        self.shelf.as_ref().map_or(0, Shelf::bytes_on_disk)
    }

    /// Bytes of those that are not packed.
    pub(super) fn whole_bytes(&self) -> usize {
        self.whole_bytes
    }

    /// Whether this many states may be added as they are, without packing: if all of them fit into the room.
    pub(super) fn takes_whole(&self, room: Room, states: usize) -> bool {
        self.shelf.is_none() && room.whole / LARGE_STATE >= states
    }

    /// Adds what has been found.
    pub(super) fn extend(&mut self, found: Vec<Waiting<HeldOf<E>>>, room: Room) -> Result<(), DiskError> {
        let most = self.bytes.saturating_add(room.all);
        for Waiting { number, bytes, choices, saved } in found {
            let bytes = bytes + size_of::<Entry<E>>();
            self.push(Entry { number, bytes, choices, saved }, most, room.cache)?;
        }
        self.shelf.as_mut().map_or(Ok(()), Shelf::write)
    }

    /// Adds a state: to those in memory, while they take no more than so many bytes.
    fn push(&mut self, entry: Entry<E>, most: usize, cache: usize) -> Result<(), DiskError> {
        if self.shelf.is_none() && self.bytes.saturating_add(entry.bytes) <= most {
            self.enter(entry);
            return Ok(());
        }
        let shelf = match &mut self.shelf {
            Some(shelf) => shelf,
            none => none.insert(Shelf::new(cache)?),
        };
        shelf.push(entry);
        Ok(())
    }

    fn enter(&mut self, entry: Entry<E>) {
        self.bytes += entry.bytes;
        if let Held::Whole(_) = entry.saved {
            self.whole_bytes += entry.saved_bytes();
        }
        self.entries.push_back(entry);
    }

    /// The first one.
    fn first(&mut self) -> Result<Option<&Entry<E>>, DiskError> {
        if let (true, Some(shelf)) = (self.entries.is_empty(), &mut self.shelf) {
            let entries = shelf.pop()?;
            if shelf.len() == 0 {
                self.shelf = None;
            }
            entries.into_iter().for_each(|entry| self.enter(entry));
        }
        Ok(self.entries.front())
    }

    fn pop(&mut self) -> Option<Entry<E>> {
        let entry = self.entries.pop_front()?;
        self.bytes -= entry.bytes;
        if let Held::Whole(_) = entry.saved {
            self.whole_bytes -= entry.saved_bytes();
        }
        Some(entry)
    }

    /// Takes out the first ones, as many as have no more than so many choices in all, at least one.
    pub(super) fn batch(
        &mut self,
        most_choices: usize,
        expander: &mut E,
    ) -> Result<Vec<Waiting<E::Saved>>, DiskError> {
        let mut entries = Vec::new();
        let mut choices = 0;
        while let Some(first) = self.first()? {
            choices += first.choices;
            if choices > most_choices && !entries.is_empty() {
                break;
            }
            entries.extend(self.pop());
        }
        let packed = entries.iter().filter_map(|entry| match &entry.saved {
            Held::Packed(packed) => Some(packed),
            Held::Whole(_) => None,
        });
        let unpacked = expander.unpack(&packed.collect::<Vec<_>>());
        let mut unpacked = unpacked.map_err(|error| DiskError::new(&error))?.into_iter();
        let mut batch = Vec::new();
        for Entry { number, bytes, choices, saved } in entries {
            let saved = match saved {
                Held::Whole(saved) => Some(saved),
                Held::Packed(_) => unpacked.next(),
            };
            batch.extend(saved.map(|saved| Waiting { number, bytes, choices, saved }));
        }
        Ok(batch)
    }

    /// Keeps those alone that are asked for, by their place in the order and how many there are.
    pub(super) fn keep(
        &mut self,
        is_kept: impl Fn(usize, usize) -> bool,
        room: Room,
    ) -> Result<(), DiskError> {
        let mut kept = Frontier::new();
        let most = self.bytes.saturating_add(room.all);
        let len = self.len();
        for place in 0..len {
            self.first()?;
            if let Some(entry) = self.pop().filter(|_| is_kept(place, len)) {
                kept.push(entry, most, room.cache)?;
            }
        }
        if let Some(shelf) = &mut kept.shelf {
            shelf.write()?;
        }
        *self = kept;
        Ok(())
    }
}
