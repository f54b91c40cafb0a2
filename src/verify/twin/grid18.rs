//! GRID18 as it shows itself: the grid on a cleared screen, then questions for a line and a column.

use super::super::console::Console;
use super::{LEAVING, Screen, Twin, leaves};
use crate::engine::grid18::Grid18;
use crate::engine::{Engine, Mark, Move, Outcome};

/// What the program waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The line of a field.
    Y,
    /// Its column; the line is known, 0 to 2.
    X { y: usize },
    /// Another game?
    Again,
    /// Nothing more.
    Ended,
}

/// The program at a key wait.
#[derive(Debug, Clone)]
pub struct Grid18Twin {
    game: Grid18,
    console: Console,
    phase: Phase,
}

impl Grid18Twin {
    /// At its first prompt.
    pub fn new() -> Self {
        let mut twin = Grid18Twin { game: Grid18::new(), console: Console::new(), phase: Phase::Y };
        twin.show();
        twin
    }

    /// The grid, then who is to move and the first question, or the result and the last.
    fn show(&mut self) {
        let board = self.game.board();
        let face = |cell: &Move| board.get(*cell).map_or(" ", name);
        let rows: Vec<String> =
            Move::ALL.chunks(3).map(|row| row.iter().map(face).collect::<Vec<_>>().join("|")).collect();
        self.console.clear();
        self.console.print(&rows.join("\n------\n"));
        self.console.print("\n\n");
        self.console.print(&match self.game.outcome() {
            None => format!("{} to move\n", name(self.game.turn())),
            Some(Outcome::Win(mark)) => format!("{} has won!\n", name(mark)),
            Some(Outcome::Draw) => "A draw.\n".to_owned(),
        });
        if self.game.outcome().is_some() {
            self.phase = Phase::Again;
            self.console.print("Another game? (y/n) ");
        } else {
            self.ask_y();
        }
    }

    fn ask_y(&mut self) {
        self.phase = Phase::Y;
        self.console.print("Y (1-3): ");
    }

    fn ask_x(&mut self, y: usize) {
        self.phase = Phase::X { y };
        self.console.print("X (1-3): ");
    }

    /// A key as the answer to a question, or a word about it; the caller asks again then.
    fn number(&mut self, key: u8) -> Option<usize> {
        self.console.put(key);
        self.console.print("\n");
        let number = (b'1'..=b'3').contains(&key).then(|| usize::from(key - b'1'));
        if number.is_none() {
            self.console.print("Only 1, 2 or 3.\n");
        }
        number
    }

    fn is_free(&self, x: usize, y: usize) -> bool {
        self.game.moves().iter().any(|cell| (cell.x(), cell.y()) == (x, y))
    }

    /// The lines with a free field.
    fn free_lines(&self) -> impl Iterator<Item = usize> {
        (0..3).filter(|&y| (0..3).any(|x| self.is_free(x, y)))
    }

    fn play(&mut self, x: usize, y: usize) {
        if self.is_free(x, y) {
            self.game.play(Move::ALL[3 * y + x]);
            self.show();
        } else {
            self.console.print("That field is taken.\n");
            self.ask_y();
        }
    }
}

fn name(mark: Mark) -> &'static str {
    match mark {
        Mark::X => "X",
        Mark::O => "O",
    }
}

impl Default for Grid18Twin {
    fn default() -> Self {
        Self::new()
    }
}

impl Twin for Grid18Twin {
    const COMPUTER: Option<Mark> = None;

    fn press(&mut self, key: u8) {
        match self.phase {
            Phase::Ended => {}
            Phase::Again if key.eq_ignore_ascii_case(&b'n') || leaves(key) => self.leave(),
            Phase::Again => *self = Grid18Twin::new(),
            _ if leaves(key) => self.leave(),
            Phase::Y => match self.number(key) {
                Some(y) => self.ask_x(y),
                None => self.ask_y(),
            },
            Phase::X { y } => match self.number(key) {
                Some(x) => self.play(x, y),
                None => self.ask_x(y),
            },
        }
    }

    fn screen(&self) -> Screen {
        self.console.screen()
    }

    fn ended(&self) -> bool {
        self.phase == Phase::Ended
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn moves(&self) -> Vec<u8> {
        let digits = |fits: &dyn Fn(usize) -> bool| {
            (b'1'..=b'3').filter(|key| fits(usize::from(key - b'1'))).collect()
        };
        match self.phase {
            Phase::Y => digits(&|y| self.free_lines().any(|free| free == y)),
            Phase::X { y } => digits(&|x| self.is_free(x, y)),
            Phase::Again => b"yY nN".to_vec(),
            Phase::Ended => Vec::new(),
        }
    }

    /// A wrong number and a taken field, then a key that leaves; which of them changes from position to
    /// position, since there are thousands.
    fn asides(&self) -> Vec<Vec<u8>> {
        let turn = self.game.grid().0 as usize;
        let wrong = b"04x"[turn % 3];
        let leave = vec![LEAVING[turn / 3 % LEAVING.len()]];
        match self.phase {
            Phase::Y => {
                let taken: Vec<Move> =
                    Move::ALL.into_iter().filter(|cell| !self.is_free(cell.x(), cell.y())).collect();
                let field = taken.get(turn % taken.len().max(1));
                let keys = field.into_iter().flat_map(|cell| [b'1' + cell.y() as u8, b'1' + cell.x() as u8]);
                vec![[wrong].into_iter().chain(keys).collect(), leave]
            }
            // Once a position is enough: the question for the column is the same after each line.
            Phase::X { y } if self.free_lines().next() == Some(y) => vec![vec![wrong], leave],
            Phase::X { .. } => Vec::new(),
            Phase::Again => vec![leave],
            Phase::Ended => Vec::new(),
        }
    }

    /// The grid and the line that was asked for: all that the program keeps.
    fn position(&self) -> Option<u64> {
        let phase = match self.phase {
            Phase::Y => 3,
            Phase::X { y } => y as u64,
            Phase::Again | Phase::Ended => return None,
        };
        Some(4 * u64::from(self.game.grid().0) + phase)
    }
}

impl Grid18Twin {
    fn leave(&mut self) {
        self.phase = Phase::Ended;
        self.console.print("\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_on_the_screen() {
        let mut twin = Grid18Twin::new();
        for key in *b"124" {
            twin.press(key);
        }
        let expected = " |X|
------
 | |
------
 | |

O to move
Y (1-3): 4
Only 1, 2 or 3.
Y (1-3):";
        assert_eq!(twin.screen().lines().join("\n"), expected);
        for key in *b"12" {
            twin.press(key);
        }
        let lines = twin.screen().lines();
        assert_eq!(lines[9..], ["Y (1-3): 1", "X (1-3): 2", "That field is taken.", "Y (1-3):"]);
    }
}
