//! Who looks on while the machine runs.

use crate::hardware::Hardware;
use oxbox_cpu::Cpu;

/// Sees what the machine does, call by call. `()` observes nothing and costs nothing.
pub trait Observer {
    /// True to be called before every instruction; the machine then runs single-stepped, with the same results.
    const EVERY_INSTRUCTION: bool = false;
    /// True to be called before every service of BIOS or DOS, also those that are done without leaving the processor.
    const EVERY_SERVICE: bool = true;

    /// True to stop before the instructions of [`Machine::set_stops`](super::Machine::set_stops).
    const STOPS: bool = false;

    /// Before an instruction, and before the rest of a REP that an event has broken.
    fn instruction(&mut self, cpu: &Cpu, hw: &Hardware) {
        let _ = (cpu, hw);
    }

    /// True to stop before the instruction that was last told: [`Stop::Breakpoint`](super::Stop::Breakpoint).
    fn wants_stop(&self) -> bool {
        false
    }

    /// Before a hardware interrupt is delivered.
    fn interrupt(&mut self, vector: u8, cpu: &Cpu, hw: &Hardware) {
        let _ = (vector, cpu, hw);
    }

    /// After a service of BIOS or DOS.
    fn served(&mut self, vector: u8, outcome: Outcome, cpu: &Cpu, hw: &Hardware) {
        let _ = (vector, outcome, cpu, hw);
    }

    /// Before a service of BIOS or DOS.
    fn service(&mut self, vector: u8, cpu: &Cpu, hw: &Hardware) {
        let _ = (vector, cpu, hw);
    }
}

/// What becomes of a call of BIOS or DOS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is done: the registers hold what it gives, and the FLAGS that the caller gets back lie on the stack, above its CS and IP.
    Returns,
    /// It is asked again later: it waits, or a routine of the program's has to run first.
    Waits,
    /// The program goes on elsewhere: a program has been started or has ended.
    Jumps,
}

impl Observer for () {
    const EVERY_SERVICE: bool = false;
}
