//! Every row of the table: the way of checking, its verdict and its figure.

use super::*;

use Shown::{Executed, Modelled, Read};
use Verdict::{Answered, Fails, Holds, InPart, Open};

const TABLE: &[(&str, Shown, Verdict, &str)] = &[
    (
        "ttt1-occupied",
        Executed,
        Holds,
        "in 778 positions no cell has both bits and 0 cells differ; the program agrees on all 497 lines, where it refuses 4739 keys",
    ),
    ("ttt1-rotation", Modelled, Holds, "for 512 of 512 boards, counter-clockwise"),
    ("ttt1-rotated", Modelled, Holds, "000000011b becomes 011000000b, 101100000b becomes 100011000b"),
    ("ttt1-example", Executed, Holds, "executed: O takes 2 and has its row: OOO/.X./XX."),
    (
        "ttt1-win-first",
        Modelled,
        Holds,
        "of 651 searches 380 find a win, and 243 of these would find a block, too; no win is missed for a block",
    ),
    ("ttt1-first-reply", Executed, Holds, "after 9 of 9 first moves"),
    (
        "ttt1-patterns",
        Modelled,
        InPart,
        "10 of 16 play as drawn, 3 another cell (11, 13, 15), 3 never (12, 14, 16)",
    ),
    ("ttt1-comment", Read, Fails, "the table has 06h there; 120h is the mask of patterns 5 and 10"),
    (
        "ttt1-x-table",
        Modelled,
        Fails,
        "never read: the routine reads O's; with it read there are 473 lines, 344 won by O, and X completes a row in 3 instead of 20",
    ),
    (
        "ttt1-no-cell",
        Modelled,
        Fails,
        "taken 0 times in 497 lines: of 70 turns without a pattern all have a free cell on the edge",
    ),
    (
        "ttt1-bad-input",
        Executed,
        Holds,
        "5 of 5 bad keys sound the bell, a good one does not; bad keys are echoed; q and Q quit",
    ),
    (
        "ttt1-x-row",
        Executed,
        Holds,
        "X completes a row in 20 of 497 lines: 14 are then lost, 6 end with a full board",
    ),
    (
        "ttt1-exit-code",
        Executed,
        Holds,
        "our program ends with 113 after q where the author's has 113, 16 after 013 where the author's has 16",
    ),
    (
        "ttt1-wording",
        Read,
        Fails,
        "a square is one of . O X: there is no Y; the square named is right of the corner",
    ),
    ("eecs2100-unbeatable", Executed, Fails, "the player wins 14 of 473 lines of play, 14 of them executed"),
    ("eecs2100-sounds", Executed, Holds, "after 4 of 4 kinds of move"),
    ("eecs2100-sixth", Executed, Holds, "897 cents from 262.2 to 440.3 Hz; a major sixth has 900"),
    ("eecs2100-notes", Executed, Holds, "3 of 3 notes have their names, 3 cents off at most"),
    (
        "eecs2100-removed-block",
        Modelled,
        Open,
        "the sources do not show which; with a corner as reply to the centre still 5 of 457 lines lose",
    ),
    ("eecs2100-winning-states", Modelled, Holds, "16 of 16 rows are found, eight a mark"),
    (
        "eecs2100-keys",
        Executed,
        Holds,
        "9 of 9 keys are arranged as on the keypad; 9 of 9 other keys change nothing",
    ),
    (
        "eecs2100-pictures",
        Executed,
        Answered,
        "ours shows 27 in 2.24 s, the original 54 in the same time, as it draws shape by shape",
    ),
    (
        "course-misprints",
        Read,
        Fails,
        "11 and 12 are printed with a column lost, so that an X is in the wrong place; TTT1 has both patterns complete",
    ),
    ("course-never-loses", Modelled, Fails, "it loses 367 of 725 lines of play"),
    ("course-always-wins", Modelled, Fails, "it wins 177 of 725 lines of play"),
    (
        "course-readings",
        Modelled,
        Holds,
        "by the patterns 24 of 24 readings lose, 3 to 367 lines, and 0 always win; with a search two moves ahead over the three squares in all turns it loses 0 of 489",
    ),
    ("course-squares", Modelled, Holds, "in four turns they reach 9 of 9 squares"),
    (
        "course-win-check",
        Modelled,
        Holds,
        "in 0 of the 177 lines that it wins, a rule other than the win completes the row",
    ),
    (
        "course-rotation",
        Modelled,
        Holds,
        "9 of 9 squares of the matrix agree with it; the students' procedure turns the other way for 9 of 9",
    ),
    ("grid18-grid", Modelled, Holds, "010111001111010011 is X.O/XX./XOO"),
    ("grid18-bits", Modelled, InPart, "18 bits are used, 14 are free: 18 holds, 20 does not"),
    ("grid18-pairs", Modelled, Holds, "in 0 of the 5,478 grids that occur in games, a pair is 10"),
    (
        "grid18-tables",
        Read,
        InPart,
        "get_field gives 0 for a cross and 1 for a circle, as its first table says and its overview does not; set_field takes 1 and 0, the other way round",
    ),
    (
        "grid18-init",
        Modelled,
        Holds,
        "set_field clears nothing: 0 of 19,683 grids lose a stone by it, so a second game starts on the first",
    ),
    ("grid18-masks", Modelled, Holds, "for 8 of 8 lines of the board"),
    (
        "grid18-eval",
        Modelled,
        Fails,
        "it reports one for 1,377 of 19,683 fillings that have none, 1,377 of them with a diagonal of circles",
    ),
    ("grid18-set-field", Modelled, Holds, "in 354,294 of 354,294 calls, every field of every filling"),
    (
        "grid18-get-field",
        Modelled,
        Holds,
        "in 177,147 of 177,147 calls; 59,049 of them find the field empty and skip the division",
    ),
    ("grid18-examples", Modelled, InPart, "4 of 10 figures are right; 200h modulo 3 is 2, not 1"),
    (
        "grid18-example-register",
        Read,
        Fails,
        "the procedure takes y in RSI: with 0 there the example reads 2 where the centre holds 1",
    ),
    (
        "grid18-example-jump",
        Modelled,
        InPart,
        "1 of 3 are placed as documented: a circle goes to empty, an empty field to circle",
    ),
    (
        "grid18-example-set",
        Modelled,
        Fails,
        "the mask 3h and the picture are a cross, X../.../...; a circle is 1h",
    ),
    (
        "grid18-abi",
        Read,
        Fails,
        "get_field pops rdx where it has pushed rbx: RBX is lost to its caller, and compiled with optimisation the program hangs",
    ),
    (
        "grid18-ends",
        Modelled,
        Fails,
        "46,080 of 255,168 lines fill the grid without a row: the published program then asks for input indefinitely",
    ),
    (
        "oxo-numbers",
        Modelled,
        Holds,
        "4 of 4 opposite pairs differ by 4; 3 of 4 diagonal pairs differ by 2, 1 by 6, which is 2 around the edge",
    ),
    ("oxo-first-answer", Executed, Holds, "after 8 of 8 first moves"),
    (
        "oxo-listing",
        Modelled,
        Fails,
        "the listing leaves out WRAP there: a stone outside the board in 34 of 76 lines of play, 2 7 4 among them",
    ),
    ("oxo-edge", Executed, Holds, "for 4 of 4 edges, the human blocking each time"),
    ("oxo-dual", Modelled, Holds, "for 4 of 4 edges"),
    ("oxo-corner", Executed, Holds, "for 4 of 4 corners, the human blocking each time"),
    ("oxo-keys", Read, Fails, "the filter is 49 to 57: 8 cells and 9, which has none; ours ignores it"),
    ("oxo-table", Modelled, Fails, "7 of 8 entries are reached; index 3 (the value 0) never is"),
    (
        "oxo-size",
        Read,
        Open,
        "cannot be checked without the machine: the bytes depend on its Forth, the screens on its editor",
    ),
    ("oxo-never-loses", Executed, Holds, "of 76 lines 72 are won, 4 drawn, 0 lost"),
    (
        "oxo-compiles",
        Read,
        Fails,
        "2 words prevent its compilation; with both corrected, a standard Forth runs it",
    ),
    ("chip-never-loses", Modelled, Holds, "1,955 lines of play: 1,666 won, 289 drawn, 0 lost"),
    ("chip-first-places", Modelled, Holds, "after 17 of 17 the user can hold a draw, and nothing better"),
    ("chip-clocks", Modelled, Fails, "exceeded in 8 of 9 first replies, 15,007 clocks at most"),
    (
        "chip-states",
        Modelled,
        Holds,
        "8 of 8 states are reached, by 16 transitions; the printed definition has a ninth that repeats one of them",
    ),
    ("chip-first-move", Modelled, Holds, "the places 0 1 2 3 4 5 6 7, never 8: the counter has three bits"),
    (
        "chip-stack",
        Modelled,
        Holds,
        "7 of 8 levels are used, over every line of play; 6 bits hold their contents",
    ),
    (
        "chip-inverter",
        Modelled,
        Holds,
        "in 70,433 of 70,433 returns to a level, the inverted p is the side of that level",
    ),
    ("chip-findfree", Modelled, Holds, "it gives 6"),
    ("chip-no-user-test", Modelled, Holds, "the user has three in a row in 0 of 1,955 lines"),
    (
        "chip-test-mode",
        Modelled,
        Holds,
        "set-up stones show as 01 and 10; a key on a taken place is ignored, one on a free place is taken",
    ),
    (
        "chip-pins",
        Read,
        Holds,
        "45 signals and 4 of power; 33 signals are modelled; one table prints three names wrongly",
    ),
    (
        "chip-simulation",
        Modelled,
        Holds,
        "50 clocks: 492 of 492 known cells in 10 output columns agree; FIN, WIN and PROMPT are computed, too",
    ),
    (
        "chip-alpha-beta",
        Modelled,
        Holds,
        "45.2 nodes a move with it, 87.6 by figure 1, which stops at a win, 446.7 exhaustively: a gain of 1.9 and of 9.9; the same moves",
    ),
    (
        "chip-depth",
        Modelled,
        InPart,
        "35% more against the exhaustive tree, 12% against figure 1: means of the nine first replies",
    ),
    (
        "chip-recursion",
        Modelled,
        Holds,
        "the same move in 2,688 of 2,688, in all 1,955 lines; 3,508 calls a move at most, 27.2 on average",
    ),
    (
        "millwheel",
        Modelled,
        Answered,
        "neither: with best play it never ends; 5,390 positions, 744 up to symmetry",
    ),
    ("achi-eight", Modelled, Answered, "the first player, with turn 11; 5,720 positions, 794 up to symmetry"),
    ("achi-four", Modelled, Answered, "the first player, with turn 11; 5,632 positions, 780 up to symmetry"),
    ("achi-lines", Modelled, Answered, "the first player, with turn 11; 5,716 positions, 793 up to symmetry"),
];

#[test]
fn every_row() {
    let found: Vec<_> = all()
        .map(Claim::check)
        .map(|row| (row.claim.name, row.claim.shown, row.finding.verdict, row.finding.figure))
        .collect();
    for (found, &(name, shown, verdict, figure)) in found.iter().zip(TABLE) {
        assert_eq!(*found, (name, shown, verdict, figure.to_owned()));
    }
    assert_eq!(found.len(), TABLE.len());
}

/// Only claims that must be read are shown by reading; every other command runs the program.
#[test]
fn rows_are_shown_by_what_they_speak_of() {
    for claim in all() {
        let by_itself = claim.command.starts_with("oxbox claims");
        assert!(!by_itself || claim.shown == Read, "{}: {}", claim.name, claim.command);
    }
}

/// The components of the figures: one line of each claim that has some.
#[test]
fn details() {
    let cases = [
        ("ttt1-rotation", 8, "cell 8 (bit 4) goes to cell 2 (bit 2)"),
        (
            "ttt1-patterns",
            17,
            "pattern 11 executed: after keys 0 8 O takes 3, where the first free cell would be 1: X../OO./..X",
        ),
        ("ttt1-x-table", 1, "as it is: 497 lines, 380 won by O, X completes a row in 20"),
        ("eecs2100-unbeatable", 14, "executed, the player wins: 5173"),
        ("eecs2100-sounds", 4, "after a victory: nbc, castle (30 notes heard)"),
        ("eecs2100-removed-block", 2, "with the corner 1 lose after the centre"),
        ("eecs2100-winning-states", 3, "of the 473 games that can be played 0 end wrongly"),
        ("course-misprints", 2, "pattern 12: ?X_/_O*/_**, meant ?X_/XO*/_**"),
        (
            "course-readings",
            25,
            "368 won,   0 lost, 121 drawn: win, block, then a search two moves ahead; first reply in the centre",
        ),
        (
            "course-win-check",
            24,
            "  0 of 337: patterns outside, first reply in the centre, free row by row, misprints corrected",
        ),
        ("grid18-examples", 11, "wrong: eval_grid, diagonal AND 30303 is 30303h, not 3003h"),
        (
            "grid18-eval",
            3,
            "of the 2,739 grids after a cross's move in games, it is wrong for 0: a diagonal of circles has ended the game earlier",
        ),
        ("oxo-listing", 34, "2 7 4: a stone on cell 9"),
        ("oxo-edge", 4, "6 3 5: X.O/XX./XOO, steps [1, 2, 7]"),
        ("oxo-dual", 4, "6, blocked: 2 open two-in-a-row, X.O/.X./XO."),
        ("oxo-corner", 4, "7 4 6 1: OXX/XXO/OOX, steps [1, 2, 3, 6]"),
        ("chip-first-places", 17, "the user begins on 7: 97 lines, 52 won, 45 drawn"),
        ("chip-clocks", 11, "the user begins on 0: 5,779 clocks"),
        ("chip-states", 8, "returned: to waiting, returned, doingbestmove, setboardi"),
        ("chip-stack", 3, "a: {0, 1}, 1 bit"),
        ("chip-simulation", 12, "led: 50 of 50 cells"),
        (
            "chip-alpha-beta",
            9,
            "the user begins on 8: 3,984 nodes with it, 8,200 by figure 1, 59,704 exhaustively",
        ),
        ("chip-depth", 9, "the user begins on 7: 28% and 14%, by the logarithms of the nodes"),
        ("achi-four", 3, "a player who cannot move loses, which the report does not say: 45 positions"),
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
