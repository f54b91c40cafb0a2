//! Drives: functions 0Dh, 0Eh, 19h, 1Bh, 1Ch, 1Fh, 32h, 36h, 69h.
//!
//! A: and B: are floppy drives, not ready without an image. The sizes of a folder are invented, and
//! depend only on what the program has written.

use super::{
    error::{Answer, ErrorCode},
    pending::Call,
    state::Dos,
    sysvars,
};
use crate::firmware::GuestMemory;

const SECTOR: u16 = 512;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// The current drive.
    Default,
    /// The drive in DL, where 0 is the current one.
    Dl,
}

impl Dos {
    /// Returns the drive that a call means: 0 the current one, 1 A:. `None` if it does not exist.
    pub(super) fn drive_number(&mut self, g: &mut Call, given: u8) -> Option<u8> {
        let drive = match given {
            0 => g.hw.byte(sysvars::CURRENT_DRIVE),
            _ => given - 1,
        };
        self.disk.volumes.has(drive).then_some(drive)
    }

    /// 0Dh: stores all written data on the host.
    pub(super) fn reset_disk(&mut self, _: &mut Call) -> Answer {
        self.disk.volumes.flush().map_err(|_| ErrorCode::AccessDenied.into())
    }

    /// 19h: the current drive in AL.
    pub(super) fn default_drive(&mut self, g: &mut Call) -> Answer {
        let drive = g.hw.byte(sysvars::CURRENT_DRIVE);
        g.cpu.regs.set_al(drive);
        Ok(())
    }

    /// 0Eh: makes DL the current drive. AL is LASTDRIVE.
    pub(super) fn select_drive(&mut self, g: &mut Call) -> Answer {
        let drive = g.cpu.regs.dl();
        if self.disk.volumes.has(drive) {
            g.hw.set_byte(sysvars::CURRENT_DRIVE, drive);
        }
        let last = g.hw.byte(sysvars::LAST_DRIVE_AT);
        g.cpu.regs.set_al(last);
        Ok(())
    }

    /// Returns the drive that a call refers to. If it does not exist or is not ready, AL is FFh.
    fn asked_drive(&mut self, g: &mut Call, of: Of) -> Answer<u8> {
        let given = match of {
            Of::Default => 0,
            Of::Dl => g.cpu.regs.dl(),
        };
        match self.drive_number(g, given) {
            Some(drive) if self.disk.volumes.get(drive).is_some() => Ok(drive),
            Some(drive) => {
                g.cpu.regs.set_al(0xFF);
                Err(self.not_ready(g, drive))
            }
            None => {
                g.cpu.regs.set_al(0xFF);
                Err(ErrorCode::InvalidDrive.into())
            }
        }
    }

    /// 1Bh and 1Ch: sectors per cluster in AL, bytes per sector in CX, clusters in DX, media byte
    /// at DS:BX; AL is FFh if the drive does not exist.
    pub(super) fn allocation_information(&mut self, g: &mut Call, of: Of) -> Answer {
        let drive = self.asked_drive(g, of)?;
        let clusters = self.on(g, drive).and_then(|mut files| files.clusters());
        let (_, total, sectors) = clusters.inspect_err(|_| g.cpu.regs.set_al(0xFF))?;
        let media = sysvars::dpb(g.hw, drive).plus(0x17);
        let r = &mut g.cpu.regs;
        r.set_al(sectors);
        r.set_cx(SECTOR);
        r.set_dx(total);
        r.set_ds(media.segment);
        r.set_bx(media.offset);
        Ok(())
    }

    /// 1Fh and 32h: the drive parameter block at DS:BX; AL is FFh if the drive does not exist.
    pub(super) fn drive_parameters(&mut self, g: &mut Call, of: Of) -> Answer {
        let drive = self.asked_drive(g, of)?;
        let block = sysvars::dpb(g.hw, drive);
        g.cpu.regs.set_al(0);
        g.cpu.regs.set_ds(block.segment);
        g.cpu.regs.set_bx(block.offset);
        Ok(())
    }

    /// 36h: sectors per cluster in AX, free clusters in BX, bytes per sector in CX, clusters in DX;
    /// AX is FFFFh if the drive does not exist.
    pub(super) fn free_space(&mut self, g: &mut Call) -> Answer {
        let given = g.cpu.regs.dl();
        let Some(drive) = self.drive_number(g, given) else {
            g.cpu.regs.set_ax(0xFFFF);
            return Err(ErrorCode::InvalidDrive.into());
        };
        if self.disk.volumes.get(drive).is_none() {
            let pause = self.not_ready(g, drive);
            if matches!(pause, super::error::Pause::Fail(_)) {
                g.cpu.regs.set_ax(0xFFFF);
            }
            return Err(pause);
        }
        let clusters = self.on(g, drive).and_then(|mut files| files.clusters());
        let (free, total, sectors) = clusters.inspect_err(|_| g.cpu.regs.set_ax(0xFFFF))?;
        let r = &mut g.cpu.regs;
        r.set_ax(u16::from(sectors));
        r.set_bx(free);
        r.set_cx(SECTOR);
        r.set_dx(total);
        Ok(())
    }

    /// 69h: stores serial number, label and file system of drive BL at DS:DX.
    pub(super) fn volume_serial(&mut self, g: &mut Call) -> Answer {
        let drive = self.drive_number(g, g.cpu.regs.bl()).ok_or(ErrorCode::InvalidDrive)?;
        if g.cpu.regs.al() != 0 || self.disk.volumes.get(drive).is_none() {
            return Err(ErrorCode::AccessDenied.into());
        }
        let (serial, name) = match self.disk.volumes.layout(&g.hw.disks, drive) {
            None => (Some(0x0B0C_1980), b"NO NAME    FAT16   "),
            Some(layout) if layout.wide => (layout.serial, b"NO NAME    FAT16   "),
            Some(layout) => (layout.serial, b"NO NAME    FAT12   "),
        };
        let at = g.ds_dx();
        g.hw.set_word(at, 0);
        // A disk formatted before DOS 4 has no serial number.
        g.hw.set_dword(at.plus(2), serial.ok_or(ErrorCode::AccessDenied)?);
        g.hw.set_bytes(at.plus(6), name);
        Ok(())
    }
}
