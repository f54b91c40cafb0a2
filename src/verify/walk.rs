//! The walk: every line of play on a program and on its twin, side by side.
//!
//! At every prompt both screens are compared, the keys that make no move are tried, and each move is a branch. Going back is
//! by snapshots. The branches of the first choice are shared among threads; the report is put together in their order, so
//! it does not depend on how many there are.

use super::report::{Divergence, GameReport, Lines, key_names};
use super::{Program, State, Twin, sound};
use crate::engine::Outcome;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How many divergences are kept with their screens; all are counted.
pub(super) const KEPT: usize = 10;

/// Walks the whole tree below `twin`. Each of the `programs` has just been started; each walks on a thread of its own.
/// `progress` hears how many lines are done. Without a program there is nothing to report.
///
/// A program that breaks, ends early or shows something else is a divergence, and nothing below it is walked.
pub fn walk<T: Twin, P: Program + Send>(
    twin: &T,
    programs: Vec<P>,
    progress: impl Fn(usize) + Sync,
) -> GameReport {
    let done = AtomicUsize::new(0);
    let tell = |lines| progress(done.fetch_add(lines, Ordering::Relaxed) + lines);
    let mut walkers: Vec<_> = programs.into_iter().map(|program| Walker::new(program, &tell)).collect();
    let Some(walker) = walkers.first_mut() else { return GameReport::default() };
    let mut twin = twin.clone();
    // A title may come before the first choice.
    while let (None, &[key]) = (twin.outcome(), twin.moves().as_slice()) {
        if !walker.look(&twin) {
            return walker.hand_over();
        }
        let saved = walker.program.save();
        walker.asides(&twin, &saved);
        walker.step(&mut twin, key);
    }
    if twin.position().is_some() {
        // Positions that are reached in several ways are walked once, so one walker has to see them all.
        let lines = walker.visit(&twin);
        walker.report.count(&lines);
    } else if walker.look(&twin) {
        let saved = walker.program.save();
        walker.asides(&twin, &saved);
        let mut report = walker.hand_over();
        for (branch, lines) in share(&twin, walkers, &saved) {
            report.add(branch);
            report.count(&lines);
        }
        return report;
    }
    walker.hand_over()
}

/// The branches of the position `saved`, in which the first of `walkers` stands, each walked by whichever is free; in the
/// order of the moves.
fn share<T: Twin, P: Program + Send>(
    twin: &T,
    walkers: Vec<Walker<'_, P>>,
    saved: &P::Saved,
) -> Vec<(GameReport, Lines)> {
    let keys = walkers[0].keys.clone();
    let moves = twin.moves();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = |mut walker: Walker<'_, P>| {
        while let Some((number, &key)) = take(&next, &moves) {
            walker.keys.clone_from(&keys);
            walker.program.restore(saved);
            let mut twin = twin.clone();
            walker.step(&mut twin, key);
            let lines = walker.visit(&twin);
            if let Ok(mut done) = done.lock() {
                done.insert(number, (walker.hand_over(), lines));
            }
        }
    };
    thread::scope(|scope| {
        for walker in walkers {
            scope.spawn(|| work(walker));
        }
    });
    done.into_inner().map(|done| done.into_values().collect()).unwrap_or_default()
}

/// The next branch that nobody walks yet.
fn take<'a>(next: &AtomicUsize, moves: &'a [u8]) -> Option<(usize, &'a u8)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    Some((number, moves.get(number)?))
}

/// A program, and how it came to where it is.
struct Walker<'a, P> {
    program: P,
    keys: Vec<u8>,
    report: GameReport,
    /// Outcomes after which the way out of the game has been looked at.
    left: BTreeSet<Outcome>,
    /// Positions that were walked before, for twins that tell them apart.
    known: HashMap<u64, Lines>,
    /// Instructions that earlier reports have told of.
    told_instructions: u64,
    tell: &'a (dyn Fn(usize) + Sync),
}

impl<'a, P: Program> Walker<'a, P> {
    fn new(program: P, tell: &'a (dyn Fn(usize) + Sync)) -> Self {
        Walker {
            program,
            keys: Vec::new(),
            report: GameReport::default(),
            left: BTreeSet::new(),
            known: HashMap::new(),
            told_instructions: 0,
            tell,
        }
    }

    /// What it has found since it last told.
    fn hand_over(&mut self) -> GameReport {
        let executed = self.program.instructions();
        self.report.instructions += executed - self.told_instructions;
        self.told_instructions = executed;
        std::mem::take(&mut self.report)
    }

    /// Everything from this position on: its complete lines.
    fn visit<T: Twin>(&mut self, twin: &T) -> Lines {
        if !self.look(twin) {
            return Lines::new();
        }
        if let Some(outcome) = twin.outcome() {
            return self.end(twin, outcome);
        }
        if let Some(known) = twin.position().and_then(|position| self.known.get(&position)) {
            (self.tell)(known.values().sum());
            return known.clone();
        }
        let saved = self.program.save();
        self.asides(twin, &saved);
        let mut lines = Lines::new();
        for (number, key) in twin.moves().into_iter().enumerate() {
            if number > 0 {
                self.program.restore(&saved);
            }
            let mut next = twin.clone();
            self.step(&mut next, key);
            for (outcome, count) in self.visit(&next) {
                *lines.entry(outcome).or_default() += count;
            }
            self.keys.pop();
        }
        if let Some(position) = twin.position() {
            self.known.insert(position, lines.clone());
        }
        lines
    }

    /// A complete line. What comes after the first of each outcome is looked at too: another game, or leaving.
    fn end<T: Twin>(&mut self, twin: &T, outcome: Outcome) -> Lines {
        let label = outcome.label(T::COMPUTER);
        if label == "user" {
            self.report.user_wins.push(key_names(&self.keys));
        }
        for (name, figure) in twin.figures() {
            self.report.figure(name, figure);
        }
        if self.left.insert(outcome) {
            self.afterwards(twin);
        }
        (self.tell)(1);
        Lines::from([(label.to_owned(), 1)])
    }

    /// The prompts between the end of a game and the next game.
    fn afterwards<T: Twin>(&mut self, twin: &T) {
        let saved = self.program.save();
        self.asides(twin, &saved);
        for (number, key) in twin.moves().into_iter().enumerate() {
            if number > 0 {
                self.program.restore(&saved);
            }
            let mut next = twin.clone();
            self.step(&mut next, key);
            if self.look(&next) && next.outcome().is_some() {
                self.afterwards(&next);
            }
            self.keys.pop();
        }
    }

    /// The same key to both.
    fn step(&mut self, twin: &mut impl Twin, key: u8) {
        self.program.press(key);
        twin.press(key);
        self.keys.push(key);
    }

    /// Types the keys that make no move, one after the other, looks after each, and goes back to `saved`, where it stood.
    fn asides<T: Twin>(&mut self, twin: &T, saved: &P::Saved) {
        let (keys, depth) = (twin.asides(), self.keys.len());
        let mut aside = twin.clone();
        for &key in &keys {
            self.step(&mut aside, key);
            self.report.refused_keys += 1;
            if !self.agrees(&aside) {
                break;
            }
        }
        self.keys.truncate(depth);
        if !keys.is_empty() {
            self.program.restore(saved);
        }
    }

    /// Compares a prompt or an end. `false` if they differ.
    fn look(&mut self, twin: &impl Twin) -> bool {
        self.report.prompts += 1;
        self.agrees(twin)
    }

    fn agrees(&mut self, twin: &impl Twin) -> bool {
        let (expected, found) = (twin.screen(), self.program.screen());
        let what = match (self.program.state(), twin.ended()) {
            (State::Broken(why), _) => why,
            (State::Ended, false) => "the program has ended; the twin waits for a key".to_owned(),
            (State::Waiting, true) => "the program waits for a key; the twin has ended".to_owned(),
            _ => match found.difference(&expected).or_else(|| self.sounds_wrong(twin)) {
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

    fn sounds_wrong(&self, twin: &impl Twin) -> Option<String> {
        sound::difference(twin.tunes()?, self.program.heard()?)
    }
}

#[cfg(test)]
mod tests;
