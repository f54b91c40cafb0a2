//! A budget for host work.
//!
//! Neither instructions nor virtual time limit host work: one call may write 65,535 characters
//! within a cycle or rewrite a file, one REP moves a whole segment, and one HLT may sleep through a
//! thousand events. So work is counted as well, in units of an instruction's cost: every cycle that
//! is not slept, and the additional cost of services and wake-ups. It depends only on the guest's
//! state.

use super::pc::Machine;
use oxbox_cpu::Registers;

/// Units per instruction: a program that computes needs one; with services some more.
const UNITS_AN_INSTRUCTION: u64 = 64;

/// The minimum of units, independent of the number of instructions.
const UNITS_AT_LEAST: u64 = 20_000_000;

/// The cost of a service, and of a wake-up from HLT.
const SERVICE: u64 = 32;
pub(super) const WAKEUP_COST: u64 = 32;

/// The cost of drawing a character in a graphics mode, and of filling or moving a whole screen.
const CHARACTER: u64 = 4;
const SCREEN: u64 = 0x4000;

#[derive(Debug, Clone, Copy)]
pub(super) struct WorkBudget {
    /// The cycle at which the budget is used up if only instructions are executed until then.
    end: u64,
}

impl WorkBudget {
    pub(super) const UNBOUNDED: WorkBudget = WorkBudget { end: u64::MAX };

    /// Returns the budget for a run from cycle `now`: the work of `instructions`.
    pub(super) fn of(instructions: u64, now: u64) -> WorkBudget {
        let units = instructions.saturating_mul(UNITS_AN_INSTRUCTION).saturating_add(UNITS_AT_LEAST);
        WorkBudget { end: now.saturating_add(units) }
    }

    /// Returns the cycle at which the processor must return.
    pub(super) fn end(self) -> u64 {
        self.end
    }

    /// Skips cycles that take no work.
    pub(super) fn sleep(&mut self, cycles: u64) {
        self.end = self.end.saturating_add(cycles);
    }

    /// Uses units for work that takes no cycles.
    pub(super) fn spend(&mut self, units: u64) {
        if self.end != u64::MAX {
            self.end = self.end.saturating_sub(units);
        }
    }
}

/// Returns about what a service costs. DOS's work on files passes as cycles.
pub(super) fn cost(vector: u8, regs: &Registers) -> u64 {
    let more = match (vector, regs.ah()) {
        (0x10, 0x09 | 0x0A | 0x13) => u64::from(regs.cx()) * CHARACTER,
        (0x10, 0x00 | 0x06 | 0x07) => SCREEN,
        _ => 0,
    };
    SERVICE + more
}

impl Machine {
    /// Limits host work: runs then return with [`Stop::Instructions`](super::Stop::Instructions)
    /// when services, work on files, REP and HLT have taken more of the host's time than this many
    /// instructions may. Programs that compute stay far below it.
    ///
    /// ```
    /// use oxbox_machine::machine::{Config, Machine, Stop, Until};
    ///
    /// let mut machine = Machine::new(&Config::default())?;
    /// // mov ax, 13h; int 10h; again: mov ax, 941h; mov cx, 0FFFFh; int 10h; jmp again
    /// let program = b"\xB8\x13\x00\xCD\x10\xB8\x41\x09\xB9\xFF\xFF\xCD\x10\xEB\xF6";
    /// machine.load(program, "FLOOD.COM", "")?;
    /// machine.set_work_budget(1_000_000);
    /// let until = Until { instructions: 1_000_000, ..Until::KEY_WAIT };
    /// assert_eq!(machine.run(&until, &mut ()), Stop::Instructions);
    /// assert!(machine.instructions() < 10_000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_work_budget(&mut self, instructions: u64) {
        self.work_budget = WorkBudget::of(instructions, self.cpu.cycles);
    }
}
