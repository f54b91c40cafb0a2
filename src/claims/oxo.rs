//! OXO: the listing as printed, and the statements of its text about the strategy.

use super::execute::{every_line, execute};
use super::{Claim, Finding, Shown, Verdict};
use crate::games::oxo::{Oxo, OxoTwin};
use oxbox_proof::engine::board::{RING, ring_index};
use oxbox_proof::engine::{Board, Engine, Mark, Move, Outcome};
use std::collections::BTreeSet;

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "oxo-numbers",
        system: "oxo",
        claim: "opposite squares differ by 4, diagonal ones by 2",
        place: "text, on the numbering",
        shown: Shown::Modelled,
        command: "oxbox play oxo --headless --keys 1 --text -",
        check: numbers,
    },
    Claim {
        name: "oxo-first-answer",
        system: "oxo",
        claim: "the first answer is the human's place plus one",
        place: "text, on the strategy",
        shown: Shown::Executed,
        command: "oxbox play oxo --headless --keys 1 --text -",
        check: first_answer,
    },
    Claim {
        name: "oxo-listing",
        system: "oxo",
        claim: "if it is not blocked, the computer plays the opposite side and wins",
        place: "text, against the printed listing",
        shown: Shown::Modelled,
        command: "oxbox model oxo-printed --keys \"2 7 4\"",
        check: listing,
    },
    Claim {
        name: "oxo-edge",
        system: "oxo",
        claim: "the human began on an edge: one step back wins",
        place: "text, on the strategy",
        shown: Shown::Executed,
        command: "oxbox play oxo --headless --keys \"2 7 8\" --text -",
        check: edge,
    },
    Claim {
        name: "oxo-dual",
        system: "oxo",
        claim: "the human began on an edge: the computer's second move makes two threats at once",
        place: "text, on the strategy",
        shown: Shown::Modelled,
        command: "oxbox play oxo --headless --keys \"2 7\" --text -",
        check: dual,
    },
    Claim {
        name: "oxo-corner",
        system: "oxo",
        claim: "the human began on a corner: the fourth move is two back, and the game is a draw",
        place: "text, on the strategy",
        shown: Shown::Executed,
        command: "oxbox play oxo --headless --keys \"1 6 8 4\" --text -",
        check: corner,
    },
    Claim {
        name: "oxo-keys",
        system: "oxo",
        claim: "keys 1 to 8 are taken",
        place: "text, against the printed listing",
        shown: Shown::Read,
        command: "oxbox play oxo --headless --keys 9 --text -",
        check: keys,
    },
    Claim {
        name: "oxo-table",
        system: "oxo",
        claim: "the last entry of the table before the turn is reached",
        place: "printed listing, the table",
        shown: Shown::Modelled,
        command: "oxbox model oxo",
        check: table,
    },
    Claim {
        name: "oxo-size",
        system: "oxo",
        claim: "9 lines, 554 bytes, 5 screens",
        place: "text",
        shown: Shown::Read,
        command: "oxbox claims oxo-size",
        check: size,
    },
    Claim {
        name: "oxo-never-loses",
        system: "oxo",
        claim: "the computer cannot lose",
        place: "text",
        shown: Shown::Executed,
        command: "oxbox verify oxo",
        check: never_loses,
    },
    Claim {
        name: "oxo-compiles",
        system: "oxo",
        claim: "the listing as printed",
        place: "printed listing",
        shown: Shown::Read,
        command: "oxbox claims oxo-compiles",
        check: compiles,
    },
];

fn digits(keys: &[u8]) -> String {
    keys.iter().map(|&key| char::from(key).to_string()).collect::<Vec<_>>().join(" ")
}

/// Returns the digit of a cell of the edge, 1 to 8.
fn digit(cell: Move) -> u8 {
    b'1' + ring_index(cell) as u8
}

/// Returns the steps around the edge from one cell to another, 0 to 7.
fn steps(from: Move, to: Move) -> usize {
    (ring_index(to) + 8 - ring_index(from)) % 8
}

/// Returns the cell that the computer took last.
fn last(before: Board, after: Board) -> Option<Move> {
    before.free().find(|&cell| after.get(cell) == Some(Mark::X))
}

fn numbers() -> Finding {
    // Two cells of the edge are opposite if the centre is between them. Two consecutive cells of
    // the same kind, corners or edges, are on a diagonal.
    let opposite = |a: usize, b: usize| RING[a].x() + RING[b].x() == 2 && RING[a].y() + RING[b].y() == 2;
    let pairs = || (0..8).flat_map(|a| (0..a).map(move |b| (b, a)));
    let opposites: Vec<usize> = pairs().filter(|&(a, b)| opposite(a, b)).map(|(a, b)| b - a).collect();
    let four = opposites.iter().filter(|&&difference| difference == 4).count();
    let diagonal =
        |a: usize, b: usize| RING[a].x().abs_diff(RING[b].x()) == 1 && RING[a].y().abs_diff(RING[b].y()) == 1;
    let diagonals: Vec<usize> = pairs().filter(|&(a, b)| diagonal(a, b)).map(|(a, b)| b - a).collect();
    let two = diagonals.iter().filter(|&&difference| difference == 2).count();
    let wrapped = diagonals.iter().filter(|&&difference| difference == 6).count();
    Finding::new(
        Verdict::of(four == opposites.len() && two + wrapped == diagonals.len()),
        format!(
            "{four} of {} opposite pairs differ by 4; {two} of {} diagonal pairs differ by 2, {wrapped} by 6, which is 2 \
             around the edge",
            opposites.len(),
            diagonals.len()
        ),
    )
}

fn first_answer() -> Finding {
    let mut right = 0;
    let mut details = Vec::new();
    for &first in &RING[..8] {
        let mut game = Oxo::new();
        let before = game.board();
        game.play(first);
        let executed = execute("oxo", &mut OxoTwin::new(), &[digit(first)]);
        let answer = last(before, game.board());
        right += usize::from(executed == Ok(None) && answer.is_some_and(|answer| steps(first, answer) == 1));
        let said = answer.map_or("none".to_owned(), |answer| char::from(digit(answer)).to_string());
        details.push(format!("after {}: {said}", char::from(digit(first))));
    }
    Finding::new(Verdict::share(right, 8), format!("after {right} of 8 first moves")).with(details)
}

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
    let figure = format!(
        "the listing leaves out WRAP there: a stone outside the board in {} of {lines} lines of play{example}",
        outside.len()
    );
    Finding::new(Verdict::of(outside.is_empty()), figure).with(outside)
}

/// A game in which the human always blocks: the keys, the boards after each, and the outcome.
struct Blocked {
    keys: Vec<u8>,
    boards: Vec<Board>,
    steps: Vec<usize>,
    outcome: Option<Outcome>,
}

fn blocked(first: Move) -> Blocked {
    let mut game = Oxo::new();
    let mut played =
        Blocked { keys: Vec::new(), boards: vec![game.board()], steps: Vec::new(), outcome: None };
    let mut cell = Some(first);
    let mut computer: Option<Move> = None;
    while let Some(human) = cell {
        let before = game.board();
        game.play(human);
        played.keys.push(digit(human));
        if let Some(answer) = last(before, game.board()) {
            played.steps.push(steps(computer.unwrap_or(human), answer));
            computer = Some(answer);
        }
        played.boards.push(game.board());
        played.outcome = game.outcome();
        let threats = threats(game.board(), Mark::X);
        // Of two threats the one opposite the computer's last cell: it completes any other itself.
        let opposite = threats.iter().find(|&&threat| computer.is_some_and(|last| steps(last, threat) == 4));
        cell = opposite.or(threats.first()).copied().filter(|_| played.outcome.is_none());
    }
    played
}

fn edge() -> Finding {
    let mut right = 0;
    let mut details = Vec::new();
    for &first in RING[..8].iter().skip(1).step_by(2) {
        let game = blocked(first);
        let executed = execute("oxo", &mut OxoTwin::new(), &game.keys);
        let back = game.steps.last() == Some(&7);
        right += usize::from(back && executed == Ok(Some(Outcome::Win(Mark::X))));
        details.push(format!(
            "{}: {}, steps {:?}",
            digits(&game.keys),
            game.boards[game.boards.len() - 1],
            game.steps
        ));
    }
    Finding::new(Verdict::share(right, 4), format!("for {right} of 4 edges, the human blocking each time"))
        .with(details)
}

fn corner() -> Finding {
    let mut right = 0;
    let mut details = Vec::new();
    for &first in RING[..8].iter().step_by(2) {
        let game = blocked(first);
        let executed = execute("oxo", &mut OxoTwin::new(), &game.keys);
        let back = game.steps.len() == 4 && game.steps[3] == 6;
        right += usize::from(back && executed == Ok(Some(Outcome::Draw)));
        details.push(format!(
            "{}: {}, steps {:?}",
            digits(&game.keys),
            game.boards[game.boards.len() - 1],
            game.steps
        ));
    }
    Finding::new(Verdict::share(right, 4), format!("for {right} of 4 corners, the human blocking each time"))
        .with(details)
}

fn dual() -> Finding {
    let mut duals = 0;
    let mut details = Vec::new();
    for &first in RING[..8].iter().skip(1).step_by(2) {
        let board = blocked(first).boards[2];
        let open = threats(board, Mark::X).len();
        duals += usize::from(open == 2);
        details.push(format!("{}, blocked: {open} open two-in-a-row, {board}", char::from(digit(first))));
    }
    Finding::new(Verdict::share(duals, 4), format!("for {duals} of 4 edges")).with(details)
}

/// Returns the cells where a stone would complete a row of `mark`.
fn threats(board: Board, mark: Mark) -> Vec<Move> {
    let completes = |cell: &Move| {
        let mut next = board;
        next.place(*cell, mark);
        next.has_row(mark)
    };
    board.free().filter(completes).collect()
}

fn keys() -> Finding {
    /// The range of codes that the listing accepts.
    const FILTER: std::ops::RangeInclusive<u8> = 49..=57;
    let taken = FILTER.filter(|&key| usize::from(key - b'1') < 8).count();
    let without: Vec<String> =
        FILTER.filter(|&key| usize::from(key - b'1') >= 8).map(|key| char::from(key).to_string()).collect();
    let ours = execute("oxo", &mut OxoTwin::new(), b"9");
    let ignored = ours == Ok(None);
    Finding::new(
        Verdict::of(without.is_empty()),
        format!(
            "the filter is {} to {}: {taken} cells and {}, which has none; ours {} it",
            FILTER.start(),
            FILTER.end(),
            without.join(", "),
            if ignored { "ignores" } else { "does not ignore" }
        ),
    )
}

fn table() -> Finding {
    fn walk(game: Oxo, reached: &mut BTreeSet<usize>) {
        reached.extend(game.entry());
        for cell in game.moves() {
            let mut next = game;
            next.play(cell);
            walk(next, reached);
        }
    }
    let mut reached = BTreeSet::new();
    walk(Oxo::new(), &mut reached);
    let table = Oxo::table();
    let never: Vec<String> = (0..table.len())
        .filter(|index| !reached.contains(index))
        .map(|index| format!("index {index} (the value {})", table[index]))
        .collect();
    Finding::new(
        Verdict::of(never.is_empty()),
        format!("{} of {} entries are reached; {} never is", reached.len(), table.len(), never.join(", ")),
    )
    .with([format!("the table: {table:?}, entries 0 to 3 after an edge, 4 to 7 after a corner")])
}

fn size() -> Finding {
    Finding::new(
        Verdict::Open,
        "cannot be checked without the machine: the bytes depend on its Forth, the screens on its editor",
    )
}

fn never_loses() -> Finding {
    match every_line("oxo") {
        Err(what) => Finding::new(Verdict::Fails, what),
        Ok(report) => {
            let lines = |label: &str| report.outcomes.get(label).copied().unwrap_or(0);
            Finding::new(
                Verdict::of(lines("user") == 0),
                format!(
                    "of {} lines {} are won, {} drawn, {} lost",
                    report.lines,
                    lines("computer"),
                    lines("draw"),
                    lines("user")
                ),
            )
        }
    }
}

fn compiles() -> Finding {
    /// Words of the listing as defined and as used, where these differ.
    const WORDS: [(&str, &str, &str); 2] = [
        (". Board", ".brd", "the definition has a blank within the name, and the call uses a different name"),
        ("( val", "(val", "no blank follows the comment's bracket, so Forth looks it up as a word"),
    ];
    Finding::new(
        Verdict::of(WORDS.is_empty()),
        format!(
            "{} words prevent its compilation; with both corrected, a standard Forth runs it",
            WORDS.len()
        ),
    )
    .with(WORDS.map(|(meant, printed, why)| format!("{meant} and {printed}: {why}")))
}
