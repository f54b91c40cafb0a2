//! The sound card's callback: pops samples, and fades without samples.
//!
//! Invariant: the output never jumps by more than the samples do. A ring that runs dry (a pause, a
//! late frame) fades from the last sample to silence. Sound returns only after the fade has ended
//! and the ring is half full again.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Shared, TARGET_MS};

const FADE_MS: u32 = 5;

/// Turns the ring's samples into an endless stream.
pub(super) struct Callback {
    ring: rtrb::Consumer<f32>,
    shared: Arc<Shared>,
    /// Samples that must be in the ring before sound returns.
    enough: usize,
    /// Change of `gain` per sample of a fade.
    step: f32,
    /// The progress of the fade, 0 to 1.
    gain: f32,
    /// The last sample taken from the ring.
    last: f32,
    dry: bool,
}

impl Callback {
    /// Returns a callback for a card with `rate` samples per second.
    pub(super) fn new(ring: rtrb::Consumer<f32>, rate: u32, shared: Arc<Shared>) -> Self {
        let enough = (rate * TARGET_MS / 2000) as usize;
        let step = 1000.0 / (rate * FADE_MS) as f32;
        Callback { ring, shared, enough, step, gain: 0.0, last: 0.0, dry: true }
    }

    pub(super) fn next_sample(&mut self) -> f32 {
        if self.dry && self.gain == 0.0 && self.ring.slots() >= self.enough {
            self.dry = false;
        }
        if !self.dry {
            match self.ring.pop() {
                Ok(sample) => self.last = sample,
                Err(_) => {
                    self.dry = true;
                    self.shared.dry.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        let audible = !self.dry && !self.shared.muted.load(Ordering::Relaxed);
        let step = if audible { self.step } else { -self.step };
        self.gain = (self.gain + step).clamp(0.0, 1.0);
        self.last * smooth(self.gain)
    }
}

/// A ramp from 0 to 1 whose slope is zero at both ends.
fn smooth(x: f32) -> f32 {
    x * x * (3.0 - 2.0 * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u32 = 48_000;

    fn callback() -> (rtrb::Producer<f32>, Callback, Arc<Shared>) {
        let (producer, consumer) = rtrb::RingBuffer::new(RATE as usize);
        let shared = Arc::new(Shared::default());
        (producer, Callback::new(consumer, RATE, Arc::clone(&shared)), shared)
    }

    fn fill(producer: &mut rtrb::Producer<f32>, count: usize) {
        for _ in 0..count {
            producer.push(0.8).unwrap();
        }
    }

    /// The input level is constant, so each step of the output comes from the callback itself.
    fn largest_step(callback: &mut Callback, count: usize, before: &mut f32) -> f32 {
        let mut largest: f32 = 0.0;
        for _ in 0..count {
            let now = callback.next_sample();
            largest = largest.max((now - *before).abs());
            *before = now;
        }
        largest
    }

    #[test]
    fn dry_muted_and_back_without_a_click() {
        let (mut producer, mut callback, shared) = callback();
        let mut level = 0.0;
        // Maximum step of the 5 ms fade: 1.5 / 240 of the level 0.8.
        let gentle = 0.8 * 1.5 / 240.0 * 1.01;

        fill(&mut producer, 2000);
        assert!(largest_step(&mut callback, 1000, &mut level) <= gentle);
        assert!((level - 0.8).abs() < 1e-6, "after the fade the samples pass unchanged: {level}");
        assert!(largest_step(&mut callback, 2000, &mut level) <= gentle, "runs dry");
        assert_eq!(level, 0.0);

        fill(&mut producer, 500);
        assert_eq!(largest_step(&mut callback, 500, &mut level), 0.0, "too little waits to start again");
        fill(&mut producer, 3000);
        assert!(largest_step(&mut callback, 1000, &mut level) <= gentle, "comes back");

        shared.muted.store(true, Ordering::Relaxed);
        assert!(largest_step(&mut callback, 1000, &mut level) <= gentle, "is muted");
        assert_eq!(level, 0.0);
        assert!(callback.ring.slots() < 1600, "a muted callback goes on taking samples");
        shared.muted.store(false, Ordering::Relaxed);
        assert!(largest_step(&mut callback, 1000, &mut level) <= gentle, "is heard again");
    }
}
