//! Searches over the games: no crash, no hang, and no way to beat them except those in their
//! proofs.

use super::{explored, summary};
use oxbox::engine::{Board, Mark, Move, census};
use oxbox::games::{self, ttt1::Ttt1};
use oxbox::verify::Picture;
use oxbox::walk::{ExploreOptions, Predicate, ProgramUnderTest, Sameness, Setup, choices};
use std::collections::BTreeSet;

/// The 2007 game shows the same picture at the end of each line in which its user wins. The search,
/// which does not know the game, finds each such position by one of the lines in the proof.
#[test]
fn every_position_that_beats_the_game_of_2007_is_found() {
    let game = games::find("eecs2100").expect("a game in the box");
    let keys = |keys: &str| choices::acts(keys).expect("keys");
    let mut setup = Setup::new(game.program.to_vec(), game.file);
    setup.opening = keys("SP");
    let mut beaten = ProgramUnderTest::start(&setup).expect("it starts");
    beaten.play(&keys("5 1 7 3"));
    let frame = beaten.machine().still_frame();
    let picture = Picture { width: frame.width, pixels: frame.pixels.into() };
    let find_all = vec![Predicate::Picture(picture)];
    let options = ExploreOptions { find_all, threads: 2, ..ExploreOptions::default() };
    let exploration = explored(&setup, "1-9", &options);
    assert_eq!(summary(&exploration), "302/2718 depth 6");
    let lines = &crate::verify::report("eecs2100").user_wins;
    let found: Vec<String> = exploration.found.iter().map(|found| format!("SP {}", found.keys)).collect();
    // Some of the 14 lines place the same stones in another order.
    assert_eq!((lines.len(), found.len()), (14, 10));
    assert!(found.iter().all(|keys| lines.contains(keys)), "{found:?} of {lines:?}");
}

/// Returns a board as shown by a game: from the rows on the screen, their cells at these columns.
fn board(rows: [&str; 3], columns: [usize; 3], mark: impl Fn(&str) -> Option<Mark>) -> Board {
    let mut board = Board::default();
    for (number, &cell) in Move::ALL.iter().enumerate() {
        let shown = rows[number / 3].get(columns[number % 3]..).and_then(&mark);
        shown.into_iter().for_each(|mark| board.place(cell, mark));
    }
    board
}

fn letter(cell: &str) -> Option<Mark> {
    match cell.chars().next() {
        Some('X') => Some(Mark::X),
        Some('O') => Some(Mark::O),
        _ => None,
    }
}

/// TTT1's output scrolls with each refused key, and it never reads it back: without the screen it
/// has as many states as positions and columns of the cursor. All of its games end as its rules
/// require.
#[test]
fn ttt1_ends_as_its_rules_say_and_in_no_other_way() {
    let game = games::find("ttt1").expect("a game in the box");
    let setup = Setup::new(game.program.to_vec(), game.file);
    let over = "Game Over";
    let options = ExploreOptions {
        sameness: Sameness::Program,
        find_all: vec![Predicate::Output(over.into())],
        threads: 2,
        ..ExploreOptions::default()
    };
    let all = explored(&setup, "0-8 q x", &options);
    assert!(all.stats.complete && all.stats.exact && all.stats.seen.is_empty(), "{}", summary(&all));
    // Its exit code is AL after its last comparison: 113 after q, else the bits of a board.
    let is_exit = |end: &String| end.starts_with("exit:");
    assert!(all.stats.ends.keys().all(is_exit), "no crash, no hang: {:?}", all.stats.ends);
    let boards: BTreeSet<String> = all
        .found
        .iter()
        .filter_map(|found| {
            let last = found.screen.iter().rposition(|line| line == over)?;
            let row = |above: usize| found.screen[last - above].as_str();
            Some(board([row(6), row(4), row(2)], [14, 18, 22], letter).to_string())
        })
        .collect();
    let expected: BTreeSet<String> =
        census(&Ttt1::new()).ends.iter().map(|(_, board)| board.to_string()).collect();
    assert_eq!(boards, expected);
}

/// The positions of OXO's numbers, 1 to 8 round the edge.
const ROUND: [usize; 8] = [0, 1, 2, 5, 8, 7, 6, 3];

/// Returns the board of the list of moves on screen: the player named `you` has X, the other O.
fn listed(screen: &[String], place: impl Fn(usize) -> Option<usize>, first: Option<usize>) -> Board {
    let mut board = Board::default();
    let mut put = |cell: Option<usize>, mark| {
        cell.and_then(|cell| Move::ALL.get(cell)).into_iter().for_each(|&cell| board.place(cell, mark));
    };
    put(first, Mark::O);
    for line in screen {
        let words: Vec<String> = line.split_whitespace().map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "take").collect();
        for pair in words.windows(2) {
            let number = pair[1].parse().ok().and_then(&place);
            match pair[0] {
                "you" => put(number, Mark::X),
                "i" | "chip" => put(number, Mark::O),
                _ => {}
            }
        }
    }
    board
}

/// At the end of each game of OXO and CHIP the user has no row, and the message is correct.
#[test]
fn nobody_beats_oxo_or_the_chip() {
    let oxo =
        |screen: &[String]| listed(screen, |number| ROUND.get(number.wrapping_sub(1)).copied(), Some(4));
    let chip = |screen: &[String]| listed(screen, Some, None);
    // The chip's first cell depends on the tick count.
    let chip_begins = (0..8).map(|tick| ("chip", format!("@{} c", 55 * tick), "0-8"));
    let begins = [("oxo", String::new(), "1-8"), ("chip", "u".to_owned(), "0-8")];
    for (name, keys, words) in begins.into_iter().chain(chip_begins) {
        let game = games::find(name).expect("a game in the box");
        let mut setup = Setup::new(game.program.to_vec(), game.file);
        setup.opening = choices::acts(&keys).expect("keys");
        let again = if name == "oxo" { "ANY KEY PLAYS AGAIN" } else { "Any key plays again" };
        let options = ExploreOptions {
            threads: 2,
            find_all: vec![Predicate::Text(again.into())],
            ..ExploreOptions::default()
        };
        let all = explored(&setup, words, &options);
        assert!(all.stats.complete && all.stats.exact, "{name} {keys}: {}", summary(&all));
        assert!(all.stats.ends.is_empty(), "{name} {keys}: {:?}", all.stats.ends);
        for found in &all.found {
            let board = if name == "oxo" { oxo(&found.screen) } else { chip(&found.screen) };
            let text = found.screen.join("\n");
            assert!(!board.has_row(Mark::X), "{name} {keys}: {text}");
            let says_so = text.contains("I WIN!") || text.contains("The chip wins.");
            assert_eq!(board.has_row(Mark::O), says_so, "{name} {keys}: {text}");
        }
        assert!(all.found.len() > 10, "{name} {keys}: {} boards", all.found.len());
    }
}
