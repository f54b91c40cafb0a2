//! The screens of the EECS-2100 game: title, board, message, question, farewell.

use super::Eecs2100;
use super::draw::Canvas;
use super::rules::{Cells, keypad};
use super::tunes::{CASTLE, NBC, WAH};
use oxbox_machine::hardware::DEFAULT_SPEED;
use oxbox_proof::engine::tune::{LastHeard, LastStep, Tune};
use oxbox_proof::engine::{Engine, Mark, Move, Outcome};
use oxbox_proof::verify::{Screen, TextPage, Twin};
use std::sync::{Arc, OnceLock};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Phase {
    /// Any key starts a game. The first title of a run has a red pixel that later ones do not have.
    Title {
        first: bool,
    },
    /// The user's move.
    Board,
    /// The winner. Any key continues.
    Message,
    Question,
    /// The farewell. Any key ends the program.
    Farewell,
    /// Back in DOS, in text mode.
    Ended,
}

/// The program at a wait for a key.
#[derive(Debug, Clone, Hash)]
pub struct Eecs2100Twin {
    game: Eecs2100,
    phase: Phase,
    tunes: LastHeard,
    /// The board before the last move, and the phase before the last key.
    before: LastStep<Option<(Cells, Phase)>>,
}

impl Default for Eecs2100Twin {
    fn default() -> Self {
        Eecs2100Twin::new()
    }
}

impl Eecs2100Twin {
    /// Creates the program at its first title.
    pub fn new() -> Self {
        Eecs2100Twin {
            game: Eecs2100::new(),
            phase: Phase::Title { first: true },
            tunes: LastHeard::default(),
            before: LastStep(None),
        }
    }

    fn play(&mut self, cell: Move) {
        self.game.play(cell);
        self.tunes = LastStep(match self.game.outcome() {
            None => &[NBC][..],
            Some(Outcome::Win(Mark::X)) => &[NBC, CASTLE],
            Some(_) => &[NBC, WAH],
        });
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

/// Screens without pieces and text, which are equal in every game.
struct EmptyScreens([Arc<Screen>; 4]);

impl EmptyScreens {
    fn get() -> &'static EmptyScreens {
        static SCREENS: OnceLock<EmptyScreens> = OnceLock::new();
        SCREENS.get_or_init(|| {
            let canvases = [Canvas::black(), Canvas::white(), Canvas::red(), Canvas::furniture()];
            EmptyScreens(canvases.map(|canvas| Arc::new(Screen::Pixels(canvas.picture()))))
        })
    }

    fn black(&self) -> Arc<Screen> {
        Arc::clone(&self.0[0])
    }

    fn white(&self) -> Arc<Screen> {
        Arc::clone(&self.0[1])
    }

    fn red(&self) -> Arc<Screen> {
        Arc::clone(&self.0[2])
    }

    fn furniture(&self) -> Arc<Screen> {
        Arc::clone(&self.0[3])
    }
}

impl Twin for Eecs2100Twin {
    fn computer(&self) -> Option<Mark> {
        Eecs2100::COMPUTER
    }

    fn press(&mut self, key: u8) {
        self.tunes = LastHeard::default();
        self.before = LastStep(Some((self.game.cells(), self.phase)));
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
            Phase::Ended => return TextPage::coloured().screen(),
        };
        Screen::Pixels(canvas.picture())
    }

    fn tunes(&self) -> Option<&'static [Tune]> {
        Some(self.tunes.0)
    }

    /// The x is drawn after its tune, and the message before its tune.
    fn screens_at_tunes(&self, now: &Arc<Screen>) -> Vec<Arc<Screen>> {
        let (Some((cells, _)), false) = (self.before.0, self.tunes.0.is_empty()) else { return Vec::new() };
        let mut screens = vec![Arc::clone(now); self.tunes.0.len()];
        screens[0] = Arc::new(Screen::Pixels(Canvas::board(&cells, "Turn:  Player 1").picture()));
        screens
    }

    /// Each picture starts with a screen in one colour, which then becomes white. A move shows the
    /// board with the x, then with the o, then the message.
    fn stages(&self, _: &[Arc<Screen>]) -> Vec<Arc<Screen>> {
        let empty = EmptyScreens::get();
        let Some((before, phase)) = self.before.0 else { return vec![empty.black()] };
        match (phase, self.phase) {
            (Phase::Title { .. }, Phase::Board) => vec![empty.red(), empty.white(), empty.furniture()],
            (Phase::Board, Phase::Board | Phase::Message) if !self.tunes.0.is_empty() => {
                let after = self.game.cells();
                let with_x: Vec<_> = before
                    .iter()
                    .zip(&after)
                    .map(|(old, new)| new.filter(|mark| *mark == Mark::X || old.is_some()))
                    .collect();
                let with_x = Cells::try_from(with_x).unwrap_or(after);
                let board = |cells, turn| Arc::new(Screen::Pixels(Canvas::board(cells, turn).picture()));
                let mut stages = vec![empty.black(), empty.white(), empty.furniture()];
                stages.push(board(&with_x, "Turn:  Player 2"));
                if with_x != after {
                    stages.extend([empty.black(), empty.white(), empty.furniture()]);
                    if self.phase == Phase::Message {
                        stages.push(board(&after, "Turn:  Player 1"));
                    }
                }
                if self.phase == Phase::Message {
                    stages.extend([empty.black(), empty.white()]);
                }
                stages
            }
            (Phase::Message, Phase::Question) | (Phase::Question, Phase::Farewell) => {
                vec![empty.black(), empty.white()]
            }
            (Phase::Question, Phase::Title { .. }) => vec![empty.black()],
            _ => Vec::new(),
        }
    }

    /// The original and the program draw slowly. In instructions: clearing a screen takes 984,995,
    /// making it white 269,393, the lines of the board 227,275, an x 5,030, an o 27,260, a
    /// character 2,436.
    fn drawing_ms(&self) -> u64 {
        const CLEARED: usize = 984_995;
        const WHITE: usize = CLEARED + 269_393;
        const CHARACTER: usize = 2_436;
        const TITLE: usize = CLEARED + 1_231_370;
        let marks = |cells: &Cells, mark| cells.iter().filter(|cell| **cell == Some(mark)).count();
        let board = |cells: &Cells| {
            let texts = 60 * CHARACTER;
            WHITE + 227_275 + texts + 5_030 * marks(cells, Mark::X) + 27_260 * marks(cells, Mark::O)
        };
        let message = WHITE + 18 * CHARACTER;
        let after = self.game.cells();
        let instructions = match (self.before.0, self.phase) {
            (None | Some((_, Phase::Question)), Phase::Title { .. }) => TITLE,
            (Some((_, Phase::Title { .. })), Phase::Board) => board(&after),
            (Some((_, Phase::Board)), Phase::Board) if self.tunes.0.is_empty() => 0,
            (Some((_, Phase::Board)), Phase::Board) => 2 * board(&after),
            (Some((_, Phase::Board)), Phase::Message) => 2 * board(&after) + message,
            (Some((_, Phase::Message)), Phase::Question) | (_, Phase::Farewell) => message,
            _ => 0,
        };
        30 + instructions as u64 * 105 / 100 / u64::from(DEFAULT_SPEED)
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

    fn sampling(&self) -> u64 {
        8
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
