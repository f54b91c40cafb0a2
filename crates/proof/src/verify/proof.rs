//! Proves that a program plays its game: comparison with one or several twins, and additional
//! checks.

use super::beside::{Beside, Common, DIFFERENCE, MOST_GAMES, ProofEvent};
use super::compare::Baseline;
use super::effects::Effects;
use super::keys::{Keyboard, Scope};
use super::lines::{Counter, count};
use super::part::{CheckReport, More, ProofPart, whole};
use super::report::{Divergence, Figure, GameReport, KEPT};
use super::screen::Screen;
use super::starts::{Start, USUAL};
use super::statement::{Shown, statement};
use super::tree::{Tree, TreeBuilder};
use super::twin::Twin;
use crate::walk::choices::Act;
use crate::walk::fingerprint::fingerprint;
use crate::walk::part::{About, merge_with_graph};
use crate::walk::performance::Shot;
use crate::walk::scout::scout;
use crate::walk::search::{Enough, Match, Plan, search};
use crate::walk::search_stats::Progress;
use crate::walk::subject::Subjects;
use crate::walk::{Bounds, Choices, MergeError, Part, ProgramUnderTest, Sameness, Setup, Shard, WalkError};
use oxbox_cpu::Model;
use oxbox_machine::machine::{Machine, Question, ReadSet, StartError, StateCategory};
use std::array::from_fn;
use std::thread;

/// The most threads. More would have too little work each.
const MOST_THREADS: usize = 32;

/// The limit of states: this number for each line of play, and at least [`FEWEST_STATES`]. A program
/// that remembers the order of all moves has fewer; one that counts keys, for example, has no end.
const STATES_PER_LINE: usize = 8;
const FEWEST_STATES: usize = 100_000;

/// An exploration ends after this number of divergences: a fault can give a program states without end.
const ENOUGH: Enough = Enough::Matches(ProofEvent::DIFFERS, 1000);

/// The most keys in a row, and the most states, for a program that reads the time: its states never
/// repeat.
const MOST_KEYS_TIMED: usize = 16;
const MOST_STATES_TIMED: usize = 100_000;

/// Memory limit for pending states: 8 GiB, or the whole address space of a 32-bit host. A 64th of
/// it is for uncompressed states.
const MEMORY: usize = 8_usize.saturating_mul(1 << 30);

/// Explorations: for each initial state one per twin.
#[derive(Default)]
struct Walks {
    parts: Vec<Part<ProofEvent>>,
    instructions: u64,
    /// Whether program and twin differ in one of them.
    differ: bool,
}

impl Walks {
    fn extend(&mut self, others: Walks) {
        self.parts.extend(others.parts);
        self.instructions += others.instructions;
        self.differ |= others.differ;
    }
}

/// The reference for a program. [`Twins`] is the usual one.
pub trait Proof: Sync {
    /// Returns the number of complete lines of play, counted without the program.
    fn lines(&self) -> usize;

    /// Checks a shard of `program`, an EXE or COM with the file name `file`. `progress` is called
    /// with the progress of each search.
    ///
    /// # Errors
    /// Fails if the program cannot be loaded. Its mistakes are in the shard.
    fn verify_part(
        &self,
        program: &[u8],
        file: &str,
        scope: Scope,
        shard: Shard,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<ProofPart, WalkError>;

    /// Creates the report of a proof from all of its shards, each with a name for messages.
    ///
    /// # Errors
    /// Fails if they are not all shards of one proof.
    fn merge(&self, parts: &[(String, ProofPart)]) -> Result<GameReport, MergeError>;

    /// Returns every line of play with the screens of `program`, as far as it is correct.
    ///
    /// # Errors
    /// Fails if the program cannot be loaded.
    fn tree(&self, program: &[u8], file: &str) -> Result<Tree, StartError>;

    /// Checks `program` completely.
    ///
    /// # Errors
    /// Fails as [`verify_part`](Self::verify_part) does.
    fn hold(
        &self,
        program: &[u8],
        file: &str,
        scope: Scope,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<GameReport, WalkError> {
        let part = self.verify_part(program, file, scope, Shard::WHOLE, progress)?;
        Ok(self.merge(&[(String::new(), part)])?)
    }
}

/// An additional check of a program at its first key wait; `None` if it does not apply.
type Check = fn(&Machine) -> Option<CheckReport>;

/// A proof by one or several [`Twin`]s in sequence: one per way in which the program may start.
///
/// A game uses it as `&Twins::new(|| vec![Box::new(YourTwin::new())])`.
#[derive(Clone, Copy)]
pub struct Twins {
    starts: fn() -> Vec<Box<dyn Twin>>,
    check: Option<Check>,
}

impl Twins {
    /// Creates a proof with the twins that `starts` returns.
    pub const fn new(starts: fn() -> Vec<Box<dyn Twin>>) -> Self {
        Twins { starts, check: None }
    }

    /// Adds a check of the program at its first key wait.
    #[must_use]
    pub const fn and(self, check: Check) -> Self {
        Twins { starts: self.starts, check: Some(check) }
    }

    /// Returns the oldest processor of the game.
    fn oldest(&self) -> Model {
        (self.starts)().first().map_or(Model::I386, |twin| twin.oldest_processor())
    }

    fn walk(
        setup: &Setup,
        (twin, most_states): (&dyn Twin, usize),
        common: &Common,
        shard: Shard,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Walks, WalkError> {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
        let pair = |_| {
            Ok(Beside::new(ProgramUnderTest::start_recording(setup)?, twin.boxed(), common, &setup.opening))
        };
        let pairs: Result<Vec<_>, StartError> = (0..threads).map(pair).collect();
        let bounds = Bounds {
            states: Some(most_states),
            memory: Some(MEMORY),
            timed_depth: Some(MOST_KEYS_TIMED),
            timed_states: Some(MOST_STATES_TIMED),
            ..Bounds::default()
        };
        let plan = Plan {
            bounds,
            // A twin specifies whether the screen is left out.
            sameness: Sameness::Program,
            once: 1,
            enough: ENOUGH,
            shard: Some(shard),
            progress,
        };
        let about = About {
            walk: fingerprint(&[setup], &Choices::default(), bounds, "verify"),
            choices: Vec::new(),
            bounds,
            asked: 1,
            enough: ENOUGH,
        };
        let pairs = pairs?;
        // Every thread has run to the first key. The report must not depend on their number.
        let start = pairs.first().map_or(0, Beside::instructions);
        let mut pairs = Subjects::new(pairs);
        let kept = scout(&mut pairs, plan.sameness)?;
        let outcome = search(&mut pairs, &plan, kept)?;
        let after_start: u64 = pairs.workers().map(|pair| pair.instructions() - start).sum();
        let differ = outcome.stats.ends.contains_key(DIFFERENCE);
        let parts = vec![about.part(shard, outcome)?];
        Ok(Walks { parts, instructions: start + after_start, differ })
    }

    /// Returns the report of an exploration, and the effects of its keys.
    fn report(
        setup: &Setup,
        twin: &dyn Twin,
        keyboard: &Keyboard,
        parts: &[(String, Part<ProofEvent>)],
        effects: &mut Effects,
    ) -> Result<GameReport, MergeError> {
        let (outcome, graph) = merge_with_graph(parts)?;
        effects.add(&graph, keyboard, twin);
        let mut counter = Counter::new(&graph, keyboard);
        let below = counter.all(twin);
        let replay = |path: &[usize]| Replay::of(setup, twin, keyboard, path);
        let spell = |path: &[usize]| replay(path).map(|replay| replay.keys).unwrap_or_default();
        let mut report = below.report(spell);
        let stats = &outcome.stats;
        report.prompts = counter.prompts;
        report.states = stats.states;
        report.executed = stats.choices_tried;
        report.refused_keys = (stats.choices_tried + 1).saturating_sub(counter.prompts);
        report.divergences = stats.ends.get(DIFFERENCE).copied().unwrap_or_default();
        report.complete = stats.complete;
        report.keys_in_a_row = (!stats.complete).then_some(stats.tried_depth);
        for Match { path, note } in &outcome.sightings {
            match note {
                ProofEvent::CutOff => {
                    report.games = Some(MOST_GAMES as usize);
                    report.complete = false;
                }
                ProofEvent::OtherLayout => {
                    report.figure("screens_in_another_layout", Figure::Count(1));
                }
                ProofEvent::Differs { channel, what, expected, found } if report.diverging.len() < KEPT => {
                    let replay = replay(path);
                    let (keys, screens) = replay
                        .map_or_else(|| (String::new(), None), |replay| (replay.keys, Some(replay.screens)));
                    let (what, expected, found) = (what.clone(), expected.clone(), found.clone());
                    let channel = *channel;
                    report.diverging.push(Divergence { keys, channel, what, expected, found, screens });
                }
                ProofEvent::Differs { .. } => {}
            }
        }
        Ok(report)
    }

    /// Does explorations of a shard: from each of these initial states, with each twin.
    fn walks(
        &self,
        (program, file): (&[u8], &str),
        scope: Scope,
        shard: Shard,
        (starts, more): (&[Start], More),
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Walks, WalkError> {
        let mut walks = Walks::default();
        let twins = (self.starts)();
        let limits: Vec<usize> = twins.iter().map(|twin| most_states(&**twin)).collect();
        for start in starts {
            let setup = start.setup(program, file, scope);
            let unrun = Machine::start(&setup.config, program, file, &setup.arguments)?;
            let keyboard = start.keyboard(Keyboard::of(scope)?, more);
            let common = Common { keyboard, baseline: Baseline::of(&unrun) };
            for (twin, states) in twins.iter().zip(&limits) {
                walks.extend(Self::walk(&setup, (&**twin, *states), &common, shard, progress)?);
            }
        }
        Ok(walks)
    }
}

/// Returns the limit of states for a twin's program.
fn most_states(twin: &dyn Twin) -> usize {
    count(twin).saturating_mul(STATES_PER_LINE).max(FEWEST_STATES)
}

impl Proof for Twins {
    fn lines(&self) -> usize {
        (self.starts)().iter().map(|twin| count(&**twin)).sum()
    }

    fn verify_part(
        &self,
        program: &[u8],
        file: &str,
        scope: Scope,
        shard: Shard,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<ProofPart, WalkError> {
        let setup = USUAL.setup(program, file, scope);
        let first = ProgramUnderTest::start(&setup)?;
        let is_checked = shard.number() == 1 && first.end().is_none();
        let check = self.check.filter(|_| is_checked).and_then(|check| check(first.machine()));
        let check = (shard.number() == 1).then(|| check.unwrap_or_default());
        let at_start = ProgramUnderTest::looks_of_start(&setup)?;
        let walk =
            |starts: &[Start], more| self.walks((program, file), scope, shard, (starts, more), progress);
        let mut usual = walk(&[USUAL], More::default())?;
        let of_groups: Vec<Walks> = Start::groups(scope, self.oldest())
            .into_iter()
            .map(|group| walk(&[group], More::default()))
            .collect::<Result<_, _>>()?;
        let explored = || [&usual].into_iter().chain(&of_groups).flat_map(|walks| &walks.parts);
        let observes = |has: fn(&ReadSet) -> bool| has(&at_start) || explored().any(|part| has(part.kept()));
        // Shards must try the same, but one may find that the program checks for keys or reads the
        // date while another does not.
        let of_whole = |wanted: &[Scope]| shard == Shard::WHOLE && wanted.contains(&scope);
        let reads_date = |read_set: &ReadSet| {
            let categories = read_set.categories();
            categories.has(StateCategory::Date) || categories.has(StateCategory::Clock)
        };
        let has_starts = of_whole(&[Scope::Starts]);
        let differs_alone = |group: &Walks| !usual.differ && group.differ;
        let more = More {
            pairs: of_whole(&[Scope::Alphabet, Scope::Sample])
                && observes(|read_set| read_set.asks(Question::KeysAhead)),
            apart: from_fn(|group| has_starts && of_groups.get(group).is_some_and(differs_alone)),
            dates: has_starts && observes(reads_date),
            slow: has_starts && observes(|read_set| read_set.categories().has_time()),
        };
        if more.pairs {
            // They are further keys at each wait.
            let instructions = usual.instructions;
            usual = walk(&[USUAL], more)?;
            usual.instructions += instructions;
        }
        let mut walks = usual;
        walks.extend(walk(&Start::apart(more, self.oldest()), more)?);
        of_groups.into_iter().for_each(|group| walks.extend(group));
        walks.extend(walk(&Start::of_more(more), more)?);
        let Walks { parts: walks, instructions, .. } = walks;
        let bounds = Bounds::default();
        let proof = fingerprint(&[&setup], &Choices::default(), bounds, &format!("verify {scope:?}"));
        let (program, file) = (program.to_vec(), file.to_owned());
        Ok(ProofPart { shard, proof, scope, program, file, check, instructions, more, at_start, walks })
    }

    fn merge(&self, parts: &[(String, ProofPart)]) -> Result<GameReport, MergeError> {
        let (first, walks) = whole(parts)?;
        let ProofPart { scope, program, file, more, .. } = first;
        let mut report = GameReport { complete: true, ..GameReport::default() };
        let mut effects = Effects::default();
        let mut kept = ReadSet::default();
        let mut walks = walks.iter();
        for start in Start::of(*scope, *more, self.oldest()) {
            let setup = start.setup(program, file, *scope);
            let keyboard = Keyboard::of(*scope).unwrap_or_else(|_| Keyboard::alphabet());
            let keyboard = start.keyboard(keyboard, *more);
            for (twin, parts) in (self.starts)().iter().zip(walks.by_ref()) {
                parts.iter().for_each(|(_, part)| {
                    kept.extend(part.kept());
                });
                let walked = Self::report(&setup, &**twin, &keyboard, parts, &mut effects)?;
                report.add(if start.is_usual() {
                    walked
                } else {
                    walked.of_another_start(&start.to_string())
                });
            }
        }
        for check in parts.iter().filter_map(|(_, part)| part.check.as_ref()) {
            report.add(check.into());
        }
        report.instructions += parts.iter().map(|(_, part)| part.instructions).sum::<u64>();
        if let Some(twin) = (self.starts)().first() {
            let shown = Shown {
                scope: *scope,
                effects: &effects,
                at_start: &first.at_start,
                kept: &kept,
                more: *more,
                is_cut_off: report.games.is_some(),
                is_complete: report.complete,
                keys_in_a_row: report.keys_in_a_row,
            };
            report.covers = statement(&**twin, &shown);
        }
        Ok(report)
    }

    fn tree(&self, program: &[u8], file: &str) -> Result<Tree, StartError> {
        let setup = Setup::new(program.to_vec(), file);
        let mut planting = TreeBuilder::default();
        for twin in (self.starts)() {
            planting.branch(&*twin, &mut ProgramUnderTest::start_recording(&setup)?);
        }
        Ok(planting.tree())
    }
}

/// The result of replaying keys from the start.
struct Replay {
    keys: String,
    /// The resulting screens of twin and program.
    screens: (Screen, Screen),
}

impl Replay {
    /// Replays actions by their numbers; `None` if the program does not start.
    fn of(setup: &Setup, twin: &dyn Twin, keyboard: &Keyboard, path: &[usize]) -> Option<Replay> {
        let mut program = ProgramUnderTest::start(setup).ok()?;
        let (mut twin, mut words) = (twin.boxed(), Vec::new());
        for &number in path {
            let action = keyboard.actions(&*twin).into_iter().nth(number)?;
            if keyboard.pause_ms() > 0 {
                program.wait(keyboard.pause_ms());
                words.push(format!("@{}", keyboard.pause_ms()));
            }
            if let Some(ticks) = action.ticks {
                words.push(format!("@{}", program.wait_for_ticks(ticks)));
            }
            words.extend(action.keys().iter().map(ToString::to_string));
            match action.behind {
                None => program.play(&[Act::Key(action.stroke.key)]),
                Some(_) => program.type_ahead(&action.keys()),
            }
            action.type_to(&mut *twin);
        }
        let found = Screen::from(&Shot::of(program.machine()));
        Some(Replay { keys: words.join(" "), screens: (twin.screen(), found) })
    }
}
