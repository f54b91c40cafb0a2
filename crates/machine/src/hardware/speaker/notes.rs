//! The notes in what the speaker did: each stretch of one pitch.

use super::Segment;
use crate::hardware::clock::PIT_HZ;

/// A stretch of one pitch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// The tick of the 8254 at which it begins.
    pub start: u64,
    /// Its length in ticks.
    pub ticks: u64,
    /// The timer's count: the period in ticks.
    pub divisor: u32,
}

impl Note {
    /// The pitch in Hz.
    pub fn hertz(&self) -> f64 {
        PIT_HZ as f64 / f64::from(self.divisor)
    }

    /// The beginning in milliseconds since power-on.
    pub fn start_ms(&self) -> f64 {
        milliseconds(self.start)
    }

    /// The length in milliseconds.
    pub fn length_ms(&self) -> f64 {
        milliseconds(self.ticks)
    }
}

fn milliseconds(ticks: u64) -> f64 {
    ticks as f64 * 1000.0 / PIT_HZ as f64
}

/// The shortest stretch that is a note, in ticks: one millisecond. Digitised sound and the old divisor that is
/// heard for some instructions, before a program has loaded its own, are none.
const SHORTEST: u64 = PIT_HZ / 1000;

/// Periods below this many ticks are not heard: programs use them for silence.
const INAUDIBLE: u32 = (PIT_HZ / 20_000) as u32;

/// The notes of segments in order of time: each from when the program asked for it until it asked for something
/// else.
pub fn notes(segments: &[Segment]) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    for segment in segments {
        let Some(divisor) = segment.tone.filter(|&divisor| divisor >= INAUDIBLE) else { continue };
        let ticks = segment.to - segment.from;
        match notes.last_mut() {
            Some(last) if last.divisor == divisor && last.start + last.ticks == segment.from => {
                last.ticks += ticks;
            }
            _ => notes.push(Note { start: segment.from, ticks, divisor }),
        }
    }
    notes.retain(|note| note.ticks >= SHORTEST);
    notes
}
