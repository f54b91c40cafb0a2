//! One program: every state that a user can bring it into, how it can end, and the shortest keys to what is looked for.

use super::choices::Choices;
use super::predicate::Predicate;
use super::program::{Saved, Setup, Walked};
use super::search::{self, Bounds, Outcome, Plan, Progress, Sameness, Seen, Sighting, Subject};
use crate::machine::{Class, Looks, StartError};
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_128;

/// How to explore.
#[derive(Debug, Clone, Default)]
pub struct ExploreOptions {
    /// When two waits are one state.
    pub sameness: Sameness,
    /// How far to go.
    pub bounds: Bounds,
    /// What to look for: the shortest keys to each are told, and once all are found the search ends with the level.
    pub find: Vec<Predicate>,
    /// What to look for in every state: each with its shortest keys. The search goes on to the end.
    pub find_all: Vec<Predicate>,
    /// Workers; at least one.
    pub threads: usize,
}

/// Something that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Which: first those of [`ExploreOptions::find`], then those of [`ExploreOptions::find_all`].
    pub what: usize,
    /// The shortest keys, as `--keys` takes them, after those of the opening.
    pub keys: String,
    /// The screen then.
    pub screen: Vec<String>,
    /// How the program has ended there, and why: `exit:0`, `crash: divide error (INT 00h) at 1000:0120, game.asm:17`.
    pub end: Option<String>,
}

/// What an exploration has shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exploration {
    /// Different states in which the program waits.
    pub states: usize,
    /// Choices that were tried.
    pub choices_tried: usize,
    /// How many choices led to each kind of end: `exit:CODE`, `crash`, `hang`, `reset`.
    pub ends: BTreeMap<String, usize>,
    /// The most choices in a row that were needed to reach a new state.
    pub depth: usize,
    /// No bound cut anything off, and nothing was found that ended the search early.
    pub complete: bool,
    /// More states waited than the bound allows: the search ended there.
    pub overflowed: bool,
    /// States were merged only where nothing that the program can still see differs.
    pub exact: bool,
    /// What changes by itself and was looked at.
    pub seen: Vec<Class>,
    /// What was found.
    pub found: Vec<Found>,
}

/// A program and what is looked for in it.
struct Explorer<'a> {
    walked: Walked,
    choices: &'a Choices,
    sameness: Sameness,
    predicates: &'a [&'a Predicate],
}

impl Subject for Explorer<'_> {
    type Saved = Saved;

    fn play(&mut self, choice: usize) {
        if let Some(choice) = self.choices.get(choice) {
            self.walked.play(&choice.keys);
        }
    }

    fn end(&self) -> Option<String> {
        self.walked.end().map(super::End::label)
    }

    fn settle(&mut self, kept: &Looks) -> u128 {
        settle(&mut self.walked, self.sameness, kept)
    }

    fn looks(&self) -> Looks {
        self.walked.looks()
    }

    fn save(&mut self) -> Saved {
        self.walked.save()
    }

    fn restore(&mut self, saved: &Saved, kept: &Looks) {
        restore(&mut self.walked, saved, self.sameness, kept);
    }

    fn bytes_beyond(saved: &Saved, first: &Saved) -> usize {
        saved.bytes_beyond(first)
    }

    fn sightings(&self, is_known: bool) -> Vec<Seen> {
        let asked = self.predicates.iter().enumerate();
        let held = asked
            .filter(|(_, predicate)| (!is_known || predicate.is_of_way()) && predicate.holds(&self.walked));
        let end = self.walked.end().map(ToString::to_string);
        held.map(|(what, _)| Seen { what, screen: screen(&self.walked), end: end.clone() }).collect()
    }
}

/// Goes back to a state. Where states are not made canonical, nothing need be watched.
pub(super) fn restore(walked: &mut Walked, saved: &Saved, sameness: Sameness, kept: &Looks) {
    walked.restore(saved);
    if sameness != Sameness::Screen {
        walked.watch(kept);
    }
}

/// Makes a state canonical and tells what keeps it apart from others.
pub(super) fn settle(walked: &mut Walked, sameness: Sameness, kept: &Looks) -> u128 {
    match sameness {
        Sameness::State | Sameness::Memory => {
            walked.make_canonical(kept);
            walked.identity(kept)
        }
        Sameness::Screen => {
            let frame = walked.machine().still_frame();
            let bytes: Vec<u8> = frame.pixels.iter().flat_map(|pixel| pixel.to_le_bytes()).collect();
            xxh3_128(&bytes) ^ frame.width as u128
        }
    }
}

/// The screen as lines of text, trailing blanks and empty lines at the end cut.
pub(super) fn screen(walked: &Walked) -> Vec<String> {
    match walked.machine().text() {
        Some(text) => {
            let text = text.to_string();
            text.trim_end().lines().map(|line| line.trim_end().to_owned()).collect()
        }
        None => {
            let frame = walked.machine().still_frame();
            vec![format!("(a picture of {}x{})", frame.width, frame.height)]
        }
    }
}

/// Explores a program.
///
/// ```
/// use oxbox::walk::{Choices, ExploreOptions, Predicate, Setup, explore};
///
/// // again: mov ah, 1; int 21h; sub al, '0'; mov bl, al; mov ax, 12; div bl; cmp al, 4; jne again; ret
/// let program = b"\xB4\x01\xCD\x21\x2C\x30\x88\xC3\xB8\x0C\x00\xF6\xF3\x3C\x04\x75\xEF\xC3";
/// let setup = Setup::new(program.to_vec(), "DIV.COM");
/// let choices = Choices::from_words("1-3")?;
/// let options = ExploreOptions { find: vec![Predicate::Exit(0)], ..ExploreOptions::default() };
/// let exploration = explore(&setup, &choices, &options, &|_| {})?;
/// assert_eq!(exploration.found[0].keys, "3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the program cannot be started.
pub fn explore(
    setup: &Setup,
    choices: &Choices,
    options: &ExploreOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Exploration, StartError> {
    let predicates: Vec<&Predicate> = options.find.iter().chain(&options.find_all).collect();
    let mut workers = Vec::new();
    for _ in 0..options.threads.max(1) {
        let walked = Walked::start(setup)?;
        workers.push(Explorer { walked, choices, sameness: options.sameness, predicates: &predicates });
    }
    let asked = options.find.len();
    let is_enough = |sightings: &[Sighting]| {
        asked > 0
            && options.find_all.is_empty()
            && (0..asked).all(|what| sightings.iter().any(|sighting| sighting.seen.what == what))
    };
    let plan = Plan {
        choices,
        bounds: options.bounds,
        keeps_classes: options.sameness == Sameness::State,
        is_enough: &is_enough,
        progress,
    };
    let outcome = search::search(&mut workers, &plan);
    Ok(report(outcome, choices, asked, options.sameness))
}

fn report(outcome: Outcome, choices: &Choices, asked: usize, sameness: Sameness) -> Exploration {
    let mut found: Vec<Found> = Vec::new();
    for Sighting { path, seen: Seen { what, screen, end } } in outcome.sightings {
        if what < asked && found.iter().any(|other| other.what == what) {
            continue;
        }
        found.push(Found { what, keys: keys(choices, &path), screen, end });
    }
    // The order in which they were asked for; within one of them that of the search.
    found.sort_by_key(|found| found.what);
    Exploration {
        states: outcome.states,
        choices_tried: outcome.choices_tried,
        ends: outcome.ends,
        depth: outcome.depth,
        complete: outcome.complete,
        overflowed: outcome.overflowed,
        exact: sameness.is_exact(),
        seen: outcome.looks.classes().iter().collect(),
        found,
    }
}

/// The keys of choices, as `--keys` takes them.
pub(super) fn keys(choices: &Choices, path: &[usize]) -> String {
    let names = path.iter().filter_map(|&choice| Some(choices.get(choice)?.name.as_str()));
    names.collect::<Vec<_>>().join(" ")
}
