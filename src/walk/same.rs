//! Two programs side by side: equal over everything that can be typed, or the shortest keys after which they differ.

use super::choices::Choices;
use super::explore::{keys, restore, screen, settle};
use super::predicate::printed;
use super::program::{End, Saved, Setup, Walked};
use super::search::{self, Bounds, Plan, Progress, Sameness, Seen, Sighting, Subject};
use crate::machine::{Class, Looks, StartError};

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
}

/// One of the programs where they differ.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// Different pairs of waits.
    pub states: usize,
    /// Choices that were tried.
    pub choices_tried: usize,
    /// No bound cut anything off, and no difference ended the search.
    pub complete: bool,
    /// More states waited than the bound allows: the search ended there.
    pub overflowed: bool,
    /// States were merged only where nothing that the programs can still see differs.
    pub exact: bool,
    /// What changes by itself and was looked at.
    pub seen: Vec<Class>,
    /// How they differ; nothing where they are equal.
    pub difference: Option<Difference>,
}

/// Two programs that are given the same keys.
struct Pair<'a> {
    a: Walked,
    b: Walked,
    choices: &'a Choices,
    options: &'a SameOptions,
}

impl Pair<'_> {
    /// What differs; nothing where they agree.
    fn difference(&self) -> Option<String> {
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
    type Saved = (Saved, Saved);

    fn play(&mut self, choice: usize) {
        if let Some(choice) = self.choices.get(choice) {
            self.a.play(&choice.keys);
            self.b.play(&choice.keys);
        }
    }

    fn end(&self) -> Option<String> {
        if self.difference().is_some() {
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

    fn save(&mut self) -> (Saved, Saved) {
        (self.a.save(), self.b.save())
    }

    fn restore(&mut self, (a, b): &(Saved, Saved), kept: &Looks) {
        restore(&mut self.a, a, self.options.sameness, kept);
        restore(&mut self.b, b, self.options.sameness, kept);
    }

    fn bytes_beyond((a, b): &(Saved, Saved), (first_a, first_b): &(Saved, Saved)) -> usize {
        a.bytes_beyond(first_a) + b.bytes_beyond(first_b)
    }

    fn sightings(&self, _: bool) -> Vec<Seen> {
        let difference = self.difference();
        difference.map(|what| Seen { what: 0, screen: vec![what], end: None }).into_iter().collect()
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
    let mut workers = Vec::new();
    for _ in 0..options.threads.max(1) {
        workers.push(Pair { a: Walked::start(a)?, b: Walked::start(b)?, choices, options });
    }
    let plan = Plan {
        choices,
        bounds: options.bounds,
        keeps_classes: options.sameness == Sameness::State,
        is_enough: &|sightings| !sightings.is_empty(),
        progress,
    };
    let outcome = search::search(&mut workers, &plan);
    let first = outcome.sightings.into_iter().next();
    let difference = first.map(|sighting| shown(a, b, choices, sighting)).transpose()?;
    Ok(Comparison {
        states: outcome.states,
        choices_tried: outcome.choices_tried,
        complete: outcome.complete,
        overflowed: outcome.overflowed,
        exact: options.sameness.is_exact(),
        seen: outcome.looks.classes().iter().collect(),
        difference,
    })
}

/// Plays both programs to where they differ.
fn shown(a: &Setup, b: &Setup, choices: &Choices, sighting: Sighting) -> Result<Difference, StartError> {
    let side = |setup| {
        let mut walked = Walked::start(setup)?;
        for choice in sighting.path.iter().filter_map(|&choice| choices.get(choice)) {
            walked.play(&choice.keys);
        }
        let output = printed(walked.output());
        Ok::<_, StartError>(Side { end: walked.end().cloned(), screen: screen(&walked), output })
    };
    let what = sighting.seen.screen.into_iter().next().unwrap_or_default();
    Ok(Difference { keys: keys(choices, &sighting.path), what, a: side(a)?, b: side(b)? })
}
