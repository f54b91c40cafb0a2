//! The search itself: level by level, in parallel, with a result that does not depend on how the work was shared.
//!
//! A level's states are expanded in batches of a fixed size; within a batch each worker takes the next choice that nobody
//! has taken. What they find is entered in the order of states and choices, so numbers, keys and bounds come out the same
//! from any number of workers.

use super::choices::Choices;
use crate::machine::Looks;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// When two waits are one state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sameness {
    /// Nothing that the program can still see differs.
    #[default]
    State,
    /// As [`State`](Self::State), but what changes by itself never counts, seen or not: an abstraction.
    Memory,
    /// The screens are equal: an abstraction.
    Screen,
}

impl Sameness {
    /// Whether what it merges surely behaves alike.
    pub fn is_exact(self) -> bool {
        self == Sameness::State
    }
}

/// What is searched: something that takes choices and can go back.
pub trait Subject: Send {
    /// A state to come back to.
    type Saved: Send + Sync;

    /// Takes a choice, given by its number.
    fn play(&mut self, choice: usize);

    /// Under what name its end is counted; nothing while it waits for the next choice.
    fn end(&self) -> Option<String>;

    /// Makes this state canonical and tells what keeps it apart from others, with these looks kept.
    fn settle(&mut self, kept: &Looks) -> u128;

    /// What was looked at since the last restore.
    fn looks(&self) -> Looks;

    /// The state now.
    fn save(&mut self) -> Self::Saved;

    /// Goes back to a state, and watches what is looked at from there.
    fn restore(&mut self, saved: &Self::Saved, kept: &Looks);

    /// The bytes that a state takes beside the first one.
    fn bytes_beyond(saved: &Self::Saved, first: &Self::Saved) -> usize;

    /// What is looked for that holds here. Of a state that is known already only what tells how it was reached.
    fn sightings(&self, is_known: bool) -> Vec<Seen>;
}

/// Something looked for that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Its number.
    pub what: usize,
    /// The screen.
    pub screen: Vec<String>,
    /// How the program has ended, and why.
    pub end: Option<String>,
}

/// How far to search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Most choices in a row.
    pub depth: Option<usize>,
    /// Most states.
    pub states: Option<usize>,
    /// Most bytes that the states may take which are known and not looked at yet.
    pub memory: Option<usize>,
}

/// Something looked for that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The choices that lead there, by number.
    pub path: Vec<usize>,
    /// What it is.
    pub seen: Seen,
}

/// What a search has found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Different waits.
    pub states: usize,
    /// Choices that were tried.
    pub choices_tried: usize,
    /// How many choices led to each kind of end.
    pub ends: BTreeMap<String, usize>,
    /// The most choices in a row that were needed to reach a new state.
    pub depth: usize,
    /// Nothing was cut off.
    pub complete: bool,
    /// The states that waited took more memory than [`Bounds::memory`] allows: the search ended.
    pub overflowed: bool,
    /// What was looked at.
    pub looks: Looks,
    /// Everything looked for that was seen, shortest paths first.
    pub sightings: Vec<Sighting>,
}

/// How a search is told to go.
pub struct Plan<'a> {
    /// The choices at each wait.
    pub choices: &'a Choices,
    /// How far.
    pub bounds: Bounds,
    /// Keep a class once it was looked at, by starting again. Registers are kept in any case.
    pub keeps_classes: bool,
    /// Asked after each level: is enough known?
    pub is_enough: &'a dyn Fn(&[Sighting]) -> bool,
    /// Hears how far the search is.
    pub progress: &'a (dyn Fn(Progress) + Sync),
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
    /// Bytes that the waiting states take.
    pub bytes: usize,
}

/// Choices that are tried before their results are entered. Fixed, so that bounds cut at the same place everywhere.
const BATCH: usize = 2048;

/// What a known state takes for good: its identity, its number, how it was reached.
const BYTES_OF_KNOWN: usize = 64;

/// Where a choice has led.
enum Arrival<S> {
    /// To a wait with this identity; its state, unless it is an old one.
    Wait(u128, Option<S>),
    /// To an end of this kind.
    End(String),
}

/// A tried choice.
struct Tried<S> {
    arrival: Arrival<S>,
    sightings: Vec<Seen>,
}

/// Searches everything that `workers[0]` can reach; the other workers help. All stand at the start.
///
/// The search begins again with all kept that was looked at, since states may have been merged that it tells apart.
pub fn search<S: Subject>(workers: &mut [S], plan: &Plan<'_>) -> Outcome {
    let Some(first) = workers.first_mut() else { return Outcome::default() };
    let start = first.save();
    let mut kept = Looks::default();
    loop {
        let outcome = Search::new(plan, &kept).run(workers, &start);
        let seen = outcome.looks.clone();
        let wanted = if plan.keeps_classes { seen } else { seen.with_classes(kept.classes()) };
        if !kept.extend(&wanted) {
            return Outcome { looks: kept, ..outcome };
        }
    }
}

struct Search<'a> {
    plan: &'a Plan<'a>,
    kept: &'a Looks,
    /// The number of each state.
    known: HashMap<u128, u32>,
    /// How each state was reached first: from which, by which choice.
    origins: Vec<(u32, u16)>,
    /// What was seen at known states, by what and state.
    sighted: HashSet<(usize, u32)>,
    outcome: Outcome,
    /// No more states are taken.
    is_full: bool,
}

/// A state that waits to be looked at.
struct Waiting<S> {
    number: u32,
    bytes: usize,
    saved: S,
}

/// The origin of the start.
const NOWHERE: u32 = u32::MAX;

impl<'a> Search<'a> {
    fn new(plan: &'a Plan<'a>, kept: &'a Looks) -> Self {
        let outcome = Outcome { complete: true, ..Outcome::default() };
        Search {
            plan,
            kept,
            known: HashMap::new(),
            origins: Vec::new(),
            sighted: HashSet::new(),
            outcome,
            is_full: false,
        }
    }

    fn run<S: Subject>(mut self, workers: &mut [S], start: &S::Saved) -> Outcome {
        let Some(first) = workers.first_mut() else { return self.outcome };
        first.restore(start, self.kept);
        if let Some(end) = first.end() {
            self.note_sightings(first.sightings(false), &[]);
            *self.outcome.ends.entry(end).or_default() += 1;
            return self.outcome;
        }
        let identity = first.settle(self.kept);
        self.note_sightings(first.sightings(false), &[]);
        self.enter(identity, NOWHERE, 0);
        let mut level = vec![Waiting { number: 0, bytes: 0, saved: first.save() }];
        let mut depth = 0;
        let states_at_once = (BATCH / self.plan.choices.len().max(1)).max(1);
        while !level.is_empty() && !(self.plan.is_enough)(&self.outcome.sightings) {
            if self.plan.bounds.depth.is_some_and(|most| depth >= most) {
                break;
            }
            depth += 1;
            let mut next = Vec::new();
            let mut bytes: usize = level.iter().map(|waiting| waiting.bytes).sum();
            while !level.is_empty() {
                let rest = level.split_off(level.len().min(states_at_once));
                let batch = std::mem::replace(&mut level, rest);
                let tried = self.expand(workers, &batch);
                let before = next.len();
                self.take::<S>(&batch, tried, start, &mut next);
                bytes += next.iter().skip(before).map(|waiting: &Waiting<_>| waiting.bytes).sum::<usize>();
                bytes -= batch.iter().map(|waiting| waiting.bytes).sum::<usize>();
                if self.begins_again() {
                    return self.outcome;
                }
                let waiting = level.len() + next.len();
                let all_bytes = bytes + self.origins.len() * BYTES_OF_KNOWN;
                if self.plan.bounds.memory.is_some_and(|most| all_bytes > most) {
                    self.outcome.overflowed = true;
                    self.outcome.complete = false;
                    self.outcome.depth = depth;
                    return self.outcome;
                }
                let states = self.outcome.states;
                (self.plan.progress)(Progress { states, waiting, depth, bytes: all_bytes });
            }
            if !next.is_empty() {
                self.outcome.depth = depth;
            }
            level = next;
        }
        self.outcome.complete &= level.is_empty() && !self.is_full;
        self.outcome
    }

    /// Something was looked at that is not kept.
    fn begins_again(&self) -> bool {
        let seen = &self.outcome.looks;
        let mut all = self.kept.clone();
        let classes = if self.plan.keeps_classes { seen.classes() } else { all.classes() };
        all.extend(&seen.clone().with_classes(classes))
    }

    /// Tries every choice from every state of the batch; the results are in the order of states and choices.
    fn expand<S: Subject>(
        &mut self,
        workers: &mut [S],
        batch: &[Waiting<S::Saved>],
    ) -> Vec<Option<Tried<S::Saved>>> {
        let (known, kept, choices) = (&self.known, self.kept, self.plan.choices.len().max(1));
        let results: Vec<Mutex<Option<Tried<S::Saved>>>> =
            (0..batch.len() * choices).map(|_| Mutex::default()).collect();
        let next = AtomicUsize::new(0);
        let seen = Mutex::new(Looks::default());
        std::thread::scope(|scope| {
            for worker in workers.iter_mut() {
                scope.spawn(|| {
                    let mut looks = Looks::default();
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some((result, from)) = results.get(number).zip(batch.get(number / choices))
                        else {
                            break;
                        };
                        worker.restore(&from.saved, kept);
                        worker.play(number % choices);
                        let tried = arrive(worker, known, kept);
                        looks.extend(&worker.looks());
                        *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(tried);
                    }
                    seen.lock().unwrap_or_else(PoisonError::into_inner).extend(&looks);
                });
            }
        });
        self.outcome.looks.extend(&seen.into_inner().unwrap_or_else(PoisonError::into_inner));
        results
            .into_iter()
            .map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect()
    }

    /// Enters what a batch has found.
    fn take<S: Subject>(
        &mut self,
        batch: &[Waiting<S::Saved>],
        tried: Vec<Option<Tried<S::Saved>>>,
        start: &S::Saved,
        next: &mut Vec<Waiting<S::Saved>>,
    ) {
        let choices = self.plan.choices.len().max(1);
        for (number, tried) in tried.into_iter().enumerate() {
            let Some((Tried { arrival, mut sightings }, from)) = tried.zip(batch.get(number / choices))
            else {
                continue;
            };
            let choice = (number % choices) as u16;
            self.outcome.choices_tried += 1;
            match arrival {
                Arrival::End(end) => *self.outcome.ends.entry(end).or_default() += 1,
                Arrival::Wait(identity, saved) => {
                    let state = match self.known.get(&identity) {
                        Some(&state) => Some(state),
                        None => self.enter(identity, from.number, choice).inspect(|&number| {
                            next.extend(saved.map(|saved| {
                                let bytes = S::bytes_beyond(&saved, start);
                                Waiting { number, bytes, saved }
                            }));
                        }),
                    };
                    let Some(state) = state else { continue };
                    sightings.retain(|seen| self.sighted.insert((seen.what, state)));
                }
            }
            if !sightings.is_empty() {
                let mut path = self.path(from.number);
                path.push(usize::from(choice));
                self.note_sightings(sightings, &path);
            }
        }
    }

    /// Numbers a new state; nothing where no more are taken.
    fn enter(&mut self, identity: u128, from: u32, choice: u16) -> Option<u32> {
        let number = u32::try_from(self.origins.len()).ok().filter(|&number| number != NOWHERE);
        let most = self.plan.bounds.states.unwrap_or(usize::MAX);
        let Some(number) = number.filter(|_| self.origins.len() < most) else {
            self.is_full = true;
            return None;
        };
        self.known.insert(identity, number);
        self.origins.push((from, choice));
        self.outcome.states += 1;
        Some(number)
    }

    /// The choices that lead to a state.
    fn path(&self, mut state: u32) -> Vec<usize> {
        let mut path = Vec::new();
        while let Some(&(from, choice)) =
            self.origins.get(state as usize).filter(|(from, _)| *from != NOWHERE)
        {
            path.push(usize::from(choice));
            state = from;
        }
        path.reverse();
        path
    }

    fn note_sightings(&mut self, seen: Vec<Seen>, path: &[usize]) {
        let sightings = seen.into_iter().map(|seen| Sighting { path: path.to_vec(), seen });
        self.outcome.sightings.extend(sightings);
    }
}

/// Where a worker stands after a choice. A state that is known already is not saved again.
fn arrive<S: Subject>(worker: &mut S, known: &HashMap<u128, u32>, kept: &Looks) -> Tried<S::Saved> {
    if let Some(end) = worker.end() {
        return Tried { arrival: Arrival::End(end), sightings: worker.sightings(false) };
    }
    let identity = worker.settle(kept);
    let is_known = known.contains_key(&identity);
    let saved = (!is_known).then(|| worker.save());
    Tried { arrival: Arrival::Wait(identity, saved), sightings: worker.sightings(is_known) }
}
