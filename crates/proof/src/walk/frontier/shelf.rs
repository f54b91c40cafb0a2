//! States that wait on disk, some together in a row of a table; and in memory what of them has no form in bytes.

use super::super::disk::{DiskError, Rows};
use super::super::search::{Expander, Held, Packed};
use super::Entry;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A row has no more states once they take so many bytes. The table's pages are powers of two, and this fills one.
const ROW_BYTES: usize = 60 << 10;

/// States on disk, in their order.
pub(super) struct Shelf<E: Expander> {
    rows: Rows,
    len: usize,
    /// The rows that are to be written next.
    unwritten: Vec<Vec<Stored>>,
    unwritten_bytes: usize,
    /// Of each state what has no form in bytes.
    rests: VecDeque<E::Rest>,
    /// The states that cannot be packed.
    whole: VecDeque<E::Saved>,
    whole_bytes: usize,
}

/// A state in a row.
#[derive(Serialize, Deserialize)]
struct Stored {
    number: u32,
    choices: usize,
    bytes: usize,
    /// Nothing where it cannot be packed.
    packed: Option<Vec<u8>>,
}

impl<E: Expander> Shelf<E> {
    /// Nothing yet.
    pub(super) fn new(cache: usize) -> Result<Shelf<E>, DiskError> {
        Ok(Shelf {
            rows: Rows::new(cache)?,
            len: 0,
            unwritten: Vec::new(),
            unwritten_bytes: 0,
            rests: VecDeque::new(),
            whole: VecDeque::new(),
            whole_bytes: 0,
        })
    }

    /// How many.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.rests.len() * size_of::<E::Rest>() + self.whole_bytes
    }

    /// Bytes on disk.
    pub(super) fn bytes_on_disk(&self) -> u64 {
        self.rows.bytes()
    }

    /// Adds a state, which [`write`](Self::write) puts on disk.
    pub(super) fn push(&mut self, entry: Entry<E>) {
        let Entry { number, bytes, choices, saved } = entry;
        let packed = match saved {
            Held::Packed(Packed { bytes, rest }) => {
                self.rests.push_back(rest);
                Some(bytes)
            }
            Held::Whole(saved) => {
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

    /// Puts what was added on disk.
    pub(super) fn write(&mut self) -> Result<(), DiskError> {
        let rows: Result<Vec<_>, _> = self.unwritten.iter().map(postcard::to_stdvec).collect();
        self.unwritten.clear();
        self.rows.push(&rows.map_err(|error| DiskError::new(&error))?)
    }

    /// Takes out the first states.
    pub(super) fn pop(&mut self) -> Result<Vec<Entry<E>>, DiskError> {
        let row = self.rows.pop()?.unwrap_or_default();
        let row: Vec<Stored> = postcard::from_bytes(&row).map_err(|error| DiskError::new(&error))?;
        self.len -= row.len();
        let entries = row.into_iter().filter_map(|Stored { number, choices, bytes, packed }| {
            let saved = match packed {
                Some(bytes) => Held::Packed(Packed { bytes, rest: self.rests.pop_front()? }),
                None => {
                    self.whole_bytes -= bytes;
                    Held::Whole(self.whole.pop_front()?)
                }
            };
            Some(Entry { number, bytes, choices, saved })
        });
        Ok(entries.collect())
    }
}
