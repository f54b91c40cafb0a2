//! Tracks the last mover and the end of the game along every sequence of keys.
//!
//! A state of the program does not always show this: a rejected key may cost a turn without
//! changing the board. So each state is combined with every history that leads to it, reduced to
//! these facts.

use super::record::{Record, Step};
use super::texts::{Standing, standing};
use crate::engine::{Board, Mark};
use crate::walk::Target;
use std::collections::{HashMap, HashSet};

/// A state with the relevant part of its history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Moment {
    state: usize,
    /// The mark added last in this game; `None` before the first, and if unknown.
    pub(super) last: Option<Mark>,
    /// Whether a move of this game has completed a row.
    pub(super) is_over: bool,
}

#[derive(Debug)]
pub(super) struct Flow {
    /// The moments in the order of discovery, shortest keys first, each with the index of its
    /// predecessor and the choice.
    moments: Vec<(Moment, Option<(usize, usize)>)>,
    /// The indices of the record's steps, by state and choice.
    steps: HashMap<(usize, usize), usize>,
}

impl Flow {
    /// Follows every choice from the start.
    pub(super) fn new(record: &Record) -> Flow {
        let steps = record.steps.iter().enumerate();
        let steps = steps.map(|(number, step)| ((step.from, step.choice), number)).collect();
        let start = Moment { state: 0, last: None, is_over: false };
        let mut flow = Flow { moments: vec![(start, None)], steps };
        let mut known = HashSet::from([start]);
        let mut number = 0;
        while let Some(&(moment, _)) = flow.moments.get(number) {
            let ways = record.atlas.places.get(moment.state).map_or(&[][..], |place| &place.ways);
            for (choice, way) in ways.iter().enumerate() {
                let Target::State(state) = way.to else { continue };
                let step = flow.steps.get(&(moment.state, choice)).map(|&step| &record.steps[step]);
                let next = Moment { state, ..moment.after(step, record.user) };
                if known.insert(next) {
                    flow.moments.push((next, Some((number, choice))));
                }
            }
            number += 1;
        }
        flow
    }

    /// Returns the first step with a message, shortest keys first, with the keys that end with it.
    pub(super) fn first(
        &self,
        record: &Record,
        says: impl Fn(Moment, &Step) -> Option<String>,
    ) -> Option<(Vec<usize>, String)> {
        for (number, &(moment, _)) in self.moments.iter().enumerate() {
            let choices = record.atlas.places.get(moment.state).map_or(0, |place| place.ways.len());
            for choice in 0..choices {
                let step = self.steps.get(&(moment.state, choice)).map(|&step| &record.steps[step]);
                if let Some(why) = step.and_then(|step| says(moment, step)) {
                    let mut path = self.path(number);
                    path.push(choice);
                    return Some((path, why));
                }
            }
        }
        None
    }

    fn path(&self, mut number: usize) -> Vec<usize> {
        let mut path = Vec::new();
        while let Some((before, choice)) = self.moments[number].1 {
            path.push(choice);
            number = before;
        }
        path.reverse();
        path
    }
}

impl Moment {
    /// Returns the moment after a step that does not change the state.
    fn after(self, step: Option<&Step>, user: Option<Mark>) -> Moment {
        let fresh = Moment { last: None, is_over: false, ..self };
        let Some((step, after)) = step.and_then(|step| Some((step, step.after?))) else { return fresh };
        if step.lost > 0 || step.replaced > 0 || after == Board::default() {
            return fresh;
        }
        let last = match (step.gained_by(Mark::X), step.gained_by(Mark::O)) {
            (0, 0) => self.last,
            (_, 0) => Some(Mark::X),
            (0, _) => Some(Mark::O),
            // The computer replied in the same step.
            _ => user.map(Mark::other),
        };
        let is_open = |board| standing(board) == Standing::Open;
        let has_row = is_open(step.before) && matches!(standing(after), Standing::Row(_) | Standing::Rows);
        Moment { last, is_over: self.is_over || has_row, ..self }
    }
}
