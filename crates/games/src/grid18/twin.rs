//! The screens of GRID18: the board, two questions in fixed places, and the eighteen bits.

use super::tunes::TUNES;
use super::{Grid, Grid18, Stone};
use crate::quit_keys::{self, leaves};
use oxbox_proof::engine::tune::{LastHeard, LastStep, Tune};
use oxbox_proof::engine::{Engine, Mark, Move, Outcome};
use oxbox_proof::verify::{Screen, TextPage, Twin};
use std::sync::{Arc, LazyLock};

/// Attributes: DOS's default, brighter, darker; title, board lines, players' marks, a warning.
const PLAIN: u8 = 0x07;
const WHITE: u8 = 0x0F;
const DARK: u8 = 0x08;
const TITLE: u8 = 0x30;
const RULES: u8 = 0x03;
const CROSSES: u8 = 0x0C;
const CIRCLES: u8 = 0x0A;
const WARNING: u8 = 0x0E;
/// The background of the requested line.
const ASKED: u8 = 0x10;

/// Screen positions by line and column.
const BOARD: (usize, usize) = (4, 6);
const CELL: (usize, usize) = (5, 11);
const SIDE: usize = 46;
const TURN_LINE: usize = 3;
const Y_LINE: usize = 5;
const X_LINE: usize = 6;
const MESSAGE_LINE: usize = 8;
const BITS_LINE: usize = 12;
const NOTE_LINE: usize = 23;
const LAST_LINE: usize = 24;

/// The marks, nine columns by five lines.
const CROSS: &str = "██▄   ▄██\n ▀██▄██▀ \n   ███   \n ▄██▀██▄ \n██▀   ▀██";
const CIRCLE: &str = " ▄█████▄ \n██▀   ▀██\n██     ██\n██▄   ▄██\n ▀█████▀ ";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Phase {
    /// The line of a field.
    Y,
    /// The column of a field. The line is known, 0 to 2.
    X {
        y: usize,
    },
    Again,
}

/// The program at a wait for a key.
#[derive(Debug, Clone, Hash)]
pub struct Grid18Twin {
    game: Grid18,
    phase: Phase,
    /// The reason why an answer was rejected.
    message: &'static str,
    ended: bool,
    tunes: LastHeard,
    /// The state shown while the tune plays: the mark is drawn, and the questions are the previous
    /// ones.
    answered: LastStep<Option<(Grid, usize, usize)>>,
}

impl Default for Grid18Twin {
    fn default() -> Self {
        Grid18Twin::new()
    }
}

impl Grid18Twin {
    /// Creates the program at its first prompt.
    pub fn new() -> Self {
        Grid18Twin {
            game: Grid18::new(),
            phase: Phase::Y,
            message: "",
            ended: false,
            tunes: LastHeard::default(),
            answered: LastStep(None),
        }
    }

    fn page(&self) -> TextPage {
        let asked = if let Phase::X { y } = self.phase { Some(y) } else { None };
        let mut page = self.page_with(self.game.grid(), asked);
        self.questions(&mut page);
        if self.ended {
            page.locate(LAST_LINE, 0);
        }
        page
    }

    /// Returns the page without questions, with the bits of a grid and the requested line.
    fn page_with(&self, grid: Grid, asked: Option<usize>) -> TextPage {
        let mut page = EMPTY_PAGE.clone();
        self.board(&mut page);
        bits(&mut page, grid, asked);
        let note = match self.game.outcome() {
            None if self.game.board() == Default::default() => "",
            None => "♫ 587 Hz",
            Some(Outcome::Draw) => "♫ 392 Hz",
            Some(Outcome::Win(_)) => "♫ 523, 659, 784 Hz",
        };
        page.draw(NOTE_LINE, SIDE + 9, PLAIN, note);
        let (attribute, turn) = match self.game.outcome() {
            None => (colour(self.game.turn()), format!("{} to move ", name(self.game.turn()))),
            Some(Outcome::Win(mark)) => (colour(mark), format!("{} has won!", name(mark))),
            Some(Outcome::Draw) => (WHITE, "A draw.   ".to_owned()),
        };
        page.draw(TURN_LINE, SIDE, attribute, &turn);
        if !self.message.is_empty() {
            page.draw(MESSAGE_LINE, SIDE, WARNING, &format!("{:20}", self.message));
        }
        page
    }

    /// Draws in each field a mark or its numbers. The winner's row is highlighted.
    fn board(&self, page: &mut TextPage) {
        let (top, left) = BOARD;
        let board = self.game.board();
        let winner = match self.game.outcome() {
            Some(Outcome::Win(mark)) => Some(mark),
            _ => None,
        };
        for cell in Move::ALL {
            let (line, column) = (top + cell.y() * (CELL.0 + 1), left + cell.x() * (CELL.1 + 1));
            match board.get(cell) {
                Some(Mark::X) => page.draw(line, column + 1, CROSSES, CROSS),
                Some(Mark::O) => page.draw(line, column + 1, CIRCLES, CIRCLE),
                None => {
                    page.draw(line + 2, column + 4, DARK, &(cell.y() + 1).to_string());
                    page.draw(line + 2, column + 6, DARK, &(cell.x() + 1).to_string())
                }
            };
            if let Some(mark) = winner.filter(|&mark| board.is_in_row(cell, mark)) {
                let ground = if mark == Mark::X { 0x40 } else { 0x20 };
                page.tint((line, column), CELL.1, CELL.0, ground | WHITE);
            }
        }
    }

    /// Draws the questions asked until now, followed by the cursor.
    fn questions(&self, page: &mut TextPage) {
        let y_question = "Y, line (1-3): ";
        match self.phase {
            Phase::Y => {
                let behind = page.draw(Y_LINE, SIDE, PLAIN, y_question);
                page.locate(Y_LINE, behind);
            }
            Phase::X { y } => {
                page.draw(Y_LINE, SIDE, PLAIN, &format!("{y_question}{}", y + 1));
                let behind = page.draw(X_LINE, SIDE, PLAIN, "X, column (1-3): ");
                page.locate(X_LINE, behind);
            }
            Phase::Again => {
                let behind = page.draw(Y_LINE, SIDE, PLAIN, "Another game? (y/n) ");
                page.locate(Y_LINE, behind);
            }
        }
    }

    /// Converts a key to the answer to a question, or sets the message.
    fn number(&mut self, key: u8) -> Option<usize> {
        let number = (b'1'..=b'3').contains(&key).then(|| usize::from(key - b'1'));
        self.message = if number.is_none() { "Only 1, 2 or 3." } else { "" };
        number
    }

    fn is_free(&self, x: usize, y: usize) -> bool {
        self.game.moves().iter().any(|cell| (cell.x(), cell.y()) == (x, y))
    }

    fn free_lines(&self) -> impl Iterator<Item = usize> {
        (0..3).filter(|&y| (0..3).any(|x| self.is_free(x, y)))
    }

    fn play(&mut self, x: usize, y: usize) {
        if self.is_free(x, y) {
            self.answered = LastStep(Some((self.game.grid(), x, y)));
            self.game.play(Move::ALL[3 * y + x]);
            self.tunes = LastStep(TUNES.after(self.game.outcome()));
        } else {
            self.message = "That field is taken.";
        }
        self.phase = if self.game.outcome().is_some() { Phase::Again } else { Phase::Y };
    }
}

/// The parts of the page that never change.
static EMPTY_PAGE: LazyLock<TextPage> = LazyLock::new(|| {
    let mut page = TextPage::coloured();
    page.fill((0, 0), 80, 1, TITLE, ' ');
    page.draw(0, 1, TITLE, "GRID18");
    page.draw(0, 27, TITLE, "two players, one keyboard, eighteen bits");
    let (top, left) = BOARD;
    page.draw(top - 1, 0, WHITE, &format!("{:11}1{:11}2{:11}3", "", "", ""));
    for n in 1..3 {
        page.fill((top, left + n * (CELL.1 + 1) - 1), 1, 3 * CELL.0 + 2, RULES, '│');
    }
    for n in 1..3 {
        page.draw(top + n * (CELL.0 + 1) - 1, left, RULES, "───────────┼───────────┼───────────");
    }
    for y in 0..3 {
        page.draw(top + y * (CELL.0 + 1) + 2, 3, WHITE, &(y + 1).to_string());
    }
    page.frame((BITS_LINE - 2, SIDE - 2), 36, 9, RULES);
    page.draw(BITS_LINE - 2, SIDE, PLAIN, " the grid ");
    let words = "field 33 32 31 23 22 21 13 12 11\nbits\nhex\n01 is a circle, 11 a cross\n\nX has\nO has";
    page.draw(BITS_LINE - 1, SIDE, PLAIN, words);
    page.draw(NOTE_LINE - 3, SIDE, PLAIN, "Keys     1-3 line, 1-3 column\n         q leaves\n\nSpeaker");
    page
});

/// Draws the grid's bits, the highest field first, and the owners of the fields.
fn bits(page: &mut TextPage, grid: Grid, asked: Option<usize>) {
    let grid = grid.0;
    let mut has = [SIDE + 6; 2];
    for cell in Move::ALL {
        let pair = grid >> (2 * cell.index()) & 3;
        let stone = Stone::of_pair(pair);
        let attribute = stone.map_or(DARK, |stone| colour(stone.mark()));
        let ground = if asked == Some(cell.y()) { ASKED } else { 0 };
        page.draw(BITS_LINE, SIDE + 6 + 3 * (8 - cell.index()), ground | attribute, &format!("{pair:02b}"));
        if let Some(stone) = stone {
            let (list, line) = if stone == Stone::Cross { (&mut has[0], 16) } else { (&mut has[1], 17) };
            page.draw(line, *list, attribute, &format!("{}{}", cell.y() + 1, cell.x() + 1));
            *list += 3;
        }
    }
    page.draw(BITS_LINE + 1, SIDE + 6, PLAIN, &format!("{grid:05X}"));
}

fn colour(mark: Mark) -> u8 {
    if mark == Mark::X { CROSSES } else { CIRCLES }
}

fn name(mark: Mark) -> &'static str {
    match mark {
        Mark::X => "X",
        Mark::O => "O",
    }
}

impl Twin for Grid18Twin {
    fn computer(&self) -> Option<Mark> {
        None
    }

    fn press(&mut self, key: u8) {
        self.tunes = LastHeard::default();
        self.answered = LastStep(None);
        if self.ended {
            return;
        }
        match self.phase {
            Phase::Again if key.eq_ignore_ascii_case(&b'n') || leaves(key) => self.ended = true,
            Phase::Again => *self = Grid18Twin::new(),
            _ if leaves(key) => self.ended = true,
            Phase::Y => {
                if let Some(y) = self.number(key) {
                    self.phase = Phase::X { y };
                }
            }
            Phase::X { y } => {
                if let Some(x) = self.number(key) {
                    self.play(x, y);
                }
            }
        }
    }

    fn screen(&self) -> Screen {
        self.page().screen()
    }

    fn tunes(&self) -> Option<&'static [Tune]> {
        Some(self.tunes.0)
    }

    /// The mark and the next player are drawn before the tune; the bits and the next question after
    /// it, unless the game is over.
    fn screens_at_tunes(&self, now: &Arc<Screen>) -> Vec<Arc<Screen>> {
        if self.tunes.0.is_empty() {
            return Vec::new();
        }
        let screen = match (self.game.outcome(), self.answered.0) {
            (None, Some((grid, x, y))) => {
                let mut page = self.page_with(grid, Some(y));
                page.draw(Y_LINE, SIDE, PLAIN, &format!("Y, line (1-3): {}", y + 1));
                let question = page.draw(X_LINE, SIDE, PLAIN, "X, column (1-3): ");
                page.locate(X_LINE, question);
                page.draw(X_LINE, question, PLAIN, &(x + 1).to_string());
                Arc::new(page.screen())
            }
            _ => Arc::clone(now),
        };
        vec![screen; self.tunes.0.len()]
    }

    fn ended(&self) -> bool {
        self.ended
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn moves(&self) -> Vec<u8> {
        let digits = |fits: &dyn Fn(usize) -> bool| {
            (b'1'..=b'3').filter(|key| fits(usize::from(key - b'1'))).collect()
        };
        match self.phase {
            _ if self.ended => Vec::new(),
            Phase::Y => digits(&|y| self.free_lines().any(|free| free == y)),
            Phase::X { y } => digits(&|x| self.is_free(x, y)),
            Phase::Again => b"yY nN".to_vec(),
        }
    }

    fn sampling(&self) -> u64 {
        64
    }

    /// A wrong number, the numbers of taken fields, and a key that leaves, each in some of the
    /// thousands of positions, varying from position to position.
    fn asides(&self) -> Vec<Vec<u8>> {
        let turn = self.game.grid().0 as usize;
        let leave = vec![quit_keys::key(turn / 3)];
        match self.phase {
            _ if self.ended => Vec::new(),
            Phase::Again => vec![leave],
            _ if turn.is_multiple_of(7) => vec![vec![b"04x"[turn % 3]], b"123".to_vec(), leave],
            _ if turn % 7 == 1 => vec![leave],
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text beside the board without the blanks between its parts.
    fn beside(twin: &Grid18Twin, from: usize, to: usize) -> String {
        let lines = twin.screen().lines();
        let lines = lines[from..=to].iter().map(|line| line.chars().skip(SIDE).collect::<String>());
        lines.map(|line| line.trim_end_matches([' ', '│']).to_owned()).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn a_game_on_the_screen() {
        let mut twin = Grid18Twin::new();
        for key in *b"124" {
            twin.press(key);
        }
        assert_eq!(beside(&twin, TURN_LINE, 8), "O to move||Y, line (1-3):|||Only 1, 2 or 3.");
        twin.press(b'1');
        assert_eq!(beside(&twin, TURN_LINE, 8), "O to move||Y, line (1-3): 1|X, column (1-3):||");
        assert_eq!(
            beside(&twin, BITS_LINE, 17),
            "bits  00 00 00 00 00 00 00 11 00|hex   0000C|01 is a circle, 11 a cross||X has 12|O has"
        );
        twin.press(b'2');
        assert_eq!(beside(&twin, TURN_LINE, 8), "O to move||Y, line (1-3):|||That field is taken.");
        let lines = twin.screen().lines();
        let board =
            |line: usize| lines[line].chars().take(SIDE - 2).collect::<String>().trim_end().to_owned();
        assert_eq!(board(BOARD.0), "                 │ ██▄   ▄██ │");
        assert_eq!(board(BOARD.0 + 2), "   1      1 1    │    ███    │    1 3");
        assert_eq!(board(BOARD.0 + 5), "      ───────────┼───────────┼───────────");
    }
}
