//! The pages and drawings that the command writes: well-formed, small, without external files, and
//! correct.

use assert_cmd::Command;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use oxbox::games;
use quick_xml::events::Event;
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

/// The maximum size of a page.
const LARGEST: usize = 5 << 20;

/// Runs a command that writes PAGE. Returns its content.
fn written(line: &str) -> String {
    let folder = TempDir::new().expect("a folder");
    let mut command = Command::cargo_bin("oxbox").expect("the command");
    let output = command.args(line.split(' ')).current_dir(folder.path()).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    fs::read_to_string(folder.path().join("PAGE")).expect("a page")
}

/// Returns the number of elements of a page; panics if it is not well-formed.
fn elements(page: &str) -> usize {
    let mut reader = quick_xml::Reader::from_str(page);
    let mut count = 0;
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("at {}: {error}", reader.error_position())) {
            Event::Start(_) | Event::Empty(_) => count += 1,
            Event::Eof => return count,
            _ => {}
        }
    }
}

/// Returns the data of a page: the text between its tags, JSON in gzip and base64.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/gzip\" id=\"data\">").expect("data");
    let (packed, _) = rest.split_once("</script>").expect("its end");
    let packed = STANDARD.decode(packed).expect("base64");
    serde_json::from_reader(GzDecoder::new(&packed[..])).expect("JSON")
}

/// Counts the lines of a tree, and finds the outcome of keys.
struct Lines<'a> {
    tree: &'a Value,
    below: Vec<Option<usize>>,
}

impl<'a> Lines<'a> {
    fn new(tree: &'a Value) -> Self {
        Lines { tree, below: vec![None; tree["nodes"].as_array().map_or(0, Vec::len)] }
    }

    /// Returns the keys of a node and their targets.
    fn ways(&self, at: usize) -> Vec<(&'a str, usize)> {
        let node = self.tree["nodes"][at].as_array().expect("a node");
        let number = |value: &Value| value.as_u64().expect("a number") as usize;
        let way =
            |way: &[Value]| (self.tree["keys"][number(&way[0])].as_str().expect("a key"), number(&way[1]));
        node[3..].chunks(2).map(way).collect()
    }

    fn below(&mut self, at: usize) -> usize {
        if let Some(known) = self.below[at] {
            return known;
        }
        let ways = self.ways(at);
        let lines = if ways.is_empty() { 1 } else { ways.iter().map(|&(_, next)| self.below(next)).sum() };
        self.below[at] = Some(lines);
        lines
    }

    fn outcome(&self, keys: &str) -> Option<&'a str> {
        let at = keys.split(' ').fold(0, |at, key| {
            let way = self.ways(at).into_iter().find(|(name, _)| *name == key);
            way.unwrap_or_else(|| panic!("{key} of {keys} leads nowhere")).1
        });
        self.tree["outcomes"][self.tree["nodes"][at][1].as_u64()? as usize].as_str()
    }
}

#[test]
fn every_line_is_on_the_page() {
    // The pages of grid18, which take longer, are tested by .ci/pages.
    let page = written("verify ttt1 eecs2100 oxo chip --html PAGE --live site/");
    assert!(page.len() < LARGEST, "{} bytes", page.len());
    assert!(elements(&page) > 100);
    for outside in ["http://", "https://", "src=\"/", "@import", "url("] {
        let inside = page.replace("http://www.w3.org/1999/xhtml", "");
        assert!(!inside.contains(outside), "{outside}: nothing is fetched");
    }
    let data = data(&page);
    let games = data["games"].as_array().expect("games");
    assert_eq!(games.len(), 4);
    for told in games {
        let game = games::find(told["name"].as_str().expect("a name")).expect("a game");
        assert_eq!(Lines::new(&told["tree"]).below(0), game.lines(), "{}", game.name);
    }
    let game = &data["games"][1];
    let lines = Lines::new(&game["tree"]);
    let links: Vec<&str> =
        page.split("href=\"#eecs2100/").skip(2).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(links.len(), 14);
    for keys in links {
        assert_eq!(lines.outcome(&keys.replace("%20", " ")), Some("user"), "{keys}");
        let played = keys.replace("%20", "/");
        assert!(page.contains(&format!("class=\"live\" href=\"site/#eecs2100/{played}\"")), "{keys}");
    }
    assert_eq!(game["live"], "site/#eecs2100");
}

/// A screen of the page is the program's own: its lines, assembled as by the page.
#[test]
fn the_screens_are_the_programs() {
    let page = written("verify oxo --html PAGE");
    let data = data(&page);
    let tree = &data["games"][0]["tree"];
    fn rows(shown: &Value, screen: usize) -> Vec<Value> {
        let changes = shown["screens"][screen].as_array().expect("a screen");
        let mut lines = changes[2].as_u64().map_or(vec![Value::Null; 25], |base| rows(shown, base as usize));
        for change in changes[3..].chunks(2) {
            lines[change[0].as_u64().unwrap() as usize] =
                shown["lines"][change[1].as_u64().unwrap() as usize].clone();
        }
        lines
    }
    let game = games::find("oxo").expect("a game");
    let whole = game.tree(game.program, game.file).expect("a tree");
    assert_eq!(whole.lines().values().sum::<usize>(), 76);
    for (at, node) in whole.nodes.iter().enumerate() {
        let oxbox::verify::Shot::Text(text) = &whole.screens[node.screen] else { panic!("a text screen") };
        let screen = tree["nodes"][at][0].as_u64().unwrap() as usize;
        for (row, line) in rows(&tree["shown"], screen).iter().enumerate() {
            assert_eq!(
                line[0].as_str().unwrap().trim_end(),
                text.line(row).trim_end(),
                "line {row} of node {at}"
            );
            let runs: Vec<u64> = line[1].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
            let attributes: Vec<u8> =
                runs.chunks(2).flat_map(|run| std::iter::repeat_n(run[0] as u8, run[1] as usize)).collect();
            assert_eq!(attributes, text.row(row).iter().map(|&(_, attribute)| attribute).collect::<Vec<_>>());
        }
    }
}

#[test]
fn what_differs_is_marked() {
    let folder = TempDir::new().expect("a folder");
    let game = games::find("oxo").expect("a game");
    let mut program = game.program.to_vec();
    let delta: &[u8] = &[1, 2, 7, 0, 1, 2, 3, 6];
    let at = program.windows(delta.len()).position(|bytes| bytes == delta).expect("the table");
    program[at + 4] = 3;
    fs::write(folder.path().join("WRONG.EXE"), program).expect("a file");
    let mut command = Command::cargo_bin("oxbox").expect("the command");
    let line = "verify oxo --program WRONG.EXE --html PAGE";
    let output = command.args(line.split(' ')).current_dir(folder.path()).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    let page = fs::read_to_string(folder.path().join("PAGE")).expect("a page");
    elements(&page);
    assert!(page.contains("The program differs from its twin: 4 lines"), "the four corners");
    assert!(data(&page)["games"][0]["command"] == "run WRONG.EXE");
}

#[test]
fn the_arena_as_a_matrix() {
    let page = written("arena --html PAGE --live site/?a&b");
    assert!(page.contains("<a href=\"site/?a&amp;b#chip\">chip</a>") && !page.contains("#course"));
    assert!(page.len() < 100_000, "{} bytes", page.len());
    elements(&page);
    for part in
        ["14 wins, 125 draws, 334 losses", "1677 wins, 303 draws, 0 losses", "<td class=\"match losses\">"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(page.matches("<td class=\"match").count(), 14);
}

#[test]
fn sounds_and_signals_are_drawn() {
    let roll = written("tune eecs2100 castle --svg PAGE");
    elements(&roll);
    assert_eq!(roll.matches("class=\"note\"").count(), 27);
    let waves = written("chip trace --keys w3 --svg PAGE");
    elements(&waves);
    assert!(waves.contains(">waiting<") && waves.contains(">control.state<"));
    let long = written("chip trace --keys 8 --svg PAGE");
    elements(&long);
    assert!(long.len() < LARGEST, "{} bytes", long.len());
}
