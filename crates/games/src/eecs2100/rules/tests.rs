//! Compares the rules with the figures measured on the original, and with the list of losing lines.

use super::*;
use oxbox_proof::engine::census;

const CHOICES: &str = include_str!("../../../tests/goldens/eecs2100/choices.txt");
const GAMES: &str = include_str!("../../../tests/goldens/eecs2100/games.txt");

/// Returns the words of each line of a table of figures. Lines that start with `#` are comments.
pub(in crate::eecs2100) fn rows<const N: usize>(table: &str) -> Vec<[&str; N]> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(' ').collect::<Vec<_>>().try_into().expect(line)).collect()
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
fn choices_equal_the_measured_ones() {
    let rows = rows(CHOICES);
    assert_eq!(rows.len(), 2097);
    for [board, index, stage] in rows {
        let (found, found_stage) = choose(&cells(board)).unwrap();
        assert_eq!(found.to_string(), index, "{board}");
        assert_eq!(format!("{found_stage:?}").to_lowercase(), stage, "{board}");
    }
    assert_eq!(choose(&cells("xoxoxoxox")), None);
}

/// Plays keypad digits. Returns `5 (8) 1 (9) ...` and the outcome.
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
    let rows = rows(GAMES);
    assert_eq!(rows.len(), 473);
    for [keys, computer, winner] in rows {
        let (line, outcome) = play(keys);
        let replies: String = line.split(['(', ')']).skip(1).step_by(2).collect();
        assert_eq!(replies, computer, "{keys}");
        assert_eq!(outcome.map(|outcome| outcome.label(Eecs2100::COMPUTER)), Some(winner), "{keys}");
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

/// Tests the lines in which the user wins.
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
