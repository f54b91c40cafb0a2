//! COURSE: the algorithm printed in the assignment of EECS 2100 (University of Toledo, Fall 2007).
//!
//! The text says that with it the computer can never lose and will always win. It is not a program:
//! the submitted one ([`Eecs2100`](super::eecs2100::Eecs2100)) differs. Ambiguities of the text
//! give 24 [`Reading`]s, each a separate engine. The user is X and moves first. Cells are an array
//! around the edge, with the centre last.

mod ahead;
mod patterns;

pub use ahead::LookAhead;
use oxbox_proof::engine::arena::{Participant, Seat};
use oxbox_proof::engine::board::ring_index;
use oxbox_proof::engine::{Board, Engine, Mark, Move, Outcome};
pub use patterns::misprints;
use patterns::{Cells, GROUPS, PATTERNS, Pattern};
use std::fmt;
use std::ops::Range;

/// The outermost loop of the search for a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outer {
    /// All patterns, then the board is rotated: the literal reading.
    Rotations,
    /// Wins in all four rotations, then blocks, then the look-ahead.
    Groups,
    /// Each pattern in all four rotations before the next.
    Patterns,
}

/// The rule for the answer to the user's first move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FirstReply {
    /// Like every other move.
    Patterns,
    /// The centre, or the upper left corner if it is taken.
    Centre,
}

/// The order of free positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FirstFree {
    /// In array order: around the edge from the upper left, then the centre.
    Array,
    /// Row by row.
    Rows,
}

/// One interpretation of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reading {
    /// The order of the loops.
    pub outer: Outer,
    /// The first reply.
    pub first_reply: FirstReply,
    /// The position that is taken if no pattern matches.
    pub first_free: FirstFree,
    /// Whether patterns 11 and 12 are corrected.
    pub mended: bool,
}

impl Reading {
    /// The literal text.
    pub const PRINTED: Reading = Reading {
        outer: Outer::Rotations,
        first_reply: FirstReply::Patterns,
        first_free: FirstFree::Array,
        mended: false,
    };

    /// Returns all 24 readings, the literal one first.
    pub fn all() -> impl Iterator<Item = Reading> {
        (0..24).map(|number| Reading {
            outer: [Outer::Rotations, Outer::Groups, Outer::Patterns][number % 3],
            first_reply: [FirstReply::Patterns, FirstReply::Centre][number / 3 % 2],
            first_free: [FirstFree::Array, FirstFree::Rows][number / 6 % 2],
            mended: number >= 12,
        })
    }
}

/// Formats as `rotations outside, first reply by patterns, free in array order, as printed`.
impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outer = match self.outer {
            Outer::Rotations => "rotations",
            Outer::Groups => "groups",
            Outer::Patterns => "patterns",
        };
        let reply = match self.first_reply {
            FirstReply::Patterns => "by patterns",
            FirstReply::Centre => "in the centre",
        };
        let free = match self.first_free {
            FirstFree::Array => "in array order",
            FirstFree::Rows => "row by row",
        };
        let patterns = if self.mended { "misprints corrected" } else { "as printed" };
        write!(f, "{outer} outside, first reply {reply}, free {free}, {patterns}")
    }
}

/// A game against the printed algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Course {
    reading: Reading,
    cells: Cells,
    outcome: Option<Outcome>,
}

impl Course {
    /// Starts with an empty board.
    pub fn new(reading: Reading) -> Self {
        Course { reading, cells: [None; 9], outcome: None }
    }

    fn put(&mut self, index: usize, mark: Mark) {
        self.cells[index] = Some(mark);
        let board = self.board();
        self.outcome = match (board.has_row(mark), board.is_full()) {
            (true, _) => Some(Outcome::Win(mark)),
            (_, true) => Some(Outcome::Draw),
            _ => None,
        };
    }

    /// Returns the position, 0 to 8 in the array, that corresponds to `position` after `turns`
    /// quarter turns of the board.
    pub fn turned(position: usize, turns: usize) -> usize {
        if position == 8 { 8 } else { (position + 2 * turns) % 8 }
    }

    /// Returns the number of the pattern, 1 to 16, that the computer would apply after the user's
    /// move on `cell`; `None` if it would use another rule, or the move ends the game.
    pub fn pattern_after(&self, cell: Move) -> Option<usize> {
        let mut game = *self;
        game.put(ring_index(cell), Mark::X);
        let first =
            game.cells.iter().flatten().count() == 1 && self.reading.first_reply == FirstReply::Centre;
        if game.outcome.is_some() || first { None } else { game.find_pattern().map(|(number, _)| number) }
    }

    /// Returns the computer's move as an array index; `None` on a full board.
    fn choose(&self) -> Option<usize> {
        let first = self.cells.iter().flatten().count() == 1;
        if first && self.reading.first_reply == FirstReply::Centre {
            return Some(if self.cells[8].is_none() { 8 } else { 0 });
        }
        self.find_pattern().map(|(_, index)| index).or_else(|| self.first_free())
    }

    /// Returns the number of the first matching pattern, and the array index that it takes.
    fn find_pattern(&self) -> Option<(usize, usize)> {
        let hit =
            |number: usize, turns: usize| self.hit(&PATTERNS[number], turns).map(|index| (number + 1, index));
        let first = |turns: usize, mut numbers: Range<usize>| numbers.find_map(|number| hit(number, turns));
        match self.reading.outer {
            Outer::Rotations => (0..4).find_map(|turns| first(turns, 0..PATTERNS.len())),
            Outer::Groups => {
                GROUPS.iter().find_map(|group| (0..4).find_map(|turns| first(turns, group.clone())))
            }
            Outer::Patterns => {
                (0..PATTERNS.len()).find_map(|number| (0..4).find_map(|turns| hit(number, turns)))
            }
        }
    }

    /// Returns the target of a pattern after `turns` quarter turns counter-clockwise.
    fn hit(&self, pattern: &Pattern, turns: usize) -> Option<usize> {
        let view = std::array::from_fn(|position| self.cells[Course::turned(position, turns)]);
        pattern.target(&view, self.reading.mended).map(|position| Course::turned(position, turns))
    }

    fn first_free(&self) -> Option<usize> {
        match self.reading.first_free {
            FirstFree::Array => self.cells.iter().position(Option::is_none),
            FirstFree::Rows => self.board().free().next().map(ring_index),
        }
    }
}

/// The literal algorithm as an entrant of the arena: it answers.
pub const ENTRANT: Participant = Participant {
    name: "course",
    opens: Seat::Vacant,
    answers: Seat::Program(|| vec![Box::new(Course::new(Reading::PRINTED))]),
};

impl Engine for Course {
    const COMPUTER: Option<Mark> = Some(Mark::O);

    fn board(&self) -> Board {
        Board::from_cells(|cell| self.cells[ring_index(cell)])
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn play(&mut self, cell: Move) {
        if self.outcome.is_some() || self.cells[ring_index(cell)].is_some() {
            return;
        }
        self.put(ring_index(cell), Mark::X);
        if self.outcome.is_none()
            && let Some(index) = self.choose()
        {
            self.put(index, Mark::O);
        }
    }
}

#[cfg(test)]
mod tests;
