//! Records the speaker's input (OUT 2 of the timer AND bit 1 of port 61h) as segments of virtual
//! time.
//!
//! A tone is one segment however long it lasts, so an unread recording stays small. Beyond a limit
//! the oldest segments are lost. This is output and not guest state: serialised snapshots leave it
//! out. Times are ticks of the 8254.

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

/// The maximum number of segments. To lose none, collect them every [`Speaker::LOSSLESS`] cycles.
const CAPACITY: usize = 1 << 15;

/// The level of the speaker's input from one tick to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// The first tick.
    pub from: u64,
    /// The tick after the last.
    pub to: u64,
    /// The waveform from tick `from`.
    pub wave: Wave,
    /// The period in ticks of the tone that the program has requested. It is set at once; the
    /// waveform follows at the end of the current half period.
    pub tone: Option<u32>,
}

/// Records the speaker's input.
#[derive(Debug, Clone, Default)]
pub struct Speaker {
    segments: VecDeque<Segment>,
    recorded_to: Option<u64>,
}

impl Speaker {
    /// Cycles in which no program can fill the recording: an instruction makes at most two
    /// segments, one by its port access and one by the timer.
    pub const LOSSLESS: u64 = CAPACITY as u64 / 2;

    /// Returns an empty recording. It starts with the first [`Speaker::record`].
    pub(super) fn new() -> Self {
        Speaker::default()
    }

    /// Records up to `tick`. `counter` drives the speaker if `data` (bit 1 of port 61h) is set;
    /// neither has changed since the last call.
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

    /// Returns and clears the recorded segments, in order of time, without gaps below the limit.
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
