//! Unclear wording does not return to the parts that were rewritten.
//!
//! The first line of a doc comment names the item or says what it does. Retired names are searched
//! only where something is defined, because they are ordinary words.

use super::imports::sources;
use std::fs;
use std::path::Path;

/// The parts that were rewritten.
const FOLDERS: [&str; 7] = ["benches", "crates", "examples", "fuzz/src", "hosts/src", "src", "tests"];

/// First words of a doc comment, and the repair.
const FIRST_WORDS: [(&str, &str); 10] = [
    ("As", "Like [`x`], but ..."),
    ("How", "name the number, format or reason"),
    ("Of", "for each ..."),
    ("True", "Whether ..., or Returns whether ..."),
    ("What", "name the thing"),
    ("Whatever", "name the thing"),
    ("Where", "the position, address or location of ..."),
    ("Who", "name the component"),
    ("Whoever", "name the component"),
    ("Why", "the reason ..."),
];

/// Phrases within comments, and the repair.
const PHRASES: [(&str, &str); 17] = [
    ("comes of", "the result of"),
    ("go on", "continue"),
    ("goes on", "continues"),
    ("is told", "is reported"),
    ("is to be", "must, will or should"),
    ("are to be", "must, will or should"),
    ("nobody", "name the component"),
    ("once more", "again"),
    ("so many", "the name of the parameter"),
    ("so often", "the name of the parameter"),
    ("somebody", "name the component"),
    ("stands", "is, or is located"),
    ("tells of", "reports"),
    ("what comes", "name the thing"),
    ("what has", "name the thing"),
    ("what is", "name the thing"),
    ("whoever", "name the component"),
];

/// Coined names, and the standard term.
const NAMES: [(&str, &str); 44] = [
    ("Allowance", "WorkBudget"),
    ("Beyond", "SlowPath"),
    ("Cartridge", "LoadedProgram"),
    ("Chimes", "TuneTable"),
    ("Companion", "Counterpart"),
    ("Contestant", "Player"),
    ("Desk", "ModuleState"),
    ("Entrant", "Participant"),
    ("Expander", "SuccessorGenerator"),
    ("Held", "FlagLocation, or PendingForm"),
    ("KeyWatch", "KeyWaitDetector"),
    ("Lookout", "WatchList"),
    ("Looks", "ReadSet, or DisplayInput"),
    ("Noted", "AccessLog"),
    ("Paper", "TtyBuffer"),
    ("Planting", "TreeBuilder"),
    ("Printout", "TeletypeLog"),
    ("Projector", "PageRenderer"),
    ("Rest", "RemainingOps, or Unserialised"),
    ("Shelf", "SpillQueue"),
    ("Sighting", "Match"),
    ("Typist", "KeyboardMapper"),
    ("Walked", "ProgramUnderTest"),
    ("Wanted", "DisplayOptions, or RecordingOptions"),
    ("Ways", "Exits"),
    ("Wish", "DisplayMode"),
    ("break_off", "interrupt"),
    ("by_ear", "screen_reader"),
    ("crew", "thread_pool"),
    ("departure", "wild_branch"),
    ("fit_coprocessor", "install_coprocessor"),
    ("go_on_from", "resume_from"),
    ("heat", "hotness"),
    ("is_deaf", "is_unresponsive"),
    ("newer", "post_386"),
    ("nobody", "unhandled_interrupt"),
    ("put_off", "defer"),
    ("rehearse", "set_dry_run"),
    ("spoil", "poison"),
    ("strike", "type_key"),
    ("take_over", "copy_ownership"),
    ("way_in", "prologue"),
    ("way_out", "epilogue"),
    ("works_until", "busy_until"),
];

#[test]
fn comments_are_plain() {
    let mut found = Vec::new();
    let files = FOLDERS.iter().flat_map(|folder| sources(Path::new(folder)));
    // This file quotes the faults.
    for path in files.filter(|path| path != Path::new("tests/words/mod.rs")) {
        let text = fs::read_to_string(&path).expect("a source");
        found.extend(faults(&text).into_iter().map(|fault| format!("{}:{fault}", path.display())));
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn faults_are_seen() {
    for (text, count) in [
        ("/// What it does.", 1),
        ("/// Reads it.\n/// What it does.", 0),
        ("    // the run goes on", 1),
        ("/// Whatsoever.", 0),
        ("pub struct Held;", 1),
        ("let held = Held::new(); // held", 0),
        ("fn newer() {}", 1),
        ("\"somebody\"", 0),
    ] {
        assert_eq!(faults(text).len(), count, "{text}: {:?}", faults(text));
    }
}

/// Returns the faults of a source, each as line number, wording and repair.
fn faults(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut in_doc = false;
    for (number, line) in text.lines().map(str::trim_start).enumerate() {
        let mut note = |fault: &str, repair: &str| faults.push(format!("{}: {fault}: {repair}", number + 1));
        let is_doc = line.starts_with("///") || line.starts_with("//!");
        if line.starts_with("//") {
            let words: Vec<&str> = words(line).collect();
            for (first, repair) in FIRST_WORDS.iter().filter(|_| is_doc && !in_doc) {
                if words.first() == Some(first) {
                    note(first, repair);
                }
            }
            let plain = format!(" {} ", words.join(" ").to_lowercase());
            for (phrase, repair) in
                PHRASES.iter().filter(|(phrase, _)| plain.contains(&format!(" {phrase} ")))
            {
                note(phrase, repair);
            }
        } else {
            let words: Vec<&str> = words(line).collect();
            let defines =
                |pair: &&[&str]| ["struct", "enum", "fn", "mod", "trait", "type"].contains(&pair[0]);
            for (name, repair) in words.windows(2).filter(defines).filter_map(|pair| retired(pair[1])) {
                note(name, repair);
            }
        }
        in_doc = is_doc;
    }
    faults
}

fn retired(name: &str) -> Option<(&'static str, &'static str)> {
    NAMES.into_iter().find(|(retired, _)| *retired == name)
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
