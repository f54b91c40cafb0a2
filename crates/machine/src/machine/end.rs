//! The end of a run: one type for front ends, debuggers, suites, searches and reports.

use super::crash::{Crash, Fault};
use super::script_failure::ScriptFailure;
use super::stop::Stop;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum End {
    /// The program has ended with this exit code.
    Exited(u8),
    /// The processor has stopped the program.
    Crashed(Box<Crash>),
    /// The program waits for a key or for input, and the input has ended.
    Waiting,
    /// A limit was reached.
    Limit(Limit),
    /// In a search, the program reached this limit between two keys without waiting or ending.
    Hang(Limit),
    /// The program restarts the machine.
    Reset,
    /// The machine cannot continue.
    Dead(Fault),
    /// A step of the script failed.
    Script(ScriptFailure),
    /// A file could not be written: its name and the reason.
    Unwritten(String),
    /// The program could not be loaded: the reason.
    Unloadable(String),
    /// The user quit.
    Left,
    /// A signal of the host ended the run.
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
    /// Host work that depends on instructions or time; see
    /// [`Machine::set_work_budget`](super::Machine::set_work_budget).
    Work,
    /// Printed text.
    Output,
    /// Virtual time after the last step of the script; see [`Limits`](super::Limits).
    AfterScript,
}

/// A signal that asks a process of the host to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Signal {
    /// SIGHUP: the terminal has been closed.
    HangUp,
    /// SIGINT: Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

impl End {
    /// Returns one word, as in JSON.
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

    /// Returns the label under which a search counts the end: `exit:CODE`, `crash` for all abnormal
    /// ends, or the word.
    pub fn label(&self) -> String {
        match self {
            End::Exited(code) => format!("exit:{code}"),
            End::Crashed(_) | End::Dead(_) => "crash".to_owned(),
            end => end.word().to_owned(),
        }
    }

    /// Returns details beyond the word, if there are any.
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

    /// Returns the program's exit code, if it has ended with one.
    pub fn exit_code(&self) -> Option<u8> {
        if let End::Exited(code) = self { Some(*code) } else { None }
    }

    /// Returns the end that a stop means; `None` if the machine can continue.
    pub fn of(stop: &Stop) -> Option<End> {
        match stop {
            Stop::Exited(code) => Some(End::Exited(*code)),
            Stop::Crashed(crash) => Some(End::Crashed(crash.clone())),
            Stop::Dead(fault) => Some(End::Dead(fault.clone())),
            Stop::KeyWait | Stop::InputWait | Stop::Cycle | Stop::Instructions | Stop::Breakpoint => None,
        }
    }
}

/// Formats the end as a predicate that follows the program's name.
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
            End::Dead(fault) => write!(f, "cannot continue: {fault}"),
            End::Script(failure) => write!(f, "{failure}"),
            End::Unwritten(why) => f.write_str(why),
            End::Unloadable(why) => write!(f, "cannot be loaded: {why}"),
            End::Left => f.write_str("was left"),
            End::Signal(signal) => write!(f, "was interrupted by {}", signal.name()),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Time => "the time limit",
            Limit::Instructions => "the instruction limit",
            Limit::Output => "the limit of printed text",
            Limit::AfterScript => "the limit of time after the last key",
            Limit::Work => "the limit of work of BIOS and DOS",
        })
    }
}

impl Signal {
    /// All of them.
    pub const ALL: [Signal; 3] = [Signal::HangUp, Signal::Interrupt, Signal::Terminate];

    /// Returns the signal's number.
    pub fn number(self) -> u8 {
        match self {
            Signal::HangUp => 1,
            Signal::Interrupt => 2,
            Signal::Terminate => 15,
        }
    }

    /// Returns the signal's name, such as SIGINT.
    pub fn name(self) -> &'static str {
        match self {
            Signal::HangUp => "SIGHUP",
            Signal::Interrupt => "SIGINT",
            Signal::Terminate => "SIGTERM",
        }
    }

    /// Returns a shell's exit code for a program that the signal has ended.
    pub fn exit_code(self) -> u8 {
        128 + self.number()
    }
}
