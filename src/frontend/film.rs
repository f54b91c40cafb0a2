//! Recordings of a run: a GIF, an asciicast, a transcript.
//!
//! A recording samples the screen at equal intervals of virtual time and never changes the machine,
//! so the run is the same with and without it. Keys of a script follow each other at once; a screen
//! on which a key is typed stays for a moment in the recording.

mod cast;
mod gif;
mod reel;
mod transcript;

use std::io;
use std::path::PathBuf;

use oxbox::machine::Machine;

use cast::Cast;
use gif::Gif;
use reel::Reel;
use transcript::Transcript;

/// Virtual time between two samples in nanoseconds: a GIF shows at most fifty pictures per second.
const LOOK_NS: u64 = 20_000_000;
/// The interval for a transcript, which must not miss lines that scroll by.
const CLOSE_LOOK_NS: u64 = 5_000_000;

/// The minimum duration of a screen on which a key was typed, in nanoseconds.
const HOLD_NS: u64 = 700_000_000;

#[derive(Debug, Clone, Default)]
pub(crate) struct RecordingOptions {
    pub(crate) gif: Option<PathBuf>,
    /// An asciicast of the text screens.
    pub(crate) cast: Option<PathBuf>,
    /// The lines that change, in order; `-` is stdout.
    pub(crate) transcript: Option<PathBuf>,
}

pub(crate) struct Film {
    reels: Vec<(PathBuf, Box<dyn Reel>)>,
    distance: u64,
    /// The next sample, in nanoseconds of virtual time.
    due: u64,
    /// The recording's length minus the run's, in nanoseconds; negative if it began later.
    extra: i64,
    /// The end of the last hold, in nanoseconds of the recording.
    held: u64,
    trouble: Option<(PathBuf, io::Error)>,
}

impl Film {
    /// Starts the requested recordings at power-on; `None` without any.
    pub(crate) fn begin(wanted: &RecordingOptions, title: &str) -> Option<Film> {
        Film::begin_at(wanted, title, 0)
    }

    /// Starts the requested recordings at a time in nanoseconds; `None` without any.
    pub(crate) fn begin_at(wanted: &RecordingOptions, title: &str, start: u64) -> Option<Film> {
        let mut reels: Vec<(PathBuf, Box<dyn Reel>)> = Vec::new();
        if let Some(path) = &wanted.gif {
            reels.push((path.clone(), Box::new(Gif::new(path))));
        }
        if let Some(path) = &wanted.cast {
            reels.push((path.clone(), Box::new(Cast::new(path, title))));
        }
        if let Some(path) = &wanted.transcript {
            reels.push((path.clone(), Box::new(Transcript::new(path))));
        }
        let distance = if wanted.transcript.is_some() { CLOSE_LOOK_NS } else { LOOK_NS };
        let film = Film { reels, distance, due: start, extra: -(start as i64), held: 0, trouble: None };
        (!film.reels.is_empty()).then_some(film)
    }

    /// Returns the time of the next sample, in nanoseconds of virtual time.
    pub(crate) fn due(&self) -> u64 {
        self.due
    }

    pub(crate) fn look(&mut self, machine: &Machine) {
        if machine.nanoseconds() >= self.due {
            self.due = (machine.nanoseconds() / self.distance + 1) * self.distance;
            self.show(machine, false);
        }
    }

    /// Samples the machine, which waits for a key or is about to get one.
    pub(crate) fn hold(&mut self, machine: &Machine) {
        self.show(machine, true);
        self.extra += (self.held + HOLD_NS).saturating_sub(self.now(machine)) as i64;
        self.held = self.now(machine);
    }

    /// The machine has jumped to another time, in nanoseconds: the recording has no gap.
    pub(crate) fn cut(&mut self, from: u64, to: u64) {
        self.extra += from as i64 - to as i64;
        self.due = to;
    }

    /// Returns the current position in the recording, in nanoseconds.
    fn now(&self, machine: &Machine) -> u64 {
        machine.nanoseconds().saturating_add_signed(self.extra)
    }

    fn show(&mut self, machine: &Machine, settled: bool) {
        let ms = self.now(machine) / 1_000_000;
        self.each(|reel| reel.show(ms, settled, machine));
    }

    fn each(&mut self, mut act: impl FnMut(&mut dyn Reel) -> io::Result<()>) {
        for (path, reel) in &mut self.reels {
            if let Err(error) = act(reel.as_mut()) {
                self.trouble.get_or_insert((path.clone(), error));
            }
        }
    }

    /// Adds the end and writes the files. Errors: the first file that cannot be written.
    pub(crate) fn finish(mut self, machine: &Machine) -> Result<(), (PathBuf, io::Error)> {
        self.hold(machine);
        let ms = self.now(machine) / 1_000_000;
        self.each(|reel| reel.finish(ms));
        self.trouble.map_or(Ok(()), Err)
    }
}
