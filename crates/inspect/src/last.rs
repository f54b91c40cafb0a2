//! Records the last instructions of a program, with the registers before each.

use super::disassembly::{LONGEST, bytes_at, decode};
use iced_x86::Instruction;
use oxbox_cpu::{Cpu, Registers};
use oxbox_machine::firmware::ROM_SEGMENT;
use oxbox_machine::hardware::Hardware;
use oxbox_machine::machine::Observer;
use std::collections::VecDeque;

/// The state before an instruction.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The registers.
    pub registers: Registers,
    /// The bytes at CS:IP.
    pub bytes: [u8; LONGEST],
}

impl Moment {
    /// Returns CS and IP.
    pub fn at(&self) -> (u16, u16) {
        (self.registers.cs(), self.registers.ip as u16)
    }

    /// Returns the decoded instruction.
    pub(super) fn instruction(&self) -> Instruction {
        decode(&self.bytes, self.registers.ip as u16)
    }
}

/// Keeps the last instructions outside of the system ROM.
#[derive(Clone, Debug)]
pub struct LastInstructions {
    moments: VecDeque<Moment>,
    most: usize,
}

impl LastInstructions {
    /// Creates a recorder for `most` instructions.
    pub fn new(most: usize) -> LastInstructions {
        LastInstructions { moments: VecDeque::with_capacity(most), most }
    }

    /// Returns the states, the oldest first.
    pub fn moments(&self) -> &VecDeque<Moment> {
        &self.moments
    }
}

impl Observer for LastInstructions {
    const EVERY_INSTRUCTION: bool = true;

    fn instruction(&mut self, cpu: &Cpu, hw: &Hardware) {
        let (cs, ip) = (cpu.regs.cs(), cpu.regs.ip as u16);
        if cs == ROM_SEGMENT || cpu.regs.ip > 0xFFFF {
            return;
        }
        if self.moments.len() == self.most {
            self.moments.pop_front();
        }
        self.moments.push_back(Moment { registers: cpu.regs.clone(), bytes: bytes_at(hw, cs, ip) });
    }
}
