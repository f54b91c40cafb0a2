//! Counts the complete lines of play in the graph of a search.
//!
//! The search visits each state once, however many paths lead to it. Lines are counted afterwards:
//! the twin makes its moves, and the graph shows the state of the pair. Everything below a state is
//! the same for all paths to it, so it is counted once.

use super::beside::DIFFERENCE;
use super::keys::Keyboard;
use super::report::{Begun, Figure, GameReport, Lines};
use super::twin::Twin;
use crate::walk::graph::{EdgeTarget, Graph};
use std::collections::HashMap;
use std::rc::Rc;

pub(super) struct Counter<'a, N> {
    graph: Option<&'a Graph<N>>,
    keyboard: &'a Keyboard,
    known: HashMap<u32, Rc<Below>>,
    /// Prompts and ends reached by moves, counted once per prompt.
    pub(super) prompts: usize,
}

/// The statistics below a position. Keys count from there.
#[derive(Debug, Clone, Default)]
pub(super) struct Below {
    outcomes: Lines,
    figures: Vec<(&'static str, Figure)>,
    begins: Vec<(String, Lines)>,
    /// The action numbers of the lines that the user wins.
    user_wins: Vec<Vec<usize>>,
    /// The first line with the largest figure, whose keys are [`GameReport::worst_keys`].
    worst: Option<(u64, Vec<usize>)>,
}

impl<'a, N: Clone> Counter<'a, N> {
    /// Creates a counter for the graph of a search.
    pub(super) fn new(graph: &'a Graph<N>, keyboard: &'a Keyboard) -> Self {
        Counter { graph: Some(graph), keyboard, known: HashMap::new(), prompts: 0 }
    }

    /// Counts everything below the start.
    pub(super) fn all(&mut self, twin: &dyn Twin) -> Below {
        self.prompts += 1;
        let start = self.graph.map(Graph::start);
        match start {
            Some(EdgeTarget::State(state)) => (*self.below(twin, state)).clone(),
            _ => Below::default(),
        }
    }

    fn below(&mut self, twin: &dyn Twin, state: u32) -> Rc<Below> {
        if let Some(known) = self.known.get(&state) {
            return Rc::clone(known);
        }
        let graph = self.graph;
        let led: Vec<EdgeTarget> =
            graph.and_then(|graph| graph.choices(state)).into_iter().flatten().collect();
        let mut below = Below::default();
        let moves = twin.moves();
        for (number, (action, to)) in self.keyboard.actions(twin).iter().zip(led).enumerate() {
            let Some(character) = action.character() else { continue };
            if !moves.contains(&character) || action.stroke.is_another {
                continue;
            }
            self.prompts += 1;
            let differs = |end| graph.and_then(|graph| graph.end_name(end)) == Some(DIFFERENCE);
            let next_state = match to {
                EdgeTarget::State(next) => Some(next),
                EdgeTarget::End(end) if differs(end) => continue,
                EdgeTarget::End(_) => None,
            };
            let mut next = twin.boxed();
            action.type_to(&mut *next);
            match (next.outcome(), next_state) {
                (Some(_), _) => below.add(number, &Below::line(&*next)),
                (None, Some(state)) => below.add(number, &self.below(&*next, state)),
                (None, None) => {}
            }
        }
        let below = Rc::new(below);
        self.known.insert(state, Rc::clone(&below));
        below
    }
}

impl Below {
    fn line(twin: &dyn Twin) -> Below {
        let Some(outcome) = twin.outcome() else { return Below::default() };
        let label = outcome.label(twin.computer());
        let outcomes = Lines::from([(label.to_owned(), 1)]);
        let figures = twin.figures();
        let mut report = GameReport::default();
        figures.iter().for_each(|&(name, figure)| report.figure(name, figure));
        Below {
            begins: twin.begins().map(|who| (who, outcomes.clone())).into_iter().collect(),
            outcomes,
            figures,
            user_wins: if outcome.is_users(twin.computer()) { vec![Vec::new()] } else { Vec::new() },
            worst: report.worst().map(|worst| (worst, Vec::new())),
        }
    }

    fn add(&mut self, action: usize, more: &Below) {
        let behind = |keys: &Vec<usize>| [&[action], keys.as_slice()].concat();
        for (outcome, count) in &more.outcomes {
            *self.outcomes.entry(outcome.clone()).or_default() += count;
        }
        for &(name, figure) in &more.figures {
            match self.figures.iter_mut().find(|(known, _)| *known == name) {
                Some((_, total)) => *total = total.with(figure),
                None => self.figures.push((name, figure)),
            }
        }
        for (who, lines) in &more.begins {
            let place = self.begins.iter().position(|(known, _)| known == who).unwrap_or_else(|| {
                self.begins.push((who.clone(), Lines::new()));
                self.begins.len() - 1
            });
            for (outcome, count) in lines {
                *self.begins[place].1.entry(outcome.clone()).or_default() += count;
            }
        }
        self.user_wins.extend(more.user_wins.iter().map(behind));
        if let Some((worst, keys)) = &more.worst
            && self.worst.as_ref().is_none_or(|(known, _)| worst > known)
        {
            self.worst = Some((*worst, behind(keys)));
        }
    }

    /// Converts to a report. `spell` formats the keys of a line.
    pub(super) fn report(&self, spell: impl Fn(&[usize]) -> String) -> GameReport {
        let mut report = GameReport::default();
        report.count(&self.outcomes);
        self.figures.iter().for_each(|&(name, figure)| report.figure(name, figure));
        for (who, outcomes) in &self.begins {
            let begun = Begun { lines: outcomes.values().sum(), outcomes: outcomes.clone() };
            report.begins.insert(who.clone(), begun);
        }
        report.user_wins = self.user_wins.iter().map(|keys| spell(keys)).collect();
        report.user_wins.sort();
        report.worst_keys = self.worst.as_ref().map(|(_, keys)| spell(keys));
        report
    }
}

/// Returns the number of complete lines of a twin, without its program.
pub(super) fn count(twin: &dyn Twin) -> usize {
    fn below(twin: &dyn Twin, known: &mut HashMap<u128, usize>) -> usize {
        if twin.outcome().is_some() {
            return 1;
        }
        let identity = super::beside::hash_of(twin);
        if let Some(&lines) = known.get(&identity) {
            return lines;
        }
        let mut lines = 0;
        for action in Keyboard::alphabet().moves(twin) {
            let mut next = twin.boxed();
            action.type_to(&mut *next);
            lines += below(&*next, known);
        }
        known.insert(identity, lines);
        lines
    }
    below(twin, &mut HashMap::new())
}
