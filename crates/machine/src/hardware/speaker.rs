//! What the speaker's wire does: OUT 2 of the timer AND bit 1 of port 61h, as segments of virtual time.
//!
//! A tone is one segment however long it lasts, so what nobody collects stays small; beyond a bound the oldest
//! segments are lost. This is output, not guest state: it is left out of snapshots that are serialised. Instants
//! are ticks of the 8254.

mod cone;
mod kernel;
mod notes;
mod synth;

#[cfg(test)]
mod tests;

pub use cone::Response;
pub use notes::{Note, notes};
pub use synth::{Synth, to_i16};

use std::collections::VecDeque;

use super::pit::Counter;
pub use super::pit::Wave;

/// Segments kept at most. Whoever wants all collects them every [`Speaker::LOSSLESS`] cycles.
const CAPACITY: usize = 1 << 15;

/// The wire's level from one tick up to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// The first tick.
    pub from: u64,
    /// The tick after the last.
    pub to: u64,
    /// The level, seen from `from` on.
    pub wave: Wave,
    /// The period in ticks of the tone that the program has asked for, from the moment it did: the wave follows at
    /// the end of its present half period.
    pub tone: Option<u32>,
}

/// Records the speaker's wire.
#[derive(Debug, Clone, Default)]
pub struct Speaker {
    segments: VecDeque<Segment>,
    recorded_to: Option<u64>,
}

impl Speaker {
    /// Cycles in which no program makes more segments than are kept: each instruction two, by a port and by what the timer then does.
    pub const LOSSLESS: u64 = CAPACITY as u64 / 2;

    /// Nothing recorded; recording starts with the first [`Speaker::record`].
    pub(super) fn new() -> Self {
        Speaker::default()
    }

    /// Records from where it stands up to `tick`. `counter` drives the wire when `data` (bit 1 of port 61h) lets
    /// it; both have not changed since the last call.
    pub(super) fn record(&mut self, counter: &Counter, data: bool, tick: u64) {
        let mut from = self.recorded_to.unwrap_or(tick);
        let tone = counter.tone().filter(|_| data);
        while from < tick {
            let (wave, until) = if data { counter.wave(from) } else { (Wave::Steady(false), tick) };
            let to = until.min(tick);
            self.push(Segment { from, to, wave, tone });
            from = to;
        }
        self.recorded_to = Some(from);
    }

    /// Hands over, and forgets, what has been recorded, in order of time and without gaps (unless the bound was
    /// passed).
    pub(super) fn take(&mut self) -> Vec<Segment> {
        self.segments.drain(..).collect()
    }

    fn push(&mut self, segment: Segment) {
        if let Some(last) = self.segments.back_mut()
            && last.to == segment.from
            && last.tone == segment.tone
            && last.wave.later(last.to - last.from) == segment.wave
        {
            last.to = segment.to;
            return;
        }
        if self.segments.len() == CAPACITY {
            self.segments.pop_front();
        }
        self.segments.push_back(segment);
    }
}
