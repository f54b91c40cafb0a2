//! Rewinding: shows a run backwards, with its sound, and continues from there.
//!
//! Between two checkpoints the machine runs again and saves a state for each picture. These are
//! shown from the last to the first; then the previous checkpoint follows. The keys of a script
//! cannot be rewound: rewinding stops where the script ended.

use super::{Session, SessionHost};
use crate::machine::timeline::Moment;
use std::time::Duration;

/// Virtual time between two pictures, in nanoseconds.
pub const FRAME_NS: u64 = 16_666_667;

/// Maximum size of checkpoints in bytes: minutes of a game in graphics, ten minutes of text.
const MOST_BYTES: usize = 96 << 20;

/// The longest step back in one call.
const LONGEST_STEP: Duration = Duration::from_millis(100);

/// Duration for which the key must be held until the pace doubles, and the maximum pace.
const FASTER_AFTER: Duration = Duration::from_secs(3);
const FASTEST: u32 = 4;

/// Playback state while the user rewinds.
#[derive(Debug, Default)]
pub(super) struct Rewind {
    /// Times before the current one that have not been shown, the earliest first.
    moments: Vec<Moment>,
    held: Duration,
    /// The rest of a frame's time, in nanoseconds.
    rest: u64,
    /// The time at which the user started to rewind, in nanoseconds.
    from: Option<u64>,
    at_the_beginning: bool,
}

impl<H: SessionHost> Session<H> {
    /// Starts recording so that the user can rewind.
    pub fn keep_past(&mut self) {
        self.timeline.keep_recent(MOST_BYTES);
    }

    /// Whether the session runs backwards.
    pub fn is_rewinding(&self) -> bool {
        self.rewind.from.is_some()
    }

    /// Runs backwards for the time passed outside. Returns whether the beginning is reached.
    pub fn rewind(&mut self, elapsed: Duration) -> bool {
        if !self.is_rewinding() {
            self.drain();
            self.strokes.clear();
            self.rewind = Rewind { from: Some(self.machine().nanoseconds()), ..Rewind::default() };
        }
        if self.rewind.at_the_beginning {
            return true;
        }
        let elapsed = elapsed.min(LONGEST_STEP);
        let pace = 1 << (self.rewind.held.as_secs() / FASTER_AFTER.as_secs()).min(u64::from(FASTEST.ilog2()));
        self.rewind.held += elapsed;
        self.rewind.rest += elapsed.as_nanos() as u64 * pace;
        loop {
            let now = self.machine().nanoseconds();
            let Some(moment) = self.earlier_moment() else {
                self.rewind.at_the_beginning = true;
                return true;
            };
            let back = now - moment.nanoseconds;
            if back > self.rewind.rest {
                // This state is shown with a later picture.
                self.rewind.moments.push(moment);
                return false;
            }
            self.rewind.rest -= back;
            self.timeline.rewind_to(&moment);
            self.host.rewound(back, pace);
            self.end = None;
        }
    }

    /// Returns the state before the current one; `None` at the beginning.
    fn earlier_moment(&mut self) -> Option<Moment> {
        let now = self.machine().nanoseconds();
        loop {
            if let Some(moment) = self.rewind.moments.pop() {
                if moment.nanoseconds < self.script_end_ns {
                    self.rewind.moments.clear();
                    return None;
                }
                if moment.nanoseconds < now {
                    return Some(moment);
                }
                continue;
            }
            let recalled = self.timeline.recall(FRAME_NS);
            if recalled.moments.first().is_none_or(|first| first.nanoseconds >= now) {
                return None;
            }
            self.host.recall(&recalled.sound);
            self.rewind.moments = recalled.moments;
        }
    }

    /// Continues from here, and discards everything later.
    pub fn end_rewind(&mut self) {
        if let Some(from) = std::mem::take(&mut self.rewind).from {
            self.host.jumped(from, self.timeline.machine());
            self.due_ns = self.machine().nanoseconds();
            self.forget_future();
        }
    }

    /// Jumps back by some seconds at once, for front ends that cannot hold a key.
    pub fn jump_back(&mut self, seconds: u32) {
        for _ in 0..seconds * 20 {
            if self.rewind(Duration::from_millis(50)) {
                break;
            }
            self.rewind.held = Duration::ZERO;
        }
        self.end_rewind();
    }
}
