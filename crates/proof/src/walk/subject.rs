//! What is searched: something that takes choices and can go back; and several of them at work on one search.

use super::crew;
use super::disk::DiskError;
use super::known::Known;
use super::search::{Arrival, Expander, Fresh, Held, HeldOf, Keep, Note, Packed, Reached, Tried, Waiting};
use oxbox_machine::machine::{Looks, SnapshotError};
use std::collections::BTreeSet;

/// Something that takes choices and can go back.
pub trait Subject: Send {
    /// A state to come back to.
    type Saved: Send + Sync;

    /// What states are packed beside, made ready for that once.
    type Base: Send + Sync;

    /// What of a packed state has no form in bytes: of programs nothing.
    type Rest: Send + Sync;

    /// What is looked for.
    type Note: Note;

    /// How many choices there are here.
    fn choices(&self) -> usize;

    /// Takes a choice, given by its number.
    fn play(&mut self, choice: usize);

    /// Whether it tells which choices lead to the same as another one, see [`play_beside`](Self::play_beside).
    fn has_classes(&self) -> bool {
        false
    }

    /// As [`play`](Self::play), and finds out on the way which of these other choices would lead to the same.
    fn play_beside(&mut self, choice: usize, others: &[usize], kept: &Looks) {
        let _ = (others, kept);
        self.play(choice);
    }

    /// The choices that lead to the same as the one that was played, of those beside it: asked once it is settled or has ended.
    fn same(&mut self) -> Vec<usize> {
        Vec::new()
    }

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

    /// Others are packed beside this state.
    fn base(first: &Self::Saved) -> Self::Base;

    /// What is needed to make the state again where the base is at hand; nothing where it cannot be packed.
    fn pack(saved: &Self::Saved, base: &Self::Base) -> Option<Packed<Self::Rest>>;

    /// The state again.
    ///
    /// # Errors
    /// When it is not what was packed beside this base.
    fn unpack(packed: &Packed<Self::Rest>, base: &Self::Base) -> Result<Self::Saved, SnapshotError>;

    /// What was asked for so far that is not there.
    fn absent(&self) -> Vec<String>;

    /// What is looked for that holds here, however this state was reached.
    fn notes(&self) -> Vec<Self::Note>;

    /// What is looked for that tells how this state was reached, and holds.
    fn notes_of_way(&self) -> Vec<Self::Note>;
}

/// Subjects that search together.
pub(crate) struct Subjects<S: Subject> {
    workers: Vec<S>,
    start: Option<(S::Saved, S::Base)>,
}

impl<S: Subject> Subjects<S> {
    /// All stand at the start; there is at least one.
    pub(crate) fn new(mut workers: Vec<S>) -> Self {
        let start = workers.first_mut().map(S::save);
        let start = start.map(|saved| {
            let base = S::base(&saved);
            (saved, base)
        });
        Subjects { workers, start }
    }

    /// All of them.
    pub(crate) fn workers(&self) -> impl Iterator<Item = &S> {
        self.workers.iter()
    }

    /// What any of them has asked for that is not there, in the order of the names.
    pub(super) fn absent(&self) -> Vec<String> {
        let all: BTreeSet<String> = self.workers.iter().flat_map(S::absent).collect();
        all.into_iter().collect()
    }
}

impl<S: Subject> Expander for Subjects<S> {
    type Saved = S::Saved;
    type Rest = S::Rest;
    type Note = S::Note;

    fn start(&mut self, kept: &Looks) -> Result<Reached<Self>, DiskError> {
        match (self.workers.first_mut(), &self.start) {
            (Some(worker), Some(start)) => {
                worker.restore(&start.0, kept);
                arrive(worker, start, &Known::default(), kept, Keep::Whole)
            }
            _ => Ok(Tried { arrival: Arrival::End("nobody to try it".to_owned()), notes: Vec::new() }),
        }
    }

    fn expand(
        &mut self,
        batch: &[Waiting<S::Saved>],
        known: &Known,
        kept: &Looks,
        keep: Keep,
    ) -> Result<(Vec<Reached<Self>>, Looks), DiskError> {
        let Some(start) = &self.start else { return Ok(Default::default()) };
        let done: Vec<(Result<Reached<Self>, DiskError>, Looks)> = if self.workers.iter().any(S::has_classes)
        {
            let done = crew::share(&mut self.workers, batch.len(), |worker, task| {
                expand_by_class(worker, &batch[task], start, known, kept, keep)
            });
            done.into_iter().flatten().collect()
        } else {
            let tasks: Vec<(&Waiting<_>, usize)> =
                batch.iter().flat_map(|from| (0..from.choices).map(move |choice| (from, choice))).collect();
            crew::share(&mut self.workers, tasks.len(), |worker, task| {
                let (from, choice) = tasks[task];
                worker.restore(&from.saved, kept);
                worker.play(choice);
                let tried = arrive(worker, start, known, kept, keep);
                (tried, worker.looks())
            })
        };
        let (mut looks, mut last) = (Looks::default(), Looks::default());
        let tried = done.into_iter().map(|(tried, seen)| {
            // Most runs look at the same.
            if seen != last {
                looks.extend(&seen);
                last = seen;
            }
            tried
        });
        let tried = tried.collect::<Result<_, _>>()?;
        Ok((tried, looks))
    }

    fn unpack(&mut self, packed: &[&Packed<S::Rest>]) -> Result<Vec<S::Saved>, SnapshotError> {
        let Some((_, base)) = &self.start else { return Ok(Vec::new()) };
        let unpacked =
            crew::share(&mut self.workers, packed.len(), |_, number| S::unpack(packed[number], base));
        unpacked.into_iter().collect()
    }
}

/// Tries every choice from a state, those that lead to the same once.
fn expand_by_class<S: Subject>(
    worker: &mut S,
    from: &Waiting<S::Saved>,
    start: &(S::Saved, S::Base),
    known: &Known,
    kept: &Looks,
    keep: Keep,
) -> Vec<(Result<Reached<Subjects<S>>, DiskError>, Looks)> {
    let mut done: Vec<Option<(Result<Reached<Subjects<S>>, DiskError>, Looks)>> = Vec::new();
    done.resize_with(from.choices, || None);
    for choice in 0..from.choices {
        if done[choice].is_some() {
            continue;
        }
        let others: Vec<usize> = (choice + 1..from.choices).filter(|&other| done[other].is_none()).collect();
        worker.restore(&from.saved, kept);
        worker.play_beside(choice, &others, kept);
        let tried = arrive(worker, start, known, kept, keep);
        let looks = worker.looks();
        let same = worker.same();
        if let Ok(tried) = &tried {
            for other in same {
                done[other] = Some((Ok(tried.once_more()), looks.clone()));
            }
        }
        done[choice] = Some((tried, looks));
    }
    done.into_iter().flatten().collect()
}

/// Where a worker stands after a choice. A state that is known already is not saved again.
fn arrive<S: Subject>(
    worker: &mut S,
    (start, base): &(S::Saved, S::Base),
    known: &Known,
    kept: &Looks,
    keep: Keep,
) -> Result<Reached<Subjects<S>>, DiskError> {
    let mut of_way = worker.notes_of_way();
    if let Some(end) = worker.end() {
        of_way.extend(worker.notes());
        return Ok(Tried { arrival: Arrival::End(end), notes: of_way });
    }
    let identity = worker.settle(kept);
    let fresh = known.number(identity)?.is_none().then(|| {
        let saved = (keep != Keep::No).then(|| held::<S>(worker.save(), base, keep));
        let (choices, notes) = (worker.choices(), worker.notes());
        let bytes = match &saved {
            Some(Held::Whole(saved)) => S::bytes_beyond(saved, start),
            Some(Held::Packed(packed)) => packed.bytes.len(),
            None => 0,
        };
        Fresh { bytes, saved, choices, notes }
    });
    Ok(Tried { arrival: Arrival::Wait(identity, fresh), notes: of_way })
}

/// A state in the form in which it waits.
fn held<S: Subject>(saved: S::Saved, base: &S::Base, keep: Keep) -> HeldOf<Subjects<S>> {
    let packed = if keep == Keep::Packed { S::pack(&saved, base) } else { None };
    packed.map_or(Held::Whole(saved), Held::Packed)
}
