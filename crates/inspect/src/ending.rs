//! The call with which a program ends itself.

use oxbox_cpu::{Cpu, Registers};
use oxbox_machine::firmware;
use oxbox_machine::hardware::Hardware;
use oxbox_machine::machine::Observer;

/// Remembers the registers with which a program has called DOS to end itself: afterwards they are those of its parent. CS:IP is
/// behind the INT.
#[derive(Debug, Clone, Default)]
pub struct EndingCall {
    /// The registers; nothing before the call.
    pub registers: Option<Registers>,
}

impl Observer for EndingCall {
    const EVERY_SERVICE: bool = false;

    fn service(&mut self, vector: u8, cpu: &Cpu, hw: &Hardware) {
        let ends = match vector {
            0x20 | 0x27 => true,
            0x21 => matches!(cpu.regs.ah(), 0x00 | 0x31 | 0x4C),
            _ => false,
        };
        if ends {
            self.registers = Some(firmware::program(cpu, hw));
        }
    }
}
