//! Absolute disk access: INT 25h and 26h read and write sectors of a drive's volume by number.
//!
//! The caller's flags stay on the stack, as these two calls specify. The error is in AL as for INT
//! 24h, and in AH as for INT 13h. A host folder has no sectors.

use super::{
    error::{Answer, Pause},
    pending::Call,
    state::Dos,
};
use crate::{
    firmware::{CYCLES_A_CALL, CYCLES_A_SECTOR, Far, GuestMemory, Resume},
    hardware::disk::{DiskError, SECTOR},
    notice::NoticeKind,
};
use oxbox_cpu::Flags;

/// The value of CX that selects a packet at DS:BX: the first sector (doubleword), the number of
/// sectors, and the buffer's address.
const PACKET: u16 = 0xFFFF;

/// Drive not ready; sector not found; unknown unit; write protected; read and write faults; a large
/// volume needs the packet.
const NOT_READY: u16 = 0x8002;
const NOT_FOUND: u16 = 0x0408;
const UNKNOWN_UNIT: u16 = 0x0201;
const PROTECTED: u16 = 0x0300;
const FAULTS: [u16; 2] = [0x200B, 0x200A];
const NEEDS_PACKET: u16 = 0x0207;

impl Dos {
    /// INT 25h.
    pub(super) fn absolute_read(&mut self, g: &mut Call) -> Answer {
        self.absolute(g, false)
    }

    /// INT 26h.
    pub(super) fn absolute_write(&mut self, g: &mut Call) -> Answer {
        self.absolute(g, true)
    }

    fn absolute(&mut self, g: &mut Call, writes: bool) -> Answer {
        let result = self.move_absolute(g, writes);
        if let Err(error) = result {
            g.cpu.regs.set_ax(error);
        }
        let back = g.caller();
        let sp = g.cpu.regs.sp().wrapping_add(4);
        g.cpu.regs.set_sp(sp);
        g.cpu.regs.set_flag(Flags::CF, result.is_err());
        g.cpu.regs.set_flag(Flags::IF, true);
        g.jump(back);
        Err(Pause::Leave(Resume::Jump))
    }

    fn move_absolute(&mut self, g: &mut Call, writes: bool) -> Result<(), u16> {
        let drive = g.cpu.regs.al();
        let Some(partition) = self.disk.volumes.partition(drive) else {
            return Err(match self.disk.volumes.get(drive) {
                Some(_) => {
                    self.notice(g, NoticeKind::AbsoluteDisk);
                    NOT_FOUND
                }
                None if self.disk.volumes.has(drive) => NOT_READY,
                None => UNKNOWN_UNIT,
            });
        };
        let r = &g.cpu.regs;
        let buffer = Far::new(r.ds(), r.bx());
        let sectors = partition.layout(&g.hw.disks).map(|layout| layout.sectors);
        let (first, count, at) = if r.cx() == PACKET {
            (g.hw.dword(buffer), g.hw.word(buffer.plus(4)), g.hw.far(buffer.plus(6)))
        } else if sectors.is_some_and(|sectors| sectors > 0xFFFF) {
            return Err(NEEDS_PACKET);
        } else {
            (u32::from(r.dx()), r.cx(), buffer)
        };
        g.cpu.cycles += CYCLES_A_CALL;
        for number in 0..u32::from(count) {
            let there = sectors.is_none_or(|sectors| first.saturating_add(number) < sectors);
            let sector = partition.start.checked_add(first).and_then(|sector| sector.checked_add(number));
            let sector = sector.filter(|_| there).ok_or(NOT_FOUND)?;
            let place = Far::of_linear(at.linear() + number * SECTOR as u32);
            let moved = if writes {
                g.write_sector(partition.disk, sector, place)
            } else {
                g.read_sector(partition.disk, sector, place)
            };
            moved.map_err(|error| match error {
                DiskError::NotReady => NOT_READY,
                DiskError::NotFound => NOT_FOUND,
                DiskError::Protected => PROTECTED,
                DiskError::Failed => FAULTS[usize::from(writes)],
            })?;
            g.cpu.cycles += CYCLES_A_SECTOR;
        }
        Ok(())
    }
}
