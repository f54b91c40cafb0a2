//! Retrograde analysis: the value of each reachable position with best play.
//!
//! Works backwards from the ends of the game, shortest first. A position from which a lost one can
//! be reached is won; one from which only won ones can be reached is lost; an undecided one is a
//! draw.

use super::{Position, Rules, Stuck};
use std::collections::{HashMap, VecDeque};

/// The value of a position for the player to move, with the number of turns of both players with
/// best play: the winner hurries, the loser delays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Value {
    /// A win after this number of turns.
    Win(u32),
    /// A loss after this number of turns.
    Loss(u32),
    /// Neither player can force a row.
    Draw,
}

/// The numbers of positions by value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Won for the player to move.
    pub won: usize,
    /// Lost for it, including the ends of the game.
    pub lost: usize,
    /// Drawn.
    pub drawn: usize,
}

impl Count {
    /// Returns the number of all positions.
    pub fn positions(&self) -> usize {
        self.won + self.lost + self.drawn
    }
}

/// Every reachable position with its value.
#[derive(Debug, Clone)]
pub struct Solution {
    rules: Rules,
    values: HashMap<Position, Value>,
}

struct Node {
    position: Position,
    value: Option<Value>,
    /// The positions from which a turn leads here.
    before: Vec<usize>,
    /// The number of turns with unknown value.
    open: usize,
}

impl Solution {
    /// Solves a game.
    pub fn new(rules: Rules) -> Solution {
        let mut nodes = reachable(&rules);
        let mut decided: VecDeque<usize> = VecDeque::new();
        for (index, node) in nodes.iter_mut().enumerate().filter(|(_, node)| node.open == 0) {
            let stuck = node.position.winner().is_none();
            node.value =
                Some(if stuck && rules.stuck == Stuck::Draws { Value::Draw } else { Value::Loss(0) });
            decided.push_back(index);
        }
        // A queue, so that positions are processed in the order of their number of turns.
        while let Some(index) = decided.pop_front() {
            let Some(value) = nodes[index].value else { continue };
            for before in std::mem::take(&mut nodes[index].before) {
                let node = &mut nodes[before];
                node.open -= 1;
                node.value = match (node.value, value) {
                    (None, Value::Loss(turns)) => Some(Value::Win(turns + 1)),
                    (None, Value::Win(turns)) if node.open == 0 => Some(Value::Loss(turns + 1)),
                    // Already decided, still open, or a draw, which keeps `open` above 0.
                    _ => {
                        node.open += usize::from(value == Value::Draw);
                        continue;
                    }
                };
                decided.push_back(before);
            }
        }
        let value = |node: Node| (node.position, node.value.unwrap_or(Value::Draw));
        Solution { rules, values: nodes.into_iter().map(value).collect() }
    }

    /// Returns the value of a position; `None` if it is unreachable.
    pub fn value(&self, position: &Position) -> Option<Value> {
        self.values.get(position).copied()
    }

    /// Counts every position.
    pub fn count(&self) -> Count {
        self.count_those(|_| true)
    }

    /// Counts positions that are equal under rotation or reflection once.
    pub fn count_up_to_symmetry(&self) -> Count {
        self.count_those(|position| {
            let name = |position: &Position| position.board;
            position.symmetric().iter().all(|other| name(position) <= name(other))
        })
    }

    fn count_those(&self, which: impl Fn(&Position) -> bool) -> Count {
        let mut count = Count::default();
        for (_, value) in self.values.iter().filter(|(position, _)| which(position)) {
            match value {
                Value::Win(_) => count.won += 1,
                Value::Loss(_) => count.lost += 1,
                Value::Draw => count.drawn += 1,
            }
        }
        count
    }

    /// Returns the number of positions whose mover has not lost but cannot move.
    pub fn stuck(&self) -> usize {
        let stuck =
            |position: &&Position| position.winner().is_none() && position.turns(&self.rules).is_empty();
        self.values.keys().filter(stuck).count()
    }
}

/// Returns every position reachable from the empty board, with its turns.
fn reachable(rules: &Rules) -> Vec<Node> {
    let node = |position| Node { position, value: None, before: Vec::new(), open: 0 };
    let mut nodes = vec![node(Position::start())];
    let mut places = HashMap::from([(Position::start(), 0)]);
    let mut index = 0;
    while index < nodes.len() {
        let position = nodes[index].position;
        for turn in position.turns(rules) {
            let next = position.after(turn);
            let place = *places.entry(next).or_insert_with(|| {
                nodes.push(node(next));
                nodes.len() - 1
            });
            nodes[place].before.push(index);
            nodes[index].open += 1;
        }
        index += 1;
    }
    nodes
}

#[cfg(test)]
mod tests;
