//! The screens of the CHIP game: eighteen lamps on their package, a clock counter, the moves, and a
//! question.

use super::ChipGame;
use super::model::Side;
use super::tunes::TUNES;
use crate::quit_keys::{self, leaves};
use oxbox_cpu::Model;
use oxbox_proof::engine::tune::{LastHeard, LastStep, Tune};
use oxbox_proof::engine::{Engine, Mark, Move, Outcome};
use oxbox_proof::verify::{Figure, Screen, TextPage, Twin};
use std::sync::{Arc, LazyLock};

/// Attributes: DOS's default, brighter, darker; the title, the package, the lamps of both sides,
/// and those of a completed row.
const PLAIN: u8 = 0x07;
const WHITE: u8 = 0x0F;
const DARK: u8 = 0x08;
const TITLE: u8 = 0x20;
const PACKAGE: u8 = 0x02;
const CHIPS: u8 = 0x0C;
const USERS: u8 = 0x0A;
const IN_ROW: u8 = 0x0E;

/// Screen positions by line and column.
const LAMPS: (usize, usize) = (3, 6);
const PLACE: (usize, usize) = (5, 11);
const SIDE: usize = 48;
const COUNTER_LINE: usize = 3;
const LIST_LINE: usize = 10;
const SPEAKER_LINE: usize = 20;
const SEARCH_LINE: usize = 22;
const PROMPT: (usize, usize) = (23, 4);
const LAST_LINE: usize = 24;

const LIT: &str = "▄██▄\n▀██▀";
const UNLIT: &str = "▄░░▄\n▀░░▀";

/// The ten digits of a seven-segment display.
const SEGMENTS: [&str; 10] = [
    "█▀█\n█ █\n▀▀▀",
    " ▀█\n  █\n  ▀",
    "▀▀█\n█▀▀\n▀▀▀",
    "▀▀█\n ▀█\n▀▀▀",
    "█ █\n▀▀█\n  ▀",
    "█▀▀\n▀▀█\n▀▀▀",
    "█▀▀\n█▀█\n▀▀▀",
    "▀▀█\n  █\n  ▀",
    "█▀█\n█▀█\n▀▀▀",
    "█▀█\n▀▀█\n▀▀▀",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Phase {
    /// The side that starts.
    Who,
    Place,
    /// A key for a new game.
    Over,
}

/// The program at a wait for a key.
#[derive(Debug, Clone, Hash)]
pub struct ChipTwin {
    game: ChipGame,
    moves: Vec<(Side, Move)>,
    phase: Phase,
    ended: bool,
    /// The chip's first place, 0 to 7, if it starts. The DOS program takes it from the tick count.
    counter: u8,
    tunes: LastHeard,
}

impl Default for ChipTwin {
    fn default() -> Self {
        ChipTwin::new()
    }
}

impl ChipTwin {
    /// Creates the program at its first prompt.
    pub fn new() -> Self {
        ChipTwin {
            game: ChipGame::user_begins(),
            moves: Vec::new(),
            phase: Phase::Who,
            ended: false,
            counter: 0,
            tunes: LastHeard::default(),
        }
    }

    fn page(&self) -> TextPage {
        let mut page = EMPTY_PAGE.clone();
        self.places(&mut page);
        self.counter(&mut page);
        for (line, &(side, place)) in self.moves.iter().enumerate() {
            let (name, attribute) = if side == Side::Chip { ("chip ", CHIPS) } else { ("you  ", USERS) };
            page.draw(LIST_LINE + line, SIDE + 1, attribute, &format!("{name}{}", place.index()));
        }
        let note = match (self.phase, self.game.outcome()) {
            (_, Some(Outcome::Win(_))) => "♫ 440, 880, 440 Hz",
            (_, Some(Outcome::Draw)) => "♫ 587 Hz",
            _ if self.moves.is_empty() => "",
            _ => "♫ 880 Hz",
        };
        page.draw(SPEAKER_LINE, SIDE + 9, PLAIN, note);
        self.prompt(&mut page);
        if self.ended {
            page.locate(LAST_LINE, 0);
        }
        page
    }

    /// Draws for each place two lamps and, if it is free, its key. A completed row of the chip is
    /// yellow.
    fn places(&self, page: &mut TextPage) {
        let (top, left) = LAMPS;
        let board = self.game.board();
        for place in Move::ALL {
            let (line, column) = (top + 1 + place.y() * (PLACE.0 + 1), left + 5 + place.x() * (PLACE.1 + 1));
            let key = if board.get(place).is_none() { char::from(key_of(place)) } else { ' ' };
            page.draw(line, column, WHITE, &key.to_string());
            let won = self.game.outcome() == Some(Outcome::Win(Mark::O)) && board.is_in_row(place, Mark::O);
            let lamps = [(Side::Chip, column - 4, CHIPS), (Side::User, column + 1, USERS)];
            for (side, column, attribute) in lamps {
                match self.game.chip().holds(side, place) {
                    true if won && side == Side::Chip => page.draw(line + 1, column, IN_ROW, LIT),
                    true => page.draw(line + 1, column, attribute, LIT),
                    false => page.draw(line + 1, column, DARK, UNLIT),
                };
            }
        }
    }

    /// Draws the clocks of the last search: five digits, and words. Dark before the first search.
    fn counter(&self, page: &mut TextPage) {
        let (clocks, _) = self.game.clocks();
        let attribute = if clocks > 0 { CHIPS } else { DARK };
        for (at, digit) in format!("{clocks:05}").bytes().enumerate() {
            page.draw(
                COUNTER_LINE + 2,
                SIDE + 4 + 4 * at,
                attribute,
                SEGMENTS[usize::from(digit - b'0') % 10],
            );
        }
        if clocks > 0 {
            let unit = if clocks == 1 { "clock" } else { "clocks" };
            let behind = page.draw(SEARCH_LINE, PROMPT.1, PLAIN, "The chip would have taken ");
            let behind = page.draw(SEARCH_LINE, behind, WHITE, &clocks.to_string());
            page.draw(SEARCH_LINE, behind, PLAIN, &format!(" {unit}."));
        }
    }

    /// Draws the question, or the result and a question, followed by the cursor.
    fn prompt(&self, page: &mut TextPage) {
        let (line, column) = PROMPT;
        let behind = match (self.phase, self.game.outcome()) {
            (Phase::Who, _) => page.draw(line, column, PLAIN, "Who begins, you (u) or the chip (c)? "),
            (_, None) => page.draw(line, column, PLAIN, "Your place (0-8)? "),
            (_, Some(outcome)) => {
                let won = outcome == Outcome::Win(Mark::O);
                let behind = page.draw(line, column, WHITE, if won { "The chip wins. " } else { "A draw. " });
                page.draw(line, behind, PLAIN, "Any key plays again, q leaves. ")
            }
        };
        page.locate(line, behind);
    }

    /// Asks for the next key after the chip's move or the end of the game.
    fn ask(&mut self) {
        for (side, mark) in [(Side::User, Mark::X), (Side::Chip, Mark::O)] {
            let board = self.game.board();
            let new = Move::ALL.into_iter().filter(|&place| board.get(place) == Some(mark));
            let new: Vec<Move> =
                new.filter(|&place| self.moves.iter().all(|&(_, old)| old != place)).collect();
            self.moves.extend(new.into_iter().map(|place| (side, place)));
        }
        self.phase = if self.game.outcome().is_some() { Phase::Over } else { Phase::Place };
    }

    fn begin(&mut self, game: ChipGame) {
        self.game = game;
        self.ask();
    }
}

/// The parts of the page that never change.
static EMPTY_PAGE: LazyLock<TextPage> = LazyLock::new(|| {
    let mut page = TextPage::coloured();
    page.fill((0, 0), 80, 1, TITLE, ' ');
    page.draw(0, 1, TITLE, "CHIP");
    page.draw(0, 33, TITLE, "minimax in silicon, 1990");
    let (top, left) = LAMPS;
    page.frame((top - 1, left - 1), 3 * PLACE.1 + 4, 3 * PLACE.0 + 4, PACKAGE);
    page.draw(top - 1, left + 14, PACKAGE, " \\__/ ");
    for pin in 0..9 {
        page.draw(top + 2 * pin, left - 3, PLAIN, "══");
        page.draw(top + 2 * pin, left + 3 * PLACE.1 + 3, PLAIN, "══");
    }
    page.frame((COUNTER_LINE, SIDE), 29, 6, DARK);
    page.draw(COUNTER_LINE, SIDE + 1, PLAIN, " clocks of the last search ");
    page.draw(LIST_LINE - 1, SIDE, PLAIN, "Moves");
    page.draw(LIST_LINE, SIDE + 16, CHIPS, "██ the chip");
    page.draw(LIST_LINE + 1, SIDE + 16, USERS, "██ you");
    page.draw(SPEAKER_LINE - 1, SIDE, PLAIN, "Keys     0-8 a place, q leaves\nSpeaker  ");
    page
});

/// Returns the key of a place: 0 to 8.
fn key_of(place: Move) -> u8 {
    b'0' + place.index() as u8
}

impl Twin for ChipTwin {
    fn oldest_processor(&self) -> Model {
        Model::I8086
    }

    fn computer(&self) -> Option<Mark> {
        ChipGame::COMPUTER
    }

    fn press(&mut self, key: u8) {
        self.tunes = LastHeard::default();
        match self.phase {
            _ if self.ended => {}
            _ if leaves(key) => self.ended = true,
            Phase::Who => match key.to_ascii_lowercase() {
                b'u' => self.begin(ChipGame::user_begins()),
                b'c' => {
                    self.begin(ChipGame::chip_begins(self.counter));
                    self.tunes = LastStep(TUNES.after(None));
                }
                _ => {}
            },
            Phase::Place => {
                if self.moves().contains(&key) {
                    self.game.play(Move::ALL[usize::from(key - b'0')]);
                    self.ask();
                    self.tunes = LastStep(TUNES.after(self.game.outcome()));
                }
            }
            Phase::Over => *self = ChipTwin::new(),
        }
    }

    fn screen(&self) -> Screen {
        self.page().screen()
    }

    fn tunes(&self) -> Option<&'static [Tune]> {
        Some(self.tunes.0)
    }

    /// The duration of the search: three dozen clocks per millisecond.
    fn drawing_ms(&self) -> u64 {
        30 + u64::from(self.game.clocks().0) / 36
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
        match self.phase {
            _ if self.ended => Vec::new(),
            Phase::Who => b"uc".to_vec(),
            Phase::Place => self.game.moves().into_iter().map(key_of).collect(),
            Phase::Over => b" ".to_vec(),
        }
    }

    fn sampling(&self) -> u64 {
        16
    }

    fn asides(&self) -> Vec<Vec<u8>> {
        let leave = quit_keys::key(self.game.board().free().count());
        match self.phase {
            _ if self.ended => Vec::new(),
            // The last but one starts a game.
            Phase::Who => vec![b"x0 ".to_vec(), b"U".to_vec(), vec![leave]],
            Phase::Place => {
                let moves = self.moves();
                vec![(b'/'..=b'9').filter(|key| !moves.contains(key)).collect(), vec![leave]]
            }
            Phase::Over => vec![vec![leave]],
        }
    }

    fn begins(&self) -> Option<String> {
        Some(if self.game.began() { self.counter.to_string() } else { "user".to_owned() })
    }

    fn reads_clock(&self, character: u8) -> bool {
        !self.ended && self.phase == Phase::Who && character.eq_ignore_ascii_case(&b'c')
    }

    fn set_ticks(&mut self, ticks: u8) {
        self.counter = ticks & 7;
    }

    fn figures(&self) -> Vec<(&'static str, Figure)> {
        let name = if self.game.began() { "worst_clocks_chip_begins" } else { "worst_clocks_user_begins" };
        let worst = Figure::Worst(self.game.clocks().1.into());
        vec![("worst_clocks", worst), (name, worst)]
    }
}
