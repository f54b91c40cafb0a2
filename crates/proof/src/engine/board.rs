//! The board in the form shared by all games: nine cells in reading order, two marks.
//!
//! The engines have their own representations (rings, bitmaps, pairs of bits) and convert to this
//! one.

use std::fmt;

/// X or O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// The cross.
    X,
    /// The nought.
    O,
}

impl Mark {
    /// Returns the opponent's mark.
    pub fn other(self) -> Mark {
        match self {
            Mark::X => Mark::O,
            Mark::O => Mark::X,
        }
    }
}

/// A cell, and the move that takes it: 0 to 8, row by row from the upper left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u8);

impl Move {
    /// All nine, in ascending order.
    pub const ALL: [Move; 9] =
        [Move(0), Move(1), Move(2), Move(3), Move(4), Move(5), Move(6), Move(7), Move(8)];

    /// Returns the cell `index`; `None` above 8.
    pub fn new(index: usize) -> Option<Move> {
        Self::ALL.get(index).copied()
    }

    /// Returns 0 to 8.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Returns the column, 0 to 2 from the left.
    pub fn x(self) -> usize {
        self.index() % 3
    }

    /// Returns the row, 0 to 2 from the top.
    pub fn y(self) -> usize {
        self.index() / 3
    }

    fn bit(self) -> u16 {
        1 << self.0
    }
}

/// The cells in ring order: 0 to 7 clockwise from the upper left, then the centre. Three of the
/// programs number them like this; a quarter turn is then two steps along the ring.
pub const RING: [Move; 9] = [Move(0), Move(1), Move(2), Move(5), Move(8), Move(7), Move(6), Move(3), Move(4)];

/// Returns the index of a cell in [`RING`].
pub fn ring_index(cell: Move) -> usize {
    [0, 1, 2, 7, 8, 3, 6, 5, 4][cell.index()]
}

/// Rows, columns and diagonals, with one bit per cell.
const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// The cells of each mark: bit n is cell n. A bug of a program may set both bits of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Board {
    x: u16,
    o: u16,
}

impl Board {
    /// Creates the board whose cell n has the mark `cells(n)`.
    pub fn from_cells(cells: impl Fn(Move) -> Option<Mark>) -> Board {
        let mut board = Board::default();
        for cell in Move::ALL {
            if let Some(mark) = cells(cell) {
                board.place(cell, mark);
            }
        }
        board
    }

    /// Adds a mark to a cell. An existing mark remains.
    pub fn place(&mut self, cell: Move, mark: Mark) {
        *self.map_mut(mark) |= cell.bit();
    }

    /// Returns the mark of a cell.
    pub fn get(self, cell: Move) -> Option<Mark> {
        [Mark::X, Mark::O].into_iter().find(|&mark| self.map(mark) & cell.bit() != 0)
    }

    /// Returns the empty cells in ascending order.
    pub fn free(self) -> impl Iterator<Item = Move> {
        Move::ALL.into_iter().filter(move |&cell| self.get(cell).is_none())
    }

    /// Returns whether no cell is empty.
    pub fn is_full(self) -> bool {
        self.x | self.o == 0o777
    }

    /// Returns the number of cells with `mark`.
    pub fn count(self, mark: Mark) -> u32 {
        self.map(mark).count_ones()
    }

    /// Returns whether three of `mark` are in a row, column or diagonal.
    pub fn has_row(self, mark: Mark) -> bool {
        LINES.iter().any(|&line| self.map(mark) & line == line)
    }

    /// Returns whether the cell is one of three of `mark` in a row, column or diagonal.
    pub fn is_in_row(self, cell: Move, mark: Mark) -> bool {
        LINES.iter().any(|&line| line & cell.bit() != 0 && self.map(mark) & line == line)
    }

    fn map(self, mark: Mark) -> u16 {
        match mark {
            Mark::X => self.x,
            Mark::O => self.o,
        }
    }

    fn map_mut(&mut self, mark: Mark) -> &mut u16 {
        match mark {
            Mark::X => &mut self.x,
            Mark::O => &mut self.o,
        }
    }
}

/// Formats as `X.O/.X./..O`: rows from the top, with a point for an empty cell.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for cell in Move::ALL {
            if cell.x() == 0 && cell.y() > 0 {
                f.write_str("/")?;
            }
            f.write_str(match self.get(cell) {
                Some(Mark::X) => "X",
                Some(Mark::O) => "O",
                None => ".",
            })?;
        }
        Ok(())
    }
}

/// Parses the format of [`Board`]'s `Display`. Separators and blanks are skipped; any character
/// other than X and O is an empty cell.
impl From<&str> for Board {
    fn from(text: &str) -> Board {
        let cells: Vec<char> = text.chars().filter(|c| !matches!(c, '/' | ' ')).collect();
        Board::from_cells(|cell| match cells.get(cell.index()) {
            Some('X' | 'x') => Some(Mark::X),
            Some('O' | 'o') => Some(Mark::O),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found() {
        let cases = [
            ("XXX/OO./...", "X"),
            (".../XXX/O.O", "X"),
            ("OO./.../XXX", "X"),
            ("O../OX./OX.", "O"),
            ("XOX/.O./.O.", "O"),
            ("..O/XXO/..O", "O"),
            ("X../OXO/..X", "X"),
            ("X.O/XO./O..", "O"),
            ("XOX/XOO/OXX", ""),
            ("XX./.../...", ""),
        ];
        for (text, expected) in cases {
            let board = Board::from(text);
            let found: String = [(Mark::X, 'X'), (Mark::O, 'O')]
                .into_iter()
                .filter_map(|(mark, name)| board.has_row(mark).then_some(name))
                .collect();
            assert_eq!(found, expected, "{text}");
            assert_eq!(board.to_string(), text);
        }
    }

    #[test]
    fn the_ring_goes_round_the_edge() {
        for (index, cell) in RING.into_iter().enumerate() {
            assert_eq!(ring_index(cell), index);
        }
        // Two neighbours on the ring are adjacent, so the ring visits the edge in order.
        for pair in RING[..8].windows(2) {
            assert_eq!(pair[0].x().abs_diff(pair[1].x()) + pair[0].y().abs_diff(pair[1].y()), 1);
        }
    }
}
