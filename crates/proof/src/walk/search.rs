//! The search: breadth-first by level, with a result that does not depend on the distribution of
//! work.
//!
//! The states of a level are expanded in batches of a fixed size. Their results are entered in the
//! order of states and choices, so numbers, keys and bounds are independent of the number of
//! workers and shards.
//!
//! A shard ([`Plan::shard`]) searches like the whole until a level has enough states, and then
//! continues only from its share of them. For every state, one shard knows the path by which the
//! whole search first reaches it: the shard that owns the share through which that path leads.
//! There the state has the same depth, and its predecessors in the shard also precede it in the
//! whole search. So bounds, and an early end after enough matches, do not remove anything from the
//! shard that the whole search would contain. The results are recorded in a graph. Searching the
//! graphs of all shards as one gives the result of the whole search.

use super::disk::DiskError;
use super::frontier::{Frontier, Room};
use super::graph::{EdgeTarget, Graph, NOWHERE};
pub use super::matches::{Enough, Match, MatchKind};
use super::search_stats::{Bounds, Progress, Sameness, SearchStats};
use super::shard::Shard;
use super::visited::VisitedSet;
use oxbox_machine::machine::{ReadSet, SnapshotError};
use std::collections::HashSet;

/// The configuration of a search.
pub struct Plan<'a> {
    /// The bounds.
    pub bounds: Bounds,
    /// The equivalence of states. In an exact search, volatile state (clock, keyboard buffer) takes
    /// part in the identity once the program reads it. Registers always do.
    pub sameness: Sameness,
    /// Predicates below this number are recorded only once, at their first match.
    pub once: usize,
    /// The end of the search before all states are found.
    pub enough: Enough,
    /// If set, searches only this shard and records a graph.
    pub shard: Option<Shard>,
    /// Called with the progress of the search.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

/// The result of a search.
#[derive(Debug, Clone)]
pub struct Outcome<N> {
    /// The statistics.
    pub stats: SearchStats,
    /// All matches, shortest paths first.
    pub sightings: Vec<Match<N>>,
    pub(super) graph: Option<Graph<N>>,
}

/// The number of choices that are tried before their results are entered. Fixed, so that bounds
/// take effect at the same place everywhere.
const BATCH: usize = 2048;

/// The number of states at which a search reports the first time that there are many.
const MANY_STATES: usize = 10_000;

/// A compressed state.
#[derive(Debug)]
pub struct Packed<R> {
    /// The serialised part.
    pub bytes: Vec<u8>,
    /// The part that is not serialised and stays in memory.
    pub rest: R,
}

#[derive(Debug)]
pub(crate) enum PendingForm<S, R> {
    /// Large, in itself and by the pages that it shares with others.
    Whole(Box<S>),
    Packed(Packed<R>),
}

/// The treatment of new states of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Not saved, because no choice will be tried from them. They are counted.
    No,
    Packed,
    Whole,
}

/// Fraction of the memory limit for uncompressed states (1/64).
const WHOLE_SHARE: usize = 64;

/// If states are stored on disk: the fractions of memory for pending states, for visited states,
/// and for the cache of each file.
const WAITING_SHARE: usize = 2;
const KNOWN_SHARE: usize = 3;
const CACHE_SHARE: usize = 32;

pub(crate) struct Transition<S, N> {
    pub(super) arrival: Successor<S, N>,
    /// Matches on the transition, or at the end.
    pub(super) notes: Vec<N>,
}

impl<S, N: Clone> Transition<S, N> {
    /// Returns the same result for a later, equivalent choice.
    pub(super) fn once_more(&self) -> Transition<S, N> {
        let arrival = match &self.arrival {
            // The state is then known from the first of these choices.
            Successor::Wait(identity, _) => Successor::Wait(*identity, None),
            Successor::End(end) => Successor::End(end.clone()),
        };
        Transition { arrival, notes: self.notes.clone() }
    }
}

/// A wait or an end.
pub(crate) enum Successor<S, N> {
    /// A wait with this identity, and its data if it is a new state.
    Wait(u128, Option<NewState<S, N>>),
    End(String),
}

pub(crate) struct NewState<S, N> {
    /// The saved state, unless no choice will be tried from it.
    pub(super) saved: Option<S>,
    /// Its size in memory.
    pub(super) bytes: usize,
    pub(super) choices: usize,
    /// Matches in the state, independent of the path to it.
    pub(super) notes: Vec<N>,
}

pub(crate) struct PendingState<S> {
    pub(super) number: u32,
    pub(super) bytes: usize,
    pub(super) choices: usize,
    pub(super) saved: S,
}

pub(crate) trait SuccessorGenerator {
    type Saved;
    /// The part of a compressed state that is not serialised.
    type Unserialised;
    type MatchKind: MatchKind;

    fn start(&mut self, kept: &ReadSet) -> Result<Reached<Self>, DiskError>;

    /// Tries every choice from every state of the batch. Returns the results in the order of states
    /// and choices, and the observed categories.
    fn expand(
        &mut self,
        batch: &[PendingState<Self::Saved>],
        known: &VisitedSet,
        kept: &ReadSet,
        keep: Keep,
    ) -> Result<(Vec<Reached<Self>>, ReadSet), DiskError>;

    /// Restores compressed states, in order.
    fn unpack(&mut self, packed: &[&Packed<Self::Unserialised>]) -> Result<Vec<Self::Saved>, SnapshotError>;
}

pub(super) type PendingFormOf<E> =
    PendingForm<<E as SuccessorGenerator>::Saved, <E as SuccessorGenerator>::Unserialised>;

pub(super) type Reached<E> = Transition<PendingFormOf<E>, <E as SuccessorGenerator>::MatchKind>;

/// Searches everything reachable, with the categories of `kept` observed from the start.
///
/// The search restarts with newly observed categories, because states that they distinguish may
/// have been merged.
pub(crate) fn search<E: SuccessorGenerator>(
    expander: &mut E,
    plan: &Plan<'_>,
    mut kept: ReadSet,
) -> Result<Outcome<E::MatchKind>, DiskError> {
    let from_the_start = plan.sameness.kept();
    let categories = kept.categories().or(from_the_start);
    kept = kept.with_categories(categories);
    let mut many_states = MANY_STATES;
    loop {
        let (outcome, seen) = Search::new(plan, &kept, &mut many_states).run(expander)?;
        if !kept.extend(&keepable(plan.sameness, &kept, seen)) {
            let seen = kept.categories().iter().filter(|&category| !from_the_start.has(category)).collect();
            let stats = SearchStats { exact: plan.sameness.is_exact(), seen, kept, ..outcome.stats };
            return Ok(Outcome { stats, ..outcome });
        }
    }
}

/// Returns the observed categories that the equivalence takes into account.
fn keepable(sameness: Sameness, kept: &ReadSet, seen: ReadSet) -> ReadSet {
    if sameness.is_exact() { seen } else { seen.with_categories(kept.categories()) }
}

struct Search<'a, N> {
    plan: &'a Plan<'a>,
    kept: &'a ReadSet,
    known: VisitedSet,
    /// Matches on paths to known states, by predicate and state.
    sighted: HashSet<(usize, u32)>,
    /// The predicates that have matched.
    found: HashSet<usize>,
    outcome: Outcome<N>,
    seen: ReadSet,
    /// Whether no more states are accepted.
    is_full: bool,
    /// States that are not saved, because no choice is tried from them.
    cut_off: usize,
    /// The number of states at which the next report that there are many is due.
    many_states: &'a mut usize,
}

impl<'a, N: MatchKind> Search<'a, N> {
    fn new(plan: &'a Plan<'a>, kept: &'a ReadSet, many_states: &'a mut usize) -> Self {
        let outcome = Outcome {
            stats: SearchStats { complete: true, ..SearchStats::default() },
            sightings: Vec::new(),
            graph: plan.shard.map(|_| Graph::default()),
        };
        Search {
            plan,
            kept,
            known: VisitedSet::default(),
            sighted: HashSet::new(),
            found: HashSet::new(),
            outcome,
            seen: ReadSet::default(),
            is_full: false,
            cut_off: 0,
            many_states,
        }
    }

    fn run<E: SuccessorGenerator<MatchKind = N>>(
        mut self,
        expander: &mut E,
    ) -> Result<(Outcome<N>, ReadSet), DiskError> {
        let (mut level, mut found) = (Frontier::new(), Vec::new());
        let start = expander.start(self.kept)?;
        self.take_one(start, NOWHERE, 0, &mut found)?;
        level.extend(found, self.room(&[&level]))?;
        let mut undivided = self.plan.shard;
        let mut depth = 0;
        let most_depth = self.most_depth();
        while !level.is_empty() && !self.is_enough() {
            if most_depth.is_some_and(|most| depth >= most) {
                break;
            }
            if let Some(shard) = undivided.filter(|shard| level.len() >= shard.top()) {
                level.keep(|place, of| shard.has(place, of), self.room(&[&level]))?;
                undivided = None;
            }
            depth += 1;
            let mut next = Frontier::new();
            let has_all = !self.is_full;
            while !level.is_empty() {
                let batch = level.batch(BATCH, expander)?;
                let tries = batch.iter().map(|from| from.choices).sum();
                let keep = match self.room(&[&level, &next]) {
                    _ if most_depth == Some(depth) => Keep::No,
                    room if next.takes_whole(room, tries) => Keep::Whole,
                    _ => Keep::Packed,
                };
                let (tried, read_set) = expander.expand(&batch, &self.known, self.kept, keep)?;
                self.seen.extend(&read_set);
                let found = self.take(&batch, tried)?;
                if self.begins_again() {
                    return Ok((self.outcome, self.seen));
                }
                next.extend(found, self.room(&[&level, &next]))?;
                self.spill_known()?;
                let progress = self.progress(depth, &level, &next);
                if self.overflows(progress) {
                    self.outcome.stats.last = self.last()?;
                    let stats = &mut self.outcome.stats;
                    stats.overflowed = true;
                    stats.complete = false;
                    stats.depth = depth;
                    return Ok((self.outcome, self.seen));
                }
                let many_states = self.many_states()?;
                (self.plan.progress)(Progress { many_states: many_states.as_ref(), ..progress });
            }
            if !next.is_empty() || self.cut_off > 0 {
                self.outcome.stats.depth = depth;
            }
            if has_all {
                self.outcome.stats.tried_depth = depth;
            }
            level = next;
        }
        if self.is_full {
            self.outcome.stats.last = self.last()?;
        }
        self.outcome.stats.complete &= level.is_empty() && self.cut_off == 0 && !self.is_full;
        Ok((self.outcome, self.seen))
    }

    fn is_enough(&self) -> bool {
        self.plan.enough.is_reached(&self.outcome.sightings, self.plan.once)
    }

    /// Returns the most choices in a row.
    fn most_depth(&self) -> Option<usize> {
        let Bounds { timed_depth, depth, .. } = self.plan.bounds;
        self.if_endless(timed_depth).into_iter().chain(depth).min()
    }

    fn most_states(&self) -> usize {
        let Bounds { timed_states, states, .. } = self.plan.bounds;
        self.if_endless(timed_states).into_iter().chain(states).min().unwrap_or(usize::MAX)
    }

    /// Returns a bound for a program that observes the time.
    fn if_endless(&self, bound: Option<usize>) -> Option<usize> {
        bound.filter(|_| self.kept.categories().has_endless_time())
    }

    /// Returns the memory limits for further states besides the pending ones.
    fn room<E: SuccessorGenerator>(&self, waiting: &[&Frontier<E>]) -> Room {
        let most = self.plan.bounds.memory.unwrap_or(usize::MAX);
        let taken = |bytes: fn(&Frontier<E>) -> usize| waiting.iter().map(|&frontier| bytes(frontier)).sum();
        let whole = (most / WHOLE_SHARE).saturating_sub(taken(Frontier::whole_bytes));
        let waiting = (most / WAITING_SHARE).saturating_sub(taken(Frontier::bytes));
        let all = if self.plan.bounds.spills() { waiting } else { usize::MAX };
        Room { whole, all, cache: most / CACHE_SHARE }
    }

    /// Moves the visited states to disk if there are many.
    fn spill_known(&mut self) -> Result<(), DiskError> {
        match self.plan.bounds.memory.filter(|_| self.plan.bounds.spills()) {
            Some(most) if self.known.bytes() > most / KNOWN_SHARE => self.known.spill(most / CACHE_SHARE),
            _ => Ok(()),
        }
    }

    fn progress<E: SuccessorGenerator>(
        &self,
        depth: usize,
        level: &Frontier<E>,
        next: &Frontier<E>,
    ) -> Progress<'static> {
        let graph = self.outcome.graph.as_ref().map_or(0, Graph::bytes);
        Progress {
            states: self.outcome.stats.states,
            waiting: level.len() + next.len() + self.cut_off,
            depth,
            bytes: level.bytes() + next.bytes() + self.known.bytes() + graph,
            bytes_on_disk: level.bytes_on_disk() + next.bytes_on_disk() + self.known.bytes_on_disk(),
            many_states: None,
        }
    }

    /// Returns the statistics with the last state, if a report that there are many is due.
    fn many_states(&mut self) -> Result<Option<SearchStats>, DiskError> {
        if self.outcome.stats.states < *self.many_states {
            return Ok(None);
        }
        while self.outcome.stats.states >= *self.many_states {
            *self.many_states = self.many_states.saturating_mul(10);
        }
        Ok(Some(SearchStats { last: self.last()?, kept: self.kept.clone(), ..self.outcome.stats.clone() }))
    }

    /// Returns whether states exceed their memory limit.
    fn overflows(&self, at: Progress<'_>) -> bool {
        let Bounds { memory, disk, .. } = self.plan.bounds;
        memory.is_some_and(|most| at.bytes > most) || disk.is_some_and(|most| at.bytes_on_disk > most)
    }

    /// Returns whether a category was observed that is not taken into account yet.
    fn begins_again(&self) -> bool {
        let wanted = keepable(self.plan.sameness, self.kept, self.seen.clone());
        self.kept.clone().extend(&wanted)
    }

    /// Enters the results of a batch, and returns the new states.
    fn take<S, H>(
        &mut self,
        batch: &[PendingState<S>],
        tried: Vec<Transition<H, N>>,
    ) -> Result<Vec<PendingState<H>>, DiskError> {
        let mut found = Vec::new();
        let choices = batch.iter().flat_map(|from| (0..from.choices).map(|choice| (from.number, choice)));
        for ((from, choice), tried) in choices.zip(tried) {
            self.outcome.stats.choices_tried += 1;
            self.take_one(tried, from, choice as u16, &mut found)?;
        }
        Ok(found)
    }

    fn take_one<S>(
        &mut self,
        tried: Transition<S, N>,
        from: u32,
        choice: u16,
        found: &mut Vec<PendingState<S>>,
    ) -> Result<(), DiskError> {
        let Transition { arrival, notes: mut of_way } = tried;
        let way = Way { from, choice };
        match arrival {
            Successor::End(end) => {
                self.keep_first(&mut of_way);
                if let Some(graph) = self.outcome.graph.as_mut() {
                    let end = graph.end(&end);
                    graph.lead(from, EdgeTarget::End(end), &of_way);
                }
                *self.outcome.stats.ends.entry(end).or_default() += 1;
            }
            Successor::Wait(identity, fresh) => {
                let known = self.known.number(identity)?;
                let state = known.or_else(|| self.enter(identity, way));
                let Some(state) = state else {
                    if let Some(graph) = self.outcome.graph.as_mut() {
                        let beyond = graph.beyond(identity);
                        graph.lead(from, EdgeTarget::State(beyond), &[]);
                    }
                    return Ok(());
                };
                self.keep_first(&mut of_way);
                if let Some(NewState { saved, bytes, choices, mut notes }) = fresh.filter(|_| known.is_none())
                {
                    match saved {
                        Some(saved) => found.push(PendingState { number: state, bytes, choices, saved }),
                        None => self.cut_off += 1,
                    }
                    self.keep_first(&mut notes);
                    if let Some(graph) = self.outcome.graph.as_mut() {
                        graph.enter(identity, &notes);
                        if choices == 0 {
                            graph.close();
                        }
                    }
                    self.note(notes, way)?;
                }
                if let Some(graph) = self.outcome.graph.as_mut() {
                    graph.lead(from, EdgeTarget::State(state), &of_way);
                }
                of_way.retain(|note| self.sighted.insert((note.what(), state)));
            }
        }
        self.note(of_way, way)
    }

    /// Removes matches that are only recorded once and were already recorded.
    fn keep_first(&self, notes: &mut Vec<N>) {
        notes.retain(|note| note.what() >= self.plan.once || !self.found.contains(&note.what()));
    }

    fn note(&mut self, notes: Vec<N>, way: Way) -> Result<(), DiskError> {
        if notes.is_empty() {
            return Ok(());
        }
        let path = self.path(way)?;
        self.found.extend(notes.iter().map(N::what));
        let sightings = notes.into_iter().map(|note| Match { path: path.clone(), note });
        self.outcome.sightings.extend(sightings);
        Ok(())
    }

    /// Returns the number of a new state; `None` if no more are accepted.
    fn enter(&mut self, identity: u128, Way { from, choice }: Way) -> Option<u32> {
        let number = u32::try_from(self.known.len()).ok().filter(|&number| number < NOWHERE / 2);
        let most = self.most_states();
        let Some(number) = number.filter(|_| self.known.len() < most) else {
            self.is_full = true;
            return None;
        };
        self.known.enter(identity, number, (from, choice));
        self.outcome.stats.states += 1;
        Some(number)
    }

    /// Returns the choices to the last state found.
    fn last(&self) -> Result<Option<Vec<usize>>, DiskError> {
        let last = u32::try_from(self.known.len()).ok().and_then(|len| len.checked_sub(1));
        let origin = last.map(|last| self.known.origin(last)).transpose()?.flatten();
        origin.map(|(from, choice)| self.path(Way { from, choice })).transpose()
    }

    /// Returns the choices that lead to a position.
    fn path(&self, Way { mut from, mut choice }: Way) -> Result<Vec<usize>, DiskError> {
        let mut path = Vec::new();
        while let Some(origin) = self.known.origin(from)? {
            path.push(usize::from(choice));
            (from, choice) = origin;
        }
        path.reverse();
        Ok(path)
    }
}

#[derive(Clone, Copy)]
struct Way {
    from: u32,
    choice: u16,
}
