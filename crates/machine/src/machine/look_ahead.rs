//! Finds out whether a program that polls for a key waits for one, by running it without a key.
//!
//! Programs poll to wait, and they poll for Ctrl-C during work. A poll does not show which; what
//! follows does. So the machine runs ahead without a key, and is then restored. A program waits
//! - if it returns to its poll with the same registers, memory and screen, and has not read the
//!   time meanwhile: it could continue like that indefinitely;
//! - if it returns to the poll with other values, which do not affect the control flow of its loop
//!   (see [`super::identity::round`]).
//!
//! A program works if it ends, waits elsewhere, accesses a file or a device other than the console,
//! allocates memory or starts another program. The run ahead stops before that, so nothing reaches
//! the host twice; the program is then not checked again before that time. A program that does none
//! of this until the end of [`LOOK_AHEAD_MS`] computes and draws: its later behaviour is unknown.

use super::identity::decodings::Decodings;
use super::identity::parts::{Parts, clear, clear_flags};
use super::identity::round::Varying;
use super::identity::watch::{self, Watch};
use super::pc::Machine;
use super::snapshot::Snapshot;
use super::stop::{Polls, Stop, Until};
use super::wait::{LookAhead, MOUSE};
use crate::bios::data::CLOCK;
use crate::firmware;
use crate::hardware::{SavedHardware, linear};
use oxbox_cpu::Registers;

/// Distance of the run ahead in milliseconds of virtual time.
const LOOK_AHEAD_MS: u64 = 3000;

/// The maximum multiple of that time, for a program that continues to compute.
const MOST_AHEAD: u64 = 32;

/// The number of polls after which the differences between two of them are followed.
const MOST_ROUNDS: u32 = 16;

/// The maximum number of polls at which the state is compared with that of earlier ones.
const MOST_POLLS: u32 = 1 << 14;

/// The maximum number of other kinds of polls within a loop.
const MOST_KINDS: u32 = 8;

/// A loop that reads the timer or the display's retrace, or that runs with a handler of the timer's
/// interrupt, must have repeated for this long, in nanoseconds: four ticks.
const TIMED_ROUND_NS: u64 = 220_000_000;

/// The time until a poll finds a typed key, in nanoseconds: a byte of the keyboard takes a
/// millisecond, a key has up to three.
const KEY_NS: u64 = 3_000_000;

/// Bytes below the stack pointer that interrupts may have written.
const BELOW_STACK: u32 = 2048;

/// Iterations that are followed until one has no more differences at its end than at its beginning.
const MOST_FOLLOWED: usize = 4;

/// The maximum number of instructions in a cycle of the program; an interrupt may come in between.
const LONGEST_CIRCLE: u32 = 512;

/// Returns registers without these parts, in the stub of a service.
fn cleared(registers: &Registers, parts: Parts) -> Registers {
    let mut registers = registers.clone();
    clear(&mut registers, parts);
    registers.flags = clear_flags(registers.flags, Parts::FLAGS);
    registers
}

/// The next action of a program that polls, if no key comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outlook {
    /// Only a key or the mouse ends its loop.
    Waits { asks_for_key: bool },
    /// The program works, or a wait begins, at this cycle.
    Works(u64),
    /// The program computes and draws up to this cycle.
    Open(u64),
}

impl Machine {
    /// Whether the program, which has polled without a key for long enough, waits.
    pub(super) fn waits_for_key(&mut self, polls: Polls) -> bool {
        let may_rest = matches!(polls, Polls::Rests | Polls::Mouse);
        let now = self.cpu.cycles;
        let (from, until) = self.keys.open;
        if now < self.keys.busy_until || !may_rest && now < until {
            return false;
        }
        // A loop may take longer than the run ahead: the longer it has computed, the further the
        // next one goes.
        let goes_on = !may_rest && until > 0 && now - until < until - from;
        let from = if goes_on { from } else { now };
        let furthest = MOST_AHEAD * self.cycles_ahead();
        let cycles = (2 * (now - from)).clamp(self.cycles_ahead(), furthest);
        match self.ahead(cycles, |machine, end, here| machine.outlook(end, here, None)) {
            Outlook::Waits { asks_for_key } => {
                self.places.is_for_mouse = !asks_for_key;
                return true;
            }
            Outlook::Works(cycle) => self.keys.busy_until = cycle,
            Outlook::Open(_) if may_rest => return true,
            Outlook::Open(cycle) => self.keys.open = (from, cycle),
        }
        false
    }

    /// Whether the program, which polls without a key, polls again before it waits or works, and so
    /// late that a key typed now is found by then. Otherwise returns the cycle from which it may,
    /// if it does not wait.
    pub(super) fn polls_ahead(&mut self) -> Result<(), Option<u64>> {
        let (cycles, mut later) = (self.cycles_ahead(), None);
        match self.ahead(cycles, |machine, end, here| machine.outlook(end, here, Some(&mut later))) {
            Outlook::Waits { .. } => Err(None),
            Outlook::Works(cycle) if later.is_none_or(|later| later >= cycle) => Err(Some(cycle)),
            Outlook::Works(_) | Outlook::Open(_) => Ok(()),
        }
    }

    fn cycles_ahead(&self) -> u64 {
        LOOK_AHEAD_MS * u64::from(self.speed())
    }

    /// Whether the program repeats a cycle that only a key or the mouse ends: it returns to the
    /// same instruction with the same registers and memory, and again at the end of the run ahead.
    /// It may read the keyboard's flags at 0040:0017.
    pub(super) fn spins(&mut self) -> bool {
        if self.cpu.cycles < self.keys.busy_until {
            return false;
        }
        self.ahead(self.cycles_ahead(), |machine, end, here| {
            machine.comes_back_to(here)
                && matches!(machine.run(&Until::cycle(end), &mut ()), Stop::Cycle)
                && machine.comes_to(&here.cpu.regs)
                && {
                    // Interrupts have written below the stack pointer meanwhile.
                    let there = machine.snapshot();
                    machine.comes_back_to(&there)
                }
        })
    }

    /// Runs ahead for this many cycles, then restores everything.
    fn ahead<T>(&mut self, cycles: u64, look: impl FnOnce(&mut Machine, u64, &Snapshot) -> T) -> T {
        let here = self.snapshot();
        let told = (self.notices.len(), self.missing, self.missed_coprocessor, self.interrupted_at);
        let work_budget = self.work_budget;
        // Reads by a run that is discarded do not count as reads.
        let (watch, ports) = (std::mem::take(&mut self.watch), self.hardware.pause_watch());
        self.look_ahead = LookAhead::ToPolls;
        let end = self.cpu.cycles.saturating_add(cycles);
        self.set_work_budget(cycles);
        let seen = look(self, end, &here);
        self.restore(&here);
        self.look_ahead = LookAhead::No;
        self.work_budget = work_budget;
        self.watch = watch;
        self.hardware.resume_watch(ports);
        self.notices.truncate(told.0);
        (self.missing, self.missed_coprocessor, self.interrupted_at) = (told.1, told.2, told.3);
        seen
    }

    /// Runs until the state is the same, except for the clock. Returns false if that is not soon.
    fn comes_back_to(&mut self, here: &Snapshot) -> bool {
        (0..MOST_ROUNDS).any(|_| {
            self.steps_on()
                && self.comes_to(&here.cpu.regs)
                && self.hardware.remembers(&here.hardware, &CLOCK)
        })
    }

    /// Runs until the registers have these values. Returns false if they do not soon.
    fn comes_to(&mut self, registers: &Registers) -> bool {
        (0..LONGEST_CIRCLE).any(|_| self.cpu.regs == *registers || !self.steps_on())
            && self.cpu.regs == *registers
    }

    /// Executes an instruction. Returns false if the machine stops for another reason.
    fn steps_on(&mut self) -> bool {
        let next = Until { instructions: self.cpu.retired + 1, ..Until::cycle(u64::MAX) };
        matches!(self.run(&next, &mut ()), Stop::Instructions | Stop::KeyWait)
    }

    /// Finds out what the program does from a poll up to `end`. If the caller asks whether this
    /// poll is a choice point, `later` receives the cycle of the first poll that finds a key typed
    /// here.
    fn outlook(&mut self, end: u64, here: &Snapshot, mut later: Option<&mut Option<u64>>) -> Outlook {
        let found_from = self.hardware.clock.nanoseconds(self.cpu.cycles).saturating_add(KEY_NS);
        let mut polls = 0;
        let mut asks_for_key = false;
        let mut reference: Option<Snapshot> = None;
        // A loop that reads the time ends on its own, even if its state repeats: since this poll,
        // and since the reference.
        let (mut is_timed, mut is_timed_later) = (false, false);
        loop {
            match self.run_to_poll(end) {
                Stop::KeyWait if !self.halted => {}
                Stop::Cycle if self.cpu.cycles >= end => return Outlook::Open(end),
                _ => return Outlook::Works(self.cpu.cycles),
            }
            let (cs, ip) = (self.cpu.regs.cs(), self.cpu.regs.ip as u16);
            asks_for_key |= firmware::vector_of_stub(cs, ip) != Some(MOUSE);
            polls += 1;
            if let Some(later) = later.as_deref_mut().filter(|_| self.hardware.nanoseconds() >= found_from) {
                later.get_or_insert(self.cpu.cycles);
            }
            let asked = self.watch.take_time();
            is_timed |= asked;
            is_timed_later |= asked;
            if !is_timed && self.has_come_back_to(here) {
                if self.goes_round_untimed(here, end) {
                    return Outlook::Waits { asks_for_key };
                }
                is_timed = true;
            }
            if let Some(reference) = reference.as_ref().filter(|_| !is_timed_later)
                && self.has_come_back_to(reference)
            {
                if self.goes_round_untimed(reference, end) {
                    return Outlook::Works(reference.cpu.cycles);
                }
                is_timed_later = true;
            }
            if polls >= MOST_ROUNDS && polls.is_power_of_two() {
                let polled = self.snapshot();
                let begin = if polls == MOST_ROUNDS { here } else { &polled };
                self.restore(begin);
                let goes_round = self.goes_round_for_ever(end);
                self.restore(&polled);
                match goes_round {
                    true if polls == MOST_ROUNDS => return Outlook::Waits { asks_for_key },
                    true => return Outlook::Works(self.cpu.cycles),
                    false if polls == MOST_POLLS => self.look_ahead = LookAhead::PastPolls,
                    false => {}
                }
            }
            let is_place = later.as_deref().is_some_and(Option::is_some);
            if polls >= MOST_ROUNDS && is_place && is_timed && is_timed_later {
                return Outlook::Open(self.cpu.cycles);
            }
            if polls.is_power_of_two() {
                reference = Some(self.snapshot());
                is_timed_later = false;
            }
        }
    }

    /// Runs to the next poll, or to another stop.
    fn run_to_poll(&mut self, end: u64) -> Stop {
        self.run(&Until { key_wait: true, ..Until::cycle(end) }, &mut ())
    }

    /// Whether the state is the same again, and timed interrupts have occurred if they matter.
    fn has_come_back_to(&self, then: &Snapshot) -> bool {
        let is_timed = self.hardware.time_read() || watch::timer_is_hooked(&self.hardware);
        let instant = |cycle: u64| self.hardware.clock.nanoseconds(cycle);
        let elapsed = instant(self.cpu.cycles).saturating_sub(instant(then.cpu.cycles));
        (!is_timed || elapsed >= TIMED_ROUND_NS) && self.is_as((&then.cpu.regs, &then.hardware), Parts::NONE)
    }

    /// Whether registers, memory and screen are the same as in the snapshot, except for the clock,
    /// bytes that interrupts leave below the stack, and parts of registers that were made
    /// canonical.
    pub(super) fn is_as(
        &self,
        (registers, hardware): (&Registers, &SavedHardware),
        canonical: Parts,
    ) -> bool {
        let is_canonical = !canonical.is_empty();
        let same_registers = if is_canonical {
            cleared(&self.cpu.regs, canonical) == cleared(registers, canonical)
        } else {
            self.cpu.regs == *registers
        };
        if !same_registers {
            return false;
        }
        let pointer = linear(self.cpu.regs.ss(), self.cpu.regs.sp());
        let bottom = linear(self.cpu.regs.ss(), 0).max(pointer.saturating_sub(BELOW_STACK));
        let below_stack = bottom.min(pointer)..pointer;
        // The caller's flags, in the stub of the service.
        let flags = pointer + 4..pointer + 6;
        let may_differ =
            |at: u32| CLOCK.contains(&at) || below_stack.contains(&at) || is_canonical && flags.contains(&at);
        self.hardware.unlike(hardware).all(may_differ) && self.hardware.shows_as(hardware)
    }

    /// Whether the program returns to this state without reading the time. Restores the machine.
    fn goes_round_untimed(&mut self, then: &Snapshot, end: u64) -> bool {
        let now = self.snapshot();
        self.restore(then);
        self.watch = Watch::default();
        self.hardware.watch_bios_data();
        while self.cpu.cycles < now.cpu.cycles && self.run_to_poll(end) == Stop::KeyWait {}
        let asks = self.watch.has_seen_time(&self.hardware) || self.hardware.clock_read();
        self.watch = Watch::default();
        self.restore(&now);
        !asks
    }

    /// Whether only a key ends the loop in which the program polls: differences between iterations
    /// do not affect its control flow.
    fn goes_round_for_ever(&mut self, end: u64) -> bool {
        let before = self.snapshot();
        let poll = firmware::caller(&self.cpu, &self.hardware);
        if !(0..MOST_KINDS).any(|_| self.comes_to_poll(poll, end)) {
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

    /// Runs to the next poll. Returns whether it is the poll with this caller.
    fn comes_to_poll(&mut self, caller: (u16, u16), end: u64) -> bool {
        self.run_to_poll(end) == Stop::KeyWait
            && !self.halted
            && firmware::caller(&self.cpu, &self.hardware) == caller
    }

    /// Runs to the same poll in the next iteration. Returns the differences there, given those
    /// here; `None` if they may affect the control flow.
    fn varies_at_the_end(&mut self, mut varying: Varying, decodings: &mut Decodings) -> Option<Varying> {
        let poll = firmware::caller(&self.cpu, &self.hardware);
        for _ in 0..LONGEST_CIRCLE {
            let is_program = self.cpu.regs.cs() != firmware::ROM_SEGMENT;
            if is_program && !varying.follow(decodings, &self.cpu, &self.hardware) {
                return None;
            }
            let next = Until { instructions: self.cpu.retired + 1, ..Until::cycle(u64::MAX) };
            match self.run(&next, &mut ()) {
                Stop::Instructions => {}
                Stop::KeyWait if firmware::caller(&self.cpu, &self.hardware) == poll => return Some(varying),
                Stop::KeyWait => {}
                _ => return None,
            }
        }
        None
    }
}
