//! The states that a search knows: their numbers by their identities, and how each was reached first. The latest are in memory;
//! those before them may be on disk.

use super::disk::{DiskError, Origin, States};
use std::collections::HashMap;

/// What a known state takes in memory: its identity, its number, how it was reached.
const BYTES_EACH: usize = 64;

/// Known states.
#[derive(Default)]
pub(crate) struct Known {
    /// Of those in memory.
    numbers: HashMap<u128, u32>,
    /// Of those in memory, in the order of their numbers.
    origins: Vec<Origin>,
    /// How many are on disk: those with the lowest numbers.
    spilled: u32,
    disk: Option<States>,
}

impl Known {
    /// How many.
    pub(super) fn len(&self) -> usize {
        self.spilled as usize + self.origins.len()
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.origins.len() * BYTES_EACH
    }

    /// Bytes on disk.
    pub(super) fn bytes_on_disk(&self) -> u64 {
        self.disk.as_ref().map_or(0, States::bytes)
    }

    /// The number of a state; nothing where it is new.
    pub(super) fn number(&self, identity: u128) -> Result<Option<u32>, DiskError> {
        match (self.numbers.get(&identity), &self.disk) {
            (None, Some(disk)) => disk.number(identity),
            (number, _) => Ok(number.copied()),
        }
    }

    /// How a state was reached; nothing for what is no state.
    pub(super) fn origin(&self, number: u32) -> Result<Option<Origin>, DiskError> {
        match (number.checked_sub(self.spilled), &self.disk) {
            (None, Some(disk)) => disk.origin(number),
            (place, _) => Ok(place.and_then(|place| self.origins.get(place as usize)).copied()),
        }
    }

    /// Adds a new state, which has this number.
    pub(super) fn enter(&mut self, identity: u128, number: u32, origin: Origin) {
        self.numbers.insert(identity, number);
        self.origins.push(origin);
    }

    /// Puts all on disk, with so many bytes of memory for what is looked up there most.
    pub(super) fn spill(&mut self, cache: usize) -> Result<(), DiskError> {
        let disk = match &mut self.disk {
            Some(disk) => disk,
            none => none.insert(States::new(cache)?),
        };
        let mut numbers: Vec<(u128, u32)> = self.numbers.drain().collect();
        numbers.sort_unstable();
        let first = self.spilled;
        self.spilled += self.origins.len() as u32;
        disk.extend(&numbers, (first..).zip(self.origins.drain(..)))
    }
}
