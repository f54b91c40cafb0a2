//! How far a walk is to go, how far it is, and how far it went.

use super::disk;
use oxbox_machine::machine::{Class, Classes};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// When two waits are one state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sameness {
    /// Nothing that the program or its user can still see differs.
    #[default]
    State,
    /// Nothing that the program reads differs. What is on the screen is left out, as long as the program does not read it back: right
    /// for questions that do not look at the screen either.
    Program,
    /// As [`State`](Self::State), but what changes by itself never counts, seen or not: an abstraction.
    Memory,
    /// The screens are equal: an abstraction.
    Screen,
}

impl Sameness {
    /// Whether what it merges surely behaves alike.
    pub fn is_exact(self) -> bool {
        matches!(self, Sameness::State | Sameness::Program)
    }

    /// What is kept from the beginning, looked at or not.
    pub fn kept(self) -> Classes {
        if self == Sameness::Program { Classes::default() } else { Classes::default().with(Class::Screen) }
    }
}

/// How far to search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Most choices in a row.
    pub depth: Option<usize>,
    /// Most states.
    pub states: Option<usize>,
    /// Most bytes of memory that states may take, those that are known and those that are not looked at yet. A 64th of it is for
    /// states as they are, the rest for packed ones.
    pub memory: Option<usize>,
    /// Most bytes that states may take on disk when memory is full, in temporary files without a name; 0 keeps all in memory. Without
    /// the feature `spill` all is kept in memory in any case.
    pub disk: Option<u64>,
}

impl Bounds {
    /// Those that a report depends on: all but where states wait.
    pub(super) fn of_report(self) -> Bounds {
        Bounds { memory: None, disk: None, ..self }
    }

    /// States that do not fit into memory go to disk.
    pub(super) fn spills(self) -> bool {
        disk::IS_THERE && self.memory.is_some() && self.disk != Some(0)
    }
}

/// How far a search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// States so far.
    pub states: usize,
    /// States that are known and not looked at yet.
    pub waiting: usize,
    /// Choices in a row.
    pub depth: usize,
    /// Bytes of memory that states take.
    pub bytes: usize,
    /// Bytes that they take on disk.
    pub bytes_on_disk: u64,
}

/// How far a search went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extent {
    /// Different states in which the program waits; of two programs, pairs of them.
    pub states: usize,
    /// Choices that were tried.
    pub choices_tried: usize,
    /// How many choices led to each kind of end: `exit:CODE`, `crash`, `hang`, `reset`; of two programs also `difference`.
    pub ends: BTreeMap<String, usize>,
    /// The most choices in a row that were needed to reach a new state.
    pub depth: usize,
    /// No bound cut anything off, and nothing was found that ended the search early.
    pub complete: bool,
    /// The states took more than [`Bounds::memory`] and [`Bounds::disk`] allow: the search ended there.
    pub overflowed: bool,
    /// States were merged only where nothing that the program can still see differs.
    pub exact: bool,
    /// What could have been left out but was looked at.
    pub seen: Vec<Class>,
    /// What the program has asked for that is not there: devices, interrupts, instructions.
    pub absent: Vec<String>,
    /// The choices to the state that was found last, by number, if [`Bounds::states`], [`Bounds::memory`] or [`Bounds::disk`]
    /// ended the search.
    pub last: Option<Vec<usize>>,
}

impl Extent {
    /// Why nothing follows from what was not found, if the search saw nothing that a user can do, or not the machine that the program
    /// was written for.
    pub fn doubt(&self) -> Option<String> {
        if self.states == 0 {
            return Some("the program ended without waiting for a key".to_owned());
        }
        if self.states == 1 && self.ends.is_empty() && self.choices_tried > 0 {
            return Some("no choice had an effect".to_owned());
        }
        let what = self.absent.join(", ");
        (!what.is_empty()).then(|| format!("the program asked for what is not there: {what}"))
    }
}
