//! How far a run goes, and why it came back.

use super::crash::{Crash, Fault};

/// How far to run. Limits are absolute, counted from power-on.
#[derive(Debug, Clone, Copy)]
pub struct Until {
    /// Stop at this cycle.
    pub cycle: u64,
    /// Stop when this many instructions have been executed.
    pub instructions: u64,
    /// Stop when the program waits for a key that has not been typed.
    pub key_wait: bool,
    /// Which polls count as a wait, if `key_wait` is set.
    pub polls: Polls,
}

impl Until {
    /// Runs on until the program ends or waits for a key.
    pub const KEY_WAIT: Until =
        Until { cycle: u64::MAX, instructions: u64::MAX, key_wait: true, polls: Polls::Waits };

    /// Runs on until a cycle.
    pub const fn cycle(cycle: u64) -> Until {
        Until { cycle, instructions: u64::MAX, key_wait: false, polls: Polls::Waits }
    }
}

/// Which polls for a key count as a wait for one. A poll counts only if it finds no key and none is under way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Polls {
    /// Those of a loop that only a key or the mouse ends: the same state comes round again, or what differs decides nothing.
    #[default]
    Waits,
    /// Also those of a program that computes and draws for the next 3 s and does nothing else, as animated screens do.
    Rests,
    /// As [`Polls::Rests`], and each poll of the mouse.
    Mouse,
    /// As [`Polls::Waits`], and each poll for a key.
    Keys,
    /// As [`Polls::Waits`], and each poll of a program that polls again before it waits or ends: a user can do something there, or
    /// nothing. See [`Machine::leave_poll`](super::Machine::leave_poll).
    Choices,
}

/// Why [`Machine::run`](super::Machine::run) came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The program has ended with this return code.
    Exited(u8),
    /// The processor has stopped the program: an exception that it does not handle.
    Crashed(Box<Crash>),
    /// The program waits for a key, or polls for one as [`Until::polls`] says, and none is under way.
    KeyWait,
    /// The program reads from a redirected standard input that has no more bytes yet.
    InputWait,
    /// The cycle of [`Until`] was reached.
    Cycle,
    /// The number of instructions of [`Until`] was reached.
    Instructions,
    /// The next instruction is one to stop before: of [`Machine::set_stops`](super::Machine::set_stops), or the observer wants it.
    Breakpoint,
    /// The machine cannot go on.
    Dead(Fault),
}
