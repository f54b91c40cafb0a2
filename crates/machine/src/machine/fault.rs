//! Exceptions: the state at a crash, and the program's position.

use super::{crash::Crash, end::End, pc::Machine};
use crate::{firmware, hardware::linear};
use oxbox_cpu::Registers;

impl Machine {
    /// Returns the crash after an exception's stub has trapped, with the registers before it.
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

    /// Records a division by zero. DOS ends the program then; the way the last process ended shows
    /// whether it was the end of the first program.
    pub(super) fn note_divide_error(&mut self, vector: u8) {
        match (vector, self.cpu.regs.ah()) {
            (0x00, _) => self.divide_error = Some(Box::new(self.crash(vector))),
            (0x20 | 0x23 | 0x27, _) | (0x21, 0x00 | 0x31 | 0x4C) => self.divide_error = None,
            _ => {}
        }
    }

    /// Whether vector 07h was raised by an instruction, which would raise it repeatedly, and
    /// not called.
    pub(super) fn lacks_coprocessor(&self) -> bool {
        let (cs, ip) = firmware::caller(&self.cpu, &self.hardware);
        let opcode = (0..)
            .map(|offset| self.hardware.memory.read8(linear(cs, ip.wrapping_add(offset))))
            .find(|byte| !matches!(byte, 0x26 | 0x2E | 0x36 | 0x3E | 0x64..=0x67))
            .unwrap_or_default();
        matches!(opcode, 0x9B | 0xD8..=0xDF)
    }

    /// Returns CS and IP of the program. During a service: where it continues after it.
    pub fn position(&self) -> (u16, u16) {
        let registers = self.program_registers();
        (registers.cs(), registers.ip as u16)
    }

    /// Returns CS and IP of the program's current instruction; during a service those of its INT.
    pub fn instruction_position(&self) -> (u16, u16) {
        let (cs, ip) = self.position();
        let before = ip.wrapping_sub(2);
        let in_service = self.cpu.regs.cs() != cs && self.hardware.memory.read8(linear(cs, before)) == 0xCD;
        (cs, if in_service { before } else { ip })
    }

    /// Returns CS and IP of the instruction that has ended the program or waits; for other ends, of
    /// the next one.
    pub fn position_of(&self, end: &End) -> (u16, u16) {
        match end {
            End::Crashed(crash) => crash.position(),
            End::Waiting => self.instruction_position(),
            _ => self.position(),
        }
    }

    /// Returns the registers of the program. During a service: with CS, IP, SP and FLAGS with which
    /// it continues after it.
    pub fn program_registers(&self) -> Registers {
        firmware::program(&self.cpu, &self.hardware)
    }
}
