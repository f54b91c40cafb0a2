//! Reading and writing records of an open FCB: functions 14h, 15h, 21h, 22h, 27h, 28h.

use super::{
    Fcb, MARK, OPEN_DEVICE, OPEN_FILE, SIZE, fcb_node, random_record, record_size, sequential_record,
    set_random, set_sequential,
};
use crate::dos::{
    Dos,
    drive::attribute,
    error::{Answer, ErrorCode},
    guest::{Guest, GuestMemory},
    layout,
    level::Level,
};

/// AL of these functions.
const DONE: u8 = 0;
const END_OR_FULL: u8 = 1;
const SEGMENT_WRAP: u8 = 2;
const PARTIAL: u8 = 3;

impl Dos {
    /// One record, or CX of them (27h and 28h), between the file and the DTA.
    pub(super) fn fcb_records(&mut self, g: &mut Guest, level: &mut Level, fcb: Fcb, function: u8) -> Answer {
        let block = matches!(function, 0x27 | 0x28);
        let writes = matches!(function, 0x15 | 0x22 | 0x28);
        let first =
            if matches!(function, 0x14 | 0x15) { sequential_record(g, fcb) } else { random_record(g, fcb) };
        let size = usize::from(record_size(g, fcb));
        let wanted = if block { usize::from(g.cpu.regs.cx()) } else { 1 };
        // Only what lies in the DTA's segment can be moved.
        let dta = g.hw.far(layout::DTA);
        let room = (0x1_0000 - usize::from(dta.offset)) / size;
        let count = wanted.min(room);
        if count == 0 && wanted > 0 {
            g.cpu.regs.set_al(SEGMENT_WRAP);
            if block {
                g.cpu.regs.set_cx(0);
            }
            return Ok(());
        }
        let offset = u64::from(first) * size as u64;
        let Ok(offset) = u32::try_from(offset) else {
            g.cpu.regs.set_al(END_OR_FULL);
            return Ok(());
        };
        let (bytes, state) = match g.hw.byte(fcb.at.plus(MARK)) {
            OPEN_DEVICE => self.fcb_device(g, level, fcb, count * size, writes)?,
            OPEN_FILE if writes => self.fcb_write(g, fcb, offset, count * size, wanted)?,
            OPEN_FILE => self.fcb_read(g, fcb, offset, count * size, size)?,
            _ => {
                g.cpu.regs.set_al(END_OR_FULL);
                return Err(ErrorCode::InvalidHandle.into());
            }
        };
        let moved = if writes { bytes / size } else { bytes.div_ceil(size) };
        let state = if state == DONE && count < wanted { SEGMENT_WRAP } else { state };
        let next = first.wrapping_add(moved as u32);
        match function {
            0x14 | 0x15 => set_sequential(g, fcb, next),
            // 21h and 22h leave the random record, and set the sequential one to it.
            0x21 | 0x22 => set_sequential(g, fcb, first),
            _ => {
                set_random(g, fcb, next);
                set_sequential(g, fcb, next);
                g.cpu.regs.set_cx(moved as u16);
            }
        }
        g.cpu.regs.set_al(state);
        Ok(())
    }

    /// Reads to the DTA; the last record is filled up with zeros. Returns the bytes of the file.
    fn fcb_read(
        &mut self,
        g: &mut Guest,
        fcb: Fcb,
        offset: u32,
        len: usize,
        size: usize,
    ) -> Result<(usize, u8), ErrorCode> {
        let mut bytes = self.drive.read(fcb_node(g, fcb), offset, len)?;
        let got = bytes.len();
        let state = match got {
            0 => END_OR_FULL,
            _ if got == len => DONE,
            _ if got % size == 0 => END_OR_FULL,
            _ => PARTIAL,
        };
        bytes.resize(got.next_multiple_of(size), 0);
        let dta = g.hw.far(layout::DTA);
        g.hw.set_bytes(dta, &bytes);
        Ok((got, state))
    }

    /// Writes from the DTA; no records (28h with CX = 0) set the file's size.
    fn fcb_write(
        &mut self,
        g: &mut Guest,
        fcb: Fcb,
        offset: u32,
        len: usize,
        wanted: usize,
    ) -> Result<(usize, u8), ErrorCode> {
        let node = fcb_node(g, fcb);
        if self.drive.attributes(node)? & (attribute::READ_ONLY | attribute::DIRECTORY) != 0 {
            return Ok((0, END_OR_FULL));
        }
        let written = if wanted == 0 {
            let done = self.drive.resize(node, offset)?;
            (0, if done { DONE } else { END_OR_FULL })
        } else {
            let dta = g.hw.far(layout::DTA);
            let bytes = g.hw.bytes(dta, len);
            let written = self.drive.write(node, offset, &bytes)?;
            (written, if written == len { DONE } else { END_OR_FULL })
        };
        let stamp = self.stamp_now(g.hw);
        self.drive.set_stamp(node, stamp)?;
        let size = self.drive.size(node)?;
        g.hw.set_dword(fcb.at.plus(SIZE), size);
        Ok(written)
    }

    /// A device by FCB: CON shows what it is given; nothing can be read.
    fn fcb_device(
        &mut self,
        g: &mut Guest,
        level: &mut Level,
        fcb: Fcb,
        len: usize,
        writes: bool,
    ) -> Answer<(usize, u8)> {
        if !writes {
            return Ok((0, END_OR_FULL));
        }
        if g.hw.byte(fcb.at.plus(MARK + 1)) != 0 {
            let dta = g.hw.far(layout::DTA);
            let bytes = g.hw.bytes(dta, len);
            let end = bytes.iter().position(|&b| b == 0x1A).unwrap_or(bytes.len());
            self.show(g, level, &bytes[..end], true)?;
        }
        Ok((len, DONE))
    }
}
