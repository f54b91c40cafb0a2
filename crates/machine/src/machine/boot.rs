//! A machine that starts from a disk: what its BIOS does with the first sector.

use crate::hardware::Hardware;
use crate::hardware::disk::SECTOR;
use oxbox_cpu::{Cpu, Flags};

/// Where the BIOS puts the first sector, and where it goes on.
const SECTOR_AT: u16 = 0x7C00;

/// The first sector of a drive is in memory, and the processor about to run it: DL is the drive, the stack lies below.
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
