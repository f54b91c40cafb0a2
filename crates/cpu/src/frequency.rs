//! The frequency of events that make a method slower than the one that it replaces.

/// Statistics of an event: the number of times since the last evaluation, and the cycle of the first.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Frequency {
    pub(super) count: u32,
    since: u64,
}

impl Frequency {
    /// Counts the event at a cycle. Returns whether enough were counted for an evaluation, and there were fewer than
    /// `cycles` cycles between two on average.
    pub(super) fn is_high(&mut self, now: u64, cycles: u64) -> bool {
        /// Events between evaluations.
        const EVENTS: u32 = 1024;
        let is_full = self.count >= EVENTS;
        let is_high = is_full && now.wrapping_sub(self.since) < u64::from(EVENTS) * cycles;
        if self.count == 0 || is_full {
            *self = Frequency { count: 1, since: now };
        } else {
            self.count += 1;
        }
        is_high
    }
}
