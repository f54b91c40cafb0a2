//! IOCTL: function 44h.

use super::{
    devices::Device,
    error::{Answer, ErrorCode},
    names::DRIVE_C,
    open_files::Kind,
    pending::Call,
    state::{Dos, Handler},
};
use crate::firmware::{Functions, row};

#[rustfmt::skip]
pub(super) static FUNCTIONS: Functions<Handler> = Functions::new(&[
    row(0x00, "get device information",              Dos::device_information),
    row(0x01, "set device information",              Dos::set_device_information),
    row(0x02, "read from character device control",  Dos::no_device_control),
    row(0x03, "write to character device control",   Dos::no_device_control),
    row(0x04, "read from block device control",      Dos::no_drive_control),
    row(0x05, "write to block device control",       Dos::no_drive_control),
    row(0x06, "get input status",                    Dos::input_ready),
    row(0x07, "get output status",                   Dos::output_ready),
    row(0x08, "check if block device removable",     Dos::is_removable),
    row(0x09, "check if block device remote",        Dos::is_drive_remote),
    row(0x0A, "check if handle is remote",           Dos::is_handle_remote),
    row(0x0B, "set sharing retry count",             |_, _| Ok(())),
    row(0x0C, "generic character device request",    Dos::no_device_control),
    row(0x0D, "generic block device request",        Dos::no_drive_control),
    row(0x0E, "get logical drive map",               Dos::logical_drive),
    row(0x0F, "set logical drive map",               Dos::logical_drive),
]);

impl Dos {
    /// Control strings of a character device: the handle must be open, but no driver accepts any.
    fn no_device_control(&mut self, g: &mut Call) -> Answer {
        self.disk.files.of_handle(g.hw, g.cpu.regs.bx())?;
        Err(ErrorCode::InvalidFunction.into())
    }

    /// Control strings of a drive: the driver does not accept any.
    fn no_drive_control(&mut self, g: &mut Call) -> Answer {
        self.ioctl_drive(g)?;
        Err(ErrorCode::InvalidFunction.into())
    }

    /// 07: output is always ready.
    fn output_ready(&mut self, g: &mut Call) -> Answer {
        self.disk.files.of_handle(g.hw, g.cpu.regs.bx())?;
        g.cpu.regs.set_al(0xFF);
        Ok(())
    }

    /// 08: AX is 0 if the drive's medium can be changed.
    fn is_removable(&mut self, g: &mut Call) -> Answer {
        let drive = self.ioctl_drive(g)?;
        let is_fixed = drive >= DRIVE_C;
        g.cpu.regs.set_ax(u16::from(is_fixed));
        Ok(())
    }

    /// 09: bit 12 of DX is clear: the drive is not remote. The others are the driver's attributes.
    fn is_drive_remote(&mut self, g: &mut Call) -> Answer {
        self.ioctl_drive(g)?;
        g.cpu.regs.set_dx(0x0842);
        Ok(())
    }

    /// 0A: the same for a handle, bit 15.
    fn is_handle_remote(&mut self, g: &mut Call) -> Answer {
        self.device_information(g)?;
        let word = g.cpu.regs.dx() & 0x7FFF;
        g.cpu.regs.set_dx(word);
        Ok(())
    }

    /// 0E and 0F: AL is the active letter of a drive with several letters. Each has only one, which
    /// is reported as 0.
    fn logical_drive(&mut self, g: &mut Call) -> Answer {
        self.ioctl_drive(g)?;
        g.cpu.regs.set_al(0);
        Ok(())
    }

    fn ioctl_drive(&mut self, g: &mut Call) -> Result<u8, ErrorCode> {
        self.drive_number(g, g.cpu.regs.bl()).ok_or(ErrorCode::InvalidDrive)
    }

    /// 00: DX is the device information.
    fn device_information(&mut self, g: &mut Call) -> Answer {
        let index = self.disk.files.of_handle(g.hw, g.cpu.regs.bx())?;
        let word = self.disk.files.get(index).ok_or(ErrorCode::InvalidHandle)?.information();
        g.cpu.regs.set_dx(word);
        g.cpu.regs.set_ax(word);
        Ok(())
    }

    /// 01: sets the low byte of a device's information, except bit 7. Nothing of a file's changes.
    /// AL is the low byte before.
    fn set_device_information(&mut self, g: &mut Call) -> Answer {
        let index = self.disk.files.of_handle(g.hw, g.cpu.regs.bx())?;
        let word = g.cpu.regs.dx();
        let file = self.disk.files.get_mut(index).ok_or(ErrorCode::InvalidHandle)?;
        // Bit 8 (INT 24h on a full disk) is accepted and has no effect.
        if word & 0xFE00 != 0 {
            return Err(ErrorCode::InvalidData.into());
        }
        g.cpu.regs.set_al(file.flags);
        if let Kind::Device(_) = file.kind {
            file.flags = word as u8 | 0x80;
        }
        self.disk.files.show(g.hw, index);
        Ok(())
    }

    /// 06: AL is FFh if a read would return data at once, 0 at the end of a file.
    fn input_ready(&mut self, g: &mut Call) -> Answer {
        let index = self.disk.files.of_handle(g.hw, g.cpu.regs.bx())?;
        let ready = match self.disk.files.get(index).ok_or(ErrorCode::InvalidHandle)?.kind {
            Kind::Device(Device::Con) => self.key_ready(g)?,
            Kind::HostInput => self.console.ask_whether_fed(),
            Kind::File(_) => !self.at_end(g, index),
            Kind::Device(_) => true,
            Kind::HostOutput { .. } => false,
        };
        g.cpu.regs.set_al(if ready { 0xFF } else { 0 });
        Ok(())
    }
}
