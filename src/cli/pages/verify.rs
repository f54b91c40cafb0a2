//! The page of `oxbox verify --html`: every line of the games with the programs' screens.

use std::io;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use oxbox::games::Game;
use oxbox::media::markup::escaped;
use oxbox::verify::{Covers, GameReport, Games, KeyClass, Open, Tree};
use serde_json::{Value, json};

use super::live::Live;
use super::tree::{Marked, data, marked, words};
use super::{grouped, screens};
use crate::cli::failure::Failure;

const STYLE: &str = include_str!("verify.css");
const SCRIPT: &str = include_str!("verify.js");

pub(crate) struct Verified<'a> {
    pub(crate) game: &'a Game,
    /// The arguments of `oxbox` that play the program: `play ttt1`.
    pub(crate) command: String,
    pub(crate) report: &'a GameReport,
    pub(crate) tree: Tree,
    /// The name of the program where it is played in the browser.
    pub(crate) published: String,
}

/// Returns the page; `live` adds a link to each position. Fails if a screen cannot be drawn.
pub(crate) fn page(games: &[Verified], live: Option<&Live>) -> Result<String, Failure> {
    let names: Vec<&str> = games.iter().map(|verified| verified.game.name).collect();
    let title = format!("Every line of {}", names.join(", "));
    let mut told: Vec<Value> = Vec::new();
    let mut sections = String::new();
    for verified in games {
        let marked = marked(&verified.tree);
        let tree = data(&verified.tree, &marked).map_err(|error| Failure::Host(error.to_string()))?;
        let Verified { game, command, published, .. } = verified;
        let address = live.map(|live| live.program(published));
        told.push(
            json!({ "name": game.name, "title": game.title, "command": command, "live": address, "tree": tree }),
        );
        section(&mut sections, verified, &marked, live);
    }
    let font = screens::font().map_err(Failure::Host)?;
    let all = json!({ "alphabet": screens::alphabet(), "font": font, "games": told });
    let links: String = games
        .iter()
        .map(|verified| format!("<a href=\"#{0}/\">{0}</a>", escaped(verified.game.name)))
        .collect();
    let body = format!(
        "<header><h1>{}</h1>\n<p>Each position in which the program waits for a key, with its screen. All were compared with the native twin.</p>\n<nav aria-label=\"Games\">{links}</nav></header>\n{EXPLORER}{sections}\
         <script type=\"application/gzip\" id=\"data\">{}</script>\n<script>//<![CDATA[\n{SCRIPT}//]]></script>\n",
        escaped(&title),
        packed(&all).map_err(|error| Failure::Host(error.to_string()))?
    );
    Ok(super::page(&title, STYLE, &body))
}

/// Packs JSON with gzip and base64: screens repeat, and the page becomes a sixth as large.
fn packed(value: &Value) -> io::Result<String> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    serde_json::to_writer(&mut packer, value)?;
    Ok(STANDARD.encode(packer.finish()?))
}

/// The part that the script fills.
const EXPLORER: &str = "\
<noscript><p>The tree of lines needs JavaScript; the notable lines are listed below.</p></noscript>
<form id=\"search\" role=\"search\"><label for=\"typed\">Keys</label> <input id=\"typed\" type=\"search\" autocomplete=\"off\" \
spellcheck=\"false\" placeholder=\"SP 5 1 7\" aria-describedby=\"answer\"/> <button>Go there</button> <span id=\"answer\" role=\"status\">\
</span></form>
<div id=\"explorer\" hidden=\"hidden\">
<div id=\"tree\" role=\"tree\" aria-label=\"Every line of play\"></div>
<section id=\"here\" aria-label=\"The position\">
<p id=\"path\"></p>
<div id=\"screen\"></div>
<p id=\"told\"></p>
<p id=\"play\"><code id=\"command\"></code> <button id=\"copy\" type=\"button\">Copy</button> <a id=\"live\" hidden=\"hidden\">Play on from here</a></p>
<ul id=\"next\"></ul>
<details id=\"words\"><summary>The screen as text</summary><pre id=\"text\"></pre></details>
</section>
</div>
";

/// Writes the information about a game, and its notable lines.
fn section(page: &mut String, verified: &Verified, marked: &[Marked], live: Option<&Live>) {
    let Verified { game, report, tree, published, .. } = verified;
    let name = escaped(game.name);
    *page += &format!(
        "<section class=\"game\" id=\"about-{name}\"><h2>{}</h2>\n<p>{} {}, {}.</p>\n<table><tbody>",
        escaped(game.title),
        escaped(game.about),
        escaped(game.author),
        game.year
    );
    let mut row = |what: &str, value: usize, class: &str| {
        *page +=
            &format!("<tr><th scope=\"row\">{what}</th><td class=\"{class}\">{}</td></tr>", grouped(value));
    };
    row("complete lines", report.lines, "");
    for (outcome, lines) in &report.outcomes {
        row(&escaped(words(outcome)), *lines, &format!("of {}", escaped(outcome)));
    }
    row("divergences", report.divergences, "");
    row("positions on this page", tree.nodes.len(), "");
    row("screens on this page", tree.screens.len(), "");
    *page += "</tbody></table>\n";
    for Marked { what, lines, .. } in marked {
        *page += &format!(
            "<details class=\"marked\" open=\"open\"><summary>\u{2605} {}: {} {}</summary><ul>",
            escaped(what),
            grouped(lines.len()),
            if lines.len() == 1 { "line" } else { "lines" }
        );
        for keys in lines {
            let there = live.map(|live| escaped(&live.position(published, keys)));
            let play = there.map_or_else(String::new, |there| {
                format!(
                    " <a class=\"live\" href=\"{there}\" aria-label=\"Play on after {}\">play</a>",
                    escaped(keys)
                )
            });
            let keys = escaped(keys);
            *page += &format!("<li><a href=\"#{name}/{}\">{keys}</a>{play}</li>", keys.replace(' ', "%20"));
        }
        *page += "</ul></details>\n";
    }
    *page += "<details class=\"covers\"><summary>What the proof covers</summary><dl>";
    for (what, told) in statement(report) {
        *page += &format!("<dt>{}</dt><dd>{}</dd>", escaped(what), escaped(&told));
    }
    *page += "</dl></details>\n</section>\n";
}

/// Returns the number of consecutive games that a proof covers.
pub(crate) fn in_a_row(games: Games) -> String {
    match games {
        Games::Up(games) => format!("up to {games}"),
        _ => "any number".to_owned(),
    }
}

pub(crate) fn compared(covers: &Covers) -> Vec<&'static str> {
    covers.channels.iter().filter(|(_, is_compared)| **is_compared).map(|(name, _)| *name).collect()
}

/// Returns the statement of a proof as lines: subject and text.
fn statement(game: &GameReport) -> Vec<(&'static str, String)> {
    let Covers { keys, key_count, key_kinds, typed_ahead, games, starts, merging, allowed, not, .. } =
        &game.covers;
    let kinds = key_kinds.map_or(String::new(), |kinds| format!(", {kinds} kinds"));
    let mut lines: Vec<(&str, String)> = vec![("Keys", format!("{key_count} tried{kinds}"))];
    lines.extend(keys.iter().map(|KeyClass { class, effect, .. }| ("Keys", format!("{class}: {effect}"))));
    lines.push(("Keys typed ahead", typed_ahead.clone()));
    lines.push(("Games in a row", in_a_row(*games)));
    lines.push(("Compared", compared(&game.covers).join(", ")));
    lines.extend(starts.iter().map(|(condition, value)| ("At the start", format!("{condition}: {value}"))));
    lines.extend(merging.iter().map(|rests| ("Two states are equal if", rests.clone())));
    lines.extend(
        allowed.iter().map(|Open { what, why, .. }| ("The twin leaves open", format!("{what}: {why}"))),
    );
    lines.extend(not.iter().map(|Open { what, why, .. }| ("Not covered", format!("{what}: {why}"))));
    lines
}
