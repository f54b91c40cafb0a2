//! A part of a proof, done by one of several processes, and how all of them become the report of one.

use super::report::{Divergence, Figure, GameReport, Lines};
use super::screen::Screen;
use crate::walk::{MergeError, Shard, part};
use serde::{Deserialize, Serialize};

/// A part of a proof.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProofPart {
    shard: Shard,
    /// A hash of what is proved.
    proof: u128,
    /// What the pieces of each walk have found, in their order; nothing where a piece belongs to another part.
    walks: Vec<Vec<Option<Piece>>>,
}

/// A report in a form that keeps everything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Piece {
    prompts: usize,
    refused_keys: usize,
    divergences: usize,
    outcomes: Lines,
    instructions: u64,
    counts: Vec<(String, u64)>,
    worsts: Vec<(String, u64)>,
    user_wins: Vec<String>,
    diverging: Vec<Place>,
}

/// A divergence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Place {
    keys: String,
    what: String,
    expected: Vec<String>,
    found: Vec<String>,
    screens: Option<(Screen, Screen)>,
}

impl ProofPart {
    /// What the pieces of each walk have found.
    pub(super) fn new(shard: Shard, proof: u128, walks: Vec<Vec<Option<GameReport>>>) -> ProofPart {
        let stored = |pieces: Vec<Option<GameReport>>| {
            pieces.into_iter().map(|piece| piece.map(Piece::from)).collect()
        };
        ProofPart { shard, proof, walks: walks.into_iter().map(stored).collect() }
    }

    /// Which part it is.
    pub fn shard(&self) -> Shard {
        self.shard
    }
}

/// The report of a proof, from all of its parts; each comes with a name for messages.
///
/// ```
/// use oxbox::verify::merge_proofs;
///
/// let oxo = oxbox::games::find("oxo").unwrap();
/// let mut parts = Vec::new();
/// for words in ["1/2", "2/2"] {
///     let part = oxo.proof.hold_part(oxo.program, oxo.file, words.parse()?, &|_| {})?;
///     parts.push((words.to_owned(), part));
/// }
/// assert_eq!(merge_proofs(&parts)?.lines, 76);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When they are not all the parts of one proof.
pub fn merge_proofs(parts: &[(String, ProofPart)]) -> Result<GameReport, MergeError> {
    part::check_whole(parts.iter().map(|(name, part)| (name.as_str(), part.proof, part.shard)))?;
    let Some(((first_name, first), others)) = parts.split_first() else { return Err(MergeError::None) };
    let mut walks: Vec<Vec<Option<&Piece>>> =
        first.walks.iter().map(|pieces| pieces.iter().map(Option::as_ref).collect()).collect();
    for (name, part) in others {
        let unlike = || MergeError::Unlike(first_name.clone(), name.clone());
        if part.walks.len() != walks.len() {
            return Err(unlike());
        }
        for (mine, theirs) in walks.iter_mut().zip(&part.walks) {
            if mine.len() != theirs.len() {
                return Err(unlike());
            }
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                match (&mine, theirs) {
                    // What lies above all units is in every part.
                    (Some(mine), Some(theirs)) if *mine != theirs => return Err(unlike()),
                    (None, Some(theirs)) => *mine = Some(theirs),
                    _ => {}
                }
            }
        }
    }
    let mut reports = Vec::new();
    for pieces in walks {
        let whole: Option<Vec<&Piece>> = pieces.into_iter().collect();
        reports.push(GameReport::sum(whole.ok_or(MergeError::Hole)?.into_iter().map(GameReport::from)));
    }
    Ok(GameReport::all(reports))
}

impl From<GameReport> for Piece {
    fn from(report: GameReport) -> Piece {
        let GameReport { prompts, refused_keys, divergences, outcomes, instructions, .. } = report;
        let figures = |is_count: bool| {
            let named = report.figures.iter();
            let such = named.filter(|(_, figure)| matches!(figure, Figure::Count(_)) == is_count);
            such.map(|(name, figure)| (name.clone(), figure.value())).collect()
        };
        let (counts, worsts) = (figures(true), figures(false));
        let diverging = report.diverging.into_iter().map(|divergence| {
            let Divergence { keys, what, expected, found, screens } = divergence;
            Place { keys, what, expected, found, screens }
        });
        Piece {
            prompts,
            refused_keys,
            divergences,
            outcomes,
            instructions,
            counts,
            worsts,
            user_wins: report.user_wins,
            diverging: diverging.collect(),
        }
    }
}

impl From<&Piece> for GameReport {
    fn from(piece: &Piece) -> GameReport {
        let counts = piece.counts.iter().map(|(name, value)| (name.clone(), Figure::Count(*value)));
        let worsts = piece.worsts.iter().map(|(name, value)| (name.clone(), Figure::Worst(*value)));
        let diverging = piece.diverging.iter().cloned().map(|place| {
            let Place { keys, what, expected, found, screens } = place;
            Divergence { keys, what, expected, found, screens }
        });
        GameReport {
            lines: piece.outcomes.values().sum(),
            prompts: piece.prompts,
            refused_keys: piece.refused_keys,
            divergences: piece.divergences,
            outcomes: piece.outcomes.clone(),
            instructions: piece.instructions,
            figures: counts.chain(worsts).collect(),
            user_wins: piece.user_wins.clone(),
            diverging: diverging.collect(),
            ..GameReport::default()
        }
    }
}
