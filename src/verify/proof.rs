//! How a program is proved to play its game: held against one twin or several, and whatever else its room checks.

use super::walk::{count, walk};
use super::{
    emulated::Emulated,
    program::{Program, ProgramState},
    report::GameReport,
    twin::Twin,
};
use crate::machine::{Config, StartError};
use std::thread;

/// No game opens with more choices than this.
const MOST_THREADS: usize = 9;

/// What a program is held against. [`Twins`] is the usual one.
pub trait Proof: Sync {
    /// Number of complete lines of play, counted without the program.
    fn lines(&self) -> usize;

    /// Holds `program`, an EXE or COM file called `file`, against it. `progress` hears how many lines of play are
    /// done, from several threads.
    ///
    /// # Errors
    /// When the program cannot be loaded. What it does wrong is in the report.
    fn hold(
        &self,
        program: &[u8],
        file: &str,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<GameReport, StartError>;
}

/// What else a program is held against, while it waits for its first key; `None` where that does not apply.
type Check = fn(&Emulated) -> Option<GameReport>;

/// A proof by [`Twin`]s, walked one after the other: one for each way in which the program may start.
///
/// It stands in a game's row as `&Twins::new(|| vec![YourTwin::new()])`.
#[derive(Clone, Copy)]
pub struct Twins<T> {
    starts: fn() -> Vec<T>,
    check: Option<Check>,
}

impl<T: Twin> Twins<T> {
    /// By the twins that `starts` makes.
    pub const fn new(starts: fn() -> Vec<T>) -> Self {
        Twins { starts, check: None }
    }

    /// Also by a check of the program while it waits for its first key.
    #[must_use]
    pub const fn and(self, check: Check) -> Self {
        Twins { starts: self.starts, check: Some(check) }
    }
}

impl<T: Twin> Proof for Twins<T> {
    fn lines(&self) -> usize {
        (self.starts)().iter().map(|twin| count(twin).total()).sum()
    }

    fn hold(
        &self,
        program: &[u8],
        file: &str,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<GameReport, StartError> {
        // The drive is empty and lives in memory: what a program writes there is gone with it.
        let config = Config::default();
        let mut first = Emulated::start(&config, program, file)?;
        let mut report = self.check.and_then(|check| check(&first)).unwrap_or_default();
        let threads = match first.state() {
            ProgramState::Waiting => thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS),
            ProgramState::Ended | ProgramState::Broken(_) => 1,
        };
        for twin in (self.starts)() {
            let waited_ms = twin.ticks().map_or(0, |ticks| first.wait_for_ticks(ticks));
            let programs =
                (0..threads).map(|_| first.another(&config)).collect::<Result<Vec<_>, StartError>>()?;
            let lines = report.lines;
            let mut walked = walk(&twin, programs, |more| progress(lines + more));
            for divergence in walked.diverging.iter_mut().filter(|_| waited_ms > 0) {
                divergence.keys.insert_str(0, &format!("@{waited_ms} "));
            }
            report.add(walked);
        }
        report.instructions += first.instructions();
        Ok(report)
    }
}
