//! The referee with small tic-tac-toe programs: correct ones in different styles, and ones with one
//! bug each.
#![cfg(feature = "assembler")]

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

/// Returns the referee's report on a game of `games`; `more` are options that shorten the search.
fn report(game: &str, more: &[&str]) -> Value {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/referee/games").join(game).with_extension("asm");
    let mut command = Command::cargo_bin("oxbox").expect("oxbox");
    let output = command.arg("referee").arg(path).args(["--json"]).args(more).output().expect("a run");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{game}: {error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Returns the rules with a verdict, with their keys.
fn with_verdict(report: &Value, verdict: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let rules = report["rules"].as_array().into_iter().flatten();
    let rules = rules.filter(|rule| rule["verdict"] == verdict);
    rules.map(|rule| (text(&rule["rule"]), text(&rule["keys"]))).collect()
}

fn assert_right(game: &str, more: &[&str]) {
    let report = report(game, more);
    assert_eq!(report["not_understood"], Value::Null, "{game}");
    assert_eq!(with_verdict(&report, "broken"), [], "{game}");
    let judged = with_verdict(&report, "holds").len() + with_verdict(&report, "bounded").len();
    assert!(judged >= 5, "{game}: {report:#}");
}

/// Checks the rule that a seeded bug breaks, by a word of it, and the shortest keys.
fn assert_broken(game: &str, word: &str, keys: &str, more: &[&str]) {
    let report = report(game, more);
    let broken = with_verdict(&report, "broken");
    assert!(broken.iter().any(|(rule, found)| rule.contains(word) && found == keys), "{game}: {broken:?}");
}

#[test]
fn a_computer_is_judged_and_its_play_too() {
    let report = report("right_computer", &[]);
    assert_eq!(with_verdict(&report, "broken"), []);
    assert_eq!(report["learned"]["players"], 1);
    assert_eq!(report["play"]["shortest"], "1 3 2");
    assert_eq!((&report["complete"], &report["exact"]), (&Value::Bool(true), &Value::Bool(true)));
}

#[test]
fn a_crash_and_a_full_board_that_is_called_a_win() {
    let short = ["--opening", "1 2 3 4 5", "--states", "600"];
    assert_broken("broken_draw_wins", "full board", "1 2 3 4 5 7 6 9 8", &short);
    assert_broken("broken_crash", "crashes", "1 1", &["--states", "100"]);
    assert_right("right_text", &short);
}

/// Every game, over all states that its keys can reach.
#[test]
#[ignore = "takes ten minutes without optimisation"]
fn all_games() {
    for game in RIGHT {
        assert_right(game, &[]);
    }
    for (game, word, keys) in BROKEN {
        assert_broken(game, word, keys, &[]);
    }
}

const RIGHT: [&str; 12] = [
    "right_text",
    "right_keypad",
    "right_words",
    "right_wide_rows",
    "right_lines",
    "right_row_column",
    "right_cursor",
    "right_bios",
    "right_two_arrays",
    "right_bit_boards",
    "right_computer",
    "right_computer_begins",
];

/// Games with a bug, a word of the rule that it breaks, and the shortest keys.
const BROKEN: [(&str, &str, &str); 12] = [
    ("broken_overwrite", "taken square", "1 1"),
    ("broken_fall", "taken square", "1 1"),
    ("broken_lose_turn", "turns alternate", "1 1 2"),
    ("broken_two_replies", "turns alternate", "9"),
    ("broken_wrong_player", "to the right player", "1 2 4 3 7"),
    ("broken_diagonal", "nothing goes on", "3 1 5 2 7 4"),
    ("broken_go_on", "nothing goes on", "1 2 4 3 7 5"),
    ("broken_draw_wins", "full board", "1 2 3 4 5 7 6 9 8"),
    ("broken_early_draw", "full board", "1 2 3 4 5 6 8 7"),
    ("broken_dirty", "new game", "1 2 4 3 7 1"),
    ("broken_crash", "crashes", "1 1"),
    ("broken_hang", "crashes", "1 1"),
];
