//! Recognises calls that a program does not make while it only waits for a key.

use super::{open_files::Kind, state::Dos};
use crate::hardware::Hardware;
use oxbox_cpu::Registers;

impl Dos {
    /// Whether a call of INT 21h does work: it ends or starts a program, changes memory blocks, or
    /// accesses a file or redirected input and output. Output to the screen is not work: programs
    /// draw while they wait.
    pub(crate) fn is_work(&self, regs: &Registers, hw: &mut Hardware) -> bool {
        match regs.ah() {
            0x02 | 0x06 | 0x09 => is_beyond_console(self.standard(hw, 1)),
            0x3E..=0x40 | 0x42 => {
                let file = self
                    .disk
                    .files
                    .of_handle(hw, regs.bx())
                    .ok()
                    .and_then(|index| self.disk.files.get(index));
                is_beyond_console(file.map(|file| file.kind))
            }
            0x00 | 0x0F..=0x17 | 0x21..=0x24 | 0x27 | 0x28 | 0x31 | 0x39..=0x3D | 0x41 | 0x43 => true,
            0x48..=0x4C | 0x4E | 0x4F | 0x56 | 0x5A | 0x5B | 0x68 | 0x6C => true,
            _ => false,
        }
    }
}

fn is_beyond_console(kind: Option<Kind>) -> bool {
    matches!(kind, Some(Kind::File(_) | Kind::HostOutput { .. }))
}
