//! Callbacks during a run.

use crate::hardware::Hardware;
use oxbox_cpu::Cpu;

/// Receives the events of a run. `()` ignores all of them at no cost.
pub trait Observer {
    /// Whether the observer is called before every instruction. The machine then single-steps.
    const EVERY_INSTRUCTION: bool = false;
    /// If set, the observer is called before every service of BIOS or DOS, also those done without
    /// leaving the processor.
    const EVERY_SERVICE: bool = true;

    /// If set, the run stops before the instructions of
    /// [`Machine::set_stops`](super::Machine::set_stops).
    const STOPS: bool = false;

    /// Called before an instruction, and before the rest of a REP that an event has interrupted.
    fn instruction(&mut self, cpu: &Cpu, hw: &Hardware) {
        let _ = (cpu, hw);
    }

    /// Whether to stop before the instruction that was reported last:
    /// [`Stop::Breakpoint`](super::Stop::Breakpoint).
    fn wants_stop(&self) -> bool {
        false
    }

    /// Called before a hardware interrupt is delivered.
    fn interrupt(&mut self, vector: u8, cpu: &Cpu, hw: &Hardware) {
        let _ = (vector, cpu, hw);
    }

    /// Called after a service of BIOS or DOS.
    fn served(&mut self, vector: u8, outcome: Outcome, cpu: &Cpu, hw: &Hardware) {
        let _ = (vector, outcome, cpu, hw);
    }

    /// Called before a service of BIOS or DOS.
    fn service(&mut self, vector: u8, cpu: &Cpu, hw: &Hardware) {
        let _ = (vector, cpu, hw);
    }
}

/// The outcome of a call of BIOS or DOS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It has finished: the registers contain its results, and the caller's FLAGS are on the stack,
    /// above its CS and IP.
    Returns,
    /// It will be repeated later: it waits, or a routine of the program has to run first.
    Waits,
    /// The program continues elsewhere: a program has been started or has ended.
    Jumps,
}

impl Observer for () {
    const EVERY_SERVICE: bool = false;
}
