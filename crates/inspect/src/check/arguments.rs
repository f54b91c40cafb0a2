//! Checks arguments of DOS calls that cannot be intended.

use super::super::access::interrupt_of;
use super::kinds::Kind;
use super::sight::{Found, Sight};
use iced_x86::{Code, FlowControl, Register};
use oxbox_machine::hardware::linear;

#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// The value that MOV stored in AL since AH was last set.
    al: Option<u8>,
}

/// A text of this length has no terminator.
const LONGEST_TEXT: u32 = 0x1000;

impl Arguments {
    pub(super) fn instruction(&mut self, sight: &Sight) -> Option<Found> {
        let instruction = &sight.fact.instruction;
        if interrupt_of(instruction) == Some(0x21) {
            return self.call(sight);
        }
        let register = instruction.op0_register();
        if instruction.code() == Code::Mov_r8_imm8 && register == Register::AL {
            self.al = Some(instruction.immediate8());
        } else if matches!(register, Register::AH | Register::AX | Register::EAX)
            || instruction.flow_control() != FlowControl::Next
        {
            self.al = None;
        }
        None
    }

    fn call(&mut self, sight: &Sight) -> Option<Found> {
        let registers = &sight.cpu.regs;
        let al = self.al.take();
        let found =
            |id, text, help| Some(Found { kind: Kind::Services, id, at: sight.at, text, note: None, help });
        match registers.ah() {
            0x00 => found(
                "function-in-al",
                format!("AH is 0, so INT 21h ends the program; the function number {:02X}h is in AL", al?),
                "put the function number into AH: mov ah, ...",
            ),
            0x09 if !is_text(sight) => found(
                "no-dollar",
                format!(
                    "the text at {:04X}:{:04X} has no '$' at its end: INT 21h/09h continues through the bytes after it",
                    registers.ds(),
                    registers.dx()
                ),
                "put '$' after the text's last byte, and its offset into DX",
            ),
            0x0A if byte(sight, 0) == 0 => found(
                "no-room",
                "the buffer's first byte is 0: INT 21h/0Ah returns at once, without a key".to_owned(),
                "put the number of bytes for the line, with its Enter, into the first byte: buffer db 21, ?, 21 dup (?)",
            ),
            _ => None,
        }
    }
}

/// Returns a byte after DS:DX.
fn byte(sight: &Sight, past: u32) -> u8 {
    let registers = &sight.cpu.regs;
    sight.hw.memory.read8(linear(registers.ds(), registers.dx().wrapping_add(past as u16)))
}

/// Returns whether the text at DS:DX ends with '$', without the instruction that prints it.
fn is_text(sight: &Sight) -> bool {
    let begin = linear(sight.cpu.regs.ds(), sight.cpu.regs.dx());
    let length = (0..LONGEST_TEXT).find(|past| byte(sight, *past) == b'$');
    length.is_some_and(|length| !(begin..begin + length).contains(&linear(sight.at.0, sight.at.1)))
}
