//! The chip's search as a recursion with its cost, as an independent check of the chip's moves.
//!
//! The report's appendix contains the search as a recursive program. This one follows its
//! description. It has the same order of moves, cuts and ties as the state table of
//! [`model`](super::model), and therefore finds the same move. Without cuts it is plain minimax.

use oxbox_proof::engine::{Board, Mark, Move};

/// The result and cost of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Search {
    /// The chosen place; `None` on a full board, and if every move loses. The chip would then
    /// toggle the stale place in register `m`.
    pub place: Option<Move>,
    /// Calls of the procedure, including the first.
    pub calls: u32,
    /// Trial stones: the nodes of the tree.
    pub stones: u32,
    /// The deepest nesting of calls below the first.
    pub deepest: u32,
}

/// The pruning rule of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cuts {
    /// Alpha-beta pruning, and stopping at a completed row: the chip's rule.
    AlphaBeta,
    /// Stopping at a winning place, as in the report's figure of plain minimax.
    AtWin,
    /// No pruning: plain minimax.
    None,
}

/// Searches for the move of the side `own` on `board`, after the opponent's move.
pub fn search(board: Board, own: Mark, cuts: Cuts) -> Search {
    let mut search = Search { calls: 1, ..Search::default() };
    let mut bestr = -1;
    for place in board.free() {
        let (r, _) = search.rate(board, place, own, cuts, bestr, 0);
        if r > bestr {
            (bestr, search.place) = (r, Some(place));
        }
        if r >= 1 && cuts != Cuts::None {
            break;
        }
    }
    search
}

impl Search {
    /// Returns the value of a stone of `own` on `place` for `own`, and whether it ends the game.
    /// `floor` is the value that `own` can already reach.
    fn rate(
        &mut self,
        board: Board,
        place: Move,
        own: Mark,
        cuts: Cuts,
        floor: i8,
        depth: u32,
    ) -> (i8, bool) {
        let mut next = board;
        next.place(place, own);
        self.stones += 1;
        if next.has_row(own) {
            (1, true)
        } else if next.is_full() {
            (0, true)
        } else {
            (self.value(next, own, cuts, floor, depth + 1), false)
        }
    }

    /// Returns the value of the position for `own`, -1 to 1, with the opponent to move. Stops when
    /// the opponent can limit `own` to `floor`.
    fn value(&mut self, board: Board, own: Mark, cuts: Cuts, floor: i8, depth: u32) -> i8 {
        self.calls += 1;
        self.deepest = self.deepest.max(depth);
        let mut bestr = -1;
        for place in board.free() {
            let (r, over) = self.rate(board, place, own.other(), cuts, bestr, depth);
            let cut = match cuts {
                Cuts::AlphaBeta => over || r >= -floor,
                Cuts::AtWin => r >= 1,
                Cuts::None => false,
            };
            if cut {
                return -r;
            }
            bestr = bestr.max(r);
        }
        -bestr
    }
}
