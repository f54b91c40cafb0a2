//! The rules of GRID18 by Patrick Pedersen (2018): a grid of 18 bits and four procedures, for two
//! players.
//!
//! Each field has two bits of a 32-bit word, with the lowest pair for the upper left: bit 0 of a
//! pair means filled, bit 1 means a cross. `10` never occurs. The procedures have the results of
//! the x86-64 original on every filling. The game ends with a draw on a full board, where the
//! original asks for a move indefinitely.

use oxbox_proof::engine::{Board, Engine, Mark, Move, Outcome};

/// The grid and its four procedures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Grid(pub u32);

/// A stone, with the procedures' number of its player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Stone {
    /// O, passed as 0.
    Circle = 0,
    /// X, passed as 1.
    Cross = 1,
}

/// The result of get_field for an empty field; 0 is a cross, 1 a circle.
pub(super) const EMPTY: u32 = 2;

impl Stone {
    /// Returns the player's mark.
    pub fn mark(self) -> Mark {
        match self {
            Stone::Circle => Mark::O,
            Stone::Cross => Mark::X,
        }
    }

    /// Returns the stone of a field's two bits.
    pub fn of_pair(pair: u32) -> Option<Stone> {
        [Stone::Circle, Stone::Cross].into_iter().find(|stone| stone.pair() == pair)
    }

    fn pair(self) -> u32 {
        match self {
            Stone::Circle => 0b01,
            Stone::Cross => 0b11,
        }
    }
}

/// Returns the bit number of the pair of field `3 * y + x`; both are 0 to 2.
fn shift(x: u32, y: u32) -> u32 {
    2 * (3 * y + x)
}

impl Grid {
    /// Returns every grid without `10`: the 3^9 fillings of nine fields, a base-3 digit each.
    pub fn fillings() -> impl Iterator<Item = Grid> {
        (0..3u32.pow(9)).map(|number| {
            let mut grid = Grid::init();
            for field in 0..9 {
                let (x, y) = (field % 3, field / 3);
                match number / 3u32.pow(field) % 3 {
                    1 => grid.set_field(x, y, Stone::Circle),
                    2 => grid.set_field(x, y, Stone::Cross),
                    _ => {}
                }
            }
            grid
        })
    }

    /// Returns the board.
    pub fn board(self) -> Board {
        Board::from_cells(|cell| match self.get_field(cell.x() as u32, cell.y() as u32) {
            0 => Some(Mark::X),
            1 => Some(Mark::O),
            _ => None,
        })
    }

    /// init_grid: returns the empty grid.
    pub fn init() -> Grid {
        Grid(0)
    }

    /// set_field: fills field (`x`, `y`), each 0 to 2. It clears nothing and does not check whether
    /// the field is free, so a cross over a circle makes a cross, and a circle over a cross changes
    /// nothing.
    pub fn set_field(&mut self, x: u32, y: u32, stone: Stone) {
        self.0 |= stone.pair() << shift(x, y);
    }

    /// get_field: returns `EMPTY`, 0 for a cross, or 1 for a circle. The pair is masked in place
    /// and taken modulo 3: 3 * 4^i gives 0, 4^i gives 1.
    pub fn get_field(self, x: u32, y: u32) -> u32 {
        match self.0 & 0b11 << shift(x, y) {
            0 => EMPTY,
            masked => masked % 3,
        }
    }

    /// eval_grid: returns whether three of `stone` are in a row, column or diagonal.
    pub fn eval(self, stone: Stone) -> bool {
        let line = |turn: u32, full: u32, circle: u32| {
            let pattern = if stone == Stone::Cross { full } else { circle };
            self.0.rotate_right(turn) & full == pattern
        };
        [0, 6, 12].into_iter().any(|turn| line(turn, 0x3F, 0x15))
            || [0, 2, 4].into_iter().any(|turn| line(turn, 0x30C3, 0x1041))
            || line(0, 0x30303, 0x10101)
            || line(0, 0x3330, 0x1110)
    }
}

/// A game of two players at one keyboard, X first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Grid18 {
    grid: Grid,
    moves: u8,
    outcome: Option<Outcome>,
}

impl Grid18 {
    /// Starts with an empty grid, X to move.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the word with the eighteen bits.
    pub fn grid(&self) -> Grid {
        self.grid
    }
}

impl Engine for Grid18 {
    const COMPUTER: Option<Mark> = None;

    fn board(&self) -> Board {
        self.grid.board()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn play(&mut self, cell: Move) {
        let (x, y) = (cell.x() as u32, cell.y() as u32);
        if self.outcome.is_some() || self.grid.get_field(x, y) != EMPTY {
            return;
        }
        let stone = if self.moves.is_multiple_of(2) { Stone::Cross } else { Stone::Circle };
        self.grid.set_field(x, y, stone);
        self.moves += 1;
        // No player can have three before the fifth move.
        if self.moves >= 5 && self.grid.eval(stone) {
            self.outcome = Some(Outcome::Win(stone.mark()));
        } else if self.moves == 9 {
            self.outcome = Some(Outcome::Draw);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxbox_proof::engine::census;

    /// Tests the bits that the author's text reads as X . O / X X . / X O O.
    #[test]
    fn the_documented_example() {
        let grid = Grid(0b01_01_11_00_11_11_01_00_11);
        let game = Grid18 { grid, ..Grid18::default() };
        assert_eq!(game.board().to_string(), "X.O/XX./XOO");
        assert!(grid.eval(Stone::Cross));
        assert!(!grid.eval(Stone::Circle));
    }

    /// Compares all 3^9 fillings with the plain board.
    #[test]
    fn every_filling() {
        for number in 0..19683usize {
            let mark = |cell: Move| {
                [None, Some(Mark::X), Some(Mark::O)][number / 3usize.pow(cell.index() as u32) % 3]
            };
            let mut grid = Grid::init();
            for cell in Move::ALL {
                let stone = match mark(cell) {
                    Some(Mark::X) => Stone::Cross,
                    Some(Mark::O) => Stone::Circle,
                    None => continue,
                };
                grid.set_field(cell.x() as u32, cell.y() as u32, stone);
            }
            let board = Board::from_cells(mark);
            assert_eq!(Grid18 { grid, ..Grid18::default() }.board(), board);
            for stone in [Stone::Cross, Stone::Circle] {
                assert_eq!(grid.eval(stone), board.has_row(stone.mark()), "{stone:?} in {board}");
            }
        }
    }

    /// Tests the known game tree: 255168 lines, 131184 won by the first player, 77904 by the other.
    #[test]
    fn the_whole_tree() {
        let census = census(&Grid18::new());
        assert_eq!(census.positions, 549_946);
        assert_eq!(census.ends.len(), 255_168);
        assert_eq!(census.count(Outcome::Win(Mark::X)), 131_184);
        assert_eq!(census.count(Outcome::Win(Mark::O)), 77_904);
        assert_eq!(census.count(Outcome::Draw), 46_080);
    }
}
