//! Whether a program that polls for a key waits for one: what would it do if none came?
//!
//! Programs poll to wait, and they poll for Ctrl-C in the middle of work. No poll tells the two apart, but what comes next does. So the
//! machine runs on without a key, and goes back. A program waits
//! - that comes round to its poll with the same registers and the same memory: it could do so for ever;
//! - that comes round to it with others, which decide nothing in its loop (see [`super::identity::round`]);
//! - that has done nothing but compute and draw by the end of [`LOOK_AHEAD_MS`], however it animates its screen meanwhile.
//!
//! A program works that ends within that time, goes to a file or a device other than the console, asks for memory or starts another
//! program. It is stopped before it does so, hence nothing reaches the host twice; and it is left alone up to that instant.

use super::identity::followed::Decodings;
use super::identity::round::Varying;
use super::pc::Machine;
use super::snapshot::Snapshot;
use super::stop::{Stop, Until};
use super::wait::LookAhead;
use crate::bios::data::CLOCK;
use crate::cpu::Registers;
use crate::firmware;

/// How far ahead is looked, in milliseconds of virtual time.
const LOOK_AHEAD_MS: u64 = 3000;

/// Polls at which memory is compared with that of the first: a wait has come round by then.
const MOST_ROUNDS: u32 = 16;

/// Rounds that are followed until no more differs at the end of one than at its beginning.
const MOST_FOLLOWED: usize = 4;

/// Instructions of a circle, at most; an interrupt may come among them.
const LONGEST_CIRCLE: u32 = 512;

impl Machine {
    /// Whether the program, which has polled in vain for long enough, waits.
    pub(super) fn waits_for_key(&mut self) -> bool {
        if self.cpu.cycles < self.keys.works_until {
            return false;
        }
        let works = self.ahead(Machine::works_before);
        if let Some(cycle) = works {
            self.keys.works_until = cycle;
        }
        works.is_none()
    }

    /// Whether the program goes round in a circle that nothing but a key or the mouse ends: it comes back to the same instruction with
    /// the same registers and the same memory, and so it does by the end of what is looked at. It may read the keyboard's flags at
    /// 0040:0017.
    pub(super) fn spins(&mut self) -> bool {
        if self.cpu.cycles < self.keys.works_until {
            return false;
        }
        self.ahead(|machine, end, here| {
            machine.comes_back_to(here)
                && matches!(machine.run(&Until::cycle(end), &mut ()), Stop::Cycle)
                && machine.comes_to(&here.cpu.regs)
                && {
                    // Interrupts have left their traces below the stack meanwhile.
                    let there = machine.snapshot();
                    machine.comes_back_to(&there)
                }
        })
    }

    /// Runs on with a copy of everything, up to the end that it is told.
    fn ahead<T>(&mut self, look: impl FnOnce(&mut Machine, u64, &Snapshot) -> T) -> T {
        let here = self.snapshot();
        let told = (self.notices.len(), self.missing, self.missed_coprocessor, self.interrupted_at);
        let allowance = self.allowance;
        // What a run that is thrown away looks at, nobody has looked at.
        let (watch, ports) = (std::mem::take(&mut self.watch), self.hardware.pause_watch());
        self.look_ahead = LookAhead::ToPolls;
        let cycles = LOOK_AHEAD_MS * u64::from(self.speed());
        let end = self.cpu.cycles.saturating_add(cycles);
        self.allow_work_of(cycles);
        let seen = look(self, end, &here);
        self.look_ahead = LookAhead::No;
        self.restore(&here);
        self.allowance = allowance;
        self.watch = watch;
        self.hardware.resume_watch(ports);
        self.notices.truncate(told.0);
        (self.missing, self.missed_coprocessor, self.interrupted_at) = (told.1, told.2, told.3);
        seen
    }

    /// Runs on until it is as it was then, but for the clock; false when it does not come back soon.
    fn comes_back_to(&mut self, here: &Snapshot) -> bool {
        (0..MOST_ROUNDS).any(|_| {
            self.steps_on()
                && self.comes_to(&here.cpu.regs)
                && self.hardware.remembers(&here.hardware, &CLOCK)
        })
    }

    /// Runs on until the registers hold this; false when they do not soon.
    fn comes_to(&mut self, registers: &Registers) -> bool {
        (0..LONGEST_CIRCLE).any(|_| self.cpu.regs == *registers || !self.steps_on())
            && self.cpu.regs == *registers
    }

    /// Executes an instruction; false when the machine stops for another reason.
    fn steps_on(&mut self) -> bool {
        let next = Until { instructions: self.cpu.retired + 1, ..Until::cycle(u64::MAX) };
        matches!(self.run(&next, &mut ()), Stop::Instructions | Stop::KeyWait)
    }

    /// The cycle at which the program shows that it works, if it does so before `end`.
    fn works_before(&mut self, end: u64, here: &Snapshot) -> Option<u64> {
        let mut rounds = 0;
        loop {
            match self.run(&Until::cycle(end), &mut ()) {
                // The next poll.
                Stop::KeyWait => {
                    if self.cpu.regs == here.cpu.regs && self.hardware.remembers(&here.hardware, &CLOCK) {
                        return None;
                    }
                    rounds += 1;
                    if rounds == MOST_ROUNDS {
                        let polled = self.snapshot();
                        if self.goes_round_for_ever() {
                            return None;
                        }
                        self.restore(&polled);
                        self.look_ahead = LookAhead::PastPolls;
                    }
                }
                Stop::Cycle if self.cpu.cycles >= end => return None,
                Stop::InputWait => return None,
                _ => return Some(self.cpu.cycles),
            }
        }
    }

    /// Whether the loop in which the program polls is left by nothing but a key: what differs from round to round decides nothing.
    fn goes_round_for_ever(&mut self) -> bool {
        let before = self.snapshot();
        if !matches!(self.run(&Until::cycle(u64::MAX), &mut ()), Stop::KeyWait) {
            return false;
        }
        let differing = self.hardware.unlike(&before.hardware);
        let registers = [&before.cpu.regs, &self.cpu.regs];
        let varying = Varying::between(registers, differing, &self.cpu, &self.hardware);
        let Some(mut varying) = varying else { return false };
        let mut decodings = Decodings::default();
        for _ in 0..MOST_FOLLOWED {
            let start = self.snapshot();
            let Some(end) = self.varies_at_the_end(varying.clone(), &mut decodings) else { return false };
            if end.is_within(&varying) {
                let registers = [&start.cpu.regs, &self.cpu.regs];
                return varying.explains(registers, self.hardware.unlike(&start.hardware));
            }
            varying.extend(&end);
        }
        false
    }

    /// Goes to the next poll; what differs there, if this differs here. Nothing when that may decide on the way.
    fn varies_at_the_end(&mut self, mut varying: Varying, decodings: &mut Decodings) -> Option<Varying> {
        for _ in 0..LONGEST_CIRCLE {
            let is_program = self.cpu.regs.cs() != firmware::ROM_SEGMENT;
            if is_program && !varying.follow(decodings, &self.cpu, &self.hardware) {
                return None;
            }
            let next = Until { instructions: self.cpu.retired + 1, ..Until::cycle(u64::MAX) };
            match self.run(&next, &mut ()) {
                Stop::Instructions => {}
                Stop::KeyWait => return Some(varying),
                _ => return None,
            }
        }
        None
    }
}
