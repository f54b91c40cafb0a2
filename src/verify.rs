//! Holds a program in the machine against its native twin, over every line of play.
//!
//! ```text
//!   engine ──> twin (keys in, screens out) ──┐
//!                                            ├──> walk ──> report
//!   machine ──> emulated (the same) ─────────┘
//! ```
//! An [engine](crate::engine) states rules; a [`Program`] is what its user meets, so both sides of a
//! comparison are one. The [walk](walk::walk) knows nothing of DOS: it types the same keys to both and looks at
//! both screens at every prompt. It goes back by snapshots, so each position is reached once and no game is
//! started twice.

pub mod console;
pub mod emulated;
pub mod report;
pub mod screen;
pub mod sound;
pub mod twin;
pub mod walk;

pub use emulated::{Emulated, StartError};
pub use report::{Divergence, GameReport, Report};
pub use screen::{Picture, Screen, Text};
pub use twin::Twin;

use crate::games::chip::ChipTwin;
use crate::games::eecs2100::Eecs2100Twin;
use crate::games::grid18::{self, Grid18Twin};
use crate::games::oxo::OxoTwin;
use crate::games::ttt1::Ttt1Twin;
use crate::hardware::speaker::Note;
use crate::machine::Config;
use std::thread;

/// What a program is up to, once it has done what a key asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It waits for a key.
    Waiting,
    /// It has ended.
    Ended,
    /// It neither waits nor has ended within its limits, or cannot go on: what has happened.
    Broken(String),
}

/// A program as its user meets it: keys in, screens out.
pub trait Program {
    /// A position to come back to.
    type Saved: Send + Sync;

    /// What it is up to.
    fn state(&self) -> State;

    /// The screen now.
    fn screen(&self) -> Screen;

    /// Types keys (their ASCII codes), each once the program has done what the one before asked for. Nothing
    /// happens unless it waits.
    fn press(&mut self, keys: &[u8]);

    /// The position now.
    fn save(&self) -> Self::Saved;

    /// Goes back to a position, which another program of the same kind may have saved.
    fn restore(&mut self, saved: &Self::Saved);

    /// As [`restore`](Self::restore), for a position that is not needed again.
    fn resume(&mut self, saved: Self::Saved) {
        self.restore(&saved);
    }

    /// What the speaker has played since the last [`press`](Self::press); `None` if this program cannot be
    /// heard.
    fn heard(&self) -> Option<&[Note]> {
        None
    }

    /// What it has cost so far, in executed instructions; 0 for what executes none.
    fn instructions(&self) -> u64 {
        0
    }
}

/// Why a game could not be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// No twin of this name.
    #[error("there is no native twin of '{0}'")]
    NoTwin(String),
    /// The program does not start.
    #[error(transparent)]
    Start(#[from] StartError),
}

/// No game opens with more choices than this.
const MOST_THREADS: usize = 9;

/// What the chip's counter may hold when it begins.
const CHIP_COUNTERS: [u8; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// Holds `program`, an EXE or COM file called `file`, against the twin called `game`. `progress` hears how
/// many lines of play are done, from several threads.
///
/// # Errors
/// When there is no such twin, or the program cannot be loaded. What it does wrong is in the report.
pub fn verify(
    game: &str,
    program: &[u8],
    file: &str,
    progress: impl Fn(usize) + Sync,
) -> Result<GameReport, VerifyError> {
    let report = match game {
        "ttt1" => hold(&[Ttt1Twin::new()], program, file, progress)?,
        "eecs2100" => hold(&[Eecs2100Twin::new()], program, file, progress)?,
        "grid18" => hold(&[Grid18Twin::new()], program, file, progress)?,
        "oxo" => hold(&[OxoTwin::new()], program, file, progress)?,
        "chip" => hold(&CHIP_COUNTERS.map(ChipTwin::new), program, file, progress)?,
        _ => return Err(VerifyError::NoTwin(game.to_owned())),
    };
    Ok(GameReport { game: game.to_owned(), ..report })
}

/// Number of complete lines of play of a game, counted on its twin alone; `None` if there is no such twin.
pub fn lines(game: &str) -> Option<usize> {
    Some(match game {
        "ttt1" => walk::count(&Ttt1Twin::new()).total(),
        "eecs2100" => walk::count(&Eecs2100Twin::new()).total(),
        "grid18" => walk::count(&Grid18Twin::new()).total(),
        "oxo" => walk::count(&OxoTwin::new()).total(),
        "chip" => CHIP_COUNTERS.map(|counter| walk::count(&ChipTwin::new(counter)).total()).into_iter().sum(),
        _ => return None,
    })
}

/// Walks one twin after the other; each says what the program's tick count is to be when the first key is
/// typed.
fn hold<T: Twin>(
    twins: &[T],
    program: &[u8],
    file: &str,
    progress: impl Fn(usize) + Sync,
) -> Result<GameReport, StartError> {
    // The drive is empty and lives in memory: what a program writes there is gone with it.
    let config = Config::default();
    let mut first = Emulated::start(&config, program, file)?;
    let mut report = grid18::procedures::check(&first).unwrap_or_default();
    let threads = match first.state() {
        State::Waiting => thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS),
        State::Ended | State::Broken(_) => 1,
    };
    for twin in twins {
        let waited_ms = twin.ticks().map_or(0, |ticks| first.wait_for_ticks(ticks));
        let mut programs = Vec::new();
        for _ in 0..threads {
            programs.push(first.another(&config)?);
        }
        let lines = report.lines;
        let mut walked = walk::walk(twin, programs, |more| progress(lines + more));
        for divergence in walked.diverging.iter_mut().filter(|_| waited_ms > 0) {
            divergence.keys.insert_str(0, &format!("@{waited_ms} "));
        }
        report.add(walked);
    }
    report.instructions += first.instructions();
    Ok(report)
}
