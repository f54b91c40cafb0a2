//! Compares the chip with its published simulation, with the recursive search, and over every line
//! of play.

use super::model::{Chip, Inputs};
use super::search::{Cuts, search};
use super::trace::{CLOCK_NS, HEADER, Row, SIMULATION, Step, Stimulus, Trace};
use super::{ChipGame, vcd};
use oxbox_proof::engine::{Engine, Mark, Move, Outcome, census};

/// Columns that are missing in the published simulation.
const OTHER_OUTPUTS: &str = ",fin,win,prompt";

/// Tests every row and column of the published simulation with its input columns.
#[test]
fn the_published_simulation() {
    let rows: Vec<Vec<&str>> = SIMULATION.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 50);
    assert_eq!(SIMULATION.lines().next(), HEADER.strip_suffix(OTHER_OUTPUTS));
    let mut chip = Chip::new();
    for (n, row) in rows.iter().enumerate() {
        let pi = row[2] == "1";
        let next_pi = rows.get(n + 1).is_some_and(|next| next[2] == "1");
        let key = row[3].parse().ok().and_then(Move::new);
        let inputs = Inputs { reset_n: row[1] == "1", pi, next_pi, key, chip_begins: false };
        let outputs = chip.clock(inputs);
        let found = Row { time_ns: (n as u64 + 1) * CLOCK_NS, inputs, outputs };
        assert_eq!(published(&found.to_string()), row.join(","));
    }
}

fn published(row: &str) -> String {
    let columns: Vec<&str> = row.split(',').collect();
    columns[..columns.len() - OTHER_OUTPUTS.matches(',').count()].join(",")
}

/// Tests the same game as a script, including the user's pauses.
#[test]
fn a_script_gives_the_published_rows() {
    let rows: Vec<String> = Trace::new(Stimulus::simulation()).map(|row| row.to_string()).collect();
    let golden: Vec<&str> = SIMULATION.lines().skip(1).collect();
    assert_eq!(rows.iter().map(|row| published(row)).collect::<Vec<_>>(), golden);
    // The chip waits for a key seven times, and the game is a draw, which lasts three clocks.
    let count = |outputs: &str| rows.iter().filter(|row| row.ends_with(outputs)).count();
    assert_eq!((count(",0,0,1"), count(",1,0,0"), count(",0,0,0")), (7, 3, 40));
}

/// Tests the table. Keys after the end are left out, pauses are not.
#[test]
fn a_table_for_people() {
    let steps = [0, 8, 7, 3, 5].map(|n| Step::Key(Move::ALL[n]));
    let steps = steps.into_iter().chain([Step::Idle(0), Step::Idle(1)]).collect();
    let lines: Vec<String> =
        Trace::new(Stimulus { steps, ..Stimulus::default() }).map(|row| row.table_line()).collect();
    assert_eq!(lines[0], "        200       justreset      0      ... ... ...");
    assert_eq!(lines[1], "        400  0    waiting        0      ... ... ...             prompt");
    assert_eq!(lines[2], "        600       userjustmoved  0      +.. ... ...             copyboard");
    let last = &lines[lines.len() - 2..];
    assert!(last.iter().all(|line| line.ends_with("copyboard fin win")), "{last:?}");
}

fn every_opening() -> Vec<(String, ChipGame)> {
    let chip = (0..8).map(|counter| (format!("chip begins on {counter}"), ChipGame::chip_begins(counter)));
    [("user begins".to_owned(), ChipGame::user_begins())].into_iter().chain(chip).collect()
}

/// Tests every line of every opening: the chip never loses, and the measured figures hold. All but
/// one of the first answers take more than the 6,000 clocks of the report if the user starts, and
/// one if the chip does.
#[test]
fn every_line_of_every_opening() {
    // Lines, wins of the chip, maximum clocks per move.
    let measured = [
        ("user begins", 681, 498, 15007),
        ("chip begins on 0", 101, 99, 2192),
        ("chip begins on 1", 118, 104, 4402),
        ("chip begins on 2", 112, 107, 3858),
        ("chip begins on 3", 180, 161, 5060),
        ("chip begins on 4", 201, 194, 4077),
        ("chip begins on 5", 209, 186, 4544),
        ("chip begins on 6", 136, 131, 4281),
        ("chip begins on 7", 217, 186, 7303),
    ];
    let mut found = Vec::new();
    for (opening, game) in every_opening() {
        let census = census(&game);
        for (outcome, board) in &census.ends {
            assert!(!board.has_row(Mark::X), "{opening}: {board}");
            assert_eq!(*outcome == Outcome::Win(Mark::O), board.has_row(Mark::O), "{opening}: {board}");
        }
        let won = census.count(Outcome::Win(Mark::O));
        found.push((opening, census.ends.len(), won, worst_clocks(&game)));
    }
    for (found, measured) in found.iter().zip(measured) {
        assert_eq!((found.0.as_str(), found.1, found.2, found.3), measured);
    }
}

fn worst_clocks(game: &ChipGame) -> u32 {
    let moves = game.moves().into_iter().map(|cell| {
        let mut next = game.clone();
        next.play(cell);
        worst_clocks(&next)
    });
    moves.max().unwrap_or(0).max(game.clocks().0)
}

/// Tests that the model and the recursion, with and without pruning, choose the same move in every
/// reachable position.
#[test]
fn the_model_plays_the_search() {
    fn walk(game: &ChipGame, asked: &mut usize) {
        for cell in game.moves() {
            let mut board = game.board();
            board.place(cell, Mark::X);
            let mut next = game.clone();
            next.play(cell);
            let reply = board.free().find(|&place| next.board().get(place).is_some());
            *asked += usize::from(reply.is_some());
            assert_eq!(reply, search(board, Mark::O, Cuts::AlphaBeta).place, "{board}");
            assert_eq!(reply, search(board, Mark::O, Cuts::None).place, "{board}");
            walk(&next, asked);
        }
    }
    let mut asked = 0;
    for (_, game) in every_opening() {
        walk(&game, &mut asked);
    }
    assert_eq!(asked, 2688);
}

#[test]
fn a_waveform() {
    let script = Stimulus { steps: vec![Step::Key(Move::ALL[4])], ..Stimulus::default() };
    let text = vcd::write(Trace::new(script));
    let lines: Vec<&str> = text.lines().collect();
    let declared: Vec<&str> = lines
        .iter()
        .take_while(|line| !line.starts_with("$enddefinitions"))
        .filter(|line| ["$scope", "$upscope", "$timescale"].iter().any(|word| line.starts_with(word)))
        .copied()
        .collect();
    let parts = ["$scope module control $end", "$upscope $end", "$scope module stack $end", "$upscope $end"];
    let expected =
        [&["$timescale 1 ns $end", "$scope module chip $end"][..], &parts, &["$upscope $end"]].concat();
    assert_eq!(declared, expected);
    assert!(text.contains("$comment state: 0 waiting, 1 returned, 2 rating, 3 justreset, "), "{text}");
    assert!(lines.contains(&"$var wire 18 N led [17:0] $end"), "{text}");
    // The user's stone on the centre is bit 9.
    assert!(lines.contains(&"b000000001000000000 N"));
    let times: Vec<u64> = lines.iter().filter_map(|line| line.strip_prefix('#')?.parse().ok()).collect();
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
}
