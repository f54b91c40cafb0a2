//! TTT1 as it shows itself: two boards, a prompt, an echo; everything scrolls.

use super::Ttt1;
use crate::engine::{Engine, Mark, Move, Outcome};
use crate::verify::{Figure, Screen, TextPage, Twin};

/// Lines of a board and its prompt.
const BOARD_LINES: usize = 6;

/// The program at a key wait.
#[derive(Debug, Clone)]
pub(crate) struct Ttt1Twin {
    game: Ttt1,
    page: TextPage,
    ended: bool,
}

impl Ttt1Twin {
    /// At its first prompt.
    pub(crate) fn new() -> Self {
        let mut twin = Ttt1Twin { game: Ttt1::new(), page: TextPage::new(), ended: false };
        twin.show();
        twin
    }

    /// The free cells' digits on the left, the pieces on the right, then the prompt or the end.
    fn show(&mut self) {
        let board = self.game.board();
        let digit = |cell: Move| board.get(cell).map_or(char::from(b'0' + cell.index() as u8), |_| ' ');
        let piece = |cell: Move| board.get(cell).map_or(' ', |mark| if mark == Mark::X { 'X' } else { 'O' });
        let row = |y: usize, face: &dyn Fn(Move) -> char| {
            Move::ALL[3 * y..3 * y + 3]
                .iter()
                .map(|&cell| format!(" {} ", face(cell)))
                .collect::<Vec<_>>()
                .join("|")
        };
        self.page.print("\n");
        for y in 0..3 {
            if y > 0 {
                self.page.print("---+---+---  ---+---+---\n");
            }
            self.page.print(&format!("{}  {}\n", row(y, &digit), row(y, &piece)));
        }
        self.ended = self.game.outcome().is_some();
        self.page.print(if self.ended { "\nGame Over\n" } else { "Your move:" });
    }
}

impl Twin for Ttt1Twin {
    const COMPUTER: Option<Mark> = Ttt1::COMPUTER;

    fn press(&mut self, key: u8) {
        if self.ended {
            return;
        }
        // The echo comes before anything else, so q and bad input are seen too.
        self.page.put(key);
        if key.eq_ignore_ascii_case(&b'q') {
            self.ended = true;
        } else if self.moves().contains(&key) {
            self.game.play(Move::ALL[usize::from(key - b'0')]);
            self.show();
        }
    }

    fn screen(&self) -> Screen {
        self.page.screen()
    }

    /// What is known of the author's program does not say how many empty lines go before a board, so another
    /// number of them is allowed. Then another part of what has scrolled by is still to be seen.
    fn allows(&self, found: &Screen) -> bool {
        let (own, found) = (self.screen().lines(), found.lines());
        let newest = |lines: &[String]| {
            lines.iter().rev().filter(|line| !line.is_empty()).cloned().collect::<Vec<_>>()
        };
        let (own, found) = (newest(&own), newest(&found));
        let shown = own.len().min(found.len());
        shown >= BOARD_LINES && own[..shown] == found[..shown]
    }

    fn ended(&self) -> bool {
        self.ended
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn moves(&self) -> Vec<u8> {
        self.game.moves().into_iter().map(|cell| b'0' + cell.index() as u8).collect()
    }

    fn asides(&self) -> Vec<Vec<u8>> {
        if self.ended {
            return Vec::new();
        }
        let taken = (b'0'..=b'8').filter(|key| !self.moves().contains(key));
        vec![taken.chain(*b"9/x ").collect(), b"Q".to_vec()]
    }

    fn figures(&self) -> Vec<(&'static str, Figure)> {
        let user_row = Figure::Count(self.game.board().has_row(Mark::X).into());
        match self.game.outcome() {
            Some(Outcome::Draw) => vec![("full_boards_with_a_row_of_the_user", user_row)],
            Some(_) => vec![("computer_wins_after_a_row_of_the_user", user_row)],
            None => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_on_the_screen() {
        let mut twin = Ttt1Twin::new();
        for key in *b"00x" {
            twin.press(key);
        }
        let expected = "
 0 | 1 | 2      |   |
---+---+---  ---+---+---
 3 | 4 | 5      |   |
---+---+---  ---+---+---
 6 | 7 | 8      |   |
Your move:0
   | 1 | 2    X |   |
---+---+---  ---+---+---
 3 |   | 5      | O |
---+---+---  ---+---+---
 6 | 7 | 8      |   |
Your move:0x";
        assert_eq!(twin.screen().lines().join("\n"), expected);
        twin.press(b'Q');
        assert!(twin.ended());
        assert_eq!(twin.screen().lines().join("\n"), expected.to_owned() + "Q");
    }

    #[test]
    fn other_empty_lines_are_allowed_and_nothing_else() {
        let mut twin = Ttt1Twin::new();
        for key in *b"048" {
            twin.press(key);
        }
        let lines = twin.screen().lines();
        let doubled: Vec<String> =
            lines.iter().map(|line| line.replace("Your move:", "\n\nYour move:")).collect();
        let cases = [
            (doubled.join("\n"), true),
            (lines[3..].join("\n"), true),
            (lines[lines.len() - 5..].join("\n"), false),
            (lines.join("\n").replace('X', "O"), false),
        ];
        for (text, allowed) in cases {
            let mut page = TextPage::new();
            page.print(&text);
            assert_eq!(twin.allows(&page.screen()), allowed, "{text}");
        }
    }

    #[test]
    fn the_end() {
        let mut twin = Ttt1Twin::new();
        for key in *b"013" {
            twin.press(key);
        }
        let expected = "
   |   |      X | X | O
---+---+---  ---+---+---
   |   | 5    X | O |
---+---+---  ---+---+---
   | 7 | 8    O |   |

Game Over";
        let lines = twin.screen().lines().join("\n");
        assert!(lines.ends_with(expected), "{lines}");
        assert_eq!(twin.outcome(), Some(Outcome::Win(Mark::O)));
    }
}
