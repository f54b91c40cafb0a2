//! CHIP: does it lose, how long does it think, and a second witness for its moves.

use super::{Claim, Finding, Verdict, thousands};
use crate::engine::{Board, Engine, Mark, Move, Outcome, census};
use crate::games::chip::model::{Inputs, State};
use crate::games::chip::search::{Cuts, Search, search};
use crate::games::chip::{ChipGame, trace};

/// The report's promise for a move: one millisecond at 6 MHz.
const PROMISED_CLOCKS: u32 = 6_000;

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "chip-never-loses",
        system: "chip",
        claim: "the chip never loses",
        place: "report; its page at asic.ethz.ch/1989/TicTacToe.html",
        command: "oxbox verify chip",
        check: never_loses,
    },
    Claim {
        name: "chip-first-places",
        system: "chip",
        claim: "from every first place the game is a draw",
        place: "report",
        command: "oxbox claims chip-first-places",
        check: first_places,
    },
    Claim {
        name: "chip-clocks",
        system: "chip",
        claim: "a move within a millisecond at 6 MHz: 6,000 clocks",
        place: "report",
        command: "oxbox claims chip-clocks",
        check: clocks,
    },
    Claim {
        name: "chip-recursion",
        system: "chip",
        claim: "the state machine plays the moves of the recursive program",
        place: "report, appendix F",
        command: "oxbox claims chip-recursion",
        check: recursion,
    },
    Claim {
        name: "chip-stack",
        system: "chip",
        claim: "a stack of eight levels is deep enough",
        place: "report",
        command: "oxbox claims chip-stack",
        check: stack,
    },
    Claim {
        name: "chip-alpha-beta",
        system: "chip",
        claim: "minimax with alpha-beta pruning: the moves of minimax, from a part of its tree",
        place: "report",
        command: "oxbox claims chip-alpha-beta",
        check: alpha_beta,
    },
    Claim {
        name: "chip-simulation",
        system: "chip",
        claim: "the published simulation, clock by clock",
        place: "report, the simulation",
        command: "oxbox chip trace --keys \"u2 u3 c1 c4 c5 7 w5 8 w2\"",
        check: simulation,
    },
];

/// Games in which the user begins, then those in which the chip does, by the place that it takes.
fn openings() -> impl Iterator<Item = ChipGame> {
    [ChipGame::user_begins()].into_iter().chain((0..8).map(ChipGame::chip_begins))
}

/// A move of the chip.
struct Answer {
    /// The board that it has to answer.
    board: Board,
    /// The place that it takes.
    place: Move,
    clocks: u32,
    /// The stack pointer at its highest.
    deepest: u8,
}

impl Answer {
    /// It answers the user's first move.
    fn is_first(&self) -> bool {
        self.board.count(Mark::X) == 1 && self.board.count(Mark::O) == 0
    }
}

/// Every move of the chip, over every line of play.
fn answers() -> Vec<Answer> {
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

/// How high the stack pointer goes while the chip answers a key.
fn deepest(game: &ChipGame, key: Move) -> u8 {
    let mut chip = game.chip().clone();
    let mut deepest = chip.clock(Inputs { key: Some(key), ..Inputs::default() }).sp;
    while !matches!(chip.state(), State::Waiting | State::Finished) {
        deepest = deepest.max(chip.clock(Inputs::default()).sp);
    }
    deepest
}

/// Lines of play that the chip wins, nobody wins and the user wins.
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
    Finding {
        verdict: Verdict::of(lost == 0),
        figure: format!(
            "{} lines of play: {} won, {drawn} drawn, {lost} lost",
            thousands(won + drawn),
            thousands(won)
        ),
        details: Vec::new(),
    }
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
    Finding {
        verdict: Verdict::of(draws == games.len()),
        figure: format!("after {draws} of {} the user can hold a draw, and never more", games.len()),
        details,
    }
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
    Finding {
        verdict: Verdict::of(over == 0),
        figure: format!(
            "exceeded in {exceeded} of {} first replies, {} clocks at most",
            firsts.len(),
            thousands(worst(false) as usize)
        ),
        details,
    }
}

/// The most and the sum of what all searches have of something.
fn cost(searches: &[Search], of: impl Fn(&Search) -> u32) -> (usize, usize) {
    let most = searches.iter().map(&of).max().unwrap_or(0);
    (most as usize, searches.iter().map(|search| of(search) as usize).sum())
}

/// A mean with one decimal, rounded.
fn mean(sum: usize, count: usize) -> String {
    let tenths = (10 * sum + count / 2) / count.max(1);
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// The recursion on every board that the chip has to answer, and how often it takes the same place.
fn searches(answers: &[Answer], cuts: Cuts) -> (Vec<Search>, usize) {
    let found: Vec<Search> = answers.iter().map(|answer| search(answer.board, Mark::O, cuts)).collect();
    let same = found.iter().zip(answers).filter(|(found, answer)| found.place == Some(answer.place)).count();
    (found, same)
}

fn recursion() -> Finding {
    let answers = answers();
    let (found, same) = searches(&answers, Cuts::AlphaBeta);
    let (most, sum) = cost(&found, |search| search.calls);
    let lines: usize = openings().map(|game| census(&game).ends.len()).sum();
    Finding {
        verdict: Verdict::of(same == answers.len()),
        figure: format!(
            "the same move in {} of {}, in all {} lines; {} calls a move at most, {} on average",
            thousands(same),
            thousands(answers.len()),
            thousands(lines),
            thousands(most),
            mean(sum, answers.len())
        ),
        details: vec![format!("{} calls in all", thousands(sum))],
    }
}

fn stack() -> Finding {
    let answers = answers();
    let deepest = answers.iter().map(|answer| answer.deepest).max().unwrap_or(0);
    let (nested, _) = cost(&searches(&answers, Cuts::AlphaBeta).0, |search| search.deepest);
    Finding {
        verdict: Verdict::of(deepest <= 8),
        figure: format!("{deepest} of 8 at most, over every line of play"),
        details: vec![format!("the recursion's calls nest {nested} deep below the first")],
    }
}

fn alpha_beta() -> Finding {
    let answers = answers();
    let (with, same_with) = searches(&answers, Cuts::AlphaBeta);
    let (without, same_without) = searches(&answers, Cuts::None);
    let ((most_with, sum_with), (most_without, sum_without)) =
        (cost(&with, |search| search.stones), cost(&without, |search| search.stones));
    let costs = answers.iter().zip(with.iter().zip(&without)).filter(|(answer, _)| answer.is_first());
    let details = costs.enumerate().map(|(place, (_, (with, without)))| {
        let [with, without] = [with, without].map(|search| thousands(search.stones as usize));
        format!("the user begins on {place}: {with} nodes with, {without} without")
    });
    Finding {
        verdict: Verdict::of([same_with, same_without] == [answers.len(); 2] && sum_with < sum_without),
        figure: format!(
            "{} nodes a move with it, {} without; {} and {} at most; the same moves",
            mean(sum_with, answers.len()),
            mean(sum_without, answers.len()),
            thousands(most_with),
            thousands(most_without)
        ),
        details: details.collect(),
    }
}

fn simulation() -> Finding {
    let published: Vec<&str> = trace::SIMULATION.lines().collect();
    let found: Vec<String> =
        trace::Trace::new(trace::Stimulus::simulation()).map(|row| row.to_string()).collect();
    let columns = published[0].split(',').count();
    let same = found
        .iter()
        .zip(&published[1..])
        .filter(|(found, published)| found.split(',').take(columns).eq(published.split(',')));
    let (same, clocks) = (same.count(), published.len() - 1);
    Finding {
        verdict: Verdict::of(same == clocks && found.len() == clocks),
        figure: format!("{same} of {clocks} clocks in all {columns} columns"),
        details: Vec::new(),
    }
}
