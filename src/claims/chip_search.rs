//! CHIP: its search compared with minimax, and with the recursive program of the report.

use super::chip::{Answer, answers, openings};
use super::{Claim, Finding, Shown, Verdict, thousands};
use crate::games::chip::search::{Cuts, Search, search};
use oxbox_proof::engine::{Mark, census};

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "chip-alpha-beta",
        system: "chip",
        claim: "alpha-beta finds the moves of minimax from a part of its tree",
        place: "report, figure 1 and the text on alpha-beta",
        shown: Shown::Modelled,
        command: "oxbox model chip-search",
        check: alpha_beta,
    },
    Claim {
        name: "chip-depth",
        system: "chip",
        claim: "alpha-beta allows a third more depth",
        place: "report, the text on alpha-beta",
        shown: Shown::Modelled,
        command: "oxbox model chip-search",
        check: depth,
    },
    Claim {
        name: "chip-recursion",
        system: "chip",
        claim: "the recursive program of appendix F is the same algorithm",
        place: "report, appendix F",
        shown: Shown::Modelled,
        command: "oxbox model chip-search",
        check: recursion,
    },
];

/// Returns the maximum and the sum of a cost over all searches.
fn cost(searches: &[Search], of: impl Fn(&Search) -> u32) -> (usize, usize) {
    let most = searches.iter().map(&of).max().unwrap_or(0);
    (most as usize, searches.iter().map(|search| of(search) as usize).sum())
}

/// Returns a mean, rounded to one decimal.
fn mean(sum: usize, count: usize) -> String {
    let tenths = (10 * sum + count / 2) / count.max(1);
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Returns the recursive search on each board of the chip, and how often it takes the same cell.
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
    Finding::new(
        Verdict::of(same == answers.len()),
        format!(
            "the same move in {} of {}, in all {} lines; {} calls a move at most, {} on average",
            thousands(same),
            thousands(answers.len()),
            thousands(lines),
            thousands(most),
            mean(sum, answers.len())
        ),
    )
    .with([format!("{} calls in all", thousands(sum))])
}

/// The number of stones tried per move, over all moves of the chip, with each kind of cut, and the
/// number of moves that are the chip's.
struct Costs {
    with: Vec<Search>,
    at_win: Vec<Search>,
    without: Vec<Search>,
    same: [usize; 3],
}

fn costs(answers: &[Answer]) -> Costs {
    let (with, same_with) = searches(answers, Cuts::AlphaBeta);
    let (at_win, same_at_win) = searches(answers, Cuts::AtWin);
    let (without, same_without) = searches(answers, Cuts::None);
    Costs { with, at_win, without, same: [same_with, same_at_win, same_without] }
}

fn alpha_beta() -> Finding {
    let answers = answers();
    let Costs { with, at_win, without, same } = costs(&answers);
    let sums = [&with, &at_win, &without].map(|found| cost(found, |search| search.stones).1);
    let [sum_with, sum_at_win, sum_without] = sums;
    let mut details: Vec<String> = Vec::new();
    let kinds = with.iter().zip(&at_win).zip(&without);
    for (place, (_, ((with, at_win), without))) in
        answers.iter().zip(kinds).filter(|(answer, _)| answer.is_first()).enumerate()
    {
        let [with, at_win, without] = [with, at_win, without].map(|search| thousands(search.stones as usize));
        details.push(format!(
            "the user begins on {place}: {with} nodes with it, {at_win} by figure 1, {without} exhaustively"
        ));
    }
    Finding::new(
        Verdict::of(same == [answers.len(); 3] && sum_with < sum_at_win && sum_at_win < sum_without),
        format!(
            "{} nodes a move with it, {} by figure 1, which stops at a win, {} exhaustively: a gain of {} and of {}; the \
             same moves",
            mean(sum_with, answers.len()),
            mean(sum_at_win, answers.len()),
            mean(sum_without, answers.len()),
            mean(sum_at_win, sum_with),
            mean(sum_without, sum_with)
        ),
    )
    .with(details)
}

fn depth() -> Finding {
    // A tree of depth d has about b^d nodes, so the same number of nodes reaches log(full) /
    // log(cut) times as deep.
    let answers = answers();
    let Costs { with, at_win, without, .. } = costs(&answers);
    let more = |full: &[Search]| -> Vec<f64> {
        let firsts = answers.iter().zip(&with).zip(full).filter(|((answer, _), _)| answer.is_first());
        let ratio = |cut: &Search, full: &Search| f64::from(full.stones).ln() / f64::from(cut.stones).ln();
        firsts.map(|((_, cut), full)| 100.0 * (ratio(cut, full) - 1.0)).collect()
    };
    let mean = |percents: &[f64]| percents.iter().sum::<f64>() / percents.len().max(1) as f64;
    let (all, figure) = (more(&without), more(&at_win));
    let a_third = |percents: &[f64]| mean(percents) >= 100.0 / 3.0;
    Finding::new(
        Verdict::share(usize::from(a_third(&all)) + usize::from(a_third(&figure)), 2),
        format!(
            "{:.0}% more against the exhaustive tree, {:.0}% against figure 1: means of the nine first replies",
            mean(&all),
            mean(&figure)
        ),
    )
    .with(all.iter().zip(&figure).enumerate().map(|(place, (all, figure))| {
        format!("the user begins on {place}: {all:.0}% and {figure:.0}%, by the logarithms of the nodes")
    }))
}
