//! The rules of the EECS-2100 game (University of Toledo, 2007), an assembly project with VGA
//! graphics and three tunes.
//!
//! The user is X and moves first. Cells are an array around the edge, clockwise from the upper
//! left, with the centre last. The program examines one view at a time and rotates the board
//! between views. Measured on the linked program: every choice on all 2097 legal boards, every win
//! test on all 3^9 fillings.

use oxbox_proof::engine::board::{RING, ring_index};
use oxbox_proof::engine::{Board, Engine, Mark, Move, Outcome};

/// The nine cells in the program's order: see [`RING`].
pub(super) type Cells = [Option<Mark>; 9];

const OWN: Option<Mark> = Some(Mark::O);
const USER: Option<Mark> = Some(Mark::X);

/// A game of EECS-2100 tic-tac-toe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Eecs2100 {
    cells: Cells,
    outcome: Option<Outcome>,
    /// Whether an X in the centre as first move is answered with a corner, unlike in the program.
    corner_reply: bool,
}

/// The stage that found the computer's move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Completes a row.
    Win,
    /// Blocks a row of the user.
    Block,
    /// A shape of the assignment's rules.
    LookAhead,
    /// The last free cell.
    Arbitrary,
}

impl Eecs2100 {
    /// Starts with an empty board.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a variant that answers an X in the centre as first move with the upper left corner.
    pub fn with_corner_reply() -> Self {
        Eecs2100 { corner_reply: true, ..Self::default() }
    }

    /// Returns whether the program's test finds three of `mark` on a board.
    pub fn sees_row(board: Board, mark: Mark) -> bool {
        has_won(&std::array::from_fn(|index| board.get(RING[index])), mark)
    }

    /// Returns the cell at `position` (0 to 8, around the edge, the centre last) of the board after
    /// one rotation.
    pub fn turned_once(position: usize) -> usize {
        unturned(position, 1)
    }

    /// Returns the board in the program's format.
    pub fn cells(&self) -> Cells {
        self.cells
    }

    fn put(&mut self, index: usize, mark: Mark) {
        self.cells[index] = Some(mark);
        if has_won(&self.cells, mark) {
            self.outcome = Some(Outcome::Win(mark));
        }
    }
}

impl Engine for Eecs2100 {
    const COMPUTER: Option<Mark> = OWN;

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
        if self.outcome.is_none() {
            let first_in_centre = self.cells[8] == USER && self.cells.iter().flatten().count() == 1;
            match choose(&self.cells) {
                Some(_) if self.corner_reply && first_in_centre => self.put(0, Mark::O),
                Some((index, _)) => self.put(index, Mark::O),
                None => self.outcome = Some(Outcome::Draw),
            }
        }
    }
}

/// Returns view `r`: the board rotated `r` quarter turns clockwise.
fn view(cells: &Cells, r: usize) -> Cells {
    let mut view = *cells;
    for (position, cell) in view.iter_mut().take(8).enumerate() {
        *cell = cells[unturned(position, r)];
    }
    view
}

/// Converts a position of a view to an array index.
fn unturned(position: usize, r: usize) -> usize {
    if position == 8 { 8 } else { (position + 8 - 2 * r) % 8 }
}

/// Returns the computer's move as an array index, and the stage that found it; `None` if full.
pub(super) fn choose(cells: &Cells) -> Option<(usize, Stage)> {
    let stages = [
        (complete(cells, OWN), Stage::Win),
        (complete(cells, USER), Stage::Block),
        (look_ahead(cells), Stage::LookAhead),
        (cells.iter().rposition(Option::is_none), Stage::Arbitrary),
    ];
    stages.into_iter().find_map(|(found, stage)| found.map(|index| (index, stage)))
}

/// Returns the first free cell of the edge (positions 0 and 1 of each view) that completes a row
/// with two of `mark`.
fn complete(cells: &Cells, mark: Option<Mark>) -> Option<usize> {
    /// The other two cells of the lines through position 0 and through position 1.
    const PARTNERS: [&[(usize, usize)]; 2] = [&[(1, 2), (8, 4), (7, 6)], &[(0, 2), (8, 5)]];
    (0..4).find_map(|r| {
        let v = view(cells, r);
        (0..2)
            .find(|&position| {
                v[position].is_none() && PARTNERS[position].iter().any(|&(a, b)| v[a] == mark && v[b] == mark)
            })
            .map(|position| unturned(position, r))
    })
}

/// Returns the cell chosen by the first view with one of the assignment's shapes.
fn look_ahead(cells: &Cells) -> Option<usize> {
    (0..4).find_map(|r| {
        let v = view(cells, r);
        let position = match v[8] {
            OWN => beside_own_centre(&v),
            USER => beside_user_centre(&v),
            None => None,
        };
        position.map(|position| unturned(position, r))
    })
}

fn beside_own_centre(v: &Cells) -> Option<usize> {
    let free = |position: usize| v[position].is_none();
    let user = |position: usize| v[position] == USER;
    if !free(0) {
        return None;
    }
    if [1, 3, 4, 5, 7].into_iter().all(free) && user(2) && user(6) {
        return Some(1);
    }
    let corner = if user(7) {
        // This is a fall-through into the rule for a user's centre. The assignment has no such rule
        // here.
        free(6)
            && match (free(1), user(1) && free(2)) {
                (_, true) => true,
                (true, _) => user(2),
                (false, _) => free(4),
            }
    } else {
        // The assignment also checks position 2; the program does not.
        user(6) && free(7)
    };
    corner.then_some(0)
}

fn beside_user_centre(v: &Cells) -> Option<usize> {
    let free = |position: usize| v[position].is_none();
    if free(5) {
        // Position 1 is not checked. On legal boards without an open two it is free whenever 5 is.
        Some(1)
    } else {
        (free(0) && free(4)).then_some(0)
    }
}

/// Returns the result of the program's test for three of `mark`, which misses some rows.
///
/// In a view whose positions 0 and 7 have the mark and 6 does not, the middle column is skipped. 32
/// of the 3^9 fillings are misjudged for each mark; none of them occurs in a game.
pub(super) fn has_won(cells: &Cells, mark: Mark) -> bool {
    (0..2).any(|r| {
        let v = view(cells, r);
        let held = |positions: [usize; 3]| positions.into_iter().all(|position| v[position] == Some(mark));
        let skips_middle = v[0] == Some(mark) && v[7] == Some(mark) && v[6] != Some(mark);
        held([0, 8, 4]) || held([0, 7, 6]) || !skips_middle && held([1, 8, 5]) || held([2, 3, 4])
    })
}

/// Returns the numeric keypad digit of a cell: 7 is the upper left, 3 the lower right.
pub fn keypad(cell: Move) -> u8 {
    b'1' + (3 * (2 - cell.y()) + cell.x()) as u8
}

/// Returns the cell with an array index below 9.
pub(super) fn cell(index: usize) -> Move {
    RING[index]
}

#[cfg(test)]
pub(super) mod tests;
