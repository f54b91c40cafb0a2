//! Whether the program waits for a key.
//!
//! It does when a stub of INT 16h or DOS has halted for one, or when it has asked for one in vain for 100 ms, with no
//! pause of 100 ms between two questions, and does nothing else (see [`super::look_ahead`]). Keys that are still on their way from the keyboard end the wait by themselves.

use super::stop::Stop;
use crate::bios::keyboard;
use crate::cpu::Cpu;
use crate::dos::Dos;
use crate::firmware::Resume;
use crate::hardware::Hardware;
use serde::{Deserialize, Serialize};

/// How long a program polls before it is taken to wait, in nanoseconds of virtual time.
const POLLING_NS: u64 = 100_000_000;

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
    /// First and latest poll in vain of the present series, in nanoseconds.
    polls: Option<(u64, u64)>,
    /// The cycle up to which a program that polls is known to work: derived, found again when it is not known.
    #[serde(skip)]
    pub(super) works_until: u64,
    /// How often the BIOS's own IRQ 1 routine has read port 60h.
    bios_reads: u64,
    /// First and latest question for the shift keys alone, in nanoseconds: the program has asked for no other key since. About the
    /// keys of a script, no state.
    #[serde(skip)]
    flag_polls: Option<(u64, u64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Wait {
    Key,
    Input,
}

impl KeyWatch {
    /// A trap is about to be served: notes whether it polls for a key that is not there.
    pub(super) fn poll(&mut self, vector: u8, cpu: &Cpu, hw: &Hardware) -> bool {
        if vector == 0x09 {
            self.bios_reads += 1;
        }
        self.follow_flag_polls(vector, cpu, hw);
        if !asks_for_key(vector, cpu) {
            return false;
        }
        if keyboard::peek(hw).is_some() {
            self.polls = None;
            return false;
        }
        let now = hw.clock.nanoseconds(cpu.cycles);
        self.polls = match self.polls {
            Some((first, latest)) if now - latest < POLLING_NS => Some((first, now)),
            _ => Some((now, now)),
        };
        true
    }

    fn follow_flag_polls(&mut self, vector: u8, cpu: &Cpu, hw: &Hardware) {
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
    }

    /// The machine is halted: whether that is a wait to stop for.
    pub(super) fn stop(&self, key_wait: bool, hw: &Hardware) -> Option<Stop> {
        match self.waiting? {
            Wait::Input => Some(Stop::InputWait),
            Wait::Key => (key_wait && quiet(hw)).then_some(Stop::KeyWait),
        }
    }

    /// As if the program had not polled yet.
    pub(super) fn forget_polls(&mut self) {
        self.polls = None;
    }

    /// The program waits for a key or for input.
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// The program has polled in vain: whether for long enough.
    pub(super) fn polled_long_enough(&mut self, hw: &Hardware) -> Option<Stop> {
        let (first, latest) = self.polls?;
        if latest - first < POLLING_NS || !quiet(hw) {
            return None;
        }
        self.polls = None;
        Some(Stop::KeyWait)
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
