//! The table of games against the arena, and the search over the games' own twins.

use super::*;
use eecs2100::Eecs2100;
use oxbox_proof::engine::arena::Score;
use oxbox_proof::engine::{Engine, Mark, Outcome, census};
use oxo::Oxo;

#[test]
fn the_table() {
    let table = arena();
    let text: Vec<String> = table
        .matches
        .iter()
        .filter_map(|m| {
            m.score.map(|s| format!("{} - {}: {} {} {}", m.first, m.second, s.wins, s.draws, s.losses))
        })
        .collect();
    let expected = [
        "grid18 - ttt1: 20 111 366",
        "grid18 - eecs2100: 14 125 334",
        "grid18 - chip: 0 183 498",
        "grid18 - course: 367 181 177",
        "oxo - ttt1: 0 1 0",
        "oxo - eecs2100: 1 0 0",
        "oxo - grid18: 72 4 0",
        "oxo - chip: 0 1 0",
        "oxo - course: 1 0 0",
        "chip - ttt1: 2 6 0",
        "chip - eecs2100: 1 7 0",
        "chip - grid18: 1168 106 0",
        "chip - chip: 0 8 0",
        "chip - course: 8 0 0",
    ];
    assert_eq!(text, expected);
    let chip = table.totals.iter().find(|total| total.player == "chip").unwrap().score;
    // 0 183 498 and 0 1 0 from the other side, 2 6 0, 1 7 0, 1168 106 0 and 8 0 0 from its own.
    assert_eq!(chip, Score { wins: 498 + 2 + 1 + 1168 + 8, draws: 183 + 1 + 6 + 7 + 106, losses: 0 });
}

/// A match between people and a program that plays one side is the program's own tree.
#[test]
fn people_against_a_program_play_its_tree() {
    fn tree(game: &impl Engine) -> Score {
        let census = census(game);
        let count = |outcome| census.count(outcome);
        Score {
            wins: count(Outcome::Win(Mark::X)),
            draws: count(Outcome::Draw),
            losses: count(Outcome::Win(Mark::O)),
        }
    }
    let table = arena();
    let score = |first, second| {
        table.matches.iter().find(|m| m.first == first && m.second == second).unwrap().score.unwrap()
    };
    assert_eq!(score("grid18", "eecs2100"), tree(&Eecs2100::new()));
    assert_eq!(score("oxo", "grid18"), tree(&Oxo::new()));
}
