//! The keyboard: its buffer, its commands and its answers.
//!
//! Codes are kept in the form in which they will arrive at port 60h. Source: IBM PS/2 Technical
//! Reference, "Keyboard (101- and 102-key)".

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::scancode;
use super::typematic::{self, Typematic};

/// Capacity of the keyboard's buffer in codes.
const BUFFER: usize = 16;

/// One byte on the serial line: 11 bits at about 11 kHz.
const BYTE_NS: u64 = 1_000_000;

/// Duration of the basic assurance test after a reset.
const SELF_TEST_NS: u64 = 500_000_000;

const ACKNOWLEDGE: u8 = 0xFA;
const RESEND: u8 = 0xFE;
const PASSED: u8 = 0xAA;

/// A byte for the controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Queued {
    value: u8,
    not_before: u64,
    /// Whether it is an answer to a command rather than a key.
    answer: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Device {
    queue: VecDeque<Queued>,
    /// The instant from which the serial line is free.
    free_at: u64,
    scanning: bool,
    lights: u8,
    /// Typematic byte: bits 5 and 6 the delay, bits 0 to 4 the rate.
    typematic: u8,
    held: Typematic,
    scan_code_set: u8,
    /// The command whose parameter follows.
    parameter_of: Option<u8>,
    last_sent: u8,
}

impl Device {
    pub(super) fn new() -> Self {
        Device {
            queue: VecDeque::new(),
            free_at: 0,
            scanning: true,
            lights: 0,
            typematic: typematic::DEFAULT,
            held: Typematic::default(),
            scan_code_set: 2,
            parameter_of: None,
            last_sent: 0,
        }
    }

    /// Whether the queue holds only codes of released keys, in set 1.
    pub(super) fn only_releases(&self) -> bool {
        const PREFIX: u8 = 0xE0;
        const PAUSE: u8 = 0xE1;
        let is_release = |code: u8| code == PREFIX || code & 0x80 != 0 && code != PAUSE;
        self.queue.iter().all(|queued| !queued.answer && is_release(queued.value))
    }

    /// Ends the transmission of the last code, if no other follows.
    pub(super) fn free_line(&mut self) {
        if self.queue.is_empty() {
            self.free_at = 0;
        }
    }

    /// Takes all codes out of the queue.
    pub(super) fn take_queue(&mut self) -> Vec<u8> {
        self.queue.drain(..).map(|queued| queued.value).collect()
    }

    #[cfg(test)]
    pub(super) fn lights(&self) -> u8 {
        self.lights
    }

    #[cfg(test)]
    pub(super) fn typematic(&self) -> u8 {
        self.typematic
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    #[cfg(test)]
    pub(super) fn room(&self) -> usize {
        BUFFER.saturating_sub(self.keys())
    }

    fn keys(&self) -> usize {
        self.queue.iter().filter(|queued| !queued.answer).count()
    }

    pub(super) fn set_typematic(&mut self, typematic: u8) {
        self.typematic = typematic & 0x7F;
    }

    /// The instant at which the held key repeats.
    pub(super) fn repetition_due(&self) -> Option<u64> {
        self.held.due()
    }

    /// Queues one repeat of the held key. If the buffer is full, skips its repeats up to `ns`.
    pub(super) fn repeat(&mut self, translated: bool, ns: u64) {
        if self.keys() >= BUFFER {
            return self.held.skip_to(self.typematic, ns);
        }
        let due = self.held.due().unwrap_or(ns);
        for code in self.held.repeat(self.typematic) {
            self.push_code(code, translated, due);
        }
    }

    /// Queues a key's code in set 1. If the buffer is full, the overrun code follows the last one
    /// and later codes are lost. Returns whether the code was queued.
    pub(super) fn send(&mut self, code: u8, translated: bool, ns: u64) -> bool {
        if !self.scanning {
            return false;
        }
        self.held.follow(code, self.typematic, ns);
        let keys = self.keys();
        if keys < BUFFER {
            self.push_code(code, translated, 0);
        } else if keys == BUFFER {
            self.push_key(if translated { 0xFF } else { 0x00 }, 0);
        }
        keys < BUFFER
    }

    fn push_code(&mut self, code: u8, translated: bool, not_before: u64) {
        if translated {
            self.push_key(code, not_before);
        } else {
            scancode::to_set_2(code).for_each(|code| self.push_key(code, not_before));
        }
    }

    /// The arrival time of the next byte.
    pub(super) fn due(&self) -> Option<u64> {
        self.queue.front().map(|queued| queued.not_before.max(self.free_at))
    }

    /// Removes the next byte, which arrives at `ns`.
    pub(super) fn take(&mut self, ns: u64) -> Option<u8> {
        let value = self.queue.pop_front()?.value;
        self.last_sent = value;
        self.space_from(ns);
        Some(value)
    }

    /// Keeps the line busy for the time of one byte from `ns`.
    pub(super) fn space_from(&mut self, ns: u64) {
        self.free_at = self.free_at.max(ns.saturating_add(BYTE_NS));
    }

    /// Receives a command or a parameter.
    pub(super) fn write(&mut self, value: u8, translated: bool, ns: u64) {
        match self.parameter_of.take() {
            // A value from EDh is a new command rather than a parameter.
            Some(command) if value < 0xED => self.parameter(command, value, translated, ns),
            _ => self.command(value, translated, ns),
        }
    }

    fn command(&mut self, command: u8, translated: bool, ns: u64) {
        match command {
            0xED | 0xF0 | 0xF3 => {
                self.parameter_of = Some(command);
                self.answer(&[ACKNOWLEDGE], ns);
            }
            0xEE => self.answer(&[0xEE], ns),
            // The identification AB 83; the controller translates 83 to 41.
            0xF2 => self.answer(&[ACKNOWLEDGE, 0xAB, if translated { 0x41 } else { 0x83 }], ns),
            0xF4 => {
                self.queue.clear();
                self.scanning = true;
                self.answer(&[ACKNOWLEDGE], ns);
            }
            0xF5 | 0xF6 => {
                self.set_defaults();
                self.scanning = command == 0xF6;
                self.answer(&[ACKNOWLEDGE], ns);
            }
            // Make, break and typematic of all keys: they only affect scan code set 3.
            0xF7..=0xFA => self.answer(&[ACKNOWLEDGE], ns),
            0xFB..=0xFD => {
                self.parameter_of = Some(command);
                self.answer(&[ACKNOWLEDGE], ns);
            }
            0xFE => self.answer(&[self.last_sent], ns),
            0xFF => {
                self.set_defaults();
                self.scanning = true;
                self.lights = 0;
                self.answer(&[ACKNOWLEDGE], ns);
                self.push_answer(PASSED, ns.saturating_add(SELF_TEST_NS));
            }
            _ => self.answer(&[RESEND], ns),
        }
    }

    fn parameter(&mut self, command: u8, value: u8, translated: bool, ns: u64) {
        match command {
            0xED => self.lights = value & 7,
            0xF3 => self.typematic = value & 0x7F,
            0xF0 if value == 0 => {
                let set = if translated {
                    scancode::set_number_translated(self.scan_code_set)
                } else {
                    self.scan_code_set
                };
                return self.answer(&[ACKNOWLEDGE, set], ns);
            }
            0xF0 if value <= 3 => self.scan_code_set = value,
            0xF0 => return self.answer(&[RESEND], ns),
            // FBh to FDh name a key of scan code set 3.
            _ => {}
        }
        self.answer(&[ACKNOWLEDGE], ns);
    }

    fn set_defaults(&mut self) {
        self.queue.clear();
        self.typematic = typematic::DEFAULT;
        self.held.stop();
        self.scan_code_set = 2;
    }

    /// Replaces the answers that wait. The new ones go before the keys that wait, and arrive one
    /// byte's time after the command.
    fn answer(&mut self, bytes: &[u8], ns: u64) {
        self.queue.retain(|queued| !queued.answer);
        for (index, &value) in bytes.iter().enumerate() {
            self.queue.insert(index, Queued { value, not_before: ns.saturating_add(BYTE_NS), answer: true });
        }
    }

    fn push_answer(&mut self, value: u8, not_before: u64) {
        self.queue.push_back(Queued { value, not_before, answer: true });
    }

    fn push_key(&mut self, value: u8, not_before: u64) {
        self.queue.push_back(Queued { value, not_before, answer: false });
    }
}
