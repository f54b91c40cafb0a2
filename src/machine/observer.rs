//! Who looks on while the machine runs.

use crate::cpu::Cpu;
use crate::hardware::Hardware;

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

    /// Before a service of BIOS or DOS.
    fn service(&mut self, vector: u8, cpu: &Cpu, hw: &Hardware) {
        let _ = (vector, cpu, hw);
    }
}

impl Observer for () {
    const EVERY_SERVICE: bool = false;
}
