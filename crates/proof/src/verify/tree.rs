//! Every line of play with the screens that the program shows on it, to be looked at.
//!
//! A node is a position. Where the twin tells positions apart, those from which everything goes on alike are one node; ends are
//! one when they show the same screen and count the same; all others are told apart by the keys that lead there. A line of play is
//! a way from the root to an end. Screens are kept once, however many nodes show them. A line ends with its game, or where
//! the program differs from the twin.

use super::beside::hash_of;
use super::compare::{Agreement, Found, compare};
use super::emulated::Emulated;
use super::program::Program;
use super::report::{Figure, Lines, key_names};
use super::screen::{Picture, Shown};
use super::twin::Twin;
use std::collections::{BTreeMap, HashMap};

/// Every line of play of a program.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// The positions, the root first. A position stands behind the one from which it was first reached.
    pub nodes: Vec<Node>,
    /// What they show.
    pub screens: Vec<Shown>,
}

/// A position.
#[derive(Debug, Clone)]
pub struct Node {
    /// What it shows: an index into [`Tree::screens`].
    pub screen: usize,
    /// The keys that lead on, as `--keys` takes them, and where to: an index into [`Tree::nodes`].
    pub next: Vec<(String, usize)>,
    /// How the game has ended here.
    pub outcome: Option<&'static str>,
    /// Figures of the lines that end here, by name.
    pub figures: Vec<(&'static str, Figure)>,
    /// How the program differs from its twin here.
    pub differs: Option<String>,
}

impl Tree {
    /// The keys of every line that ends in such a node, in the order of the tree.
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

    /// Whether a node is wanted, or one below it: noted for each.
    fn leads(&self, at: usize, wanted: &impl Fn(&Node) -> bool, known: &mut Vec<Option<bool>>) -> bool {
        if let Some(known) = known[at] {
            return known;
        }
        let node = &self.nodes[at];
        // All are asked: each is to be noted.
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

    /// The number of lines by outcome. A line that ends in a difference counts under none.
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

/// What makes two places one node.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Identity {
    /// Of the twin with this number.
    Position(usize, u128),
    /// The screen, the outcome, and the figures.
    End(usize, &'static str, Vec<(&'static str, u64)>),
}

/// A tree in the making.
#[derive(Default)]
pub(super) struct Planting {
    tree: Tree,
    known: HashMap<Identity, usize>,
    screens: HashMap<Shape, usize>,
    /// The number of the twin that is followed.
    twin: usize,
}

/// What makes two screens one.
#[derive(PartialEq, Eq, Hash)]
enum Shape {
    Text(Vec<(u8, u8)>, Option<(usize, usize)>),
    Picture(Picture),
}

impl Planting {
    /// The lines of a twin, from its first prompt on, where the program stands too.
    pub(super) fn branch<T: Twin>(&mut self, twin: &T, program: &mut Emulated) {
        self.visit(twin, program);
        self.twin += 1;
    }

    /// What has grown.
    pub(super) fn tree(self) -> Tree {
        self.tree
    }

    /// The node of the place where both stand, with all that is below it.
    fn visit<T: Twin>(&mut self, twin: &T, program: &mut Emulated) -> usize {
        let screen = program.screen();
        let found =
            Found { state: program.state(), screen: &screen, notes: program.heard(), tunes: twin.tunes() };
        let differs = match compare(twin, &twin.screen(), &found) {
            Agreement::Differs(difference) => Some(difference.what),
            Agreement::Same | Agreement::OtherLayout => None,
        };
        let outcome = twin.outcome().map(|outcome| outcome.label(T::COMPUTER)).filter(|_| differs.is_none());
        let figures = if outcome.is_some() { twin.figures() } else { Vec::new() };
        let screen = self.screen(program);
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
                let mut next = twin.clone();
                let mut name = key_names(&[key]);
                if let Some(ticks) = ticks {
                    name = format!("@{} {name}", program.wait_for_ticks(ticks));
                    next.set_ticks(ticks);
                }
                program.press(&[key]);
                next.press(key);
                let node = self.visit(&next, program);
                self.tree.nodes[number].next.push((name, node));
            }
        }
        number
    }

    /// The number of what the program shows.
    fn screen(&mut self, program: &mut Emulated) -> usize {
        let shown = program.shown();
        let shape = match &shown {
            Shown::Text(text) => {
                let cursor = text.cursor.map(|cursor| (cursor.row, cursor.column));
                Shape::Text(text.cells.clone(), cursor)
            }
            Shown::Picture(picture) => Shape::Picture(picture.clone()),
        };
        *self.screens.entry(shape).or_insert_with(|| {
            self.tree.screens.push(shown);
            self.tree.screens.len() - 1
        })
    }
}
