//! Every row of the table: its verdict and its figure.

use super::*;

use Verdict::{Answered, Fails, Holds, InPart};

const TABLE: &[(&str, Verdict, &str)] = &[
    ("ttt1-example", Holds, "executed: O takes 2 and has its row: OOO/.X./XX."),
    ("ttt1-patterns", InPart, "10 of 16 play as drawn, 3 another cell (11, 13, 15), 3 never (12, 14, 16)"),
    ("eecs2100-unbeatable", Fails, "the player wins 14 of 473 lines of play, 14 of them executed"),
    ("course-never-loses", Fails, "it loses 367 of 725 lines of play"),
    ("course-always-wins", Fails, "it wins 177 of 725 lines of play"),
    ("course-readings", Fails, "24 of 24 readings lose, from 3 lines of play to 367; 0 always win"),
    ("grid18-grid", Holds, "010111001111010011 is X.O/XX./XOO"),
    ("grid18-examples", InPart, "4 of 10 figures are right; 200h modulo 3 is 2, not 1"),
    (
        "grid18-eval",
        Fails,
        "it reports one for 1,377 of 19,683 fillings that have none, 1,377 of them with a diagonal of circles",
    ),
    (
        "oxo-listing",
        Fails,
        "the listing leaves out WRAP there: a stone outside the board in 34 of 76 lines of play, 2 7 4 among them",
    ),
    ("oxo-dual", InPart, "after 4 of 4 edges and 0 of 4 corners as the user's first move"),
    ("chip-never-loses", Holds, "1,955 lines of play: 1,666 won, 289 drawn, 0 lost"),
    ("chip-first-places", Holds, "after 17 of 17 the user can hold a draw, and never more"),
    ("chip-clocks", Fails, "exceeded in 8 of 9 first replies, 15,007 clocks at most"),
    (
        "chip-recursion",
        Holds,
        "the same move in 2,688 of 2,688, in all 1,955 lines; 3,508 calls a move at most, 27.2 on average",
    ),
    ("chip-stack", Holds, "7 of 8 at most, over every line of play"),
    (
        "chip-alpha-beta",
        Holds,
        "45.2 nodes a move with it, 446.7 without; 5,749 and 63,904 at most; the same moves",
    ),
    ("chip-simulation", Holds, "50 of 50 clocks in all 15 columns"),
    ("millwheel", Answered, "neither: with best play it never ends; 5,390 positions, 744 up to symmetry"),
    ("achi-eight", Answered, "the first player, with turn 11; 5,720 positions, 794 up to symmetry"),
    ("achi-four", Answered, "the first player, with turn 11; 5,632 positions, 780 up to symmetry"),
    ("achi-lines", Answered, "the first player, with turn 11; 5,716 positions, 793 up to symmetry"),
];

#[test]
fn every_row() {
    let found: Vec<_> = all()
        .map(Claim::check)
        .map(|row| (row.claim.name, row.finding.verdict, row.finding.figure))
        .collect();
    let expected: Vec<_> =
        TABLE.iter().map(|&(name, verdict, figure)| (name, verdict, figure.to_owned())).collect();
    assert_eq!(found, expected);
}

/// What the figures are made of: a line of each that has some.
#[test]
fn details() {
    let cases = [
        (
            "ttt1-patterns",
            17,
            "pattern 11 executed: after keys 0 8 O takes 3, where the first free cell would be 1: X../OO./..X",
        ),
        ("eecs2100-unbeatable", 14, "executed, the player wins: 5173"),
        (
            "course-readings",
            24,
            "337 won,   3 lost, 133 drawn: patterns outside, first reply in the centre, free row by row, misprints mended",
        ),
        ("grid18-examples", 11, "wrong: eval_grid, diagonal AND 30303 is 30303h, not 3003h"),
        (
            "grid18-examples",
            11,
            "what the examples conclude (three victories, a circle in the centre) is right",
        ),
        (
            "grid18-eval",
            3,
            "of the 2,739 grids that games come to with a cross's move it errs for 0: who has a diagonal of circles has won before",
        ),
        ("oxo-listing", 34, "2 7 4: a stone on cell 9"),
        ("oxo-dual", 8, "6 (edge), blocked: 2 open two-in-a-row, X.O/.X./XO."),
        ("chip-first-places", 17, "the user begins on 7: 97 lines, 52 won, 45 drawn"),
        ("chip-clocks", 11, "the user begins on 0: 5,779 clocks"),
        ("chip-clocks", 11, "the user begins on 7: 15,007 clocks"),
        ("chip-alpha-beta", 9, "the user begins on 4: 2,521 nodes with, 55,504 without"),
        ("achi-four", 3, "who cannot move loses, which the report does not say: 45 positions"),
    ];
    for (name, count, line) in cases {
        let details = find(name).unwrap().check().finding.details;
        assert_eq!(details.len(), count, "{name}");
        assert!(details.iter().any(|detail| detail == line), "{name}: {details:#?}");
    }
}

#[test]
fn names_are_unique() {
    let mut names: Vec<&str> = all().map(|claim| claim.name).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn thousands_are_set_apart() {
    for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
        assert_eq!(thousands(number), text);
    }
}
