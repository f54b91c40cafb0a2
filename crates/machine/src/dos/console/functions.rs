//! INT 21h functions 01h to 0Ch.

use super::{control::CTRL_Z, line::Line};
use crate::{
    dos::{
        devices::Device,
        error::Answer,
        open_files::{Kind, OpenFile},
        pending::{Call, PendingCall},
        state::Dos,
    },
    firmware::{Far, GuestMemory},
    hardware::SideEffect,
    notice::NoticeKind,
};
use oxbox_cpu::Flags;

/// The size of the line that CON reads for a handle.
const HANDLE_LINE: usize = 127;

impl Dos {
    /// 01h: reads a byte from the standard input into AL and shows it; 1Ah at the end of a file.
    pub(in crate::dos) fn read_with_echo(&mut self, g: &mut Call) -> Answer {
        let byte = match g.pending.input {
            Some(byte) => byte,
            None => self.read_standard(g, true)?.unwrap_or(CTRL_Z),
        };
        g.pending.input = Some(byte);
        self.print(g, &[byte])?;
        g.cpu.regs.set_al(byte);
        Ok(())
    }

    /// 07h: reads a byte without echo, without checking for Ctrl-C.
    pub(in crate::dos) fn read_direct(&mut self, g: &mut Call) -> Answer {
        let byte = self.read_standard(g, false)?.unwrap_or(CTRL_Z);
        g.cpu.regs.set_al(byte);
        Ok(())
    }

    /// 08h: reads a byte without echo.
    pub(in crate::dos) fn read_without_echo(&mut self, g: &mut Call) -> Answer {
        let byte = self.read_standard(g, true)?.unwrap_or(CTRL_Z);
        g.cpu.regs.set_al(byte);
        Ok(())
    }

    /// 02h: shows DL. AL is the last character that was output.
    pub(in crate::dos) fn write_character(&mut self, g: &mut Call) -> Answer {
        let byte = g.cpu.regs.dl();
        self.print(g, &[byte])?;
        g.cpu.regs.set_al(if byte == b'\t' { b' ' } else { byte });
        Ok(())
    }

    /// 03h: the serial port returns only the end of a file.
    pub(in crate::dos) fn read_auxiliary(&mut self, g: &mut Call) -> Answer {
        self.check_break(g)?;
        g.cpu.regs.set_al(CTRL_Z);
        Ok(())
    }

    /// 04h: there is no serial port; the output is lost.
    pub(in crate::dos) fn write_auxiliary(&mut self, g: &mut Call) -> Answer {
        g.hw.note_side_effect(SideEffect::SerialPort);
        self.check_break(g)
    }

    /// 05h: there is no printer; the output is lost.
    pub(in crate::dos) fn write_printer(&mut self, g: &mut Call) -> Answer {
        g.hw.note_side_effect(SideEffect::Printer);
        self.check_break(g)
    }

    /// 06h: shows DL unchanged; for FFh, takes a byte if there is one, and reports that in ZF.
    pub(in crate::dos) fn direct_console(&mut self, g: &mut Call) -> Answer {
        let byte = g.cpu.regs.dl();
        if byte != 0xFF {
            match self.standard(g.hw, 1) {
                Some(Kind::Device(Device::Con)) => self.show(g, &[byte], false)?,
                Some(_) => self.write_standard(g, 1, &[byte])?,
                None => {}
            }
            g.cpu.regs.set_al(byte);
            return Ok(());
        }
        // After the status has reported a key, a handler of INT 16h is asked for the key itself.
        if g.pending.input.is_none() {
            if !self.standard_ready(g)? {
                g.set_caller_flag(Flags::ZF, true);
                g.cpu.regs.set_al(0);
                return Ok(());
            }
            g.pending.input = Some(0);
        }
        let byte = self.read_standard(g, false)?.unwrap_or(0);
        g.set_caller_flag(Flags::ZF, false);
        g.cpu.regs.set_al(byte);
        Ok(())
    }

    /// 09h: shows the string at DS:DX up to `$`; without one, a whole segment.
    pub(in crate::dos) fn write_string(&mut self, g: &mut Call) -> Answer {
        let text = g.hw.text(g.ds_dx(), b'$', 0x1_0000);
        if let Some(mistake) = self.text_mistake(g, &text) {
            self.notice(g, NoticeKind::Text { bytes: text.len(), mistake });
        }
        self.print(g, &text)?;
        g.cpu.regs.set_al(b'$');
        Ok(())
    }

    /// 0Ah: reads a line into the buffer at DS:DX (its size; the number read; the characters and a
    /// carriage return).
    pub(in crate::dos) fn read_line(&mut self, g: &mut Call) -> Answer {
        let buffer = g.ds_dx();
        let size = g.hw.byte(buffer);
        if size == 0 {
            return Ok(());
        }
        let room = usize::from(size) - 1;
        let mut template = old_line(g, buffer, room);
        let text = self.edit_line(g, room, || std::mem::take(&mut template))?;
        g.hw.set_byte(buffer.plus(1), text.len() as u8);
        g.hw.set_bytes(buffer.plus(2), &text);
        g.hw.set_byte(buffer.plus(2 + text.len() as u16), 0x0D);
        Ok(())
    }

    /// Edits a line at the keyboard, or reads it from redirected input. `template` is called once.
    fn edit_line(
        &mut self,
        g: &mut Call,
        room: usize,
        template: impl FnOnce() -> Vec<u8>,
    ) -> Answer<Vec<u8>> {
        if g.pending.line.is_none() {
            g.pending.line = Some(Box::new(Line::new(room, template(), self.console.column)));
        }
        loop {
            self.echo(g)?;
            if g.pending.flushed_line() {
                break;
            }
            // The end of a file ends the line.
            let byte = self.read_standard(g, true)?.unwrap_or(0x0D);
            let mut echo = Vec::new();
            let Some(line) = g.pending.line.as_mut() else { break };
            let done = line.take(byte, &mut echo);
            if line.has_used_start {
                g.hw.note_column_read();
            }
            for byte in echo {
                self.enqueue(g, byte, false);
            }
            g.pending.queued = true;
            g.pending.input = done.then_some(byte);
        }
        Ok(g.pending.line.take().map(|line| line.text().to_vec()).unwrap_or_default())
    }

    /// Writes the editor's echo to the standard output.
    fn echo(&mut self, g: &mut Call) -> Answer {
        match self.standard(g.hw, 1) {
            Some(Kind::Device(Device::Con)) => self.drain(g),
            Some(_) => {
                let bytes = std::mem::take(&mut g.pending.queue);
                g.pending.sent = 0;
                if bytes.is_empty() { Ok(()) } else { self.write_standard(g, 1, &bytes) }
            }
            None => Ok(()),
        }
    }

    /// 0Bh: AL is FFh if the standard input has a byte.
    pub(in crate::dos) fn input_status(&mut self, g: &mut Call) -> Answer {
        self.check_break(g)?;
        let ready = self.standard_ready(g)?;
        g.cpu.regs.set_al(if ready { 0xFF } else { 0 });
        Ok(())
    }

    /// 0Ch: clears the keyboard buffer, then calls function AL.
    pub(in crate::dos) fn flush_and_read(&mut self, g: &mut Call) -> Answer {
        if !g.pending.flushed {
            g.pending.flushed = true;
            self.forget_keys(g);
        }
        match g.cpu.regs.al() {
            0x01 => self.read_with_echo(g),
            0x07 => self.read_direct(g),
            0x08 => self.read_without_echo(g),
            0x06 => self.direct_console(g),
            0x0A => self.read_line(g),
            _ => {
                g.cpu.regs.set_al(0);
                Ok(())
            }
        }
    }

    /// Reads from CON by handle: the rest of the last line, or a new one with CR LF. A line that
    /// begins with Ctrl-Z ends the input. `count` is not 0.
    pub(in crate::dos) fn read_con(&mut self, g: &mut Call, index: usize, count: usize) -> Answer<Vec<u8>> {
        if self.disk.files.get(index).is_some_and(OpenFile::is_raw) {
            while g.pending.taken.len() < count {
                let byte = self.read_key(g, false)?;
                g.pending.taken.push(byte);
            }
            return Ok(std::mem::take(&mut g.pending.taken));
        }
        if self.console.line.is_empty() {
            let fed = matches!(self.standard(g.hw, 0), Some(Kind::HostInput));
            if fed && g.pending.line.is_none() && !g.pending.flushed && self.console.ask_for_line() {
                return Ok(Vec::new());
            }
            if !g.pending.flushed {
                let mut template = Vec::new();
                if g.pending.line.is_none() {
                    template = std::mem::take(&mut self.console.last_line);
                }
                let text = self.edit_line(g, HANDLE_LINE, || template)?;
                self.console.last_line.clone_from(&text);
                // The line feed that ends the line is shown too; from here the line is complete.
                g.pending.flushed = true;
                g.pending.taken = text;
                g.pending.queued = true;
                self.enqueue(g, b'\n', false);
            }
            self.echo(g)?;
            let text = std::mem::take(&mut g.pending.taken);
            if text.first() == Some(&CTRL_Z) {
                self.disk.files.end_input(g.hw, index);
                return Ok(Vec::new());
            }
            self.console.line.extend(text);
            self.console.line.extend(b"\r\n");
        }
        let count = count.min(self.console.line.len());
        Ok(self.console.line.drain(..count).collect())
    }
}

impl PendingCall {
    /// Whether the line's end has been typed, and all of its echo has been shown.
    fn flushed_line(&self) -> bool {
        self.line.is_some() && self.input.is_some()
    }
}

/// Returns the buffer's line from the previous call: it must end in a carriage return.
fn old_line(g: &mut Call, buffer: Far, room: usize) -> Vec<u8> {
    let len = usize::from(g.hw.byte(buffer.plus(1)));
    if len > room || g.hw.byte(buffer.plus(2 + len as u16)) != 0x0D {
        return Vec::new();
    }
    g.hw.bytes(buffer.plus(2), len)
}
