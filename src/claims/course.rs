//! COURSE: the algorithm printed in the assignment of EECS 2100, in each of its interpretations.

use super::{Claim, Finding, Shown, Verdict};
use crate::games::course::{Course, LookAhead, Reading, misprints};
use crate::games::eecs2100::Eecs2100;
use oxbox_proof::engine::board::ring_index;
use oxbox_proof::engine::{Engine, Mark, Move, Outcome, census};
use std::collections::BTreeSet;

/// The place of the algorithm in the assignment.
const ALGORITHM: &str = "assignment, Computer's Decision Making Algorithm";

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "course-misprints",
        system: "course",
        claim: "patterns 11 and 12 as their tables print them",
        place: "assignment, the patterns",
        shown: Shown::Read,
        command: "oxbox model course",
        check: misprinted,
    },
    Claim {
        name: "course-never-loses",
        system: "course",
        claim: "with the printed algorithm the computer can never lose",
        place: ALGORITHM,
        shown: Shown::Modelled,
        command: "oxbox model course",
        check: never_loses,
    },
    Claim {
        name: "course-always-wins",
        system: "course",
        claim: "with the printed algorithm the computer will always win",
        place: ALGORITHM,
        shown: Shown::Modelled,
        command: "oxbox model course",
        check: always_wins,
    },
    Claim {
        name: "course-readings",
        system: "course",
        claim: "in some reading of the text the computer never loses",
        place: ALGORITHM,
        shown: Shown::Modelled,
        command: "oxbox model look-ahead",
        check: readings,
    },
    Claim {
        name: "course-squares",
        system: "course",
        claim: "three squares and four turns are enough to try every square",
        place: ALGORITHM,
        shown: Shown::Modelled,
        command: "oxbox model look-ahead",
        check: squares,
    },
    Claim {
        name: "course-win-check",
        system: "course",
        claim: "as the computer chooses by winning states, a check whether it has won is unnecessary",
        place: "assignment, Computer's Turn",
        shown: Shown::Modelled,
        command: "oxbox model course --keys \"4 8 3\"",
        check: win_check,
    },
    Claim {
        name: "course-rotation",
        system: "course",
        claim: "ROR AL,2 turns the board as the printed matrix does, counter-clockwise",
        place: "assignment, the board's array",
        shown: Shown::Modelled,
        command: "oxbox model ttt1 --keys \"0 1 3\"",
        check: rotation,
    },
];

fn misprinted() -> Finding {
    let wrong: Vec<(usize, &str, &str)> = misprints().collect();
    let numbers: Vec<String> = wrong.iter().map(|(number, ..)| number.to_string()).collect();
    Finding::new(
        Verdict::of(wrong.is_empty()),
        format!(
            "{} are printed with a column lost, so that an X is in the wrong place; TTT1 has both patterns complete",
            numbers.join(" and ")
        ),
    )
    .with(wrong.iter().map(|(number, printed, meant)| format!("pattern {number}: {printed}, meant {meant}")))
}

/// Returns the lines of play of an interpretation that the computer wins, loses and draws.
fn lines(reading: Reading) -> [usize; 3] {
    let census = census(&Course::new(reading));
    [Outcome::Win(Mark::O), Outcome::Win(Mark::X), Outcome::Draw].map(|outcome| census.count(outcome))
}

fn describe(reading: Reading, [won, lost, drawn]: [usize; 3]) -> String {
    format!("{won:>3} won, {lost:>3} lost, {drawn:>3} drawn: {reading}")
}

fn never_loses() -> Finding {
    let figures @ [won, lost, drawn] = lines(Reading::PRINTED);
    Finding::new(Verdict::of(lost == 0), format!("it loses {lost} of {} lines of play", won + lost + drawn))
        .with([describe(Reading::PRINTED, figures)])
}

fn always_wins() -> Finding {
    let figures @ [won, lost, drawn] = lines(Reading::PRINTED);
    Finding::new(
        Verdict::of(lost + drawn == 0),
        format!("it wins {won} of {} lines of play", won + lost + drawn),
    )
    .with([describe(Reading::PRINTED, figures)])
}

fn readings() -> Finding {
    let figures: Vec<(Reading, [usize; 3])> =
        Reading::all().map(|reading| (reading, lines(reading))).collect();
    let lost: Vec<usize> = figures.iter().map(|(_, [_, lost, _])| *lost).collect();
    let losing = lost.iter().filter(|&&lost| lost > 0).count();
    let always = figures.iter().filter(|(_, [_, lost, drawn])| lost + drawn == 0).count();
    let census = census(&LookAhead::new());
    let searched = [Outcome::Win(Mark::O), Outcome::Win(Mark::X), Outcome::Draw].map(|o| census.count(o));
    let [won, never, drawn] = searched;
    let by_words = format!(
        "{won:>3} won, {never:>3} lost, {drawn:>3} drawn: win, block, then a search two moves ahead; first reply in the centre"
    );
    Finding::new(
        Verdict::of(losing < figures.len() || never == 0),
        format!(
            "by the patterns {losing} of {} readings lose, {} to {} lines, and {always} always win; with a search two \
             moves ahead over the three squares in all turns it loses {never} of {}",
            figures.len(),
            lost.iter().min().unwrap_or(&0),
            lost.iter().max().unwrap_or(&0),
            census.ends.len()
        ),
    )
    .with(figures.into_iter().map(|(reading, figures)| describe(reading, figures)).chain([by_words]))
}

fn squares() -> Finding {
    let reached: BTreeSet<usize> = LookAhead::squares().map(Move::index).collect();
    Finding::new(
        Verdict::of(reached.len() == 9),
        format!("in four turns they reach {} of 9 squares", reached.len()),
    )
}

/// Returns the computer's rows in every line of play of an interpretation: all rows, those that no
/// winning pattern has made, and the keys of the first of these.
fn rows(reading: Reading) -> (usize, usize, Option<String>) {
    fn walk(game: &Course, keys: &str, found: &mut (usize, usize, Option<String>)) {
        for cell in game.moves() {
            let keys = format!("{keys} {}", cell.index());
            let mut next = *game;
            next.play(cell);
            if next.outcome() == Some(Outcome::Win(Mark::O)) {
                found.0 += 1;
                if game.pattern_after(cell).is_none_or(|number| number > 5) {
                    found.1 += 1;
                    found.2.get_or_insert_with(|| keys.trim_start().to_owned());
                }
            }
            walk(&next, &keys, found);
        }
    }
    let mut found = (0, 0, None);
    walk(&Course::new(reading), "", &mut found);
    found
}

fn win_check() -> Finding {
    let (all, unnoticed, keys) = rows(Reading::PRINTED);
    let details = Reading::all().map(|reading| {
        let (all, unnoticed, _) = rows(reading);
        format!("{unnoticed:>3} of {all:>3}: {reading}")
    });
    Finding::new(
        Verdict::of(unnoticed == 0),
        format!(
            "in {unnoticed} of the {all} lines that it wins, a rule other than the win completes the row{}",
            keys.map_or_else(String::new, |keys| format!(", first after {keys}"))
        ),
    )
    .with(details)
}

fn rotation() -> Finding {
    /// The matrix printed in the assignment for the board after one turn.
    const MATRIX: [usize; 9] = [2, 3, 4, 1, 8, 5, 0, 7, 6];
    // The cell that moves to (x, y) when the board is turned counter-clockwise: column 2 - y, row
    // x.
    let geometry = |cell: &Move| ring_index(Move::ALL[3 * cell.x() + (2 - cell.y())]);
    let agree = |of: &dyn Fn(&Move) -> usize| {
        Move::ALL.iter().zip(MATRIX).filter(|(cell, printed)| of(cell) == *printed).count()
    };
    let by_ror = agree(&|cell| Course::turned(ring_index(*cell), 1));
    let by_eye = agree(&geometry);
    let students = Move::ALL.iter().filter(|cell| {
        let looked_at = Eecs2100::turned_once(ring_index(**cell));
        looked_at == Course::turned(ring_index(**cell), 3)
    });
    Finding::new(
        Verdict::of(by_ror == 9 && by_eye == 9),
        format!(
            "{by_ror} of 9 squares of the matrix agree with it; the students' procedure turns the other way for {} of 9",
            students.count()
        ),
    )
}
