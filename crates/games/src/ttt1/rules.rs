//! The rules of TTT1 by Randall Hyde (1996): bitmaps and rotations, for MASM 6 and the UCR Standard
//! Library.
//!
//! The user is X and moves first. Each side is a word: bits 0 to 7 are clockwise around the edge
//! from the upper left, and bit 8 is the centre, so that a quarter turn rotates the low byte by
//! two. These are the rules that the program executes, including its mistakes, determined by
//! running the author's program over every line of play.

use oxbox_proof::engine::board::{RING, ring_index};
use oxbox_proof::engine::{Board, Engine, Mark, Move, Outcome};

/// The nine cells.
const FULL: u16 = 0x1FF;

/// A pattern. If `side & check == expected` holds in one of the four rotations, and no bit of the
/// equally rotated `target` is taken, the whole byte `target` is played.
#[derive(Clone, Copy)]
pub(super) struct Pattern {
    pub(super) check: u16,
    expected: u16,
    pub(super) target: u8,
}

const fn row(check: u16, target: u8) -> Pattern {
    Pattern { check, expected: check, target }
}

const fn look_ahead(check: u16, expected: u16, target: u8) -> Pattern {
    Pattern { check, expected, target }
}

/// The computer's own twos: completing one wins.
pub(super) const WINS: [Pattern; 5] =
    [row(0x006, 0x01), row(0x0C0, 0x01), row(0x110, 0x01), row(0x005, 0x02), row(0x120, 0x02)];

/// The user's twos, then shapes that would become a double threat.
///
/// The program has a table of eleven targets for these, but reads the five of [`WINS`] and
/// continues into the check masks after them. So the last six targets are masks: three of these
/// shapes never play, and three play a different cell than intended (see
/// [`patterns`](super::patterns)).
pub(super) const BLOCKS: [Pattern; 11] = [
    row(0x006, 0x01),
    row(0x0C0, 0x01),
    row(0x110, 0x01),
    row(0x005, 0x02),
    row(0x120, 0x02),
    look_ahead(0x1FF, 0x044, 0x06),
    look_ahead(0x0C7, 0x082, 0xC0),
    look_ahead(0x0C7, 0x084, 0x10),
    look_ahead(0x0C7, 0x044, 0x05),
    look_ahead(0x122, 0x100, 0x20),
    look_ahead(0x111, 0x100, 0xFF),
];

/// The targets of [`BLOCKS`] in the program's own table, which the program never reads.
pub(super) const UNREAD_TARGETS: [u8; 11] = [1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 1];

/// Returns a side's bitmap with the board rotated by 90 degrees: the low byte rotated right by two,
/// the centre unchanged.
pub fn turned(side: u16) -> u16 {
    side & 0x100 | u16::from((side as u8).rotate_right(2))
}

/// A game of TTT1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Ttt1 {
    x: u16,
    o: u16,
    outcome: Option<Outcome>,
    /// The Os of the edge before the winning move, in the rotation of the winning pattern.
    turned: u8,
    /// Whether the block routine reads the intended table.
    mended: bool,
}

impl Ttt1 {
    /// Starts with an empty board.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a variant whose block routine reads the targets of its own table.
    pub fn mended() -> Self {
        Ttt1 { mended: true, ..Self::default() }
    }

    /// Returns the bitmaps of X and O: bits 0 to 7 clockwise around the edge from the upper left,
    /// bit 8 the centre.
    pub fn bitmaps(&self) -> (u16, u16) {
        (self.x, self.o)
    }

    /// Returns AL at the end of the game, which becomes the exit code.
    pub fn left_in_al(&self) -> u8 {
        match self.outcome {
            Some(Outcome::Win(_)) => self.turned,
            _ => 0xFF,
        }
    }

    fn taken(&self) -> u16 {
        self.x | self.o
    }

    fn blocks(&self) -> [Pattern; 11] {
        let mut blocks = BLOCKS;
        if self.mended {
            for (pattern, target) in blocks.iter_mut().zip(UNREAD_TARGETS) {
                pattern.target = target;
            }
        }
        blocks
    }

    /// Makes the computer's move: a win, a block, or the first free cell of the edge.
    fn answer(&mut self) {
        if self.o == 0 {
            self.o = if self.x & 0x100 != 0 { 0x001 } else { 0x100 };
        } else if self.taken() == FULL {
            self.outcome = Some(Outcome::Draw);
        } else if let Some((target, turned)) =
            WINS.iter().find_map(|pattern| pattern.turned_hit(self.o, self.taken()))
        {
            self.o |= target;
            self.turned = turned as u8;
            self.outcome = Some(Outcome::Win(Mark::O));
        } else if let Some(target) = first_hit(&self.blocks(), self.x, self.taken()) {
            self.o |= target;
        } else if let Some(bit) = (0..8).map(|n| 1 << n).find(|bit| self.taken() & bit == 0) {
            self.o |= bit;
        } else {
            self.outcome = Some(Outcome::Draw);
        }
    }
}

/// Returns the target of the first matching pattern, in order, each in the four rotations.
fn first_hit(patterns: &[Pattern], side: u16, taken: u16) -> Option<u16> {
    patterns.iter().find_map(|pattern| pattern.hit(side, taken))
}

impl Pattern {
    /// Returns the target, if the pattern matches.
    pub(super) fn hit(&self, side: u16, taken: u16) -> Option<u16> {
        self.turned_hit(side, taken).map(|(target, _)| target)
    }

    /// Returns the target, and the rotated side that matched.
    fn turned_hit(&self, side: u16, taken: u16) -> Option<(u16, u16)> {
        let (mut side, mut target) = (side, u16::from(self.target));
        // The board rotates one way and the target the other. The target is shifted instead of
        // rotated, so bits are lost; a target of 0 has failed.
        while target != 0 {
            if side & self.check == self.expected && taken & target == 0 {
                return Some((target, side));
            }
            side = turned(side);
            target = target << 2 & 0xFF;
        }
        None
    }
}

impl Engine for Ttt1 {
    const COMPUTER: Option<Mark> = Some(Mark::O);

    fn board(&self) -> Board {
        let mut board = Board::default();
        for (bit, cell) in RING.into_iter().enumerate() {
            if self.x >> bit & 1 != 0 {
                board.place(cell, Mark::X);
            }
            if self.o >> bit & 1 != 0 {
                board.place(cell, Mark::O);
            }
        }
        board
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn play(&mut self, cell: Move) {
        let bit = 1 << ring_index(cell);
        if self.outcome.is_none() && self.taken() & bit == 0 {
            self.x |= bit;
            self.answer();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxbox_proof::engine::census;

    /// Tests the counts of the author's program, executed over its whole tree.
    #[test]
    fn the_whole_tree() {
        let census = census(&Ttt1::new());
        assert_eq!(census.positions, 778);
        assert_eq!(census.ends.len(), 497);
        let lines = |outcome, user_row| {
            census.ends.iter().filter(|end| end.0 == outcome && end.1.has_row(Mark::X) == user_row).count()
        };
        assert_eq!(lines(Outcome::Win(Mark::O), false), 366);
        assert_eq!(lines(Outcome::Win(Mark::O), true), 14);
        assert_eq!(lines(Outcome::Draw, false), 111);
        assert_eq!(lines(Outcome::Draw, true), 6);
        for (outcome, board) in &census.ends {
            assert_eq!(*outcome == Outcome::Win(Mark::O), board.has_row(Mark::O), "{board}");
        }
    }

    #[test]
    fn replies() {
        let cases =
            [("4", "O../.X./..."), ("0", "X../.O./..."), ("0 1", "XXO/.O./..."), ("0 1 6", "XXO/OO./X..")];
        for (moves, expected) in cases {
            let mut game = Ttt1::new();
            for cell in moves.split(' ').filter_map(|digit| Move::new(digit.parse().unwrap())) {
                game.play(cell);
            }
            assert_eq!(game.board().to_string(), expected, "after {moves}");
        }
    }

    #[test]
    fn a_taken_cell_changes_nothing() {
        let mut game = Ttt1::new();
        game.play(Move::ALL[4]);
        let before = game;
        game.play(Move::ALL[4]);
        game.play(Move::ALL[0]);
        assert_eq!(game, before);
    }
}
