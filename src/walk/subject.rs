//! What is searched: something that takes choices and can go back; and several of them at work on one search.

use super::crew;
use super::disk::DiskError;
use super::known::Known;
use super::search::{Arrival, Expander, Fresh, Note, Packed, Tried, Waiting};
use crate::machine::{Looks, SnapshotError};

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

    /// What is looked for that holds here, however this state was reached.
    fn notes(&self) -> Vec<Self::Note>;

    /// What is looked for that tells how this state was reached, and holds.
    fn notes_of_way(&self) -> Vec<Self::Note>;
}

/// Subjects that search together.
pub(super) struct Subjects<S: Subject> {
    workers: Vec<S>,
    start: Option<(S::Saved, S::Base)>,
}

impl<S: Subject> Subjects<S> {
    /// All stand at the start; there is at least one.
    pub(super) fn new(mut workers: Vec<S>) -> Self {
        let start = workers.first_mut().map(S::save);
        let start = start.map(|saved| {
            let base = S::base(&saved);
            (saved, base)
        });
        Subjects { workers, start }
    }
}

impl<S: Subject> Expander for Subjects<S> {
    type Saved = S::Saved;
    type Rest = S::Rest;
    type Note = S::Note;

    fn start(&mut self, kept: &Looks) -> Result<Tried<S::Saved, S::Note>, DiskError> {
        match (self.workers.first_mut(), &self.start) {
            (Some(worker), Some((start, _))) => {
                worker.restore(start, kept);
                arrive(worker, start, &Known::default(), kept)
            }
            _ => Ok(Tried { arrival: Arrival::End("nobody to try it".to_owned()), notes: Vec::new() }),
        }
    }

    fn expand(
        &mut self,
        batch: &[Waiting<S::Saved>],
        known: &Known,
        kept: &Looks,
    ) -> Result<(Vec<Tried<S::Saved, S::Note>>, Looks), DiskError> {
        let Some((start, _)) = &self.start else { return Ok(Default::default()) };
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
        let tried = tried.collect::<Result<_, _>>()?;
        Ok((tried, looks))
    }

    fn pack(&mut self, states: &[Waiting<S::Saved>]) -> Vec<Option<Packed<S::Rest>>> {
        let Some((_, base)) = &self.start else { return Vec::new() };
        crew::share(&mut self.workers, states.len(), |_, number| S::pack(&states[number].saved, base))
    }

    fn unpack(&mut self, packed: &[&Packed<S::Rest>]) -> Result<Vec<S::Saved>, SnapshotError> {
        let Some((_, base)) = &self.start else { return Ok(Vec::new()) };
        let unpacked =
            crew::share(&mut self.workers, packed.len(), |_, number| S::unpack(packed[number], base));
        unpacked.into_iter().collect()
    }
}

/// Where a worker stands after a choice. A state that is known already is not saved again.
fn arrive<S: Subject>(
    worker: &mut S,
    start: &S::Saved,
    known: &Known,
    kept: &Looks,
) -> Result<Tried<S::Saved, S::Note>, DiskError> {
    let mut of_way = worker.notes_of_way();
    if let Some(end) = worker.end() {
        of_way.extend(worker.notes());
        return Ok(Tried { arrival: Arrival::End(end), notes: of_way });
    }
    let identity = worker.settle(kept);
    let fresh = known.number(identity)?.is_none().then(|| {
        let saved = worker.save();
        let (choices, notes) = (worker.choices(), worker.notes());
        Fresh { bytes: S::bytes_beyond(&saved, start), saved, choices, notes }
    });
    Ok(Tried { arrival: Arrival::Wait(identity, fresh), notes: of_way })
}
