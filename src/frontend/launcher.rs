//! The launcher: a menu of the games, in a window or in the terminal.
//!
//! The menu is a pure function from the games and the chosen line to a [`Page`]; what a key does to it is another.

use super::page::{BRIGHT, CHOSEN, PLAIN, Page, WHITE};
use oxbox::games::Game;
use oxbox::machine::Key;

/// First row of the list, and rows from a game to the next.
const LIST_ROW: usize = 4;
/// Column of the list.
const LIST_COLUMN: usize = 4;
/// Width of a line of the list.
const LIST_WIDTH: usize = 72;
/// Row at which the chosen game is described.
const ABOUT_ROW: usize = 14;

/// What a key does in the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Another line is chosen.
    Line(usize),
    /// The game of this line is to be played.
    Play(usize),
    /// The user leaves.
    Leave,
}

/// The menu with the line `chosen` marked.
pub(crate) fn menu(games: &[Game], chosen: usize) -> Page {
    let mut page = Page::new("oxbox");
    page.put(LIST_COLUMN, 2, WHITE, "Historic tic-tac-toe, on a PC of its time. Which one?");
    for (index, game) in games.iter().enumerate() {
        let row = LIST_ROW + index;
        let number = index + 1;
        page.put(LIST_COLUMN, row, PLAIN, &entry(number, game));
        page.put(LIST_COLUMN + 1, row, BRIGHT, &number.to_string());
        if index == chosen {
            page.put(LIST_COLUMN - 1, row, CHOSEN, "►");
            page.paint(LIST_COLUMN - 1, row, LIST_WIDTH + 1, CHOSEN);
        }
    }
    if let Some(game) = games.get(chosen) {
        let row = page.paragraph(LIST_COLUMN, ABOUT_ROW, LIST_WIDTH, PLAIN, game.about);
        page.put(LIST_COLUMN, row + 1, WHITE, "Keys:");
        page.paragraph(LIST_COLUMN + 6, row + 1, LIST_WIDTH - 6, PLAIN, game.keys);
    }
    page.put(LIST_COLUMN, 22, BRIGHT, "↑ ↓ Enter");
    page.put(LIST_COLUMN + 10, 22, PLAIN, "or a number plays,");
    page.put(LIST_COLUMN + 30, 22, BRIGHT, "Esc");
    page.put(LIST_COLUMN + 34, 22, PLAIN, "or q leaves;");
    page.put(LIST_COLUMN + 48, 22, BRIGHT, "F1");
    page.put(LIST_COLUMN + 51, 22, PLAIN, "in a game: oxbox's keys");
    page
}

/// A game's line, as wide as the list.
fn entry(number: usize, game: &Game) -> String {
    format!(" {number}  {:<33} {:<28} {:>4} ", game.title, game.author, game.year)
}

/// What a key does in a menu of `count` games of which `chosen` is marked.
pub(crate) fn choose(key: Key, chosen: usize, count: usize) -> Choice {
    let last = count.saturating_sub(1);
    match key.to_string().to_ascii_uppercase().as_str() {
        "UP" | "K" => Choice::Line(chosen.checked_sub(1).unwrap_or(last)),
        "DOWN" | "J" | "TAB" => Choice::Line(if chosen >= last { 0 } else { chosen + 1 }),
        "HOME" => Choice::Line(0),
        "END" => Choice::Line(last),
        "ENTER" | "KPENTER" | "SP" => Choice::Play(chosen),
        "ESC" | "Q" => Choice::Leave,
        digit => match digit.parse::<usize>() {
            Ok(number) if (1..=count).contains(&number) => Choice::Play(number - 1),
            _ => Choice::Line(chosen),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxbox::games::GAMES;

    #[test]
    fn every_game_fits_its_line() {
        for game in GAMES {
            assert_eq!(entry(1, game).chars().count(), LIST_WIDTH, "{}", game.name);
        }
    }

    #[test]
    fn keys_move_and_choose() {
        let table = [
            ("DOWN", 0, Choice::Line(1)),
            ("DOWN", 4, Choice::Line(0)),
            ("UP", 0, Choice::Line(4)),
            ("UP", 3, Choice::Line(2)),
            ("END", 0, Choice::Line(4)),
            ("ENTER", 2, Choice::Play(2)),
            ("5", 0, Choice::Play(4)),
            ("6", 1, Choice::Line(1)),
            ("0", 1, Choice::Line(1)),
            ("ESC", 1, Choice::Leave),
            ("q", 1, Choice::Leave),
            ("x", 1, Choice::Line(1)),
        ];
        for (key, chosen, choice) in table {
            assert_eq!(choose(key.parse().unwrap(), chosen, 5), choice, "{key} at {chosen}");
        }
        assert_eq!(choose("DOWN".parse().unwrap(), 0, 0), Choice::Line(0));
    }
}
