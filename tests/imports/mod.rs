//! The imports, read from the sources: in a package, modules import only later ones in the list,
//! and no cycle of files is larger than three. Cargo ensures that packages depend on each other in
//! one direction.
//!
//! No file tests a message's text for a fact: types represent facts, and text is made where it is
//! printed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A file as a module: the names from the crate's root to it.
type Module = Vec<String>;

type Imports = BTreeMap<Module, BTreeSet<Module>>;

/// The maximum number of files in a cycle; more are hard to follow.
const LARGEST_CIRCLE: usize = 3;

/// Returns the roots of the libraries and of the command: each lists its modules in the order of
/// dependency.
fn roots() -> Vec<PathBuf> {
    let crates = fs::read_dir("crates").expect("the crates").map(|entry| entry.expect("a crate").path());
    let mut roots: Vec<PathBuf> = crates.map(|path| path.join("src/lib.rs")).collect();
    roots.extend(["src/lib.rs", "src/main.rs"].map(PathBuf::from));
    roots.sort();
    assert!(roots.len() > 8, "{roots:?}");
    roots
}

/// Returns the modules that a root lists, in order.
fn order(root: &Path) -> Vec<String> {
    let tokens = tokens(&read(root));
    tokens.windows(3).filter(|w| w[0] == "mod" && w[2] == ";").map(|w| w[1].clone()).collect()
}

#[test]
fn modules_import_downwards() {
    let mut upwards = Vec::new();
    for root in roots() {
        let order = order(&root);
        let place = |module: &Module| order.iter().position(|name| module.first() == Some(name));
        for (from, to) in imports(&root) {
            for to in to.iter().filter(|to| place(&from).zip(place(to)).is_some_and(|(from, to)| from < to)) {
                upwards.push(format!("{}: {} imports {}", root.display(), from.join("::"), to.join("::")));
            }
        }
    }
    assert!(upwards.is_empty(), "upwards: {upwards:#?}");
}

#[test]
fn circles_are_small() {
    let mut circles: BTreeSet<Vec<String>> = BTreeSet::new();
    for root in roots() {
        let imports = imports(&root);
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            imports.keys().map(|module| (module, reached_from(module, &imports))).collect();
        let circle =
            |a| reached[a].iter().filter(|b| reached[*b].contains(a)).map(|b| b.join("::")).collect();
        circles
            .extend(imports.keys().map(circle).filter(|circle: &Vec<String>| circle.len() > LARGEST_CIRCLE));
    }
    assert!(circles.is_empty(), "files that import each other: {circles:#?}");
}

/// Names of messages in the sources, and functions that convert a message to text.
const MESSAGES: [&str; 14] = [
    "detail",
    "diagnostic",
    "end",
    "error",
    "failure",
    "fault",
    "finding",
    "hint",
    "label",
    "message",
    "notice",
    "reason",
    "warning",
    "why",
];
const TO_TEXT: [&str; 6] = ["as_str", "display", "message", "text", "to_string", "what"];
const QUESTIONS: [&str; 12] = [
    "contains",
    "ends_with",
    "find",
    "matches",
    "parse",
    "rsplit",
    "split",
    "split_once",
    "split_whitespace",
    "starts_with",
    "strip_prefix",
    "strip_suffix",
];

/// Files that search in text from elsewhere, or only to print it, and the reason that no decision
/// depends on it.
const EXCEPT: [(&str, &str); 6] = [
    (
        "crates/suite/src/lib.rs format: error.message().starts_with",
        "the crate `toml` has no kinds; the suite is refused anyway",
    ),
    ("crates/toolchain/src/lib.rs dialect::evidence: label.", "a label of a source"),
    ("crates/toolchain/src/lib.rs dialect::structure: label!=", "a label of a source"),
    ("src/main.rs cli::excerpt: diagnostic.text.split", "where the mark below a source line is printed"),
    ("src/main.rs cli::excerpt: message.split", "the same"),
    ("src/main.rs cli::same: end!=", "a heading that is left out of a list"),
];

#[test]
fn no_message_is_asked_for_a_fact() {
    let mut asked = Vec::new();
    for root in roots().into_iter().filter(|root| root != Path::new("src/lib.rs")) {
        for (module, text) in modules(&root) {
            let tokens = tokens(&text);
            let found = (0..tokens.len()).filter_map(|at| question(&tokens[at..]));
            asked.extend(found.map(|what| format!("{} {}: {what}", root.display(), module.join("::"))));
        }
    }
    let is_known = |what: &String| EXCEPT.iter().any(|(start, _)| what.starts_with(start));
    let (known, unknown): (Vec<_>, Vec<_>) = asked.into_iter().partition(is_known);
    assert!(unknown.is_empty(), "these ask a message: {unknown:#?}");
    assert_eq!(known.len(), EXCEPT.len(), "{known:?}");
}

/// Returns the test of a message's text that begins at these tokens, such as `error . to_string ( )
/// . contains`.
fn question(tokens: &[String]) -> Option<String> {
    let mut at = 1;
    MESSAGES.contains(&tokens[0].as_str()).then_some(())?;
    while tokens.get(at)? == "." && TO_TEXT.contains(&tokens.get(at + 1)?.as_str()) {
        at += 2;
        if tokens.get(at)? == "(" && tokens.get(at + 1)? == ")" {
            at += 2;
        }
    }
    let is_method = tokens.get(at)? == "."
        && QUESTIONS.contains(&tokens.get(at + 1)?.as_str())
        && tokens.get(at + 2)? == "(";
    let is_compared = matches!(tokens.get(at)?.as_str(), "=" | "!")
        && tokens.get(at + 1)? == "="
        && tokens.get(at + 2)? == "\"";
    (is_method || is_compared).then(|| tokens[..at + 2].concat())
}

#[test]
fn questions_to_messages_are_seen() {
    for (source, is_seen) in [
        ("if why.contains(x) {", true),
        ("error.to_string().starts_with(x)", true),
        ("failure.what.as_str() == \"end\"", true),
        ("self.failure.message.parse()", true),
        ("message.split_once(':')", true),
        ("error.kind()", false),
        ("why.is_empty()", false),
        ("name.contains(x)", false),
        ("error.contains", false),
    ] {
        let tokens = tokens(source);
        assert_eq!((0..tokens.len()).any(|at| question(&tokens[at..]).is_some()), is_seen, "{source}");
    }
}

#[test]
fn the_threat_model_names_tests() {
    let text = read(Path::new("ARCHITECTURE.md"));
    let section =
        text.split("\n## ").find(|section| section.starts_with("Threat model")).expect("a threat model");
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with('|')).skip(2).collect();
    assert!(rows.len() > 8, "{rows:?}");
    for row in rows {
        let last = row.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        let named: Vec<&str> = last.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "no test: {row}");
        for name in named {
            let path = Path::new(name);
            assert!(path.exists(), "{name} is not there");
            let holds_tests =
                path.is_dir() || read(path).contains("#[test]") || read(path).contains("proptest!");
            assert!(holds_tests, "{name} has no test");
        }
    }
}

fn reached_from<'a>(start: &'a Module, imports: &'a Imports) -> BTreeSet<&'a Module> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![start];
    while let Some(module) = waiting.pop() {
        for next in imports.get(module).into_iter().flatten() {
            if reached.insert(next) {
                waiting.push(next);
            }
        }
    }
    reached
}

/// Returns the imports of each file below a root, without tests. A re-export is an import, too.
fn imports(root: &Path) -> Imports {
    let mut files = modules(root);
    let order = order(root);
    files.retain(|module, _| order.contains(&module[0]));
    assert!(!files.is_empty(), "no modules below {}", root.display());
    let modules: BTreeSet<&Module> = files.keys().collect();
    let resolve = |from: &Module, path: &[String]| {
        let mut at = match path[0].as_str() {
            "crate" => Vec::new(),
            "super" => from[..from.len().saturating_sub(1)].to_vec(),
            "self" => from.clone(),
            _ => {
                let child = [from.clone(), vec![path[0].clone()]].concat();
                return modules.contains(&child).then(|| descend(&modules, from.clone(), path));
            }
        };
        let mut rest = &path[1..];
        while rest.first().is_some_and(|name| name == "super") {
            at.pop();
            rest = &rest[1..];
        }
        Some(descend(&modules, at, rest))
    };
    files
        .iter()
        .map(|(module, text)| {
            let paths = paths(&tokens(text));
            let to = paths.iter().filter_map(|path| resolve(module, path)).filter(|to| to != module);
            (module.clone(), to.filter(|to| !to.is_empty()).collect())
        })
        .collect()
}

fn descend(modules: &BTreeSet<&Module>, mut at: Module, path: &[String]) -> Module {
    for name in path {
        at.push(name.clone());
        if !modules.contains(&at) {
            at.pop();
            break;
        }
    }
    at
}

/// Returns the texts of the files below a root as modules, without tests.
fn modules(root: &Path) -> BTreeMap<Module, String> {
    let folder = root.parent().expect("a folder");
    let module = |path: &Path| -> Module {
        let inside = path.strip_prefix(folder).expect("a file of the folder").with_extension("");
        inside.iter().map(|name| name.to_str().expect("plain names").to_owned()).collect()
    };
    let files = sources(folder).into_iter().map(|path| (module(&path), path));
    let is_kept = |module: &Module| {
        !module.contains(&"tests".to_owned()) && !["lib", "main"].contains(&module[module.len() - 1].as_str())
    };
    files.filter(|(module, _)| is_kept(module)).map(|(module, path)| (module, read(&path))).collect()
}

/// Returns the Rust files below a folder.
pub(super) fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns a source's names and symbols, without comments, strings and modules within it.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        // Names in a string are not paths: strings in these sources contain no `crate::` or `use`.
        let mut rest = line.chars().peekable();
        while let Some(c) = rest.next() {
            if c.is_alphanumeric() || c == '_' {
                let mut word = String::from(c);
                while let Some(c) = rest.next_if(|c| c.is_alphanumeric() || *c == '_') {
                    word.push(c);
                }
                tokens.push(word);
            } else if c == ':' && rest.next_if_eq(&':').is_some() {
                tokens.push("::".to_owned());
            } else if !c.is_whitespace() {
                tokens.push(c.to_string());
            }
        }
    }
    without_inner_modules(&tokens)
}

fn without_inner_modules(tokens: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        if tokens[i] == "mod" && tokens.get(i + 2).is_some_and(|sign| sign == "{") {
            let mut depth = 1;
            i += 3;
            while i < tokens.len() && depth > 0 {
                depth += i32::from(tokens[i] == "{") - i32::from(tokens[i] == "}");
                i += 1;
            }
        } else {
            kept.push(tokens[i].clone());
            i += 1;
        }
    }
    kept
}

/// Returns the paths that a source imports with `use`, or writes out from `crate` or `super`.
fn paths(tokens: &[String]) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let visibility = i > 0 && tokens[i - 1] == "in";
        if tokens[i] == "use" && tokens.get(i + 1).is_some_and(|next| next != "<") {
            i = tree(tokens, i + 1, &[], &mut paths);
        } else if matches!(tokens[i].as_str(), "crate" | "super")
            && tokens.get(i + 1).is_some_and(|next| next == "::")
            && !visibility
        {
            i = tree(tokens, i, &[], &mut paths);
        } else {
            i += 1;
        }
    }
    paths
}

/// Reads a path that may branch: `a::{b, c::d}`. Returns the position after it.
fn tree(tokens: &[String], mut i: usize, prefix: &[String], paths: &mut Vec<Vec<String>>) -> usize {
    let mut path = prefix.to_vec();
    while i < tokens.len() {
        match tokens[i].as_str() {
            "{" if matches!(tokens[i - 1].as_str(), "::" | "use" | "{" | ",") => {
                i += 1;
                while tokens.get(i).is_some_and(|sign| sign != "}") {
                    i = tree(tokens, i, &path, paths);
                    i += usize::from(tokens.get(i).is_some_and(|sign| sign == ","));
                }
                return i + 1;
            }
            "::" => i += 1,
            name if name.starts_with(|c: char| c.is_alphabetic() || c == '_') && follows_path(tokens, i) => {
                if name != "self" || path.is_empty() {
                    path.push(name.to_owned());
                }
                i += 1;
            }
            _ => break,
        }
    }
    // `as NAME`, or the symbol after a path.
    while tokens.get(i).is_some_and(|next| next == "as" || i > 0 && tokens[i - 1] == "as" || next == "*") {
        i += 1;
    }
    if !path.is_empty() {
        paths.push(path);
    }
    i
}

/// Whether a name is at a path's beginning or after `::`.
fn follows_path(tokens: &[String], i: usize) -> bool {
    i == 0
        || matches!(tokens[i - 1].as_str(), "::" | "{" | "," | "use")
        || matches!(tokens[i].as_str(), "crate" | "super")
}
