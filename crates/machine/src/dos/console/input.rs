//! Input: keys from the BIOS as CON returns them, and bytes from redirected standard input.

use super::control::{CTRL_C, CTRL_P, CTRL_S};
use crate::{
    bios::keyboard,
    dos::{
        devices::Device,
        error::{Answer, Pause},
        open_files::Kind,
        pending::{Call, KeyQuery},
        state::Dos,
        sysvars,
    },
    firmware::{GuestMemory, Resume},
};
use oxbox_cpu::Flags;

impl Dos {
    /// Waits for a byte from the keyboard. `checks` enables Ctrl-C, Ctrl-S and Ctrl-P.
    pub(in crate::dos) fn read_key(&mut self, g: &mut Call, checks: bool) -> Answer<u8> {
        if let Some(byte) = self.console.scan.take().or_else(|| self.console.replies.pop_front()) {
            return Ok(byte);
        }
        loop {
            if g.hw.byte(sysvars::BREAK_FLAG) != 0 {
                g.hw.set_byte(sysvars::BREAK_FLAG, 0);
                if checks {
                    self.show_ctrl_c(g)?;
                }
                return Ok(CTRL_C);
            }
            let Some(key) = self.take_key(g)? else {
                return Err(self.idle(g));
            };
            let Some(byte) = self.key_byte(key) else { continue };
            if !checks || key == 0 {
                return Ok(byte);
            }
            if g.pending.paused && byte != CTRL_C {
                g.pending.paused = false;
                self.console.scan = None;
                continue;
            }
            match byte {
                CTRL_C => self.show_ctrl_c(g)?,
                CTRL_S => g.pending.paused = true,
                CTRL_P => {}
                _ => return Ok(byte),
            }
        }
    }

    /// Returns the byte that CON returns for a key of the BIOS. A key without a character is 00h,
    /// then its scan code. `None` for the mark that Ctrl-Break leaves.
    fn key_byte(&mut self, key: u16) -> Option<u8> {
        let (character, scan) = (key as u8, (key >> 8) as u8);
        match (character, scan) {
            (0, 0) => None,
            // Ctrl-PrtSc is equivalent to Ctrl-P.
            (0, 0x72) => Some(CTRL_P),
            // The grey keys of the enhanced keyboard have the character E0h or F0h.
            (0 | 0xE0 | 0xF0, 1..) => {
                self.console.scan = Some(scan);
                Some(0)
            }
            _ => Some(character),
        }
    }

    /// Takes the next key without waiting, through the program's own INT 16h if it has one.
    fn take_key(&mut self, g: &mut Call) -> Answer<Option<u16>> {
        if !self.stubs.hooked(g.hw, 0x16) {
            return Ok(keyboard::read(g.hw));
        }
        match (g.pending.asked.take(), g.pending.returned.take()) {
            (Some(KeyQuery::Read), Some(regs)) => Ok(Some(regs.ax())),
            (Some(KeyQuery::Peek), Some(regs)) if regs.flag(Flags::ZF) => Ok(None),
            (Some(KeyQuery::Peek), Some(_)) => Err(self.ask(g, KeyQuery::Read)),
            _ => Err(self.ask(g, KeyQuery::Peek)),
        }
    }

    fn ask(&mut self, g: &mut Call, what: KeyQuery) -> Pause {
        g.pending.asked = Some(what);
        g.cpu.regs.set_ax(match what {
            KeyQuery::Read => 0x0000,
            KeyQuery::Peek => 0x0100,
        });
        Pause::Leave(Resume::Call(0x16))
    }

    /// Waits for input, after a call of INT 28h if it is hooked.
    pub(in crate::dos) fn idle(&mut self, g: &mut Call) -> Pause {
        if self.stubs.hooked(g.hw, 0x28) && !g.pending.idled {
            g.pending.idled = true;
            return Pause::Leave(Resume::Call(0x28));
        }
        g.pending.idled = false;
        self.status.waiting = true;
        Pause::Leave(Resume::Wait)
    }

    /// Whether a byte can be read from the keyboard now.
    pub(in crate::dos) fn key_ready(&mut self, g: &mut Call) -> Answer<bool> {
        if self.console.scan.is_some()
            || !self.console.replies.is_empty()
            || g.hw.byte(sysvars::BREAK_FLAG) != 0
        {
            return Ok(true);
        }
        if !self.stubs.hooked(g.hw, 0x16) {
            // The mark of Ctrl-Break is not a key.
            while keyboard::peek(g.hw) == Some(0) {
                keyboard::read(g.hw);
            }
            return Ok(keyboard::peek(g.hw).is_some());
        }
        match (g.pending.asked.take(), g.pending.returned.take()) {
            (Some(KeyQuery::Peek), Some(regs)) => Ok(!regs.flag(Flags::ZF)),
            _ => Err(self.ask(g, KeyQuery::Peek)),
        }
    }

    /// Waits for a byte from the standard input. `None` at the end of a file.
    pub(in crate::dos) fn read_standard(&mut self, g: &mut Call, checks: bool) -> Answer<Option<u8>> {
        match self.standard(g.hw, 0) {
            Some(Kind::Device(Device::Con)) => self.read_key(g, checks).map(Some),
            Some(Kind::HostInput) => match self.console.fed(1) {
                Some(bytes) => Ok(bytes.first().copied()),
                None => Err(self.idle(g)),
            },
            Some(Kind::File(_)) => {
                let index = self.disk.files.of_handle(g.hw, 0)?;
                Ok(self.read_file(g, index, 1)?.first().copied())
            }
            _ => Ok(None),
        }
    }

    /// Whether the standard input has a byte now. As in DOS, a file always has one until its end.
    pub(in crate::dos) fn standard_ready(&mut self, g: &mut Call) -> Answer<bool> {
        match self.standard(g.hw, 0) {
            Some(Kind::Device(Device::Con)) => self.key_ready(g),
            Some(Kind::HostInput) => Ok(self.console.ask_whether_fed()),
            Some(Kind::File(_)) => {
                let index = self.disk.files.of_handle(g.hw, 0)?;
                Ok(!self.at_end(g, index))
            }
            _ => Ok(false),
        }
    }

    /// 0Ch: discards waiting keys.
    pub(in crate::dos) fn forget_keys(&mut self, g: &mut Call) {
        self.console.forget_line();
        while keyboard::read(g.hw).is_some() {}
    }
}
