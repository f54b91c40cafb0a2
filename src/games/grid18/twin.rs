//! GRID18 as it shows itself: the grid, and below it questions for a line and a column that stay in their place.

use super::Grid18;
use super::tunes::TUNES;
use crate::engine::tune::Tune;
use crate::engine::{Engine, Mark, Move, Outcome};
use crate::games::leaving::{self, leaves};
use crate::verify::{Screen, TextPage, Twin};

/// Where the questions and the word about a wrong answer are.
const Y_LINE: usize = 7;
const X_LINE: usize = 8;
const MESSAGE_LINE: usize = 10;

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
pub(crate) struct Grid18Twin {
    game: Grid18,
    page: TextPage,
    phase: Phase,
    tunes: &'static [Tune],
}

impl Grid18Twin {
    /// At its first prompt.
    pub(crate) fn new() -> Self {
        let mut twin = Grid18Twin { game: Grid18::new(), page: TextPage::new(), phase: Phase::Y, tunes: &[] };
        twin.show();
        twin
    }

    /// The grid, then who is to move and the first question, or the result and the last.
    fn show(&mut self) {
        let board = self.game.board();
        let face = |cell: &Move| board.get(*cell).map_or(" ", name);
        let rows: Vec<String> =
            Move::ALL.chunks(3).map(|row| row.iter().map(face).collect::<Vec<_>>().join("|")).collect();
        self.page.clear();
        self.page.print(&rows.join("\n------\n"));
        self.page.print("\n\n");
        self.page.print(&match self.game.outcome() {
            None => format!("{} to move (q leaves)\n", name(self.game.turn())),
            Some(Outcome::Win(mark)) => format!("{} has won!\n", name(mark)),
            Some(Outcome::Draw) => "A draw.\n".to_owned(),
        });
        if self.game.outcome().is_some() {
            self.phase = Phase::Again;
            self.page.print("Another game? (y/n) ");
        } else {
            self.ask_y();
        }
    }

    fn ask_y(&mut self) {
        self.phase = Phase::Y;
        self.page.locate(Y_LINE, 0);
        self.page.print("Y, line (1-3): ");
    }

    fn ask_x(&mut self, y: usize) {
        self.phase = Phase::X { y };
        self.page.locate(X_LINE, 0);
        self.page.print("X, column (1-3): ");
    }

    /// A line of its own below the questions; an empty one clears it.
    fn say(&mut self, message: &str) {
        self.page.locate(MESSAGE_LINE, 0);
        self.page.print(&format!("{message:20}"));
    }

    /// A key as the answer to a question, or a word about it; the caller asks again then.
    fn number(&mut self, key: u8) -> Option<usize> {
        let number = (b'1'..=b'3').contains(&key).then(|| usize::from(key - b'1'));
        match number {
            Some(_) => self.page.put(key),
            None => self.say("Only 1, 2 or 3."),
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
            self.tunes = TUNES.after(self.game.outcome());
            self.show();
        } else {
            self.show();
            self.say("That field is taken.");
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

impl Twin for Grid18Twin {
    const COMPUTER: Option<Mark> = None;

    fn press(&mut self, key: u8) {
        self.tunes = &[];
        match self.phase {
            Phase::Ended => {}
            Phase::Again if key.eq_ignore_ascii_case(&b'n') || leaves(key) => self.leave(),
            Phase::Again => *self = Grid18Twin::new(),
            _ if leaves(key) => self.leave(),
            Phase::Y => match self.number(key) {
                Some(y) => {
                    self.say("");
                    self.ask_x(y);
                }
                None => self.ask_y(),
            },
            Phase::X { y } => match self.number(key) {
                Some(x) => self.play(x, y),
                None => self.ask_x(y),
            },
        }
    }

    fn screen(&self) -> Screen {
        self.page.screen()
    }

    fn tunes(&self) -> Option<&'static [Tune]> {
        Some(self.tunes)
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
        let leave = vec![leaving::key(turn / 3)];
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
        self.page.locate(MESSAGE_LINE + 1, 0);
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
        let board = " |X|\n------\n | |\n------\n | |\n\nO to move (q leaves)\nY, line (1-3):";
        assert_eq!(twin.screen().lines().join("\n"), format!("{board}\n\n\nOnly 1, 2 or 3."));
        twin.press(b'1');
        assert_eq!(twin.screen().lines().join("\n"), format!("{board} 1\nX, column (1-3):"));
        twin.press(b'2');
        assert_eq!(twin.screen().lines().join("\n"), format!("{board}\n\n\nThat field is taken."));
    }
}
