//! OXO: the listing as printed, and what its text says of the second move.

use super::{Claim, Finding, Verdict};
use crate::engine::board::{RING, ring_index};
use crate::engine::{Board, Engine, Mark, Move};
use crate::games::oxo::Oxo;

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "oxo-listing",
        system: "oxo",
        claim: "if it is not blocked, the computer plays the opposite side and wins",
        place: "text, against the printed listing",
        command: "oxbox claims oxo-listing",
        check: listing,
    },
    Claim {
        name: "oxo-dual",
        system: "oxo",
        claim: "the computer's second move always creates a dual two-in-a-row",
        place: "text, on the strategy",
        command: "oxbox claims oxo-dual",
        check: dual,
    },
];

fn listing() -> Finding {
    fn walk(game: Oxo, keys: &str, outside: &mut Vec<String>, lines: &mut usize) {
        *lines += usize::from(game.outcome().is_some());
        if let Some(cell) = game.outside() {
            outside.push(format!("{keys}: a stone on cell {cell}"));
        }
        for cell in game.moves() {
            let mut next = game;
            next.play(cell);
            walk(next, format!("{keys} {}", ring_index(cell) + 1).trim_start(), outside, lines);
        }
    }
    let (mut outside, mut lines) = (Vec::new(), 0);
    walk(Oxo::as_printed(), "", &mut outside, &mut lines);
    let opposite = |line: &String| line.starts_with("2 7 4:");
    let example = if outside.iter().any(opposite) { ", 2 7 4 among them" } else { "" };
    Finding {
        verdict: Verdict::of(outside.is_empty()),
        figure: format!(
            "the listing leaves out WRAP there: a stone outside the board in {} of {lines} lines of play{example}",
            outside.len()
        ),
        details: outside,
    }
}

/// Cells where a stone would complete a row of `mark`.
fn threats(board: Board, mark: Mark) -> Vec<Move> {
    let completes = |cell: &Move| {
        let mut next = board;
        next.place(*cell, mark);
        next.has_row(mark)
    };
    board.free().filter(completes).collect()
}

fn dual() -> Finding {
    let mut duals = [0, 0];
    let mut details = Vec::new();
    for (index, &first) in RING[..8].iter().enumerate() {
        let mut game = Oxo::new();
        game.play(first);
        for block in threats(game.board(), Mark::X) {
            game.play(block);
        }
        let open = threats(game.board(), Mark::X).len();
        duals[index % 2] += usize::from(open == 2);
        let kind = ["corner", "edge"][index % 2];
        details.push(format!("{} ({kind}), blocked: {open} open two-in-a-row, {}", index + 1, game.board()));
    }
    let [corners, edges] = duals;
    Finding {
        verdict: match corners + edges {
            8 => Verdict::Holds,
            0 => Verdict::Fails,
            _ => Verdict::InPart,
        },
        figure: format!("after {edges} of 4 edges and {corners} of 4 corners as the user's first move"),
        details,
    }
}
