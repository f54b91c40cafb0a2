//! Detects whether the program waits for a key.
//!
//! It does if a stub of INT 16h or DOS has halted for a key. A program that polls without a key for
//! 100 ms waits if only a key can end its loop (see [`super::look_ahead`]). Keys that are still on
//! their way from the keyboard end the wait.

use super::identity::parts::Parts;
use super::stop::{Polls, Stop};
use crate::bios::keyboard;
use crate::dos::Dos;
use crate::firmware::{PAUSE_TRAP, Resume};
use crate::hardware::{Hardware, SavedHardware};
use oxbox_cpu::{Cpu, Registers};
use serde::{Deserialize, Serialize};

/// Virtual nanoseconds for which a program polls without a key before its loop is checked.
const POLLING_NS: u64 = 100_000_000;

/// A program that has polled within this time reads keys, in nanoseconds.
const RECENTLY_NS: u64 = 3_000_000_000;

/// The vector of the mouse driver.
pub(super) const MOUSE: u8 = 0x33;

/// Whether the current run is a run ahead, which is discarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LookAhead {
    /// A real run.
    No,
    /// A run ahead that stops at each poll for a key.
    ToPolls,
    /// A run ahead that does not stop at polls.
    PastPolls,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeyWaitDetector {
    /// Set if a stub has halted for a key (or for redirected input).
    waiting: Option<Wait>,
    /// First and latest poll without a key since the last key or wait, in nanoseconds.
    polls: Option<(u64, u64)>,
    /// The cycle up to which a program that polls does not wait. Derived; found again if unknown.
    #[serde(skip)]
    pub(super) busy_until: u64,
    /// The cycles between which a program that polls is known to compute and draw. Derived as well.
    #[serde(skip)]
    pub(super) open: (u64, u64),
    /// The number of reads of port 60h by the BIOS's own IRQ 1 routine.
    bios_reads: u64,
    /// First and latest read of only the shift keys, in nanoseconds: the program has read no other
    /// key since. For keys of a script; not part of the state.
    #[serde(skip)]
    flag_polls: Option<(u64, u64)>,
    /// The number of reads of shift keys and mouse buttons, for a script's keys. Not in the state.
    #[serde(skip)]
    state_polls: u64,
    /// The last poll without a key, in nanoseconds.
    #[serde(skip)]
    last_poll: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Poll {
    Key,
    Mouse,
}

impl Poll {
    /// Whether each poll of this kind counts as a wait.
    pub(super) fn counts(self, polls: Polls) -> bool {
        matches!((self, polls), (Poll::Key, Polls::Keys) | (Poll::Mouse, Polls::Mouse))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Wait {
    Key,
    Input,
}

impl KeyWaitDetector {
    /// Called before a trap is served: records a poll that finds no key, and returns its kind.
    pub(super) fn poll(&mut self, vector: u8, cpu: &Cpu, hw: &Hardware) -> Option<Poll> {
        if vector == 0x09 {
            self.bios_reads += 1;
        }
        self.follow_flag_polls(vector, cpu, hw);
        if !asks_for_key(vector, cpu) {
            return None;
        }
        if keyboard::peek(hw).is_some() {
            self.polls = None;
            return None;
        }
        let now = hw.clock.nanoseconds(cpu.cycles);
        let (first, _) = self.polls.unwrap_or((now, now));
        self.polls = Some((first, now));
        self.last_poll = Some(now);
        Some(if vector == MOUSE { Poll::Mouse } else { Poll::Key })
    }

    /// Like [`KeyWaitDetector::poll`] for INT 16h, unless the program has polled for so long that its loop
    /// has to be checked. Returns false, with nothing done, in that case.
    pub(super) fn poll_at_once(&mut self, cpu: &Cpu, hw: &Hardware) -> bool {
        let now = hw.clock.nanoseconds(cpu.cycles);
        let is_plain = self.polls.is_none_or(|(first, _)| now - first < POLLING_NS);
        if is_plain {
            self.poll(0x16, cpu, hw);
        }
        is_plain
    }

    fn follow_flag_polls(&mut self, vector: u8, cpu: &Cpu, hw: &Hardware) {
        let asks_for_state = matches!((vector, cpu.regs.ah()), (0x16, 0x02 | 0x12))
            || vector == MOUSE && asks_for_key(vector, cpu);
        self.state_polls += u64::from(asks_for_state);
        match (vector, cpu.regs.ah()) {
            (0x16, 0x02 | 0x12) => {
                let now = hw.clock.nanoseconds(cpu.cycles);
                self.flag_polls = match self.flag_polls {
                    Some((first, latest)) if now - latest < POLLING_NS => Some((first, now)),
                    _ => Some((now, now)),
                };
            }
            (0x16, _) => self.flag_polls = None,
            _ if asks_for_key(vector, cpu) => self.flag_polls = None,
            _ => {}
        }
    }

    /// Whether the program has read only the shift keys for 100 ms, and still does.
    pub(super) fn flags_polled(&self, hw: &Hardware) -> bool {
        self.flag_polls.is_some_and(|(first, latest)| {
            latest - first >= POLLING_NS && hw.nanoseconds().saturating_sub(latest) < POLLING_NS
        })
    }

    /// Whether the program reads port 60h itself, more often than a routine that reads it once and
    /// leaves the rest to the BIOS.
    pub(super) fn ports_read(&self, hw: &Hardware) -> bool {
        hw.keyboard.guest_reads() > self.bios_reads + 4
    }

    /// Returns how often the program has read keys itself: port 60h, the shift keys, the mouse.
    pub(super) fn key_reads(&self, hw: &Hardware) -> u64 {
        hw.keyboard.guest_reads().saturating_sub(self.bios_reads) + self.state_polls
    }

    /// Called after a trap has been served, with the guest's continuation.
    pub(super) fn served(&mut self, vector: u8, how: Resume, dos: &Dos) {
        self.waiting = match (vector, how) {
            (0x16 | PAUSE_TRAP, Resume::Wait) => Some(Wait::Key),
            (0x20..=0x30, Resume::Wait) if dos.waiting_for_fed_input() => Some(Wait::Input),
            (0x20..=0x30, Resume::Wait) if dos.waiting_for_input() => Some(Wait::Key),
            // Timed interrupts while a stub waits do not end its wait; a served key does.
            (0x08 | 0x09 | 0x15 | 0x1C | 0x28 | 0x70, _) => self.waiting,
            _ => None,
        };
        if self.waiting.is_some() {
            self.polls = None;
        }
    }

    /// Returns a stop if the halted machine is in a wait to stop for.
    pub(super) fn stop(&self, key_wait: bool, hw: &Hardware) -> Option<Stop> {
        match self.waiting? {
            Wait::Input => Some(Stop::InputWait),
            Wait::Key => (key_wait && quiet(hw)).then_some(Stop::KeyWait),
        }
    }

    /// Returns the start of the current series of polls without a key, in nanoseconds.
    pub(super) fn polls_in_vain_since(&self) -> Option<u64> {
        self.polls.map(|(first, _)| first)
    }

    /// Whether the program has polled without a key within the last 3 s.
    pub(super) fn has_polled(&self, hw: &Hardware) -> bool {
        self.last_poll.is_some_and(|last| hw.nanoseconds().saturating_sub(last) < RECENTLY_NS)
    }

    pub(super) fn forget_polls(&mut self) {
        self.polls = None;
    }

    /// Whether the program waits for a key or for input.
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// Returns a stop if the program has polled without a key for long enough to check its loop.
    pub(super) fn polled_long_enough(&mut self, hw: &Hardware) -> Option<Stop> {
        let (first, latest) = self.polls?;
        if latest - first < POLLING_NS || !quiet(hw) {
            return None;
        }
        self.polls = None;
        Some(Stop::KeyWait)
    }
}

/// The current run's polls as choice points. Not part of the state.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The choice point at which the user does nothing.
    pub(super) left: Option<Box<Left>>,
    /// Polls before this cycle are not choice points.
    pub(super) none_before: u64,
    /// The polls without a key since this time, in nanoseconds, are a wait.
    pub(super) wait_since: Option<u64>,
    /// Whether the run stopped at a choice point.
    pub(super) is_at: bool,
    /// Whether the run stopped at a wait that only the mouse ends.
    pub(super) is_for_mouse: bool,
    /// Whether a key was typed at a choice point.
    pub(super) after_key: bool,
}

/// The state at a poll at which no key is typed.
#[derive(Debug)]
pub(super) struct Left {
    pub(super) registers: Registers,
    pub(super) hardware: SavedHardware,
    /// The low word of the tick count.
    pub(super) ticks: u16,
    /// The parts of the registers that were made canonical there.
    pub(super) canonical: Parts,
}

impl Places {
    /// Discards the choice points, because the machine is in another state.
    pub(super) fn forget(&mut self) {
        *self = Places::default();
    }

    /// Whether the time at which a key is read is a choice point.
    pub(super) fn follow_a_key(&self) -> bool {
        self.after_key
    }
}

/// Whether no key is on its way to the program.
pub(super) fn quiet(hw: &Hardware) -> bool {
    keyboard::peek(hw).is_none() && hw.keyboard.is_idle()
}

/// Whether a service is work, which a program that waits for a key does not do.
pub(super) fn is_work(vector: u8, cpu: &Cpu, hw: &mut Hardware, dos: &Dos) -> bool {
    match vector {
        0x13 | 0x14 | 0x17 | 0x19 | 0x20 | 0x22..=0x27 | 0x2E => true,
        0x21 => dos.is_work(&cpu.regs, hw),
        _ => false,
    }
}

/// Whether a service polls for a key: INT 33h of the mouse; INT 16h AH=01h and 11h; INT 21h AH=06h
/// with DL=FFh, 0Bh, and 4406h of a console handle.
pub(super) fn asks_for_key(vector: u8, cpu: &Cpu) -> bool {
    match (vector, cpu.regs.ah()) {
        (0x16, 0x01 | 0x11) => true,
        (0x21, 0x06) => cpu.regs.dl() == 0xFF,
        (0x21, 0x0B) => true,
        (0x21, 0x44) => cpu.regs.al() == 0x06,
        // Reads of the mouse's position and buttons: 03h, 05h, 06h, 0Bh.
        (MOUSE, 0x00) => matches!(cpu.regs.al(), 0x03 | 0x05 | 0x06 | 0x0B),
        _ => false,
    }
}
