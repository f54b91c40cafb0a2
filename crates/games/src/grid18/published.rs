//! The published core's evaluation, where it differs from the document that describes it.
//!
//! In `eval_grid` the code for a cross runs on into the code for a circle once it has found no diagonal of crosses, so
//! that a diagonal of circles is a victory for the cross too. Rows and columns are as the document has them.

use super::{Grid, Stone};

/// `eval_grid` as published. In a game nobody sees the difference: who has a diagonal of circles has won before it
/// is a cross's turn.
pub fn eval(grid: Grid, stone: Stone) -> bool {
    let circles = |full: u32, circle: u32| grid.0 & full == circle;
    grid.eval(stone) || stone == Stone::Cross && (circles(0x30303, 0x10101) || circles(0x3330, 0x1110))
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxbox_proof::engine::{Board, Mark};

    /// Over all 3^9 fillings: nothing that is a victory is missed, and what is none is reported for the cross where the
    /// circles have a diagonal.
    #[test]
    fn a_diagonal_of_circles_is_a_victory_for_both() {
        let mut wrong = 0;
        for grid in Grid::fillings() {
            let board: Board = grid.board();
            assert_eq!(eval(grid, Stone::Circle), board.has_row(Mark::O), "{board}");
            let cells =
                |places: [usize; 3]| places.iter().all(|&n| grid.get_field(n as u32 % 3, n as u32 / 3) == 1);
            let diagonal = cells([0, 4, 8]) || cells([2, 4, 6]);
            assert_eq!(eval(grid, Stone::Cross), board.has_row(Mark::X) || diagonal, "{board}");
            wrong += usize::from(diagonal && !board.has_row(Mark::X));
        }
        assert_eq!(wrong, 1377);
    }
}
