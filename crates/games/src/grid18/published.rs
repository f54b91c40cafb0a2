//! The evaluation of the published core where it differs from its document.
//!
//! In `eval_grid` the code for a cross continues into the code for a circle if it has found no
//! diagonal of crosses, so that a diagonal of circles is also a victory for the cross. Rows and
//! columns are as in the document.

use super::{Grid, Stone};

/// Returns the result of `eval_grid` as published. In a game the difference has no effect: the
/// owner of a diagonal of circles has won before the cross's next turn.
pub fn eval(grid: Grid, stone: Stone) -> bool {
    let circles = |full: u32, circle: u32| grid.0 & full == circle;
    grid.eval(stone) || stone == Stone::Cross && (circles(0x30303, 0x10101) || circles(0x3330, 0x1110))
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxbox_proof::engine::{Board, Mark};

    /// Tests all 3^9 fillings: every victory is found, and the only false ones are for the cross if
    /// the circles have a diagonal.
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
