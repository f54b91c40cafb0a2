//! How a program is proved to play its game: held against one twin or several, and whatever else its room checks.

use super::walk::{count, walk_part};
use super::{
    emulated::Emulated,
    part::{ProofPart, merge_proofs},
    program::{Program, ProgramState},
    report::GameReport,
    tree::{Planting, Tree},
    twin::Twin,
};
use crate::machine::{Config, StartError};
use crate::walk::Shard;
use std::thread;
use xxhash_rust::xxh3::xxh3_128;

/// More would have too little to do, each.
const MOST_THREADS: usize = 32;

/// What a program is held against. [`Twins`] is the usual one.
pub trait Proof: Sync {
    /// Number of complete lines of play, counted without the program.
    fn lines(&self) -> usize;

    /// Holds `program`, an EXE or COM file called `file`, against a part of it. `progress` hears how many lines of play are
    /// done, from several threads.
    ///
    /// # Errors
    /// When the program cannot be loaded. What it does wrong is in the part.
    fn hold_part(
        &self,
        program: &[u8],
        file: &str,
        shard: Shard,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<ProofPart, StartError>;

    /// Every line of play with the screens that `program` shows, as far as it does what it should.
    ///
    /// # Errors
    /// When the program cannot be loaded.
    fn tree(&self, program: &[u8], file: &str) -> Result<Tree, StartError>;

    /// Holds `program` against all of it.
    ///
    /// # Errors
    /// As [`hold_part`](Self::hold_part).
    fn hold(
        &self,
        program: &[u8],
        file: &str,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<GameReport, StartError> {
        let part = self.hold_part(program, file, Shard::WHOLE, progress)?;
        // The only part is the whole.
        Ok(merge_proofs(&[(String::new(), part)]).unwrap_or_default())
    }
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

    fn hold_part(
        &self,
        program: &[u8],
        file: &str,
        shard: Shard,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<ProofPart, StartError> {
        // The drive is empty and lives in memory: what a program writes there is gone with it.
        let config = Config::default();
        let mut first = Emulated::start(&config, program, file)?;
        let start = GameReport { instructions: first.instructions(), ..GameReport::default() };
        let check = self.check.filter(|_| shard.number() == 1).and_then(|check| check(&first));
        let is_checked = self.check.is_none() || shard.number() == 1;
        let mut walks = vec![vec![Some(start), is_checked.then(|| check.unwrap_or_default())]];
        let threads = match first.state() {
            ProgramState::Waiting => thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS),
            ProgramState::Ended | ProgramState::Broken(_) => 1,
        };
        let mut lines = 0;
        for twin in (self.starts)() {
            let waited_ms = twin.ticks().map_or(0, |ticks| first.wait_for_ticks(ticks));
            let programs =
                (0..threads).map(|_| first.another(&config)).collect::<Result<Vec<_>, StartError>>()?;
            let mut pieces = walk_part(&twin, programs, shard, &|more| progress(lines + more));
            let found = pieces.iter_mut().flatten();
            for divergence in found.flat_map(|piece| &mut piece.diverging).filter(|_| waited_ms > 0) {
                divergence.keys.insert_str(0, &format!("@{waited_ms} "));
            }
            lines += pieces.iter().flatten().map(|piece| piece.lines).sum::<usize>();
            walks.push(pieces);
        }
        Ok(ProofPart::new(shard, xxh3_128(program), walks))
    }
    fn tree(&self, program: &[u8], file: &str) -> Result<Tree, StartError> {
        let config = Config::default();
        let mut first = Emulated::start(&config, program, file)?;
        let twins = (self.starts)();
        let mut planting = Planting::default();
        if twins.iter().any(|twin| twin.ticks().is_some()) {
            planting.root(&mut first);
        }
        for twin in twins {
            let wait = twin.ticks().map(|ticks| format!("@{}", first.wait_for_ticks(ticks)));
            planting.branch(&twin, &mut first.another(&config)?, wait);
        }
        Ok(planting.tree())
    }
}
