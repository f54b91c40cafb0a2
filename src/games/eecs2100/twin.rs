//! The EECS-2100 game as it shows itself: title, board, message, question, farewell.

use super::Eecs2100;
use super::draw::Canvas;
use super::rules::keypad;
use super::tunes::{CASTLE, NBC, WAH};
use crate::engine::tune::Tune;
use crate::engine::{Engine, Mark, Move, Outcome};
use crate::verify::{Screen, TextPage, Twin};

/// Where the program waits for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Any key starts a game. The first title of a run has a red pixel that the others have not.
    Title { first: bool },
    /// The user's move.
    Board,
    /// Who has won; any key goes on.
    Message,
    /// Play again?
    Question,
    /// The farewell; any key ends.
    Farewell,
    /// Back in DOS, in text mode.
    Ended,
}

/// The program at a key wait.
#[derive(Debug, Clone)]
pub(crate) struct Eecs2100Twin {
    game: Eecs2100,
    phase: Phase,
    tunes: &'static [Tune],
}

impl Eecs2100Twin {
    /// At its first title.
    pub(crate) fn new() -> Self {
        Eecs2100Twin { game: Eecs2100::new(), phase: Phase::Title { first: true }, tunes: &[] }
    }

    fn play(&mut self, cell: Move) {
        self.game.play(cell);
        self.tunes = match self.game.outcome() {
            None => &[NBC],
            Some(Outcome::Win(Mark::X)) => &[NBC, CASTLE],
            Some(_) => &[NBC, WAH],
        };
        if self.game.outcome().is_some() {
            self.phase = Phase::Message;
        }
    }

    fn message(&self) -> &'static str {
        match self.game.outcome() {
            Some(Outcome::Win(Mark::O)) => "Computer Wins!!",
            Some(Outcome::Win(Mark::X)) => "Player Wins!!",
            _ => "Tie Game!!",
        }
    }
}

impl Twin for Eecs2100Twin {
    const COMPUTER: Option<Mark> = Eecs2100::COMPUTER;

    fn press(&mut self, key: u8) {
        self.tunes = &[];
        match self.phase {
            Phase::Title { .. } => {
                (self.game, self.phase) = (Eecs2100::new(), Phase::Board);
            }
            Phase::Board => {
                if let Some(cell) = self.game.moves().into_iter().find(|&cell| keypad(cell) == key) {
                    self.play(cell);
                }
            }
            Phase::Message => self.phase = Phase::Question,
            Phase::Question => match key {
                b'y' | b'Y' => self.phase = Phase::Title { first: false },
                b'n' | b'N' => self.phase = Phase::Farewell,
                _ => {}
            },
            Phase::Farewell => self.phase = Phase::Ended,
            Phase::Ended => {}
        }
    }

    fn screen(&self) -> Screen {
        let canvas = match self.phase {
            Phase::Title { first } => Canvas::title(first),
            Phase::Board => Canvas::board(&self.game.cells(), "Turn:  Player 1"),
            Phase::Message => Canvas::message(self.message()),
            Phase::Question => Canvas::message("Play Again? (Y/N)"),
            Phase::Farewell => Canvas::message("Exiting Program..."),
            Phase::Ended => return TextPage::new().screen(),
        };
        Screen::Pixels(canvas.picture())
    }

    fn tunes(&self) -> Option<&'static [Tune]> {
        Some(self.tunes)
    }

    fn ended(&self) -> bool {
        self.phase == Phase::Ended
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.phase {
            Phase::Title { .. } | Phase::Board => None,
            _ => self.game.outcome(),
        }
    }

    fn moves(&self) -> Vec<u8> {
        match self.phase {
            Phase::Board => self.game.moves().into_iter().map(keypad).collect(),
            Phase::Question => b"yYnN".to_vec(),
            Phase::Ended => Vec::new(),
            _ => b" ".to_vec(),
        }
    }

    fn asides(&self) -> Vec<Vec<u8>> {
        match self.phase {
            Phase::Board => {
                let moves = self.moves();
                vec![(b'0'..=b':').filter(|key| !moves.contains(key)).chain(*b"x ").collect()]
            }
            Phase::Question => vec![b"z0 ".to_vec()],
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
