//! Pending states on disk, several per table row; their parts that are not serialised stay in
//! memory.

use super::super::disk::{DiskError, Rows};
use super::super::search::{Packed, PendingForm, SuccessorGenerator};
use super::Entry;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The size limit of a row. The table's pages are powers of two, of which this fills one.
const ROW_BYTES: usize = 60 << 10;

pub(super) struct SpillQueue<E: SuccessorGenerator> {
    rows: Rows,
    len: usize,
    /// Rows that are not written yet.
    unwritten: Vec<Vec<Stored>>,
    unwritten_bytes: usize,
    /// The part of each state that is not serialised.
    rests: VecDeque<E::Unserialised>,
    /// The states that cannot be compressed.
    whole: VecDeque<Box<E::Saved>>,
    whole_bytes: usize,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    number: u32,
    choices: usize,
    bytes: usize,
    /// `None` if it cannot be compressed.
    packed: Option<Vec<u8>>,
}

impl<E: SuccessorGenerator> SpillQueue<E> {
    pub(super) fn new(cache: usize) -> Result<SpillQueue<E>, DiskError> {
        Ok(SpillQueue {
            rows: Rows::new(cache)?,
            len: 0,
            unwritten: Vec::new(),
            unwritten_bytes: 0,
            rests: VecDeque::new(),
            whole: VecDeque::new(),
            whole_bytes: 0,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn bytes(&self) -> usize {
        self.rests.len() * size_of::<E::Unserialised>() + self.whole_bytes
    }

    pub(super) fn bytes_on_disk(&self) -> u64 {
        self.rows.bytes()
    }

    /// Adds a state, which [`write`](Self::write) stores on disk.
    pub(super) fn push(&mut self, entry: Entry<E>) {
        let Entry { number, bytes, choices, saved } = entry;
        let packed = match saved {
            PendingForm::Packed(Packed { bytes, rest }) => {
                self.rests.push_back(rest);
                Some(bytes)
            }
            PendingForm::Whole(saved) => {
                self.whole.push_back(saved);
                self.whole_bytes += bytes;
                None
            }
        };
        let more = size_of::<Stored>() + packed.as_ref().map_or(0, Vec::len);
        let stored = Stored { number, choices, bytes, packed };
        match self.unwritten.last_mut() {
            Some(row) if self.unwritten_bytes + more <= ROW_BYTES => row.push(stored),
            _ => {
                self.unwritten.push(vec![stored]);
                self.unwritten_bytes = 0;
            }
        }
        self.unwritten_bytes += more;
        self.len += 1;
    }

    /// Writes the added states to disk.
    pub(super) fn write(&mut self) -> Result<(), DiskError> {
        let rows: Result<Vec<_>, _> = self.unwritten.iter().map(postcard::to_stdvec).collect();
        self.unwritten.clear();
        self.rows.push(&rows.map_err(|error| DiskError::new(&error))?)
    }

    /// Removes and returns the first states.
    pub(super) fn pop(&mut self) -> Result<Vec<Entry<E>>, DiskError> {
        let row = self.rows.pop()?.unwrap_or_default();
        let row: Vec<Stored> = postcard::from_bytes(&row).map_err(|error| DiskError::new(&error))?;
        self.len -= row.len();
        let entries = row.into_iter().filter_map(|Stored { number, choices, bytes, packed }| {
            let saved = match packed {
                Some(bytes) => PendingForm::Packed(Packed { bytes, rest: self.rests.pop_front()? }),
                None => {
                    self.whole_bytes -= bytes;
                    PendingForm::Whole(self.whole.pop_front()?)
                }
            };
            Some(Entry { number, bytes, choices, saved })
        });
        Ok(entries.collect())
    }
}
