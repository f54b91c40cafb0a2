//! The notes in a recording of the speaker: periods of constant pitch.

use super::Segment;
use crate::hardware::clock::PIT_HZ;

/// A period of constant pitch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// The tick of the 8254 at which it starts.
    pub start: u64,
    /// Its length in ticks.
    pub ticks: u64,
    /// The timer's count: the period in ticks.
    pub divisor: u32,
}

impl Note {
    /// Returns the pitch in Hz.
    pub fn hertz(&self) -> f64 {
        PIT_HZ as f64 / f64::from(self.divisor)
    }

    /// Returns the start in milliseconds since power-on.
    pub fn start_ms(&self) -> f64 {
        milliseconds(self.start)
    }

    /// Returns the length in milliseconds.
    pub fn length_ms(&self) -> f64 {
        milliseconds(self.ticks)
    }
}

fn milliseconds(ticks: u64) -> f64 {
    ticks as f64 * 1000.0 / PIT_HZ as f64
}

/// The minimum length of a note in ticks: one millisecond. It excludes digitised sound, and the old
/// divisor that sounds for some instructions before a program has loaded its own.
const SHORTEST: u64 = PIT_HZ / 1000;

/// Periods of fewer ticks are inaudible: programs use them for silence.
const INAUDIBLE: u32 = (PIT_HZ / 20_000) as u32;

/// Returns the notes of segments that are in order of time. A note lasts from the program's request
/// until its next one.
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
