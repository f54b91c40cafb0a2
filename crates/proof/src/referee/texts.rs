//! Recognises texts that announce the end of a game.

use super::record::{Record, Step};
use crate::engine::{Board, Mark};
use std::collections::BTreeMap;

/// The result of a position: rows, or a full board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Standing {
    Open,
    Row(Mark),
    /// Rows of both marks.
    Rows,
    Draw,
}

/// Returns the result of a position.
pub(super) fn standing(board: Board) -> Standing {
    match (board.has_row(Mark::X), board.has_row(Mark::O)) {
        (true, true) => Standing::Rows,
        (true, false) => Standing::Row(Mark::X),
        (false, true) => Standing::Row(Mark::O),
        (false, false) if board.is_full() => Standing::Draw,
        (false, false) => Standing::Open,
    }
}

/// The meaning of an announcement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meaning {
    /// A win of this mark.
    Win(Mark),
    /// A win of an unspecified player.
    Row,
    /// A draw.
    Draw,
}

/// A text that announces an end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// The line, or a part of it.
    pub text: String,
    /// Its meaning.
    pub meaning: Meaning,
}

/// Words for a win, in the languages of known games.
const WIN: &[&str] = &[
    "win",
    "wins",
    "won",
    "winner",
    "winners",
    "winns",
    "victory",
    "congratulations",
    "congrats",
    "gana",
    "gano",
    "ganador",
    "ganaste",
    "ganhou",
    "vence",
    "venceu",
    "vencedor",
    "vincitore",
    "gagne",
    "gewinnt",
    "gewonnen",
    "lose",
    "lost",
    "loses",
    "menang",
    "kalah",
    "kazandi",
    "thang",
];

const DRAW: &[&str] = &[
    "draw",
    "drawn",
    "tie",
    "tied",
    "stalemate",
    "empate",
    "empatado",
    "empataron",
    "nobody",
    "unentschieden",
    "pareggio",
    "seri",
    "berabere",
    "hoa",
];

/// Returns whether the words of a line mean a win (true) or a draw (false).
pub(super) fn speaks_of_win(line: &str) -> Option<bool> {
    let line = line.to_lowercase();
    let words: Vec<&str> = line.split(|letter: char| !letter.is_alphabetic()).collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let is_denied = words.windows(2).any(|pair| matches!(pair, ["no", "winner" | "winners"] | ["no", "one"]));
    if has(DRAW) || is_denied {
        return Some(false);
    }
    has(WIN).then_some(true)
}

/// Returns the mark that a line names, if it names exactly one.
fn named(line: &str) -> Option<Mark> {
    let words: Vec<&str> = line.split(|letter: char| !letter.is_alphanumeric()).collect();
    let has = |names: [&str; 2]| words.iter().any(|word| names.contains(word));
    match (has(["X", "x"]), has(["O", "o"])) {
        (true, false) => Some(Mark::X),
        (false, true) => Some(Mark::O),
        _ => None,
    }
}

/// Finds the texts that announce ends: they contain words for a win or a draw, and occur with ends
/// more often than without.
pub(super) fn announcements(
    record: &Record,
    marks_are_letters: bool,
    told: &[Announcement],
) -> Vec<Announcement> {
    let mut counts: BTreeMap<&str, BTreeMap<Standing, usize>> = BTreeMap::new();
    let mut moves = 0;
    for step in &record.steps {
        let Some(outcome) = step.outcome else { continue };
        let is_end = !step.is_move() && step.outcome == Some(step.before);
        if is_end {
            continue;
        }
        moves += 1;
        let before = record.lines_at(step.from);
        for line in step.lines.iter().filter(|line| speaks_of_win(line).is_some() && !before.contains(line)) {
            *counts.entry(line).or_default().entry(standing(outcome)).or_default() += 1;
        }
    }
    // A text that occurs with rows of one mark names the winner only if a different text occurs
    // with those of the other mark.
    let rows_of = |standings: &BTreeMap<Standing, usize>, mark| {
        standings.get(&Standing::Row(mark)).copied().unwrap_or_default()
    };
    let is_of = |standings: &BTreeMap<Standing, usize>, mark: Mark| {
        rows_of(standings, mark) > 4 * rows_of(standings, mark.other())
    };
    let wins: Vec<_> = counts
        .iter()
        .filter(|(line, _)| speaks_of_win(line) == Some(true))
        .map(|(_, standings)| standings)
        .collect();
    let tells_players =
        [Mark::X, Mark::O].into_iter().all(|mark| wins.iter().any(|standings| is_of(standings, mark)));
    let mut found = told.to_vec();
    for (&line, standings) in &counts {
        if told.iter().any(|told| line.contains(&told.text)) {
            continue;
        }
        let count = |standing| standings.get(&standing).copied().unwrap_or_default();
        let (x, o) = (count(Standing::Row(Mark::X)), count(Standing::Row(Mark::O)));
        let (open, draw) = (count(Standing::Open), count(Standing::Draw));
        let all: usize = standings.values().sum();
        let by_name = named(line).filter(|&mark| {
            marks_are_letters && rows_of(standings, mark) >= rows_of(standings, mark.other())
        });
        let by_rows = [Mark::X, Mark::O].into_iter().find(|&mark| tells_players && is_of(standings, mark));
        let meaning = match speaks_of_win(line) {
            Some(true) if x + o >= 3 && open * 5 < all * 2 => {
                by_name.or(by_rows).map_or(Meaning::Row, Meaning::Win)
            }
            Some(false) if draw >= 1 && open * 5 < all * 3 => Meaning::Draw,
            // A draw that is always announced early never occurs with a full board.
            Some(false) if draw == 0 && all * 5 < moves => Meaning::Draw,
            _ => continue,
        };
        found.push(Announcement { text: line.to_owned(), meaning });
    }
    found
}

/// Returns the announcements in the new lines of a step.
pub(super) fn announced(record: &Record, step: &Step, known: &[Announcement]) -> Vec<Meaning> {
    let before = record.lines_at(step.from);
    let mut meanings: Vec<Meaning> = Vec::new();
    for line in step.lines.iter().filter(|line| !before.contains(line)) {
        meanings.extend(known.iter().filter(|known| line.contains(&known.text)).map(|known| known.meaning));
    }
    meanings.sort_unstable();
    meanings.dedup();
    meanings
}

/// Splits a screen or a line at wide gaps, frames and control characters into phrases with words.
pub(super) fn phrases(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let is_gap = |letter: char| {
        letter.is_control()
            || "|+_=*#<>[]\u{2022}".contains(letter)
            || ('\u{2500}'..='\u{259F}').contains(&letter)
    };
    for part in text.split(is_gap).flat_map(|part| part.split("  ")).flat_map(|part| part.split("--")) {
        let part = part.trim_matches(|letter: char| !letter.is_alphanumeric() && !"!?.".contains(letter));
        let is_told = speaks_of_win(part).is_some()
            || part.chars().filter(|letter| letter.is_alphabetic()).count() >= 3;
        if is_told && !found.iter().any(|known| known == part) {
            found.push(part.to_owned());
        }
    }
    found
}
