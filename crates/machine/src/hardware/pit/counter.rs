//! One counter of the 8254: control word, count register, latches, gate and OUT.
//!
//! Ticks are absolute and never decrease between calls. A written count, or a rise of GATE, takes
//! effect at a later tick: until then the counter has a current and a next span. Source: Intel's
//! data sheet 231164.

use serde::{Deserialize, Serialize};

use super::span::{Rule, Span, Wave, modulus};

/// Which bytes of a count are read and written (bits 5 and 4 of the control word).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Access {
    Low = 1,
    High = 2,
    LowHigh = 3,
}

/// One of the three counters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counter {
    /// 0 to 5.
    mode: u8,
    /// Bits 5 to 0 of the control word as written: the status tells modes 6 and 7 from 2 and 3.
    control: u8,
    bcd: bool,
    access: Access,
    gate: bool,
    /// The count register: the last count written.
    count_register: u16,
    /// Whether a complete count has been written since the control word.
    written: bool,
    /// Whether the written count has not reached the counting element yet.
    null_count: bool,
    /// The first of two bytes, while the second is expected.
    low_byte: Option<u8>,
    /// Whether the next read returns the second of two bytes.
    high_next: bool,
    latched_count: Option<u16>,
    latched_status: Option<u8>,
    present: Span,
    next: Option<Span>,
}

impl Counter {
    /// Returns a counter after power-on. Mode and count of an 8254 are then undefined: here mode 3,
    /// and no count yet.
    pub(super) fn new(gate: bool) -> Self {
        Counter {
            mode: 3,
            control: 0x36,
            bcd: false,
            access: Access::LowHigh,
            gate,
            count_register: 0,
            written: false,
            null_count: true,
            low_byte: None,
            high_next: false,
            latched_count: None,
            latched_status: None,
            present: Span { from: 0, rule: Rule::Hold, count: 0, high: true, expired: false, bcd: false },
            next: None,
        }
    }

    /// Returns the last count written, in ticks: 1 to 65536 (10000 in BCD).
    pub(crate) fn count(&self) -> u32 {
        let count = if self.bcd { from_bcd(self.count_register) } else { u32::from(self.count_register) };
        if count == 0 { self.modulus() } else { count }
    }

    /// Returns the period of the programmed tone (modes 2, 3) in ticks. `None` if GATE stops it.
    pub(crate) fn tone(&self) -> Option<u32> {
        (matches!(self.mode, 2 | 3) && self.gate && self.written).then(|| self.count())
    }

    pub(crate) fn out(&self, tick: u64) -> bool {
        self.span_at(tick).0.out(tick)
    }

    /// Returns the level of OUT as the processor reads it at `tick`.
    pub(crate) fn out_as_read(&self, tick: u64) -> bool {
        self.as_read(tick).out(tick)
    }

    /// Returns the counter as the processor reads it. A bus cycle to this chip takes about one tick
    /// on a PC (six clocks of 8 MHz and the recovery time). So a load due at the next tick has
    /// taken place when the next instruction reads.
    fn as_read(&self, tick: u64) -> Counter {
        let is_load = match self.mode {
            2 | 3 => self.present.rule == Rule::Hold, // otherwise the load waits for the end of a period
            4 => self.null_count,                     // otherwise GATE has risen again within the strobe
            _ => true,
        };
        match self.next {
            Some(next) if is_load && next.from == tick + 1 => Counter {
                present: Span { from: tick, ..next },
                next: None,
                null_count: false,
                ..self.clone()
            },
            _ => self.clone(),
        }
    }

    /// Returns the waveform of OUT from `tick`, and the tick at which it stops being valid.
    pub(crate) fn wave(&self, tick: u64) -> (Wave, u64) {
        let (span, end) = self.span_at(tick);
        let (wave, until) = span.wave(tick);
        (wave, until.min(end))
    }

    /// Returns a tick after `tick` before which OUT does not change.
    pub(crate) fn steady_until(&self, tick: u64) -> u64 {
        let (wave, until) = self.wave(tick);
        wave.next_change().map_or(until, |ticks| until.min(tick + ticks))
    }

    /// Returns the first tick after `tick` at which OUT rises.
    pub(crate) fn next_rise(&self, tick: u64) -> Option<u64> {
        let (span, end) = self.span_at(tick);
        if let Some(rise) = span.next_rise(tick, end) {
            return Some(rise);
        }
        let next = self.next.filter(|next| next.from > tick)?;
        if !span.out(next.from - 1) && next.out(next.from) {
            return Some(next.from);
        }
        next.next_rise(next.from, u64::MAX)
    }

    /// Returns the number of rises of OUT in the ticks after `from`, up to and including `to`.
    pub(crate) fn rises(&self, from: u64, to: u64) -> u64 {
        let (span, end) = self.span_at(from);
        if to < end {
            return span.rises(from, to + 1);
        }
        let Some(next) = self.next else { return 0 };
        let at_change = u64::from(!span.out(end - 1) && next.out(end));
        span.rises(from, end) + at_change + next.rises(end, to + 1)
    }

    /// Writes a control word with bits 5 and 4 other than 00: the counter then waits for a count.
    pub(super) fn write_control(&mut self, value: u8, tick: u64) {
        self.settle(tick);
        let element = self.present.element(tick) % self.modulus();
        self.mode = match value >> 1 & 7 {
            mode @ 0..=5 => mode,
            mode => mode - 4,
        };
        self.control = value & 0x3F;
        self.bcd = value & 1 != 0;
        self.access = match value >> 4 & 3 {
            1 => Access::Low,
            2 => Access::High,
            _ => Access::LowHigh,
        };
        self.written = false;
        self.null_count = true;
        self.low_byte = None;
        self.high_next = false;
        self.latched_count = None;
        self.latched_status = None;
        self.hold(element % self.modulus(), self.mode != 0, tick);
    }

    pub(super) fn write(&mut self, value: u8, tick: u64) {
        self.settle(tick);
        match (self.access, self.low_byte.take()) {
            (Access::Low, _) => self.write_count(u16::from(value), tick),
            (Access::High, _) => self.write_count(u16::from(value) << 8, tick),
            (Access::LowHigh, Some(low)) => self.write_count(u16::from_le_bytes([low, value]), tick),
            (Access::LowHigh, None) => {
                self.low_byte = Some(value);
                if self.mode == 0 {
                    // The first byte stops the counter and sets OUT low at once.
                    self.hold(self.present.element(tick), false, tick);
                }
            }
        }
    }

    /// The counter-latch command. A count that is latched and not yet read stays.
    pub(super) fn latch_count(&mut self, tick: u64) {
        self.settle(tick);
        if self.latched_count.is_none() {
            self.latched_count = Some(self.as_read(tick).readable(tick));
        }
    }

    /// The status half of the read-back command.
    pub(super) fn latch_status(&mut self, tick: u64) {
        self.settle(tick);
        if self.latched_status.is_none() {
            let seen = self.as_read(tick);
            let flags = u8::from(seen.out(tick)) << 7 | u8::from(seen.null_count) << 6;
            self.latched_status = Some(flags | self.control);
        }
    }

    /// Reads the latched status, the latched count or the counting element.
    pub(super) fn read(&mut self, tick: u64) -> u8 {
        self.settle(tick);
        if let Some(status) = self.latched_status.take() {
            return status;
        }
        let [low, high] =
            self.latched_count.unwrap_or_else(|| self.as_read(tick).readable(tick)).to_le_bytes();
        let high_now = match self.access {
            Access::Low => false,
            Access::High => true,
            Access::LowHigh => {
                self.high_next = !self.high_next;
                !self.high_next
            }
        };
        if !self.high_next {
            self.latched_count = None;
        }
        if high_now { high } else { low }
    }

    pub(super) fn set_gate(&mut self, high: bool, tick: u64) {
        if high == self.gate {
            return;
        }
        self.settle(tick);
        self.gate = high;
        match (self.mode, high) {
            (0 | 4, _) => self.pause_or_resume(tick),
            (1 | 5, false) => {}
            (_, true) => self.trigger(tick),
            (_, false) => self.stop(tick),
        }
    }

    /// Modes 0 and 4: while GATE is low, the counter does not count.
    fn pause_or_resume(&mut self, tick: u64) {
        let rule = self.running_rule();
        if let Some(next) = &mut self.next {
            if self.null_count {
                // A pending load still takes place.
                next.rule = rule;
            } else {
                // GATE has risen again within the tick of the strobe: no tick was lost.
                self.next = None;
            }
            return;
        }
        if !self.written || self.mode == 0 && self.low_byte.is_some() {
            return;
        }
        let expired = self.present.expired(tick);
        let high = self.mode == 4 || expired;
        let count = self.present.element(tick);
        let span = Span { from: tick, rule, count, high, expired, bcd: self.bcd };
        if self.mode == 4 && !self.present.out(tick) {
            // GATE does not shorten the strobe: it ends with this tick.
            self.next = Some(Span { from: tick + 1, ..span });
        } else {
            self.present = span;
        }
    }

    /// Modes 2 and 3: a low GATE stops the counter and sets OUT high at once.
    fn stop(&mut self, tick: u64) {
        if self.next.is_some() && self.present.rule == Rule::Hold {
            // A pending load still takes place.
            self.load_at(tick + 1, true);
        } else {
            self.hold(self.present.element(tick), true, tick);
        }
    }

    /// Modes 1, 2, 3 and 5: a rise of GATE loads the counter at the next tick.
    fn trigger(&mut self, tick: u64) {
        if self.written {
            self.load_at(tick + 1, true);
        }
    }

    fn write_count(&mut self, value: u16, tick: u64) {
        let first = !self.written;
        self.count_register = value;
        self.written = true;
        self.null_count = true;
        match self.mode {
            0 => {
                self.hold(self.present.element(tick), false, tick);
                self.load_at(tick + 1, false);
            }
            1 | 5 => {
                // A pending trigger loads the new count.
                if let Some(next) = self.next {
                    self.load_at(next.from, true);
                }
            }
            4 => self.load_at(tick + 1, true),
            _ if first => self.load_at(tick + 1, true),
            _ => self.load_at_end_of_cycle(tick),
        }
    }

    /// Modes 2 and 3: a new count while the counter counts is loaded at the end of the cycle.
    fn load_at_end_of_cycle(&mut self, tick: u64) {
        match self.next {
            // A pending load takes the new count.
            Some(next) => self.load_at(next.from, next.high),
            None if self.present.rule == Rule::Hold => {}
            None => {
                let (end, high) = self.present.end_of_cycle(tick);
                self.load_at(end, high);
            }
        }
    }

    /// Begins a period of mode 2 or 3 at `tick`, as if the last one had ended there. Returns false,
    /// with nothing changed, if the counter does not run in one of them, or has a new count to load.
    pub(super) fn begin_period(&mut self, tick: u64) -> bool {
        self.settle(tick);
        let runs = self.next.is_none() && matches!(self.present.rule, Rule::Rate | Rule::Square);
        if runs {
            self.load_at(tick, true);
            self.settle(tick);
        }
        runs
    }

    /// Returns the current and the next span, with their starts relative to `tick`. The future of
    /// two counters is the same if these and all other fields are equal.
    pub(super) fn phase(&self, tick: u64) -> (Span, Option<Span>) {
        let (present, _) = self.span_at(tick);
        let since = if present.rule == Rule::Hold { 0 } else { tick.wrapping_sub(present.from) };
        let next = self.next.filter(|next| next.from > tick);
        let next = next.map(|next| Span { from: next.from - tick, ..next });
        (Span { from: since, ..present }, next)
    }

    fn load_at(&mut self, from: u64, high: bool) {
        let rule = self.running_rule();
        // Mode 3 counts by two and loads an even number.
        let count = if rule == Rule::Hold && self.mode == 3 { self.count() & !1 } else { self.count() };
        self.next = Some(Span { from, rule, count, high, expired: false, bcd: self.bcd });
    }

    /// Returns the rule of this mode at the current level of GATE.
    fn running_rule(&self) -> Rule {
        match self.mode {
            0 | 4 | 2 | 3 if !self.gate => Rule::Hold,
            0 | 1 => Rule::OneShot,
            2 => Rule::Rate,
            3 => Rule::Square,
            _ => Rule::Strobe,
        }
    }

    fn hold(&mut self, element: u32, high: bool, tick: u64) {
        self.next = None;
        self.present =
            Span { from: tick, rule: Rule::Hold, count: element, high, expired: false, bcd: self.bcd };
    }

    /// Replaces the current span by the next when its start has been reached.
    fn settle(&mut self, tick: u64) {
        if let Some(next) = self.next.filter(|next| next.from <= tick) {
            self.present = next;
            self.next = None;
            self.null_count = false;
        }
    }

    /// Returns the span that is valid at `tick`, and the tick at which it ends.
    fn span_at(&self, tick: u64) -> (Span, u64) {
        match self.next {
            Some(next) if next.from <= tick => (next, u64::MAX),
            Some(next) => (self.present, next.from),
            None => (self.present, u64::MAX),
        }
    }

    fn readable(&self, tick: u64) -> u16 {
        let element = self.present.element(tick) % self.modulus();
        if self.bcd { to_bcd(element) } else { element as u16 }
    }

    fn modulus(&self) -> u32 {
        modulus(self.bcd)
    }
}

/// Converts from BCD. A digit above 9 counts with its weight.
fn from_bcd(value: u16) -> u32 {
    (0..4).rev().fold(0, |sum, digit| sum * 10 + u32::from(value >> (4 * digit) & 0xF))
}

fn to_bcd(value: u32) -> u16 {
    (0..4).fold(0, |word, digit| word | ((value / 10_u32.pow(digit) % 10) as u16) << (4 * digit))
}
