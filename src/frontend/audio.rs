//! Live sound: samples from the emulator's thread to the sound card through a lock-free ring.
//!
//! The card's callback only pops samples (`callback`); it never runs or times the machine. The
//! front end keeps the ring at [`TARGET_MS`] by running virtual time slightly faster or slower
//! ([`Audio::drift`]), so samples are rendered at exactly the card's rate and need no resampling.

mod callback;
#[cfg(target_os = "linux")]
#[path = "audio/alsa.rs"]
mod card;
#[cfg(not(target_os = "linux"))]
mod card;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use callback::Callback;
use card::Card;

/// The target content of the ring in milliseconds. With up to two periods of `PERIOD_MS` in the
/// card, sound is heard at most 85 ms after the program made it; a frame may be 25 ms late before
/// the ring runs dry.
pub(crate) const TARGET_MS: u32 = 45;

/// Half of the card's requested buffer in milliseconds: the whole is a little less than twice the
/// 1,024 samples of PipeWire's default; with less it runs dry.
const PERIOD_MS: u32 = 20;

/// Capacity of the ring in milliseconds. More samples are dropped: a machine that has run ahead
/// must not add latency.
const CAPACITY_MS: u32 = 200;

/// The maximum correction of the pace: 0.5 %, well below what can be heard or seen.
const LARGEST_DRIFT: f64 = 0.005;

/// A card that has taken no samples for this long has stopped.
const STALLED: Duration = Duration::from_secs(3);

/// An open sound card. Dropping it closes the card.
pub(crate) struct Audio {
    producer: rtrb::Producer<f32>,
    capacity: usize,
    rate: u32,
    shared: Arc<Shared>,
    _stream: card::Stream,
}

/// State shared by the callback and the front end.
#[derive(Debug, Default)]
struct Shared {
    muted: AtomicBool,
    /// The number of times that the ring was empty during sound.
    dry: AtomicU32,
    /// The number of times that the card itself ran out of samples.
    underruns: AtomicU32,
}

impl Audio {
    /// Opens the default output device. Fails with one line: no sound system, no card, or a card
    /// that supports none of our formats.
    pub(crate) fn open() -> Result<Audio, String> {
        let card = Card::open()?;
        let rate = card.rate();
        let capacity = (rate * CAPACITY_MS / 1000) as usize;
        let shared = Arc::new(Shared::default());
        let mut producer = None;
        let mut new_callback = || {
            let (ring, consumer) = rtrb::RingBuffer::new(capacity);
            producer = Some(ring);
            Callback::new(consumer, rate, Arc::clone(&shared))
        };
        let stream = card.start(&mut new_callback, &shared)?;
        let producer = producer.ok_or("the sound card does not start")?;
        Ok(Audio { producer, capacity, rate, shared, _stream: stream })
    }

    /// Returns the samples per second that [`Audio::push`] expects.
    pub(crate) fn rate(&self) -> u32 {
        self.rate
    }

    /// Passes samples (mono, -1 to 1). Samples that do not fit into the ring are dropped.
    pub(crate) fn push(&mut self, samples: &[f32]) {
        let count = samples.len().min(self.producer.slots());
        if let Ok(mut chunk) = self.producer.write_chunk(count) {
            let (first, second) = chunk.as_mut_slices();
            let (head, tail) = samples[..count].split_at(first.len());
            first.copy_from_slice(head);
            second.copy_from_slice(tail);
            chunk.commit_all();
        }
    }

    /// Plays samples to their end: returns when they have been heard. Does not wait for a card that
    /// stops taking samples.
    pub(crate) fn play(&mut self, samples: &[f32]) {
        let mut rest = samples;
        let mut last_progress = Instant::now();
        while (!rest.is_empty() || self.waiting_ms() > 0.0) && last_progress.elapsed() < STALLED {
            let count = rest.len().min(self.producer.slots());
            if count > 0 {
                last_progress = Instant::now();
            }
            self.push(&rest[..count]);
            rest = &rest[count..];
            std::thread::sleep(Duration::from_millis(u64::from(PERIOD_MS)));
        }
        // The content of the card's own buffer.
        std::thread::sleep(Duration::from_millis(4 * u64::from(PERIOD_MS)));
    }

    /// Returns the milliseconds of sound in the ring.
    pub(crate) fn waiting_ms(&self) -> f64 {
        let waiting = self.capacity - self.producer.slots();
        waiting as f64 * 1000.0 / f64::from(self.rate)
    }

    /// Returns the factor for virtual time, slightly above or below 1, that keeps the ring near its
    /// target although the card's crystal and the host's clock differ.
    pub(crate) fn drift(&self) -> f64 {
        drift(self.waiting_ms())
    }

    pub(crate) fn set_muted(&self, muted: bool) {
        self.shared.muted.store(muted, Ordering::Relaxed);
    }
}

impl Drop for Audio {
    fn drop(&mut self) {
        let Shared { dry, underruns, .. } = &*self.shared;
        let (dry, underruns) = (dry.load(Ordering::Relaxed), underruns.load(Ordering::Relaxed));
        log::debug!("sound: the ring ran dry {dry} times (pauses count), the card {underruns} times");
    }
}

/// Returns the pace for a ring with `waiting_ms`: proportional, 0.5 % at 20 ms off the target.
fn drift(waiting_ms: f64) -> f64 {
    let missing = (f64::from(TARGET_MS) - waiting_ms) / 20.0;
    1.0 + missing.clamp(-1.0, 1.0) * LARGEST_DRIFT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_pulls_the_ring_to_its_target() {
        for (waiting, pace) in [(45.0, 1.0), (0.0, 1.005), (35.0, 1.0025), (55.0, 0.9975), (200.0, 0.995)] {
            assert!((drift(waiting) - pace).abs() < 1e-9, "{waiting} ms: {}", drift(waiting));
        }
    }

    /// Nothing panics, with or without a card.
    #[test]
    fn opening_answers_a_card_or_a_reason() {
        match Audio::open() {
            Ok(audio) => assert!(audio.rate() >= 8000),
            Err(reason) => assert!(!reason.is_empty() && !reason.contains('\n'), "{reason}"),
        }
    }
}
