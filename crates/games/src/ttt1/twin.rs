//! The screens of TTT1: two boards, a prompt, an echo; everything scrolls.

use super::Ttt1;
use oxbox_cpu::Model;
use oxbox_proof::engine::tune::{Beep, LastHeard, LastStep, Tune};
use oxbox_proof::engine::{Engine, Mark, Move, Outcome};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use oxbox_proof::verify::{Figure, Screen, TextPage, Twin};

/// The lines of a board and its prompt.
const BOARD_LINES: usize = 6;

const BEL_CODE: u8 = 0x07;

/// The last line of the screen, from which text scrolls.
const LAST_LINE: usize = 24;

/// The BIOS beep, for a rejected key.
const BEL: Tune = Tune { name: "bell", beeps: &[Beep { divisor: Some(0x0533), turns: 375_000 }] };

/// The program at a wait for a key.
#[derive(Debug, Clone)]
pub struct Ttt1Twin {
    game: Ttt1,
    page: TextPage,
    ended: bool,
    /// Whether a key was rejected. Its echo stays, so screens no longer identify positions.
    refused: bool,
    tunes: LastHeard,
    /// The output of the last key.
    printed: LastStep<Vec<u8>>,
}

impl Hash for Ttt1Twin {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.game, self.ended, self.refused).hash(state);
        if !self.refused {
            self.page.hash(state);
        }
    }
}

impl Default for Ttt1Twin {
    fn default() -> Self {
        Ttt1Twin::new()
    }
}

impl Ttt1Twin {
    /// Creates the program at its first prompt.
    pub fn new() -> Self {
        let mut twin = Ttt1Twin {
            game: Ttt1::new(),
            page: TextPage::coloured(),
            ended: false,
            refused: false,
            tunes: LastHeard::default(),
            printed: LastStep::default(),
        };
        twin.show();
        twin
    }

    /// Prints the free cells' digits on the left, the pieces on the right, the prompt or the end.
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
        let rows: Vec<String> = (0..3).map(|y| format!("{}  {}\n", row(y, &digit), row(y, &piece))).collect();
        self.ended = self.game.outcome().is_some();
        let behind = if self.ended { "\nGame Over\n" } else { "Your move:" };
        let text = format!("\n{}{behind}", rows.join("---+---+---  ---+---+---\n"));
        self.page.print(&text);
        self.printed.0.extend(text.bytes());
    }
}

impl Twin for Ttt1Twin {
    fn oldest_processor(&self) -> Model {
        Model::I8086
    }

    fn computer(&self) -> Option<Mark> {
        Ttt1::COMPUTER
    }

    fn press(&mut self, key: u8) {
        self.tunes = LastHeard::default();
        if self.ended {
            return;
        }
        // The echo comes first, so q and invalid input are visible too.
        self.printed = LastStep(self.page.expanded(key));
        self.page.put(key);
        if key.eq_ignore_ascii_case(&b'q') {
            self.ended = true;
        } else if self.moves().contains(&key) {
            self.game.play(Move::ALL[usize::from(key - b'0')]);
            self.show();
        } else {
            self.refused = true;
            self.tunes = LastStep(&[BEL]);
            self.printed.0.push(BEL_CODE);
        }
    }

    fn screen_tells(&self) -> bool {
        !self.refused
    }

    fn tunes(&self) -> Option<&'static [Tune]> {
        Some(self.tunes.0)
    }

    /// The exit code of the author's program: the key in lower case, or the pattern search's value.
    fn exit_code(&self) -> Option<u8> {
        Some(if self.game.outcome().is_some() { self.game.left_in_al() } else { b'q' })
    }

    /// The echo of a rejected key comes before the bell.
    fn screens_at_tunes(&self, now: &Arc<Screen>) -> Vec<Arc<Screen>> {
        vec![Arc::clone(now); self.tunes.0.len()]
    }

    fn prints(&self) -> bool {
        true
    }

    fn printed(&self) -> Option<&[u8]> {
        Some(&self.printed.0)
    }

    fn screen(&self) -> Screen {
        self.page.screen()
    }

    /// The number of empty lines before a board is not known for the author's program, so other
    /// numbers are accepted. A different part of the scrolled text is then visible.
    fn allows(&self, found: &Screen) -> bool {
        let (Screen::Text(text), Screen::Text(page)) = (found, self.screen()) else { return false };
        // DOS writes in one colour, and the cursor is always visible.
        let Some((line, _)) = text.cursor else { return false };
        if text.attributes.iter().any(|attribute| !page.attributes.contains(attribute)) {
            return false;
        }
        let own_line = page.cursor.map_or(LAST_LINE, |(line, _)| line);
        let newest = |lines: &[String]| {
            lines.iter().rev().filter(|line| !line.is_empty()).cloned().collect::<Vec<_>>()
        };
        let (own, found) = (newest(&self.screen().lines()), newest(&found.lines()));
        // Text that has not started to scroll is complete.
        let is_whole = |line: usize, all: usize, other: usize| line == LAST_LINE || all >= other;
        let shown = own.len().min(found.len());
        shown >= BOARD_LINES
            && own[..shown] == found[..shown]
            && is_whole(line, found.len(), own.len())
            && is_whole(own_line, own.len(), found.len())
    }

    fn leaves_open(&self) -> &'static [(&'static str, &'static str)] {
        &[(
            "empty lines before a board",
            "what is known of the author's program does not say how many it prints",
        )]
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

    fn sampling(&self) -> u64 {
        8
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
            ("\n".repeat(20) + &lines[3..].join("\n"), true),
            (lines[3..].join("\n"), false),
            ("A banner\n".to_owned() + &lines.join("\n"), false),
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
    fn a_line_above_the_first_board_is_not_allowed() {
        let twin = Ttt1Twin::new();
        for (above, allowed) in [("\n\n", true), ("A banner\n", false)] {
            let mut page = TextPage::coloured();
            page.print(above);
            page.print(&twin.screen().lines().join("\n"));
            assert_eq!(twin.allows(&page.screen()), allowed, "{above:?}");
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
