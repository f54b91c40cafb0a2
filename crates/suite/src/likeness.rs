//! Similarity of submissions, by executed code and order of execution.
//!
//! ```text
//!   runs of the tests ──recording──> instructions ──normalised, in the order of the code──┐
//!                                         └──normalised, in the order of execution────────┴─winnowed─> fingerprints ─> pairs
//! ```
//! Ignored are code that is never executed, code that the suite gives to everybody, and code shared
//! by many submissions.

mod fingerprint;
mod given;
mod instruction;
mod passages;
mod recording;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

pub(crate) use given::{Given, Sources};
pub(crate) use recording::{MOST_STEPS, Recorder, Recording};

use fingerprint::{GRAM, hash, winnow};

/// The score of a pair, up to 1, that deserves review.
pub const WORTH_A_LOOK: f64 = 0.4;

/// Code shared by more submissions than this, and a tenth of the class, is ignored as common.
const MOST_SHARING: usize = 10;

/// The fewest fingerprints of a submission: a program with fewer is too short for a comparison.
const LEAST: usize = 4;

/// The number of pairs with the highest scores whose passages are reported.
const MOST_SHOWN: usize = 40;

/// The similarity of all submissions to a suite.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Likeness {
    /// The submissions in their given order.
    pub submissions: Vec<Compared>,
    /// Pairs with something in common, the most similar first.
    pub pairs: Vec<Pair>,
}

/// A compared submission.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Compared {
    /// The file of the program.
    pub program: String,
    /// The reason why it could not be compared.
    pub remark: Option<String>,
    /// The fraction of its code that is ignored as common, 0 to 1.
    pub common: f64,
    /// Its source lines, or, without sources, its executed instructions.
    pub lines: Vec<ListingLine>,
}

/// A line of a submission's listing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListingLine {
    /// The source file; `None` for an instruction of a program without sources.
    pub file: Option<String>,
    /// The line number from 1, or the address of the instruction in the program.
    pub number: u32,
    /// The text.
    pub text: String,
    /// Whether an instruction of the line was executed.
    pub executed: bool,
}

/// A pair of submissions. Fractions are from 0 to 1.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Pair {
    /// The index of the first in [`Likeness::submissions`].
    pub first: usize,
    /// The index of the second.
    pub second: usize,
    /// The mean of `code` and `executed`.
    pub score: f64,
    /// The fraction of their code's fingerprints that both have.
    pub code: f64,
    /// The fraction of their runs' fingerprints that both have.
    pub executed: f64,
    /// The shared passages, ordered by position in the first; only for pairs with top scores.
    pub passages: Vec<Passage>,
}

/// A shared passage, as indices of [`Compared::lines`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passage {
    /// The lines in the first submission.
    pub first: BTreeSet<usize>,
    /// The lines in the second submission.
    pub second: BTreeSet<usize>,
    /// The number of instructions.
    pub instructions: usize,
}

pub(crate) struct Subject {
    compared: Compared,
    /// The address of each normalised instruction, in code order.
    addresses: Vec<u32>,
    /// The hash of each [`GRAM`] instructions; `None` across the end of a procedure or program.
    code: Vec<Option<u64>>,
    /// The hashes of sequences in execution order.
    ways: Vec<Option<u64>>,
    /// The listing line of each address.
    lines: BTreeMap<u32, usize>,
}

impl Subject {
    /// Creates a submission that cannot be compared.
    pub(crate) fn unknown(program: String, remark: &str) -> Subject {
        let compared = Compared { program, remark: Some(remark.to_owned()), common: 0.0, lines: Vec::new() };
        Subject {
            compared,
            addresses: Vec::new(),
            code: Vec::new(),
            ways: Vec::new(),
            lines: BTreeMap::new(),
        }
    }

    /// Creates a submission from the code that its runs executed.
    pub(crate) fn new(program: String, recording: &Recording, sources: &Sources) -> Subject {
        let (listing, lines) = listing(recording, sources);
        // Each instruction has the number of its procedure, so that the order of procedures does
        // not matter.
        let (mut code, mut procedure) = (Vec::new(), 0);
        for (address, one) in &recording.executed {
            code.extend(one.normal.iter().map(|normal| (*address, procedure, normal)));
            procedure += usize::from(one.ends);
        }
        let grams = code.windows(GRAM).map(|gram| {
            let is_whole = gram[0].1 == gram[GRAM - 1].1;
            is_whole.then(|| hash(gram.iter().map(|(_, _, normal)| *normal)))
        });
        Subject {
            compared: Compared { program, remark: None, common: 0.0, lines: listing },
            code: grams.collect(),
            addresses: code.iter().map(|(address, _, _)| *address).collect(),
            ways: recording.ways.iter().copied().map(Some).collect(),
            lines,
        }
    }
}

/// Returns the sources of a submission, or its instructions, and the line number of each address.
fn listing(recording: &Recording, sources: &Sources) -> (Vec<ListingLine>, BTreeMap<u32, usize>) {
    let mut listing = Vec::new();
    let mut lines = BTreeMap::new();
    let mut starts = BTreeMap::new();
    for (file, text) in &sources.texts {
        starts.insert(file.as_str(), listing.len());
        listing.extend(text.lines().zip(1..).map(|(text, number)| ListingLine {
            file: Some(file.clone()),
            number,
            text: text.to_owned(),
            executed: false,
        }));
    }
    for (address, one) in &recording.executed {
        let line = sources.line_at(*address);
        let place = line.and_then(|(file, line)| Some(starts.get(file)? + line as usize - 1));
        if let Some(place) = place.filter(|place| *place < listing.len()) {
            listing[place].executed = true;
            lines.insert(*address, place);
        } else if sources.texts.is_empty() {
            lines.insert(*address, listing.len());
            let text = one.text.clone();
            listing.push(ListingLine { file: None, number: *address, text, executed: true });
        }
    }
    (listing, lines)
}

pub(crate) fn compare(mut subjects: Vec<Subject>) -> Likeness {
    let most = MOST_SHARING.max(subjects.len() / 10);
    let common_code = common(subjects.iter().map(|subject| &subject.code), most);
    let common_ways = common(subjects.iter().map(|subject| &subject.ways), most);
    let rest = |hashes: &[Option<u64>], common| winnow(&without(hashes, common));
    let fingerprints: Vec<(BTreeSet<u64>, BTreeSet<u64>)> = subjects
        .iter()
        .map(|subject| (rest(&subject.code, &common_code), rest(&subject.ways, &common_ways)))
        .collect();
    for (subject, (code, _)) in subjects.iter_mut().zip(&fingerprints) {
        let hashes = || subject.code.iter().flatten();
        let shared = hashes().filter(|hash| common_code.contains(hash)).count();
        subject.compared.common = shared as f64 / hashes().count().max(1) as f64;
        if code.len() < LEAST && subject.compared.remark.is_none() {
            let remark = "it executes too little code that is not common to others";
            subject.compared.remark = Some(remark.to_owned());
        }
    }
    let mut pairs = Vec::new();
    for (first, one) in fingerprints.iter().enumerate() {
        for (second, other) in fingerprints.iter().enumerate().skip(first + 1) {
            let (code, executed) = (share(&one.0, &other.0), share(&one.1, &other.1));
            let score = (code + executed) / 2.0;
            if score > 0.0 {
                pairs.push(Pair { first, second, score, code, executed, passages: Vec::new() });
            }
        }
    }
    pairs.sort_by(|a, b| b.score.total_cmp(&a.score).then((a.first, a.second).cmp(&(b.first, b.second))));
    for pair in pairs.iter_mut().take(MOST_SHOWN) {
        pair.passages = passages_of(&subjects[pair.first], &subjects[pair.second], &common_code);
    }
    Likeness { submissions: subjects.into_iter().map(|subject| subject.compared).collect(), pairs }
}

/// Returns the hashes that more than `most` submissions have.
fn common<'a>(subjects: impl Iterator<Item = &'a Vec<Option<u64>>>, most: usize) -> HashSet<u64> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for hashes in subjects {
        for hash in hashes.iter().flatten().collect::<HashSet<_>>() {
            *counts.entry(*hash).or_default() += 1;
        }
    }
    counts.into_iter().filter(|(_, count)| *count > most).map(|(hash, _)| hash).collect()
}

/// Removes common hashes.
fn without(hashes: &[Option<u64>], common: &HashSet<u64>) -> Vec<Option<u64>> {
    hashes.iter().map(|hash| hash.filter(|hash| !common.contains(hash))).collect()
}

/// Returns the fraction of two sets' elements that both have, from 0 to 1; 0 if one is too small.
fn share(one: &BTreeSet<u64>, other: &BTreeSet<u64>) -> f64 {
    if one.len().min(other.len()) < LEAST {
        return 0.0;
    }
    2.0 * one.intersection(other).count() as f64 / (one.len() + other.len()) as f64
}

fn passages_of(one: &Subject, other: &Subject, common: &HashSet<u64>) -> Vec<Passage> {
    let lines = |subject: &Subject, grams: std::ops::Range<usize>| -> BTreeSet<usize> {
        // Including ignored instructions in between, such as jumps.
        let (first, last) = (subject.addresses[grams.start], subject.addresses[grams.end + GRAM - 2]);
        subject.lines.range(first..=last).map(|(_, line)| *line).collect()
    };
    let shared = passages::shared(&without(&one.code, common), &without(&other.code, common));
    let passages = shared.into_iter().map(|(ours, theirs)| Passage {
        instructions: ours.len() + GRAM - 1,
        first: lines(one, ours),
        second: lines(other, theirs),
    });
    passages.collect()
}
