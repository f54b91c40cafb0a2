//! The visited set: numbers by identity, and the first path to each state. The latest states are in
//! memory, earlier ones may be on disk.

use super::disk::{DiskError, Origin, States};
use std::collections::HashMap;

/// The size of a visited state in memory: its identity, its number, its origin.
const BYTES_EACH: usize = 64;

#[derive(Default)]
pub(crate) struct VisitedSet {
    numbers: HashMap<u128, u32>,
    /// The origins of states in memory, in the order of their numbers.
    origins: Vec<Origin>,
    /// The number of states on disk, which are those with the lowest numbers.
    spilled: u32,
    disk: Option<States>,
}

impl VisitedSet {
    pub(super) fn len(&self) -> usize {
        self.spilled as usize + self.origins.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.origins.len() * BYTES_EACH
    }

    pub(super) fn bytes_on_disk(&self) -> u64 {
        self.disk.as_ref().map_or(0, States::bytes)
    }

    /// Returns the number of a state; `None` if it is new.
    pub(super) fn number(&self, identity: u128) -> Result<Option<u32>, DiskError> {
        match (self.numbers.get(&identity), &self.disk) {
            (None, Some(disk)) => disk.number(identity),
            (number, _) => Ok(number.copied()),
        }
    }

    /// Returns the first path to a state; `None` for an unknown number.
    pub(super) fn origin(&self, number: u32) -> Result<Option<Origin>, DiskError> {
        match (number.checked_sub(self.spilled), &self.disk) {
            (None, Some(disk)) => disk.origin(number),
            (place, _) => Ok(place.and_then(|place| self.origins.get(place as usize)).copied()),
        }
    }

    /// Adds a new state with this number.
    pub(super) fn enter(&mut self, identity: u128, number: u32, origin: Origin) {
        self.numbers.insert(identity, number);
        self.origins.push(origin);
    }

    /// Moves all states to disk, with a cache of `cache` bytes.
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
