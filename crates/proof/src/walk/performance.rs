//! What a program lets its user hear and see between two waits.

use oxbox_machine::hardware::PIT_HZ;
use oxbox_machine::hardware::speaker::{self, Note, Segment, Wave};
use oxbox_machine::hardware::vga::{Source, TextScreen};
use oxbox_machine::machine::Machine;
use std::sync::Arc;

/// Virtual time between two looks at the screen, in ms. A picture that stands for 20 ms is seen twice; one that is seen only once
/// is drawing and no picture.
pub const LOOK_MS: u64 = 10;

/// Pictures in pixels that are kept in case that they come again.
const KEPT_FRAMES: usize = 16;

/// Most pictures that are kept of one step: a program that shows more is an animation.
const MOST_SHOTS: usize = 256;

/// What the screen showed at an instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shot {
    /// A text mode.
    Text(TextScreen),
    /// A graphics mode: pixels a line, and 00RRGGBB of each.
    Pixels(usize, Arc<Vec<u32>>),
}

impl Shot {
    /// What the machine shows now.
    pub fn of(machine: &Machine) -> Shot {
        match machine.text() {
            Some(text) => Shot::Text(text),
            None => {
                let frame = machine.frame();
                Shot::Pixels(frame.width, Arc::new(frame.pixels))
            }
        }
    }
}

/// Sound and pictures between two waits, in order.
#[derive(Debug, Clone, Default)]
pub struct Performance {
    /// Notes of the speaker.
    pub notes: Vec<Note>,
    /// Whether the speaker sounded otherwise than by square waves of the timer.
    pub noise: bool,
    /// The tick of the timer at which a sound began, and the picture then. A sound goes on as long as there is no silence.
    pub at_sounds: Vec<(u64, Shot)>,
    /// The pictures that were seen twice, in order, each of which stood for at least 10 ms; all that stood for 20 are among them.
    pub pictures: Vec<Shot>,
    /// Virtual time from the first instruction to the wait, in ms.
    pub ms: u64,
}

/// Takes down a performance while the program runs.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    heard: Vec<Segment>,
    sounds: bool,
    /// What the screen was drawn from at the last look.
    source: Option<Source>,
    taken: bool,
    performance: Performance,
    frames: Frames,
}

/// Pictures in pixels with what they were drawn from: programs show the same ones again and again, and drawing takes long.
#[derive(Debug, Default)]
pub(super) struct Frames(Vec<(Source, Shot)>);

impl Frames {
    /// What the machine shows now, drawn unless it was shown lately.
    fn shot(&mut self, machine: &mut Machine) -> Shot {
        if let Some(text) = machine.text() {
            return Shot::Text(text);
        }
        let now = machine.nanoseconds();
        let vga = &machine.hardware().vga;
        if let Some(at) = self.0.iter().position(|(source, _)| vga.shows(source, now)) {
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
    /// Begins a record, with the pictures that are known.
    pub(super) fn with(frames: Frames) -> Recorder {
        Recorder { frames, ..Recorder::default() }
    }

    /// Takes a look at the machine, which has run for a while.
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
            Some(source) => machine.hardware().vga.shows(source, machine.nanoseconds()),
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

    /// Whether the speaker still sounds.
    pub(super) fn sounds(&self) -> bool {
        self.sounds
    }

    /// All that was taken down, and the pictures that are known now.
    pub(super) fn performance(mut self, ms: u64) -> (Performance, Frames) {
        self.performance.notes = speaker::notes(&self.heard);
        self.performance.noise = is_noise(&self.heard);
        self.performance.ms = ms;
        (self.performance, self.frames)
    }
}

/// Shorter sounds are no notes, in ticks: one millisecond.
const SHORTEST: u64 = PIT_HZ / 1000;

/// Whether the speaker moves otherwise than by square waves of the timer that last: by port 61h alone, in pulses that are no square
/// wave, or for less than a note takes.
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
        // Before a tone the wire is up for some instructions, from when the program has switched the speaker on.
        !sound.is_empty() && (ticks(true) < SHORTEST || ticks(false) > SHORTEST)
    })
}
