//! A program that the processor stops: an exception that nobody handles.

use super::Machine;
use crate::cpu::Registers;
use crate::firmware;
use crate::hardware::linear;
use std::fmt;

/// An exception that the program has not hooked, and the state in which it was raised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crash {
    /// The exception's number: 0 a division, 6 an invalid opcode, 8 one exception within another, ...
    pub exception: u8,
    /// The registers; CS and IP point to the instruction at fault (an 8086 tells the one after a division).
    pub registers: Registers,
}

impl Crash {
    /// What Intel calls the exception, in words.
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

    /// What has most likely happened.
    pub fn hint(&self) -> &'static str {
        match self.exception {
            0x00 => "a division by zero, or a quotient too large for its register",
            0x06 => "the program runs on into data, or wants a newer processor than --cpu names",
            0x07 => "an instruction of a coprocessor that is not there",
            0x08 => {
                "the processor has shut down: the stack has run over, or the interrupt vectors are overwritten"
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

impl Machine {
    /// The stub of an exception's vector has trapped: the registers as they were before.
    pub(super) fn crash(&self, exception: u8) -> Crash {
        let mut registers = self.cpu.regs.clone();
        let (cs, ip) = firmware::caller(&self.cpu, &self.hardware);
        let flags = self.hardware.memory.read16(linear(registers.ss(), registers.sp().wrapping_add(4)));
        registers.set_cs(cs);
        registers.ip = u32::from(ip);
        registers.flags = registers.flags & 0xFFFF_0000 | u32::from(flags);
        registers.set_sp(registers.sp().wrapping_add(6));
        Crash { exception, registers }
    }

    /// DOS ends a program that divides by zero; how a process ended last tells whether that was the program's end.
    pub(super) fn note_divide_error(&mut self, vector: u8) {
        match (vector, self.cpu.regs.ah()) {
            (0x00, _) => self.divide_error = Some(Box::new(self.crash(vector))),
            (0x20 | 0x23 | 0x27, _) | (0x21, 0x00 | 0x31 | 0x4C) => self.divide_error = None,
            _ => {}
        }
    }

    /// Whether vector 07h was raised by an instruction, which would raise it for ever, and not called.
    pub(super) fn lacks_coprocessor(&self) -> bool {
        let (cs, ip) = firmware::caller(&self.cpu, &self.hardware);
        let opcode = (0..)
            .map(|offset| self.hardware.memory.read8(linear(cs, ip.wrapping_add(offset))))
            .find(|byte| !matches!(byte, 0x26 | 0x2E | 0x36 | 0x3E | 0x64..=0x67))
            .unwrap_or_default();
        matches!(opcode, 0x9B | 0xD8..=0xDF)
    }

    /// CS and IP of the program: where it goes on after a service, when it is in the middle of one.
    pub fn position(&self) -> (u16, u16) {
        let (cs, ip) = (self.cpu.regs.cs(), self.cpu.regs.ip as u16);
        if cs == firmware::ROM_SEGMENT { firmware::caller(&self.cpu, &self.hardware) } else { (cs, ip) }
    }
}
