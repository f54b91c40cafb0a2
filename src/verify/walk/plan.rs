//! How a walk is divided, told by the twin alone: which branches are units of work, and what belongs to which of them.
//!
//! A unit is a position so many moves down and all that is below it. What is looked at once in the whole walk belongs
//! to the first that comes to it in the order of the keys: a position that is reached in several ways, and what comes after
//! the first end of each kind. So units can be walked in any order, by anybody, and what is found is the same.

use super::super::twin::Twin;
use crate::engine::Outcome;
use std::collections::{HashMap, HashSet};

/// A unit begins after so many moves at most.
const DEEPEST: usize = 64;

/// Who walks something: a unit, by its number, or the walk above all units.
pub(super) type Owner = Option<usize>;

/// How a walk is divided.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// After so many moves a unit begins.
    depth: usize,
    /// The unit that begins after these keys.
    units: HashMap<Vec<u8>, usize>,
    /// Of each unit, by its number.
    ends: Vec<Ends>,
    /// Who walks each position, of those that are reached in several ways.
    owners: HashMap<u64, Owner>,
}

/// The outcomes after which the way out of the game is looked at before a unit in the same branch of the first choice, and
/// those with the unit's own.
#[derive(Debug, Default)]
pub(super) struct Ends {
    pub(super) before: HashSet<Outcome>,
    pub(super) after: HashSet<Outcome>,
}

impl Plan {
    /// Divides the walk below `twin` into at least `wanted` units, if there are so many positions at one depth.
    pub(super) fn new<T: Twin>(twin: &T, wanted: usize) -> Plan {
        let plan = Plan { depth: depth(twin, wanted), ..Plan::default() };
        let mut planner = Planner { plan, keys: Vec::new(), owner: None, ends: HashSet::new() };
        planner.visit(twin);
        planner.plan
    }

    /// The unit that begins after these keys.
    pub(super) fn unit(&self, keys: &[u8]) -> Owner {
        if keys.len() == self.depth { self.units.get(keys).copied() } else { None }
    }

    /// What a unit needs to know of others.
    pub(super) fn ends(&self, unit: usize) -> Option<&Ends> {
        self.ends.get(unit)
    }

    /// About how much there is to do in each unit, by its number: the positions that it walks, and itself.
    pub(super) fn weights(&self) -> Vec<usize> {
        let mut weights = vec![1; self.ends.len()];
        for unit in self.owners.values().copied().flatten() {
            weights[unit] += 1;
        }
        weights
    }

    /// Whether a position is walked by somebody.
    pub(super) fn owns(&self, owner: Owner, position: u64) -> bool {
        self.owners.get(&position) == Some(&owner)
    }
}

/// The least number of moves after which there are so many positions to go on from, or as many as there ever are.
fn depth<T: Twin>(twin: &T, wanted: usize) -> usize {
    let mut level = vec![twin.clone()];
    let mut best = (0, 1);
    for depth in 1..=DEEPEST {
        let mut positions = HashSet::new();
        let mut next = Vec::new();
        for twin in &level {
            for key in twin.moves() {
                let mut after = twin.clone();
                after.press(key);
                let is_new = after.position().is_none_or(|position| positions.insert(position));
                if is_new && after.outcome().is_none() {
                    next.push(after);
                }
            }
        }
        best = best.max((next.len(), depth));
        if next.is_empty() || next.len() >= wanted {
            break;
        }
        level = next;
    }
    best.1
}

struct Planner {
    plan: Plan,
    keys: Vec<u8>,
    owner: Owner,
    /// Of this branch of the first choice.
    ends: HashSet<Outcome>,
}

impl Planner {
    /// Everything from a position on, in the order in which the walk comes to it.
    fn visit<T: Twin>(&mut self, twin: &T) {
        if let Some(outcome) = twin.outcome() {
            self.ends.insert(outcome);
            return;
        }
        let position = twin.position();
        if position.is_some_and(|position| self.plan.owners.contains_key(&position)) {
            return;
        }
        let begins = self.keys.len() == self.plan.depth;
        if begins {
            let unit = self.plan.ends.len();
            self.plan.units.insert(self.keys.clone(), unit);
            self.plan.ends.push(Ends { before: self.ends.clone(), after: HashSet::new() });
            self.owner = Some(unit);
        }
        self.plan.owners.extend(position.map(|position| (position, self.owner)));
        for key in twin.moves() {
            if self.keys.is_empty() {
                self.ends.clear();
            }
            let mut next = twin.clone();
            next.press(key);
            self.keys.push(key);
            self.visit(&next);
            self.keys.pop();
        }
        if begins {
            if let Some(ends) = self.plan.ends.last_mut() {
                ends.after.clone_from(&self.ends);
            }
            self.owner = None;
        }
    }
}
