//! TTT1: the worked example of its text, and its sixteen patterns.

use super::execute::execute;
use super::{Claim, Finding, Verdict};
use crate::engine::{Board, Engine, Mark, Move, Outcome};
use crate::games::ttt1::patterns::{Fate, Study, study};
use crate::games::ttt1::{Ttt1, Ttt1Twin};

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "ttt1-example",
        system: "ttt1",
        claim: "after 4, 7 and 6 the computer wins at the upper right",
        place: "text with the program, worked example",
        command: "oxbox play ttt1 --headless --keys \"4 7 6\" --text -",
        check: example,
    },
    Claim {
        name: "ttt1-patterns",
        system: "ttt1",
        claim: "sixteen patterns, each with the cell that the computer takes",
        place: "text with the program, drawings of the patterns",
        command: "oxbox claims ttt1-patterns",
        check: patterns,
    },
];

/// The cell that the computer takes last in a game of these moves, and the board then.
fn last_reply(moves: &[usize]) -> (Option<Move>, Board) {
    let (mut game, mut reply) = (Ttt1::new(), None);
    for cell in moves.iter().filter_map(|&cell| Move::new(cell)) {
        let before = game.board();
        game.play(cell);
        reply = before.free().find(|&other| game.board().get(other) == Some(Mark::O));
    }
    (reply, game.board())
}

fn example() -> Finding {
    let (reply, board) = last_reply(&[4, 7, 6]);
    let executed = execute("ttt1", Ttt1Twin::new(), b"476");
    let holds = executed == Ok(Some(Outcome::Win(Mark::O))) && reply == Move::new(2);
    let figure = match executed {
        Err(what) => what,
        Ok(_) => format!("executed: O takes {} and has its row: {board}", reply.map_or(9, Move::index)),
    };
    Finding { verdict: Verdict::of(holds), figure, details: Vec::new() }
}

fn patterns() -> Finding {
    let studies = study();
    let numbers = |which: fn(&Fate) -> bool| {
        let chosen: Vec<String> =
            studies.iter().filter(|study| which(&study.fate)).map(|study| study.number.to_string()).collect();
        (chosen.len(), chosen.join(", "))
    };
    let (drawn, _) = numbers(|fate| *fate == Fate::AsDrawn);
    let (elsewhere, where_else) = numbers(|fate| *fate == Fate::Elsewhere);
    let (dead, which_dead) = numbers(|fate| !matches!(fate, Fate::AsDrawn | Fate::Elsewhere));
    let mut details: Vec<String> = studies.iter().map(describe).collect();
    let (reply, board) = last_reply(&[0, 8]);
    details.push(match execute("ttt1", Ttt1Twin::new(), b"08") {
        Ok(_) => format!(
            "pattern 11 executed: after keys 0 8 O takes {}, where the first free cell would be 1: {board}",
            reply.map_or(9, Move::index)
        ),
        Err(what) => what,
    });
    Finding {
        verdict: if drawn == studies.len() { Verdict::Holds } else { Verdict::InPart },
        figure: format!(
            "{drawn} of {} play as drawn, {elsewhere} another cell ({where_else}), {dead} never ({which_dead})",
            studies.len()
        ),
        details,
    }
}

fn describe(study: &Study) -> String {
    let Study { number, drawn, executed, played, .. } = study;
    let fate = match study.fate {
        Fate::AsDrawn => "as drawn",
        Fate::Elsewhere => "another cell than drawn: its target is read from the wrong table",
        Fate::OwnStone => "never: its target has a cell that the pattern gives to X",
        Fate::Shadowed => "never: wherever it fits, one before it has fitted",
        Fate::Unreached => "never: no game comes to a board on which it would be the first to fit",
    };
    format!(
        "pattern {number:>2}: target drawn {drawn:02X}, executed {executed:02X}, played {played:>3} times, {fate}"
    )
}
