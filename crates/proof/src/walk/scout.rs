//! Finds out before a search what state the program reads.
//!
//! A search begins again when the program reads state that it leaves out. A program has registers of
//! its own at each of its prompts, and comes to the last ones late, so a search would begin again when
//! most of its work is done. The scout plays a few lines of choices to their end first. What it does not
//! find, the search still does.

use super::disk::DiskError;
use super::search::{Keep, PendingForm, PendingState, Reached, Successor, SuccessorGenerator};
use super::search_stats::Sameness;
use super::visited::VisitedSet;
use oxbox_machine::machine::ReadSet;

/// The most choices in a row.
const LONGEST: usize = 24;

/// Selects the next state of a line: its number among this many new ones.
type Selection = fn(usize) -> usize;

/// The lines. In many games the first and the last key are moves, and those between, too.
const LINES: [Selection; 3] = [|_| 0, |count| count - 1, |count| count / 2];

/// Returns state that the program reads, of that which an exact search with this equivalence keeps.
pub(crate) fn scout<E: SuccessorGenerator>(
    expander: &mut E,
    sameness: Sameness,
) -> Result<ReadSet, DiskError> {
    let mut kept = ReadSet::default().with_categories(sameness.kept());
    if sameness.is_exact() {
        for select in LINES {
            while let Some(seen) = play(expander, select, &kept)? {
                kept.extend(&seen);
            }
        }
    }
    Ok(kept)
}

/// Plays a line, with every choice in each of its states. Returns state that the program reads and that
/// is not kept; `None` if there is none.
fn play<E: SuccessorGenerator>(
    expander: &mut E,
    select: Selection,
    kept: &ReadSet,
) -> Result<Option<ReadSet>, DiskError> {
    let mut known = VisitedSet::default();
    let mut reached = vec![expander.start(kept)?];
    for _ in 0..LONGEST {
        let mut states = new_states::<E>(reached, &mut known)?;
        if states.is_empty() {
            break;
        }
        let state = states.swap_remove(select(states.len()));
        let (tried, seen) = expander.expand(&[state], &known, kept, Keep::Whole)?;
        if kept.clone().extend(&seen) {
            return Ok(Some(seen));
        }
        reached = tried;
    }
    Ok(None)
}

/// Returns the states that are not known, and makes them known.
fn new_states<E: SuccessorGenerator>(
    reached: Vec<Reached<E>>,
    known: &mut VisitedSet,
) -> Result<Vec<PendingState<E::Saved>>, DiskError> {
    let mut states = Vec::new();
    for transition in reached {
        let Successor::Wait(identity, Some(state)) = transition.arrival else { continue };
        let Some(PendingForm::Whole(saved)) = state.saved else { continue };
        if known.number(identity)?.is_none() {
            let number = known.len() as u32;
            known.enter(identity, number, (0, 0));
            states.push(PendingState { number, bytes: state.bytes, choices: state.choices, saved: *saved });
        }
    }
    Ok(states)
}

#[cfg(test)]
mod tests {
    use super::super::search::{MatchKind, NewState, Packed, Transition};
    use super::*;
    use oxbox_machine::machine::{CategorySet, SnapshotError, StateCategory};

    /// Two choices count up by 1 and by 10; the program reads the date at 30 and the clock at 3.
    #[derive(Default)]
    struct Counter {
        tried: usize,
    }

    #[derive(Debug, Clone)]
    struct NoMatch;

    impl MatchKind for NoMatch {
        fn what(&self) -> usize {
            0
        }
    }

    fn waiting(count: u128) -> Reached<Counter> {
        let saved = Some(PendingForm::Whole(Box::new(count)));
        let state = NewState { saved, bytes: 16, choices: 2, notes: Vec::new() };
        Transition { arrival: Successor::Wait(count, Some(state)), notes: Vec::new() }
    }

    impl SuccessorGenerator for Counter {
        type Saved = u128;
        type Unserialised = ();
        type MatchKind = NoMatch;

        fn start(&mut self, _kept: &ReadSet) -> Result<Reached<Self>, DiskError> {
            Ok(waiting(0))
        }

        fn expand(
            &mut self,
            batch: &[PendingState<u128>],
            _known: &VisitedSet,
            _kept: &ReadSet,
            _keep: Keep,
        ) -> Result<(Vec<Reached<Self>>, ReadSet), DiskError> {
            self.tried += batch.len();
            let count = batch[0].saved;
            let categories = match count {
                3 => CategorySet::default().with(StateCategory::Clock),
                30 => CategorySet::default().with(StateCategory::Date),
                _ => CategorySet::default(),
            };
            let next = if count < 40 { vec![waiting(count + 1), waiting(count + 10)] } else { Vec::new() };
            Ok((next, ReadSet::default().with_categories(categories)))
        }

        fn unpack(&mut self, _packed: &[&Packed<()>]) -> Result<Vec<u128>, SnapshotError> {
            Ok(Vec::new())
        }
    }

    #[test]
    fn lines_find_what_is_read_late() {
        let mut counter = Counter::default();
        let kept = scout(&mut counter, Sameness::State).expect("nothing is on disk");
        let read: Vec<StateCategory> =
            kept.categories().iter().filter(|category| *category != StateCategory::Screen).collect();
        assert_eq!(read, [StateCategory::Clock, StateCategory::Date]);
        // Each line has at most 24 states, and begins again after each observation.
        assert!(counter.tried < 100, "{}", counter.tried);
    }

    #[test]
    fn a_search_of_other_sameness_keeps_nothing_more() {
        let mut counter = Counter::default();
        let kept = scout(&mut counter, Sameness::Memory).expect("nothing is on disk");
        assert_eq!((kept.categories().has(StateCategory::Clock), counter.tried), (false, 0));
    }
}
