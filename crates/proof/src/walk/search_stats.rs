//! Limits, progress and final size of a search.

use super::disk;
use oxbox_machine::machine::{CategorySet, ReadSet, StateCategory};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The rule by which two key waits count as the same state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sameness {
    /// Full state: everything that the program or its user can still observe.
    #[default]
    State,
    /// Nothing that the program reads differs. The screen is ignored unless the program reads it
    /// back. Correct for questions that do not depend on the screen.
    Program,
    /// Like [`State`](Self::State), but ignores volatile state even if read: an abstraction.
    Memory,
    /// The screens are equal: an abstraction.
    Screen,
}

impl Sameness {
    /// Returns whether merged states certainly behave equally.
    pub fn is_exact(self) -> bool {
        matches!(self, Sameness::State | Sameness::Program)
    }

    /// Returns the categories that are observed from the start.
    pub fn kept(self) -> CategorySet {
        if self == Sameness::Program {
            CategorySet::default()
        } else {
            CategorySet::default().with(StateCategory::Screen)
        }
    }
}

/// The bounds of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// The most consecutive choices.
    pub depth: Option<usize>,
    /// The most consecutive choices if the program observes the number of ticks or the time since
    /// power-on: its states never repeat.
    pub timed_depth: Option<usize>,
    /// The most states of such a program.
    pub timed_states: Option<usize>,
    /// The most states.
    pub states: Option<usize>,
    /// The most bytes of memory for states, both known and pending. A 64th of it is for
    /// uncompressed states, the rest for compressed ones.
    pub memory: Option<usize>,
    /// The most bytes on disk for states when memory is full, in unnamed temporary files; 0 keeps
    /// all states in memory, as does a build without the feature `spill`.
    pub disk: Option<u64>,
}

impl Bounds {
    /// Returns the bounds that a report depends on: all except those for storage.
    pub(super) fn of_report(self) -> Bounds {
        Bounds { memory: None, disk: None, ..self }
    }

    /// Returns whether states that do not fit into memory are stored on disk.
    pub(super) fn spills(self) -> bool {
        disk::IS_THERE && self.memory.is_some() && self.disk != Some(0)
    }
}

/// The progress of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The number of states.
    pub states: usize,
    /// The number of states that are known but not expanded.
    pub waiting: usize,
    /// The number of consecutive choices.
    pub depth: usize,
    /// The memory for states in bytes.
    pub bytes: usize,
    /// The disk space for states in bytes.
    pub bytes_on_disk: u64,
    /// The statistics so far, with the choices to the last state found, for
    /// [`why_different`](super::why_different()). It is set once when there are 10,000 states, and
    /// again at each following power of ten.
    pub many_states: Option<&'a SearchStats>,
}

/// The statistics of a completed search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchStats {
    /// The number of distinct states in which the program waits; for two programs, of pairs.
    pub states: usize,
    /// The number of choices tried.
    pub choices_tried: usize,
    /// The number of choices that led to each kind of end: `exit:CODE`, `crash`, `hang`, `reset`;
    /// for two programs also `difference`.
    pub ends: BTreeMap<String, usize>,
    /// The most consecutive choices needed to reach a new state.
    pub depth: usize,
    /// The number of consecutive choices of which all were tried.
    pub tried_depth: usize,
    /// Whether the search was complete: no bound was reached, and no match ended it early.
    pub complete: bool,
    /// Whether the search ended because states took more than [`Bounds::memory`] and
    /// [`Bounds::disk`] permit.
    pub overflowed: bool,
    /// Whether states were merged only if no state that the program can still observe differs.
    pub exact: bool,
    /// The state categories that were observed.
    pub seen: Vec<StateCategory>,
    /// The categories and registers that the states contain.
    pub kept: ReadSet,
    /// Missing features that the program used: devices, interrupts, instructions.
    pub absent: Vec<String>,
    /// The choices to the last state found, by number, if [`Bounds::states`], [`Bounds::memory`] or
    /// [`Bounds::disk`] ended the search, or if it is still running ([`Progress::many_states`]).
    pub last: Option<Vec<usize>>,
}

impl SearchStats {
    /// Returns why the absence of a match proves nothing: the search had no effective input, or the
    /// machine lacks something that the program uses.
    pub fn doubt(&self) -> Option<String> {
        if self.states == 0 {
            return Some("the program ended without waiting for a key".to_owned());
        }
        if self.states == 1 && self.ends.is_empty() && self.choices_tried > 0 {
            return Some("no choice had an effect".to_owned());
        }
        let what = self.absent.join(", ");
        (!what.is_empty()).then(|| format!("the program used something that is missing: {what}"))
    }
}
