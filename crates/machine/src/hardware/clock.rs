//! Virtual time: converts processor cycles to timer ticks and nanoseconds.
//!
//! Integers only: both counts are linear in cycles since the last change of speed and rounded down
//! to whole units. A fraction of a unit left at a change of speed is carried over.

use serde::{Deserialize, Serialize};

/// Frequency of the 8254's inputs in Hz (14.31818 MHz / 12).
pub const PIT_HZ: u64 = 1_193_182;

/// Default speed in cycles per millisecond.
pub const DEFAULT_SPEED: u32 = 3000;

const NANOSECONDS_PER_SECOND: u64 = 1_000_000_000;

/// Converts cycles to time and back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Clock {
    speed: u32,
    changed_at: u64,
    ticks: Count,
    nanoseconds: Count,
}

/// A count of units at a constant rate: its value at the last change of speed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Count {
    whole: u64,
    /// The fraction of a unit beyond `whole`, as a numerator over cycles per second.
    part: u64,
}

impl Count {
    /// The growth during `elapsed` cycles after the last change, in units over cycles per second.
    fn numerator(&self, per_second: u64, elapsed: u64) -> u128 {
        u128::from(elapsed) * u128::from(per_second) + u128::from(self.part)
    }

    fn at(&self, per_second: u64, elapsed: u64, cycles_per_second: u64) -> u64 {
        let numerator = self.numerator(per_second, elapsed);
        // Usually this fits a machine division, which is several times faster.
        let grown = match u64::try_from(numerator) {
            Ok(numerator) => numerator / cycles_per_second,
            Err(_) => saturate(numerator / u128::from(cycles_per_second)),
        };
        self.whole.saturating_add(grown)
    }

    /// The smallest number of cycles after the last change at which the count reaches `value`.
    fn elapsed_at(&self, per_second: u64, value: u64, cycles_per_second: u64) -> u64 {
        let Some(wanted) = value.checked_sub(self.whole) else { return 0 };
        let numerator = u128::from(wanted) * u128::from(cycles_per_second);
        let numerator = numerator.saturating_sub(u128::from(self.part));
        match u64::try_from(numerator) {
            Ok(numerator) => numerator.div_ceil(per_second),
            Err(_) => saturate(numerator.div_ceil(u128::from(per_second))),
        }
    }

    /// `old` and `new` are cycles per second before and after a change of speed.
    fn rebase(&mut self, per_second: u64, elapsed: u64, old: u64, new: u64) {
        let part = self.numerator(per_second, elapsed) % u128::from(old);
        self.whole = self.at(per_second, elapsed, old);
        self.part = saturate(part * u128::from(new) / u128::from(old));
    }
}

fn saturate(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

impl Clock {
    /// A clock that starts at cycle 0 with `speed` cycles per millisecond (0 counts as 1).
    pub(crate) fn new(speed: u32) -> Self {
        Clock { speed: speed.max(1), changed_at: 0, ticks: Count::default(), nanoseconds: Count::default() }
    }

    /// Cycles per millisecond.
    pub(crate) fn speed(&self) -> u32 {
        self.speed
    }

    /// Changes the speed (in cycles per millisecond, 0 counts as 1) from the cycle `now`.
    pub(crate) fn set_speed(&mut self, speed: u32, now: u64) {
        let speed = speed.max(1);
        let old = self.cycles_per_second();
        let elapsed = now.saturating_sub(self.changed_at);
        self.speed = speed;
        let new = self.cycles_per_second();
        self.ticks.rebase(PIT_HZ, elapsed, old, new);
        self.nanoseconds.rebase(NANOSECONDS_PER_SECOND, elapsed, old, new);
        self.changed_at = self.changed_at.max(now);
    }

    /// Drops the fractions of both counts at `now`: times after it depend only on the cycles since
    /// then.
    pub(crate) fn drop_fractions(&mut self, now: u64) {
        self.set_speed(self.speed, now);
        self.ticks.part = 0;
        self.nanoseconds.part = 0;
    }

    /// Whole ticks of the 8254's clock since power-on at cycle `now`, which must not be before the
    /// last change of speed.
    pub(crate) fn pit_ticks(&self, now: u64) -> u64 {
        self.ticks.at(PIT_HZ, now.saturating_sub(self.changed_at), self.cycles_per_second())
    }

    /// The first cycle at which `ticks` ticks have passed. For ticks before the last change of
    /// speed, returns the cycle of that change.
    pub(crate) fn cycle_at_pit_tick(&self, ticks: u64) -> u64 {
        self.changed_at.saturating_add(self.ticks.elapsed_at(PIT_HZ, ticks, self.cycles_per_second()))
    }

    /// Nanoseconds since power-on at cycle `now`, which is not before the last change of speed.
    pub(crate) fn nanoseconds(&self, now: u64) -> u64 {
        self.nanoseconds.at(
            NANOSECONDS_PER_SECOND,
            now.saturating_sub(self.changed_at),
            self.cycles_per_second(),
        )
    }

    /// The first cycle at which `ns` nanoseconds have passed. For instants before the last change
    /// of speed, returns the cycle of that change.
    pub(crate) fn cycle_at_nanoseconds(&self, ns: u64) -> u64 {
        self.changed_at.saturating_add(self.nanoseconds.elapsed_at(
            NANOSECONDS_PER_SECOND,
            ns,
            self.cycles_per_second(),
        ))
    }

    fn cycles_per_second(&self) -> u64 {
        u64::from(self.speed.max(1)) * 1000
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn conversions() {
        // speed, cycle, ticks, ns
        let rows = [
            (3000, 0, 0, 0),
            (3000, 2, 0, 666),
            (3000, 3, 1, 1000),
            (3000, 3_000_000, 1_193_182, 1_000_000_000),
            (1, 1, 1193, 1_000_000),
            (100_000, 83, 0, 830),
            (100_000, 84, 1, 840),
        ];
        for (speed, cycle, ticks, ns) in rows {
            let clock = Clock::new(speed);
            assert_eq!((clock.pit_ticks(cycle), clock.nanoseconds(cycle)), (ticks, ns), "{speed} {cycle}");
        }
    }

    #[test]
    fn a_change_of_speed_loses_no_time() {
        let mut clock = Clock::new(3000);
        // Ten thousand changes between two speeds, an odd number of cycles apart.
        let mut now = 0;
        for i in 0..10_000_u64 {
            now += 1001;
            clock.set_speed(if i % 2 == 0 { 6000 } else { 3000 }, now);
        }
        // 5000 intervals of 1001 cycles at each speed: 5000 * 1001 * (1/3 + 1/6) us = 2.5025 s.
        let ns = clock.nanoseconds(now);
        assert!((2_502_499_900..=2_502_500_000).contains(&ns), "{ns}");
    }

    #[test]
    fn the_end_of_time_does_not_overflow() {
        let mut clock = Clock::new(1);
        assert_eq!(clock.nanoseconds(u64::MAX), u64::MAX);
        assert_eq!(Clock::new(u32::MAX).cycle_at_nanoseconds(u64::MAX), u64::MAX);
        clock.set_speed(u32::MAX, u64::MAX);
        assert_eq!(clock.cycle_at_pit_tick(u64::MAX), u64::MAX);
    }

    proptest! {
        #[test]
        fn the_cycle_of_a_tick_is_the_first_at_which_it_has_passed(
            speeds in prop::collection::vec((1_u32..200_000, 0_u64..1 << 32), 1..5),
            ahead in 0_u64..1 << 40,
        ) {
            let mut clock = Clock::new(3000);
            let mut now = 0;
            for (speed, wait) in speeds {
                let before = (clock.pit_ticks(now + wait), clock.nanoseconds(now + wait));
                now += wait;
                clock.set_speed(speed, now);
                prop_assert_eq!(before, (clock.pit_ticks(now), clock.nanoseconds(now)));
            }
            let tick = clock.pit_ticks(now) + 1 + ahead;
            let cycle = clock.cycle_at_pit_tick(tick);
            prop_assert!(clock.pit_ticks(cycle) >= tick && clock.pit_ticks(cycle - 1) < tick);
            let ns = clock.nanoseconds(now) + 1 + ahead;
            let cycle = clock.cycle_at_nanoseconds(ns);
            prop_assert!(clock.nanoseconds(cycle) >= ns && clock.nanoseconds(cycle - 1) < ns);
        }
    }
}
