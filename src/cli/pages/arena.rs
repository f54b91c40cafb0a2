//! The page of `oxbox arena --html`: first players down, second players across, each match in the
//! colours of its result.

use oxbox::engine::arena::{Match, Score, Table, Total};
use oxbox::games;
use oxbox::media::markup::escaped;

use super::grouped;
use super::live::Live;

const STYLE: &str = include_str!("arena.css");

/// Returns the page; `introduction` explains the counts. With `live`, the games get links to it.
pub(crate) fn page(table: &Table, introduction: &str, live: Option<&Live>) -> String {
    let called = |name: &str| match live.filter(|_| games::find(name).is_some()) {
        Some(live) => format!("<a href=\"{}\">{}</a>", escaped(&live.program(name)), escaped(name)),
        None => escaped(name),
    };
    let names: Vec<&str> = table.totals.iter().map(|total| total.player).collect();
    let mut body = format!(
        "<header><h1>Every engine against every other</h1>\n<p>{}</p></header>\n\
         <p class=\"legend\"><span class=\"wins\">wins</span> <span class=\"draws\">draws</span> <span class=\"losses\">losses</span> \
         of the one who opens</p>\n\
         <div class=\"wide\" role=\"region\" aria-label=\"The matches\" tabindex=\"0\"><table class=\"matrix\">\n<thead><tr>\
         <th scope=\"col\">opens</th>",
        escaped(introduction)
    );
    for name in &names {
        body += &format!("<th scope=\"col\">{}</th>", called(name));
    }
    body += "</tr></thead><tbody>\n";
    for first in &names {
        body += &format!("<tr><th scope=\"row\">{}</th>", called(first));
        for second in &names {
            let met = table.matches.iter().find(|m| m.first == *first && m.second == *second);
            cell(&mut body, met);
        }
        body += "</tr>\n";
    }
    body += "</tbody></table></div>\n<h2>In all</h2>\n<p>Both sides of all matches with others.</p>\n\
             <div class=\"wide\" role=\"region\" aria-label=\"The sums\" tabindex=\"0\"><table class=\"sums\"><thead><tr>\
             <th scope=\"col\">player</th><th scope=\"col\">result</th><th scope=\"col\">lines</th><th scope=\"col\">wins</th>\
             <th scope=\"col\">draws</th><th scope=\"col\">losses</th></tr></thead><tbody>\n";
    for Total { player, score } in &table.totals {
        let Score { wins, draws, losses } = *score;
        let cells: String = [score.lines(), wins, draws, losses]
            .iter()
            .map(|count| format!("<td>{}</td>", grouped(*count)))
            .collect();
        body += &format!(
            "<tr><th scope=\"row\">{}</th><td class=\"result\">{}</td>{cells}</tr>\n",
            called(player),
            bar(*score)
        );
    }
    body += "</tbody></table></div>\n<p>The same as text: <code>oxbox arena</code>.</p>\n";
    super::page("oxbox arena", STYLE, &body)
}

fn cell(body: &mut String, met: Option<&Match>) {
    let Some(score) = met.and_then(|met| met.score).filter(|score| score.lines() > 0) else {
        *body += "<td class=\"none\" title=\"one of the two cannot take its side\">\u{2013}</td>";
        return;
    };
    let Score { wins, draws, losses } = score;
    let most = [(wins, "wins"), (draws, "draws"), (losses, "losses")];
    let (_, class) = most.into_iter().rev().max_by_key(|(count, _)| *count).unwrap_or_default();
    *body += &format!(
        "<td class=\"match {class}\"><span class=\"counts\"><b>{}</b> {} <i>{}</i></span>{}</td>",
        grouped(wins),
        grouped(draws),
        grouped(losses),
        bar(score)
    );
}

/// Returns a bar with the three results in proportion.
fn bar(score: Score) -> String {
    let Score { wins, draws, losses } = score;
    let part = |count: usize, class: &str| {
        let percent = 100.0 * count as f64 / score.lines().max(1) as f64;
        format!("<span class=\"{class}\" style=\"width:{percent:.2}%\"></span>")
    };
    let words = format!("{wins} wins, {draws} draws, {losses} losses");
    let parts = [part(wins, "wins"), part(draws, "draws"), part(losses, "losses")].concat();
    format!("<span class=\"bar\" role=\"img\" aria-label=\"{words}\" title=\"{words}\">{parts}</span>")
}
