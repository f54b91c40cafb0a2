//! INT 21h functions 01h to 0Ch.

use super::{line::Line, output::CTRL_Z};
use crate::{
    cpu::Flags,
    dos::{
        Dos,
        error::Answer,
        guest::{Far, Guest, GuestMemory},
        handles::Kind,
        level::Level,
    },
};

/// Room of the line that CON reads for a handle.
const HANDLE_LINE: usize = 127;

impl Dos {
    /// 01h, 07h and 08h: a byte from the standard input in AL; 1Ah at the end of a file.
    pub(in crate::dos) fn read_character(
        &mut self,
        g: &mut Guest,
        level: &mut Level,
        function: u8,
    ) -> Answer {
        let byte = match level.input {
            Some(byte) => byte,
            None => self.read_standard(g, level, function != 0x07)?.unwrap_or(CTRL_Z),
        };
        if function == 0x01 {
            level.input = Some(byte);
            self.print(g, level, &[byte])?;
        }
        g.cpu.regs.set_al(byte);
        Ok(())
    }

    /// 02h: shows DL. AL is the last character that went out.
    pub(in crate::dos) fn write_character(&mut self, g: &mut Guest, level: &mut Level) -> Answer {
        let byte = g.cpu.regs.dl();
        self.print(g, level, &[byte])?;
        g.cpu.regs.set_al(if byte == b'\t' { b' ' } else { byte });
        Ok(())
    }

    /// 03h to 05h: the serial port gives nothing but the end of a file, and takes what it is given, like the printer.
    pub(in crate::dos) fn serial_or_printer(
        &mut self,
        g: &mut Guest,
        level: &mut Level,
        function: u8,
    ) -> Answer {
        self.check_break(g, level)?;
        if function == 0x03 {
            g.cpu.regs.set_al(CTRL_Z);
        }
        Ok(())
    }

    /// 06h: shows DL as it is; or, for FFh, takes a byte if there is one and says so by ZF.
    pub(in crate::dos) fn direct_console(&mut self, g: &mut Guest, level: &mut Level) -> Answer {
        let byte = g.cpu.regs.dl();
        if byte != 0xFF {
            match self.standard(g.hw, 1) {
                Some(Kind::Con { .. }) => self.show(g, level, &[byte], false)?,
                Some(_) => self.write_standard(g, 1, &[byte])?,
                None => {}
            }
            g.cpu.regs.set_al(byte);
            return Ok(());
        }
        // Once the status has said yes, a handler of INT 16h is asked for the key itself.
        if level.input.is_none() {
            if !self.standard_ready(g, level)? {
                g.set_caller_flag(Flags::ZF, true);
                g.cpu.regs.set_al(0);
                return Ok(());
            }
            level.input = Some(0);
        }
        let byte = self.read_standard(g, level, false)?.unwrap_or(0);
        g.set_caller_flag(Flags::ZF, false);
        g.cpu.regs.set_al(byte);
        Ok(())
    }

    /// 09h: the string at DS:DX up to `$`; a whole segment when there is none.
    pub(in crate::dos) fn write_string(&mut self, g: &mut Guest, level: &mut Level) -> Answer {
        let text = g.hw.text(g.ds_dx(), b'$', 0x1_0000);
        self.print(g, level, &text)?;
        g.cpu.regs.set_al(b'$');
        Ok(())
    }

    /// 0Ah: a line into the buffer at DS:DX (its size; the number read; the characters and a carriage return).
    pub(in crate::dos) fn read_line(&mut self, g: &mut Guest, level: &mut Level) -> Answer {
        let buffer = g.ds_dx();
        let size = g.hw.byte(buffer);
        if size == 0 {
            return Ok(());
        }
        let room = usize::from(size) - 1;
        let mut template = old_line(g, buffer, room);
        let text = self.edit_line(g, level, room, || std::mem::take(&mut template))?;
        g.hw.set_byte(buffer.plus(1), text.len() as u8);
        g.hw.set_bytes(buffer.plus(2), &text);
        g.hw.set_byte(buffer.plus(2 + text.len() as u16), 0x0D);
        Ok(())
    }

    /// Lets a line be typed, or reads it from where the standard input leads. `template` is asked once.
    fn edit_line(
        &mut self,
        g: &mut Guest,
        level: &mut Level,
        room: usize,
        template: impl FnOnce() -> Vec<u8>,
    ) -> Answer<Vec<u8>> {
        if level.line.is_none() {
            level.line = Some(Line::new(room, template(), self.console.column));
        }
        loop {
            self.echo(g, level)?;
            if level.flushed_line() {
                break;
            }
            // The end of a file ends the line.
            let byte = self.read_standard(g, level, true)?.unwrap_or(0x0D);
            let mut echo = Vec::new();
            let Some(line) = level.line.as_mut() else { break };
            let done = line.take(byte, &mut echo);
            for byte in echo {
                self.enqueue(level, byte, false);
            }
            level.queued = true;
            level.input = done.then_some(byte);
        }
        Ok(level.line.take().map(|line| line.text().to_vec()).unwrap_or_default())
    }

    /// Shows what the editor wants shown, where the standard output leads.
    fn echo(&mut self, g: &mut Guest, level: &mut Level) -> Answer {
        match self.standard(g.hw, 1) {
            Some(Kind::Con { .. }) => self.drain(g, level),
            Some(_) => {
                let bytes = std::mem::take(&mut level.queue);
                level.sent = 0;
                if bytes.is_empty() { Ok(()) } else { self.write_standard(g, 1, &bytes) }
            }
            None => Ok(()),
        }
    }

    /// 0Bh: AL is FFh when the standard input has a byte.
    pub(in crate::dos) fn input_status(&mut self, g: &mut Guest, level: &mut Level) -> Answer {
        self.check_break(g, level)?;
        let ready = self.standard_ready(g, level)?;
        g.cpu.regs.set_al(if ready { 0xFF } else { 0 });
        Ok(())
    }

    /// 0Ch: empties the keyboard, then does the function AL.
    pub(in crate::dos) fn flush_and_read(&mut self, g: &mut Guest, level: &mut Level) -> Answer {
        if !level.flushed {
            level.flushed = true;
            self.forget_keys(g);
        }
        match g.cpu.regs.al() {
            function @ (0x01 | 0x07 | 0x08) => self.read_character(g, level, function),
            0x06 => self.direct_console(g, level),
            0x0A => self.read_line(g, level),
            _ => {
                g.cpu.regs.set_al(0);
                Ok(())
            }
        }
    }

    /// Reads from CON by handle: what is left of the last line, else a new line with CR LF. Ctrl-Z ends the input.
    pub(in crate::dos) fn read_con(
        &mut self,
        g: &mut Guest,
        level: &mut Level,
        count: usize,
        raw: bool,
    ) -> Answer<Vec<u8>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if raw {
            while level.taken.len() < count {
                let byte = self.read_key(g, level, false)?;
                level.taken.push(byte);
            }
            return Ok(std::mem::take(&mut level.taken));
        }
        if self.console.line.is_empty() {
            if !level.flushed {
                let mut template = Vec::new();
                if level.line.is_none() {
                    template = std::mem::take(&mut self.console.last_line);
                }
                let text = self.edit_line(g, level, HANDLE_LINE, || template)?;
                self.console.last_line.clone_from(&text);
                // The line feed that ends the line is shown too; from here on the line is complete.
                level.flushed = true;
                level.taken = text;
                level.queued = true;
                self.enqueue(level, b'\n', false);
            }
            self.echo(g, level)?;
            let text = std::mem::take(&mut level.taken);
            let end = text.iter().position(|&b| b == CTRL_Z);
            self.console.line.extend(&text[..end.unwrap_or(text.len())]);
            if end.is_none() {
                self.console.line.extend(b"\r\n");
            }
        }
        let count = count.min(self.console.line.len());
        Ok(self.console.line.drain(..count).collect())
    }
}

impl Level {
    /// The line's end has been typed, and all of its echo shown.
    fn flushed_line(&self) -> bool {
        self.line.is_some() && self.input.is_some()
    }
}

/// The line that the buffer holds from the call before: it must end in a carriage return.
fn old_line(g: &mut Guest, buffer: Far, room: usize) -> Vec<u8> {
    let len = usize::from(g.hw.byte(buffer.plus(1)));
    if len > room || g.hw.byte(buffer.plus(2 + len as u16)) != 0x0D {
        return Vec::new();
    }
    g.hw.bytes(buffer.plus(2), len)
}
