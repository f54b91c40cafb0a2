//! A shard of a proof, done by one of several processes.

use super::beside::ProofEvent;
use super::keys::Scope;
use super::report::{Divergence, Figure, GameReport};
use super::starts::GROUP_COUNT;
use crate::walk::part::check_whole;
use crate::walk::{MergeError, Part, Shard};
use oxbox_machine::machine::ReadSet;
use serde::{Deserialize, Serialize};

/// Additional inputs and starts, for a program that observes them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct More {
    /// Pairs of keys are typed ahead: the program checks for waiting keys.
    pub(super) pairs: bool,
    /// By group of initial conditions that were changed together: each is also changed alone, because
    /// program and twin differ.
    pub(super) apart: [bool; GROUP_COUNT],
    /// Searches begin at other dates: the program reads the date, or the real-time clock.
    pub(super) dates: bool,
    /// Keys are also typed late: the program reads the time.
    pub(super) slow: bool,
}

/// A shard of a proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofPart {
    pub(super) shard: Shard,
    /// A hash of the proof's inputs and options.
    pub(super) proof: u128,
    pub(super) scope: Scope,
    /// The program and its file name, for replaying reported keys.
    pub(super) program: Vec<u8>,
    pub(super) file: String,
    /// The result of the additional check; `None` if it belongs to a different shard.
    pub(super) check: Option<CheckReport>,
    /// The instructions executed for this shard.
    pub(super) instructions: u64,
    /// Additions to the scope that were tried.
    pub(super) more: More,
    /// The state observed before the program's first key.
    pub(super) at_start: ReadSet,
    /// One exploration per twin: first for the first initial state, then for the next.
    pub(super) walks: Vec<Part<ProofEvent>>,
}

/// The result of an additional check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckReport {
    /// Figures of the game's report.
    pub counts: Vec<(String, u64)>,
    /// The errors.
    pub diverging: Vec<Divergence>,
}

impl ProofPart {
    /// Returns the number of the shard.
    pub fn shard(&self) -> Shard {
        self.shard
    }
}

/// Checks that all shards are present. Returns the first, and the shards of each twin's exploration
/// with their names.
pub(super) fn whole(
    parts: &[(String, ProofPart)],
) -> Result<(&ProofPart, Vec<Vec<(String, Part<ProofEvent>)>>), MergeError> {
    check_whole(parts.iter().map(|(name, part)| (name.as_str(), part.proof, part.shard)))?;
    let (_, first) = parts.first().ok_or(MergeError::None)?;
    let walk = |number: usize| {
        let each =
            parts.iter().filter_map(|(name, part)| Some((name.clone(), part.walks.get(number)?.clone())));
        each.collect()
    };
    Ok((first, (0..first.walks.len()).map(walk).collect()))
}

impl From<&CheckReport> for GameReport {
    fn from(check: &CheckReport) -> GameReport {
        let counts = check.counts.iter().map(|(name, count)| (name.clone(), Figure::Count(*count)));
        GameReport {
            figures: counts.collect(),
            divergences: check.diverging.len(),
            diverging: check.diverging.clone(),
            complete: true,
            ..GameReport::default()
        }
    }
}
