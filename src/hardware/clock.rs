//! Virtual time: cycles of the processor, and what they are in ticks of the timer and in nanoseconds.
//!
//! Integers only. Speed may change during a run: the relation is linear from the last change on.

use serde::{Deserialize, Serialize};

/// Frequency of the 8254's inputs in Hz (14.31818 MHz / 12).
pub const PIT_HZ: u64 = 1_193_182;

/// Default speed in cycles a millisecond.
pub const DEFAULT_SPEED: u32 = 3000;

/// Converts cycles to time and back.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Clock {
    speed: u32,
}

impl Clock {
    /// A clock that starts at cycle 0 with `speed` cycles a millisecond.
    pub fn new(speed: u32) -> Self {
        Clock { speed }
    }
    /// Cycles a millisecond.
    pub fn speed(&self) -> u32 {
        self.speed
    }
    /// Another speed from the cycle `now` on.
    pub fn set_speed(&mut self, speed: u32, now: u64) {
        let _ = (speed, now);
        todo!()
    }
    /// Whole ticks of the 8254's clock at cycle `now`.
    pub fn pit_ticks(&self, now: u64) -> u64 {
        let _ = now;
        todo!()
    }
    /// The first cycle at which `ticks` ticks have passed.
    pub fn cycle_at_pit_tick(&self, ticks: u64) -> u64 {
        let _ = ticks;
        todo!()
    }
    /// Nanoseconds since power-on at cycle `now`.
    pub fn nanoseconds(&self, now: u64) -> u64 {
        let _ = now;
        todo!()
    }
    /// The first cycle at which `ns` nanoseconds have passed.
    pub fn cycle_at_nanoseconds(&self, ns: u64) -> u64 {
        let _ = ns;
        todo!()
    }
}
