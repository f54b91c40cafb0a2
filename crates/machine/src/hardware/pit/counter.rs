//! One counter of the 8254: control word, count register, latches, gate and OUT.
//!
//! Ticks are absolute and never run backwards between calls. A count that was written, or a rise of GATE, takes
//! effect at a later tick: then two spans are known, the present one and the next. Source: Intel's data sheet
//! 231164.

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
    /// Bits 5 to 0 of the control word as they were written: the status tells modes 6 and 7 from 2 and 3.
    control: u8,
    bcd: bool,
    access: Access,
    gate: bool,
    /// The count register: what was last written.
    count_register: u16,
    /// A whole count has been written since the control word.
    written: bool,
    /// What was written has not reached the counting element.
    null_count: bool,
    /// The first of two bytes has been written.
    low_byte: Option<u8>,
    /// The second of two bytes is read next.
    high_next: bool,
    latched_count: Option<u16>,
    latched_status: Option<u8>,
    present: Span,
    next: Option<Span>,
}

impl Counter {
    /// After power-on the mode and count of an 8254 are undefined: here mode 3, and no count yet.
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

    /// What was last written as a count, in ticks: 1 to 65536 (10000 in BCD).
    pub(crate) fn count(&self) -> u32 {
        let count = if self.bcd { from_bcd(self.count_register) } else { u32::from(self.count_register) };
        if count == 0 { self.modulus() } else { count }
    }

    /// The period in ticks of the tone or rate that is programmed and not stopped by GATE (modes 2 and 3).
    pub(crate) fn tone(&self) -> Option<u32> {
        (matches!(self.mode, 2 | 3) && self.gate && self.written).then(|| self.count())
    }

    /// Level of OUT at `tick`.
    pub(crate) fn out(&self, tick: u64) -> bool {
        self.span_at(tick).0.out(tick)
    }

    /// Level of OUT as the processor reads it at `tick`.
    pub(crate) fn out_as_read(&self, tick: u64) -> bool {
        self.as_read(tick).out(tick)
    }

    /// The counter as the processor finds it. A bus cycle to this chip takes about a tick on a PC (six clocks of 8 MHz and the pause
    /// behind them), so a load that is due at the next tick has been made when the next instruction reads.
    fn as_read(&self, tick: u64) -> Counter {
        let is_load = match self.mode {
            2 | 3 => self.present.rule == Rule::Hold, // else the load waits for the end of a period
            4 => self.null_count,                     // else GATE is back within the strobe
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

    /// OUT from `tick` on, and the tick up to which this is all of the truth.
    pub(crate) fn wave(&self, tick: u64) -> (Wave, u64) {
        let (span, end) = self.span_at(tick);
        let (wave, until) = span.wave(tick);
        (wave, until.min(end))
    }

    /// A tick after `tick` before which OUT does not change.
    pub(crate) fn steady_until(&self, tick: u64) -> u64 {
        let (wave, until) = self.wave(tick);
        wave.next_change().map_or(until, |ticks| until.min(tick + ticks))
    }

    /// The first tick after `tick` at which OUT rises.
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

    /// How many times OUT rises in the ticks after `from`, up to and with `to`.
    pub(crate) fn rises(&self, from: u64, to: u64) -> u64 {
        let (span, end) = self.span_at(from);
        if to < end {
            return span.rises(from, to + 1);
        }
        let Some(next) = self.next else { return 0 };
        let at_change = u64::from(!span.out(end - 1) && next.out(end));
        span.rises(from, end) + at_change + next.rises(end, to + 1)
    }

    /// A control word with bits 5 and 4 other than 00 arrives: the counter waits for a count.
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

    /// A byte of a count arrives.
    pub(super) fn write(&mut self, value: u8, tick: u64) {
        self.settle(tick);
        match (self.access, self.low_byte.take()) {
            (Access::Low, _) => self.write_count(u16::from(value), tick),
            (Access::High, _) => self.write_count(u16::from(value) << 8, tick),
            (Access::LowHigh, Some(low)) => self.write_count(u16::from_le_bytes([low, value]), tick),
            (Access::LowHigh, None) => {
                self.low_byte = Some(value);
                if self.mode == 0 {
                    // The first byte stops the counter and takes OUT low at once.
                    self.hold(self.present.element(tick), false, tick);
                }
            }
        }
    }

    /// The counter-latch command: what was latched before and not yet read stays.
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

    /// Drives GATE.
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

    /// Modes 0 and 4: a low GATE only keeps the counter from counting.
    fn pause_or_resume(&mut self, tick: u64) {
        let rule = self.running_rule();
        if let Some(next) = &mut self.next {
            if self.null_count {
                // The load that is on its way is made all the same.
                next.rule = rule;
            } else {
                // GATE is back within the tick of the strobe: no tick was lost.
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
            // GATE does not cut the strobe short: it ends with this tick.
            self.next = Some(Span { from: tick + 1, ..span });
        } else {
            self.present = span;
        }
    }

    /// Modes 2 and 3: a low GATE stops the counter and takes OUT high at once.
    fn stop(&mut self, tick: u64) {
        if self.next.is_some() && self.present.rule == Rule::Hold {
            // The load that is on its way is made all the same.
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
                // A trigger that is on its way loads the newer count.
                if let Some(next) = self.next {
                    self.load_at(next.from, true);
                }
            }
            4 => self.load_at(tick + 1, true),
            _ if first => self.load_at(tick + 1, true),
            _ => self.load_at_end_of_cycle(tick),
        }
    }

    /// Modes 2 and 3, a new count while an old one counts.
    fn load_at_end_of_cycle(&mut self, tick: u64) {
        match self.next {
            // The load that is on its way takes the newer count.
            Some(next) => self.load_at(next.from, next.high),
            None if self.present.rule == Rule::Hold => {}
            None => {
                let (end, high) = self.present.end_of_cycle(tick);
                self.load_at(end, high);
            }
        }
    }

    fn load_at(&mut self, from: u64, high: bool) {
        let rule = self.running_rule();
        // Mode 3 counts by two and loads an even number.
        let count = if rule == Rule::Hold && self.mode == 3 { self.count() & !1 } else { self.count() };
        self.next = Some(Span { from, rule, count, high, expired: false, bcd: self.bcd });
    }

    /// The rule of this mode, as GATE stands.
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

    /// Lets the next span become the present one when its time has come.
    fn settle(&mut self, tick: u64) {
        if let Some(next) = self.next.filter(|next| next.from <= tick) {
            self.present = next;
            self.next = None;
            self.null_count = false;
        }
    }

    /// The span that holds at `tick`, and the tick at which it ends.
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

/// Digits beyond 9 count for what they weigh.
fn from_bcd(value: u16) -> u32 {
    (0..4).rev().fold(0, |sum, digit| sum * 10 + u32::from(value >> (4 * digit) & 0xF))
}

fn to_bcd(value: u32) -> u16 {
    (0..4).fold(0, |word, digit| word | ((value / 10_u32.pow(digit) % 10) as u16) << (4 * digit))
}
