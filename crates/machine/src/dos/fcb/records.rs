//! Reading and writing records of an open FCB: functions 14h, 15h, 21h, 22h, 27h, 28h.

use super::{
    Fcb, MARK, OPEN, OPEN_DEVICE, OPEN_FILE, SIZE, fcb_place, random_record, record_size, sequential_record,
    set_random, set_sequential,
};
use crate::dos::{
    drive::attribute,
    error::{Answer, ErrorCode},
    pending::Call,
    state::Dos,
    sysvars,
    volumes::Place,
};
use crate::firmware::GuestMemory;

/// Results in AL.
const DONE: u8 = 0;
const END_OR_FULL: u8 = 1;
const SEGMENT_WRAP: u8 = 2;
const PARTIAL: u8 = 3;

/// The records that a function transfers, and the direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Transfer {
    records: Records,
    writes: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Records {
    /// The record at current block and current record, which then advance.
    Sequential,
    /// The random record, which does not change; current block and record are set to it.
    Random,
    /// CX records from the random record, which advances together with current block and record.
    Block,
}

impl Dos {
    /// 14h.
    pub(in crate::dos) fn fcb_read_sequential(&mut self, g: &mut Call) -> Answer {
        self.fcb_transfer(g, Transfer { records: Records::Sequential, writes: false })
    }

    /// 15h.
    pub(in crate::dos) fn fcb_write_sequential(&mut self, g: &mut Call) -> Answer {
        self.fcb_transfer(g, Transfer { records: Records::Sequential, writes: true })
    }

    /// 21h.
    pub(in crate::dos) fn fcb_read_random(&mut self, g: &mut Call) -> Answer {
        self.fcb_transfer(g, Transfer { records: Records::Random, writes: false })
    }

    /// 22h.
    pub(in crate::dos) fn fcb_write_random(&mut self, g: &mut Call) -> Answer {
        self.fcb_transfer(g, Transfer { records: Records::Random, writes: true })
    }

    /// 27h.
    pub(in crate::dos) fn fcb_read_block(&mut self, g: &mut Call) -> Answer {
        self.fcb_transfer(g, Transfer { records: Records::Block, writes: false })
    }

    /// 28h.
    pub(in crate::dos) fn fcb_write_block(&mut self, g: &mut Call) -> Answer {
        self.fcb_transfer(g, Transfer { records: Records::Block, writes: true })
    }

    /// Transfers records between the file and the DTA. AL is the result.
    fn fcb_transfer(&mut self, g: &mut Call, Transfer { records, writes }: Transfer) -> Answer {
        let fcb = Fcb::of_call(g);
        let first = match records {
            Records::Sequential => sequential_record(g, fcb),
            Records::Random | Records::Block => random_record(g, fcb),
        };
        let size = usize::from(record_size(g, fcb));
        let wanted = if records == Records::Block { usize::from(g.cpu.regs.cx()) } else { 1 };
        // Only records within the DTA's segment can be transferred.
        let dta = g.hw.far(sysvars::DTA);
        let room = (0x1_0000 - usize::from(dta.offset)) / size;
        let count = wanted.min(room);
        if count == 0 && wanted > 0 {
            g.cpu.regs.set_al(SEGMENT_WRAP);
            if records == Records::Block {
                g.cpu.regs.set_cx(0);
            }
            return Ok(());
        }
        let offset = u64::from(first) * size as u64;
        let Ok(offset) = u32::try_from(offset) else {
            g.cpu.regs.set_al(END_OR_FULL);
            return Ok(());
        };
        let mark = g.hw.byte(fcb.at.plus(MARK));
        let (bytes, state) = match mark & OPEN {
            _ if mark == OPEN_DEVICE => self.fcb_device(g, fcb, count * size, writes)?,
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
        match records {
            Records::Sequential => set_sequential(g, fcb, next),
            Records::Random => set_sequential(g, fcb, first),
            Records::Block => {
                set_random(g, fcb, next);
                set_sequential(g, fcb, next);
                g.cpu.regs.set_cx(moved as u16);
            }
        }
        g.cpu.regs.set_al(state);
        Ok(())
    }

    /// Reads to the DTA; the last record is padded with zeros. Returns the bytes of the file.
    fn fcb_read(
        &mut self,
        g: &mut Call,
        fcb: Fcb,
        offset: u32,
        len: usize,
        size: usize,
    ) -> Result<(usize, u8), ErrorCode> {
        let place = fcb_place(g, fcb);
        let mut bytes = self.on(g, place.drive)?.read(place.node, offset, len)?;
        let got = bytes.len();
        let state = match got {
            0 => END_OR_FULL,
            _ if got == len => DONE,
            _ if got % size == 0 => END_OR_FULL,
            _ => PARTIAL,
        };
        bytes.resize(got.next_multiple_of(size), 0);
        let dta = g.hw.far(sysvars::DTA);
        g.hw.set_bytes(dta, &bytes);
        Ok((got, state))
    }

    /// Writes from the DTA. 28h with CX = 0 sets the file's size.
    fn fcb_write(
        &mut self,
        g: &mut Call,
        fcb: Fcb,
        offset: u32,
        len: usize,
        wanted: usize,
    ) -> Result<(usize, u8), ErrorCode> {
        let Place { drive, node } = fcb_place(g, fcb);
        let dta = g.hw.far(sysvars::DTA);
        let stamp = self.stamp_now(g.hw);
        let bytes = g.hw.bytes(dta, len);
        let mut files = self.on(g, drive)?;
        if files.attributes(node)? & (attribute::READ_ONLY | attribute::DIRECTORY) != 0 {
            return Ok((0, END_OR_FULL));
        }
        let written = if wanted == 0 {
            let done = files.resize(node, offset)?;
            (0, if done { DONE } else { END_OR_FULL })
        } else {
            let written = files.write(node, offset, &bytes)?;
            (written, if written == len { DONE } else { END_OR_FULL })
        };
        files.set_stamp(node, stamp)?;
        let size = files.size(node)?;
        g.hw.set_dword(fcb.at.plus(SIZE), size);
        Ok(written)
    }

    /// Accesses a device by FCB: CON shows the data; no device can be read.
    fn fcb_device(&mut self, g: &mut Call, fcb: Fcb, len: usize, writes: bool) -> Answer<(usize, u8)> {
        if !writes {
            return Ok((0, END_OR_FULL));
        }
        if g.hw.byte(fcb.at.plus(MARK + 1)) != 0 {
            let dta = g.hw.far(sysvars::DTA);
            let bytes = g.hw.bytes(dta, len);
            let end = bytes.iter().position(|&b| b == 0x1A).unwrap_or(bytes.len());
            self.show(g, &bytes[..end], true)?;
        }
        Ok((len, DONE))
    }
}
