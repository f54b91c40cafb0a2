//! Whether the program waits for a key.
//!
//! It does when a stub of INT 16h or DOS has halted for one. A program that polls in vain for 100 ms waits if only a key can
//! end its loop (see [`super::look_ahead`]). Keys that are still on their way from the keyboard end the wait by themselves.

use super::identity::parts::Parts;
use super::stop::{Polls, Stop};
use crate::bios::keyboard;
use crate::dos::Dos;
use crate::firmware::Resume;
use crate::hardware::{Hardware, SavedHardware};
use oxbox_cpu::{Cpu, Registers};
use serde::{Deserialize, Serialize};

/// How long a program polls in vain before its loop is looked at, in nanoseconds of virtual time.
const POLLING_NS: u64 = 100_000_000;

/// A program that has polled within this time asks for keys, in nanoseconds.
const RECENTLY_NS: u64 = 3_000_000_000;

/// Whether what runs is thrown away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LookAhead {
    /// It is real.
    No,
    /// It comes back at each poll for a key.
    ToPolls,
    /// Polls do not stop it.
    PastPolls,
}

/// The waits of the running program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeyWatch {
    /// A stub has halted for a key (or for redirected input).
    waiting: Option<Wait>,
    /// First and latest poll in vain since the last key or wait, in nanoseconds.
    polls: Option<(u64, u64)>,
    /// The cycle up to which a program that polls is known not to wait: derived, found again when it is not known.
    #[serde(skip)]
    pub(super) works_until: u64,
    /// From and up to which cycle a program that polls is known to compute and draw, derived as well.
    #[serde(skip)]
    pub(super) open: (u64, u64),
    /// How often the BIOS's own IRQ 1 routine has read port 60h.
    bios_reads: u64,
    /// First and latest question for the shift keys alone, in nanoseconds: the program has asked for no other key since. About the
    /// keys of a script, no state.
    #[serde(skip)]
    flag_polls: Option<(u64, u64)>,
    /// Questions for the shift keys and for the mouse's buttons. About the keys of a script, no state.
    #[serde(skip)]
    state_polls: u64,
    /// The last poll in vain, in nanoseconds.
    #[serde(skip)]
    last_poll: Option<u64>,
}

/// What a poll asks for.
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

impl KeyWatch {
    /// A trap is about to be served: notes whether it polls for a key that is not there, and tells what it polls.
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
        Some(if vector == 0x33 { Poll::Mouse } else { Poll::Key })
    }

    fn follow_flag_polls(&mut self, vector: u8, cpu: &Cpu, hw: &Hardware) {
        let asks_for_state = matches!((vector, cpu.regs.ah()), (0x16, 0x02 | 0x12))
            || vector == 0x33 && asks_for_key(vector, cpu);
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

    /// The program has asked for the shift keys, and for no others, for 100 ms, and still does.
    pub(super) fn flags_polled(&self, hw: &Hardware) -> bool {
        self.flag_polls.is_some_and(|(first, latest)| {
            latest - first >= POLLING_NS && hw.nanoseconds().saturating_sub(latest) < POLLING_NS
        })
    }

    /// The program reads port 60h itself, more than a routine does that looks once and leaves the rest to the BIOS.
    pub(super) fn ports_read(&self, hw: &Hardware) -> bool {
        hw.keyboard.guest_reads() > self.bios_reads + 4
    }

    /// How often the program has looked at the keys itself: at port 60h besides the BIOS, at the shift keys, at the mouse.
    pub(super) fn looks(&self, hw: &Hardware) -> u64 {
        hw.keyboard.guest_reads().saturating_sub(self.bios_reads) + self.state_polls
    }

    /// A trap has been served, and the guest goes on so.
    pub(super) fn served(&mut self, vector: u8, how: Resume, dos: &Dos) {
        self.waiting = match (vector, how) {
            (0x16, Resume::Wait) => Some(Wait::Key),
            (0x20..=0x30, Resume::Wait) if dos.waiting_for_fed_input() => Some(Wait::Input),
            (0x20..=0x30, Resume::Wait) if dos.waiting_for_input() => Some(Wait::Key),
            // The interrupts that tick while a stub waits do not end its wait; a served key does.
            (0x08 | 0x09 | 0x15 | 0x1C | 0x28 | 0x70, _) => self.waiting,
            _ => None,
        };
        if self.waiting.is_some() {
            self.polls = None;
        }
    }

    /// The machine is halted: whether that is a wait to stop for.
    pub(super) fn stop(&self, key_wait: bool, hw: &Hardware) -> Option<Stop> {
        match self.waiting? {
            Wait::Input => Some(Stop::InputWait),
            Wait::Key => (key_wait && quiet(hw)).then_some(Stop::KeyWait),
        }
    }

    /// When the present series of polls in vain began, in nanoseconds.
    pub(super) fn polls_in_vain_since(&self) -> Option<u64> {
        self.polls.map(|(first, _)| first)
    }

    /// Whether the program has polled in vain within the last 3 s.
    pub(super) fn has_polled(&self, hw: &Hardware) -> bool {
        self.last_poll.is_some_and(|last| hw.nanoseconds().saturating_sub(last) < RECENTLY_NS)
    }

    /// As if the program had not polled yet.
    pub(super) fn forget_polls(&mut self) {
        self.polls = None;
    }

    /// The program waits for a key or for input.
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// The program has polled in vain: whether for long enough to look at its loop.
    pub(super) fn polled_long_enough(&mut self, hw: &Hardware) -> Option<Stop> {
        let (first, latest) = self.polls?;
        if latest - first < POLLING_NS || !quiet(hw) {
            return None;
        }
        self.polls = None;
        Some(Stop::KeyWait)
    }
}

/// What is known of the polls of the present run as places for a choice, no state.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The place at which the user does nothing.
    pub(super) left: Option<Box<Left>>,
    /// Polls before this cycle are no places.
    pub(super) none_before: u64,
    /// The polls in vain since this instant, in nanoseconds, are a wait.
    pub(super) wait_since: Option<u64>,
    /// The run stopped at a place.
    pub(super) is_at: bool,
    /// A key was typed at a place.
    pub(super) after_key: bool,
}

/// The state at a poll.
#[derive(Debug)]
pub(super) struct Left {
    pub(super) registers: Registers,
    pub(super) hardware: SavedHardware,
    /// What of the registers was made canonical there.
    pub(super) canonical: Parts,
}

impl Places {
    /// The user does nothing at this poll.
    pub(super) fn leave(&mut self, registers: &Registers, hardware: SavedHardware, canonical: Parts) {
        let left = Left { registers: registers.clone(), hardware, canonical };
        *self = Places { left: Some(Box::new(left)), ..Places::default() };
    }

    /// The machine is in another state.
    pub(super) fn forget(&mut self) {
        *self = Places::default();
    }

    /// Whether the moment at which a key is taken is a place.
    pub(super) fn follow_a_key(&self) -> bool {
        self.after_key
    }
}

/// No key is on its way to the program.
pub(super) fn quiet(hw: &Hardware) -> bool {
    keyboard::peek(hw).is_none() && hw.keyboard.is_idle()
}

/// Whether a service is work, which no program does that waits for a key.
pub(super) fn is_work(vector: u8, cpu: &Cpu, hw: &mut Hardware, dos: &Dos) -> bool {
    match vector {
        0x13 | 0x14 | 0x17 | 0x19 | 0x20 | 0x22..=0x27 | 0x2E => true,
        0x21 => dos.is_work(&cpu.regs, hw),
        _ => false,
    }
}

/// INT 33h of the mouse; INT 16h AH=01h and 11h; INT 21h AH=06h with DL=FFh, 0Bh, and 4406h of a console handle.
pub(super) fn asks_for_key(vector: u8, cpu: &Cpu) -> bool {
    match (vector, cpu.regs.ah()) {
        (0x16, 0x01 | 0x11) => true,
        (0x21, 0x06) => cpu.regs.dl() == 0xFF,
        (0x21, 0x0B) => true,
        (0x21, 0x44) => cpu.regs.al() == 0x06,
        // The mouse is asked where it is and what its buttons do: 03h, 05h, 06h, 0Bh.
        (0x33, 0x00) => matches!(cpu.regs.al(), 0x03 | 0x05 | 0x06 | 0x0B),
        _ => false,
    }
}
