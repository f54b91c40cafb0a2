//! The graph of a search as data: states, their choices and results. Searching it again gives the
//! same results.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EdgeTarget {
    State(u32),
    /// An end, by the index of its name.
    End(u32),
}

/// A recorded match: position and kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sight<N> {
    /// The state; [`NOWHERE`] for the path to the start.
    state: u32,
    /// The choice from there; `None` for the state itself.
    choice: Option<u16>,
    note: N,
}

/// The predecessor of the start.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Marks a state whose choices were not tried.
const UNTRIED: u32 = u32::MAX;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Graph<N> {
    /// Identities in the order in which the states were entered, then those beyond a bound.
    identities: Vec<u128>,
    /// The index in `edges` of each state's choices, and their number.
    tried: Vec<(u32, u16)>,
    /// Twice a state's number, or twice an end's plus one.
    edges: Vec<u32>,
    ends: Vec<String>,
    start: u32,
    sights: Vec<Sight<N>>,
    /// The numbers of states found beyond a bound.
    #[serde(skip)]
    beyond: HashMap<u128, u32>,
}

impl<N> Default for Graph<N> {
    fn default() -> Self {
        Graph {
            identities: Vec::new(),
            tried: Vec::new(),
            edges: Vec::new(),
            ends: Vec::new(),
            start: 0,
            sights: Vec::new(),
            beyond: HashMap::new(),
        }
    }
}

impl<N: Clone> Graph<N> {
    /// Enters a new state, in the order of numbers.
    pub(super) fn enter(&mut self, identity: u128, notes: &[N]) {
        let state = self.identities.len() as u32;
        self.identities.push(identity);
        self.tried.push((UNTRIED, 0));
        self.see(state, None, notes);
    }

    /// Marks the last entered state, which has no choices, as tried.
    pub(super) fn close(&mut self) {
        if let Some(tried) = self.tried.last_mut() {
            *tried = (self.edges.len() as u32, 0);
        }
    }

    /// Returns the number of a state that is not entered any more, by its identity.
    pub(super) fn beyond(&mut self, identity: u128) -> u32 {
        if let Some(&number) = self.beyond.get(&identity) {
            return number;
        }
        let number = self.identities.len() as u32;
        self.enter(identity, &[]);
        self.beyond.insert(identity, number);
        number
    }

    pub(super) fn end(&mut self, name: &str) -> u32 {
        let known = self.ends.iter().position(|end| end == name);
        known.unwrap_or_else(|| {
            self.ends.push(name.to_owned());
            self.ends.len() - 1
        }) as u32
    }

    /// Adds a state's next choice, in sequence, or the start, from [`NOWHERE`].
    pub(super) fn lead(&mut self, from: u32, to: EdgeTarget, notes: &[N]) {
        let edge = match to {
            EdgeTarget::State(number) => number << 1,
            EdgeTarget::End(number) => number << 1 | 1,
        };
        let Some(tried) = self.tried.get_mut(from as usize) else {
            self.start = edge;
            self.see(NOWHERE, None, notes);
            return;
        };
        if tried.0 == UNTRIED {
            tried.0 = self.edges.len() as u32;
        }
        let choice = tried.1;
        tried.1 += 1;
        self.edges.push(edge);
        self.see(from, Some(choice), notes);
    }

    fn see(&mut self, state: u32, choice: Option<u16>, notes: &[N]) {
        self.sights.extend(notes.iter().cloned().map(|note| Sight { state, choice, note }));
    }
}

impl<N> Graph<N> {
    /// Returns its size in bytes without data owned by notes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.identities.as_slice())
            + size_of_val(self.tried.as_slice())
            + size_of_val(self.edges.as_slice())
            + size_of_val(self.sights.as_slice())
            + self.beyond.len() * size_of::<(u128, u32)>()
    }

    pub(super) fn identities(&self) -> impl Iterator<Item = (u128, u32)> {
        self.identities.iter().copied().zip(0..)
    }

    pub(super) fn identity(&self, state: u32) -> Option<u128> {
        self.identities.get(state as usize).copied()
    }

    /// Returns the results of a state's choices; `None` if they were not tried.
    pub(crate) fn choices(&self, state: u32) -> Option<impl ExactSizeIterator<Item = EdgeTarget>> {
        let &(first, count) = self.tried.get(state as usize)?;
        let first = first as usize;
        let edges = self.edges.get(first..first + usize::from(count))?;
        (first != UNTRIED as usize).then(|| edges.iter().copied().map(to))
    }

    /// Returns whether each number in it is valid. A graph from a file may contain anything.
    pub(super) fn is_whole(&self) -> bool {
        let leads = |&edge: &u32| match to(edge) {
            EdgeTarget::State(state) => (state as usize) < self.identities.len(),
            EdgeTarget::End(end) => (end as usize) < self.ends.len(),
        };
        let has_edges = |&(first, count): &(u32, u16)| {
            let first = first as usize;
            first == UNTRIED as usize && count == 0
                || self.edges.get(first..first.saturating_add(usize::from(count))).is_some()
        };
        let is_seen = |sight: &Sight<N>| match (self.tried.get(sight.state as usize), sight.choice) {
            (Some((_, count)), Some(choice)) => choice < *count,
            (Some(_), None) => true,
            (None, choice) => sight.state == NOWHERE && choice.is_none(),
        };
        self.tried.len() == self.identities.len()
            && self.edges.iter().chain([&self.start]).all(leads)
            && self.tried.iter().all(has_edges)
            && self.sights.iter().all(is_seen)
    }

    pub(crate) fn start(&self) -> EdgeTarget {
        to(self.start)
    }

    pub(crate) fn end_name(&self, number: u32) -> Option<&str> {
        self.ends.get(number as usize).map(String::as_str)
    }

    /// Returns the matches: the state, the choice from there, and the kind.
    pub(super) fn sights(&self) -> impl Iterator<Item = (u32, Option<u16>, &N)> {
        self.sights.iter().map(|Sight { state, choice, note }| (*state, *choice, note))
    }
}

fn to(edge: u32) -> EdgeTarget {
    if edge & 1 == 0 { EdgeTarget::State(edge >> 1) } else { EdgeTarget::End(edge >> 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a graph with two states and an end.
    fn graph() -> Graph<u8> {
        let mut graph = Graph::default();
        graph.enter(7, &[1]);
        graph.lead(NOWHERE, EdgeTarget::State(0), &[]);
        graph.enter(8, &[]);
        let end = graph.end("won");
        graph.lead(0, EdgeTarget::State(1), &[2]);
        graph.lead(0, EdgeTarget::End(end), &[]);
        graph
    }

    #[test]
    fn a_graph_that_leads_nowhere_is_not_whole() {
        assert!(graph().is_whole());
        let damages: [fn(&mut Graph<u8>); 8] = [
            |graph| *graph = Graph::default(),
            |graph| graph.start = 2 << 1,
            |graph| graph.edges[1] = 1 << 1 | 1,
            |graph| graph.edges[0] = 2 << 1,
            |graph| graph.ends.clear(),
            |graph| graph.tried[0].1 = 3,
            |graph| graph.identities.clear(),
            |graph| graph.sights[1].choice = Some(2),
        ];
        for (number, damage) in damages.into_iter().enumerate() {
            let mut graph = graph();
            damage(&mut graph);
            assert!(!graph.is_whole(), "damage {number}");
        }
    }
}
