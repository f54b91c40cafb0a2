//! OXO as it shows itself: a numbered board in which marks replace digits, the cursor moved and nothing
//! scrolled.

use super::super::console::Console;
use super::{LEAVING, Screen, Twin, leaves};
use crate::engine::board::{RING, ring_index};
use crate::engine::oxo::Oxo;
use crate::engine::{Engine, Mark, Move, Outcome};

/// The line where the result is written, and where the cursor waits.
const RESULT_LINE: usize = 8;

/// The program at a key wait.
#[derive(Debug, Clone)]
pub struct OxoTwin {
    game: Oxo,
    console: Console,
    ended: bool,
}

impl OxoTwin {
    /// At its first prompt.
    pub fn new() -> Self {
        let mut twin = OxoTwin { game: Oxo::new(), console: Console::new(), ended: false };
        twin.show();
        twin
    }

    fn show(&mut self) {
        let board = self.game.board();
        let face = |cell: Move| match board.get(cell) {
            Some(Mark::X) => 'X',
            Some(Mark::O) => 'O',
            None => char::from(digit(cell)),
        };
        let rows: Vec<String> = Move::ALL
            .chunks(3)
            .map(|row| row.iter().map(|&cell| face(cell).to_string()).collect::<Vec<_>>().join("|"))
            .collect();
        self.console.clear();
        self.console.print("OXO: 1 to 8 put an O, q leaves\n\n");
        self.console.print(&rows.join("\n-+-+-\n"));
        self.console.locate(RESULT_LINE, 0);
        self.console.print(match self.game.outcome() {
            Some(Outcome::Win(_)) => "I WIN!",
            Some(Outcome::Draw) => "DRAW!",
            None => "",
        });
    }
}

/// The digit of a cell of the edge: 1 to 8, clockwise from the upper left.
fn digit(cell: Move) -> u8 {
    b'1' + ring_index(cell) as u8
}

impl Default for OxoTwin {
    fn default() -> Self {
        Self::new()
    }
}

impl Twin for OxoTwin {
    const COMPUTER: Option<Mark> = Oxo::COMPUTER;

    fn press(&mut self, key: u8) {
        if self.ended {
            return;
        }
        if leaves(key) {
            self.ended = true;
            self.console.clear();
        } else if self.game.outcome().is_some() {
            *self = OxoTwin::new();
        } else if self.moves().contains(&key) {
            self.game.play(RING[usize::from(key - b'1')]);
            self.show();
        }
    }

    fn screen(&self) -> Screen {
        let mut screen = self.console.screen();
        if let (Screen::Text(text), 0) = (&mut screen, self.game.board().count(Mark::O)) {
            // Where the cursor waits before anything has been put in place does not matter.
            text.cursor = None;
        }
        screen
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
        let leave = LEAVING[self.game.board().free().count() % LEAVING.len()];
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
        let expected = "OXO: 1 to 8 put an O, q leaves

O|X|3
-+-+-
O|X|4
-+-+-
7|X|5

I WIN!";
        assert_eq!(twin.screen().lines().join("\n"), expected);
        twin.press(b' ');
        assert_eq!(twin.outcome(), None);
        twin.press(b'Q');
        assert!(twin.ended() && twin.screen().lines().is_empty());
    }
}
