//! CHIP: whether it loses, how long it computes, and whether its registers suffice.

use super::{Claim, Finding, Shown, Verdict, thousands};
use crate::games::chip::ChipGame;
use crate::games::chip::model::{Chip, Inputs, Side, State};
use crate::games::chip::trace::{self, Row, Stimulus, Trace};
use oxbox_proof::engine::{Board, Engine, Mark, Move, Outcome, census};
use std::collections::BTreeSet;

/// The report's promise for a move: one millisecond at 6 MHz.
const PROMISED_CLOCKS: u32 = 6_000;

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "chip-never-loses",
        system: "chip",
        claim: "the chip never loses",
        place: "report; its page at asic.ethz.ch/1989/TicTacToe.html",
        shown: Shown::Modelled,
        command: "oxbox verify chip",
        check: never_loses,
    },
    Claim {
        name: "chip-first-places",
        system: "chip",
        claim: "from every first place the game is a draw",
        place: "report",
        shown: Shown::Modelled,
        command: "oxbox verify chip --json",
        check: first_places,
    },
    Claim {
        name: "chip-clocks",
        system: "chip",
        claim: "a move within a millisecond at 6 MHz: 6,000 clocks",
        place: "report",
        shown: Shown::Modelled,
        command: "oxbox play chip --headless --keys \"u 7\" --text -",
        check: clocks,
    },
    Claim {
        name: "chip-states",
        system: "chip",
        claim: "eight states and their transitions",
        place: "report, the state table and the printed definition",
        shown: Shown::Modelled,
        command: "oxbox chip trace --table --keys \"u2 u3 c1 c4 c5 7 w5 8 w2\"",
        check: states,
    },
    Claim {
        name: "chip-first-move",
        system: "chip",
        claim: "when the chip begins it takes one of the places 0 to 7",
        place: "report, on the random first move",
        shown: Shown::Modelled,
        command: "oxbox chip trace --table --keys b7",
        check: first_move,
    },
    Claim {
        name: "chip-stack",
        system: "chip",
        claim: "a stack of eight levels, six bits wide",
        place: "report, the data path",
        shown: Shown::Modelled,
        command: "oxbox chip trace --keys 7",
        check: stack,
    },
    Claim {
        name: "chip-inverter",
        system: "chip",
        claim: "p is restored by an inverter when a level is left",
        place: "report, the data path",
        shown: Shown::Modelled,
        command: "oxbox chip trace --table --keys 7",
        check: inverter,
    },
    Claim {
        name: "chip-findfree",
        system: "chip",
        claim: "findfree from 2 with 3 to 5 taken gives 6",
        place: "report, the block findfree",
        shown: Shown::Modelled,
        command: "oxbox chip trace --table --keys \"u3 c4 u5 0\"",
        check: find_free,
    },
    Claim {
        name: "chip-no-user-test",
        system: "chip",
        claim: "the user cannot win, so nothing tests for it",
        place: "report",
        shown: Shown::Modelled,
        command: "oxbox verify chip",
        check: no_user_test,
    },
    Claim {
        name: "chip-test-mode",
        system: "chip",
        claim: "a key at the end of reset sets a stone; illegal keys are ignored; a lamp pair is 01 for the chip, 10 for the user",
        place: "report, the test mode",
        shown: Shown::Modelled,
        command: "oxbox chip trace --table --keys \"u2 c4 2 w2 6\"",
        check: test_mode,
    },
    Claim {
        name: "chip-pins",
        system: "chip",
        claim: "49 pins",
        place: "report, the pin list",
        shown: Shown::Read,
        command: "oxbox chip trace --vcd chip.vcd",
        check: pins,
    },
    Claim {
        name: "chip-simulation",
        system: "chip",
        claim: "the published simulation, clock by clock",
        place: "report, the simulation",
        shown: Shown::Modelled,
        command: "oxbox chip trace --keys \"u2 u3 c1 c4 c5 7 w5 8 w2\"",
        check: simulation,
    },
];

/// Returns the games that the user begins, then those that the chip begins, by its first cell.
pub(super) fn openings() -> impl Iterator<Item = ChipGame> {
    [ChipGame::user_begins()].into_iter().chain((0..8).map(ChipGame::chip_begins))
}

pub(super) struct Answer {
    pub(super) board: Board,
    pub(super) place: Move,
    clocks: u32,
    deepest: u8,
}

impl Answer {
    /// Whether it answers the user's first move.
    pub(super) fn is_first(&self) -> bool {
        self.board.count(Mark::X) == 1 && self.board.count(Mark::O) == 0
    }
}

/// Returns every move of the chip, over every line of play.
pub(super) fn answers() -> Vec<Answer> {
    fn walk(game: &ChipGame, answers: &mut Vec<Answer>) {
        for key in game.moves() {
            let mut board = game.board();
            board.place(key, Mark::X);
            let mut next = game.clone();
            next.play(key);
            if let Some(place) = board.free().find(|&place| next.board().get(place).is_some()) {
                let deepest = deepest(game, key);
                answers.push(Answer { board, place, clocks: next.clocks().0, deepest });
            }
            walk(&next, answers);
        }
    }
    let mut answers = Vec::new();
    openings().for_each(|game| walk(&game, &mut answers));
    answers
}

/// Returns the maximum of the stack pointer while the chip answers a key.
fn deepest(game: &ChipGame, key: Move) -> u8 {
    let mut chip = game.chip().clone();
    let mut deepest = chip.clock(Inputs { key: Some(key), ..Inputs::default() }).sp;
    while !matches!(chip.state(), State::Waiting | State::Finished) {
        deepest = deepest.max(chip.clock(Inputs::default()).sp);
    }
    deepest
}

/// Returns the lines of play that the chip wins, draws and loses.
fn lines(game: &ChipGame) -> [usize; 3] {
    let census = census(game);
    let lost = census.ends.iter().filter(|(_, board)| board.has_row(Mark::X)).count();
    [census.count(Outcome::Win(Mark::O)), census.count(Outcome::Draw), lost]
}

fn never_loses() -> Finding {
    let mut total = [0; 3];
    for game in openings() {
        for (sum, more) in total.iter_mut().zip(lines(&game)) {
            *sum += more;
        }
    }
    let [won, drawn, lost] = total;
    Finding::new(
        Verdict::of(lost == 0),
        format!(
            "{} lines of play: {} won, {drawn} drawn, {lost} lost",
            thousands(won + drawn),
            thousands(won)
        ),
    )
}

fn first_places() -> Finding {
    let mut games: Vec<(String, ChipGame)> = Vec::new();
    for place in Move::ALL {
        let mut game = ChipGame::user_begins();
        game.play(place);
        games.push((format!("the user begins on {}", place.index()), game));
    }
    games.extend((0..8).map(|place| (format!("the chip begins on {place}"), ChipGame::chip_begins(place))));
    let mut draws = 0;
    let mut details = Vec::new();
    for (who, game) in &games {
        let [won, drawn, lost] = lines(game);
        draws += usize::from(drawn > 0 && lost == 0);
        details.push(format!("{who}: {} lines, {won} won, {drawn} drawn", won + drawn));
    }
    Finding::new(
        Verdict::of(draws == games.len()),
        format!("after {draws} of {} the user can hold a draw, and nothing better", games.len()),
    )
    .with(details)
}

fn clocks() -> Finding {
    let answers = answers();
    let firsts: Vec<u32> =
        answers.iter().filter(|answer| answer.is_first()).map(|answer| answer.clocks).collect();
    let exceeded = firsts.iter().filter(|&&clocks| clocks > PROMISED_CLOCKS).count();
    let worst = |began: bool| {
        let whose = |answer: &&Answer| (answer.board.count(Mark::O) == answer.board.count(Mark::X)) == began;
        answers.iter().filter(whose).map(|answer| answer.clocks).max().unwrap_or(0)
    };
    let over = answers.iter().filter(|answer| answer.clocks > PROMISED_CLOCKS).count();
    let mut details: Vec<String> = firsts
        .iter()
        .enumerate()
        .map(|(place, clocks)| format!("the user begins on {place}: {} clocks", thousands(*clocks as usize)))
        .collect();
    details.push(format!("when the chip has begun: {} clocks at most", thousands(worst(true) as usize)));
    details.push(format!("all its moves: {over} of {} take longer than promised", thousands(answers.len())));
    Finding::new(
        Verdict::of(over == 0),
        format!(
            "exceeded in {exceeded} of {} first replies, {} clocks at most",
            firsts.len(),
            thousands(worst(false) as usize)
        ),
    )
    .with(details)
}

/// Calls `look` at each clock of every search, with the chip before and after the clock.
fn each_clock(mut look: impl FnMut(&Chip, &Chip)) {
    fn walk(game: &ChipGame, look: &mut impl FnMut(&Chip, &Chip)) {
        for key in game.moves() {
            let mut chip = game.chip().clone();
            let mut inputs = Inputs { key: Some(key), ..Inputs::default() };
            loop {
                let before = chip.clone();
                chip.clock(inputs);
                look(&before, &chip);
                inputs = Inputs::default();
                if matches!(chip.state(), State::Waiting | State::Finished) {
                    break;
                }
            }
            let mut next = game.clone();
            next.play(key);
            walk(&next, look);
        }
    }
    openings().for_each(|game| walk(&game, &mut look));
}

/// Returns the stack pointer.
fn depth(chip: &Chip) -> u8 {
    chip.clone().clock(Inputs::default()).sp
}

fn states() -> Finding {
    let mut arrows: BTreeSet<(u8, u8)> = BTreeSet::new();
    each_clock(|before, after| {
        arrows.insert((before.state() as u8, after.state() as u8));
    });
    // Leaving set-up and staying in it, waiting, and finished.
    let rows: Vec<Row> = Trace::new(Stimulus::simulation()).collect();
    arrows.extend(rows.windows(2).map(|pair| (pair[0].outputs.state as u8, pair[1].outputs.state as u8)));
    let reached: BTreeSet<u8> = arrows.iter().flat_map(|&(from, to)| [from, to]).collect();
    let name = |code: u8| State::ALL[usize::from(code)].name();
    Finding::new(
        Verdict::of(reached.len() == State::ALL.len()),
        format!(
            "{} of {} states are reached, by {} transitions; the printed definition has a ninth that repeats one of them",
            reached.len(),
            State::ALL.len(),
            arrows.len()
        ),
    )
    .with(reached.iter().map(|&from| {
        let to: Vec<&str> = arrows.iter().filter(|arrow| arrow.0 == from).map(|arrow| name(arrow.1)).collect();
        format!("{}: to {}", name(from), to.join(", "))
    }))
}

fn first_move() -> Finding {
    let places: BTreeSet<usize> = (0..=255)
        .flat_map(|counter| {
            let board = ChipGame::chip_begins(counter).board();
            Move::ALL.into_iter().filter(move |&place| board.get(place).is_some()).map(Move::index)
        })
        .collect();
    let named: Vec<String> = places.iter().map(usize::to_string).collect();
    Finding::new(
        Verdict::of(places.iter().copied().eq(0..8)),
        format!("the places {}, never 8: the counter has three bits", named.join(" ")),
    )
}

fn bits(values: usize) -> u32 {
    values.next_power_of_two().trailing_zeros()
}

fn stack() -> Finding {
    let deepest = answers().iter().map(|answer| answer.deepest).max().unwrap_or(0);
    let (mut places, mut bests, mut floors) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    each_clock(|before, after| {
        // A push stores the level's unchanged registers.
        if before.state() == State::Rating && after.state() == State::SetBoardI {
            let (place, best, floor) = before.level();
            places.insert(place);
            bests.insert(best);
            floors.insert(floor);
        }
    });
    let width = bits(Move::ALL.len()) + bits(bests.len()) + bits(floors.len());
    Finding::new(
        Verdict::of(deepest <= 8 && width <= 6),
        format!("{deepest} of 8 levels are used, over every line of play; {width} bits hold their contents"),
    )
    .with([
        format!("i: {} values occur, {} bits", places.len(), bits(Move::ALL.len())),
        format!("bestr: {bests:?}, {} bit", bits(bests.len())),
        format!("a: {floors:?}, {} bit", bits(floors.len())),
    ])
}

fn inverter() -> Finding {
    let (mut left, mut right) = (0, 0);
    each_clock(|before, after| {
        let searching = [State::SetBoardI, State::Rating, State::Returned];
        if searching.contains(&before.state()) && depth(after) < depth(before) {
            left += 1;
            // On an even level the chip's stone is tried, on an odd one the user's.
            let owner = if depth(after).is_multiple_of(2) { Side::Chip } else { Side::User };
            right += usize::from(before.side() != after.side() && after.side() == owner);
        }
    });
    Finding::new(
        Verdict::share(right, left),
        format!(
            "in {} of {} returns to a level, the inverted p is the side of that level",
            thousands(right),
            thousands(left)
        ),
    )
}

fn find_free() -> Finding {
    let mut setup = Chip::new();
    for place in 3..6 {
        setup.clock(Inputs { key: Move::new(place), ..Inputs::default() });
    }
    let found = setup.find_free(Move::new(2));
    let shown = found.map_or("none".to_owned(), |place| place.index().to_string());
    Finding::new(Verdict::of(found == Move::new(6)), format!("it gives {shown}"))
}

fn no_user_test() -> Finding {
    let (mut all, mut rows) = (0, 0);
    for game in openings() {
        let census = census(&game);
        all += census.ends.len();
        rows += census.ends.iter().filter(|(_, board)| board.has_row(Mark::X)).count();
    }
    Finding::new(
        Verdict::of(rows == 0),
        format!("the user has three in a row in {rows} of {} lines", thousands(all)),
    )
}

fn test_mode() -> Finding {
    let place = |index| Move::ALL[index];
    // A stone of each side, then a key on an occupied cell, then one on a free cell.
    let stimulus = Stimulus {
        setup: vec![(Side::User, place(2)), (Side::Chip, place(4))],
        steps: vec![trace::Step::Key(place(2)), trace::Step::Idle(2), trace::Step::Key(place(6))],
        ..Stimulus::default()
    };
    let rows: Vec<Row> = Trace::new(stimulus).collect();
    let pair = |row: &Row, index: usize| row.outputs.led >> (2 * index) & 3;
    let set = rows.iter().find(|row| row.outputs.state == State::Waiting);
    let (chip, user) = set.map_or((0, 0), |row| (pair(row, 4), pair(row, 2)));
    let waits = |row: &&Row| row.outputs.state == State::Waiting && row.inputs.key == Move::new(2);
    let ignored = rows.iter().position(|row| waits(&row)).is_some_and(|at| {
        rows.get(at + 1).is_some_and(|next| {
            next.outputs.state == State::Waiting && next.outputs.led == rows[at].outputs.led
        })
    });
    let taken = rows.iter().any(|row| pair(row, 6) == 0b10);
    Finding::new(
        Verdict::of((chip, user) == (0b01, 0b10) && ignored && taken),
        format!(
            "set-up stones show as {chip:02b} and {user:02b}; a key on a taken place {}, one on a free place {}",
            if ignored { "is ignored" } else { "is taken" },
            if taken { "is taken" } else { "is ignored" }
        ),
    )
}

fn pins() -> Finding {
    /// The report's count of signal and power pins.
    const SIGNALS: usize = 45;
    const POWER: usize = 4;
    // The model's inputs and outputs: clock, reset, pi, nine keys, eighteen lamps, fin, win,
    // prompt.
    let modelled = 1 + 1 + 1 + Move::ALL.len() + 2 * Move::ALL.len() + 3;
    Finding::new(
        Verdict::of(SIGNALS + POWER == 49),
        format!(
            "{SIGNALS} signals and {POWER} of power; {modelled} signals are modelled; one table prints three names wrongly"
        ),
    )
    .with(["the names that are printed wrongly: keyboardN 2 and 7, led 3"])
}

/// Columns of the published simulation that are inputs of the chip, and those that repeat another.
const INPUTS: [&str; 4] = ["time_ns", "resetN", "pi", "key"];
const REPEATED: [&str; 1] = ["state_name"];

fn simulation() -> Finding {
    let published: Vec<Vec<&str>> = trace::SIMULATION.lines().map(|line| line.split(',').collect()).collect();
    let Some((header, rows)) = published.split_first() else {
        return Finding::new(Verdict::Fails, "it has no rows");
    };
    let found: Vec<String> = Trace::new(Stimulus::simulation()).map(|row| row.to_string()).collect();
    let mut details = Vec::new();
    let (mut same, mut known) = (0, 0);
    let outputs: Vec<usize> = (0..header.len())
        .filter(|&column| !INPUTS.contains(&header[column]) && !REPEATED.contains(&header[column]))
        .collect();
    for &column in &outputs {
        let cells = rows.iter().zip(&found).filter(|(row, _)| row[column] != "u");
        let (mut right, mut all) = (0, 0);
        for (row, found) in cells {
            all += 1;
            right += usize::from(found.split(',').nth(column) == Some(row[column]));
        }
        same += right;
        known += all;
        details.push(format!("{}: {right} of {all} cells", header[column]));
    }
    let others: Vec<&str> = trace::HEADER.split(',').skip(header.len()).collect();
    details.push(format!(
        "{}: computed for each clock. Our transcript of the simulation does not have them; they agree with the print",
        others.join(", ")
    ));
    details.push("inputs: resetN, pi, the key; the keyboard is printed with 8 of its 9 digits".to_owned());
    Finding::new(
        Verdict::of(same == known && found.len() == rows.len()),
        format!(
            "{} clocks: {same} of {known} known cells in {} output columns agree; FIN, WIN and PROMPT are computed, too",
            rows.len(),
            outputs.len()
        ),
    )
    .with(details)
}
