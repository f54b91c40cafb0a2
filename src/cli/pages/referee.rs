//! The report of the referee as a page: what was found out, each rule with its verdict, and the
//! screens that show a broken one.

use oxbox::media::markup::escaped;
use oxbox::referee::{Refereed, Ruling, Verdict};

use crate::cli::referee::{meaning, play};

const STYLE: &str = ".broken{color:#c00;font-weight:bold}.holds{color:#080}pre{border:1px solid;padding:.5em;overflow:auto}\
                     td{vertical-align:top;padding:.2em .6em}";

pub(in crate::cli) fn page(program: &str, judged: &Refereed) -> String {
    let mut body = format!("<h1>{}</h1>\n<table>\n", escaped(program));
    let mut row = |name: &str, words: &str| {
        body.push_str(&format!("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), escaped(words)));
    };
    for (name, words) in &judged.learned {
        row(name, words);
    }
    for known in &judged.announces {
        row(&format!("announces {}", meaning(known.meaning)), &known.text);
    }
    if let Some(why) = &judged.not_understood {
        row("not understood", why);
    }
    row("searched", &format!("{} states, {} choices", judged.stats.states, judged.stats.choices_tried));
    if let Some(words) = play(judged) {
        row("play", &words);
    }
    body.push_str("</table>\n<table>\n");
    for ruling in &judged.rules {
        body.push_str(&rule(program, ruling));
    }
    body.push_str("</table>\n");
    super::page(&format!("{program}: the referee"), STYLE, &body)
}

fn rule(program: &str, ruling: &Ruling) -> String {
    let Ruling { rule, verdict, keys, why, screen, screen_before, .. } = ruling;
    let name = verdict.name();
    let mut cell = format!("{}<br/>{}", escaped(rule), escaped(why));
    if let (Verdict::Broken, Some(keys)) = (verdict, keys) {
        let command = format!("oxbox run \"{program}\" --keys \"{keys}\"");
        cell.push_str(&format!(
            "<br/>Keys: <kbd>{}</kbd>. Play it: <code>{}</code>",
            escaped(keys),
            escaped(&command)
        ));
        let [before, after] = [screen_before, screen].map(|screen| escaped(&screen.join("\n")));
        cell.push_str(&format!(
            "<table><tr><th>before the last key</th><th>after it</th></tr><tr><td><pre>{before}</pre></td><td><pre>{after}</pre></td></tr></table>"
        ));
    }
    format!("<tr><td class=\"{name}\">{name}</td><td>{cell}</td></tr>\n")
}
