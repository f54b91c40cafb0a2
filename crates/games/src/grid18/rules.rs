//! GRID18 by Patrick Pedersen (2018): a grid of 18 bits and four procedures; two people play.
//!
//! Two bits a field in a 32-bit word, lowest pair upper left: bit 0 of a pair says that it is filled, bit 1
//! that a cross fills it. `10` never occurs. The procedures are those of the x86-64 original, on every
//! filling; the game ends a full board as a draw, where the original asks for ever.

use oxbox_proof::engine::{Board, Engine, Mark, Move, Outcome};

/// The grid and what its four procedures do to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Grid(pub u32);

/// A stone, as the procedures number whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Stone {
    /// O, passed as 0.
    Circle = 0,
    /// X, passed as 1.
    Cross = 1,
}

/// What get_field answers for an empty field; 0 is a cross, 1 a circle.
pub(super) const EMPTY: u32 = 2;

impl Stone {
    /// Its mark.
    pub fn mark(self) -> Mark {
        match self {
            Stone::Circle => Mark::O,
            Stone::Cross => Mark::X,
        }
    }

    /// The stone of a field's two bits.
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

/// Low bit of the pair of field `3 * y + x`; both 0 to 2.
fn shift(x: u32, y: u32) -> u32 {
    2 * (3 * y + x)
}

impl Grid {
    /// Every grid without `10`: the 3^9 fillings of the nine fields, a digit of base 3 a field.
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

    /// What the fields hold.
    pub fn board(self) -> Board {
        Board::from_cells(|cell| match self.get_field(cell.x() as u32, cell.y() as u32) {
            0 => Some(Mark::X),
            1 => Some(Mark::O),
            _ => None,
        })
    }

    /// init_grid: the empty grid.
    pub fn init() -> Grid {
        Grid(0)
    }

    /// set_field: fills field (`x`, `y`), each 0 to 2. Clears nothing and does not look whether the field is
    /// free, so a cross over a circle makes a cross and a circle over a cross changes nothing.
    pub fn set_field(&mut self, x: u32, y: u32, stone: Stone) {
        self.0 |= stone.pair() << shift(x, y);
    }

    /// get_field: `EMPTY`, 0 for a cross, 1 for a circle. The pair is masked where it stands and the masked
    /// word taken modulo 3: 3 * 4^i leaves 0, 4^i leaves 1.
    pub fn get_field(self, x: u32, y: u32) -> u32 {
        match self.0 & 0b11 << shift(x, y) {
            0 => EMPTY,
            masked => masked % 3,
        }
    }

    /// eval_grid: are three of `stone` in a row? Rows, columns, diagonals.
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

/// A game of two at one keyboard, X first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Grid18 {
    grid: Grid,
    moves: u8,
    outcome: Option<Outcome>,
}

impl Grid18 {
    /// The empty grid, X to move.
    pub fn new() -> Self {
        Self::default()
    }

    /// The word with the eighteen bits.
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
        // Before the fifth move nobody can have three.
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

    /// The bits that the author's text reads as X . O / X X . / X O O.
    #[test]
    fn the_documented_example() {
        let grid = Grid(0b01_01_11_00_11_11_01_00_11);
        let game = Grid18 { grid, ..Grid18::default() };
        assert_eq!(game.board().to_string(), "X.O/XX./XOO");
        assert!(grid.eval(Stone::Cross));
        assert!(!grid.eval(Stone::Circle));
    }

    /// All 3^9 fillings, against the plain board.
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

    /// The well-known tree of the game: 255168 lines, 131184 won by the first player, 77904 by the second.
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
