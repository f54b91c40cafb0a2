//! Traces port accesses.
//!
//! Accesses are derived from instructions. An IN is complete at the next instruction, when the
//! accumulator holds the value.

use super::disassembly::{bytes_at, decode};
use super::programs::Programs;
use iced_x86::{Mnemonic, OpKind, Register};
use oxbox_cpu::{Cpu, Registers};
use oxbox_machine::firmware::ROM_SEGMENT;
use oxbox_machine::hardware::{Hardware, linear};

/// Converts port accesses to lines.
#[derive(Debug, Default)]
pub struct PortTrace {
    /// A pending IN: the start of its line, and the width in bytes.
    reading: Option<(String, usize)>,
}

impl PortTrace {
    /// Called before an instruction. Returns the completed line and the line of this instruction.
    pub fn instruction(
        &mut self,
        programs: &mut Programs,
        cpu: &Cpu,
        hw: &Hardware,
        write: &mut dyn FnMut(&str),
    ) {
        if let Some((line, width)) = self.reading.take() {
            write(&format!("{line} -> {}", value(&cpu.regs, width)));
        }
        let (cs, ip) = (cpu.regs.cs(), cpu.regs.ip as u16);
        let byte = |offset: u16| hw.memory.read8(linear(cs, ip.wrapping_add(offset)));
        if cs == ROM_SEGMENT || !accesses_port(&byte) {
            return;
        }
        let instruction = decode(&bytes_at(hw, cs, ip), ip);
        let immediate = |kind: OpKind, value: u8| match kind {
            OpKind::Immediate8 => u16::from(value),
            _ => cpu.regs.dx(),
        };
        let width = |register: Register| register.size();
        let place = programs.place_text(cs, ip);
        match instruction.mnemonic() {
            Mnemonic::In => {
                let port = immediate(instruction.op1_kind(), instruction.immediate8());
                self.reading = Some((format!("{place}  in {port:03X}h"), width(instruction.op0_register())));
            }
            Mnemonic::Out => {
                let port = immediate(instruction.op0_kind(), instruction.immediate8());
                let value = value(&cpu.regs, width(instruction.op1_register()));
                write(&format!("{place}  out {port:03X}h, {value}"));
            }
            mnemonic @ (Mnemonic::Insb
            | Mnemonic::Insw
            | Mnemonic::Insd
            | Mnemonic::Outsb
            | Mnemonic::Outsw
            | Mnemonic::Outsd) => {
                let count = if instruction.has_rep_prefix() { cpu.regs.cx() } else { 1 };
                let name = format!("{mnemonic:?}").to_lowercase();
                write(&format!("{place}  {name} {:03X}h, {count} times", cpu.regs.dx()));
            }
            _ => {}
        }
    }
}

/// Returns whether the opcode is E4 to E7, EC to EF or 6C to 6F, after prefixes.
fn accesses_port(byte: &impl Fn(u16) -> u8) -> bool {
    let is_prefix = |byte: u8| matches!(byte, 0x26 | 0x2E | 0x36 | 0x3E | 0x64..=0x67 | 0xF2 | 0xF3);
    let opcode = (0..4).map(byte).find(|byte| !is_prefix(*byte));
    matches!(opcode, Some(0xE4..=0xE7 | 0xEC..=0xEF | 0x6C..=0x6F))
}

fn value(registers: &Registers, width: usize) -> String {
    match width {
        1 => format!("{:02X}h", registers.al()),
        2 => format!("{:04X}h", registers.ax()),
        _ => format!("{:08X}h", registers.gpr[0]),
    }
}
