//! Two programs side by side: equal over everything that can be typed, or the shortest keys after which they differ.

use super::choices::Choices;
use super::explore::{keys, restore, screen, settle};
use super::extent::{Bounds, Extent, Progress, Sameness};
use super::part::{self, About, MergeError, Part, PartError};
use super::predicate::printed;
use super::program::{End, Saved, Setup, Walked, fingerprint};
use super::search::{Note, Outcome, Plan, Sighting, search};
use super::shard::Shard;
use super::subject::{Subject, Subjects};
use crate::machine::{Looks, StartError};
use serde::{Deserialize, Serialize};

/// What is compared at each wait and each end, besides whether it waits, how it has ended, and with which code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compare {
    /// The characters of the text screen, or the picture in a graphics mode.
    #[default]
    Text,
    /// The picture, of text too: colours, cursor shape and fonts count.
    Screen,
    /// What was printed on the console since the last choice.
    Output,
}

/// How to compare.
#[derive(Debug, Clone, Default)]
pub struct SameOptions {
    /// What is compared.
    pub compare: Compare,
    /// When two waits are one state.
    pub sameness: Sameness,
    /// How far to go.
    pub bounds: Bounds,
    /// Workers; at least one.
    pub threads: usize,
    /// What is kept apart from the beginning, as other parts of the walk do.
    pub keep: Looks,
}

/// One of the programs where they differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// How it has ended; nothing while it waits.
    pub end: Option<End>,
    /// Its screen.
    pub screen: Vec<String>,
    /// What it has printed since the last choice.
    pub output: String,
}

/// How the programs differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The shortest keys, as `--keys` takes them, after those of the opening.
    pub keys: String,
    /// In a line, what differs.
    pub what: String,
    /// The first program.
    pub a: Side,
    /// The second program.
    pub b: Side,
}

/// What a comparison has shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// How far it went.
    pub extent: Extent,
    /// How they differ; nothing where they are equal.
    pub difference: Option<Difference>,
}

/// A place where the programs differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    what: String,
    a: Side,
    b: Side,
}

impl Note for Mismatch {
    fn what(&self) -> usize {
        0
    }
}

/// Two programs that are given the same keys.
struct Pair<'a> {
    a: Walked,
    b: Walked,
    /// What differs; nothing where they agree.
    difference: Option<String>,
    choices: &'a Choices,
    options: &'a SameOptions,
}

/// A state of both to come back to.
struct SavedPair {
    a: Saved,
    b: Saved,
    difference: Option<String>,
}

impl<'a> Pair<'a> {
    fn start(
        [a, b]: [&Setup; 2],
        choices: &'a Choices,
        options: &'a SameOptions,
    ) -> Result<Self, StartError> {
        let (a, b) = (Walked::start(a)?, Walked::start(b)?);
        let mut pair = Pair { a, b, difference: None, choices, options };
        pair.difference = pair.compared();
        Ok(pair)
    }

    /// What differs; nothing where they agree.
    fn compared(&self) -> Option<String> {
        let ends = [&self.a, &self.b].map(|walked| walked.end().map(End::label));
        if ends[0] != ends[1] {
            let [a, b] = ends.map(|end| end.map_or("waits".to_owned(), |end| format!("ends: {end}")));
            return Some(format!("the first program {a}, the second {b}"));
        }
        let differs = match self.options.compare {
            Compare::Text => match (self.a.machine().text(), self.b.machine().text()) {
                (Some(a), Some(b)) => a.to_string().trim_end() != b.to_string().trim_end(),
                (None, None) => self.a.machine().still_frame() != self.b.machine().still_frame(),
                _ => return Some("one shows text, the other a picture".to_owned()),
            },
            Compare::Screen => self.a.machine().still_frame() != self.b.machine().still_frame(),
            Compare::Output => self.a.output() != self.b.output(),
        };
        differs.then(|| match self.options.compare {
            Compare::Output => "what they print differs".to_owned(),
            Compare::Text | Compare::Screen => "the screens differ".to_owned(),
        })
    }
}

impl Subject for Pair<'_> {
    type Saved = SavedPair;
    type Note = Mismatch;

    fn choices(&self) -> usize {
        self.choices.len()
    }

    fn play(&mut self, choice: usize) {
        if let Some(choice) = self.choices.get(choice) {
            self.a.play(&choice.keys);
            self.b.play(&choice.keys);
            self.difference = self.compared();
        }
    }

    fn end(&self) -> Option<String> {
        if self.difference.is_some() {
            return Some("difference".to_owned());
        }
        self.a.end().map(End::label)
    }

    fn settle(&mut self, kept: &Looks) -> u128 {
        let sameness = self.options.sameness;
        let [a, b] = [&mut self.a, &mut self.b].map(|walked| settle(walked, sameness, kept));
        // Not alike in both, or a pair and its mirror image would be one.
        a.rotate_left(1) ^ b
    }

    fn looks(&self) -> Looks {
        let mut looks = self.a.looks();
        looks.extend(&self.b.looks());
        looks
    }

    fn save(&mut self) -> SavedPair {
        SavedPair { a: self.a.save(), b: self.b.save(), difference: self.difference.clone() }
    }

    fn restore(&mut self, saved: &SavedPair, kept: &Looks) {
        restore(&mut self.a, &saved.a, self.options.sameness, kept);
        restore(&mut self.b, &saved.b, self.options.sameness, kept);
        self.difference.clone_from(&saved.difference);
    }

    fn bytes_beyond(saved: &SavedPair, first: &SavedPair) -> usize {
        saved.a.bytes_beyond(&first.a) + saved.b.bytes_beyond(&first.b)
    }

    fn notes(&self) -> Vec<Mismatch> {
        let side = |walked: &Walked| Side {
            end: walked.end().cloned(),
            screen: screen(walked),
            output: printed(walked.output()),
        };
        let mismatch = |what: &String| Mismatch { what: what.clone(), a: side(&self.a), b: side(&self.b) };
        self.difference.as_ref().map(mismatch).into_iter().collect()
    }

    fn notes_of_way(&self) -> Vec<Mismatch> {
        Vec::new()
    }
}

/// Holds two programs against each other.
///
/// ```
/// use oxbox::walk::{Choices, SameOptions, Setup, same};
///
/// // mov ah, 1; int 21h; mov ah, 4Ch; int 21h: both end with the key's code, but the second with 0 after a 7.
/// let a = b"\xB4\x01\xCD\x21\xB4\x4C\xCD\x21";
/// let b = b"\xB4\x01\xCD\x21\x3C\x37\x75\x02\xB0\x00\xB4\x4C\xCD\x21";
/// let [a, b] = [&a[..], &b[..]].map(|program| Setup::new(program.to_vec(), "A.COM"));
/// let comparison = same(&a, &b, &Choices::from_words("0-9")?, &SameOptions::default(), &|_| {})?;
/// assert_eq!(comparison.difference.map(|difference| difference.keys).as_deref(), Some("7"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When one of them cannot be started.
pub fn same(
    a: &Setup,
    b: &Setup,
    choices: &Choices,
    options: &SameOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Comparison, StartError> {
    let outcome = searched([a, b], choices, options, None, progress)?;
    Ok(report(outcome, &choices.names()))
}

/// Does one of the parts into which a comparison is divided. Each may be done by another process; [`merge_comparisons`] makes
/// of all what [`same`] gives.
///
/// # Errors
/// As [`explore_part`](super::explore_part).
pub fn same_part(
    a: &Setup,
    b: &Setup,
    choices: &Choices,
    options: &SameOptions,
    shard: Shard,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Part<Mismatch>, PartError> {
    if !options.sameness.is_exact() {
        return Err(PartError::Inexact);
    }
    let about = About {
        walk: fingerprint(&[a, b], choices, options.bounds, &format!("same {:?}", options.compare)),
        choices: choices.names(),
        bounds: options.bounds,
        asked: 1,
        ends_when_found: true,
    };
    Ok(about.part(shard, searched([a, b], choices, options, Some(shard), progress)?))
}

/// What [`same`] gives, from all the parts of a comparison; each comes with a name for messages.
///
/// # Errors
/// When they are not all the parts of one comparison.
pub fn merge_comparisons(parts: &[(String, Part<Mismatch>)]) -> Result<Comparison, MergeError> {
    let (_, first) = parts.first().ok_or(MergeError::None)?;
    Ok(report(part::merge(parts)?, &first.choices))
}

fn searched(
    setups: [&Setup; 2],
    choices: &Choices,
    options: &SameOptions,
    shard: Option<Shard>,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Outcome<Mismatch>, StartError> {
    let mut workers = Vec::new();
    for _ in 0..options.threads.max(1) {
        workers.push(Pair::start(setups, choices, options)?);
    }
    let plan = Plan {
        bounds: options.bounds,
        sameness: options.sameness,
        once: 1,
        is_enough: &|sightings| !sightings.is_empty(),
        shard,
        progress,
    };
    Ok(search(&mut Subjects::new(workers), &plan, options.keep.clone()))
}

fn report(outcome: Outcome<Mismatch>, choices: &[String]) -> Comparison {
    let first = outcome.sightings.into_iter().next();
    let difference = first.map(|Sighting { path, note: Mismatch { what, a, b } }| Difference {
        keys: keys(choices, &path),
        what,
        a,
        b,
    });
    Comparison { extent: outcome.extent, difference }
}
