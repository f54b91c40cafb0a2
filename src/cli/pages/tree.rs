//! The tree of a game as data for a page, and its notable lines.

use std::collections::BTreeMap;
use std::io;

use oxbox::verify::{Figure, Node, Tree};
use serde_json::{Value, json};

use super::screens::Screens;

/// A group of lines: a description, and their keys.
pub(super) struct Marked {
    /// A sentence.
    pub(super) what: String,
    /// The nodes in which they end.
    ends: Vec<usize>,
    pub(super) lines: Vec<String>,
}

/// Returns the lines in which the user beats the computer, those that a figure counts or for which
/// it is the worst, and those on which the program differs from its twin.
pub(super) fn marked(tree: &Tree) -> Vec<Marked> {
    let mut all = Vec::new();
    let mut mark = |what: String, wanted: &dyn Fn(&Node) -> bool| {
        let lines = tree.lines_to(wanted);
        if !lines.is_empty() {
            let ends = (0..tree.nodes.len()).filter(|&at| wanted(&tree.nodes[at])).collect();
            all.push(Marked { what, ends, lines });
        }
    };
    mark("The program differs from its twin".to_owned(), &|node| node.differs.is_some());
    mark("The human wins".to_owned(), &|node| node.outcome == Some("user"));
    let mut worst: BTreeMap<&str, u64> = BTreeMap::new();
    let mut counted: Vec<&str> = Vec::new();
    for &(name, figure) in tree.nodes.iter().flat_map(|node| &node.figures) {
        match figure {
            Figure::Worst(value) => {
                let worst = worst.entry(name).or_default();
                *worst = value.max(*worst);
            }
            Figure::Count(1..) if !counted.contains(&name) => counted.push(name),
            Figure::Count(_) => {}
        }
    }
    for name in counted {
        mark(sentence(name), &|node| node.figures.iter().any(|&(of, f)| of == name && f.value() > 0));
    }
    for (name, value) in worst {
        let is_worst = |node: &Node| node.figures.iter().any(|&(of, f)| of == name && f.value() == value);
        mark(format!("{}: {}", sentence(name), super::grouped(value as usize)), &is_worst);
    }
    all
}

pub(super) fn words(outcome: &str) -> &str {
    match outcome {
        "computer" => "computer wins",
        "user" => "human wins",
        "draw" => "drawn",
        "x" => "X wins",
        "o" => "O wins",
        other => other,
    }
}

/// Returns a figure's name as the beginning of a sentence.
pub(super) fn sentence(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Returns nodes as lists: the screen, the outcome, marks as bits, then keys and their successors.
/// All are numbers, indices into the tables beside them. Fails if a picture has no pixels.
pub(super) fn data(tree: &Tree, marked: &[Marked]) -> io::Result<Value> {
    let mut before = vec![None; tree.nodes.len()];
    let mut screens = Screens::default();
    // The numbers of screens on the page, in the order of the nodes that show them.
    let (mut told, mut number) = (vec![None; tree.screens.len()], 0);
    let (mut keys, mut outcomes): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut nodes = Vec::new();
    for (at, node) in tree.nodes.iter().enumerate() {
        for &(_, next) in &node.next {
            before[next].get_or_insert(at);
        }
        if told[node.screen].is_none() {
            let base = before[at].and_then(|before: usize| told[tree.nodes[before].screen]);
            screens.tell(&tree.screens[node.screen], base)?;
            told[node.screen] = Some(number);
            number += 1;
        }
        let marks: usize = (0..marked.len()).filter(|&m| marked[m].ends.contains(&at)).map(|m| 1 << m).sum();
        let outcome = node.outcome.map(|outcome| place(&mut outcomes, outcome));
        let mut value = vec![json!(told[node.screen]), json!(outcome), json!(marks)];
        for (key, next) in &node.next {
            value.extend([json!(place(&mut keys, key)), json!(next)]);
        }
        nodes.push(Value::Array(value));
    }
    let differs: BTreeMap<usize, &String> = tree
        .nodes
        .iter()
        .enumerate()
        .filter_map(|(at, node)| node.differs.as_ref().map(|what| (at, what)))
        .collect();
    let called: Vec<&str> = outcomes.iter().map(|outcome| words(outcome)).collect();
    let what: Vec<&String> = marked.iter().map(|marked| &marked.what).collect();
    Ok(json!({
        "keys": keys, "outcomes": outcomes, "words": called, "marks": what, "differs": differs, "nodes": nodes, "shown": screens.data(),
    }))
}

/// Returns the index of a word in a table; adds it if necessary.
fn place<'a>(table: &mut Vec<&'a str>, word: &'a str) -> usize {
    table.iter().position(|known| *known == word).unwrap_or_else(|| {
        table.push(word);
        table.len() - 1
    })
}
