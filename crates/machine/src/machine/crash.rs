//! Abnormal ends of a run: an unhandled exception, or a state that the machine cannot leave.

use oxbox_cpu::Registers;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An exception that the program has not hooked, and the state in which it was raised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crash {
    /// The exception's number: 0 division, 6 invalid opcode, 8 double fault, ...
    pub exception: u8,
    /// The registers. CS:IP is the faulting instruction (on an 8086, the one after a division).
    pub registers: Registers,
}

impl Crash {
    /// Returns CS and IP of [`registers`](Self::registers).
    pub fn position(&self) -> (u16, u16) {
        (self.registers.cs(), self.registers.ip as u16)
    }

    /// Returns Intel's name of the exception.
    pub fn name(&self) -> &'static str {
        match self.exception {
            0x00 => "divide error",
            0x06 => "invalid opcode",
            0x07 => "no coprocessor",
            0x08 => "exception within an exception",
            0x0C => "stack segment overrun",
            _ => "segment overrun",
        }
    }

    /// Returns the most likely cause.
    pub fn hint(&self) -> &'static str {
        match self.exception {
            0x00 => "a division by zero, or a quotient too large for its register",
            0x06 => "the program executes data, or needs a newer processor than --cpu",
            0x07 => "an instruction of a coprocessor, which the machine does not have",
            0x08 => {
                "the processor has shut down: the stack is full, or the interrupt vectors are overwritten"
            }
            0x0C => "a stack access across the end of its segment",
            _ => "an access across the end of a segment, such as a word at offset FFFFh",
        }
    }
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cs, ip) = (self.registers.cs(), self.registers.ip as u16);
        write!(f, "{} (INT {:02X}h) at {cs:04X}:{ip:04X}", self.name(), self.exception)
    }
}

/// The reason that the machine stopped, except processor exceptions, which are [`Crash`]es.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// CS:IP of the program; `None` if it is reported in another way.
    pub at: Option<(u16, u16)>,
}

/// The kinds of faults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum FaultKind {
    /// The program resets the processor through a port.
    Reset,
    /// INT 19h.
    Reboot,
    /// HLT while no interrupt can come.
    Halt,
    /// CR0.PE is set, by the program with this name if it has one.
    ProtectedMode(Option<String>),
    /// The program reads from a redirected standard input, which cannot have more input.
    RedirectedInput,
}

/// Formats the fault and its address as a sentence about the program.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        self.at.map_or(Ok(()), |(cs, ip)| write!(f, " at {cs:04X}:{ip:04X}"))
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::Reset => f.write_str("the program resets the machine"),
            FaultKind::Reboot => f.write_str("the program reboots the machine"),
            FaultKind::Halt => f.write_str("HLT, and no interrupt can follow"),
            FaultKind::ProtectedMode(name) => {
                let who = name.as_deref().unwrap_or("the program");
                write!(f, "{who} switches to protected mode, which oxbox does not have")
            }
            FaultKind::RedirectedInput => f.write_str("it reads redirected standard input"),
        }
    }
}
