//! The chip's search as a recursion: minimax with alpha-beta, on any board.
//!
//! The same order of moves, the same cuts and the same ties as the state table of [`model`](super::super::model), so the
//! same move. The model is held against it; the DOS program is held against the model.

use crate::engine::{Board, Mark, Move};

/// The place the side `own` takes on `board`, its opponent having just moved; `None` on a full board, and
/// where every move loses (the chip would then toggle whatever register `m` holds).
pub(super) fn best_move(board: Board, own: Mark) -> Option<Move> {
    let mut best = None;
    let mut bestr = -1;
    for place in board.free() {
        let mut next = board;
        next.place(place, own);
        if next.has_row(own) || next.is_full() {
            return Some(place);
        }
        let r = value(next, own, bestr);
        if r >= 1 {
            return Some(place);
        }
        if r > bestr {
            bestr = 0;
            best = Some(place);
        }
    }
    best
}

/// What the position is worth to `own`, -1 to 1, with the opponent to move. `floor` is what `own` has for
/// sure elsewhere: as soon as the opponent holds it to that, the rest is cut.
fn value(board: Board, own: Mark, floor: i8) -> i8 {
    let opponent = own.other();
    let enough = -floor;
    let mut bestr = -1;
    for place in board.free() {
        let mut next = board;
        next.place(place, opponent);
        if next.has_row(opponent) {
            return -1;
        }
        if next.is_full() {
            return 0;
        }
        let r = value(next, opponent, bestr);
        if r >= enough {
            return -r;
        }
        bestr = bestr.max(r);
    }
    -bestr
}
