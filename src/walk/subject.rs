//! What is searched: something that takes choices and can go back; and several of them at work on one search.

use super::crew;
use super::search::{Arrival, Expander, Fresh, Known, Note, Tried, Waiting};
use crate::machine::Looks;

/// Something that takes choices and can go back.
pub trait Subject: Send {
    /// A state to come back to.
    type Saved: Send + Sync;

    /// The same, smaller.
    type Packed: Send + Sync;

    /// What is looked for.
    type Note: Note;

    /// How many choices there are here.
    fn choices(&self) -> usize;

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

    /// What is needed to make the state again where the first one is at hand, and how many bytes that takes; nothing where it cannot
    /// be packed.
    fn pack(saved: &Self::Saved, first: &Self::Saved) -> Option<(Self::Packed, usize)>;

    /// The state again.
    fn unpack(packed: &Self::Packed, first: &Self::Saved) -> Self::Saved;

    /// What is looked for that holds here, however this state was reached.
    fn notes(&self) -> Vec<Self::Note>;

    /// What is looked for that tells how this state was reached, and holds.
    fn notes_of_way(&self) -> Vec<Self::Note>;
}

/// Subjects that search together.
pub(super) struct Subjects<S: Subject> {
    workers: Vec<S>,
    start: Option<S::Saved>,
}

impl<S: Subject> Subjects<S> {
    /// All stand at the start; there is at least one.
    pub(super) fn new(mut workers: Vec<S>) -> Self {
        let start = workers.first_mut().map(S::save);
        Subjects { workers, start }
    }
}

impl<S: Subject> Expander for Subjects<S> {
    type Saved = S::Saved;
    type Packed = S::Packed;
    type Note = S::Note;

    fn start(&mut self, kept: &Looks) -> Tried<S::Saved, S::Note> {
        match (self.workers.first_mut(), &self.start) {
            (Some(worker), Some(start)) => {
                worker.restore(start, kept);
                arrive(worker, start, &Known::new(), kept)
            }
            _ => Tried { arrival: Arrival::End("nobody to try it".to_owned()), notes: Vec::new() },
        }
    }

    fn expand(
        &mut self,
        batch: &[Waiting<S::Saved>],
        known: &Known,
        kept: &Looks,
    ) -> (Vec<Tried<S::Saved, S::Note>>, Looks) {
        let Some(start) = &self.start else { return Default::default() };
        let tasks: Vec<(&Waiting<_>, usize)> =
            batch.iter().flat_map(|from| (0..from.choices).map(move |choice| (from, choice))).collect();
        let done = crew::share(&mut self.workers, tasks.len(), |worker, task| {
            let (from, choice) = tasks[task];
            worker.restore(&from.saved, kept);
            worker.play(choice);
            let tried = arrive(worker, start, known, kept);
            (tried, worker.looks())
        });
        let mut looks = Looks::default();
        let tried = done.into_iter().map(|(tried, seen)| {
            looks.extend(&seen);
            tried
        });
        (tried.collect(), looks)
    }

    fn pack(&mut self, states: &[Waiting<S::Saved>]) -> Vec<Option<(S::Packed, usize)>> {
        let Some(start) = &self.start else { return Vec::new() };
        crew::share(&mut self.workers, states.len(), |_, number| S::pack(&states[number].saved, start))
    }

    fn unpack(&mut self, packed: &[&S::Packed]) -> Vec<S::Saved> {
        let Some(start) = &self.start else { return Vec::new() };
        crew::share(&mut self.workers, packed.len(), |_, number| S::unpack(packed[number], start))
    }
}

/// Where a worker stands after a choice. A state that is known already is not saved again.
fn arrive<S: Subject>(
    worker: &mut S,
    start: &S::Saved,
    known: &Known,
    kept: &Looks,
) -> Tried<S::Saved, S::Note> {
    let mut of_way = worker.notes_of_way();
    if let Some(end) = worker.end() {
        of_way.extend(worker.notes());
        return Tried { arrival: Arrival::End(end), notes: of_way };
    }
    let identity = worker.settle(kept);
    let fresh = (!known.contains_key(&identity)).then(|| {
        let saved = worker.save();
        let (choices, notes) = (worker.choices(), worker.notes());
        Fresh { bytes: S::bytes_beyond(&saved, start), saved, choices, notes }
    });
    Tried { arrival: Arrival::Wait(identity, fresh), notes: of_way }
}
