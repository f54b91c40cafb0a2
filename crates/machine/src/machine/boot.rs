//! Boot from a disk: the BIOS loads and runs the first sector.

use crate::hardware::Hardware;
use crate::hardware::disk::SECTOR;
use oxbox_cpu::{Cpu, Flags};

/// The address to which the BIOS loads the first sector, and where it continues.
const SECTOR_AT: u16 = 0x7C00;

/// Runs the first sector, which is in memory: DL is the drive, the stack is below it.
pub(super) fn start_sector(cpu: &mut Cpu, hw: &mut Hardware, drive: u8) {
    let sector = hw.disks.get(drive).and_then(|image| image.read(0).ok());
    hw.memory.write_bytes(u32::from(SECTOR_AT), &sector.unwrap_or([0; SECTOR]));
    let r = &mut cpu.regs;
    r.gpr = [0; 8];
    r.seg = [0; 6];
    r.set_dx(u16::from(drive));
    r.set_sp(SECTOR_AT);
    r.ip = u32::from(SECTOR_AT);
    r.flags = 0x02 | Flags::IF;
}
