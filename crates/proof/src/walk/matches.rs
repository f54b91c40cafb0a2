//! Matches of predicates, and the matches after which a search ends.

use serde::{Deserialize, Serialize};

/// A match of a predicate.
pub trait MatchKind: Clone + Send {
    /// Returns the number of the predicate.
    fn what(&self) -> usize;
}

/// A match and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match<N> {
    /// The choices that lead to it, by number.
    pub path: Vec<usize>,
    /// The match.
    pub note: N,
}

/// The matches after which a search ends, when it has finished a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Enough {
    /// It finds all states.
    Never,
    /// Each predicate of those that are recorded once has matched, and there is one.
    AllOnce,
    /// This predicate has matched this number of times.
    Matches(usize, usize),
}

impl Enough {
    /// Whether the search ends. Predicates below `once` are recorded once.
    pub(crate) fn is_reached<N: MatchKind>(self, sightings: &[Match<N>], once: usize) -> bool {
        let count = |predicate| sightings.iter().filter(move |sighting| sighting.note.what() == predicate);
        match self {
            Enough::Never => false,
            Enough::AllOnce => once > 0 && (0..once).all(|predicate| count(predicate).next().is_some()),
            Enough::Matches(predicate, number) => count(predicate).count() >= number,
        }
    }
}
