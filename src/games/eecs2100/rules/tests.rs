//! The twin against the figures measured on the original, and against its own table of lines that lose.
//!
//! The long tables lie outside the repository: where they are missing those tests say so and pass.

use super::*;
use crate::engine::census;

/// A file of the measured data, or a message and `None`.
pub(in crate::games::eecs2100) fn measured(name: &str) -> Option<serde_json::Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/eecs2100/").to_owned() + name;
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: {path} is not here");
        return None;
    };
    Some(serde_json::from_str(&text).unwrap())
}

fn cells(text: &str) -> Cells {
    let mut cells = Cells::default();
    for (cell, mark) in cells.iter_mut().zip(text.chars()) {
        *cell = match mark {
            'x' => USER,
            'o' => OWN,
            _ => None,
        };
    }
    cells
}

#[test]
fn choices_equal_the_measured_table() {
    let Some(table) = measured("ai_table.json") else { return };
    for (list, expected_rows) in [("reachable", 281), ("extended", 2097)] {
        let rows = table[list].as_array().unwrap();
        assert_eq!(rows.len(), expected_rows, "{list}");
        for row in rows {
            let board = row["board_index"].as_str().unwrap();
            let (index, stage) = choose(&cells(board)).unwrap();
            assert_eq!(index as u64, row["move_index"], "{list} {board:?}");
            assert_eq!(format!("{stage:?}").to_lowercase(), row["stage"], "{list} {board:?}");
        }
    }
}

/// Plays keypad digits; gives `5 (8) 1 (9) ...` and the outcome.
fn play(keys: &str) -> (String, Option<Outcome>) {
    let mut game = Eecs2100::new();
    let mut line = Vec::new();
    for key in keys.bytes() {
        let cell = Move::ALL.into_iter().find(|&cell| keypad(cell) == key).unwrap();
        let before = game.board();
        game.play(cell);
        line.push(char::from(key).to_string());
        let reply = before.free().find(|&c| c != cell && game.board().get(c).is_some());
        line.extend(reply.map(|c| format!("({})", char::from(keypad(c)))));
    }
    (line.join(" "), game.outcome())
}

#[test]
fn every_measured_game() {
    let Some(table) = measured("games.json") else { return };
    let games = table["games"].as_array().unwrap();
    assert_eq!(games.len(), 473);
    for row in games {
        let keys = row["human"].as_str().unwrap();
        let (line, outcome) = play(keys);
        let replies: String = line.split(['(', ')']).skip(1).step_by(2).collect();
        assert_eq!(replies, row["computer"].as_str().unwrap(), "{keys}");
        let expected = match row["outcome"].as_str().unwrap() {
            "computer" => Outcome::Win(Mark::O),
            "player" => Outcome::Win(Mark::X),
            _ => Outcome::Draw,
        };
        assert_eq!(outcome, Some(expected), "{keys}");
    }
}

#[test]
fn the_whole_tree() {
    let census = census(&Eecs2100::new());
    assert_eq!(census.positions, 277 + 473);
    assert_eq!(census.count(Outcome::Win(Mark::O)), 334);
    assert_eq!(census.count(Outcome::Draw), 125);
    assert_eq!(census.count(Outcome::Win(Mark::X)), 14);
    for (outcome, board) in &census.ends {
        for mark in [Mark::X, Mark::O] {
            assert_eq!(*outcome == Outcome::Win(mark), board.has_row(mark), "{board}");
        }
    }
}

/// The lines in which the user wins.
#[test]
fn the_fourteen_ways_to_win() {
    let lines = [
        "1 (5) 6 (7) 3 (2) 9",
        "3 (5) 8 (1) 9 (7) 6",
        "5 (8) 1 (9) 7 (4) 3",
        "5 (8) 3 (7) 9 (1) 6",
        "5 (8) 4 (6) 1 (7) 9",
        "5 (8) 4 (6) 7 (1) 3",
        "5 (8) 6 (4) 3 (7) 9",
        "5 (8) 6 (4) 9 (1) 3",
        "5 (8) 7 (3) 1 (4) 9",
        "5 (8) 7 (3) 4 (1) 6",
        "5 (8) 9 (1) 3 (7) 6",
        "5 (8) 9 (1) 6 (4) 3",
        "6 (5) 1 (7) 3 (2) 9",
        "8 (5) 3 (1) 9 (7) 6",
    ];
    for line in lines {
        let keys: String = line.split(' ').filter(|word| word.len() == 1).collect();
        assert_eq!(play(&keys), (line.to_owned(), Some(Outcome::Win(Mark::X))));
    }
}

/// Every reachable choice, as a line `board index stage`; the board in the program's order, `.` for an empty
/// cell.
fn reachable_choices() -> String {
    fn walk(cells: &Cells, found: &mut std::collections::BTreeSet<String>) {
        for index in (0..9).filter(|&index| cells[index].is_none()) {
            let mut next = *cells;
            next[index] = USER;
            let Some((reply, stage)) = choose(&next).filter(|_| !has_won(&next, Mark::X)) else { continue };
            let board: String =
                next.iter().map(|c| c.map_or('.', |m| if m == Mark::X { 'x' } else { 'o' })).collect();
            found.insert(format!("{board} {reply} {stage:?}\n"));
            next[reply] = OWN;
            if !has_won(&next, Mark::O) {
                walk(&next, found);
            }
        }
    }
    let mut found = std::collections::BTreeSet::new();
    walk(&Cells::default(), &mut found);
    found.into_iter().collect()
}

/// The 281 choices that the measured table confirmed, kept here for machines without it. `OXBOX_BLESS=1`
/// writes them anew.
#[test]
fn choices_equal_the_golden_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/goldens/eecs2100_choices.txt");
    let found = reachable_choices();
    if std::env::var_os("OXBOX_BLESS").is_some() {
        std::fs::write(path, &found).unwrap();
    }
    let golden = std::fs::read_to_string(path).unwrap();
    assert_eq!(golden.lines().count(), 281);
    for (found, golden) in found.lines().zip(golden.lines()) {
        assert_eq!(found, golden);
    }
    assert_eq!(found.len(), golden.len());
    assert_eq!(choose(&cells("xoxoxoxox")), None);
}

#[test]
fn the_win_test_misses_32_fillings_of_each_mark() {
    for mark in [Mark::X, Mark::O] {
        let mut missed = 0;
        for number in 0..19683usize {
            let filling: Cells =
                std::array::from_fn(|n| [None, USER, OWN][number / 3usize.pow(n as u32) % 3]);
            let truth = Board::from_cells(|cell| filling[ring_index(cell)]).has_row(mark);
            let found = has_won(&filling, mark);
            assert!(truth || !found, "false win in {filling:?}");
            missed += usize::from(truth && !found);
        }
        assert_eq!(missed, 32);
    }
}
