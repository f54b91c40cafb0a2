//! How a run ended, in one set of words for front ends, debuggers, suites, searches and reports.

use super::crash::{Crash, Fault};
use super::script_failure::ScriptFailure;
use super::stop::Stop;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum End {
    /// The program has ended with this return code.
    Exited(u8),
    /// The processor has stopped the program.
    Crashed(Box<Crash>),
    /// The program waits for a key, or for input, and no more comes.
    Waiting,
    /// A limit was reached.
    Limit(Limit),
    /// A search gave the program so much between two keys, and it neither waited nor ended.
    Hang(Limit),
    /// The program restarts the machine.
    Reset,
    /// The machine cannot go on.
    Dead(Fault),
    /// A step of the script failed.
    Script(ScriptFailure),
    /// A file could not be written; which, and why.
    Unwritten(String),
    /// The program could not be loaded; why.
    Unloadable(String),
    /// The user left.
    Left,
    /// A signal of the host broke the run off.
    Signal(Signal),
}

/// A limit of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Limit {
    /// Virtual time.
    Time,
    /// Instructions.
    Instructions,
    /// Work of the host that goes with instructions or time; see [`Machine::allow_work_of`](super::Machine::allow_work_of).
    Work,
    /// Printed text.
    Output,
}

/// A signal that asks a process of the host to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Signal {
    /// SIGHUP: the terminal has gone.
    HangUp,
    /// SIGINT: Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

impl End {
    /// One word, as it stands in JSON.
    pub fn word(&self) -> &'static str {
        match self {
            End::Exited(_) => "exited",
            End::Crashed(_) => "crashed",
            End::Waiting => "waiting",
            End::Limit(_) => "limit",
            End::Hang(_) => "hang",
            End::Reset => "reset",
            End::Signal(_) => "signal",
            End::Left => "left",
            End::Dead(_) | End::Unwritten(_) | End::Unloadable(_) | End::Script(_) => "failed",
        }
    }

    /// What a search counts the end under: `exit:CODE`, `crash` for all that stops a program, or the word.
    pub fn label(&self) -> String {
        match self {
            End::Exited(code) => format!("exit:{code}"),
            End::Crashed(_) | End::Dead(_) => "crash".to_owned(),
            end => end.word().to_owned(),
        }
    }

    /// More than the word says, if there is more.
    pub fn detail(&self) -> Option<String> {
        match self {
            End::Exited(_) | End::Waiting | End::Reset | End::Left => None,
            End::Crashed(crash) => Some(crash.to_string()),
            End::Limit(limit) | End::Hang(limit) => Some(limit.to_string()),
            End::Signal(signal) => Some(signal.name().to_owned()),
            End::Dead(fault) => Some(fault.to_string()),
            End::Unwritten(why) | End::Unloadable(why) => Some(why.clone()),
            End::Script(failure) => Some(failure.to_string()),
        }
    }

    /// The program's return code, if it has ended with one.
    pub fn exit_code(&self) -> Option<u8> {
        if let End::Exited(code) = self { Some(*code) } else { None }
    }

    /// The end that a stop means by itself; None if the machine can go on.
    pub fn of(stop: &Stop) -> Option<End> {
        match stop {
            Stop::Exited(code) => Some(End::Exited(*code)),
            Stop::Crashed(crash) => Some(End::Crashed(crash.clone())),
            Stop::Dead(fault) => Some(End::Dead(fault.clone())),
            Stop::KeyWait | Stop::InputWait | Stop::Cycle | Stop::Instructions | Stop::Breakpoint => None,
        }
    }
}

/// The end as a predicate, behind the program's name.
impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Exited(code) => write!(f, "ended with code {code}"),
            End::Crashed(crash) => {
                write!(f, "crashed: {} (INT {:02X}h), {}", crash.name(), crash.exception, crash.hint())
            }
            End::Waiting => f.write_str("waits for a key"),
            End::Limit(limit) | End::Hang(limit) => write!(f, "was stopped by {limit}"),
            End::Reset => f.write_str("restarts the machine"),
            End::Dead(fault) => write!(f, "cannot go on: {fault}"),
            End::Script(failure) => write!(f, "{failure}"),
            End::Unwritten(why) => f.write_str(why),
            End::Unloadable(why) => write!(f, "cannot be loaded: {why}"),
            End::Left => f.write_str("was left"),
            End::Signal(signal) => write!(f, "was broken off by {}", signal.name()),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Time => "the time limit",
            Limit::Instructions => "the instruction limit",
            Limit::Output => "the limit of printed text",
            Limit::Work => "the work that BIOS and DOS may do within the instruction or time limit",
        })
    }
}

impl Signal {
    /// All of them.
    pub const ALL: [Signal; 3] = [Signal::HangUp, Signal::Interrupt, Signal::Terminate];

    /// The signal's number.
    pub fn number(self) -> u8 {
        match self {
            Signal::HangUp => 1,
            Signal::Interrupt => 2,
            Signal::Terminate => 15,
        }
    }

    /// The signal's name, such as SIGINT.
    pub fn name(self) -> &'static str {
        match self {
            Signal::HangUp => "SIGHUP",
            Signal::Interrupt => "SIGINT",
            Signal::Terminate => "SIGTERM",
        }
    }

    /// What a shell gives for a program that the signal ends.
    pub fn exit_code(self) -> u8 {
        128 + self.number()
    }
}
