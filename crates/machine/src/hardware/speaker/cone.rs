//! Filter for the sound of a small loudspeaker: the PC's has a paper cone of 57 mm (2 1/4 inches)
//! and no enclosure.
//!
//! Figures: data sheets of such 8-ohm loudspeakers give a resonance of about 400 Hz and a range up
//! to about 5 kHz. Below the resonance the response falls by 12 dB per octave (total quality near 1
//! without damping). Above the range the cone no longer moves as a whole (here a Butterworth filter
//! with 24 dB per octave). A carrier of 16 kHz is damped by more than 40 dB, which leaves the
//! signal of digitised sound. Coefficients as in R. Bristow-Johnson's cookbook for biquads
//! (bilinear transform, prewarped corners).

use super::kernel::sin_pi;

/// The cone's resonance in Hz, and its quality.
const RESONANCE: (f64, f64) = (400.0, 1.0);
/// The upper end of the range in Hz.
const RANGE_HZ: f64 = 5_000.0;
/// The quality factors of the two halves of a fourth-order Butterworth filter: 1 / (2 cos 22.5°), 1
/// / (2 cos 67.5°).
const BUTTERWORTH: [f64; 2] = [0.541_196_100_146_197, 1.306_562_964_876_376_5];

/// The filter between the speaker's input and the samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Response {
    /// No filter.
    #[default]
    Raw,
    /// The cone of a small loudspeaker.
    Filtered,
}

#[derive(Debug, Clone)]
pub(super) struct Cone([Biquad; 3]);

impl Cone {
    pub(super) fn new(sample_rate: u32) -> Self {
        let [first, second] = BUTTERWORTH.map(|quality| Biquad::low_pass(RANGE_HZ, quality, sample_rate));
        Cone([Biquad::high_pass(RESONANCE.0, RESONANCE.1, sample_rate), first, second])
    }

    pub(super) fn filter(&mut self, input: f64) -> f64 {
        self.0.iter_mut().fold(input, |signal, stage| stage.filter(signal))
    }
}

/// A second-order filter in the transposed direct form II.
#[derive(Debug, Clone)]
struct Biquad {
    forward: [f64; 3],
    back: [f64; 2],
    kept: [f64; 2],
}

impl Biquad {
    fn low_pass(hertz: f64, quality: f64, sample_rate: u32) -> Biquad {
        Biquad::new(hertz, quality, sample_rate, |cosine| {
            let half = (1.0 - cosine) / 2.0;
            [half, 2.0 * half, half]
        })
    }

    fn high_pass(hertz: f64, quality: f64, sample_rate: u32) -> Biquad {
        Biquad::new(hertz, quality, sample_rate, |cosine| {
            let half = f64::midpoint(1.0, cosine);
            [half, -2.0 * half, half]
        })
    }

    /// `forward` returns the numerator for the cosine of the corner's angle. A corner above the
    /// Nyquist frequency is moved just below it.
    fn new(hertz: f64, quality: f64, sample_rate: u32, forward: impl Fn(f64) -> [f64; 3]) -> Biquad {
        let turns = (2.0 * hertz / f64::from(sample_rate)).min(0.98);
        let (sine, cosine) = (sin_pi(turns), sin_pi(turns + 0.5));
        let alpha = sine / (2.0 * quality);
        let scale = 1.0 / (1.0 + alpha);
        Biquad {
            forward: forward(cosine).map(|factor| factor * scale),
            back: [-2.0 * cosine * scale, (1.0 - alpha) * scale],
            kept: [0.0; 2],
        }
    }

    fn filter(&mut self, input: f64) -> f64 {
        let output = self.forward[0] * input + self.kept[0];
        self.kept[0] = self.forward[1] * input - self.back[0] * output + self.kept[1];
        self.kept[1] = self.forward[2] * input - self.back[1] * output;
        // Ends silence in zero instead of ever smaller numbers.
        if input == 0.0 && self.kept.iter().all(|kept| kept.abs() < 1e-12) {
            self.kept = [0.0; 2];
        }
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the gain at a frequency in dB, from a sine after a tenth of a second.
    fn gain(hertz: f64, sample_rate: u32) -> f64 {
        let mut cone = Cone::new(sample_rate);
        let settled = sample_rate / 10;
        let (mut input, mut output) = (0.0, 0.0);
        for n in 0..2 * settled {
            let sample = sin_pi(2.0 * hertz * f64::from(n) / f64::from(sample_rate));
            let filtered = cone.filter(sample);
            if n >= settled {
                (input, output) = (input + sample * sample, output + filtered * filtered);
            }
        }
        10.0 * (output / input).log10()
    }

    #[test]
    fn the_cone_is_a_band_pass() {
        // In dB. A bilinear filter falls more steeply near the end of its range.
        let rows = [
            (100.0, 48_000, -23.8),
            (200.0, 48_000, -11.1),
            (400.0, 48_000, 0.0),
            (1_000.0, 48_000, 0.6),
            (2_500.0, 48_000, 0.1),
            (5_000.0, 48_000, -3.0),
            (10_000.0, 48_000, -28.3),
            (16_000.0, 48_000, -56.6),
            (1_000.0, 44_100, 0.6),
            (5_000.0, 44_100, -3.0),
        ];
        for (hertz, rate, expected) in rows {
            let seen = gain(hertz, rate);
            assert!((seen - expected).abs() < 0.1, "{hertz} Hz at {rate}: {seen:.2} dB, not {expected}");
        }
    }
}
