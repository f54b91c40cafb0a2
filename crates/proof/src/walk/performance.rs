//! Records the sound and pictures of a program between two waits.

use crate::picture::Picture;
use oxbox_machine::hardware::PIT_HZ;
use oxbox_machine::hardware::speaker::{self, Note, Segment, Wave};
use oxbox_machine::hardware::vga::{Source, TextScreen};
use oxbox_machine::machine::Machine;
use std::sync::Arc;

/// Virtual time between two samples of the screen, in ms. A picture that is visible for 20 ms is
/// sampled twice; one that is sampled only once is an intermediate stage of drawing.
pub const LOOK_MS: u64 = 10;

/// The number of cached screens.
const KEPT_FRAMES: usize = 16;

/// The most pictures recorded per step. A program that shows more is an animation.
const MOST_SHOTS: usize = 256;

/// The screen at an instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shot {
    /// A text mode: characters and colours.
    Text(Arc<TextScreen>),
    /// A graphics mode.
    Pixels(Picture),
}

impl Shot {
    /// Returns the machine's current screen.
    pub fn of(machine: &Machine) -> Shot {
        match machine.text() {
            Some(text) => Shot::Text(Arc::new(text)),
            None => {
                let frame = machine.frame();
                Shot::Pixels(Picture { width: frame.width, pixels: Arc::new(frame.pixels) })
            }
        }
    }
}

/// Sound and pictures between two waits, in order.
#[derive(Debug, Clone, Default)]
pub struct Performance {
    /// The notes of the speaker.
    pub notes: Vec<Note>,
    /// Whether the speaker made sounds other than square waves of the timer.
    pub noise: bool,
    /// The timer tick at which a sound started, and its picture. A sound lasts until silence.
    pub at_sounds: Vec<(u64, Shot)>,
    /// The pictures that were sampled twice, in order. Each was visible for at least 10 ms; all
    /// that were visible for 20 ms are included.
    pub pictures: Vec<Shot>,
    /// Virtual time from the first instruction to the wait, in ms.
    pub ms: u64,
}

#[derive(Debug, Default)]
pub(super) struct Recorder {
    heard: Vec<Segment>,
    sounds: bool,
    /// The source of the screen at the last sample.
    source: Option<Source>,
    taken: bool,
    performance: Performance,
    frames: Frames,
}

/// Cached screens with their sources: programs show the same ones repeatedly, and drawing is slow.
#[derive(Debug, Default)]
pub(super) struct Frames(Vec<(Source, Shot)>);

impl Frames {
    /// Returns the machine's current screen, drawn unless it is cached.
    pub(super) fn shot(&mut self, machine: &mut Machine) -> Shot {
        let now = machine.nanoseconds();
        let vga = &machine.hardware().vga;
        if let Some(at) = self.0.iter().position(|(source, _)| vga.reads_as(source, now)) {
            self.0[..=at].rotate_right(1);
        } else {
            self.0.truncate(KEPT_FRAMES - 1);
            let shot = Shot::of(machine);
            self.0.insert(0, (machine.picture_source(), shot));
        }
        self.0[0].1.clone()
    }
}

impl Recorder {
    /// Starts a recording with the cached pictures.
    pub(super) fn with(frames: Frames) -> Recorder {
        Recorder { frames, ..Recorder::default() }
    }

    pub(super) fn look(&mut self, machine: &mut Machine) {
        let segments = machine.take_sound();
        for segment in &segments {
            let sounds = segment.tone.is_some();
            if sounds && !self.sounds && self.performance.at_sounds.len() < MOST_SHOTS {
                self.performance.at_sounds.push((segment.from, self.frames.shot(machine)));
            }
            self.sounds = sounds;
        }
        self.heard.extend(segments);
        let is_same = match &self.source {
            Some(source) => machine.hardware().vga.reads_as(source, machine.nanoseconds()),
            None => false,
        };
        if !is_same {
            self.source = Some(machine.picture_source());
            self.taken = false;
        } else if !self.taken {
            self.taken = true;
            if self.performance.pictures.len() < MOST_SHOTS {
                let shot = self.frames.shot(machine);
                if self.performance.pictures.last() != Some(&shot) {
                    self.performance.pictures.push(shot);
                }
            }
        }
    }

    pub(super) fn sounds(&self) -> bool {
        self.sounds
    }

    /// Returns the recording and the cached pictures.
    pub(super) fn performance(mut self, ms: u64) -> (Performance, Frames) {
        self.performance.notes = speaker::notes(&self.heard);
        self.performance.noise = is_noise(&self.heard);
        self.performance.ms = ms;
        (self.performance, self.frames)
    }
}

/// The shortest note in timer ticks: one millisecond.
const SHORTEST: u64 = PIT_HZ / 1000;

/// Returns whether the speaker makes sounds other than lasting square waves of the timer: through
/// port 61h alone, in pulses other than square waves, or shorter than a note.
fn is_noise(segments: &[Segment]) -> bool {
    let is_high = |segment: &Segment| segment.wave == Wave::Steady(true);
    let is_thin = |segment: &&Segment| match segment.wave {
        Wave::Pulses { period, high, .. } => period.abs_diff(2 * high) > 1,
        Wave::Steady(_) => false,
    };
    if segments.iter().any(|segment| is_thin(&segment)) {
        return true;
    }
    let is_silent = |segment: &Segment| segment.tone.is_none() && !is_high(segment);
    segments.split(is_silent).any(|sound| {
        let ticks = |has_tone: bool| -> u64 {
            let these = sound.iter().filter(|segment| segment.tone.is_some() == has_tone);
            these.map(|segment| segment.to - segment.from).sum()
        };
        // Before a tone the output is high for some instructions after the program has switched the
        // speaker on.
        !sound.is_empty() && (ticks(true) < SHORTEST || ticks(false) > SHORTEST)
    })
}
