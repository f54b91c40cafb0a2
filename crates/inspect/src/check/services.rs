//! Detects DOS calls whose failure the program ignores.

use super::super::access::interrupt_of;
use super::facts::Fact;
use super::kinds::Kind;
use super::sight::{Found, Sight};
use oxbox_cpu::Flags;

#[derive(Debug, Clone, Copy)]
struct Call {
    at: (u16, u16),
    /// CS, IP and SP of the return.
    back: (u16, u16, u16),
    ah: u8,
    error: Option<u16>,
}

#[derive(Debug, Default)]
pub(super) struct Services {
    call: Option<Call>,
    /// Whether opening a file has failed. An invalid handle is then not a separate mistake.
    has_no_file: bool,
}

impl Services {
    pub(super) fn forget(&mut self) {
        self.call = None;
    }

    pub(super) fn instruction(&mut self, sight: &Sight) -> Option<Found> {
        let registers = &sight.cpu.regs;
        let Fact { instruction, reads_carry, writes_carry, compares_ax, .. } = sight.fact;
        if let Some(call) = &mut self.call
            && call.error.is_none()
        {
            let is_back = call.back == (sight.at.0, sight.at.1, registers.sp());
            if is_back && registers.flag(Flags::CF) {
                call.error = Some(registers.ax());
            } else {
                self.call = None;
            }
        }
        let calls = interrupt_of(&instruction) == Some(0x21);
        let mut found = None;
        if let Some(call) = self.call {
            if !calls && (reads_carry || compares_ax) {
                self.call = None;
            } else if calls || writes_carry {
                self.call = None;
                found = self.found(call);
            }
        }
        if calls && name(registers.ah()).is_some() && !asks_for_free_memory(sight) {
            let back = (sight.at.0, instruction.next_ip16(), registers.sp());
            self.call = Some(Call { at: sight.at, back, ah: registers.ah(), error: None });
        }
        found
    }

    fn found(&mut self, call: Call) -> Option<Found> {
        const INVALID_HANDLE: u16 = 6;
        let error = call.error?;
        if error == INVALID_HANDLE && self.has_no_file {
            return None;
        }
        self.has_no_file |= matches!(call.ah, 0x3C | 0x3D | 0x5B | 0x6C);
        let (name, why) = (name(call.ah)?, super::super::calls::error_name(error));
        let text = format!(
            "INT 21h/{:02X}h, to {name}, failed with error {error}{why}, and the program continues as if it had succeeded",
            call.ah
        );
        Some(Found {
            kind: Kind::Services,
            id: "unchecked-error",
            at: call.at,
            text,
            note: None,
            help: "check the carry flag after the INT: `jc` to code that handles the error; AX is its number",
        })
    }
}

/// Returns the action of a function whose failure should not be ignored. Deleting or closing a file
/// that may not exist is often intended.
fn name(ah: u8) -> Option<&'static str> {
    Some(match ah {
        0x3C | 0x5B => "create a file",
        0x3D | 0x6C => "open a file",
        0x3F => "read",
        0x40 => "write",
        0x42 => "move the file position",
        0x48 => "allocate memory",
        0x4B => "execute a program",
        _ => return None,
    })
}

/// Returns whether the call requests FFFFh paragraphs, which fails intentionally: BX then returns
/// the free memory.
fn asks_for_free_memory(sight: &Sight) -> bool {
    sight.cpu.regs.ah() == 0x48 && sight.cpu.regs.bx() == 0xFFFF
}
