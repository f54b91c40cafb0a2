//! How far a run goes, and why it came back.

use super::crash::Crash;

/// How far to run. Limits are absolute, counted from power-on.
#[derive(Debug, Clone, Copy)]
pub struct Until {
    /// Stop at this cycle.
    pub cycle: u64,
    /// Stop when this many instructions have been executed.
    pub instructions: u64,
    /// Stop when the program waits for a key that has not been typed.
    pub key_wait: bool,
}

impl Until {
    /// Runs on until the program ends or waits for a key.
    pub const KEY_WAIT: Until = Until { cycle: u64::MAX, instructions: u64::MAX, key_wait: true };

    /// Runs on until a cycle.
    pub const fn cycle(cycle: u64) -> Until {
        Until { cycle, instructions: u64::MAX, key_wait: false }
    }
}

/// Why [`Machine::run`](super::Machine::run) came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The program has ended with this return code.
    Exited(u8),
    /// The processor has stopped the program: an exception that it does not handle.
    Crashed(Box<Crash>),
    /// The program waits for a key (or has polled for one for 100 ms), and none is under way.
    KeyWait,
    /// The program reads from a redirected standard input that has no more bytes yet.
    InputWait,
    /// The cycle of [`Until`] was reached.
    Cycle,
    /// The number of instructions of [`Until`] was reached.
    Instructions,
    /// The next instruction is one to stop before: of [`Machine::set_stops`](super::Machine::set_stops), or the observer wants it.
    Breakpoint,
    /// The machine cannot go on; the text says why and where (CS:IP).
    Dead(String),
}
