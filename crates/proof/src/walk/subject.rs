//! The system under test of a search, which performs choices and can be restored, and several of
//! them that search together.

use super::disk::DiskError;
use super::search::{
    Keep, MatchKind, NewState, Packed, PendingForm, PendingFormOf, PendingState, Reached, Successor,
    SuccessorGenerator, Transition,
};
use super::thread_pool;
use super::visited::VisitedSet;
use oxbox_machine::machine::{ReadSet, SnapshotError};
use std::collections::BTreeSet;

/// A system that performs choices and can be restored.
pub trait SystemUnderTest: Send {
    /// A saved state.
    type Saved: Send + Sync;

    /// The prepared base for compressing states.
    type Base: Send + Sync;

    /// The part of a compressed state that is not serialised; empty for programs.
    type Unserialised: Send + Sync;

    /// A match of a predicate.
    type MatchKind: MatchKind;

    /// Returns the number of choices here.
    fn choices(&self) -> usize;

    /// Performs a choice, given by its number.
    fn play(&mut self, choice: usize);

    /// Returns whether it can find equivalent choices, see [`play_beside`](Self::play_beside).
    fn has_classes(&self) -> bool {
        false
    }

    /// Like [`play`](Self::play), and determines which of these other choices are equivalent.
    fn play_beside(&mut self, choice: usize, others: &[usize], kept: &ReadSet) {
        let _ = (others, kept);
        self.play(choice);
    }

    /// Returns the choices equivalent to the one performed with [`play_beside`](Self::play_beside).
    /// Call it after settling, or after the end.
    fn same(&mut self) -> Vec<usize> {
        Vec::new()
    }

    /// Returns the name under which the end is counted; `None` while it waits.
    fn end(&self) -> Option<String>;

    /// Makes this state canonical with the categories of `kept`, and returns its identity.
    fn settle(&mut self, kept: &ReadSet) -> u128;

    /// Returns the categories observed since the last restore.
    fn read_set(&self) -> ReadSet;

    /// Saves the current state.
    fn save(&mut self) -> Self::Saved;

    /// Restores a state, and observes the categories read from there on.
    fn restore(&mut self, saved: &Self::Saved, kept: &ReadSet);

    /// Returns the size of a state in bytes without the parts shared with the first one.
    fn bytes_beyond(saved: &Self::Saved, first: &Self::Saved) -> usize;

    /// Returns the base for compressing states.
    fn base(first: &Self::Saved) -> Self::Base;

    /// Returns the compressed form of a state; `None` if it cannot be compressed.
    fn pack(saved: &Self::Saved, base: &Self::Base) -> Option<Packed<Self::Unserialised>>;

    /// Restores a compressed state.
    ///
    /// # Errors
    /// Fails if it was not compressed with this base.
    fn unpack(packed: &Packed<Self::Unserialised>, base: &Self::Base) -> Result<Self::Saved, SnapshotError>;

    /// Returns the missing features that were used.
    fn absent(&self) -> Vec<String>;

    /// Returns the matches in this state that do not depend on the path to it.
    fn notes(&self) -> Vec<Self::MatchKind>;

    /// Returns the matches that depend on the path to this state.
    fn path_matches(&self) -> Vec<Self::MatchKind>;
}

pub(crate) struct Subjects<S: SystemUnderTest> {
    workers: Vec<S>,
    start: Option<S::Saved>,
    /// The canonical start and the base for compressing other states: it has most in common with
    /// them.
    first: Option<(S::Saved, S::Base)>,
}

impl<S: SystemUnderTest> Subjects<S> {
    /// Creates the group. All subjects are at the start; there is at least one.
    pub(crate) fn new(mut workers: Vec<S>) -> Self {
        let start = workers.first_mut().map(S::save);
        Subjects { workers, start, first: None }
    }

    /// Returns all subjects.
    pub(crate) fn workers(&self) -> impl Iterator<Item = &S> {
        self.workers.iter()
    }

    /// Returns the missing features used by any of them, in alphabetical order.
    pub(super) fn absent(&self) -> Vec<String> {
        let all: BTreeSet<String> = self.workers.iter().flat_map(S::absent).collect();
        all.into_iter().collect()
    }
}

impl<S: SystemUnderTest> SuccessorGenerator for Subjects<S> {
    type Saved = S::Saved;
    type Unserialised = S::Unserialised;
    type MatchKind = S::MatchKind;

    fn start(&mut self, kept: &ReadSet) -> Result<Reached<Self>, DiskError> {
        let (Some(worker), Some(start)) = (self.workers.first_mut(), &self.start) else {
            let arrival = Successor::End("nobody to try it".to_owned());
            return Ok(Transition { arrival, notes: Vec::new() });
        };
        worker.restore(start, kept);
        if worker.end().is_none() {
            worker.settle(kept);
        }
        let first = worker.save();
        let base = S::base(&first);
        let first = self.first.insert((first, base));
        worker.restore(start, kept);
        arrive(worker, first, &VisitedSet::default(), kept, Keep::Whole)
    }

    fn expand(
        &mut self,
        batch: &[PendingState<S::Saved>],
        known: &VisitedSet,
        kept: &ReadSet,
        keep: Keep,
    ) -> Result<(Vec<Reached<Self>>, ReadSet), DiskError> {
        let Some(first) = &self.first else { return Ok(Default::default()) };
        let done: Vec<(Result<Reached<Self>, DiskError>, ReadSet)> =
            if self.workers.iter().any(S::has_classes) {
                let done = thread_pool::share(&mut self.workers, batch.len(), |worker, task| {
                    expand_by_class(worker, &batch[task], first, known, kept, keep)
                });
                done.into_iter().flatten().collect()
            } else {
                let tasks: Vec<(&PendingState<_>, usize)> = batch
                    .iter()
                    .flat_map(|from| (0..from.choices).map(move |choice| (from, choice)))
                    .collect();
                thread_pool::share(&mut self.workers, tasks.len(), |worker, task| {
                    let (from, choice) = tasks[task];
                    worker.restore(&from.saved, kept);
                    worker.play(choice);
                    let tried = arrive(worker, first, known, kept, keep);
                    (tried, worker.read_set())
                })
            };
        let (mut read_set, mut last) = (ReadSet::default(), ReadSet::default());
        let tried = done.into_iter().map(|(tried, seen)| {
            // Most runs observe the same categories.
            if seen != last {
                read_set.extend(&seen);
                last = seen;
            }
            tried
        });
        let tried = tried.collect::<Result<_, _>>()?;
        Ok((tried, read_set))
    }

    fn unpack(&mut self, packed: &[&Packed<S::Unserialised>]) -> Result<Vec<S::Saved>, SnapshotError> {
        let Some((_, base)) = &self.first else { return Ok(Vec::new()) };
        let unpacked =
            thread_pool::share(&mut self.workers, packed.len(), |_, number| S::unpack(packed[number], base));
        unpacked.into_iter().collect()
    }
}

/// Tries every choice from a state, equivalent ones once.
fn expand_by_class<S: SystemUnderTest>(
    worker: &mut S,
    from: &PendingState<S::Saved>,
    first: &(S::Saved, S::Base),
    known: &VisitedSet,
    kept: &ReadSet,
    keep: Keep,
) -> Vec<(Result<Reached<Subjects<S>>, DiskError>, ReadSet)> {
    let mut done: Vec<Option<(Result<Reached<Subjects<S>>, DiskError>, ReadSet)>> = Vec::new();
    done.resize_with(from.choices, || None);
    for choice in 0..from.choices {
        if done[choice].is_some() {
            continue;
        }
        let others: Vec<usize> = (choice + 1..from.choices).filter(|&other| done[other].is_none()).collect();
        worker.restore(&from.saved, kept);
        worker.play_beside(choice, &others, kept);
        let tried = arrive(worker, first, known, kept, keep);
        let read_set = worker.read_set();
        let same = worker.same();
        if let Ok(tried) = &tried {
            for other in same {
                done[other] = Some((Ok(tried.once_more()), read_set.clone()));
            }
        }
        done[choice] = Some((tried, read_set));
    }
    done.into_iter().flatten().collect()
}

/// Returns the result of a choice. A known state is not saved again.
fn arrive<S: SystemUnderTest>(
    worker: &mut S,
    (first, base): &(S::Saved, S::Base),
    known: &VisitedSet,
    kept: &ReadSet,
    keep: Keep,
) -> Result<Reached<Subjects<S>>, DiskError> {
    let mut of_way = worker.path_matches();
    if let Some(end) = worker.end() {
        of_way.extend(worker.notes());
        return Ok(Transition { arrival: Successor::End(end), notes: of_way });
    }
    let identity = worker.settle(kept);
    let fresh = known.number(identity)?.is_none().then(|| {
        let saved = (keep != Keep::No).then(|| held::<S>(worker.save(), base, keep));
        let (choices, notes) = (worker.choices(), worker.notes());
        let bytes = match &saved {
            Some(PendingForm::Whole(saved)) => S::bytes_beyond(saved, first),
            Some(PendingForm::Packed(packed)) => packed.bytes.len(),
            None => 0,
        };
        NewState { bytes, saved, choices, notes }
    });
    Ok(Transition { arrival: Successor::Wait(identity, fresh), notes: of_way })
}

fn held<S: SystemUnderTest>(saved: S::Saved, base: &S::Base, keep: Keep) -> PendingFormOf<Subjects<S>> {
    let packed = if keep == Keep::Packed { S::pack(&saved, base) } else { None };
    packed.map_or_else(|| PendingForm::Whole(Box::new(saved)), PendingForm::Packed)
}
