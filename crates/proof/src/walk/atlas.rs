//! A complete search as data: every state, every choice from it, and the results of an observer.
//!
//! Questions about several states (who can win, what can still be reached) are answered on an
//! [`Atlas`].

use super::alone::{Alone, Moment};
use super::choices::Choices;
use super::error::WalkError;
use super::explore::keys;
use super::graph::{EdgeTarget, Graph, NOWHERE};
use super::part::MergeError;
use super::program::{ProgramUnderTest, Setup};
use super::search::{Enough, MatchKind, Plan, search};
use super::search_stats::{Bounds, Progress, Sameness, SearchStats};
use super::shard::Shard;
use super::subject::Subjects;
use oxbox_machine::machine::ReadSet;

/// The result of a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// A state, by its number.
    State(usize),
    /// An end, by its index in [`Atlas::ends`].
    End(usize),
}

/// A choice that was tried.
#[derive(Debug, Clone)]
pub struct Way<R> {
    /// The result.
    pub to: Target,
    /// The observer's result on arrival; `None` beyond a bound.
    pub seen: Option<R>,
}

/// A state.
#[derive(Debug, Clone)]
pub struct Place<R> {
    /// The state and choice that first reached it, shortest keys first; `None` for the start.
    pub origin: Option<(usize, usize)>,
    /// Its choices in order; empty if a bound ended the search before they were tried.
    pub ways: Vec<Way<R>>,
}

/// The complete record of a search.
#[derive(Debug, Clone)]
pub struct Atlas<R> {
    /// The states in the order of discovery. The first is the start.
    pub places: Vec<Place<R>>,
    /// The names of the ends.
    pub ends: Vec<String>,
    /// The observer's result at the start.
    pub start: Option<R>,
    /// The statistics of the search.
    pub stats: SearchStats,
    names: Vec<String>,
}

impl<R> Atlas<R> {
    /// Returns the choices that lead to a state, by number.
    pub fn path(&self, mut state: usize) -> Vec<usize> {
        let mut path = Vec::new();
        while let Some((from, choice)) = self.places.get(state).and_then(|place| place.origin) {
            path.push(choice);
            state = from;
        }
        path.reverse();
        path
    }

    /// Formats choices in the form of `--keys`.
    pub fn keys(&self, path: &[usize]) -> String {
        keys(&self.names, path)
    }

    /// Returns the name of a choice.
    pub fn name(&self, choice: usize) -> String {
        keys(&self.names, &[choice])
    }
}

/// Options for creating an atlas.
#[derive(Debug, Clone, Copy)]
pub struct AtlasOptions {
    /// The equivalence of states.
    pub sameness: Sameness,
    /// The bounds of the search.
    pub bounds: Bounds,
    /// The number of worker threads; at least one.
    pub threads: usize,
}

/// The observer's result on arrival.
#[derive(Debug, Clone)]
struct Seen<R>(R);

impl<R: Clone + Send> MatchKind for Seen<R> {
    fn what(&self) -> usize {
        0
    }
}

/// Searches and records everything that the choices can reach. The observer is called at each
/// arrival before the state is made canonical: the screen contains the output since the last
/// choice, and older output only if the program reads its screen back.
///
/// # Errors
/// Fails if the program cannot be started, or if the disk is full.
pub fn survey<R: Clone + Send>(
    setup: &Setup,
    choices: &Choices,
    options: &AtlasOptions,
    observer: &(impl Fn(&ProgramUnderTest) -> R + Sync),
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Atlas<R>, WalkError> {
    let mut workers = Vec::new();
    for _ in 0..options.threads.max(1) {
        let program = ProgramUnderTest::start(setup)?;
        let look = |program: &ProgramUnderTest, moment| match moment {
            Moment::State => Vec::new(),
            Moment::Way => vec![Seen(observer(program))],
        };
        workers.push(Alone { program, choices, sameness: options.sameness, classes: None, look });
    }
    let mut workers = Subjects::new(workers);
    let plan = Plan {
        bounds: options.bounds,
        sameness: options.sameness,
        once: 0,
        enough: Enough::Never,
        shard: Some(Shard::WHOLE),
        progress,
    };
    let outcome = search(&mut workers, &plan, ReadSet::default())?;
    let mut stats = outcome.stats;
    stats.absent = workers.absent();
    let graph = outcome.graph.ok_or(MergeError::NoGraph)?;
    Ok(drawn(&graph, stats, choices.names()))
}

fn drawn<R: Clone>(graph: &Graph<Seen<R>>, stats: SearchStats, names: Vec<String>) -> Atlas<R> {
    let states = graph.identities().count();
    let target = |to: EdgeTarget| match to {
        EdgeTarget::State(number) => Target::State(number as usize),
        EdgeTarget::End(number) => Target::End(number as usize),
    };
    let mut places: Vec<Place<R>> = Vec::with_capacity(states);
    for state in 0..states {
        let ways = graph.choices(state as u32).into_iter().flatten();
        let ways = ways.map(|to| Way { to: target(to), seen: None }).collect();
        places.push(Place { origin: None, ways });
    }
    let mut start = None;
    for (from, choice, Seen(seen)) in graph.sights() {
        match choice {
            Some(choice) => {
                let way =
                    places.get_mut(from as usize).and_then(|place| place.ways.get_mut(usize::from(choice)));
                if let Some(way) = way {
                    way.seen = Some(seen.clone());
                }
            }
            None if from == NOWHERE => start = Some(seen.clone()),
            None => {}
        }
    }
    // States are numbered in the order of discovery: the first path to one is its shortest.
    for from in 0..states {
        for choice in 0..places[from].ways.len() {
            if let Target::State(to) = places[from].ways[choice].to
                && to > 0
                && places[to].origin.is_none()
            {
                places[to].origin = Some((from, choice));
            }
        }
    }
    let ends = (0..).map_while(|number| graph.end_name(number).map(str::to_owned)).collect();
    Atlas { places, ends, start, stats, names }
}
