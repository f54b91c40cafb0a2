//! A game on the chip: the clock-accurate [`Chip`], clocked until it waits for a key or has
//! finished.
//!
//! The chip's stones are shown as O and the user's as X, whichever side starts.

use super::model::{Chip, Inputs, Side, State};
use oxbox_proof::engine::arena::Player;
use oxbox_proof::engine::{Board, Engine, Mark, Move, Outcome};

/// More clocks than the longest search takes: a bound for loops, not a figure from the report.
pub(super) const ENDLESS: u32 = 100_000;

/// A game against the chip, with the user at the keys.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ChipGame {
    chip: Chip,
    clocks: u32,
    worst: u32,
    began: bool,
}

impl ChipGame {
    /// Starts a game with the user's move.
    pub fn user_begins() -> Self {
        let mut chip = Chip::new();
        chip.clock(Inputs::default());
        ChipGame { chip, clocks: 0, worst: 0, began: false }
    }

    /// Starts a game with the chip's move on the place in its counter, the low 3 bits of `counter`.
    pub fn chip_begins(counter: u8) -> Self {
        let mut chip = Chip::new();
        chip.set_counter(counter);
        chip.clock(Inputs { chip_begins: true, ..Inputs::default() });
        ChipGame { chip, clocks: 0, worst: 0, began: true }
    }

    /// Returns the games that the chip starts, one per first place.
    pub fn every_opening() -> Vec<Box<dyn Player>> {
        (0..8).map(|counter| Box::new(Self::chip_begins(counter)) as _).collect()
    }

    /// Returns the chip.
    pub fn chip(&self) -> &Chip {
        &self.chip
    }

    /// Returns whether the chip has made the first move.
    pub fn began(&self) -> bool {
        self.began
    }

    /// Returns the clocks from the latching of the last key to the chip's stone, and the maximum of
    /// all moves of this game.
    pub fn clocks(&self) -> (u32, u32) {
        (self.clocks, self.worst)
    }
}

impl Engine for ChipGame {
    /// The chip's stones are distinguished by bits, not marks. They are shown as O in every game.
    const COMPUTER: Option<Mark> = Some(Mark::O);

    fn board(&self) -> Board {
        Board::from_cells(|cell| {
            match (self.chip.holds(Side::Chip, cell), self.chip.holds(Side::User, cell)) {
                (true, _) => Some(Mark::O),
                (_, true) => Some(Mark::X),
                _ => None,
            }
        })
    }

    fn outcome(&self) -> Option<Outcome> {
        let finished = self.chip.state() == State::Finished;
        finished.then_some(if self.chip.has_won() { Outcome::Win(Mark::O) } else { Outcome::Draw })
    }

    fn play(&mut self, cell: Move) {
        if self.outcome().is_some() || self.board().get(cell).is_some() {
            return;
        }
        self.chip.clock(Inputs { key: Some(cell), ..Inputs::default() });
        self.clocks = 0;
        while !matches!(self.chip.state(), State::Waiting | State::Finished) && self.clocks < ENDLESS {
            self.chip.clock(Inputs::default());
            self.clocks += 1;
        }
        self.worst = self.worst.max(self.clocks);
    }
}
