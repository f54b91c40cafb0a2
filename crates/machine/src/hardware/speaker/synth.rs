//! Converts the recording of the speaker to band-limited samples.
//!
//! Every jump of the level adds the filter's step response at its exact position between two
//! samples. Sums are integers, so nothing drifts, and the same segments give identical samples
//! however they are split into calls. A first-order high-pass filter then removes the constant
//! part, like the capacitor before a speaker.

use std::convert::Infallible;

use super::Segment;
use super::cone::{Cone, Response};
use super::kernel::{PHASES, REACH, UNIT, step_response};
use crate::hardware::clock::PIT_HZ;
use crate::hardware::pit::Wave;

/// Corner of the high-pass filter in Hz.
const HIGH_PASS_HZ: f64 = 16.0;

/// The amplitude of a level change from low to high, relative to full scale.
const VOLUME: f64 = 0.5;

/// The maximum length of the decay in hundredths of a second: the high-pass filter needs eleven.
const LONGEST_END: u32 = 50;

/// The scale of levels: a high level.
const LEVEL: i64 = 1 << 16;

/// Converts segments to samples at one rate.
#[derive(Debug, Clone)]
pub struct Synth {
    sample_rate: u32,
    step_response: Vec<i32>,
    /// The tick of the sample whose number is the second element.
    origin: u64,
    sample_at_origin: u64,
    /// Segments have been processed up to this tick.
    known_to: u64,
    level: i64,
    /// Differences of samples that have not been output yet, the first of sample `next_sample`.
    changes: Vec<i64>,
    next_sample: u64,
    /// The sum of all differences already output.
    sum: i64,
    high_pass: HighPass,
    cone: Option<Cone>,
}

impl Synth {
    /// Returns a synthesizer whose first sample is at tick 0. `sample_rate`: 8,000 to 192,000 Hz.
    pub fn new(sample_rate: u32) -> Self {
        Synth::starting_at(sample_rate, 0)
    }

    /// Returns a synthesizer whose first sample is at `tick`.
    pub fn starting_at(sample_rate: u32, tick: u64) -> Self {
        let sample_rate = sample_rate.clamp(8_000, 192_000);
        Synth {
            sample_rate,
            step_response: step_response(),
            origin: tick,
            sample_at_origin: 0,
            known_to: tick,
            level: 0,
            changes: Vec::new(),
            next_sample: 0,
            sum: 0,
            high_pass: HighPass::new(sample_rate),
            cone: None,
        }
    }

    /// Sets the filter between the speaker's input and the samples.
    #[must_use]
    pub fn through(self, response: Response) -> Self {
        let cone = match response {
            Response::Raw => None,
            Response::Filtered => Some(Cone::new(self.sample_rate)),
        };
        Synth { cone, ..self }
    }

    /// Returns the sample rate in Hz.
    pub fn sample_rate(&self) -> u32 {
        self.sample_rate
    }

    /// Returns the tick up to which segments have been processed.
    pub fn known_to(&self) -> u64 {
        self.known_to
    }

    /// Processes segments and returns the samples that they complete, from -1 to 1. Samples are
    /// returned up to a millisecond late, but their times are exact: sample `n` is the level at `n
    /// / sample_rate` seconds after the origin. In a gap the level is low. Anything before the tick
    /// already processed is ignored.
    pub fn render(&mut self, segments: &[Segment]) -> Vec<f32> {
        let mut all = Vec::new();
        let Ok(()) = self.render_each(segments, |samples| {
            all.extend_from_slice(samples);
            Ok::<(), Infallible>(())
        });
        all
    }

    /// Like [`Synth::render`], but passes the samples on in parts of a second: segments may last
    /// for hours.
    ///
    /// # Errors
    /// Returns the first error of `sink`; the samples after it are lost.
    pub fn render_each<E>(
        &mut self,
        segments: &[Segment],
        mut sink: impl FnMut(&[f32]) -> Result<(), E>,
    ) -> Result<(), E> {
        for segment in segments {
            self.take_in_stretch(
                segment.from,
                Segment { from: 0, wave: Wave::Steady(false), ..*segment },
                &mut sink,
            )?;
            self.take_in_stretch(segment.to, *segment, &mut sink)?;
        }
        Ok(())
    }

    /// Processes a segment from the current tick to `to`.
    fn take_in_stretch<E>(
        &mut self,
        to: u64,
        segment: Segment,
        sink: &mut impl FnMut(&[f32]) -> Result<(), E>,
    ) -> Result<(), E> {
        while self.known_to < to {
            let wave = segment.wave.later(self.known_to - segment.from);
            self.take_in(wave, to.min(self.known_to + PIT_HZ));
            let complete = (self.sample_before(self.known_to) + 1).saturating_sub(REACH as u64);
            sink(&self.give_out(complete))?;
        }
        Ok(())
    }

    /// Returns the samples up to the last tick processed, as if the level stayed constant.
    pub fn finish(&mut self) -> Vec<f32> {
        self.give_out(self.sample_before(self.known_to) + 1)
    }

    /// Returns the decay after [`Synth::finish`] until the 16-bit samples are zero, so that a sound
    /// that is cut off does not end with a step. Empty if it is silent already.
    pub fn die_away(&mut self) -> Vec<f32> {
        let mut samples = Vec::new();
        for _ in 0..LONGEST_END {
            let end = self.give_out(self.next_sample + u64::from(self.sample_rate / 100));
            if samples.last().into_iter().chain(&end).all(|&sample| to_i16(sample) == 0) {
                break;
            }
            samples.extend(end);
        }
        samples
    }

    /// Continues at `tick` after a jump in time (a restored snapshot, a pause). The samples
    /// continue from the same level, without a click.
    pub fn continue_at(&mut self, tick: u64) {
        self.sample_at_origin = self.next_sample + REACH as u64;
        self.origin = tick;
        self.known_to = tick;
    }

    /// Processes the waveform `wave` from the current tick to `to`.
    fn take_in(&mut self, wave: Wave, to: u64) {
        match wave {
            Wave::Steady(high) => self.set_level(i64::from(high) * LEVEL, self.known_to),
            // A tone above the Nyquist frequency leaves only its mean.
            Wave::Pulses { period, high, .. }
                if PIT_HZ * 2 >= u64::from(period) * u64::from(self.sample_rate) =>
            {
                self.set_level(LEVEL * i64::from(high) / i64::from(period), self.known_to);
            }
            Wave::Pulses { period, high, phase } => self.take_in_pulses(period, high, phase, to),
        }
        self.known_to = to;
    }

    fn take_in_pulses(&mut self, period: u32, high: u32, phase: u32, to: u64) {
        let (mut is_high, mut lasts) =
            if phase < high { (true, high - phase) } else { (false, period - phase) };
        let mut tick = self.known_to;
        while tick < to {
            self.set_level(i64::from(is_high) * LEVEL, tick);
            tick += u64::from(lasts);
            is_high = !is_high;
            lasts = if is_high { high } else { period - high };
        }
    }

    fn set_level(&mut self, level: i64, tick: u64) {
        let jump = level - self.level;
        if jump == 0 {
            return;
        }
        self.level = level;
        let (sample, phase, rest) = self.position(tick);
        // The response begins REACH - 1 samples before the jump. Any part before the first sample
        // is added to the first.
        let mut given = 0;
        for tap in 1..=2 * REACH + 1 {
            let response = self.response(tap, phase, rest);
            let at = (sample + tap as u64).saturating_sub(REACH as u64 + self.next_sample) as usize;
            if at >= self.changes.len() {
                self.changes.resize(at + 1, 0);
            }
            self.changes[at] += jump * (response - given);
            given = response;
        }
    }

    /// Returns the step response `tap - REACH` samples after a jump that is `phase` table entries
    /// and `rest` 65,536ths of an entry after its sample.
    fn response(&self, tap: usize, phase: usize, rest: i64) -> i64 {
        let entry = tap * PHASES - phase;
        match (self.step_response.get(entry), self.step_response.get(entry - 1)) {
            (Some(&later), Some(&earlier)) => {
                let (later, earlier) = (i64::from(later), i64::from(earlier));
                later + (((earlier - later) * rest) >> 16)
            }
            _ => i64::from(UNIT),
        }
    }

    /// Returns the sample at or before `tick`, and the distance in table entries and 65,536ths.
    fn position(&self, tick: u64) -> (u64, usize, i64) {
        let hz = u128::from(PIT_HZ);
        let samples = u128::from(tick - self.origin) * u128::from(self.sample_rate);
        let entries = samples % hz * PHASES as u128;
        let rest = ((entries % hz) << 16) / hz;
        (self.sample_at_origin + (samples / hz) as u64, (entries / hz) as usize, rest as i64)
    }

    /// Returns the number of the last sample before `tick`.
    fn sample_before(&self, tick: u64) -> u64 {
        let samples = u128::from(tick - self.origin) * u128::from(self.sample_rate);
        self.sample_at_origin + (samples / u128::from(PIT_HZ)) as u64
    }

    fn give_out(&mut self, end: u64) -> Vec<f32> {
        let count = end.saturating_sub(self.next_sample) as usize;
        let mut samples = Vec::with_capacity(count);
        if self.changes.len() < count {
            self.changes.resize(count, 0);
        }
        for change in self.changes.drain(..count) {
            self.sum += change;
            let level = self.sum as f64 / (LEVEL * i64::from(UNIT)) as f64;
            let moved = VOLUME * self.high_pass.filter(level);
            samples.push(self.cone.as_mut().map_or(moved, |cone| cone.filter(moved)) as f32);
        }
        self.next_sample += count as u64;
        samples
    }
}

/// `y[n] = x[n] - x[n-1] + r y[n-1]`.
#[derive(Debug, Clone)]
struct HighPass {
    feedback: f64,
    last_input: f64,
    last_output: f64,
}

impl HighPass {
    fn new(sample_rate: u32) -> Self {
        let feedback = 1.0 - std::f64::consts::TAU * HIGH_PASS_HZ / f64::from(sample_rate);
        HighPass { feedback, last_input: 0.0, last_output: 0.0 }
    }

    fn filter(&mut self, input: f64) -> f64 {
        let output = input - self.last_input + self.feedback * self.last_output;
        self.last_input = input;
        // Ends silence in zero instead of ever smaller numbers.
        self.last_output = if output.abs() < 1e-9 { 0.0 } else { output };
        self.last_output
    }
}

/// Converts a sample to a 16-bit integer.
pub fn to_i16(sample: f32) -> i16 {
    (sample.clamp(-1.0, 1.0) * 32767.0).round() as i16
}
