//! EECS-2100: the submitted game, its sounds and screens.

use super::execute::{execute, heard, pictures as pictures_of, start};
use super::{Claim, Finding, Shown, Verdict};
use crate::games::eecs2100::{Eecs2100, Eecs2100Twin, keypad};
use oxbox_machine::hardware::speaker::Note;
use oxbox_proof::engine::tune::Pitch;
use oxbox_proof::engine::{Board, Engine, Mark, Move, Outcome, census};
use oxbox_proof::verify::Twin;

const README: &str = "README of the sources";

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "eecs2100-unbeatable",
        system: "eecs2100",
        claim: "the game is impossible to beat: the best a player can do is a tie",
        place: "README of the sources, Project Goals",
        shown: Shown::Executed,
        command: "oxbox verify eecs2100",
        check: unbeatable,
    },
    Claim {
        name: "eecs2100-sounds",
        system: "eecs2100",
        claim: "nbc sounds at each move, wah when the human loses or draws, castle when the human wins",
        place: README,
        shown: Shown::Executed,
        command: "oxbox tune eecs2100",
        check: sounds,
    },
    Claim {
        name: "eecs2100-sixth",
        system: "eecs2100",
        claim: "nbc is a major sixth",
        place: README,
        shown: Shown::Executed,
        command: "oxbox tune eecs2100 nbc",
        check: sixth,
    },
    Claim {
        name: "eecs2100-notes",
        system: "eecs2100",
        claim: "wah is a concert F and a concert B; nbc ends on F",
        place: "Optional.asm, comments on the sounds",
        shown: Shown::Executed,
        command: "oxbox tune eecs2100 wah",
        check: notes,
    },
    Claim {
        name: "eecs2100-removed-block",
        system: "eecs2100",
        claim: "a block of code that let the player win was commented out, and later removed",
        place: README,
        shown: Shown::Modelled,
        command: "oxbox model eecs2100-corner",
        check: removed_block,
    },
    Claim {
        name: "eecs2100-winning-states",
        system: "eecs2100",
        claim: "eight winning states are checked, for both marks",
        place: "assignment, Player's Turn",
        shown: Shown::Modelled,
        command: "oxbox verify eecs2100",
        check: winning_states,
    },
    Claim {
        name: "eecs2100-keys",
        system: "eecs2100",
        claim: "keys 1 to 9 are arranged as on the keypad, and invalid entries are ignored",
        place: "assignment, Player's Turn",
        shown: Shown::Executed,
        command: "oxbox play eecs2100 --headless --keys \"SP 7 7 x\" --shot keys.png",
        check: keys,
    },
    Claim {
        name: "eecs2100-pictures",
        system: "eecs2100",
        claim: "the pictures that are drawn between two key waits",
        place: "the linked program, keys SP 5",
        shown: Shown::Executed,
        command: "oxbox play eecs2100 --headless --keys \"SP 5\" --gif sp5.gif",
        check: pictures,
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
        match execute("eecs2100", &mut Eecs2100Twin::new(), &typed) {
            Ok(Some(Outcome::Win(Mark::X))) => {
                executed += 1;
                format!("executed, the player wins: {keys}")
            }
            Ok(_) => format!("the player does not win: {keys}"),
            Err(what) => format!("{keys}: {what}"),
        }
    });
    let details: Vec<String> = details.collect();
    Finding::new(
        Verdict::of(won.is_empty()),
        format!("the player wins {} of {lines} lines of play, {executed} of them executed", won.len()),
    )
    .with(details)
}

/// Returns the interval between two pitches in cents, hundredths of a semitone.
fn cents(from: &Note, to: &Note) -> i64 {
    (1200.0 * (to.hertz() / from.hertz()).log2()).round() as i64
}

/// Returns the notes after `SP` and these keys, the last of which ends or continues the game.
fn notes_after(keys: &[u8]) -> Vec<Note> {
    let program = start("eecs2100").map(|mut program| {
        program.press(b" ");
        program.press(keys);
        program
    });
    program.map(|program| heard(&program).to_vec()).unwrap_or_default()
}

fn sounds() -> Finding {
    // The last key of each game, and the notes after it.
    let cases: [(&str, &[u8], &[&str]); 4] = [
        ("a move", b"5", &["nbc"]),
        ("a loss", b"137", &["nbc", "wah"]),
        ("a tie", b"67138", &["nbc", "wah"]),
        ("a victory", b"5173", &["nbc", "castle"]),
    ];
    let mut right = 0;
    let details = cases.map(|(what, keys, names)| {
        let mut twin = Eecs2100Twin::new();
        twin.press(b' ');
        keys.iter().for_each(|&key| twin.press(key));
        let tunes = twin.tunes().unwrap_or_default();
        let beeps = tunes.iter().flat_map(|tune| tune.beeps).filter_map(|beep| beep.divisor.map(u32::from));
        let found: Vec<u32> = notes_after(keys).iter().map(|note| note.divisor).collect();
        let played: Vec<&str> = tunes.iter().map(|tune| tune.name).collect();
        let same = played == names && distinct(&found) == distinct(&beeps.collect::<Vec<_>>());
        right += usize::from(same);
        format!("after {what}: {} ({} notes heard)", played.join(", "), found.len())
    });
    Finding::new(
        Verdict::share(right, cases.len()),
        format!("after {right} of {} kinds of move", cases.len()),
    )
    .with(details)
}

/// Returns a series without repetitions: two equal notes in a row may be heard as one or two.
fn distinct(series: &[u32]) -> Vec<u32> {
    let mut series = series.to_vec();
    series.dedup();
    series
}

fn sixth() -> Finding {
    /// A major sixth of equal temperament.
    const SIXTH: i64 = 900;
    let notes = notes_after(b"5");
    let [first, second, ..] = notes.as_slice() else {
        return Finding::new(Verdict::Fails, "the move is silent");
    };
    let found = cents(first, second);
    Finding::new(
        Verdict::of((found - SIXTH).abs() < 50),
        format!(
            "{found} cents from {:.1} to {:.1} Hz; a major sixth has {SIXTH}",
            first.hertz(),
            second.hertz()
        ),
    )
}

fn notes() -> Finding {
    let (nbc, loss) = (notes_after(b"5"), notes_after(b"137"));
    let wah: Vec<&Note> = loss.iter().skip(nbc.len()).collect();
    let named = [
        ("wah 1", "F", wah.first().copied()),
        ("wah 2", "B", wah.get(1).copied()),
        ("nbc 3", "F", nbc.get(2)),
    ];
    let mut right = 0;
    let mut worst = 0;
    let details = named.map(|(which, name, note)| {
        let Some(note) = note else { return format!("{which}: silent") };
        let pitch = Pitch::of(note.hertz());
        let is_named = Pitch { cents: 0, ..pitch }.to_string().trim_end_matches(char::is_numeric) == name;
        right += usize::from(is_named);
        worst = worst.max(pitch.cents.abs());
        format!("{which}: {name} is {:.2} Hz, {pitch}", note.hertz())
    });
    Finding::new(
        Verdict::share(right, named.len()),
        format!("{right} of {} notes have their names, {worst} cents off at most", named.len()),
    )
    .with(details)
}

fn removed_block() -> Finding {
    let lost = |game: Eecs2100| census(&game).count(Outcome::Win(Mark::X));
    let centre = |mut game: Eecs2100| {
        game.play(Move::ALL[4]);
        lost(game)
    };
    let (all, after_centre) = (lost(Eecs2100::new()), centre(Eecs2100::new()));
    let corner = Eecs2100::with_corner_reply();
    Finding::new(
        Verdict::Open,
        format!(
            "the sources do not show which; with a corner as reply to the centre still {} of {} lines lose",
            lost(corner),
            census(&corner).ends.len()
        ),
    )
    .with([
        format!("as submitted, {all} lines lose, {after_centre} of them after the centre"),
        format!("with the corner {} lose after the centre", centre(corner)),
    ])
}

/// Returns a board from a number of 9 digits in base 3.
fn filling(number: usize) -> Board {
    Board::from_cells(|cell| {
        [None, Some(Mark::X), Some(Mark::O)][number / 3usize.pow(cell.index() as u32) % 3]
    })
}

fn winning_states() -> Finding {
    let fillings = || (0..3usize.pow(9)).map(filling);
    let mut seen = 0;
    let mut details = Vec::new();
    for mark in [Mark::X, Mark::O] {
        let rows = fillings()
            .filter(|board| board.count(mark) == 3 && board.count(mark.other()) == 0 && board.has_row(mark));
        seen += rows.filter(|&board| Eecs2100::sees_row(board, mark)).count();
        let wrong =
            fillings().filter(|&board| Eecs2100::sees_row(board, mark) != board.has_row(mark)).count();
        details.push(format!(
            "of all 19,683 fillings {wrong} are misjudged for {mark:?}: a middle column is skipped"
        ));
    }
    let census = census(&Eecs2100::new());
    let games = census.ends.iter().filter(|(outcome, board)| {
        [Mark::X, Mark::O].iter().any(|&mark| (*outcome == Outcome::Win(mark)) != board.has_row(mark))
    });
    details.push(format!(
        "of the {} games that can be played {} end wrongly",
        census.ends.len(),
        games.count()
    ));
    Finding::new(Verdict::share(seen, 16), format!("{seen} of 16 rows are found, eight a mark")).with(details)
}

fn keys() -> Finding {
    let placed = Move::ALL.into_iter().filter(|&cell| {
        let lies = usize::from(keypad(cell) - b'1');
        let (row, column) = (2 - lies / 3, lies % 3);
        let typed = [b' ', keypad(cell)];
        (row, column) == (cell.y(), cell.x())
            && execute("eecs2100", &mut Eecs2100Twin::new(), &typed) == Ok(None)
    });
    let placed = placed.count();
    let refused = b"57 0:xq/\x1b".to_vec();
    let ignored = start("eecs2100").map(|mut program| {
        program.press(b" 57");
        let before = program.shot();
        let same = |key: &&u8| {
            program.press(&[**key]);
            program.shot() == before && heard(&program).is_empty()
        };
        refused.iter().filter(same).count()
    });
    let ignored = ignored.unwrap_or_default();
    Finding::new(
        Verdict::of(placed == 9 && ignored == refused.len()),
        format!(
            "{placed} of 9 keys are arranged as on the keypad; {ignored} of {} other keys change nothing",
            refused.len()
        ),
    )
}

/// The number of pictures in the GIF of `SP 5` of the original, linked from its sources.
const PICTURES_OF_THE_ORIGINAL: usize = 54;

fn pictures() -> Finding {
    match pictures_of("eecs2100", " 5") {
        Err(what) => Finding::new(Verdict::Fails, what),
        Ok((count, ms)) => Finding::new(
            Verdict::Answered,
            format!(
                "ours shows {count} in {}.{:02} s, the original {PICTURES_OF_THE_ORIGINAL} in the same time, as it draws shape by shape",
                ms / 1000,
                ms % 1000 / 10
            ),
        )
        .with(["looked at each 20 ms; the film holds each wait for 0.7 s more".to_owned()]),
    }
}
