//! EECS-2100: the game that was handed in, and the algorithm that its assignment prints.

use super::execute::execute;
use super::{Claim, Finding, Verdict};
use crate::engine::{Engine, Mark, Outcome, census};
use crate::games::course::{Course, Reading};
use crate::games::eecs2100::{Eecs2100, Eecs2100Twin, keypad};

/// Where the assignment prints its algorithm.
const ALGORITHM: &str = "assignment, Computer's Decision Making Algorithm";

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "eecs2100-unbeatable",
        system: "eecs2100",
        claim: "the game is impossible to beat: the best a player can do is a tie",
        place: "README of the sources, Project Goals",
        command: "oxbox verify eecs2100",
        check: unbeatable,
    },
    Claim {
        name: "course-never-loses",
        system: "course",
        claim: "with the printed algorithm the computer can never lose",
        place: ALGORITHM,
        command: "oxbox claims course-never-loses",
        check: never_loses,
    },
    Claim {
        name: "course-always-wins",
        system: "course",
        claim: "with the printed algorithm the computer will always win",
        place: ALGORITHM,
        command: "oxbox claims course-always-wins",
        check: always_wins,
    },
    Claim {
        name: "course-readings",
        system: "course",
        claim: "in some reading of the printed algorithm the computer can never lose",
        place: ALGORITHM,
        command: "oxbox claims course-readings",
        check: readings,
    },
];

fn unbeatable() -> Finding {
    fn walk(game: &Eecs2100, keys: &str, won: &mut Vec<String>, lines: &mut usize) {
        *lines += usize::from(game.outcome().is_some());
        if game.outcome() == Some(Outcome::Win(Mark::X)) {
            won.push(keys.to_owned());
        }
        for cell in game.moves() {
            let mut next = *game;
            next.play(cell);
            walk(&next, &format!("{keys}{}", char::from(keypad(cell))), won, lines);
        }
    }
    let (mut won, mut lines) = (Vec::new(), 0);
    walk(&Eecs2100::new(), "", &mut won, &mut lines);
    let mut executed = 0;
    let details = won.iter().map(|keys| {
        let typed: Vec<u8> = [b' '].into_iter().chain(keys.bytes()).collect();
        match execute("eecs2100", Eecs2100Twin::new(), &typed) {
            Ok(Some(Outcome::Win(Mark::X))) => {
                executed += 1;
                format!("executed, the player wins: {keys}")
            }
            Ok(_) => format!("the player does not win: {keys}"),
            Err(what) => format!("{keys}: {what}"),
        }
    });
    let details: Vec<String> = details.collect();
    Finding {
        verdict: Verdict::of(won.is_empty()),
        figure: format!(
            "the player wins {} of {lines} lines of play, {executed} of them executed",
            won.len()
        ),
        details,
    }
}

/// Lines of play of a reading that the computer, the user and nobody wins.
fn lines(reading: Reading) -> [usize; 3] {
    let census = census(&Course::new(reading));
    [Outcome::Win(Mark::O), Outcome::Win(Mark::X), Outcome::Draw].map(|outcome| census.count(outcome))
}

/// A line about a reading.
fn describe(reading: Reading, [won, lost, drawn]: [usize; 3]) -> String {
    format!("{won:>3} won, {lost:>3} lost, {drawn:>3} drawn: {reading}")
}

fn never_loses() -> Finding {
    let figures @ [won, lost, drawn] = lines(Reading::PRINTED);
    Finding {
        verdict: Verdict::of(lost == 0),
        figure: format!("it loses {lost} of {} lines of play", won + lost + drawn),
        details: vec![describe(Reading::PRINTED, figures)],
    }
}

fn always_wins() -> Finding {
    let figures @ [won, lost, drawn] = lines(Reading::PRINTED);
    Finding {
        verdict: Verdict::of(lost + drawn == 0),
        figure: format!("it wins {won} of {} lines of play", won + lost + drawn),
        details: vec![describe(Reading::PRINTED, figures)],
    }
}

fn readings() -> Finding {
    let figures: Vec<(Reading, [usize; 3])> =
        Reading::all().map(|reading| (reading, lines(reading))).collect();
    let lost: Vec<usize> = figures.iter().map(|(_, [_, lost, _])| *lost).collect();
    let losing = lost.iter().filter(|&&lost| lost > 0).count();
    let always = figures.iter().filter(|(_, [_, lost, drawn])| lost + drawn == 0).count();
    Finding {
        verdict: Verdict::of(losing < figures.len()),
        figure: format!(
            "{losing} of {} readings lose, from {} lines of play to {}; {always} always win",
            figures.len(),
            lost.iter().min().unwrap_or(&0),
            lost.iter().max().unwrap_or(&0)
        ),
        details: figures.into_iter().map(|(reading, figures)| describe(reading, figures)).collect(),
    }
}
