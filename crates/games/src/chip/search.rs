//! The chip's search as a recursion, with what it costs: the second witness of the chip's moves.
//!
//! The report's appendix has the search as a recursive program; this is one from its description. The same order of
//! moves, the same cuts and the same ties as the state table of [`model`](super::model), so the same move. Without
//! cuts it is plain minimax.

use oxbox_proof::engine::{Board, Mark, Move};

/// What a search has found, and what it has cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Search {
    /// The place to take; `None` on a full board, and where every move loses (the chip would then toggle whatever
    /// register `m` holds).
    pub place: Option<Move>,
    /// Calls of the procedure, the first included.
    pub calls: u32,
    /// Stones put on trial: the nodes of the tree.
    pub stones: u32,
    /// How deep the calls nest below the first.
    pub deepest: u32,
}

/// Which branches a search leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cuts {
    /// Those that alpha and beta, and a completed row, make pointless: what the chip does.
    AlphaBeta,
    /// Those behind a place that wins: as the report's figure of plain minimax has it, which stops there.
    AtWin,
    /// None: plain minimax.
    None,
}

/// Searches for the move of the side `own` on `board`, its opponent having just moved.
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
    /// What a stone of `own` on `place` is worth to `own`, and whether it ends the game. `floor` is what `own` has
    /// for sure elsewhere.
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

    /// What the position is worth to `own`, -1 to 1, with the opponent to move. As soon as the opponent holds `own`
    /// to `floor`, the rest is cut.
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
