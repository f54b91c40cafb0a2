//! COURSE: the algorithm that the assignment of EECS 2100 (University of Toledo, Fall 2007) prints.
//!
//! The text says that the computer can never lose with it and will always win. It is no program: what was handed
//! in ([`Eecs2100`](super::eecs2100::Eecs2100)) differs. What the text leaves open makes 24 [`Reading`]s, each an
//! engine of its own. The user is X and moves first; cells are an array round the edge, the centre last.

mod patterns;

use crate::engine::arena::{Entrant, Seat};
use crate::engine::board::ring_index;
use crate::engine::{Board, Engine, Mark, Move, Outcome};
use patterns::{Cells, GROUPS, PATTERNS, Pattern};
use std::fmt;

/// What runs outermost in the search for a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Outer {
    /// All patterns, then the board is turned: so the text reads.
    Rotations,
    /// Wins in all four rotations, then blocks, then the look-ahead.
    Groups,
    /// Each pattern in all four rotations before the next.
    Patterns,
}

/// How the user's first move is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FirstReply {
    /// As every other.
    Patterns,
    /// The centre, or the upper left corner if it is taken.
    Centre,
}

/// Which free position is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FirstFree {
    /// In the order of the array: round the edge from the upper left, then the centre.
    Array,
    /// Row by row.
    Rows,
}

/// One way to understand the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reading {
    /// The order of the loops.
    pub(crate) outer: Outer,
    /// The first reply.
    pub(crate) first_reply: FirstReply,
    /// The position that is taken when no pattern is found.
    pub(crate) first_free: FirstFree,
    /// Patterns 11 and 12 as they are meant, not as they are printed.
    pub(crate) mended: bool,
}

impl Reading {
    /// The text word for word.
    pub(crate) const PRINTED: Reading = Reading {
        outer: Outer::Rotations,
        first_reply: FirstReply::Patterns,
        first_free: FirstFree::Array,
        mended: false,
    };

    /// All 24, the one as printed first.
    pub fn all() -> impl Iterator<Item = Reading> {
        (0..24).map(|number| Reading {
            outer: [Outer::Rotations, Outer::Groups, Outer::Patterns][number % 3],
            first_reply: [FirstReply::Patterns, FirstReply::Centre][number / 3 % 2],
            first_free: [FirstFree::Array, FirstFree::Rows][number / 6 % 2],
            mended: number >= 12,
        })
    }
}

/// `rotations outside, first reply by patterns, free in array order, as printed`.
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
        let patterns = if self.mended { "misprints mended" } else { "as printed" };
        write!(f, "{outer} outside, first reply {reply}, free {free}, {patterns}")
    }
}

/// A game against the printed algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Course {
    reading: Reading,
    cells: Cells,
    outcome: Option<Outcome>,
}

impl Course {
    /// The empty board.
    pub(crate) fn new(reading: Reading) -> Self {
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

    /// The computer's move, as an array index; `None` on a full board.
    fn choose(&self) -> Option<usize> {
        let first = self.cells.iter().flatten().count() == 1;
        if first && self.reading.first_reply == FirstReply::Centre {
            return Some(if self.cells[8].is_none() { 8 } else { 0 });
        }
        self.find_pattern().or_else(|| self.first_free())
    }

    fn find_pattern(&self) -> Option<usize> {
        let all = || PATTERNS.iter();
        match self.reading.outer {
            Outer::Rotations => (0..4).find_map(|turns| all().find_map(|pattern| self.hit(pattern, turns))),
            Outer::Groups => GROUPS.iter().find_map(|group| {
                (0..4).find_map(|turns| {
                    PATTERNS[group.clone()].iter().find_map(|pattern| self.hit(pattern, turns))
                })
            }),
            Outer::Patterns => all().find_map(|pattern| (0..4).find_map(|turns| self.hit(pattern, turns))),
        }
    }

    /// The target of a pattern on the board after so many quarter turns counter-clockwise.
    fn hit(&self, pattern: &Pattern, turns: usize) -> Option<usize> {
        let unturned = |position: usize| if position == 8 { 8 } else { (position + 2 * turns) % 8 };
        let view = std::array::from_fn(|position| self.cells[unturned(position)]);
        pattern.target(&view, self.reading.mended).map(unturned)
    }

    fn first_free(&self) -> Option<usize> {
        match self.reading.first_free {
            FirstFree::Array => self.cells.iter().position(Option::is_none),
            FirstFree::Rows => self.board().free().next().map(ring_index),
        }
    }
}

/// The algorithm as printed, in the arena: it answers.
pub(crate) const ENTRANT: Entrant = Entrant {
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
