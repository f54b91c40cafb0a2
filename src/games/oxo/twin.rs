//! OXO as it shows itself: a numbered board in which marks replace digits, the cursor moved and nothing
//! scrolled.

use super::Oxo;
use super::tunes::TUNES;
use crate::engine::board::{RING, ring_index};
use crate::engine::tune::Tune;
use crate::engine::{Engine, Mark, Move, Outcome};
use crate::games::leaving::{self, leaves};
use crate::verify::{Screen, TextPage, Twin};

/// The line where the cursor waits, and where the result is written.
const RESULT_LINE: usize = 8;
/// The line where DOS goes on.
const LAST_LINE: usize = 10;

/// The program at a key wait.
#[derive(Debug, Clone)]
pub(crate) struct OxoTwin {
    game: Oxo,
    page: TextPage,
    ended: bool,
    tunes: &'static [Tune],
}

impl OxoTwin {
    /// At its first prompt.
    pub(crate) fn new() -> Self {
        let mut twin = OxoTwin { game: Oxo::new(), page: TextPage::new(), ended: false, tunes: &[] };
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
        self.page.clear();
        self.page.print("OXO: 1 to 8 put an O, q leaves\n\n");
        self.page.print(&rows.join("\n-+-+-\n"));
        self.page.locate(RESULT_LINE, 0);
        if let Some(outcome) = self.game.outcome() {
            self.page.print(if outcome == Outcome::Draw { "DRAW!\n" } else { "I WIN!\n" });
            self.page.print("Any key plays again, q leaves. ");
        }
    }
}

/// The digit of a cell of the edge: 1 to 8, clockwise from the upper left.
fn digit(cell: Move) -> u8 {
    b'1' + ring_index(cell) as u8
}

impl Twin for OxoTwin {
    const COMPUTER: Option<Mark> = Oxo::COMPUTER;

    fn press(&mut self, key: u8) {
        self.tunes = &[];
        if self.ended {
            return;
        }
        if leaves(key) {
            self.ended = true;
            self.page.locate(LAST_LINE, 0);
        } else if self.game.outcome().is_some() {
            *self = OxoTwin::new();
        } else if self.moves().contains(&key) {
            self.game.play(RING[usize::from(key - b'1')]);
            self.tunes = TUNES.after(self.game.outcome());
            self.show();
        }
    }

    fn screen(&self) -> Screen {
        self.page.screen()
    }

    fn tunes(&self) -> Option<&'static [Tune]> {
        Some(self.tunes)
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
        let leave = leaving::key(self.game.board().free().count());
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

I WIN!
Any key plays again, q leaves.";
        assert_eq!(twin.screen().lines().join("\n"), expected);
        twin.press(b' ');
        assert_eq!(twin.outcome(), None);
        twin.press(b'Q');
        assert!(twin.ended());
        let Screen::Text(text) = twin.screen() else { panic!("a text screen") };
        assert_eq!(text.cursor, Some((LAST_LINE, 0)));
    }
}
