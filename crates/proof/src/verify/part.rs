//! A part of a proof, done by one of several processes.

use super::beside::Noted;
use super::keys::Scope;
use super::report::{Divergence, Figure, GameReport};
use crate::walk::part::check_whole;
use crate::walk::{MergeError, Part, Shard};
use oxbox_machine::machine::Looks;
use serde::{Deserialize, Serialize};

/// A part of a proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofPart {
    pub(super) shard: Shard,
    /// A hash of what is proved, and how.
    pub(super) proof: u128,
    pub(super) scope: Scope,
    /// The program and its file name: what is reported is played again.
    pub(super) program: Vec<u8>,
    pub(super) file: String,
    /// What else the program was held against; nothing where that belongs to another part.
    pub(super) check: Option<Checked>,
    /// What was executed here.
    pub(super) instructions: u64,
    /// Keys were typed ahead, since the program asks whether one waits.
    pub(super) pairs: bool,
    /// What the program looks at before its first key.
    pub(super) at_start: Looks,
    /// One walk a twin, from the first way in which the program may find the machine, then from the next.
    pub(super) walks: Vec<Part<Noted>>,
}

/// What a check has found, in a form that keeps everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Checked {
    counts: Vec<(String, u64)>,
    divergences: usize,
    instructions: u64,
    diverging: Vec<(String, String, Vec<String>, Vec<String>)>,
}

impl ProofPart {
    /// Which part it is.
    pub fn shard(&self) -> Shard {
        self.shard
    }
}

/// All that are needed are there: the first of them, and of each twin the parts of its walk with their names.
pub(super) fn whole(
    parts: &[(String, ProofPart)],
) -> Result<(&ProofPart, Vec<Vec<(String, Part<Noted>)>>), MergeError> {
    check_whole(parts.iter().map(|(name, part)| (name.as_str(), part.proof, part.shard)))?;
    let (_, first) = parts.first().ok_or(MergeError::None)?;
    let walk = |number: usize| {
        let each =
            parts.iter().filter_map(|(name, part)| Some((name.clone(), part.walks.get(number)?.clone())));
        each.collect()
    };
    Ok((first, (0..first.walks.len()).map(walk).collect()))
}

impl From<GameReport> for Checked {
    fn from(report: GameReport) -> Checked {
        let counts = report.figures.iter().map(|(name, figure)| (name.clone(), figure.value())).collect();
        let place = |divergence: Divergence| {
            (divergence.keys, divergence.what, divergence.expected, divergence.found)
        };
        Checked {
            counts,
            divergences: report.divergences,
            instructions: report.instructions,
            diverging: report.diverging.into_iter().map(place).collect(),
        }
    }
}

impl From<&Checked> for GameReport {
    fn from(checked: &Checked) -> GameReport {
        let counts = checked.counts.iter().map(|(name, count)| (name.clone(), Figure::Count(*count)));
        let diverging = checked.diverging.iter().cloned().map(|(keys, what, expected, found)| Divergence {
            keys,
            what,
            expected,
            found,
            ..Divergence::default()
        });
        GameReport {
            figures: counts.collect(),
            divergences: checked.divergences,
            instructions: checked.instructions,
            diverging: diverging.collect(),
            ..GameReport::default()
        }
    }
}
