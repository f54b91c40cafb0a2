//! The 8254 interval timer: three counters, computed in closed form from ticks of its 1.193182 MHz
//! clock.
//!
//! Every method takes the current tick; ticks never decrease. Wiring of the PC: OUT 0 is IRQ 0, OUT
//! 1 requests a memory refresh, OUT 2 drives the speaker; GATE 0 and 1 are tied high, GATE 2 is bit
//! 0 of port 61h.

mod counter;
mod span;

#[cfg(test)]
mod tests;

pub(crate) use counter::Counter;
pub use span::Wave;

use serde::{Deserialize, Serialize};

/// The 8254 at ports 40h to 43h.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pit {
    counters: [Counter; 3],
}

impl Pit {
    /// Returns the timer after power-on, before the BIOS has programmed it: no counter counts.
    pub(crate) fn new() -> Self {
        Pit { counters: [Counter::new(true), Counter::new(true), Counter::new(false)] }
    }

    /// Returns counter 0, the system timer.
    pub(crate) fn timer(&self) -> &Counter {
        &self.counters[0]
    }

    /// Returns counter 1, memory refresh.
    pub(crate) fn refresh(&self) -> &Counter {
        &self.counters[1]
    }

    /// Returns counter 2, the speaker.
    pub(crate) fn sound(&self) -> &Counter {
        &self.counters[2]
    }

    /// Begins a period of the system timer: see [`Counter::begin_period`].
    pub(crate) fn begin_tick(&mut self, tick: u64) -> bool {
        self.counters[0].begin_period(tick)
    }

    /// Begins a period of each counter; see [`Counter::begin_period`].
    pub(crate) fn begin_periods(&mut self, tick: u64) {
        self.counters.iter_mut().for_each(|counter| {
            counter.begin_period(tick);
        });
    }

    /// Returns each counter's spans relative to `tick`; see [`Counter::phase`].
    pub(crate) fn phases(&self, tick: u64) -> [impl Serialize + use<>; 3] {
        self.counters.each_ref().map(|counter| counter.phase(tick))
    }

    /// Sets the level of GATE 2 (bit 0 of port 61h).
    pub(crate) fn set_sound_gate(&mut self, high: bool, tick: u64) {
        self.counters[2].set_gate(high, tick);
    }

    /// IN from 40h to 42h; 43h cannot be read.
    pub(crate) fn input(&mut self, port: u16, tick: u64) -> u8 {
        match self.counters.get_mut(usize::from(port & 3)) {
            Some(counter) => counter.read(tick),
            None => 0xFF,
        }
    }

    /// OUT to 40h to 43h.
    pub(crate) fn output(&mut self, port: u16, value: u8, tick: u64) {
        match self.counters.get_mut(usize::from(port & 3)) {
            Some(counter) => counter.write(value, tick),
            None => self.write_control(value, tick),
        }
    }

    /// Writes the control word register: a mode for a counter, a counter-latch command (access bits
    /// 00 with any mode bits: 86h latches counter 2 and sets no mode) or a read-back command.
    fn write_control(&mut self, value: u8, tick: u64) {
        match self.counters.get_mut(usize::from(value >> 6)) {
            Some(counter) if value & 0x30 == 0 => counter.latch_count(tick),
            Some(counter) => counter.write_control(value, tick),
            None => self.read_back(value, tick),
        }
    }

    fn read_back(&mut self, value: u8, tick: u64) {
        for (index, counter) in self.counters.iter_mut().enumerate() {
            if value & 2 << index == 0 {
                continue;
            }
            if value & 0x20 == 0 {
                counter.latch_count(tick);
            }
            if value & 0x10 == 0 {
                counter.latch_status(tick);
            }
        }
    }
}

impl Default for Pit {
    fn default() -> Self {
        Pit::new()
    }
}
