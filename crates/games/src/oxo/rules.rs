//! The rules of OXO by Julian Skidmore for the FIGnition computer (2011): a table of eight numbers
//! with which the computer cannot lose.
//!
//! The computer is X and opens in the centre. It only checks whether the cell opposite its last one
//! was taken. Cells are numbered 1 to 8 clockwise around the edge from the upper left; the opposite
//! cell is four further. Source: the printed Forth listing and its text.

use oxbox_proof::engine::board::{RING, ring_index};
use oxbox_proof::engine::{Board, Engine, Mark, Move, Outcome};

/// The distance around the edge from the computer's last cell to its next: entries 0 to 3 after an
/// edge opening, 4 to 7 after a corner.
const DELTA: [u8; 8] = [1, 2, 7, 0, 1, 2, 3, 6];

/// Wraps a cell number to 1 to 8.
fn wrap(n: u8) -> u8 {
    (n.wrapping_sub(1) & 7) + 1
}

/// The computer's variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Memory {
    /// The index in [`DELTA`].
    m: usize,
    /// The computer's last cell.
    c: u8,
}

/// A game of OXO.
///
/// The printed listing omits the wrap when the computer completes its row. The text ("the opposite
/// side") requires it.
///
/// ```
/// use oxbox_proof::engine::{Mark, Outcome, census};
///
/// let census = census(&oxbox_games::oxo::Oxo::new());
/// assert_eq!((census.ends.len(), census.count(Outcome::Win(Mark::X))), (76, 72));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Oxo {
    wraps: bool,
    board: Board,
    memory: Option<Memory>,
    outcome: Option<Outcome>,
}

impl Oxo {
    /// Starts with the computer's X in the centre, the user to move.
    pub fn new() -> Self {
        let mut board = Board::default();
        board.place(RING[8], Mark::X);
        Oxo { wraps: true, board, memory: None, outcome: None }
    }

    /// Starts a variant that follows the listing literally.
    pub fn as_printed() -> Self {
        Oxo { wraps: false, ..Oxo::new() }
    }

    /// Returns the cell beyond the eighth in which the printed listing puts its last stone.
    pub fn outside(&self) -> Option<u8> {
        self.memory.map(|memory| memory.c).filter(|&c| c > 8)
    }

    /// Returns the table index, 0 to 7, of the computer's last move.
    pub fn entry(&self) -> Option<usize> {
        self.memory.map(|memory| memory.m - 1)
    }

    /// Returns the distances around the edge: 0 to 3 after an edge opening, 4 to 7 after a corner.
    pub fn table() -> [u8; 8] {
        DELTA
    }

    /// Makes the computer's move after the user's on cell `h`.
    fn answer(&mut self, h: u8) {
        // The first time, no row can have been blocked: c = h expresses that.
        let Memory { m, c } = self.memory.unwrap_or(Memory { m: if h % 2 == 1 { 4 } else { 0 }, c: h });
        let blocked = c == h || wrap(c + 4) == h;
        let delta = DELTA[m];
        let c = match (blocked, self.wraps) {
            (true, _) => wrap(c + delta),
            (false, true) => wrap(c + 4),
            (false, false) => c + 4,
        };
        if let Some(&cell) = RING[..8].get(usize::from(c - 1)) {
            self.board.place(cell, Mark::X);
        }
        self.memory = Some(Memory { m: m + 1, c });
        self.outcome = match delta {
            _ if !blocked => Some(Outcome::Win(Mark::X)),
            7 => Some(Outcome::Win(Mark::X)),
            6 => Some(Outcome::Draw),
            _ => None,
        };
    }
}

impl Default for Oxo {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine for Oxo {
    const COMPUTER: Option<Mark> = Some(Mark::X);

    fn board(&self) -> Board {
        self.board
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn play(&mut self, cell: Move) {
        if self.outcome.is_none() && self.board.get(cell).is_none() {
            self.board.place(cell, Mark::O);
            self.answer(ring_index(cell) as u8 + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxbox_proof::engine::census;

    #[test]
    fn the_whole_tree() {
        let census = census(&Oxo::new());
        assert_eq!(census.ends.len(), 76);
        assert_eq!(census.count(Outcome::Win(Mark::X)), 72);
        assert_eq!(census.count(Outcome::Draw), 4);
        for (outcome, board) in &census.ends {
            assert_eq!(*outcome == Outcome::Win(Mark::X), board.has_row(Mark::X), "{board}");
            assert!(!board.has_row(Mark::O), "{board}");
            // No cell was ever overwritten.
            assert_eq!(board.free().count() as u32, 9 - board.count(Mark::X) - board.count(Mark::O));
        }
    }

    #[test]
    fn the_listing_as_printed_leaves_the_board() {
        fn walk(game: Oxo, keys: &str, left: &mut Vec<String>, lines: &mut usize) {
            *lines += usize::from(game.outcome().is_some());
            if game.outside().is_some() {
                left.push(keys.to_owned());
                assert_eq!(game.outcome(), Some(Outcome::Win(Mark::X)));
                assert!(!game.board().has_row(Mark::X), "{keys}");
            }
            for cell in game.moves() {
                let mut next = game;
                next.play(cell);
                walk(next, &format!("{keys}{}", ring_index(cell) + 1), left, lines);
            }
        }
        let (mut left, mut lines) = (Vec::new(), 0);
        walk(Oxo::as_printed(), "", &mut left, &mut lines);
        assert_eq!((left.len(), lines), (34, 76));
        assert!(left.contains(&"274".to_owned()), "{left:?}");
    }
}
