//! The screens of OXO: a page in the style of a 1980s home computer, with the board in blocks and
//! the moves beside it.

use super::Oxo;
use super::tunes::TUNES;
use crate::quit_keys::{self, leaves};
use oxbox_cpu::Model;
use oxbox_proof::engine::board::{RING, ring_index};
use oxbox_proof::engine::tune::{LastHeard, LastStep, Tune};
use oxbox_proof::engine::{Engine, Mark, Move, Outcome};
use oxbox_proof::verify::{Screen, TextPage, Twin};
use std::sync::Arc;

/// Attributes on blue: light blue, white, yellow, light cyan; the border; DOS's default.
const PAGE: u8 = 0x19;
const BOLD: u8 = 0x1F;
const CROSSES: u8 = 0x1E;
const NOUGHTS: u8 = 0x1B;
const BORDER: u8 = 0x09;
const PLAIN: u8 = 0x07;

/// Screen positions by line and column.
const BOARD: (usize, usize) = (5, 8);
const CELL: (usize, usize) = (5, 12);
const SIDE: usize = 52;
const MOVES_LINE: usize = 10;
const NOTE_LINE: usize = 21;
const PROMPT_LINE: usize = 23;
const LAST_LINE: usize = 24;

/// The marks, five lines each.
const CROSS: &str = "██      ██\n  ██  ██\n    ██\n  ██  ██\n██      ██";
const NOUGHT: &str = "  ██████\n██      ██\n██      ██\n██      ██\n  ██████";

/// The program at a wait for a key.
#[derive(Debug, Clone, Hash)]
pub struct OxoTwin {
    game: Oxo,
    moves: Vec<(Mark, Move)>,
    ended: bool,
    tunes: LastHeard,
}

impl Default for OxoTwin {
    fn default() -> Self {
        OxoTwin::new()
    }
}

impl OxoTwin {
    /// Creates the program at its first prompt.
    pub fn new() -> Self {
        let mut twin =
            OxoTwin { game: Oxo::new(), moves: Vec::new(), ended: false, tunes: LastHeard::default() };
        twin.note();
        twin
    }

    /// Adds new marks on the board to the list, the human's first.
    fn note(&mut self) {
        let board = self.game.board();
        for mark in [Mark::O, Mark::X] {
            let new = Move::ALL.into_iter().filter(|&cell| board.get(cell) == Some(mark));
            let new: Vec<Move> = new.filter(|&cell| self.moves.iter().all(|&(_, old)| old != cell)).collect();
            self.moves.extend(new.into_iter().map(|cell| (mark, cell)));
        }
    }

    fn page(&self) -> TextPage {
        let mut page = TextPage::coloured();
        page.fill((0, 0), 80, 25, BORDER, '█');
        page.fill((1, 4), 72, 23, PAGE, ' ');
        page.draw(2, 34, BOLD, "**** OXO ****");
        page.draw(3, 18, PAGE, "EIGHT NUMBERS ARE ALL I KNOW. YOU CANNOT WIN.");
        page.draw(BOARD.0, SIDE, PAGE, "KEYS\n 1-8  PUT AN O\n Q    LEAVES\n\nMOVES");
        page.draw(NOTE_LINE - 1, SIDE, PAGE, "SPEAKER");
        self.board(&mut page);
        for (line, &(mark, cell)) in self.moves.iter().enumerate() {
            let (who, attribute) = match mark {
                Mark::X => (" I TAKE  ", CROSSES),
                Mark::O => (" YOU TAKE ", NOUGHTS),
            };
            let what =
                if cell == RING[8] { "THE CENTRE".to_owned() } else { char::from(digit(cell)).to_string() };
            page.draw(MOVES_LINE + line, SIDE, attribute, &format!("{who}{what}"));
        }
        let note = match self.game.outcome() {
            None if self.moves.len() == 1 => "",
            None => "♫ 440 HZ",
            Some(Outcome::Draw) => "♫ 330 HZ",
            Some(Outcome::Win(_)) => "♫ 330, 262, 196 HZ",
        };
        page.draw(NOTE_LINE, SIDE, BOLD, note);
        let said = match self.game.outcome() {
            None => "READY. ",
            Some(Outcome::Draw) => "DRAW!  ",
            Some(Outcome::Win(_)) => "I WIN! ",
        };
        let mut behind = page.draw(PROMPT_LINE, BOARD.1, BOLD, said);
        if self.game.outcome().is_some() {
            behind = page.draw(PROMPT_LINE, behind, PAGE, "ANY KEY PLAYS AGAIN, Q LEAVES. ");
        }
        page.locate(PROMPT_LINE, behind);
        if self.ended {
            page.fill((LAST_LINE, 0), 80, 1, PLAIN, ' ');
            page.locate(LAST_LINE, 0);
        }
        page
    }

    /// Draws the board: two columns or a line between the cells, and in each a mark or its digit.
    fn board(&self, page: &mut TextPage) {
        let (line, column) = BOARD;
        for n in 1..3 {
            page.fill((line, column + n * CELL.1 + 2 * (n - 1)), 2, 3 * CELL.0 + 2, PAGE, '█');
            page.fill((line + n * CELL.0 + n - 1, column), 3 * CELL.1 + 4, 1, PAGE, '█');
        }
        let board = self.game.board();
        for cell in Move::ALL {
            let (line, column) = (line + cell.y() * (CELL.0 + 1), column + 1 + cell.x() * (CELL.1 + 2));
            match board.get(cell) {
                Some(Mark::X) => page.draw(line, column, CROSSES, CROSS),
                Some(Mark::O) => page.draw(line, column, NOUGHTS, NOUGHT),
                None => page.draw(line + 2, column + 4, PAGE, &char::from(digit(cell)).to_string()),
            };
        }
    }
}

/// Returns the digit of a cell of the edge: 1 to 8, clockwise from the upper left.
fn digit(cell: Move) -> u8 {
    b'1' + ring_index(cell) as u8
}

impl Twin for OxoTwin {
    fn oldest_processor(&self) -> Model {
        Model::I8086
    }

    fn computer(&self) -> Option<Mark> {
        Oxo::COMPUTER
    }

    fn press(&mut self, key: u8) {
        self.tunes = LastHeard::default();
        if self.ended {
            return;
        }
        if leaves(key) {
            self.ended = true;
        } else if self.game.outcome().is_some() {
            *self = OxoTwin::new();
        } else if self.moves().contains(&key) {
            self.game.play(RING[usize::from(key - b'1')]);
            self.tunes = LastStep(TUNES.after(self.game.outcome()));
            self.note();
        }
    }

    fn screen(&self) -> Screen {
        self.page().screen()
    }

    fn tunes(&self) -> Option<&'static [Tune]> {
        Some(self.tunes.0)
    }

    /// Screens are drawn before the sound.
    fn screens_at_tunes(&self, now: &Arc<Screen>) -> Vec<Arc<Screen>> {
        vec![Arc::clone(now); self.tunes.0.len()]
    }

    fn ended(&self) -> bool {
        self.ended
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn moves(&self) -> Vec<u8> {
        match (self.ended, self.game.outcome()) {
            (true, _) => Vec::new(),
            (_, Some(_)) => b" ".to_vec(),
            (_, None) => self.game.moves().into_iter().map(digit).collect(),
        }
    }

    fn asides(&self) -> Vec<Vec<u8>> {
        let leave = quit_keys::key(self.game.board().free().count());
        match (self.ended, self.game.outcome()) {
            (true, _) => Vec::new(),
            (_, Some(_)) => vec![vec![leave]],
            (_, None) => {
                let taken = (b'1'..=b'8').filter(|key| !self.moves().contains(key));
                vec![taken.chain(*b"09x").collect(), vec![leave]]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_on_the_screen() {
        let mut twin = OxoTwin::new();
        for key in *b"19x28" {
            twin.press(key);
        }
        let lines = twin.screen().lines();
        let beside: Vec<String> = lines
            .iter()
            .map(|line| line.chars().skip(SIDE).take(24).collect::<String>().trim_end().to_owned())
            .collect();
        let moves = "MOVES| I TAKE  THE CENTRE| YOU TAKE 1| I TAKE  2| YOU TAKE 8| I TAKE  6|";
        assert_eq!(beside[MOVES_LINE - 1..MOVES_LINE + 6].join("|"), moves);
        assert_eq!(beside[NOTE_LINE], "♫ 330, 262, 196 HZ");
        let board: Vec<String> = lines
            .iter()
            .map(|line| line.chars().skip(BOARD.1).take(40).collect::<String>().trim_end().to_owned())
            .collect();
        assert_eq!(board[BOARD.0], "   ██████   ██ ██      ██ ██");
        assert_eq!(board[BOARD.0 + 2], " ██      ██ ██     ██     ██     3");
        assert_eq!(board[PROMPT_LINE], "I WIN! ANY KEY PLAYS AGAIN, Q LEAVES.");
        twin.press(b' ');
        assert_eq!(twin.outcome(), None);
        twin.press(b'Q');
        assert!(twin.ended());
        let Screen::Text(text) = twin.screen() else { panic!("a text screen") };
        assert_eq!(text.cursor, Some((LAST_LINE, 0)));
    }
}
