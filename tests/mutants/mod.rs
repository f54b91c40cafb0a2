//! Faults inserted into the games' sources, one at a time: the proof must find each of them, in the
//! channel where it shows.
//!
//! The faults are in `faults.toml`. A sample runs with the other tests; `.ci/faults` runs all of
//! them and prints a table.

use oxbox::games::{self, Game};
use oxbox::toolchain::{BuildRequest, build};
use oxbox::verify::{GameReport, Scope};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    fault: Vec<Fault>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fault {
    /// The name; it begins with the game's name and a colon.
    name: String,
    kind: String,
    /// The channels of the fault, as named in reports; of several the first that can be found.
    channel: Vec<String>,
    /// The scope of the proof that finds it.
    #[serde(default)]
    keys: Keys,
    /// The reason that the proof need not find it.
    not_found: Option<String>,
    /// Whether it belongs to the sample that runs with the other tests.
    #[serde(default)]
    sample: bool,
    edit: Vec<Edit>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Keys {
    #[default]
    Default,
    Every,
    Starts,
}

/// A text that occurs once in a source below `asm/`, and its replacement.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    file: String,
    find: String,
    replace: String,
}

fn table() -> Vec<Fault> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mutants/faults.toml");
    let table: Table = toml::from_str(&fs::read_to_string(path).expect("a file")).expect("a table of faults");
    table.fault
}

impl Fault {
    fn game(&self) -> &'static Game {
        let name = self.name.split(':').next().unwrap_or_default();
        games::find(name).unwrap_or_else(|| panic!("{}: no such game", self.name))
    }

    /// Returns the program assembled from the sources with the fault.
    fn program(&self) -> Vec<u8> {
        let game = self.game();
        let asm = Path::new(env!("CARGO_MANIFEST_DIR")).join("asm");
        let folder = tempfile::tempdir().expect("a folder");
        let copy = |from: &Path| {
            let name = from.file_name().expect("a file");
            fs::copy(from, folder.path().join(name)).expect("a copy");
        };
        for entry in fs::read_dir(asm.join(game.name)).expect("the game's sources") {
            copy(&entry.expect("a source").path());
        }
        for Edit { file, find, replace } in &self.edit {
            let own = folder.path().join(Path::new(file).file_name().expect("a file"));
            if !own.exists() {
                copy(&asm.join(file));
            }
            let text = fs::read_to_string(&own).expect("a source");
            assert_eq!(text.matches(find.as_str()).count(), 1, "{}: {file} has {find:?} not once", self.name);
            fs::write(&own, text.replacen(find.as_str(), replace, 1)).expect("a source");
        }
        let name = |source: &&str| folder.path().join(Path::new(source).file_name().expect("a file"));
        let inputs = game.sources.iter().map(name).collect();
        let request = BuildRequest { inputs, ..oxbox::built_in::build_request() };
        build(&request).unwrap_or_else(|error| panic!("{}: {error}", self.name)).bytes
    }

    fn report(&self) -> GameReport {
        let game = self.game();
        let scope = match self.keys {
            Keys::Default => Scope::Sample,
            Keys::Every => Scope::Keys,
            Keys::Starts => Scope::Starts,
        };
        game.verify_within(&self.program(), game.file, scope, |_| {}).expect("it starts")
    }
}

struct Verdict {
    /// The first divergence: channel, difference, keys.
    found: Option<(String, String, String)>,
    is_as_listed: bool,
}

impl Verdict {
    fn of(fault: &Fault) -> Verdict {
        let report = fault.report();
        let first = report.diverging.first();
        let found =
            first.map(|first| (first.channel.name().to_owned(), first.what.clone(), first.keys.clone()));
        let is_as_listed = match (&found, &fault.not_found) {
            (Some((channel, ..)), _) => fault.channel.contains(channel),
            (None, why) => why.is_some(),
        };
        Verdict { found, is_as_listed }
    }
}

#[test]
fn the_table_is_whole() {
    let table = table();
    assert!(table.len() >= 80, "{} faults", table.len());
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for fault in &table {
        *kinds.entry(&fault.kind).or_default() += 1;
        let same = table.iter().filter(|other| other.name == fault.name).count();
        assert_eq!(same, 1, "{} is there more than once", fault.name);
    }
    for game in games::GAMES {
        let own = table.iter().filter(|fault| fault.game().name == game.name).count();
        assert!(own >= 8, "{}: {own} faults", game.name);
    }
    assert!(kinds.len() >= 24, "{kinds:?}");
}

#[test]
fn a_sample_of_faults_is_found() {
    let sample: Vec<Fault> = table().into_iter().filter(|fault| fault.sample).collect();
    assert!(sample.len() >= 10, "{} faults", sample.len());
    for fault in &sample {
        let Verdict { found, is_as_listed } = Verdict::of(fault);
        assert!(is_as_listed, "{}: {found:?}", fault.name);
    }
}

/// All of them, or those whose names contain `OXBOX_FAULTS`.
#[test]
#[ignore = "takes minutes: .ci/faults"]
fn all_faults() {
    let part = std::env::var("OXBOX_FAULTS").unwrap_or_default();
    let mut wrong = Vec::new();
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    println!("{:<44} {:<28} {:<12} {:>5}  keys and what", "fault", "kind", "found by", "s");
    for fault in table().iter().filter(|fault| fault.name.contains(&part)) {
        let began = Instant::now();
        let Verdict { found, is_as_listed } = Verdict::of(fault);
        let seconds = began.elapsed().as_secs_f64();
        let (found_by, how) = match (&found, &fault.not_found) {
            (Some((channel, what, keys)), _) => (channel.as_str(), format!("[{keys}] {what}")),
            (None, Some(why)) => ("-", format!("listed: {why}")),
            (None, None) => ("NOT FOUND", String::new()),
        };
        let mark = if is_as_listed { "" } else { "  <-- not as listed" };
        println!("{:<44} {:<28} {found_by:<12} {seconds:>5.1}  {how}{mark}", fault.name, fault.kind);
        let (all, seen) = kinds.entry(fault.kind.clone()).or_default();
        *all += 1;
        *seen += usize::from(found.is_some());
        if !is_as_listed {
            wrong.push(fault.name.as_str().to_owned());
        }
    }
    println!("\n{:<32} {:>6} {:>6}", "kind", "faults", "found");
    let mut sum = (0, 0);
    for (kind, (all, seen)) in &kinds {
        println!("{kind:<32} {all:>6} {seen:>6}");
        sum = (sum.0 + all, sum.1 + seen);
    }
    println!("{:<32} {:>6} {:>6}", "all", sum.0, sum.1);
    assert!(wrong.is_empty(), "not as listed: {wrong:#?}");
}
