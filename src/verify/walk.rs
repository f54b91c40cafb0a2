//! The walk: every line of play on a program and on its twin, side by side.
//!
//! At every prompt both screens are compared, the keys that make no move are tried, and each move is a
//! branch. Going back is by snapshots. The branches of the first choice are shared among threads; what is
//! looked at only once, such as a position that several branches reach, belongs to one of them beforehand. If
//! there is a divergence the walk is done again on one thread. So the report never depends on how many there are.

mod lines;

use super::report::{Divergence, Figure, GameReport, KEPT, Lines, key_names};
use super::{
    program::{Program, ProgramState},
    screen::Screen,
    sound,
    twin::Twin,
};
use crate::engine::Outcome;
pub(super) use lines::{LineCount, count};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Walks the whole tree below `twin`. Each of the `programs` has just been started; each walks on a thread of
/// its own. `progress` hears how many lines are done. Without a program there is nothing to report.
///
/// A program that breaks, ends early or shows something else is a divergence, and nothing below it is walked.
pub fn walk<T: Twin, P: Program + Send>(
    twin: &T,
    mut programs: Vec<P>,
    progress: impl Fn(usize) + Sync,
) -> GameReport {
    let Some(start) = programs.first_mut().map(P::save) else { return GameReport::default() };
    let (report, mut programs) = walk_once(twin, programs, &progress);
    if report.divergences == 0 || programs.len() == 1 {
        return report;
    }
    programs.truncate(1);
    programs[0].resume(start);
    walk_once(twin, programs, &progress).0
}

/// Walks the tree once; hands the programs back.
fn walk_once<T: Twin, P: Program + Send>(
    twin: &T,
    programs: Vec<P>,
    progress: &(dyn Fn(usize) + Sync),
) -> (GameReport, Vec<P>) {
    let executed: u64 = programs.iter().map(P::instructions).sum();
    let common = Common::new(twin.position().map(|_| count(twin)).unwrap_or_default(), progress);
    let mut walkers: Vec<_> = programs.into_iter().map(|program| Walker::new(program, &common)).collect();
    let walker = &mut walkers[0];
    let mut twin = twin.clone();
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
        let saved = walker.program.save();
        walker.asides(&twin);
        share(&twin, &mut walkers, &saved);
    }
    let (reports, programs): (Vec<_>, Vec<_>) =
        walkers.into_iter().map(|walker| (walker.report, walker.program)).unzip();
    let mut report = GameReport::default();
    reports.into_iter().for_each(|part| report.add(part));
    report.user_wins.sort();
    report.instructions = programs.iter().map(P::instructions).sum::<u64>() - executed;
    (report, programs)
}

/// The branches of the position `saved`, in which the first of `walkers` stands, each walked by whichever is
/// free.
fn share<T: Twin, P: Program + Send>(twin: &T, walkers: &mut [Walker<'_, P>], saved: &P::Saved) {
    let (moves, keys, next) = (twin.moves(), walkers[0].keys.clone(), AtomicUsize::new(0));
    let owners = owners(twin);
    let work = |walker: &mut Walker<'_, P>| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(&key) = moves.get(number) else { break };
            walker.keys.clone_from(&keys);
            walker.program.restore(saved);
            walker.left.clear();
            let mut twin = twin.clone();
            walker.step(&mut twin, key);
            walker.visit(&twin, &Branch { number, owners: &owners });
        }
    };
    thread::scope(|scope| {
        for walker in walkers {
            scope.spawn(|| work(walker));
        }
    });
}

/// A branch of the first choice.
struct Branch<'a> {
    number: usize,
    /// The branch in which each position is walked, of those that are reached in several ways.
    owners: &'a HashMap<u64, usize>,
}

/// Gives each position that a twin tells apart to the first branch of the position `twin` that reaches it.
fn owners<T: Twin>(twin: &T) -> HashMap<u64, usize> {
    let mut owners = HashMap::new();
    if twin.position().is_some() {
        for (number, key) in twin.moves().into_iter().enumerate() {
            let mut next = twin.clone();
            next.press(key);
            own(&next, number, &mut owners);
        }
    }
    owners
}

fn own<T: Twin>(twin: &T, branch: usize, owners: &mut HashMap<u64, usize>) {
    let position = twin.position();
    if twin.outcome().is_some() || position.is_some_and(|position| owners.contains_key(&position)) {
        return;
    }
    owners.extend(position.map(|position| (position, branch)));
    for key in twin.moves() {
        let mut next = twin.clone();
        next.press(key);
        own(&next, branch, owners);
    }
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
    /// Positions that have been walked.
    taken: HashSet<u64>,
    /// Outcomes after which the way out of the game has been looked at in this branch.
    left: HashSet<Outcome>,
    common: &'a Common<'a>,
}

impl<'a, P: Program> Walker<'a, P> {
    fn new(program: P, common: &'a Common<'a>) -> Self {
        let (keys, report) = (Vec::new(), GameReport::default());
        Walker { program, keys, report, taken: HashSet::new(), left: HashSet::new(), common }
    }

    /// Everything from this position on.
    fn visit<T: Twin>(&mut self, twin: &T, branch: &Branch<'_>) {
        if !self.look(twin) {
            return;
        }
        if let Some(outcome) = twin.outcome() {
            self.end(twin, outcome);
            return;
        }
        if let Some(position) = twin.position()
            && (branch.owners.get(&position) != Some(&branch.number) || !self.taken.insert(position))
        {
            let lines = self.common.known.below(position);
            self.report.count(&lines);
            self.common.lines_done(lines.values().sum());
            return;
        }
        self.each_move(twin, |walker, next| walker.visit(next, branch));
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
    fn each_move<T: Twin>(&mut self, twin: &T, then: impl Fn(&mut Self, &T)) {
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
        let what = match (self.program.state(), twin.ended()) {
            (ProgramState::Broken(why), _) => why,
            (ProgramState::Ended, false) => "the program has ended; the twin waits for a key".to_owned(),
            (ProgramState::Waiting, true) => "the program waits for a key; the twin has ended".to_owned(),
            _ => match self.difference(twin, &expected, &found) {
                Some(difference) => difference,
                None => return true,
            },
        };
        self.report.divergences += 1;
        if self.report.diverging.len() < KEPT {
            let (keys, screens) = (key_names(&self.keys), Some((expected.clone(), found.clone())));
            let (expected, found) = (expected.lines(), found.lines());
            self.report.diverging.push(Divergence { keys, what, expected, found, screens });
        }
        false
    }

    /// How the program differs in what is seen or heard.
    fn difference(&mut self, twin: &impl Twin, expected: &Screen, found: &Screen) -> Option<String> {
        if let Some(difference) = found.difference(expected) {
            if !twin.allows(found) {
                return Some(difference);
            }
            self.report.figure("screens_in_another_layout", Figure::Count(1));
        }
        sound::difference(twin.tunes()?, self.program.heard()?)
    }
}
