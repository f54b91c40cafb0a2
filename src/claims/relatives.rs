//! The two relatives of tic-tac-toe that the report on the chip names: who wins them.

use super::{Claim, Finding, Shown, Verdict, thousands};
use crate::games::relatives::solve::{Solution, Value};
use crate::games::relatives::{Position, READINGS, Reading};

const PLACE: &str = "report, which names it and leaves it open";

const COMMAND: &str = "oxbox relatives";

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "millwheel",
        system: "millwheel",
        claim: "who wins Arabian Millwheel?",
        place: PLACE,
        shown: Shown::Modelled,
        command: COMMAND,
        check: || answer(&READINGS[0]),
    },
    Claim {
        name: "achi-eight",
        system: "achi",
        claim: "who wins Achi, all eight neighbours adjacent?",
        place: PLACE,
        shown: Shown::Modelled,
        command: COMMAND,
        check: || answer(&READINGS[1]),
    },
    Claim {
        name: "achi-four",
        system: "achi",
        claim: "who wins Achi, four neighbours adjacent?",
        place: PLACE,
        shown: Shown::Modelled,
        command: COMMAND,
        check: || answer(&READINGS[2]),
    },
    Claim {
        name: "achi-lines",
        system: "achi",
        claim: "who wins Achi, along the lines of its board?",
        place: PLACE,
        shown: Shown::Modelled,
        command: COMMAND,
        check: || answer(&READINGS[3]),
    },
];

fn answer(reading: &Reading) -> Finding {
    let solution = Solution::new(reading.rules);
    let (all, classes) = (solution.count(), solution.count_up_to_symmetry());
    let who = match solution.value(&Position::start()) {
        Some(Value::Win(turns)) => format!("the first player, with turn {turns}"),
        Some(Value::Loss(turns)) => format!("the second player, with turn {turns}"),
        Some(Value::Draw) | None => "neither: with best play it never ends".to_owned(),
    };
    let figure = format!(
        "{who}; {} positions, {} up to symmetry",
        thousands(all.positions()),
        thousands(classes.positions())
    );
    let count = |count: &crate::games::relatives::solve::Count| {
        let [won, lost, drawn] = [count.won, count.lost, count.drawn].map(thousands);
        format!("{won} won for the player to move, {lost} lost, {drawn} drawn")
    };
    let details = vec![
        format!("as placed: {}", count(&all)),
        format!("up to symmetry: {}", count(&classes)),
        format!(
            "a player who cannot move loses, which the report does not say: {} positions",
            solution.stuck()
        ),
    ];
    Finding { verdict: Verdict::Answered, figure, details }
}
