//! The page of slots, for saving or loading a state.
//!
//! The effect of a key is a function of the page and the key; the session saves and loads.

use std::time::{SystemTime, UNIX_EPOCH};

use super::page::{BRIGHT, CHOSEN, PLAIN, Page, WHITE};
use super::session::commands::clock;
use super::session::slots::SLOTS;
use oxbox::machine::{Key, SavedState};

/// Slots per row.
const ACROSS: usize = 5;
/// Columns and rows of a slot, and of the picture in it.
const CELL: (usize, usize) = (15, 10);
const PICTURE: (usize, usize) = (13, 6);
const FIRST: (usize, usize) = (3, 3);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Save,
    Load,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The selection may have changed.
    Stay,
    Slot(usize),
    Leave,
}

#[derive(Debug)]
pub(crate) struct Slots {
    pub(crate) purpose: Purpose,
    chosen: usize,
    contents: Vec<Option<Result<SavedState, String>>>,
}

impl Slots {
    /// Returns the page for these slots, with the most recently used one selected.
    pub(crate) fn new(purpose: Purpose, contents: Vec<Option<Result<SavedState, String>>>) -> Slots {
        let saved_at = |slot: &Option<Result<SavedState, String>>| match slot {
            Some(Ok(state)) => state.saved_at,
            _ => 0,
        };
        let latest = (0..contents.len()).rev().max_by_key(|&slot| contents.get(slot).map_or(0, saved_at));
        Slots { purpose, chosen: latest.unwrap_or(0), contents }
    }

    pub(crate) fn key(&mut self, key: Key) -> Choice {
        let step = |by: usize| (self.chosen + by) % SLOTS;
        self.chosen = match key.to_string().to_ascii_uppercase().as_str() {
            "LEFT" => step(SLOTS - 1),
            "RIGHT" | "TAB" => step(1),
            "UP" | "DOWN" => step(ACROSS),
            "ENTER" | "KPENTER" | "SP" => return Choice::Slot(self.chosen),
            "ESC" | "F1" => return Choice::Leave,
            other => match other.parse::<usize>() {
                Ok(slot) if slot < SLOTS => return Choice::Slot(slot),
                _ => self.chosen,
            },
        };
        Choice::Stay
    }

    pub(crate) fn page(&self) -> Page {
        let title = match self.purpose {
            Purpose::Save => "save the state in which slot?",
            Purpose::Load => "load the state of which slot?",
        };
        let mut page = Page::new(title);
        for (slot, contents) in self.contents.iter().enumerate() {
            let (column, row) = (FIRST.0 + slot % ACROSS * CELL.0, FIRST.1 + slot / ACROSS * CELL.1);
            let attribute = if slot == self.chosen { CHOSEN } else { PLAIN };
            page.put(column, row, attribute, &format!(" {slot:<w$}", w = PICTURE.0 - 1));
            if slot != self.chosen {
                page.put(column + 1, row, BRIGHT, &slot.to_string());
            }
            let line = |text: &str| text.chars().take(PICTURE.0).collect::<String>();
            match contents {
                None => page.put(column, row + 3, PLAIN, "    (empty)"),
                Some(Ok(state)) => {
                    page.picture((column, row + 1), PICTURE, state.thumbnail());
                    page.put(
                        column,
                        row + PICTURE.1 + 1,
                        WHITE,
                        &line(&format!("at {}", clock(state.nanoseconds))),
                    );
                    page.put(
                        column,
                        row + PICTURE.1 + 2,
                        PLAIN,
                        &line(&ago(state.saved_at, SystemTime::now())),
                    );
                }
                Some(Err(_)) => page.put(column, row + 3, PLAIN, "(unreadable)"),
            }
        }
        if let Some(Some(Err(why))) = self.contents.get(self.chosen) {
            page.paragraph(FIRST.0, 22, 74, WHITE, why);
        } else {
            page.put(FIRST.0, 23, BRIGHT, "0-9");
            page.put(FIRST.0 + 4, 23, PLAIN, "or arrows and Enter;");
            page.put(FIRST.0 + 25, 23, BRIGHT, "Esc");
            page.put(FIRST.0 + 29, 23, PLAIN, "goes back to the program");
        }
        page
    }
}

/// Returns the age of a time given in seconds since 1970, as text.
fn ago(moment: u64, now: SystemTime) -> String {
    let now = now.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    if moment == 0 {
        return String::new();
    }
    match now.saturating_sub(moment) {
        0..60 => "just now".to_owned(),
        seconds @ 60..3600 => format!("{} min ago", seconds / 60),
        seconds @ 3600..86_400 => format!("{} h ago", seconds / 3600),
        seconds => format!("{} days ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn keys_mark_and_choose() {
        let table = [
            ("RIGHT", 1, Choice::Stay),
            ("LEFT", 9, Choice::Stay),
            ("DOWN", 5, Choice::Stay),
            ("UP", 5, Choice::Stay),
            ("7", 0, Choice::Slot(7)),
            ("ENTER", 0, Choice::Slot(0)),
            ("ESC", 0, Choice::Leave),
            ("x", 0, Choice::Stay),
        ];
        for (key, chosen, choice) in table {
            let mut slots = Slots::new(Purpose::Save, vec![None; SLOTS]);
            assert_eq!(slots.key(key.parse().unwrap()), choice, "{key}");
            assert_eq!(slots.chosen, chosen, "{key}");
        }
    }

    #[test]
    fn times_are_told_as_people_do() {
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let table = [(0, ""), (1, "just now"), (60, "1 min ago"), (7300, "2 h ago"), (200_000, "2 days ago")];
        for (before, expected) in table {
            let moment = if before == 0 { 0 } else { 1_000_000_000 - before };
            assert_eq!(ago(moment, now), expected);
        }
    }
}
