//! TTT1: its bitmaps and rotations, the worked example, the sixteen patterns, and further behaviour
//! of the program.

use super::execute::{every_line, execute, exit_code, sounds};
use super::{Claim, Finding, Shown, Verdict};
use crate::games::ttt1::patterns::{Fate, Study, check_mask, searches, study};
use crate::games::ttt1::{Ttt1, Ttt1Twin, turned};
use oxbox_proof::engine::board::{RING, ring_index};
use oxbox_proof::engine::{Board, Engine, Mark, Move, Outcome, census};
use oxbox_proof::verify::{Figure, GameReport};

/// The text and its listing.
const TEXT: &str = "text with the program";

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "ttt1-occupied",
        system: "ttt1",
        claim: "the bitmaps of X and O together tell which cells are occupied",
        place: TEXT,
        shown: Shown::Executed,
        command: "oxbox verify ttt1",
        check: occupied,
    },
    Claim {
        name: "ttt1-rotation",
        system: "ttt1",
        claim: "ROR of the low byte by 2 turns the board by 90 degrees",
        place: "text with the program, on the bitmaps",
        shown: Shown::Modelled,
        command: "oxbox model ttt1 --keys \"0 1 3\"",
        check: rotation,
    },
    Claim {
        name: "ttt1-rotated",
        system: "ttt1",
        claim: "the two example bitmaps after one turn: 1100_0000b and 1_0001_1000b",
        place: "text with the program, on the bitmaps",
        shown: Shown::Modelled,
        command: "oxbox model ttt1 --keys \"0 1\"",
        check: rotated,
    },
    Claim {
        name: "ttt1-example",
        system: "ttt1",
        claim: "after 4, 7 and 6 the computer wins at the upper right",
        place: "text with the program, worked example",
        shown: Shown::Executed,
        command: "oxbox play ttt1 --headless --keys \"4 7 6\" --text -",
        check: example,
    },
    Claim {
        name: "ttt1-win-first",
        system: "ttt1",
        claim: "a win is tried before a block",
        place: TEXT,
        shown: Shown::Modelled,
        command: "oxbox play ttt1 --headless --keys \"0 1 3\" --text -",
        check: win_first,
    },
    Claim {
        name: "ttt1-first-reply",
        system: "ttt1",
        claim: "the first reply is the middle, or the upper left if the middle is taken",
        place: TEXT,
        shown: Shown::Executed,
        command: "oxbox play ttt1 --headless --keys 4 --text -",
        check: first_reply,
    },
    Claim {
        name: "ttt1-patterns",
        system: "ttt1",
        claim: "sixteen patterns, each with the cell that the computer takes",
        place: "text with the program, drawings of the patterns",
        shown: Shown::Modelled,
        command: "oxbox play ttt1 --headless --keys \"0 8\" --text -",
        check: patterns,
    },
    Claim {
        name: "ttt1-comment",
        system: "ttt1",
        claim: "a comment beside the table gives 120h as a check mask",
        place: "listing, comment on the first pattern",
        shown: Shown::Read,
        command: "oxbox claims ttt1-comment",
        check: comment,
    },
    Claim {
        name: "ttt1-x-table",
        system: "ttt1",
        claim: "a table of eleven targets for X's patterns",
        place: "listing, data",
        shown: Shown::Modelled,
        command: "oxbox model ttt1-mended",
        check: x_table,
    },
    Claim {
        name: "ttt1-no-cell",
        system: "ttt1",
        claim: "an exit is taken when no free square is found",
        place: "listing, the search for a free square",
        shown: Shown::Modelled,
        command: "oxbox verify ttt1",
        check: no_cell,
    },
    Claim {
        name: "ttt1-bad-input",
        system: "ttt1",
        claim: "bad input is echoed and sounds a BEL; q quits",
        place: "listing, the human's move",
        shown: Shown::Executed,
        command: "oxbox play ttt1 --headless --keys \"0 0 x q\" --text -",
        check: bad_input,
    },
    Claim {
        name: "ttt1-x-row",
        system: "ttt1",
        claim: "no code checks whether X has three in a row",
        place: "listing, the main loop",
        shown: Shown::Executed,
        command: "oxbox verify ttt1 --json",
        check: x_row,
    },
    Claim {
        name: "ttt1-exit-code",
        system: "ttt1",
        claim: "the program exits with whatever AL holds",
        place: "listing, ExitPgm",
        shown: Shown::Executed,
        command: "oxbox play ttt1 --headless --keys q --json",
        check: exit_codes,
    },
    Claim {
        name: "ttt1-wording",
        system: "ttt1",
        claim: "PutSquare prints \"Blank, X, or Y\"; a square is left of the corner",
        place: "text with the program, comments",
        shown: Shown::Read,
        command: "oxbox play ttt1 --headless --keys \"0 2\" --text -",
        check: wording,
    },
];

fn failed(what: String) -> Finding {
    Finding::new(Verdict::Fails, what)
}

fn count(report: &GameReport, name: &str) -> u64 {
    report.figures.get(name).map_or(0, |figure: &Figure| figure.value())
}

/// Over every line of play the program refuses a cell exactly if one of the bitmaps has its bit.
fn occupied() -> Finding {
    fn walk(game: &Ttt1, counts: &mut [usize; 3]) {
        let (x, o) = game.bitmaps();
        counts[0] += 1;
        counts[1] += usize::from(x & o != 0);
        let taken = |cell: &Move| (x | o) >> ring_index(*cell) & 1 != 0;
        counts[2] +=
            Move::ALL.iter().filter(|cell| taken(cell) != game.board().get(**cell).is_some()).count();
        for cell in game.moves() {
            let mut next = *game;
            next.play(cell);
            walk(&next, counts);
        }
    }
    let mut counts = [0; 3];
    walk(&Ttt1::new(), &mut counts);
    let [positions, both, wrong] = counts;
    match every_line("ttt1") {
        Err(what) => failed(what),
        Ok(report) => Finding::new(
            Verdict::of(both + wrong == 0 && report.prompts >= positions),
            format!(
                "in {positions} positions no cell has both bits and {wrong} cells differ; the program agrees \
                 on all {} lines, where it refuses {} keys",
                report.lines, report.refused_keys
            ),
        ),
    }
}

/// Returns the bitmap with every cell moved a quarter turn counter-clockwise on the board.
fn quarter_turn(side: u16) -> u16 {
    let held = |cell: &&Move| side >> ring_index(**cell) & 1 != 0;
    let moved = |cell: &Move| ring_index(Move::ALL[3 * (2 - cell.x()) + cell.y()]);
    Move::ALL.iter().filter(held).fold(0, |turned, cell| turned | 1 << moved(cell))
}

fn rotation() -> Finding {
    let agree = (0..512).filter(|&side| turned(side) == quarter_turn(side)).count();
    Finding::new(Verdict::share(agree, 512), format!("for {agree} of 512 boards, counter-clockwise")).with(
        RING[..8].iter().enumerate().map(|(bit, cell)| {
            let to = turned(1 << bit).trailing_zeros() as usize;
            format!("cell {} (bit {bit}) goes to cell {} (bit {to})", cell.index(), RING[to].index())
        }),
    )
}

fn rotated() -> Finding {
    // The bitmap before a turn: three further turns undo it.
    let before = |side: u16| turned(turned(turned(side)));
    let examples = [0b0_1100_0000, 0b1_0001_1000];
    let right = examples.iter().filter(|&&side| quarter_turn(before(side)) == side).count();
    let shown: Vec<String> =
        examples.iter().map(|&side| format!("{:09b}b becomes {side:09b}b", before(side))).collect();
    Finding::new(Verdict::share(right, 2), shown.join(", "))
}

fn win_first() -> Finding {
    let found = searches();
    Finding::new(
        Verdict::of(found.wins_missed == 0 && found.wins_before_a_block > 0),
        format!(
            "of {} searches {} find a win, and {} of these would find a block, too; no win is missed for a block",
            found.turns, found.wins, found.wins_before_a_block
        ),
    )
}

fn first_reply() -> Finding {
    let mut right = 0;
    let mut details = Vec::new();
    for cell in Move::ALL {
        let (reply, board) = last_reply(&[cell.index()]);
        let expected = if cell.index() == 4 { 0 } else { 4 };
        let keys = [b'0' + cell.index() as u8];
        let executed = execute("ttt1", &mut Ttt1Twin::new(), &keys);
        right += usize::from(executed == Ok(None) && reply == Move::new(expected));
        details.push(match executed {
            Ok(_) => format!("after {}: {board}", cell.index()),
            Err(what) => format!("after {}: {what}", cell.index()),
        });
    }
    Finding::new(Verdict::share(right, 9), format!("after {right} of 9 first moves")).with(details)
}

fn comment() -> Finding {
    let mask = check_mask(1).unwrap_or_default();
    let owners: Vec<String> = (1..=16)
        .filter(|&number| check_mask(number) == Some(0x120))
        .map(|number| number.to_string())
        .collect();
    Finding::new(
        Verdict::of(mask == 0x120),
        format!("the table has {mask:02X}h there; 120h is the mask of patterns {}", owners.join(" and ")),
    )
    .with((1..=16).filter_map(|number| Some(format!("pattern {number}: mask {:03X}h", check_mask(number)?))))
}

/// Returns the number of lines, of O's wins, and of lines in which X has a row.
fn with_rows(game: &Ttt1) -> [usize; 3] {
    let census = census(game);
    let rows = census.ends.iter().filter(|(_, board)| board.has_row(Mark::X)).count();
    [census.ends.len(), census.count(Outcome::Win(Mark::O)), rows]
}

fn x_table() -> Finding {
    let [lines, won, rows] = with_rows(&Ttt1::new());
    let [mended_lines, mended_won, mended_rows] = with_rows(&Ttt1::mended());
    Finding::new(
        Verdict::Fails,
        format!(
            "never read: the routine reads O's; with it read there are {mended_lines} lines, {mended_won} won \
             by O, and X completes a row in {mended_rows} instead of {rows}"
        ),
    )
    .with([format!("as it is: {lines} lines, {won} won by O, X completes a row in {rows}")])
}

fn no_cell() -> Finding {
    let found = searches();
    let lines = census(&Ttt1::new()).ends.len();
    Finding::new(
        Verdict::of(found.without_a_cell > 0),
        format!(
            "taken {} times in {lines} lines: of {} turns without a pattern all have a free cell on the edge",
            found.without_a_cell, found.without_a_pattern
        ),
    )
}

fn bad_input() -> Finding {
    let bad = ['0', '9', '/', 'x', ' '];
    let echoed = execute("ttt1", &mut Ttt1Twin::new(), b"00x9");
    let quits =
        [b"q", b"Q"].iter().filter(|keys| execute("ttt1", &mut Ttt1Twin::new(), **keys) == Ok(None)).count();
    let beeps = bad.iter().filter(|&&key| sounds("ttt1", "0", key) == Ok(true)).count();
    let silent = sounds("ttt1", "0", '1') == Ok(false);
    let all = beeps == bad.len() && silent && echoed == Ok(None) && quits == 2;
    Finding::new(
        Verdict::of(all),
        format!(
            "{beeps} of {} bad keys sound the bell, a good one does not; bad keys are echoed; q and Q quit",
            bad.len()
        ),
    )
    .with([format!(
        "after 0 0 x 9: {}",
        echoed.map_or_else(|what| what, |_| "as its twin shows it".to_owned())
    )])
}

fn x_row() -> Finding {
    match every_line("ttt1") {
        Err(what) => failed(what),
        Ok(report) => {
            let lost = count(&report, "computer_wins_after_a_row_of_the_user");
            let full = count(&report, "full_boards_with_a_row_of_the_user");
            Finding::new(
                Verdict::of(lost + full > 0),
                format!(
                    "X completes a row in {} of {} lines: {lost} are then lost, {full} end with a full board",
                    lost + full,
                    report.lines
                ),
            )
        }
    }
}

fn exit_codes() -> Finding {
    // The author's program: AL holds the key after q, and 10h at the end of the shortest game.
    let published = [("q", 113), ("013", 16)];
    let mut same = 0;
    let mut found = Vec::new();
    for (keys, expected) in published {
        let code = exit_code("ttt1", keys);
        same += usize::from(code == Ok(Some(expected)));
        let shown = match code {
            Ok(Some(code)) => code.to_string(),
            Ok(None) => "no end".to_owned(),
            Err(what) => what,
        };
        found.push(format!("{shown} after {keys} where the author's has {expected}"));
    }
    Finding::new(Verdict::share(same, published.len()), format!("our program ends with {}", found.join(", ")))
}

fn wording() -> Finding {
    let faces: std::collections::BTreeSet<String> = Move::ALL
        .into_iter()
        .flat_map(|cell| last_reply(&[cell.index()]).1.to_string().chars().collect::<Vec<_>>())
        .filter(|face| *face != '/')
        .map(String::from)
        .collect();
    let faces: Vec<String> = faces.into_iter().collect();
    Finding::new(
        Verdict::Fails,
        format!(
            "a square is one of {}: there is no Y; the square named is right of the corner",
            faces.join(" ")
        ),
    )
}

/// Returns the cell that the computer takes last in a game of these moves, and the board then.
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
    let executed = execute("ttt1", &mut Ttt1Twin::new(), b"476");
    let holds = executed == Ok(Some(Outcome::Win(Mark::O))) && reply == Move::new(2);
    let figure = match executed {
        Err(what) => what,
        Ok(_) => format!("executed: O takes {} and has its row: {board}", reply.map_or(9, Move::index)),
    };
    Finding::new(Verdict::of(holds), figure)
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
    details.push(match execute("ttt1", &mut Ttt1Twin::new(), b"08") {
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
        Fate::OwnStone => "never: the pattern requires an X in its target cell",
        Fate::Shadowed => "never: an earlier pattern always matches first",
        Fate::Unreached => "never: no game reaches a board on which it would be the first match",
    };
    format!(
        "pattern {number:>2}: target drawn {drawn:02X}, executed {executed:02X}, played {played:>3} times, {fate}"
    )
}
