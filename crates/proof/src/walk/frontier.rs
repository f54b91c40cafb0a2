//! The queue of pending states, in the order of discovery.
//!
//! An uncompressed state can be restored quickly, but takes a page for each page that the program
//! has written. So most of the memory is for compressed states: the first few are uncompressed and
//! all others compressed. When memory is full, the last ones are stored on disk, and all later ones
//! follow until none is left there.

mod spill_queue;

use super::disk::DiskError;
use super::search::{PendingForm, PendingFormOf, PendingState, SuccessorGenerator};
use spill_queue::SpillQueue;
use std::collections::VecDeque;

/// The size of an uncompressed state of an ordinary program, at most.
const LARGE_STATE: usize = 128 << 10;

pub(super) struct Frontier<E: SuccessorGenerator> {
    /// The first ones, in memory.
    entries: VecDeque<Entry<E>>,
    /// The following ones, on disk.
    spilled: Option<SpillQueue<E>>,
    bytes: usize,
    whole_bytes: usize,
}

struct Entry<E: SuccessorGenerator> {
    number: u32,
    bytes: usize,
    choices: usize,
    saved: PendingFormOf<E>,
}

/// Memory limits for further states, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// For uncompressed states.
    pub(super) whole: usize,
    /// For all states. Others go to disk.
    pub(super) all: usize,
    /// For the disk cache.
    pub(super) cache: usize,
}

impl<E: SuccessorGenerator> Entry<E> {
    /// Returns its size in memory without [`Entry`] itself.
    fn saved_bytes(&self) -> usize {
        self.bytes - size_of::<Entry<E>>()
    }
}

impl<E: SuccessorGenerator> Frontier<E> {
    pub(super) fn new() -> Self {
        Frontier { entries: VecDeque::new(), spilled: None, bytes: 0, whole_bytes: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len() + self.spilled.as_ref().map_or(0, SpillQueue::len)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.spilled.as_ref().map_or(0, SpillQueue::bytes)
    }

    pub(super) fn bytes_on_disk(&self) -> u64 {
        self.spilled.as_ref().map_or(0, SpillQueue::bytes_on_disk)
    }

    /// Returns the size of uncompressed states in bytes.
    pub(super) fn whole_bytes(&self) -> usize {
        self.whole_bytes
    }

    /// Returns whether this many states fit into memory uncompressed.
    pub(super) fn takes_whole(&self, room: Room, states: usize) -> bool {
        self.spilled.is_none() && room.whole / LARGE_STATE >= states
    }

    pub(super) fn extend(
        &mut self,
        found: Vec<PendingState<PendingFormOf<E>>>,
        room: Room,
    ) -> Result<(), DiskError> {
        let most = self.bytes.saturating_add(room.all);
        for PendingState { number, bytes, choices, saved } in found {
            let bytes = bytes + size_of::<Entry<E>>();
            self.push(Entry { number, bytes, choices, saved }, most, room.cache)?;
        }
        self.spilled.as_mut().map_or(Ok(()), SpillQueue::write)
    }

    /// Adds a state, in memory if the states there take at most `most` bytes.
    fn push(&mut self, entry: Entry<E>, most: usize, cache: usize) -> Result<(), DiskError> {
        if self.spilled.is_none() && self.bytes.saturating_add(entry.bytes) <= most {
            self.enter(entry);
            return Ok(());
        }
        let spilled = match &mut self.spilled {
            Some(spilled) => spilled,
            none => none.insert(SpillQueue::new(cache)?),
        };
        spilled.push(entry);
        Ok(())
    }

    fn enter(&mut self, entry: Entry<E>) {
        self.bytes += entry.bytes;
        if let PendingForm::Whole(_) = entry.saved {
            self.whole_bytes += entry.saved_bytes();
        }
        self.entries.push_back(entry);
    }

    fn first(&mut self) -> Result<Option<&Entry<E>>, DiskError> {
        if let (true, Some(spilled)) = (self.entries.is_empty(), &mut self.spilled) {
            let entries = spilled.pop()?;
            if spilled.len() == 0 {
                self.spilled = None;
            }
            entries.into_iter().for_each(|entry| self.enter(entry));
        }
        Ok(self.entries.front())
    }

    fn pop(&mut self) -> Option<Entry<E>> {
        let entry = self.entries.pop_front()?;
        self.bytes -= entry.bytes;
        if let PendingForm::Whole(_) = entry.saved {
            self.whole_bytes -= entry.saved_bytes();
        }
        Some(entry)
    }

    /// Removes and returns the first states, at least one, with up to `most_choices` choices.
    pub(super) fn batch(
        &mut self,
        most_choices: usize,
        expander: &mut E,
    ) -> Result<Vec<PendingState<E::Saved>>, DiskError> {
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
            PendingForm::Packed(packed) => Some(packed),
            PendingForm::Whole(_) => None,
        });
        let unpacked = expander.unpack(&packed.collect::<Vec<_>>());
        let mut unpacked = unpacked.map_err(|error| DiskError::new(&error))?.into_iter();
        let mut batch = Vec::new();
        for Entry { number, bytes, choices, saved } in entries {
            let saved = match saved {
                PendingForm::Whole(saved) => Some(*saved),
                PendingForm::Packed(_) => unpacked.next(),
            };
            batch.extend(saved.map(|saved| PendingState { number, bytes, choices, saved }));
        }
        Ok(batch)
    }

    /// Keeps only the states for which the predicate, called with index and count, returns true.
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
        if let Some(spilled) = &mut kept.spilled {
            spilled.write()?;
        }
        *self = kept;
        Ok(())
    }
}
