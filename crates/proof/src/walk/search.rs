//! The search itself: level by level, with a result that does not depend on how the work was shared.
//!
//! A level's states are expanded in batches of a fixed size. What they find is entered in the order of states and choices,
//! so numbers, keys and bounds come out the same from any number of workers, and from any number of parts.
//!
//! A part ([`Plan::shard`]) searches as the whole would until a level has enough states, then goes on from its share of
//! them alone. Of every state one of the parts knows the way by which the whole search reaches it first: the part whose
//! share that way leads through. There its depth is the same, and whatever comes before it in the part comes before it in
//! the whole, so bounds, and an end when enough is found, cut off nothing in the part that the whole would have. What was
//! tried goes into a graph; the graphs of all parts, searched again as one, give what the whole gives.

use super::disk::DiskError;
use super::extent::{Bounds, Extent, Progress, Sameness};
use super::frontier::{Frontier, Room};
use super::graph::{Graph, NOWHERE, To};
use super::known::Known;
use super::shard::Shard;
use oxbox_machine::machine::{Looks, SnapshotError};
use std::collections::HashSet;

/// Something looked for that holds.
pub trait Note: Clone + Send {
    /// Its number.
    fn what(&self) -> usize;
}

/// Something looked for that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting<N> {
    /// The choices that lead there, by number.
    pub path: Vec<usize>,
    /// What it is.
    pub note: N,
}

/// Whether of what is looked for the first so many were seen, and there is such a thing.
pub(super) fn all_seen<N: Note>(sightings: &[Sighting<N>], asked: usize) -> bool {
    asked > 0 && (0..asked).all(|what| sightings.iter().any(|sighting| sighting.note.what() == what))
}

/// How a search is told to go.
pub struct Plan<'a, N> {
    /// How far.
    pub bounds: Bounds,
    /// When two waits are one state. But for exact ones nothing of what changes by itself is kept; registers are in any case.
    pub sameness: Sameness,
    /// What has a lower number is noted where it is seen first, and no more.
    pub once: usize,
    /// Asked after each level: is enough known?
    pub is_enough: &'a dyn Fn(&[Sighting<N>]) -> bool,
    /// Only a part is searched, and what was tried is kept.
    pub shard: Option<Shard>,
    /// Hears how far the search is.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

/// What a search has found.
#[derive(Debug, Clone)]
pub struct Outcome<N> {
    /// How far it went.
    pub extent: Extent,
    /// Everything looked for that was seen, shortest paths first.
    pub sightings: Vec<Sighting<N>>,
    /// What was kept.
    pub(super) kept: Looks,
    /// What was tried, where only a part was searched.
    pub(super) graph: Option<Graph<N>>,
}

/// Choices that are tried before their results are entered. Fixed, so that bounds cut at the same place everywhere.
const BATCH: usize = 2048;

/// A state, smaller than as it was saved.
#[derive(Debug)]
pub struct Packed<R> {
    /// What may wait anywhere.
    pub bytes: Vec<u8>,
    /// What has no form in bytes, and waits in memory.
    pub rest: R,
}

/// A state that waits, in one of its forms.
#[derive(Debug)]
pub(crate) enum Held<S, R> {
    /// As it was saved.
    Whole(S),
    /// Packed.
    Packed(Packed<R>),
}

/// What becomes of the states that a batch finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// No choice is tried from them: they count, and are not saved.
    No,
    /// They wait packed.
    Packed,
    /// They wait as they are.
    Whole,
}

/// The part of a search's memory that states may take as they were saved: one in so many.
const WHOLE_SHARE: usize = 64;

/// Where states go to disk, the part of memory that waiting ones may take, the part for known ones, and that for what is read
/// of each file.
const WAITING_SHARE: usize = 2;
const KNOWN_SHARE: usize = 3;
const CACHE_SHARE: usize = 32;

/// Where a choice has led.
pub(crate) struct Tried<S, N> {
    pub(super) arrival: Arrival<S, N>,
    /// What is seen of the way there, or of the end.
    pub(super) notes: Vec<N>,
}

impl<S, N: Clone> Tried<S, N> {
    /// The same of a later choice that has led to the same.
    pub(super) fn once_more(&self) -> Tried<S, N> {
        let arrival = match &self.arrival {
            // The state is known by then, from the first of these choices.
            Arrival::Wait(identity, _) => Arrival::Wait(*identity, None),
            Arrival::End(end) => Arrival::End(end.clone()),
        };
        Tried { arrival, notes: self.notes.clone() }
    }
}

/// A wait or an end.
pub(crate) enum Arrival<S, N> {
    /// A wait with this identity; what it is, unless it is known.
    Wait(u128, Option<Fresh<S, N>>),
    /// An end of this kind.
    End(String),
}

/// A state that is not known yet.
pub(crate) struct Fresh<S, N> {
    /// Its state, unless no choice will be tried from it.
    pub(super) saved: Option<S>,
    /// What that takes in memory.
    pub(super) bytes: usize,
    /// How many choices there are.
    pub(super) choices: usize,
    /// What is seen there, however it was reached.
    pub(super) notes: Vec<N>,
}

/// A state that waits to be looked at.
pub(crate) struct Waiting<S> {
    pub(super) number: u32,
    pub(super) bytes: usize,
    pub(super) choices: usize,
    pub(super) saved: S,
}

/// Who tries choices.
pub(crate) trait Expander {
    /// A state to come back to.
    type Saved;
    /// What of a packed state has no form in bytes.
    type Rest;
    /// What is looked for.
    type Note: Note;

    /// Where the program begins.
    fn start(&mut self, kept: &Looks) -> Result<Reached<Self>, DiskError>;

    /// Tries every choice from every state of the batch: where they led, in the order of states and choices, and what was
    /// looked at.
    fn expand(
        &mut self,
        batch: &[Waiting<Self::Saved>],
        known: &Known,
        kept: &Looks,
        keep: Keep,
    ) -> Result<(Vec<Reached<Self>>, Looks), DiskError>;

    /// States that were packed, in their order.
    fn unpack(&mut self, packed: &[&Packed<Self::Rest>]) -> Result<Vec<Self::Saved>, SnapshotError>;
}

/// A state of an expander that waits.
pub(super) type HeldOf<E> = Held<<E as Expander>::Saved, <E as Expander>::Rest>;

/// Where a choice of an expander has led.
pub(super) type Reached<E> = Tried<HeldOf<E>, <E as Expander>::Note>;

/// Searches everything that can be reached, with `kept` kept from the beginning.
///
/// The search begins again with all kept that was looked at, since states may have been merged that it tells apart.
pub(crate) fn search<E: Expander>(
    expander: &mut E,
    plan: &Plan<'_, E::Note>,
    mut kept: Looks,
) -> Result<Outcome<E::Note>, DiskError> {
    let from_the_start = plan.sameness.kept();
    let classes = kept.classes().or(from_the_start);
    kept = kept.with_classes(classes);
    loop {
        let (outcome, seen) = Search::new(plan, &kept).run(expander)?;
        if !kept.extend(&keepable(plan.sameness, &kept, seen)) {
            let seen = kept.classes().iter().filter(|&class| !from_the_start.has(class)).collect();
            let extent = Extent { exact: plan.sameness.is_exact(), seen, ..outcome.extent };
            return Ok(Outcome { extent, kept, ..outcome });
        }
    }
}

/// What is to be kept of what was looked at.
fn keepable(sameness: Sameness, kept: &Looks, seen: Looks) -> Looks {
    if sameness.is_exact() { seen } else { seen.with_classes(kept.classes()) }
}

struct Search<'a, N> {
    plan: &'a Plan<'a, N>,
    kept: &'a Looks,
    known: Known,
    /// What was seen on ways to known states, by what and state.
    sighted: HashSet<(usize, u32)>,
    /// What was seen anywhere.
    found: HashSet<usize>,
    outcome: Outcome<N>,
    seen: Looks,
    /// No more states are taken.
    is_full: bool,
    /// States that are not saved, since no choice is tried from them.
    cut_off: usize,
}

impl<'a, N: Note> Search<'a, N> {
    fn new(plan: &'a Plan<'a, N>, kept: &'a Looks) -> Self {
        let outcome = Outcome {
            extent: Extent { complete: true, ..Extent::default() },
            sightings: Vec::new(),
            kept: Looks::default(),
            graph: plan.shard.map(|_| Graph::default()),
        };
        Search {
            plan,
            kept,
            known: Known::default(),
            sighted: HashSet::new(),
            found: HashSet::new(),
            outcome,
            seen: Looks::default(),
            is_full: false,
            cut_off: 0,
        }
    }

    fn run<E: Expander<Note = N>>(mut self, expander: &mut E) -> Result<(Outcome<N>, Looks), DiskError> {
        let (mut level, mut found) = (Frontier::new(), Vec::new());
        let start = expander.start(self.kept)?;
        self.take_one(start, NOWHERE, 0, &mut found)?;
        level.extend(found, self.room(&[&level]))?;
        let mut undivided = self.plan.shard;
        let mut depth = 0;
        while !level.is_empty() && !(self.plan.is_enough)(&self.outcome.sightings) {
            if self.plan.bounds.depth.is_some_and(|most| depth >= most) {
                break;
            }
            if let Some(shard) = undivided.filter(|shard| level.len() >= shard.top()) {
                level.keep(|place, of| shard.has(place, of), self.room(&[&level]))?;
                undivided = None;
            }
            depth += 1;
            let mut next = Frontier::new();
            while !level.is_empty() {
                let batch = level.batch(BATCH, expander)?;
                let tries = batch.iter().map(|from| from.choices).sum();
                let keep = match self.room(&[&level, &next]) {
                    _ if self.plan.bounds.depth == Some(depth) => Keep::No,
                    room if next.takes_whole(room, tries) => Keep::Whole,
                    _ => Keep::Packed,
                };
                let (tried, looks) = expander.expand(&batch, &self.known, self.kept, keep)?;
                self.seen.extend(&looks);
                let found = self.take(&batch, tried)?;
                if self.begins_again() {
                    return Ok((self.outcome, self.seen));
                }
                next.extend(found, self.room(&[&level, &next]))?;
                self.spill_known()?;
                let progress = self.progress(depth, &level, &next);
                if self.overflows(progress) {
                    self.note_last()?;
                    let extent = &mut self.outcome.extent;
                    extent.overflowed = true;
                    extent.complete = false;
                    extent.depth = depth;
                    return Ok((self.outcome, self.seen));
                }
                (self.plan.progress)(progress);
            }
            if !next.is_empty() || self.cut_off > 0 {
                self.outcome.extent.depth = depth;
            }
            level = next;
        }
        if self.is_full {
            self.note_last()?;
        }
        self.outcome.extent.complete &= level.is_empty() && self.cut_off == 0 && !self.is_full;
        Ok((self.outcome, self.seen))
    }

    /// Memory for more states, beside those that wait.
    fn room<E: Expander>(&self, waiting: &[&Frontier<E>]) -> Room {
        let most = self.plan.bounds.memory.unwrap_or(usize::MAX);
        let taken = |bytes: fn(&Frontier<E>) -> usize| waiting.iter().map(|&frontier| bytes(frontier)).sum();
        let whole = (most / WHOLE_SHARE).saturating_sub(taken(Frontier::whole_bytes));
        let waiting = (most / WAITING_SHARE).saturating_sub(taken(Frontier::bytes));
        let all = if self.plan.bounds.spills() { waiting } else { usize::MAX };
        Room { whole, all, cache: most / CACHE_SHARE }
    }

    /// Puts the states that are known on disk, when there are many.
    fn spill_known(&mut self) -> Result<(), DiskError> {
        match self.plan.bounds.memory.filter(|_| self.plan.bounds.spills()) {
            Some(most) if self.known.bytes() > most / KNOWN_SHARE => self.known.spill(most / CACHE_SHARE),
            _ => Ok(()),
        }
    }

    fn progress<E: Expander>(&self, depth: usize, level: &Frontier<E>, next: &Frontier<E>) -> Progress {
        let graph = self.outcome.graph.as_ref().map_or(0, Graph::bytes);
        Progress {
            states: self.outcome.extent.states,
            waiting: level.len() + next.len() + self.cut_off,
            depth,
            bytes: level.bytes() + next.bytes() + self.known.bytes() + graph,
            bytes_on_disk: level.bytes_on_disk() + next.bytes_on_disk() + self.known.bytes_on_disk(),
        }
    }

    /// States take more than they may.
    fn overflows(&self, at: Progress) -> bool {
        let Bounds { memory, disk, .. } = self.plan.bounds;
        memory.is_some_and(|most| at.bytes > most) || disk.is_some_and(|most| at.bytes_on_disk > most)
    }

    /// Something was looked at that is not kept.
    fn begins_again(&self) -> bool {
        let wanted = keepable(self.plan.sameness, self.kept, self.seen.clone());
        self.kept.clone().extend(&wanted)
    }

    /// Enters what a batch has found; the states that are new.
    fn take<S, H>(
        &mut self,
        batch: &[Waiting<S>],
        tried: Vec<Tried<H, N>>,
    ) -> Result<Vec<Waiting<H>>, DiskError> {
        let mut found = Vec::new();
        let choices = batch.iter().flat_map(|from| (0..from.choices).map(|choice| (from.number, choice)));
        for ((from, choice), tried) in choices.zip(tried) {
            self.outcome.extent.choices_tried += 1;
            self.take_one(tried, from, choice as u16, &mut found)?;
        }
        Ok(found)
    }

    /// Enters where a choice has led.
    fn take_one<S>(
        &mut self,
        tried: Tried<S, N>,
        from: u32,
        choice: u16,
        found: &mut Vec<Waiting<S>>,
    ) -> Result<(), DiskError> {
        let Tried { arrival, notes: mut of_way } = tried;
        let way = Way { from, choice };
        match arrival {
            Arrival::End(end) => {
                self.keep_first(&mut of_way);
                if let Some(graph) = self.outcome.graph.as_mut() {
                    let end = graph.end(&end);
                    graph.lead(from, To::End(end), &of_way);
                }
                *self.outcome.extent.ends.entry(end).or_default() += 1;
            }
            Arrival::Wait(identity, fresh) => {
                let known = self.known.number(identity)?;
                let state = known.or_else(|| self.enter(identity, way));
                let Some(state) = state else {
                    if let Some(graph) = self.outcome.graph.as_mut() {
                        let beyond = graph.beyond(identity);
                        graph.lead(from, To::State(beyond), &[]);
                    }
                    return Ok(());
                };
                self.keep_first(&mut of_way);
                if let Some(Fresh { saved, bytes, choices, mut notes }) = fresh.filter(|_| known.is_none()) {
                    match saved {
                        Some(saved) => found.push(Waiting { number: state, bytes, choices, saved }),
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
                    graph.lead(from, To::State(state), &of_way);
                }
                of_way.retain(|note| self.sighted.insert((note.what(), state)));
            }
        }
        self.note(of_way, way)
    }

    /// Leaves out what counts only where it is seen first, and was seen.
    fn keep_first(&self, notes: &mut Vec<N>) {
        notes.retain(|note| note.what() >= self.plan.once || !self.found.contains(&note.what()));
    }

    fn note(&mut self, notes: Vec<N>, way: Way) -> Result<(), DiskError> {
        if notes.is_empty() {
            return Ok(());
        }
        let path = self.path(way)?;
        self.found.extend(notes.iter().map(N::what));
        let sightings = notes.into_iter().map(|note| Sighting { path: path.clone(), note });
        self.outcome.sightings.extend(sightings);
        Ok(())
    }

    /// Numbers a new state; nothing where no more are taken.
    fn enter(&mut self, identity: u128, Way { from, choice }: Way) -> Option<u32> {
        let number = u32::try_from(self.known.len()).ok().filter(|&number| number < NOWHERE / 2);
        let most = self.plan.bounds.states.unwrap_or(usize::MAX);
        let Some(number) = number.filter(|_| self.known.len() < most) else {
            self.is_full = true;
            return None;
        };
        self.known.enter(identity, number, (from, choice));
        self.outcome.extent.states += 1;
        Some(number)
    }

    /// Remembers the choices to the state that was found last.
    fn note_last(&mut self) -> Result<(), DiskError> {
        let last = u32::try_from(self.known.len()).ok().and_then(|len| len.checked_sub(1));
        if let Some((from, choice)) = last.map(|last| self.known.origin(last)).transpose()?.flatten() {
            self.outcome.extent.last = Some(self.path(Way { from, choice })?);
        }
        Ok(())
    }

    /// The choices that lead somewhere.
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

/// A choice from a state.
#[derive(Clone, Copy)]
struct Way {
    from: u32,
    choice: u16,
}
