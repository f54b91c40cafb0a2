//! A reading of the assignment by its words instead of its patterns: win, then block, then a
//! search.
//!
//! "A look ahead check to see if it has to move into one of the 3 squares to block the player from
//! winning in 2 moves": the first of the three squares in the four rotations that leaves the user
//! no win in two moves. The first reply is the centre, or the upper left corner if the centre is
//! taken.

use super::Course;
use oxbox_proof::engine::board::RING;
use oxbox_proof::engine::{Board, Engine, Mark, Move, Outcome};

/// The squares of the text by their index around the edge: upper left, upper middle, centre.
const SQUARES: [usize; 3] = [0, 1, 8];

/// A game against this reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LookAhead {
    board: Board,
    outcome: Option<Outcome>,
}

impl LookAhead {
    /// Starts with an empty board.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the squares in the order of examination: three in each of the four rotations.
    pub fn squares() -> impl Iterator<Item = Move> {
        (0..4).flat_map(|turns| SQUARES.map(|position| RING[Course::turned(position, turns)]))
    }

    fn put(&mut self, cell: Move, mark: Mark) {
        self.board.place(cell, mark);
        self.outcome = match (self.board.has_row(mark), self.board.is_full()) {
            (true, _) => Some(Outcome::Win(mark)),
            (_, true) => Some(Outcome::Draw),
            _ => None,
        };
    }

    fn choose(&self) -> Option<Move> {
        if self.board.count(Mark::O) == 0 {
            let centre = RING[8];
            return Some(if self.board.get(centre).is_none() { centre } else { RING[0] });
        }
        let free = || LookAhead::squares().filter(|&cell| self.board.get(cell).is_none());
        let completes = |mark| free().find(|&cell| with(self.board, cell, mark).has_row(mark));
        completes(Mark::O)
            .or_else(|| completes(Mark::X))
            .or_else(|| free().find(|&cell| !user_wins(with(self.board, cell, Mark::O), Mark::X, 3)))
            .or_else(|| RING.into_iter().find(|&cell| self.board.get(cell).is_none()))
    }
}

fn with(mut board: Board, cell: Move, mark: Mark) -> Board {
    board.place(cell, mark);
    board
}

/// Returns whether the user can force a row within `stones` stones of both players.
fn user_wins(board: Board, mover: Mark, stones: u32) -> bool {
    if board.has_row(Mark::X) || board.has_row(Mark::O) || board.is_full() || stones == 0 {
        return board.has_row(Mark::X);
    }
    let after = |cell| user_wins(with(board, cell, mover), mover.other(), stones - 1);
    if mover == Mark::X { board.free().any(after) } else { board.free().all(after) }
}

impl Engine for LookAhead {
    const COMPUTER: Option<Mark> = Some(Mark::O);

    fn board(&self) -> Board {
        self.board
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn play(&mut self, cell: Move) {
        if self.outcome.is_some() || self.board.get(cell).is_some() {
            return;
        }
        self.put(cell, Mark::X);
        if self.outcome.is_none()
            && let Some(reply) = self.choose()
        {
            self.put(reply, Mark::O);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxbox_proof::engine::census;

    /// Tests that this is the only reading with which the computer never loses.
    #[test]
    fn it_never_loses() {
        let census = census(&LookAhead::new());
        let lines = [Outcome::Win(Mark::O), Outcome::Win(Mark::X), Outcome::Draw].map(|o| census.count(o));
        assert_eq!(lines, [368, 0, 121]);
    }

    /// Tests that a shallower search loses.
    #[test]
    fn two_corners_are_answered_on_an_edge() {
        let mut game = LookAhead::new();
        for cell in [0, 8] {
            game.play(Move::ALL[cell]);
        }
        assert_eq!(game.board().to_string(), "XO./.O./..X");
    }
}
