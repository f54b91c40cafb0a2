//! The tree of all lines of play with the program's screens, for display.
//!
//! A node is a position. If the twin's screen identifies positions, those with equal continuations
//! are one node. Ends are one node if they have the same screen and figures. All others are
//! identified by their keys. A line of play is a path from the root to an end. Screens are stored
//! once. A line ends with its game, or where the program differs from the twin.

use super::beside::hash_of;
use super::compare::difference;
use super::report::{Figure, Lines, key_names};
use super::twin::Twin;
use crate::picture::Picture;
use crate::walk::ProgramUnderTest;
use crate::walk::performance::Shot;
use std::collections::{BTreeMap, HashMap};

/// The tree of all lines of play of a program.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// The positions, the root first. A position follows the one from which it was first reached.
    pub nodes: Vec<Node>,
    /// The screens of the positions.
    pub screens: Vec<Shot>,
}

/// A position.
#[derive(Debug, Clone)]
pub struct Node {
    /// The index of its screen in [`Tree::screens`].
    pub screen: usize,
    /// The keys that continue, in the form of `--keys`, and the indices of the next nodes in
    /// [`Tree::nodes`].
    pub next: Vec<(String, usize)>,
    /// The end of the game at this position.
    pub outcome: Option<&'static str>,
    /// Figures of the lines that end here, by name.
    pub figures: Vec<(&'static str, Figure)>,
    /// The difference between program and twin at this position.
    pub differs: Option<String>,
}

impl Tree {
    /// Returns the keys of every line that ends in a matching node, in tree order.
    pub fn lines_to(&self, wanted: impl Fn(&Node) -> bool) -> Vec<String> {
        let mut leads = vec![None; self.nodes.len()];
        if !self.nodes.is_empty() {
            self.leads(0, &wanted, &mut leads);
        }
        let (mut found, mut keys) = (Vec::new(), Vec::new());
        if leads.first() == Some(&Some(true)) {
            self.collect(0, &leads, &mut keys, &mut found);
        }
        found
    }

    /// Returns whether a node or one below it matches, and records that for each.
    fn leads(&self, at: usize, wanted: &impl Fn(&Node) -> bool, known: &mut Vec<Option<bool>>) -> bool {
        if let Some(known) = known[at] {
            return known;
        }
        let node = &self.nodes[at];
        // All are evaluated, because each must be recorded.
        let below = node.next.iter().filter(|(_, next)| self.leads(*next, wanted, known)).count() > 0;
        let leads = below || node.next.is_empty() && wanted(node);
        known[at] = Some(leads);
        leads
    }

    fn collect<'a>(
        &'a self,
        at: usize,
        leads: &[Option<bool>],
        keys: &mut Vec<&'a str>,
        found: &mut Vec<String>,
    ) {
        let node = &self.nodes[at];
        if node.next.is_empty() {
            found.push(keys.join(" "));
        }
        for (key, next) in node.next.iter().filter(|(_, next)| leads[*next] == Some(true)) {
            keys.push(key);
            self.collect(*next, leads, keys, found);
            keys.pop();
        }
    }

    /// Returns the number of lines by outcome. A line that ends in a difference has none.
    pub fn lines(&self) -> Lines {
        let mut below: Vec<Lines> = vec![Lines::new(); self.nodes.len()];
        let mut known = vec![false; self.nodes.len()];
        if !self.nodes.is_empty() {
            self.count(0, &mut below, &mut known);
        }
        below.swap_remove(0)
    }

    fn count(&self, at: usize, below: &mut Vec<Lines>, known: &mut Vec<bool>) {
        if std::mem::replace(&mut known[at], true) {
            return;
        }
        let node = &self.nodes[at];
        let mut lines = BTreeMap::new();
        if let Some(outcome) = node.outcome {
            lines.insert(outcome.to_owned(), 1);
        }
        for &(_, next) in &node.next {
            self.count(next, below, known);
            for (outcome, count) in &below[next] {
                *lines.entry(outcome.clone()).or_default() += count;
            }
        }
        below[at] = lines;
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Identity {
    /// A position of the twin with this number.
    Position(usize, u128),
    /// The screen, the outcome, and the figures.
    End(usize, &'static str, Vec<(&'static str, u64)>),
}

#[derive(Default)]
pub(super) struct TreeBuilder {
    tree: Tree,
    known: HashMap<Identity, usize>,
    screens: HashMap<Shape, usize>,
    twin: usize,
}

#[derive(PartialEq, Eq, Hash)]
enum Shape {
    Text(Vec<(u8, u8)>, Option<(usize, usize)>),
    Picture(Picture),
}

impl TreeBuilder {
    /// Adds the lines of a twin from its first prompt on, at which the program is, too.
    pub(super) fn branch(&mut self, twin: &dyn Twin, program: &mut ProgramUnderTest) {
        self.visit(twin, program);
        self.twin += 1;
    }

    pub(super) fn tree(self) -> Tree {
        self.tree
    }

    /// Returns the node of the current position, and adds everything below it.
    fn visit(&mut self, twin: &dyn Twin, program: &mut ProgramUnderTest) -> usize {
        let differs = difference(twin, program);
        let outcome =
            twin.outcome().map(|outcome| outcome.label(twin.computer())).filter(|_| differs.is_none());
        let figures = if outcome.is_some() { twin.figures() } else { Vec::new() };
        let screen = self.screen(program.shot());
        let identity = match outcome {
            _ if differs.is_some() => None,
            Some(outcome) => {
                let figures = figures.iter().map(|(name, figure)| (*name, figure.value())).collect();
                Some(Identity::End(screen, outcome, figures))
            }
            None => Some(Identity::Position(self.twin, hash_of(twin))),
        };
        if let Some(&known) = identity.as_ref().and_then(|identity| self.known.get(identity)) {
            return known;
        }
        let number = self.tree.nodes.len();
        self.known.extend(identity.map(|identity| (identity, number)));
        let goes_on = outcome.is_none() && differs.is_none();
        self.tree.nodes.push(Node { screen, next: Vec::new(), outcome, figures, differs });
        let moves = if goes_on { twin.moves() } else { Vec::new() };
        let saved = program.save();
        for key in moves {
            let ticks: Vec<Option<u8>> =
                if twin.reads_clock(key) { (0..8).map(Some).collect() } else { vec![None] };
            for ticks in ticks {
                program.restore(&saved);
                let mut next = twin.boxed();
                let mut name = key_names(&[key]);
                if let Some(ticks) = ticks {
                    name = format!("@{} {name}", program.wait_for_ticks(ticks));
                    next.set_ticks(ticks);
                }
                program.press(&[key]);
                next.press(key);
                let node = self.visit(&*next, program);
                self.tree.nodes[number].next.push((name, node));
            }
        }
        number
    }

    /// Returns the index of a screen.
    fn screen(&mut self, shot: Shot) -> usize {
        let shape = match &shot {
            Shot::Text(text) => {
                let cursor = text.cursor.map(|cursor| (cursor.row, cursor.column));
                Shape::Text(text.cells.clone(), cursor)
            }
            Shot::Pixels(picture) => Shape::Picture(picture.clone()),
        };
        *self.screens.entry(shape).or_insert_with(|| {
            self.tree.screens.push(shot);
            self.tree.screens.len() - 1
        })
    }
}
