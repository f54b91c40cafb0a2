//! How much of the host's time a run may take.
//!
//! Neither instructions nor virtual time bound it: one call may write 65,535 characters within a cycle or rewrite a file, one REP moves
//! a whole segment, and one HLT may sleep through a thousand events. So work is counted as well, in units of what an instruction costs:
//! every cycle that is not slept, and what services and awakenings take beyond theirs. It depends on the guest's state alone.

use super::pc::Machine;
use oxbox_cpu::Registers;

/// Units that go with an instruction: a program that computes needs one, with services in between a few.
const UNITS_AN_INSTRUCTION: u64 = 64;

/// Units that go with any number of instructions.
const UNITS_AT_LEAST: u64 = 20_000_000;

/// What a service takes, and coming back from HLT.
const SERVICE: u64 = 32;
pub(super) const AWAKENING: u64 = 32;

/// Writing a character into a picture; filling or moving a whole screen.
const CHARACTER: u64 = 4;
const SCREEN: u64 = 0x4000;

/// What is left of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowance {
    /// The cycle at which nothing is left if all until then is spent on instructions.
    end: u64,
}

impl Allowance {
    pub(super) const UNBOUNDED: Allowance = Allowance { end: u64::MAX };

    /// For a run from the cycle `now` on, as much as `instructions` may take.
    pub(super) fn of(instructions: u64, now: u64) -> Allowance {
        let units = instructions.saturating_mul(UNITS_AN_INSTRUCTION).saturating_add(UNITS_AT_LEAST);
        Allowance { end: now.saturating_add(units) }
    }

    /// The processor must be back at this cycle.
    pub(super) fn end(self) -> u64 {
        self.end
    }

    /// Cycles pass that take no work.
    pub(super) fn sleep(&mut self, cycles: u64) {
        self.end = self.end.saturating_add(cycles);
    }

    /// Work is done that takes no cycles.
    pub(super) fn spend(&mut self, units: u64) {
        if self.end != u64::MAX {
            self.end = self.end.saturating_sub(units);
        }
    }
}

/// What a service takes, about. What DOS does with files passes as cycles.
pub(super) fn cost(vector: u8, regs: &Registers) -> u64 {
    let more = match (vector, regs.ah()) {
        (0x10, 0x09 | 0x0A | 0x13) => u64::from(regs.cx()) * CHARACTER,
        (0x10, 0x00 | 0x06 | 0x07) => SCREEN,
        _ => 0,
    };
    SERVICE + more
}

impl Machine {
    /// From now on runs come back with [`Stop::Instructions`](super::Stop::Instructions) when they have taken more of the host's time
    /// than so many instructions may: by services, work on files, REP and HLT. What computes does not come near it.
    ///
    /// ```
    /// use oxbox_machine::machine::{Config, Machine, Stop, Until};
    ///
    /// let mut machine = Machine::new(&Config::default())?;
    /// // mov ax, 13h; int 10h; again: mov ax, 941h; mov cx, 0FFFFh; int 10h; jmp again
    /// let program = b"\xB8\x13\x00\xCD\x10\xB8\x41\x09\xB9\xFF\xFF\xCD\x10\xEB\xF6";
    /// machine.load(program, "FLOOD.COM", "")?;
    /// machine.allow_work_of(1_000_000);
    /// let until = Until { instructions: 1_000_000, ..Until::KEY_WAIT };
    /// assert_eq!(machine.run(&until, &mut ()), Stop::Instructions);
    /// assert!(machine.instructions() < 10_000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn allow_work_of(&mut self, instructions: u64) {
        self.allowance = Allowance::of(instructions, self.cpu.cycles);
    }
}
