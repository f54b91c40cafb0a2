//! Shards: the work of one process on a search, and merging of all shards to one report.

use super::disk::DiskError;
use super::error::WalkError;
use super::graph::{EdgeTarget, Graph};
use super::search::{
    Enough, Keep, Match, MatchKind, NewState, Outcome, Packed, PendingForm, PendingFormOf, PendingState,
    Plan, Reached, Successor, SuccessorGenerator, Transition, search,
};
use super::search_stats::{Bounds, Sameness, SearchStats};
use super::shard::Shard;
use super::visited::VisitedSet;
use oxbox_machine::machine::{ReadSet, SnapshotError};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// A shard of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part<N> {
    pub(super) shard: Shard,
    /// A hash of programs, choices and options, equal for all shards of a search.
    pub(super) walk: u128,
    pub(super) choices: Vec<String>,
    pub(super) bounds: Bounds,
    /// Predicates below this number are recorded only once, at their first match.
    pub(super) asked: usize,
    /// The end of the search before all states are found.
    pub(super) enough: Enough,
    /// The equivalence of states, which must be exact.
    sameness: Sameness,
    /// The matches with screens, each with its choices, if the states of the graph have no screen.
    shown: Vec<(Vec<usize>, N)>,
    kept: ReadSet,
    overflowed: bool,
    absent: Vec<String>,
    graph: Graph<N>,
}

/// The reason why a shard cannot be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PartError {
    /// The search itself failed.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The options would merge states that the program or its user can distinguish.
    #[error("--shard needs an exact search: leave out --same")]
    Inexact,
}

/// The reason why shards cannot be merged. Names are those given by the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// No shards were given.
    #[error("no parts to merge")]
    None,
    /// Shards of different searches.
    #[error(
        "{0} and {1} are parts of different searches: the program, the choices, an option or oxbox itself differs"
    )]
    Foreign(String, String),
    /// Shards of different divisions.
    #[error("{0} is part {1}, but {2} is part {3}: use the same number of parts")]
    Divided(String, Shard, String, Shard),
    /// A shard that was given twice.
    #[error("{0} and {1} are both part {2}: leave one of them out")]
    Doubled(String, String, Shard),
    /// Missing shards.
    #[error("missing: part {0}")]
    Lost(String),
    /// A shard that ran out of memory.
    #[error("{0} is not finished: its states took more memory than it was allowed")]
    Overflowed(String),
    /// Shards in which the program observed a category that others ignore.
    #[error(
        "the program observes something in one part that others leave out: run {0} again, with --observed-from {1}, then merge"
    )]
    Kept(String, String),
    /// Shards with contradictory results for the same state.
    #[error("{0} and {1} differ in the same state: the program's folder differs, or one is damaged")]
    Unlike(String, String),
    /// An inconsistent shard, which refers to a state or an end that it does not contain.
    #[error("{0} is damaged: run the part again")]
    Damaged(String),
    /// A search without a recorded graph, which is a bug of oxbox.
    #[error("the search has lost its results, which is a mistake in oxbox: please report it")]
    NoGraph,
    /// No shard has tried a state that the whole search tries.
    #[error("a state is in no part: one of the parts is damaged")]
    Hole,
    /// The disk is full.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl<N> Part<N> {
    /// Returns the number of the shard.
    pub fn shard(&self) -> Shard {
        self.shard
    }

    /// Returns whether it exceeded its memory limit and is therefore useless.
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// Returns the categories that the program observed, which other shards must observe, too.
    pub fn kept(&self) -> &ReadSet {
        &self.kept
    }
}

pub(crate) struct About {
    pub(crate) walk: u128,
    pub(crate) choices: Vec<String>,
    pub(crate) bounds: Bounds,
    pub(crate) asked: usize,
    pub(crate) enough: Enough,
}

impl About {
    /// Creates a shard from the result of a search. Fails if the search has not recorded a graph.
    pub(crate) fn part<N: MatchKind>(self, shard: Shard, outcome: Outcome<N>) -> Result<Part<N>, WalkError> {
        let About { walk, choices, bounds, asked, enough } = self;
        let Outcome { stats, graph, .. } = outcome;
        let SearchStats { kept, overflowed, absent, .. } = stats;
        let graph = graph.ok_or(MergeError::NoGraph)?;
        let (sameness, shown) = (Sameness::State, Vec::new());
        Ok(Part {
            shard,
            walk,
            choices,
            bounds,
            asked,
            enough,
            sameness,
            shown,
            kept,
            overflowed,
            absent,
            graph,
        })
    }

    /// Like [`part`](Self::part), with this exact equivalence. A search without screens adds the
    /// screens to its matches afterwards, so the shard stores the matches separately.
    pub(super) fn part_with<N: MatchKind>(
        self,
        sameness: Sameness,
        shard: Shard,
        mut outcome: Outcome<N>,
    ) -> Result<Part<N>, WalkError> {
        let sightings = std::mem::take(&mut outcome.sightings);
        let shown = sightings.into_iter().filter(|_| sameness == Sameness::Program);
        let shown = shown.map(|Match { path, note }| (path, note)).collect();
        Ok(Part { sameness, shown, ..self.part(shard, outcome)? })
    }
}

/// Merges the shards of a search by searching their graphs. Each has a name for messages. Fails if
/// they are not all the shards of one search.
pub(super) fn merge<N: MatchKind>(parts: &[(String, Part<N>)]) -> Result<Outcome<N>, MergeError> {
    searched_again(parts, None)
}

/// Like [`merge`], and also returns one graph of everything that was tried.
pub(crate) fn merge_with_graph<N: MatchKind>(
    parts: &[(String, Part<N>)],
) -> Result<(Outcome<N>, Graph<N>), MergeError> {
    let mut outcome = searched_again(parts, Some(Shard::WHOLE))?;
    let graph = outcome.graph.take().ok_or(MergeError::NoGraph)?;
    Ok((outcome, graph))
}

fn searched_again<N: MatchKind>(
    parts: &[(String, Part<N>)],
    shard: Option<Shard>,
) -> Result<Outcome<N>, MergeError> {
    let Some((_, first)) = parts.first() else { return Err(MergeError::None) };
    check(parts)?;
    let mut joined = Joined::new(parts)?;
    let plan = Plan {
        bounds: first.bounds.of_report(),
        sameness: first.sameness,
        once: first.asked,
        enough: first.enough,
        shard,
        progress: &|_| {},
    };
    let mut outcome = search(&mut joined, &plan, first.kept.clone())?;
    let absent: BTreeSet<&String> = parts.iter().flat_map(|(_, part)| &part.absent).collect();
    outcome.stats.absent = absent.into_iter().cloned().collect();
    // The shard with the path of a match in the whole search has recorded the match with the same
    // path.
    let shown: HashMap<(&[usize], usize), &N> = parts
        .iter()
        .flat_map(|(_, part)| &part.shown)
        .map(|(path, note)| ((path.as_slice(), note.what()), note))
        .collect();
    for Match { path, note } in &mut outcome.sightings {
        if let Some(&shown) = shown.get(&(path.as_slice(), note.what())) {
            note.clone_from(shown);
        }
    }
    if joined.has_hole { Err(MergeError::Hole) } else { Ok(outcome) }
}

/// Checks that all shards of one search are present once, by name, hash of the search, and number.
/// Fails if they are not.
pub(crate) fn check_whole<'a>(
    parts: impl Iterator<Item = (&'a str, u128, Shard)> + Clone,
) -> Result<(), MergeError> {
    let mut found: HashMap<usize, &str> = HashMap::new();
    let Some((first_name, first_walk, first)) = parts.clone().next() else { return Err(MergeError::None) };
    let of = first.of();
    for (name, walk, shard) in parts {
        if walk != first_walk {
            return Err(MergeError::Foreign(first_name.to_owned(), name.to_owned()));
        }
        if shard.of() != of {
            return Err(MergeError::Divided(first_name.to_owned(), first, name.to_owned(), shard));
        }
        if let Some(other) = found.insert(shard.number(), name) {
            return Err(MergeError::Doubled(other.to_owned(), name.to_owned(), shard));
        }
    }
    let lost = (1..=of).filter(|number| !found.contains_key(number));
    let lost: Vec<String> = lost.map(|number| format!("{number}/{of}")).collect();
    if lost.is_empty() { Ok(()) } else { Err(MergeError::Lost(lost.join(", "))) }
}

/// Checks that these are all the shards of one search, and consistent.
fn check<N>(parts: &[(String, Part<N>)]) -> Result<(), MergeError> {
    check_whole(parts.iter().map(|(name, part)| (name.as_str(), part.walk, part.shard)))?;
    if let Some((name, _)) = parts.iter().find(|(_, part)| part.overflowed) {
        return Err(MergeError::Overflowed(name.clone()));
    }
    if let Some((name, _)) = parts.iter().find(|(_, part)| !part.graph.is_whole()) {
        return Err(MergeError::Damaged(name.clone()));
    }
    let mut all = ReadSet::default();
    for (_, part) in parts {
        all.extend(&part.kept);
    }
    let again: Vec<String> = parts
        .iter()
        .filter(|(_, part)| !part.kept.keeps_as(&all))
        .map(|(_, part)| part.shard.to_string())
        .collect();
    if again.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
    Err(MergeError::Kept(again.join(", "), names.join(" --observed-from ")))
}

/// The graphs of all shards, as one subject that looks up choices.
struct Joined<'a, N> {
    graphs: Vec<&'a Graph<N>>,
    start: Place<'a>,
    /// For each state, the graph that expanded it (or first reached it) and its number there.
    states: HashMap<u128, (usize, u32)>,
    /// All matches of all shards: a match that counts once is recorded where each shard first
    /// reaches it, which differs between shards.
    sights: HashMap<(Option<u128>, Option<u16>), Vec<&'a N>>,
    /// Whether a state that must be tried was not tried in any shard.
    has_hole: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Place<'a> {
    State(u128),
    End(&'a str),
}

/// Returns the result of an edge; `None` if the graph does not contain it.
fn place<N>(graph: &Graph<N>, to: EdgeTarget) -> Option<Place<'_>> {
    match to {
        EdgeTarget::State(state) => graph.identity(state).map(Place::State),
        EdgeTarget::End(end) => graph.end_name(end).map(Place::End),
    }
}

impl<'a, N: MatchKind> Joined<'a, N> {
    fn new(parts: &'a [(String, Part<N>)]) -> Result<Self, MergeError> {
        let (first_name, first) = parts.first().ok_or(MergeError::None)?;
        let start = place(&first.graph, first.graph.start());
        let start = start.ok_or_else(|| MergeError::Damaged(first_name.clone()))?;
        let graphs = parts.iter().map(|(_, part)| &part.graph).collect();
        let (states, sights) = (HashMap::new(), HashMap::new());
        let mut joined = Joined { graphs, start, states, sights, has_hole: false };
        for number in 0..parts.len() {
            if let Some(other) = joined.add(number) {
                let [a, b] = [other, number].map(|number| parts[number].0.clone());
                return Err(MergeError::Unlike(a, b));
            }
        }
        Ok(joined)
    }

    /// Adds a graph. Returns another one that contradicts it for a state, if any.
    fn add(&mut self, number: usize) -> Option<usize> {
        let graph = self.graphs[number];
        if place(graph, graph.start()) != Some(self.start) {
            return Some(0);
        }
        for (identity, state) in graph.identities() {
            let Some(&(other, at)) = self.states.get(&identity) else {
                self.states.insert(identity, (number, state));
                continue;
            };
            match (self.led(other, at), self.led(number, state)) {
                (Some(theirs), Some(mine)) if theirs != mine => return Some(other),
                (None, Some(_)) => {
                    self.states.insert(identity, (number, state));
                }
                _ => {}
            }
        }
        for (state, choice, note) in graph.sights() {
            let notes = self.sights.entry((graph.identity(state), choice)).or_default();
            if !notes.iter().any(|other| other.what() == note.what()) {
                notes.push(note);
            }
        }
        None
    }

    /// Returns the results of a state's choices in the common form.
    fn led(&self, graph: usize, state: u32) -> Option<Vec<Place<'a>>> {
        let graph = self.graphs[graph];
        graph.choices(state)?.map(|to| place(graph, to)).collect()
    }

    fn notes(&self, identity: Option<u128>, choice: Option<u16>) -> Vec<N> {
        self.sights.get(&(identity, choice)).into_iter().flatten().map(|&note| note.clone()).collect()
    }

    fn tried(
        &self,
        to: Place<'_>,
        notes: Vec<N>,
        known: &VisitedSet,
        keep: Keep,
    ) -> Result<Reached<Self>, DiskError> {
        let arrival = match to {
            Place::End(end) => Successor::End(end.to_owned()),
            Place::State(identity) => {
                let fresh = known.number(identity)?.is_none().then(|| self.fresh(identity, keep));
                Successor::Wait(identity, fresh)
            }
        };
        Ok(Transition { arrival, notes })
    }

    fn fresh(&self, identity: u128, keep: Keep) -> NewState<PendingFormOf<Self>, N> {
        let found = self.states.get(&identity);
        let choices = found.and_then(|&(graph, state)| self.graphs[graph].choices(state));
        // A bound may have kept all shards from trying a state's choices, but they contain its
        // matches.
        let notes = self.notes(Some(identity), None);
        let saved = (keep != Keep::No).then(|| PendingForm::Whole(Box::new(identity)));
        NewState { saved, bytes: 0, choices: choices.map_or(0, |choices| choices.len()), notes }
    }
}

impl<N: MatchKind> SuccessorGenerator for Joined<'_, N> {
    type Saved = u128;
    type Unserialised = u128;
    type MatchKind = N;

    fn start(&mut self, _: &ReadSet) -> Result<Reached<Self>, DiskError> {
        self.tried(self.start, self.notes(None, None), &VisitedSet::default(), Keep::Whole)
    }

    fn expand(
        &mut self,
        batch: &[PendingState<u128>],
        known: &VisitedSet,
        _: &ReadSet,
        keep: Keep,
    ) -> Result<(Vec<Reached<Self>>, ReadSet), DiskError> {
        let mut tried = Vec::new();
        for waiting in batch {
            let found = self.states.get(&waiting.saved);
            let Some(led) = found.and_then(|&(graph, state)| self.led(graph, state)) else {
                self.has_hole = true;
                continue;
            };
            for (choice, to) in (0..).zip(led) {
                let notes = self.notes(Some(waiting.saved), Some(choice));
                tried.push(self.tried(to, notes, known, keep)?);
            }
        }
        Ok((tried, ReadSet::default()))
    }

    fn unpack(&mut self, packed: &[&Packed<u128>]) -> Result<Vec<u128>, SnapshotError> {
        Ok(packed.iter().map(|packed| packed.rest).collect())
    }
}
