//! What one process has done of a walk, and how the parts of all become the report of one.

use super::disk::DiskError;
use super::error::WalkError;
use super::extent::{Bounds, Sameness};
use super::graph::{Graph, To};
use super::known::Known;
use super::search::{
    Arrival, Expander, Fresh, Held, HeldOf, Keep, Note, Outcome, Packed, Plan, Reached, Sighting, Tried,
    Waiting, all_seen, search,
};
use super::shard::Shard;
use oxbox_machine::machine::{Looks, SnapshotError};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// A part of a walk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part<N> {
    pub(super) shard: Shard,
    /// Equal for parts of one walk: a hash of programs, choices and options.
    pub(super) walk: u128,
    /// The names of the choices.
    pub(super) choices: Vec<String>,
    pub(super) bounds: Bounds,
    /// The first so many of what is looked for are noted once.
    pub(super) asked: usize,
    /// [`asked`](Self::asked) is all that is looked for.
    pub(super) ends_when_found: bool,
    /// When two waits are one state: an exact way.
    sameness: Sameness,
    /// Matches as the user sees them, each with its choices, if the states of the graph have no screen.
    shown: Vec<(Vec<usize>, N)>,
    kept: Looks,
    overflowed: bool,
    absent: Vec<String>,
    graph: Graph<N>,
}

/// Why there is no part.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PartError {
    /// The whole would not go either.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// States would be merged that the program or its user can tell apart.
    #[error("only a walk that merges what nobody can tell apart is divided: leave out --same")]
    Inexact,
}

/// Why parts are not a whole. Each names parts by what they were called by whoever brought them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// There is none.
    #[error("there is no part to merge")]
    None,
    /// Parts of different walks.
    #[error(
        "{0} and {1} are parts of different walks: the program, the choices, an option or oxbox itself differs"
    )]
    Foreign(String, String),
    /// Parts of different numbers of parts.
    #[error("{0} is part {1}, but {2} is part {3}: divide the walk once")]
    Divided(String, Shard, String, Shard),
    /// One part twice.
    #[error("{0} and {1} are both part {2}: leave one of them out")]
    Doubled(String, String, Shard),
    /// Parts that are not there.
    #[error("missing: part {0}")]
    Lost(String),
    /// A part that ran out of memory.
    #[error("{0} is not finished: its states took more memory than it was allowed")]
    Overflowed(String),
    /// Parts in which the program has looked at something that others do not keep apart.
    #[error(
        "the program looks at something in one part that others leave out: run {0} again, with --keep {1}, then merge"
    )]
    Kept(String, String),
    /// Parts that tell different things of the same state.
    #[error(
        "{0} and {1} tell different things of the same state: the program's folder differs, or one is damaged"
    )]
    Unlike(String, String),
    /// A part does not hold together: it leads to a state or an end that it does not have.
    #[error("{0} is damaged: do that part again")]
    Damaged(String),
    /// A walk has not kept what it tried: a mistake of oxbox.
    #[error("the walk has not kept what it tried, which is a mistake of oxbox: report it")]
    NoGraph,
    /// No part has tried a state that the whole walk tries.
    #[error("no part has tried a state that the whole walk tries: one of them is damaged")]
    Hole,
    /// States find no place on disk.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl<N> Part<N> {
    /// Which part it is.
    pub fn shard(&self) -> Shard {
        self.shard
    }

    /// Its states took more memory than they were allowed, so it is of no use.
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// What the program has looked at, for parts that are to keep the same.
    pub fn kept(&self) -> &Looks {
        &self.kept
    }
}

/// What a part is a part of.
pub(crate) struct About {
    pub(crate) walk: u128,
    pub(crate) choices: Vec<String>,
    pub(crate) bounds: Bounds,
    pub(crate) asked: usize,
    pub(crate) ends_when_found: bool,
}

impl About {
    /// What a search over a part has found.
    ///
    /// # Errors
    /// When the search has kept no graph.
    pub(crate) fn part<N: Note>(self, shard: Shard, outcome: Outcome<N>) -> Result<Part<N>, WalkError> {
        let About { walk, choices, bounds, asked, ends_when_found } = self;
        let Outcome { extent, kept, graph, .. } = outcome;
        let (overflowed, absent) = (extent.overflowed, extent.absent);
        let graph = graph.ok_or(MergeError::NoGraph)?;
        let (sameness, shown) = (Sameness::State, Vec::new());
        Ok(Part {
            shard,
            walk,
            choices,
            bounds,
            asked,
            ends_when_found,
            sameness,
            shown,
            kept,
            overflowed,
            absent,
            graph,
        })
    }

    /// As [`part`](Self::part), for a search with this exact sameness. A search that leaves the screen out has put the screens
    /// into its matches afterwards, so the part keeps those beside the graph.
    pub(super) fn part_with<N: Note>(
        self,
        sameness: Sameness,
        shard: Shard,
        mut outcome: Outcome<N>,
    ) -> Result<Part<N>, WalkError> {
        let sightings = std::mem::take(&mut outcome.sightings);
        let shown = sightings.into_iter().filter(|_| sameness == Sameness::Program);
        let shown = shown.map(|Sighting { path, note }| (path, note)).collect();
        Ok(Part { sameness, shown, ..self.part(shard, outcome)? })
    }
}

/// Searches the parts of a walk as one. Each comes with a name for messages.
///
/// # Errors
/// When they are not all the parts of one walk.
pub(super) fn merge<N: Note>(parts: &[(String, Part<N>)]) -> Result<Outcome<N>, MergeError> {
    searched_again(parts, None)
}

/// As [`merge`], with all that was tried as one graph.
pub(crate) fn merge_with_graph<N: Note>(
    parts: &[(String, Part<N>)],
) -> Result<(Outcome<N>, Graph<N>), MergeError> {
    let mut outcome = searched_again(parts, Some(Shard::WHOLE))?;
    let graph = outcome.graph.take().ok_or(MergeError::NoGraph)?;
    Ok((outcome, graph))
}

fn searched_again<N: Note>(
    parts: &[(String, Part<N>)],
    shard: Option<Shard>,
) -> Result<Outcome<N>, MergeError> {
    let Some((_, first)) = parts.first() else { return Err(MergeError::None) };
    check(parts)?;
    let mut joined = Joined::new(parts)?;
    let is_enough = |sightings: &[Sighting<N>]| first.ends_when_found && all_seen(sightings, first.asked);
    let plan = Plan {
        bounds: first.bounds.of_report(),
        sameness: first.sameness,
        once: first.asked,
        is_enough: &is_enough,
        shard,
        progress: &|_| {},
    };
    let mut outcome = search(&mut joined, &plan, first.kept.clone())?;
    let absent: BTreeSet<&String> = parts.iter().flat_map(|(_, part)| &part.absent).collect();
    outcome.extent.absent = absent.into_iter().cloned().collect();
    // The part that knows the way by which the whole search sees something first has seen it by the same way.
    let shown: HashMap<(&[usize], usize), &N> = parts
        .iter()
        .flat_map(|(_, part)| &part.shown)
        .map(|(path, note)| ((path.as_slice(), note.what()), note))
        .collect();
    for Sighting { path, note } in &mut outcome.sightings {
        if let Some(&shown) = shown.get(&(path.as_slice(), note.what())) {
            note.clone_from(shown);
        }
    }
    if joined.has_hole { Err(MergeError::Hole) } else { Ok(outcome) }
}

/// Whether these are all the parts of one walk, each there once: names, what tells the walk, and which part it is.
///
/// # Errors
/// When they are not.
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

/// Whether these are all the parts of one search, and whole.
fn check<N>(parts: &[(String, Part<N>)]) -> Result<(), MergeError> {
    check_whole(parts.iter().map(|(name, part)| (name.as_str(), part.walk, part.shard)))?;
    if let Some((name, _)) = parts.iter().find(|(_, part)| part.overflowed) {
        return Err(MergeError::Overflowed(name.clone()));
    }
    if let Some((name, _)) = parts.iter().find(|(_, part)| !part.graph.is_whole()) {
        return Err(MergeError::Damaged(name.clone()));
    }
    let mut all = Looks::default();
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
    Err(MergeError::Kept(again.join(", "), names.join(" --keep ")))
}

/// The graphs of all parts, as one that tries choices by looking them up.
struct Joined<'a, N> {
    graphs: Vec<&'a Graph<N>>,
    /// Where the start led.
    start: Place<'a>,
    /// Of each state a graph and its number there: one that has tried its choices, or has met it first.
    states: HashMap<u128, (usize, u32)>,
    /// What was seen in any of them: what counts once a part notes where it saw it first, and that is another place in
    /// another part.
    sights: HashMap<(Option<u128>, Option<u16>), Vec<&'a N>>,
    /// A state that is to be tried was tried in no part.
    has_hole: bool,
}

/// Where a choice led, whichever part has tried it.
#[derive(Clone, Copy, PartialEq)]
enum Place<'a> {
    State(u128),
    End(&'a str),
}

/// Returns where an edge leads; `None` if the graph does not have that.
fn place<N>(graph: &Graph<N>, to: To) -> Option<Place<'_>> {
    match to {
        To::State(state) => graph.identity(state).map(Place::State),
        To::End(end) => graph.end_name(end).map(Place::End),
    }
}

impl<'a, N: Note> Joined<'a, N> {
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

    /// Takes a graph in. If it tells something else of a state than another one, which that is.
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

    /// Where the choices from a state led, in words that all graphs share.
    fn led(&self, graph: usize, state: u32) -> Option<Vec<Place<'a>>> {
        let graph = self.graphs[graph];
        graph.choices(state)?.map(|to| place(graph, to)).collect()
    }

    /// What was seen of a state or a choice.
    fn notes(&self, identity: Option<u128>, choice: Option<u16>) -> Vec<N> {
        self.sights.get(&(identity, choice)).into_iter().flatten().map(|&note| note.clone()).collect()
    }

    fn tried(
        &self,
        to: Place<'_>,
        notes: Vec<N>,
        known: &Known,
        keep: Keep,
    ) -> Result<Reached<Self>, DiskError> {
        let arrival = match to {
            Place::End(end) => Arrival::End(end.to_owned()),
            Place::State(identity) => {
                let fresh = known.number(identity)?.is_none().then(|| self.fresh(identity, keep));
                Arrival::Wait(identity, fresh)
            }
        };
        Ok(Tried { arrival, notes })
    }

    fn fresh(&self, identity: u128, keep: Keep) -> Fresh<HeldOf<Self>, N> {
        let found = self.states.get(&identity);
        let choices = found.and_then(|&(graph, state)| self.graphs[graph].choices(state));
        // A bound may keep all parts from trying a state's choices; what is seen there is in them all the same.
        let notes = self.notes(Some(identity), None);
        let saved = (keep != Keep::No).then_some(Held::Whole(identity));
        Fresh { saved, bytes: 0, choices: choices.map_or(0, |choices| choices.len()), notes }
    }
}

impl<N: Note> Expander for Joined<'_, N> {
    type Saved = u128;
    type Rest = u128;
    type Note = N;

    fn start(&mut self, _: &Looks) -> Result<Reached<Self>, DiskError> {
        self.tried(self.start, self.notes(None, None), &Known::default(), Keep::Whole)
    }

    fn expand(
        &mut self,
        batch: &[Waiting<u128>],
        known: &Known,
        _: &Looks,
        keep: Keep,
    ) -> Result<(Vec<Reached<Self>>, Looks), DiskError> {
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
        Ok((tried, Looks::default()))
    }

    fn unpack(&mut self, packed: &[&Packed<u128>]) -> Result<Vec<u128>, SnapshotError> {
        Ok(packed.iter().map(|packed| packed.rest).collect())
    }
}
