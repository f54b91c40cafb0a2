//! Observes the DOS call by which a program ends.

use oxbox_cpu::{Cpu, Registers};
use oxbox_machine::firmware;
use oxbox_machine::hardware::Hardware;
use oxbox_machine::machine::Observer;

/// The registers with which a program called DOS to end: afterwards the registers are those of its
/// parent. CS:IP is after the INT.
#[derive(Debug, Clone, Default)]
pub struct EndingCall {
    /// The registers; `None` before the call.
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
