//! A period in which a counter changes by one rule, in closed form.
//!
//! A span starts at the tick at which its count is in the counting element. The counting element
//! and OUT at any later tick are computed, never stepped. Figures: Intel's data sheet of the 8254
//! (231164), "Mode Definitions".

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Rule {
    /// The counter does not count.
    Hold,
    /// Modes 0 and 1: OUT is low until the count reaches zero.
    OneShot,
    /// Modes 4 and 5: OUT is low for one tick after the count reaches zero.
    Strobe,
    /// Mode 2: reloaded every `count` ticks; OUT is low in the last tick of each period.
    Rate,
    /// Mode 3: reloaded each half period; OUT is high for the longer half.
    Square,
}

pub(super) fn modulus(bcd: bool) -> u32 {
    if bcd { 10_000 } else { 0x1_0000 }
}

/// A period with one rule. It lasts until another span replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Span {
    /// The tick from which the rule applies.
    pub(super) from: u64,
    pub(super) rule: Rule,
    /// The value of the counting element at `from`: 1 to the modulus if it was loaded.
    pub(super) count: u32,
    /// `Hold`: the level of OUT. `Square`: whether the first half is the high one.
    pub(super) high: bool,
    /// Whether the count reached zero before `from` (modes 0, 1, 4 and 5): OUT has already changed.
    pub(super) expired: bool,
    pub(super) bcd: bool,
}

/// The waveform of OUT from a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wave {
    /// A constant level.
    Steady(bool),
    /// A pulse train: `phase` ticks into a period of `period` ticks (at least 2) whose first `high`
    /// ticks are high.
    Pulses {
        /// Ticks from one rise to the next.
        period: u32,
        /// Ticks of the high part, 1 to `period` - 1.
        high: u32,
        /// Ticks since the last rise, less than `period`.
        phase: u32,
    },
}

impl Wave {
    /// Returns the level `after` ticks later.
    pub(crate) fn level(self, after: u64) -> bool {
        match self {
            Wave::Steady(high) => high,
            Wave::Pulses { period, high, phase } => {
                (after % u64::from(period) + u64::from(phase)) % u64::from(period) < u64::from(high)
            }
        }
    }

    /// Returns the waveform from `after` ticks later.
    pub(crate) fn later(self, after: u64) -> Wave {
        match self {
            Wave::Steady(_) => self,
            Wave::Pulses { period, high, phase } => {
                let phase = ((after + u64::from(phase)) % u64::from(period)) as u32;
                Wave::Pulses { period, high, phase }
            }
        }
    }

    /// Returns the number of ticks, at least 1, until the level changes.
    pub(super) fn next_change(self) -> Option<u64> {
        match self {
            Wave::Steady(_) => None,
            Wave::Pulses { high, phase, .. } if phase < high => Some(u64::from(high - phase)),
            Wave::Pulses { period, phase, .. } => Some(u64::from(period - phase)),
        }
    }

    /// Returns the number of ticks, at least 1, until the level rises.
    fn next_rise(self) -> Option<u64> {
        match self {
            Wave::Steady(_) => None,
            Wave::Pulses { period, phase, .. } => Some(u64::from(period - phase)),
        }
    }

    /// Returns the number of rises in the ticks 1 to `ticks` after this one.
    fn rises(self, ticks: u64) -> u64 {
        match self {
            Wave::Steady(_) => 0,
            Wave::Pulses { period, phase, .. } => (ticks + u64::from(phase)) / u64::from(period),
        }
    }
}

impl Span {
    /// Returns the counting element at `tick`, from 0 to the modulus, which reads as 0.
    pub(super) fn element(&self, tick: u64) -> u32 {
        let elapsed = tick.saturating_sub(self.from);
        match self.rule {
            Rule::Hold => self.count,
            _ if elapsed == 0 && self.rule != Rule::Square => self.count,
            Rule::OneShot | Rule::Strobe => {
                let gone = (elapsed % u64::from(self.modulus())) as u32;
                (self.count + self.modulus() - gone) % self.modulus()
            }
            Rule::Rate => self.count - (elapsed % u64::from(self.count.max(1))) as u32,
            Rule::Square => self.square_element(elapsed),
        }
    }

    /// Mode 3 counts by two from the count (less one if it is odd), and is reloaded in each half.
    fn square_element(&self, elapsed: u64) -> u32 {
        let half = self.high_ticks();
        let into_period = self.phase(elapsed);
        let into_half = if into_period < half { into_period } else { into_period - half };
        (self.count & !1).saturating_sub(2 * into_half)
    }

    /// Returns the ticks of the high half in mode 3.
    fn high_ticks(&self) -> u32 {
        self.count.div_ceil(2)
    }

    /// Returns the ticks since the start of a period that begins with its high part.
    fn phase(&self, elapsed: u64) -> u32 {
        let lead = match self.rule {
            Rule::Square if !self.high => self.high_ticks(),
            _ => 0,
        };
        ((elapsed + u64::from(lead)) % u64::from(self.count.max(1))) as u32
    }

    /// Whether the count has reached zero (modes 0, 1, 4 and 5).
    pub(super) fn expired(&self, tick: u64) -> bool {
        self.expired || self.rule != Rule::Hold && tick.saturating_sub(self.from) >= u64::from(self.count)
    }

    /// Returns the modulus: a count that passes zero continues at the modulus less one.
    fn modulus(&self) -> u32 {
        modulus(self.bcd)
    }

    pub(super) fn out(&self, tick: u64) -> bool {
        self.wave(tick).0.level(0)
    }

    /// Returns the first tick after `tick` at which the current half (mode 3) or period (mode 2) is
    /// over, and the level of OUT from there.
    pub(super) fn end_of_cycle(&self, tick: u64) -> (u64, bool) {
        let into = self.phase(tick.saturating_sub(self.from));
        let half = self.high_ticks();
        match self.rule {
            Rule::Square if into < half && half < self.count => (tick + u64::from(half - into), false),
            _ => (tick + u64::from(self.count - into), true),
        }
    }

    /// Returns the waveform of OUT from `tick`, and the tick at which it stops being valid.
    pub(super) fn wave(&self, tick: u64) -> (Wave, u64) {
        let zero = self.from.saturating_add(u64::from(self.count));
        match self.rule {
            Rule::Hold => (Wave::Steady(self.high), u64::MAX),
            Rule::OneShot | Rule::Strobe if self.expired => (Wave::Steady(true), u64::MAX),
            Rule::OneShot if tick < zero => (Wave::Steady(false), zero),
            Rule::OneShot => (Wave::Steady(true), u64::MAX),
            Rule::Strobe if tick < zero => (Wave::Steady(true), zero),
            Rule::Strobe if tick == zero => (Wave::Steady(false), zero.saturating_add(1)),
            Rule::Strobe => (Wave::Steady(true), u64::MAX),
            // The data sheet forbids a count of 1 in modes 2 and 3; here OUT stays high.
            Rule::Rate | Rule::Square if self.count < 2 => (Wave::Steady(true), u64::MAX),
            Rule::Rate | Rule::Square => {
                let high = if self.rule == Rule::Rate { self.count - 1 } else { self.high_ticks() };
                (
                    Wave::Pulses {
                        period: self.count,
                        high,
                        phase: self.phase(tick.saturating_sub(self.from)),
                    },
                    u64::MAX,
                )
            }
        }
    }

    /// Returns the first tick after `tick` and before `end` at which OUT rises.
    pub(super) fn next_rise(&self, mut tick: u64, end: u64) -> Option<u64> {
        loop {
            let (wave, until) = self.wave(tick);
            if let Some(rise) = wave.next_rise().map(|ticks| tick + ticks) {
                return (rise < end).then_some(rise);
            }
            if until >= end {
                return None;
            }
            if !wave.level(0) && self.out(until) {
                return Some(until);
            }
            tick = until;
        }
    }

    /// Returns the number of rises of OUT in the ticks after `tick` and before `end`.
    pub(super) fn rises(&self, mut tick: u64, end: u64) -> u64 {
        let mut rises = 0;
        while tick < end {
            let (wave, until) = self.wave(tick);
            let last = until.min(end) - 1;
            rises += wave.rises(last - tick);
            if until < end && !wave.level(last - tick) && self.out(until) {
                rises += 1;
            }
            tick = until;
        }
        rises
    }
}
