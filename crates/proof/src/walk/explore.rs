//! Exploration of one program: all reachable states, all ends, and the shortest keys to matches of
//! predicates.

use super::alone::{Alone, Moment};
use super::choices::{Choices, NOTHING};
use super::classes::Classes;
use super::error::WalkError;
use super::fingerprint::fingerprint;
use super::part::{self, About, MergeError, Part, PartError};
use super::predicate::Predicate;
use super::program::{ProgramUnderTest, Setup};
use super::search::{Enough, Match, MatchKind, Outcome, Plan, search};
use super::search_stats::{Bounds, Progress, Sameness, SearchStats};
use super::shard::Shard;
use super::subject::Subjects;
use oxbox_machine::machine::ReadSet;
use serde::{Deserialize, Serialize};

/// Options of an exploration.
#[derive(Debug, Clone, Default)]
pub struct ExploreOptions {
    /// The equivalence of states. [`Sameness::Program`] becomes [`Sameness::State`] if a predicate
    /// depends on the screen.
    pub sameness: Sameness,
    /// The bounds of the search.
    pub bounds: Bounds,
    /// Predicates whose shortest keys are reported once. When all have matched, the search ends
    /// with the current level.
    pub find: Vec<Predicate>,
    /// Predicates matched in every state, each with its shortest keys. They do not end the search.
    pub find_all: Vec<Predicate>,
    /// The number of worker threads; at least one.
    pub threads: usize,
    /// State categories that are observed from the start, as other shards do.
    pub keep: ReadSet,
    /// Whether keys that the program treats alike are found in one run, with the same report.
    pub by_class: bool,
}

impl ExploreOptions {
    fn predicates(&self) -> impl Iterator<Item = &Predicate> {
        self.find.iter().chain(&self.find_all)
    }

    fn enough(&self) -> Enough {
        if self.find_all.is_empty() { Enough::AllOnce } else { Enough::Never }
    }

    /// Returns the search's equivalence, which depends on whether a predicate reads the screen.
    pub fn effective_sameness(&self) -> Sameness {
        match self.sameness {
            Sameness::Program if self.predicates().any(Predicate::is_of_screen) => Sameness::State,
            sameness => sameness,
        }
    }
}

/// A match of a predicate.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// The index of the predicate: first those of [`ExploreOptions::find`], then those of
    /// [`ExploreOptions::find_all`].
    pub what: usize,
    /// The shortest keys in the form of `--keys`, after the initial inputs.
    pub keys: String,
    /// The screen at the match.
    pub screen: Vec<String>,
    /// The end of the program at the match, with the reason: `exit:0`, `crash: divide error (INT
    /// 00h) at 1000:0120, game.asm:17`.
    pub end: Option<String>,
}

/// The result of an exploration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exploration {
    /// The statistics of the search, and the ends of the program.
    pub stats: SearchStats,
    /// The matches.
    pub found: Vec<Found>,
}

/// A predicate that matches somewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Seen {
    what: usize,
    screen: Vec<String>,
    end: Option<String>,
}

impl MatchKind for Seen {
    fn what(&self) -> usize {
        self.what
    }
}

/// Returns the predicates that hold in a state, or on the way to it.
fn held(predicates: &[&Predicate], program: &ProgramUnderTest, moment: Moment) -> Vec<Seen> {
    let asked = predicates.iter().enumerate();
    let asked = asked.filter(|(_, predicate)| predicate.is_of_way() == (moment == Moment::Way));
    let held = asked.filter(|(_, predicate)| predicate.holds(program));
    let end = program.ending();
    held.map(|(what, _)| Seen { what, screen: screen(program), end: end.clone() }).collect()
}

/// Returns the screen as lines without trailing blanks and empty lines at the end.
pub(super) fn screen(walked: &ProgramUnderTest) -> Vec<String> {
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

/// Returns the screen after choices, given by number.
///
/// # Errors
/// Fails if the program cannot be started.
pub fn screen_after(setup: &Setup, choices: &Choices, path: &[usize]) -> Result<Vec<String>, WalkError> {
    Ok(screen(&ProgramUnderTest::start_and_take(setup, choices, path)?))
}

/// Explores a program.
///
/// ```
/// use oxbox_proof::walk::{Choices, ExploreOptions, Predicate, Setup, explore};
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
/// Fails if the program cannot be started, or if the disk is full.
pub fn explore(
    setup: &Setup,
    choices: &Choices,
    options: &ExploreOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Exploration, WalkError> {
    let outcome = searched(setup, choices, options, None, progress)?;
    Ok(report(outcome, &choices.names(), options.find.len()))
}

/// Explores one shard of a search. Other processes may do the others; [`merge_explorations`]
/// combines all of them to the result of [`explore`].
///
/// ```
/// use oxbox_proof::walk::{Choices, ExploreOptions, Setup, explore, explore_part, merge_explorations};
///
/// // again: mov ah, 8; int 21h; jmp again
/// let setup = Setup::new(b"\xB4\x08\xCD\x21\xEB\xFA".to_vec(), "WAITS.COM");
/// let (choices, options) = (Choices::from_words("a-c")?, ExploreOptions::default());
/// let mut parts = Vec::new();
/// for words in ["1/2", "2/2"] {
///     parts.push((words.to_owned(), explore_part(&setup, &choices, &options, words.parse()?, &|_| {})?));
/// }
/// assert_eq!(merge_explorations(&parts)?, explore(&setup, &choices, &options, &|_| {})?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails as [`explore`] does, or if the options merge states that the program could distinguish:
/// the representative would then depend on the shard.
pub fn explore_part(
    setup: &Setup,
    choices: &Choices,
    options: &ExploreOptions,
    shard: Shard,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Part<Seen>, PartError> {
    let sameness = options.effective_sameness();
    if !sameness.is_exact() {
        return Err(PartError::Inexact);
    }
    let ExploreOptions { bounds, find, find_all, .. } = options;
    let about = About {
        walk: fingerprint(&[setup], choices, *bounds, &format!("explore {sameness:?} {find:?} {find_all:?}")),
        choices: choices.names(),
        bounds: *bounds,
        asked: find.len(),
        enough: options.enough(),
    };
    Ok(about.part_with(sameness, shard, searched(setup, choices, options, Some(shard), progress)?)?)
}

/// Combines all shards of a search to the result of [`explore`]. Each has a name for messages.
///
/// # Errors
/// Fails if they are not all the shards of one search.
pub fn merge_explorations(parts: &[(String, Part<Seen>)]) -> Result<Exploration, MergeError> {
    let (_, first) = parts.first().ok_or(MergeError::None)?;
    Ok(report(part::merge(parts)?, &first.choices, first.asked))
}

fn searched(
    setup: &Setup,
    choices: &Choices,
    options: &ExploreOptions,
    shard: Option<Shard>,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Outcome<Seen>, WalkError> {
    let predicates: Vec<&Predicate> = options.predicates().collect();
    let sameness = options.effective_sameness();
    let mut workers = Vec::new();
    for _ in 0..options.threads.max(1) {
        let program = ProgramUnderTest::start(setup)?;
        // Key classes require an exact equivalence.
        let prints = predicates.iter().any(|predicate| predicate.is_of_way());
        let classes = (options.by_class && sameness.is_exact()).then(|| Classes::new(prints));
        let look = |program: &ProgramUnderTest, moment| held(&predicates, program, moment);
        workers.push(Alone { program, choices, sameness, classes, look });
    }
    let (once, enough) = (options.find.len(), options.enough());
    let plan = Plan { bounds: options.bounds, sameness, once, enough, shard, progress };
    let mut keep = options.keep.clone();
    if predicates.iter().any(|predicate| predicate.reads_registers()) {
        keep = keep.with_all_registers();
    }
    let mut workers = Subjects::new(workers);
    let mut outcome = search(&mut workers, &plan, keep)?;
    outcome.stats.absent = workers.absent();
    if sameness == Sameness::Program {
        // Each state was examined with only its own screen output.
        for Match { path, note } in &mut outcome.sightings {
            note.screen = screen(&ProgramUnderTest::start_and_take(setup, choices, path)?);
        }
    }
    Ok(outcome)
}

fn report(outcome: Outcome<Seen>, choices: &[String], asked: usize) -> Exploration {
    let mut found: Vec<Found> = Vec::new();
    for Match { path, note: Seen { what, screen, end } } in outcome.sightings {
        if what < asked && found.iter().any(|other| other.what == what) {
            continue;
        }
        found.push(Found { what, keys: keys(choices, &path), screen, end });
    }
    // Ordered by predicate, and for each predicate by the search.
    found.sort_by_key(|found| found.what);
    Exploration { stats: outcome.stats, found }
}

/// Formats choices in the form of `--keys`.
pub(super) fn keys(choices: &[String], path: &[usize]) -> String {
    let names = path.iter().map(|&choice| choices.get(choice).map_or(NOTHING, String::as_str));
    names.collect::<Vec<_>>().join(" ")
}
