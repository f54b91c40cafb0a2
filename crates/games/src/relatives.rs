//! The relatives of tic-tac-toe in the report on the chip: Arabian Millwheel and Achi.
//!
//! Two players place their stones in turn, then move them. Three in a row win at any time. Source:
//! the rules in the report, which does not define which squares of Achi are adjacent ([`Reach`])
//! and what happens to a player who cannot move ([`Stuck`]). [`solve`] examines every position.

pub mod solve;

use oxbox_proof::engine::{Board, Mark, Move};

/// The adjacency rule for moving stones to an empty square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// Any square.
    Anywhere,
    /// The next square, diagonally too.
    Eight,
    /// The next square in the same row or column.
    Four,
    /// The next square along the lines of the Achi board: rows, columns and the two diagonals.
    Lines,
}

/// The rule for a player who cannot move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stuck {
    /// The player loses.
    Loses,
    /// The game is a draw.
    Draws,
}

/// The rules of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The number of stones of each player.
    pub stones: u32,
    /// The adjacency rule.
    pub reach: Reach,
    /// The rule for a player who cannot move.
    pub stuck: Stuck,
}

impl Rules {
    /// Arabian Millwheel. A player can always move.
    pub const MILLWHEEL: Rules = Rules { stones: 3, reach: Reach::Anywhere, stuck: Stuck::Loses };

    /// Achi, or African Millwheel: a player who cannot move loses.
    pub const fn achi(reach: Reach) -> Rules {
        Rules { stones: 4, reach, stuck: Stuck::Loses }
    }
}

impl Reach {
    /// Returns whether a stone may move from one square to the other.
    pub fn allows(self, from: Move, to: Move) -> bool {
        let (dx, dy) = (from.x().abs_diff(to.x()), from.y().abs_diff(to.y()));
        let centre = Move::ALL[4];
        match self {
            Reach::Anywhere => from != to,
            Reach::Eight => dx.max(dy) == 1,
            Reach::Four => dx + dy == 1,
            Reach::Lines => dx + dy == 1 || dx + dy == 2 && (from == centre || to == centre),
        }
    }
}

/// An interpretation of the rules, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// The game's name in tables.
    pub game: &'static str,
    /// Which squares are adjacent, in tables. Empty without alternatives.
    pub adjacent: &'static str,
    /// The rules of this interpretation.
    pub rules: Rules,
}

/// All interpretations of both games.
pub const READINGS: [Reading; 4] = [
    Reading { game: "millwheel", adjacent: "", rules: Rules::MILLWHEEL },
    Reading { game: "achi", adjacent: "eight", rules: Rules::achi(Reach::Eight) },
    Reading { game: "achi", adjacent: "four", rules: Rules::achi(Reach::Four) },
    Reading { game: "achi", adjacent: "lines", rules: Rules::achi(Reach::Lines) },
];

/// A turn of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Turn {
    /// Places a stone on an empty square.
    Place(Move),
    /// Moves a stone from the first square to the second.
    Go(Move, Move),
}

/// The stones, and the player to move. X moves first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The stones.
    pub board: Board,
    /// The player to move.
    pub mover: Mark,
}

impl Position {
    /// Returns the empty board, X to move.
    pub fn start() -> Position {
        Position { board: Board::default(), mover: Mark::X }
    }

    /// Returns the player with three in a row.
    pub fn winner(&self) -> Option<Mark> {
        [Mark::X, Mark::O].into_iter().find(|&mark| self.board.has_row(mark))
    }

    /// Returns the possible turns with squares in ascending order; none after the end of the game.
    pub fn turns(&self, rules: &Rules) -> Vec<Turn> {
        if self.winner().is_some() {
            return Vec::new();
        }
        let free = self.board.free();
        if self.board.count(self.mover) < rules.stones {
            return free.map(Turn::Place).collect();
        }
        let empty: Vec<Move> = free.collect();
        let stones = Move::ALL.into_iter().filter(|&cell| self.board.get(cell) == Some(self.mover));
        let steps = stones.flat_map(|from| {
            empty.iter().filter(move |&&to| rules.reach.allows(from, to)).map(move |&to| Turn::Go(from, to))
        });
        steps.collect()
    }

    /// Returns the position after a turn from [`turns`](Self::turns).
    #[must_use]
    pub fn after(&self, turn: Turn) -> Position {
        let (gone, to) = match turn {
            Turn::Place(to) => (None, to),
            Turn::Go(from, to) => (Some(from), to),
        };
        let mut board = Board::from_cells(|cell| self.board.get(cell).filter(|_| gone != Some(cell)));
        board.place(to, self.mover);
        Position { board, mover: self.mover.other() }
    }

    /// Returns the eight positions that rotations and reflections make of this one.
    pub fn symmetric(&self) -> [Position; 8] {
        std::array::from_fn(|symmetry| Position {
            board: Board::from_cells(|cell| self.board.get(image(cell, symmetry))),
            mover: self.mover,
        })
    }
}

/// Returns the image of a cell under a symmetry of the square, 0 to 7, whose bits select a
/// reflection in the diagonal and then in the two axes.
fn image(cell: Move, symmetry: usize) -> Move {
    let (x, y) = if symmetry & 4 == 0 { (cell.x(), cell.y()) } else { (cell.y(), cell.x()) };
    let x = if symmetry & 1 == 0 { x } else { 2 - x };
    let y = if symmetry & 2 == 0 { y } else { 2 - y };
    Move::ALL[3 * y + x]
}
