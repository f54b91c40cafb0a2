//! The similarity of submissions as a page with pairs side by side, and as JSON.

use serde_json::{Value, json};

use crate::{Compared, Likeness, Pair, Report, WORTH_A_LOOK};
use oxbox_media::markup::{self, escaped};

const STYLE: &str = concat!(include_str!("html.css"), include_str!("likeness.css"));

const MOST_ROWS: usize = 200;

/// The number of pairs shown side by side, unless more deserve review.
const SHOWN: usize = 10;

/// The number of passage colours in the style sheet.
const COLOURS: usize = 6;

const LIMITS: &str = "<p>A score shows how much two programs have in common, not why. Before you speak to anybody, look at the sources, \
    and consider how many ways there are to solve the exercise.</p>\n<ul>\n\
    <li>Recognised: other names, comments and layout; registers and variables that are swapped; procedures in another order; \
    code that is never executed; common ways to write the same, such as <code>xor ax, ax</code> \
    for <code>mov ax, 0</code>.</li>\n\
    <li>Partly recognised: procedures that were inlined, and several disguises together.</li>\n\
    <li>Not recognised: independent instructions in another order, useless instructions that are executed, and another \
    algorithm with the same idea. Code from a book or a lecture counts, unless it is among the files that the suite gives.</li>\n\
    <li>Only code that the suite's tests execute is compared. Short programs are similar by chance.</li>\n\
    <li>Code that more than ten submissions, and more than a tenth of the class, share is not counted, even if it was copied.</li>\n\
    </ul>\n";

/// Formats the similarity page. It is self-contained and has no script.
pub fn likeness_html(report: &Report) -> String {
    let title = "Alike submissions";
    let mut body = format!("<h1>{title}</h1>\n{LIMITS}");
    for (number, suite) in report.suites.iter().enumerate() {
        if let Some(likeness) = &suite.likeness {
            body += &format!("<h2>{}</h2>\n", escaped(&suite.suite));
            table(&mut body, number, likeness);
            for (place, pair) in shown(likeness).enumerate() {
                side_by_side(&mut body, &format!("s{number}p{place}"), likeness, pair);
            }
        }
    }
    markup::page(title, STYLE, &body)
}

/// Returns the pairs to show side by side.
fn shown(likeness: &Likeness) -> impl Iterator<Item = &Pair> {
    let pairs = likeness.pairs.iter().enumerate();
    let some =
        pairs.take_while(|(place, pair)| *place < SHOWN || pair.score >= WORTH_A_LOOK).map(|(_, pair)| pair);
    some.take_while(|pair| !pair.passages.is_empty())
}

fn table(page: &mut String, suite: usize, likeness: &Likeness) {
    let worth = likeness.pairs.iter().filter(|pair| pair.score >= WORTH_A_LOOK).count();
    *page += &format!(
        "<p>{} submissions; {worth} pairs with scores from {}. Look at these.</p>\n",
        likeness.submissions.len(),
        percent(WORTH_A_LOOK)
    );
    for submission in &likeness.submissions {
        if let Some(remark) = &submission.remark {
            *page += &format!(
                "<p class=\"end\">{} is not compared: {}.</p>\n",
                escaped(&submission.program),
                escaped(remark)
            );
        }
    }
    let common = likeness.submissions.iter().filter(|submission| submission.common > 0.5).count();
    if common > 0 {
        *page += &format!(
            "<p class=\"worth\">In {common} submissions more than half of the code is common to too many others to count. Either all were given this code, and the suite does not name it in `given`, or it was copied: compare fewer submissions at a time.</p>\n"
        );
    }
    if likeness.pairs.is_empty() {
        return;
    }
    *page += "<div class=\"wide\"><table><thead><tr><th>score</th><th>code</th><th>executed</th><th>pair</th></tr></thead><tbody>\n";
    let shown = shown(likeness).count();
    for (place, pair) in likeness.pairs.iter().take(MOST_ROWS).enumerate() {
        let name = |number: usize| escaped(&likeness.submissions[number].program);
        let names = format!("{} and {}", name(pair.first), name(pair.second));
        let names = if place < shown { format!("<a href=\"#s{suite}p{place}\">{names}</a>") } else { names };
        let class = if pair.score >= WORTH_A_LOOK { "points worth" } else { "points" };
        *page += &format!(
            "<tr><td class=\"{class}\">{}</td><td class=\"points\">{}</td><td class=\"points\">{}</td><td>{names}</td></tr>\n",
            percent(pair.score),
            percent(pair.code),
            percent(pair.executed)
        );
    }
    *page += "</tbody></table></div>\n";
    if likeness.pairs.len() > MOST_ROWS {
        *page += &format!("<p>And {} pairs with lower scores.</p>\n", likeness.pairs.len() - MOST_ROWS);
    }
}

fn side_by_side(page: &mut String, id: &str, likeness: &Likeness, pair: &Pair) {
    let submission = |number: usize| &likeness.submissions[number];
    *page += &format!(
        "<section id=\"{id}\"><h2>{} and {} <small>{}; code {}, executed {}</small></h2>\n<div class=\"pair\">\n",
        escaped(&submission(pair.first).program),
        escaped(&submission(pair.second).program),
        percent(pair.score),
        percent(pair.code),
        percent(pair.executed)
    );
    // The passages of each line, from 0. A line has the colour of the first.
    let side = |page: &mut String, number: usize, own: &str, other: &str, of_second: bool| {
        let passage_at = |line: usize| {
            pair.passages.iter().position(|passage| {
                (if of_second { &passage.second } else { &passage.first }).contains(&line)
            })
        };
        let Compared { program, lines, .. } = submission(number);
        *page += &format!("<div><h3>{}</h3><pre class=\"listing\">", escaped(program));
        let (mut file, mut seen) = (None, Vec::new());
        for (place, line) in lines.iter().enumerate() {
            if line.file.is_some() && line.file != file {
                file.clone_from(&line.file);
                *page += &format!("<b>{}</b>", escaped(line.file.as_deref().unwrap_or_default()));
            }
            let label = match line.file {
                Some(_) => format!("{:>5} ", line.number),
                None => format!("{:>5X} ", line.number),
            };
            let mut text = escaped(&format!("{label}{}", printable(&line.text)));
            let passage = passage_at(place);
            let class = match passage {
                Some(passage) => format!("m{}", passage % COLOURS),
                None if line.executed => "run".to_owned(),
                None => "idle".to_owned(),
            };
            let mut anchor = String::new();
            if let Some(passage) = passage.filter(|passage| !seen.contains(passage)) {
                seen.push(passage);
                anchor = format!(" id=\"{id}{own}{passage}\"");
                text = format!("<a href=\"#{id}{other}{passage}\">{text}</a>");
            }
            *page += &format!("<span class=\"{class}\"{anchor}>{text}</span>");
        }
        *page += "</pre></div>\n";
    };
    side(page, pair.first, "a", "b", false);
    side(page, pair.second, "b", "a", true);
    *page += "</div></section>\n";
}

/// Removes control characters, which a page cannot contain.
fn printable(text: &str) -> String {
    text.chars().filter(|&c| c == '\t' || !c.is_control()).collect()
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Returns the similarity as JSON. Lines are those of the sources, or addresses without sources.
pub fn likeness_json(report: &Report) -> Value {
    let suites = report.suites.iter().filter_map(|suite| {
        let likeness = suite.likeness.as_ref()?;
        let programs = likeness.submissions.iter();
        let programs = programs.map(
            |one| json!({ "program": one.program, "remark": one.remark, "common": rounded(one.common) }),
        );
        let pairs = likeness.pairs.iter().map(|one| pair(likeness, one)).collect::<Vec<_>>();
        Some(json!({ "suite": suite.suite, "programs": programs.collect::<Vec<_>>(), "pairs": pairs }))
    });
    json!({ "worth_a_look": WORTH_A_LOOK, "suites": suites.collect::<Vec<_>>() })
}

fn pair(likeness: &Likeness, pair: &Pair) -> Value {
    let places = |number: usize, lines: &std::collections::BTreeSet<usize>| {
        let lines = lines.iter().filter_map(|line| likeness.submissions[number].lines.get(*line));
        let places = lines.map(|line| json!({ "file": line.file, "line": line.number }));
        places.collect::<Vec<_>>()
    };
    let passages = pair.passages.iter().map(|passage| {
        json!({
            "instructions": passage.instructions,
            "a": places(pair.first, &passage.first),
            "b": places(pair.second, &passage.second),
        })
    });
    json!({
        "a": likeness.submissions[pair.first].program,
        "b": likeness.submissions[pair.second].program,
        "score": rounded(pair.score),
        "code": rounded(pair.code),
        "executed": rounded(pair.executed),
        "passages": passages.collect::<Vec<_>>(),
    })
}

fn rounded(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}
