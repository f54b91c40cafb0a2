//! The walk: every line of play on a program and on its twin, side by side.
//!
//! At every prompt both screens are compared, the keys that make no move are tried, and each move is a
//! branch. Going back is by snapshots. The branches some moves down are units of work, shared out among threads, or among
//! the parts of a walk; the [plan](plan::Plan) says beforehand what belongs to which. What each has found is added up in the order
//! of the keys. So the report never depends on how many there are.

mod lines;
mod plan;

use super::report::{Divergence, Figure, GameReport, KEPT, Lines, key_names};
use super::{
    program::{Program, ProgramState},
    screen::Screen,
    sound,
    twin::Twin,
};
use crate::engine::Outcome;
use crate::walk::{Shard, crew};
pub(super) use lines::{LineCount, count};
use plan::{Owner, Plan};
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Units of work, if a walk has so many: enough for all cores to have something to do to the end.
const UNITS: usize = 128;

/// Walks the whole tree below `twin`. Each of the `programs` has just been started; each walks on a thread of
/// its own. `progress` hears how many lines are done. Without a program there is nothing to report.
///
/// A program that breaks, ends early or shows something else is a divergence, and nothing below it is walked.
pub fn walk<T: Twin, P: Program + Send>(
    twin: &T,
    programs: Vec<P>,
    progress: impl Fn(usize) + Sync,
) -> GameReport {
    let pieces = walk_part(twin, programs, Shard::WHOLE, &progress);
    GameReport::sum(pieces.into_iter().flatten())
}

/// Walks a part of the tree: what its pieces have found, in the order of the keys. Pieces that belong to other parts are
/// nothing here; what lies above all units belongs to each.
pub(super) fn walk_part<T: Twin, P: Program + Send>(
    twin: &T,
    programs: Vec<P>,
    shard: Shard,
    progress: &(dyn Fn(usize) + Sync),
) -> Vec<Option<GameReport>> {
    let common = Common::new(twin.position().map(|_| count(twin)).unwrap_or_default(), progress);
    let mut walkers: Vec<_> = programs.into_iter().map(|program| Walker::new(program, &common)).collect();
    let Some(walker) = walkers.first_mut() else { return Vec::new() };
    let mut twin = twin.clone();
    let mut top = Top { plan: Plan::default(), title: 0, pieces: Vec::new(), tasks: Vec::new() };
    // A title may come before the first choice.
    let mut agrees = walker.look(&twin);
    while let (true, None, &[key]) = (agrees, twin.outcome(), twin.moves().as_slice()) {
        let saved = walker.program.save();
        walker.asides(&twin);
        walker.program.resume(saved);
        walker.step(&mut twin, key);
        agrees = walker.look(&twin);
    }
    if agrees {
        top.plan = Plan::new(&twin, UNITS.max(shard.top()));
        top.title = walker.keys.len();
        walker.begin(&twin, &mut top);
    }
    top.pieces.push(walker.take_report());
    let Top { plan, pieces, tasks, .. } = top;
    let kept = Mutex::new(vec![0; tasks.len()]);
    let own = own_tasks(shard, &plan.weights(), &tasks);
    let units = crew::share(&mut walkers, tasks.len(), |walker, number| {
        own[number].then(|| {
            let mut report = walker.unit(&tasks[number], &plan);
            // No more screens are kept than are shown; those of the units before go first.
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            let before: usize = kept[..number].iter().sum();
            report.diverging.truncate(KEPT.saturating_sub(before));
            kept[number] = report.diverging.len();
            report
        })
    });
    let mut units = units.into_iter();
    pieces.into_iter().flat_map(|piece| [Some(Some(piece)), units.next()]).flatten().collect()
}

/// Of each task whether it belongs to this part. The first units have most to do, since what they share with others is theirs.
fn own_tasks<T, S>(shard: Shard, weights: &[usize], tasks: &[Task<T, S>]) -> Vec<bool> {
    let weight = |task: &Task<T, S>| weights.get(task.unit).copied().unwrap_or(1);
    let all: usize = tasks.iter().map(weight).sum();
    let mut before = 0;
    let is_own = |task| {
        let middle = before + weight(task) / 2;
        before += weight(task);
        shard.has(middle, all)
    };
    tasks.iter().map(is_own).collect()
}

/// The walk above all units.
struct Top<T, S> {
    plan: Plan,
    /// Keys before the first choice.
    title: usize,
    /// What was found before each unit, and after the last.
    pieces: Vec<GameReport>,
    tasks: Vec<Task<T, S>>,
}

/// A unit of work.
struct Task<T, S> {
    unit: usize,
    twin: T,
    saved: S,
    keys: Vec<u8>,
}

/// What all walkers share.
struct Common<'a> {
    /// What lies below the positions that are reached in several ways.
    known: LineCount,
    done: AtomicUsize,
    progress: &'a (dyn Fn(usize) + Sync),
}

impl<'a> Common<'a> {
    fn new(known: LineCount, progress: &'a (dyn Fn(usize) + Sync)) -> Self {
        Common { known, done: AtomicUsize::new(0), progress }
    }

    fn lines_done(&self, lines: usize) {
        (self.progress)(self.done.fetch_add(lines, Ordering::Relaxed) + lines);
    }
}

/// A program, and how it came to where it is.
struct Walker<'a, P> {
    program: P,
    keys: Vec<u8>,
    report: GameReport,
    /// Instructions up to the last report.
    counted: u64,
    /// Positions that have been walked.
    taken: HashSet<u64>,
    /// Outcomes after which the way out of the game has been looked at in this branch.
    left: HashSet<Outcome>,
    common: &'a Common<'a>,
}

impl<'a, P: Program> Walker<'a, P> {
    fn new(program: P, common: &'a Common<'a>) -> Self {
        let (keys, report) = (Vec::new(), GameReport::default());
        let counted = program.instructions();
        Walker { program, keys, report, counted, taken: HashSet::new(), left: HashSet::new(), common }
    }

    /// What was found since the last report.
    fn take_report(&mut self) -> GameReport {
        let mut report = std::mem::take(&mut self.report);
        let executed = self.program.instructions();
        report.instructions = executed - self.counted;
        self.counted = executed;
        report
    }

    /// The first choice, and what is above all units.
    fn begin<T: Twin>(&mut self, twin: &T, top: &mut Top<T, P::Saved>) {
        self.taken.extend(twin.position());
        self.each_move(twin, |walker, next| {
            walker.left.clear();
            walker.descend(next, top);
        });
    }

    /// From a position above all units, or from where one begins, on.
    fn descend<T: Twin>(&mut self, twin: &T, top: &mut Top<T, P::Saved>) {
        if !self.look(twin) || self.is_over(twin) {
            return;
        }
        if let Some(unit) = top.plan.unit(&self.keys[top.title..]) {
            top.pieces.push(self.take_report());
            let (saved, keys) = (self.program.save(), self.keys.clone());
            top.tasks.push(Task { unit, twin: twin.clone(), saved, keys });
            self.left = top.plan.ends(unit).map(|ends| ends.after.clone()).unwrap_or_default();
        } else if self.is_new(twin, &top.plan, None) {
            self.each_move(twin, |walker, next| walker.descend(next, top));
        }
    }

    /// A unit of work: what is below the position in which it begins.
    fn unit<T: Twin>(&mut self, task: &Task<T, P::Saved>, plan: &Plan) -> GameReport {
        let Task { unit, twin, saved, keys } = task;
        self.program.restore(saved);
        self.keys.clone_from(keys);
        self.left = plan.ends(*unit).map(|ends| ends.before.clone()).unwrap_or_default();
        self.taken.clear();
        self.taken.extend(twin.position());
        self.each_move(twin, |walker, next| walker.visit(next, plan, Some(*unit)));
        self.take_report()
    }

    /// Everything from this position on.
    fn visit<T: Twin>(&mut self, twin: &T, plan: &Plan, owner: Owner) {
        if self.look(twin) && !self.is_over(twin) && self.is_new(twin, plan, owner) {
            self.each_move(twin, |walker, next| walker.visit(next, plan, owner));
        }
    }

    /// Whether a line is complete: then it is counted.
    fn is_over<T: Twin>(&mut self, twin: &T) -> bool {
        let outcome = twin.outcome();
        if let Some(outcome) = outcome {
            self.end(twin, outcome);
        }
        outcome.is_some()
    }

    /// Whether a position is to be walked here and now. The lines of one that is walked elsewhere are counted.
    fn is_new<T: Twin>(&mut self, twin: &T, plan: &Plan, owner: Owner) -> bool {
        let Some(position) = twin.position() else { return true };
        if plan.owns(owner, position) && self.taken.insert(position) {
            return true;
        }
        let lines = self.common.known.below(position);
        self.report.count(&lines);
        self.common.lines_done(lines.values().sum());
        false
    }

    /// A complete line. What comes after the first of each outcome in a branch is looked at too: another
    /// game, or leaving.
    fn end<T: Twin>(&mut self, twin: &T, outcome: Outcome) {
        let label = outcome.label(T::COMPUTER);
        if label == "user" {
            self.report.user_wins.push(key_names(&self.keys));
        }
        for (name, figure) in twin.figures() {
            self.report.figure(name, figure);
        }
        self.report.count(&Lines::from([(label.to_owned(), 1)]));
        if self.left.insert(outcome) {
            self.afterwards(twin);
        }
        self.common.lines_done(1);
    }

    /// The prompts between the end of a game and the next game.
    fn afterwards<T: Twin>(&mut self, twin: &T) {
        self.each_move(twin, |walker, next| {
            if walker.look(next) && next.outcome().is_some() {
                walker.afterwards(next);
            }
        });
    }

    /// Tries the keys that make no move, then makes each move and goes on from there with `then`.
    fn each_move<T: Twin>(&mut self, twin: &T, mut then: impl FnMut(&mut Self, &T)) {
        let moves = twin.moves();
        let mut away = false;
        let mut saved = None;
        if !twin.asides().is_empty() || moves.len() > 1 {
            saved = Some(self.program.save());
            away = self.asides(twin);
        }
        for (number, &key) in moves.iter().enumerate() {
            match saved.take() {
                // The last time the saved position is used up.
                Some(saved) if away && number + 1 == moves.len() => self.program.resume(saved),
                Some(position) => {
                    if away {
                        self.program.restore(&position);
                    }
                    saved = Some(position);
                }
                None => {}
            }
            let mut next = twin.clone();
            self.step(&mut next, key);
            then(self, &next);
            self.keys.pop();
            away = true;
        }
    }

    /// Types the keys that make no move and looks after each group. False if there are none.
    fn asides<T: Twin>(&mut self, twin: &T) -> bool {
        let (groups, depth) = (twin.asides(), self.keys.len());
        let mut aside = twin.clone();
        for group in &groups {
            self.program.press(group);
            group.iter().for_each(|&key| aside.press(key));
            self.keys.extend(group);
            self.report.refused_keys += group.len();
            if !self.agrees(&aside) {
                break;
            }
        }
        self.keys.truncate(depth);
        !groups.is_empty()
    }

    /// The same key to both.
    fn step(&mut self, twin: &mut impl Twin, key: u8) {
        self.program.press(&[key]);
        twin.press(key);
        self.keys.push(key);
    }

    /// Compares a prompt or an end. False if they differ.
    fn look(&mut self, twin: &impl Twin) -> bool {
        self.report.prompts += 1;
        self.agrees(twin)
    }

    fn agrees(&mut self, twin: &impl Twin) -> bool {
        let (expected, found) = (twin.screen(), self.program.screen());
        let what = match compare(twin, &self.program, &expected, &found) {
            Agreement::Same => return true,
            Agreement::OtherLayout => {
                self.report.figure("screens_in_another_layout", Figure::Count(1));
                return true;
            }
            Agreement::Differs(what) => what,
        };
        self.report.divergences += 1;
        if self.report.diverging.len() < KEPT {
            let (keys, screens) = (key_names(&self.keys), Some((expected.clone(), found.clone())));
            let (expected, found) = (expected.lines(), found.lines());
            self.report.diverging.push(Divergence { keys, what, expected, found, screens });
        }
        false
    }
}

/// How a program stands to its twin.
pub(super) enum Agreement {
    /// It shows and plays the same.
    Same,
    /// It shows the same in a layout that the twin allows.
    OtherLayout,
    /// It does something else: what.
    Differs(String),
}

/// Holds what a program is up to, shows and has played against its twin's.
pub(super) fn compare<T: Twin, P: Program>(
    twin: &T,
    program: &P,
    expected: &Screen,
    found: &Screen,
) -> Agreement {
    match (program.state(), twin.ended()) {
        (ProgramState::Broken(why), _) => return Agreement::Differs(why),
        (ProgramState::Ended, false) => {
            return Agreement::Differs("the program has ended; the twin waits for a key".to_owned());
        }
        (ProgramState::Waiting, true) => {
            return Agreement::Differs("the program waits for a key; the twin has ended".to_owned());
        }
        _ => {}
    }
    let seen = found.difference(expected);
    let is_seen = seen.is_some();
    let seen = seen.filter(|_| !twin.allows(found));
    let heard = || sound::difference(twin.tunes()?, program.heard()?);
    match (seen.or_else(heard), is_seen) {
        (Some(difference), _) => Agreement::Differs(difference),
        (None, true) => Agreement::OtherLayout,
        (None, false) => Agreement::Same,
    }
}
