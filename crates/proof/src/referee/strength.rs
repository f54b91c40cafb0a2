//! Measures the computer's play: every line of play against it, and the value that each of its
//! replies loses.

use super::record::Record;
use super::texts::{Standing, standing};
use crate::engine::{Board, Mark, Move};
use crate::walk::Target;
use std::collections::{BTreeMap, HashMap};

/// The strength of the computer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strength {
    /// Complete lines of play: won by the user, drawn, won by the computer.
    pub lines: [u64; 3],
    /// The shortest keys with which the user wins.
    pub shortest: Option<String>,
    /// The number of distinct replies that give up a win, including those that lose a draw.
    pub wins_missed: usize,
    /// The number of replies after which the user can win, although a draw was possible.
    pub draws_lost: usize,
}

/// The lines of play below a state: user, draw, computer.
type Lines = [u64; 3];

/// Measures the computer's play; `None` for two players, or if the user's mark is unknown.
pub(super) fn strength(record: &Record) -> Option<Strength> {
    let user = record.user.filter(|_| record.is_against_computer)?;
    let mut moves: BTreeMap<usize, BTreeMap<Board, (Target, Board)>> = BTreeMap::new();
    let mut result = Strength::default();
    let mut values = HashMap::new();
    let mut replies = std::collections::BTreeSet::new();
    for step in &record.steps {
        let is_change = step.is_move() || step.outcome.is_some_and(|outcome| outcome != step.before);
        let Some(outcome) = step.outcome.filter(|_| is_change && standing(step.before) == Standing::Open)
        else {
            continue;
        };
        // Keys with the same effect are one move.
        moves.entry(step.from).or_default().entry(outcome).or_insert((step.to, outcome));
        if result.shortest.is_none() && standing(outcome) == Standing::Row(user) && outcome.count(user) > 0 {
            result.shortest = Some(record.atlas.keys(&record.path(step)));
        }
        let own = step.gained.iter().find(|gained| gained.1 == user);
        if let (Some((own, _)), 1) = (own, step.gained_by(user.other())) {
            let mut asked = step.before;
            asked.place(*own, user);
            if standing(asked) == Standing::Open && replies.insert((asked, outcome)) {
                let best = value(asked, user.other(), &mut values);
                match (best, -value(outcome, user, &mut values)) {
                    (1, -1..=0) => result.wins_missed += 1,
                    (0, -1) => result.draws_lost += 1,
                    _ => {}
                }
            }
        }
    }
    let root = record.steps.iter().find(|step| step.is_move() && step.before.count(user) == 0)?.from;
    let mut known = HashMap::new();
    result.lines = lines(root, user, &moves, &mut known);
    Some(result)
}

/// Counts the lines of play from a state on.
fn lines(
    state: usize,
    user: Mark,
    moves: &BTreeMap<usize, BTreeMap<Board, (Target, Board)>>,
    known: &mut HashMap<usize, Lines>,
) -> Lines {
    if let Some(&lines) = known.get(&state) {
        return lines;
    }
    // A state that leads back to itself adds no lines.
    known.insert(state, Lines::default());
    let mut sum = Lines::default();
    for &(to, board) in moves.get(&state).into_iter().flat_map(BTreeMap::values) {
        let below = match (standing(board), to) {
            (Standing::Row(mark), _) if mark == user => [1, 0, 0],
            (Standing::Row(_), _) => [0, 0, 1],
            (Standing::Draw, _) => [0, 1, 0],
            (Standing::Open, Target::State(next)) => lines(next, user, moves, known),
            _ => Lines::default(),
        };
        sum = std::array::from_fn(|kind| sum[kind].saturating_add(below[kind]));
    }
    known.insert(state, sum);
    sum
}

/// Returns the value of a position for the player to move: 1 a win, 0 a draw, -1 a loss.
fn value(board: Board, mover: Mark, known: &mut HashMap<(Board, Mark), i8>) -> i8 {
    match standing(board) {
        Standing::Row(mark) => return if mark == mover { 1 } else { -1 },
        Standing::Draw | Standing::Rows => return 0,
        Standing::Open => {}
    }
    if let Some(&value) = known.get(&(board, mover)) {
        return value;
    }
    let free: Vec<Move> = board.free().collect();
    let best = free.into_iter().map(|cell| {
        let mut next = board;
        next.place(cell, mover);
        -value(next, mover.other(), known)
    });
    let best = best.max().unwrap_or(0);
    known.insert((board, mover), best);
    best
}
