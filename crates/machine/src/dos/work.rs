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
            0x3E..=0x40 | 0x42 => is_beyond_console(self.kind_of_handle(regs.bx(), hw)),
            0x00 | 0x0F..=0x17 | 0x21..=0x24 | 0x27 | 0x28 | 0x31 | 0x39..=0x3D | 0x41 | 0x43 => true,
            0x48..=0x4C | 0x4E | 0x4F | 0x56 | 0x5A | 0x5B | 0x68 | 0x6C => true,
            _ => false,
        }
    }

    /// Whether a call of INT 21h neither ends or starts a program, nor reads from the console or the
    /// standard input: while it is served, a run has nothing to check.
    pub(crate) fn may_serve_at_once(&self, regs: &Registers, hw: &mut Hardware) -> bool {
        match regs.ah() {
            0x02 | 0x09 | 0x0E | 0x19 | 0x1A | 0x25 | 0x2A | 0x2C | 0x2F | 0x30 | 0x33..=0x35 => true,
            0x3C..=0x3E | 0x40 | 0x42 | 0x43 | 0x47..=0x4A | 0x4E..=0x51 | 0x54 | 0x57..=0x59 | 0x62 => true,
            0x3F => matches!(self.kind_of_handle(regs.bx(), hw), Some(Kind::File(_))),
            _ => false,
        }
    }

    fn kind_of_handle(&self, handle: u16, hw: &mut Hardware) -> Option<Kind> {
        let index = self.disk.files.of_handle(hw, handle).ok()?;
        self.disk.files.get(index).map(|file| file.kind)
    }
}

fn is_beyond_console(kind: Option<Kind>) -> bool {
    matches!(kind, Some(Kind::File(_) | Kind::HostOutput { .. }))
}
