//! Output to CON: tabs, output through INT 29h, Ctrl-C and Ctrl-S during output.

use super::{
    ansi::ESCAPE,
    control::{BELL, CTRL_C, CTRL_S},
    screen, to_tab_stop,
};
use crate::{
    bios::{keyboard, video},
    dos::{
        devices::Device,
        error::{Answer, Pause},
        open_files::Kind,
        pending::{Call, CtrlCState},
        state::Dos,
        sysvars,
    },
    firmware::{GuestMemory, Resume},
    hardware::Hardware,
};
use oxbox_cpu::Registers;

/// Virtual time of output. Without it a program could print a segment with some instructions, and
/// exceed any time limit.
const CHARACTERS_A_CYCLE: u64 = 2;

impl Dos {
    /// Function 02h in the simplest case: INT 10h is not hooked, no call is in progress, no key
    /// waits that might be Ctrl-C, no time is owed, and the character is a plain one. Returns
    /// false, with nothing done, otherwise.
    pub(in crate::dos) fn fast_character(&mut self, regs: &mut Registers, hw: &mut Hardware) -> bool {
        let byte = regs.dl();
        let plain = regs.ah() == 0x02 && !matches!(byte, BELL | b'\t' | ESCAPE);
        let quick = plain
            && self.console.ansi.is_idle()
            && self.running.calls.is_empty()
            && self.clock.deferred_cycles == 0
            && keyboard::peek(hw).is_none()
            && hw.byte(sysvars::BREAK_FLAG) == 0
            && self.screen_is_ours(hw)
            && matches!(self.standard(hw, 1), Some(Kind::Device(Device::Con)));
        if quick {
            self.count_column(byte);
            screen::teletype(hw, byte);
            regs.set_al(byte);
        }
        quick
    }

    /// Writes to standard output like 02h and 09h: expands tabs on the screen, checks for Ctrl-C.
    pub(super) fn print(&mut self, g: &mut Call, bytes: &[u8]) -> Answer {
        match self.standard(g.hw, 1) {
            Some(Kind::Device(Device::Con)) => self.show(g, bytes, true),
            Some(_) => {
                self.check_break(g)?;
                self.write_standard(g, 1, bytes)
            }
            None => Ok(()),
        }
    }

    /// Shows bytes on the screen; `cooked` expands tabs and checks for Ctrl-C.
    pub(in crate::dos) fn show(&mut self, g: &mut Call, bytes: &[u8], cooked: bool) -> Answer {
        if cooked {
            self.check_break(g)?;
        }
        if self.screen_is_ours(g.hw) && g.pending.queue.is_empty() && !bytes.contains(&BELL) {
            self.show_direct(g.hw, bytes, cooked);
            self.clock.deferred_cycles += bytes.len() as u64 / CHARACTERS_A_CYCLE;
            return Ok(());
        }
        if !g.pending.queued {
            g.pending.queued = true;
            for &byte in bytes {
                self.enqueue(g, byte, cooked);
            }
        }
        while g.pending.sent < g.pending.queue.len() {
            if cooked {
                self.check_break(g)?;
            }
            self.send_next(g)?;
        }
        // Between characters for a handler there may be any number of others.
        self.clock.deferred_cycles += g.pending.queue.len() as u64 / CHARACTERS_A_CYCLE;
        g.pending.queue.clear();
        g.pending.sent = 0;
        Ok(())
    }

    /// Whether neither INT 29h nor INT 10h is hooked.
    #[inline]
    fn screen_is_ours(&self, hw: &mut Hardware) -> bool {
        !self.stubs.hooked(hw, 0x29) && !self.stubs.hooked(hw, 0x10)
    }

    fn show_direct(&mut self, hw: &mut Hardware, mut bytes: &[u8], cooked: bool) {
        while let [first, rest @ ..] = bytes {
            let is_plain = |byte: &&u8| !matches!(**byte, ESCAPE | b'\t');
            let plain =
                if self.console.ansi.is_idle() { bytes.iter().take_while(is_plain).count() } else { 0 };
            if plain > 0 {
                let (run, rest) = bytes.split_at(plain);
                run.iter().for_each(|&byte| self.count_column(byte));
                screen::teletype_all(hw, run);
                bytes = rest;
            } else {
                self.show_one(hw, *first, cooked);
                bytes = rest;
            }
        }
    }

    fn show_one(&mut self, hw: &mut Hardware, byte: u8, cooked: bool) {
        if byte == b'\t' && cooked {
            hw.note_column_read();
            for _ in 0..to_tab_stop(self.console.column.into()) {
                self.count_column(b' ');
                self.put(hw, b' ');
            }
            return;
        }
        self.count_column(byte);
        self.put(hw, byte);
    }

    /// Passes a character to the screen, or to ANSI.SYS.
    #[inline]
    fn put(&mut self, hw: &mut Hardware, byte: u8) {
        if byte == ESCAPE || !self.console.ansi.is_idle() {
            self.console.interpret(hw, byte);
        } else {
            screen::teletype(hw, byte);
        }
    }

    /// Whether the next character is part of an escape sequence.
    pub(crate) fn interprets_output(&self) -> bool {
        !self.console.ansi.is_idle()
    }

    /// Whether ANSI.SYS processes a character, even if INT 10h is hooked.
    fn is_for_ansi(&self, byte: u8) -> bool {
        self.console.ansi.is_on() && byte != BELL && (byte == ESCAPE || !self.console.ansi.is_idle())
    }

    pub(super) fn enqueue(&mut self, g: &mut Call, byte: u8, cooked: bool) {
        let is_tab = byte == b'\t' && cooked;
        if is_tab {
            g.hw.note_column_read();
        }
        let (byte, count) = if is_tab { (b' ', to_tab_stop(self.console.column.into())) } else { (byte, 1) };
        for _ in 0..count {
            self.count_column(byte);
            g.pending.queue.push(byte);
        }
    }

    fn count_column(&mut self, byte: u8) {
        let column = &mut self.console.column;
        *column = match byte {
            0x08 => column.wrapping_sub(1),
            0x0D => 0,
            // Other control characters, and DEL.
            0x00..0x20 | 0x7F => *column,
            _ => column.wrapping_add(1),
        };
    }

    /// Shows the queue without checking for Ctrl-C.
    pub(in crate::dos) fn drain(&mut self, g: &mut Call) -> Answer {
        while g.pending.sent < g.pending.queue.len() {
            self.send_next(g)?;
        }
        g.pending.queue.clear();
        g.pending.sent = 0;
        Ok(())
    }

    /// Shows one byte of the queue, through the program's own handler if it has one.
    fn send_next(&mut self, g: &mut Call) -> Answer {
        let byte = g.pending.queue[g.pending.sent];
        g.pending.sent += 1;
        let hooked = self.stubs.hooked(g.hw, 0x29);
        if byte != BELL && !hooked && !self.stubs.hooked(g.hw, 0x10) || !hooked && self.is_for_ansi(byte) {
            self.put(g.hw, byte);
            return Ok(());
        }
        g.cpu.regs.set_al(byte);
        if hooked {
            return Err(Pause::Leave(Resume::Call(0x29)));
        }
        Err(self.call_teletype(g, byte))
    }

    fn call_teletype(&mut self, g: &mut Call, byte: u8) -> Pause {
        g.cpu.regs.set_ax(0x0E00 | u16::from(byte));
        g.cpu.regs.set_bl(0x07);
        let page = video::active_page(g.hw);
        g.cpu.regs.set_bh(page);
        Pause::Leave(Resume::Call(0x10))
    }

    /// INT 29h: shows AL.
    pub(in crate::dos) fn fast_output(&mut self, g: &mut Call) -> Answer {
        let byte = g.cpu.regs.al();
        if !self.stubs.hooked(g.hw, 0x10) && byte != BELL || self.is_for_ansi(byte) {
            self.put(g.hw, byte);
            return Ok(());
        }
        if g.pending.queued {
            return Ok(());
        }
        g.pending.queued = true;
        Err(self.call_teletype(g, byte))
    }

    /// Checks the waiting keys for Ctrl-C, Ctrl-Break and Ctrl-S.
    pub(in crate::dos) fn check_break(&mut self, g: &mut Call) -> Answer {
        if g.pending.breaking != CtrlCState::No {
            return Ok(());
        }
        if g.hw.byte(sysvars::BREAK_FLAG) != 0 {
            g.hw.set_byte(sysvars::BREAK_FLAG, 0);
            return self.show_ctrl_c(g);
        }
        loop {
            // A program that has hooked INT 16h gets its keys from there. Calling it for each
            // character would be too slow, so only the buffer is checked.
            let Some(key) = keyboard::peek(g.hw) else {
                if g.pending.paused {
                    self.status.waiting = true;
                    return Err(Pause::Leave(Resume::Wait));
                }
                return Ok(());
            };
            match key as u8 {
                CTRL_C => {
                    keyboard::read(g.hw);
                    return self.show_ctrl_c(g);
                }
                _ if g.pending.paused => {
                    keyboard::read(g.hw);
                    g.pending.paused = false;
                }
                CTRL_S => {
                    keyboard::read(g.hw);
                    g.pending.paused = true;
                }
                _ => return Ok(()),
            }
        }
    }
}
