//! Drives: functions 0Dh, 0Eh, 19h, 1Bh, 1Ch, 1Fh, 32h, 36h, and IOCTL's questions about them.
//!
//! A: and B: are floppy drives that are never ready, C: is the host folder. Sizes are made up, and depend on what the program has
//! written and on nothing else.

use super::{
    Dos,
    drive::CLUSTER,
    error::{Answer, ErrorCode},
    guest::{Guest, GuestMemory},
    layout,
    level::Level,
    names::DRIVE_C,
};

/// Bytes of a sector.
const SECTOR: u16 = 512;
/// Sectors of a cluster.
const SECTORS: u16 = (CLUSTER / SECTOR as u64) as u16;

impl Dos {
    /// The drive that a call means: 0 is the current one, 1 is A:. None when there is no such drive.
    pub(super) fn drive_number(&mut self, g: &mut Guest, given: u8) -> Option<u8> {
        let drive = match given {
            0 => g.hw.byte(layout::CURRENT_DRIVE),
            _ => given - 1,
        };
        (drive <= DRIVE_C).then_some(drive)
    }

    /// 0Eh: DL becomes the current drive. AL is LASTDRIVE.
    pub(super) fn select_drive(&mut self, g: &mut Guest) {
        let drive = g.cpu.regs.dl();
        if drive <= DRIVE_C {
            g.hw.set_byte(layout::CURRENT_DRIVE, drive);
        }
        g.cpu.regs.set_al(layout::LAST_DRIVE);
    }

    /// 1Bh and 1Ch: sectors a cluster in AL, bytes a sector CX, clusters DX, media byte DS:BX; AL FFh when there is no such drive.
    pub(super) fn allocation_information(&mut self, g: &mut Guest, level: &mut Level, given: u8) -> Answer {
        let Some(drive) = self.drive_number(g, given) else {
            g.cpu.regs.set_al(0xFF);
            return Err(ErrorCode::InvalidDrive.into());
        };
        if drive != DRIVE_C {
            g.cpu.regs.set_al(0xFF);
            return Err(self.not_ready(g, level, drive));
        }
        let (_, total) = self.drive.clusters();
        let r = &mut g.cpu.regs;
        r.set_al(SECTORS as u8);
        r.set_cx(SECTOR);
        r.set_dx(total);
        r.set_ds(layout::DOS);
        r.set_bx(layout::DPB.offset + u16::from(drive) * 0x21 + 0x17);
        Ok(())
    }

    /// 1Fh and 32h: the drive parameter block, DS:BX; AL FFh when there is no such drive.
    pub(super) fn drive_parameters(&mut self, g: &mut Guest, level: &mut Level, given: u8) -> Answer {
        let Some(drive) = self.drive_number(g, given) else {
            g.cpu.regs.set_al(0xFF);
            return Err(ErrorCode::InvalidDrive.into());
        };
        if drive != DRIVE_C {
            g.cpu.regs.set_al(0xFF);
            return Err(self.not_ready(g, level, drive));
        }
        g.cpu.regs.set_al(0);
        g.cpu.regs.set_ds(layout::DOS);
        g.cpu.regs.set_bx(layout::DPB.offset + u16::from(drive) * 0x21);
        Ok(())
    }

    /// 36h: sectors a cluster AX, free clusters BX, bytes a sector CX, clusters DX; AX FFFFh when there is no such drive.
    pub(super) fn free_space(&mut self, g: &mut Guest, level: &mut Level) -> Answer {
        let given = g.cpu.regs.dl();
        let Some(drive) = self.drive_number(g, given) else {
            g.cpu.regs.set_ax(0xFFFF);
            return Err(ErrorCode::InvalidDrive.into());
        };
        if drive != DRIVE_C {
            let pause = self.not_ready(g, level, drive);
            if matches!(pause, super::error::Pause::Fail(_)) {
                g.cpu.regs.set_ax(0xFFFF);
            }
            return Err(pause);
        }
        let (free, total) = self.drive.clusters();
        let r = &mut g.cpu.regs;
        r.set_ax(SECTORS);
        r.set_bx(free);
        r.set_cx(SECTOR);
        r.set_dx(total);
        Ok(())
    }
}
