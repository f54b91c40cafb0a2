//! The CHIP game as it shows itself: eighteen lamps, the clocks of the last search, and a question.

use super::ChipGame;
use super::model::Side;
use super::tunes::TUNES;
use crate::engine::tune::Tune;
use crate::engine::{Engine, Mark, Move, Outcome};
use crate::games::leaving::{self, leaves};
use crate::verify::{Figure, Screen, TextPage, Twin};

/// What the program waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Who begins.
    Who,
    /// The user's place.
    Place,
    /// A key for another game.
    Over,
    /// Nothing more.
    Ended,
}

/// The program at a key wait.
#[derive(Debug, Clone)]
pub(crate) struct ChipTwin {
    game: ChipGame,
    page: TextPage,
    phase: Phase,
    counter: u8,
    /// Whether the lines in which the user begins belong to this twin.
    user_begins: bool,
    tunes: &'static [Tune],
}

impl ChipTwin {
    /// At its first prompt, for each place on which the chip may begin: eight twins make one proof.
    pub(crate) fn every_start() -> Vec<Self> {
        (0..8).map(Self::new).collect()
    }

    /// At its first prompt. `counter` is the chip's first place, 0 to 7, should it begin: the DOS program
    /// takes it from the tick count. Only with counter 0 the walk also goes where the user begins.
    fn new(counter: u8) -> Self {
        let mut twin = ChipTwin {
            game: ChipGame::user_begins(),
            page: TextPage::new(),
            phase: Phase::Who,
            counter,
            user_begins: counter == 0,
            tunes: &[],
        };
        twin.show();
        twin.page.print("Who begins, you (u) or the chip (c)? ");
        twin
    }

    /// Heading, lamps and the keys of free places, and what the last search took.
    fn show(&mut self) {
        self.page.clear();
        self.page.print("CHIP: two lamps a place, the chip's and yours; q leaves\n\n");
        let board = self.game.board();
        let lamp = |side, place| if self.game.chip().holds(side, place) { '*' } else { '.' };
        let key = |place: Move| if board.get(place).is_none() { char::from(key_of(place)) } else { ' ' };
        for row in Move::ALL.chunks(3) {
            let lamps = row.iter().map(|&p| format!("{}{}  ", lamp(Side::Chip, p), lamp(Side::User, p)));
            let keys = row.iter().map(|&p| format!(" {}", key(p)));
            self.page.print(&lamps.chain(keys).collect::<String>());
            self.page.print("\n");
        }
        self.page.print("\n");
        let (clocks, _) = self.game.clocks();
        if clocks > 0 {
            let unit = if clocks == 1 { "clock" } else { "clocks" };
            self.page.print(&format!("The chip would have taken {clocks} {unit}.\n"));
        }
    }

    fn ask(&mut self) {
        self.show();
        match self.game.outcome() {
            None => {
                self.phase = Phase::Place;
                self.page.print("Your place (0-8)? ");
            }
            Some(outcome) => {
                self.phase = Phase::Over;
                let won = outcome == Outcome::Win(Mark::O);
                self.page.print(if won { "The chip wins.\n" } else { "A draw.\n" });
                self.page.print("Any key plays again, q leaves. ");
            }
        }
    }

    fn begin(&mut self, game: ChipGame) {
        self.game = game;
        self.ask();
    }
}

/// The key of a place: 0 to 8.
fn key_of(place: Move) -> u8 {
    b'0' + place.index() as u8
}

impl Twin for ChipTwin {
    const COMPUTER: Option<Mark> = ChipGame::COMPUTER;

    fn press(&mut self, key: u8) {
        self.tunes = &[];
        match self.phase {
            Phase::Ended => {}
            _ if leaves(key) => {
                self.phase = Phase::Ended;
                self.page.print("\n");
            }
            Phase::Who => match key.to_ascii_lowercase() {
                b'u' => self.begin(ChipGame::user_begins()),
                b'c' => {
                    self.begin(ChipGame::chip_begins(self.counter));
                    self.tunes = TUNES.after(None);
                }
                _ => {}
            },
            Phase::Place => {
                if self.moves().contains(&key) {
                    self.game.play(Move::ALL[usize::from(key - b'0')]);
                    self.ask();
                    self.tunes = TUNES.after(self.game.outcome());
                }
            }
            Phase::Over => *self = ChipTwin { user_begins: self.user_begins, ..ChipTwin::new(self.counter) },
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
        match self.phase {
            Phase::Who if self.user_begins => b"uc".to_vec(),
            Phase::Who => b"c".to_vec(),
            Phase::Place => self.game.moves().into_iter().map(key_of).collect(),
            Phase::Over => b" ".to_vec(),
            Phase::Ended => Vec::new(),
        }
    }

    fn asides(&self) -> Vec<Vec<u8>> {
        let leave = leaving::key(self.game.board().free().count());
        match self.phase {
            // The last but one begins a game.
            Phase::Who => vec![b"x0 ".to_vec(), b"U".to_vec(), vec![leave]],
            Phase::Place => {
                let moves = self.moves();
                vec![(b'/'..=b'9').filter(|key| !moves.contains(key)).collect(), vec![leave]]
            }
            Phase::Over => vec![vec![leave]],
            Phase::Ended => Vec::new(),
        }
    }

    fn ticks(&self) -> Option<u8> {
        Some(self.counter)
    }

    fn figures(&self) -> Vec<(&'static str, Figure)> {
        let name = if self.game.began() { "worst_clocks_chip_begins" } else { "worst_clocks_user_begins" };
        let worst = Figure::Worst(self.game.clocks().1.into());
        vec![("worst_clocks", worst), (name, worst)]
    }
}
