//! The limits of a run, and why it stopped.

use super::crash::{Crash, Fault};

/// The limits of a run. They are absolute, counted from power-on.
#[derive(Debug, Clone, Copy)]
pub struct Until {
    /// Stop at this cycle.
    pub cycle: u64,
    /// Stop when this many instructions have been executed.
    pub instructions: u64,
    /// Stop when the program waits for a key that has not been typed.
    pub key_wait: bool,
    /// The polls that count as a wait, if `key_wait` is set.
    pub polls: Polls,
}

impl Until {
    /// Runs until the program ends or waits for a key.
    pub const KEY_WAIT: Until =
        Until { cycle: u64::MAX, instructions: u64::MAX, key_wait: true, polls: Polls::Waits };

    /// Returns limits that stop at a cycle.
    pub const fn cycle(cycle: u64) -> Until {
        Until { cycle, instructions: u64::MAX, key_wait: false, polls: Polls::Waits }
    }
}

/// The polls for a key that count as a wait, if they find no key and none is on its way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Polls {
    /// Polls in a loop that only a key or the mouse ends: the same state repeats, or differences do
    /// not affect the control flow.
    #[default]
    Waits,
    /// Also polls of a program that only computes and draws for 3 s, as animated screens do.
    Rests,
    /// Like [`Polls::Rests`], and each poll of the mouse.
    Mouse,
    /// Like [`Polls::Waits`], and each poll for a key.
    Keys,
    /// Like [`Polls::Waits`], and each poll of a program that polls again before it waits or ends:
    /// a user can do something there, or nothing. See
    /// [`Machine::leave_poll`](super::Machine::leave_poll).
    Choices,
}

/// The reason that [`Machine::run`](super::Machine::run) returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The program has ended with this exit code.
    Exited(u8),
    /// The processor has stopped the program: an unhandled exception.
    Crashed(Box<Crash>),
    /// The program waits for a key, or polls for one as selected by [`Until::polls`], and none is
    /// on its way.
    KeyWait,
    /// The program reads from a redirected standard input that has no more bytes yet.
    InputWait,
    /// The cycle of [`Until`] was reached.
    Cycle,
    /// The number of instructions of [`Until`] was reached.
    Instructions,
    /// The next instruction has a breakpoint: from
    /// [`Machine::set_stops`](super::Machine::set_stops) or the observer.
    Breakpoint,
    /// The machine cannot continue.
    Dead(Fault),
}
