//! IOCTL: function 44h.

use super::{
    Dos,
    error::{Answer, ErrorCode},
    guest::Guest,
    handles::Kind,
    level::Level,
    names::DRIVE_C,
};

impl Dos {
    /// 44h, by AL.
    pub(super) fn ioctl(&mut self, g: &mut Guest, level: &mut Level) -> Answer {
        match g.cpu.regs.al() {
            0x00 => self.device_information(g),
            0x01 => self.set_device_information(g),
            // Control strings of a device: handle and drive must be there, but none of the drivers takes any.
            0x02 | 0x03 | 0x0C => {
                self.files.of_handle(g.hw, g.cpu.regs.bx())?;
                Err(ErrorCode::InvalidFunction.into())
            }
            0x04 | 0x05 | 0x0D => {
                self.ioctl_drive(g)?;
                Err(ErrorCode::InvalidFunction.into())
            }
            0x06 => self.input_ready(g, level),
            0x07 => {
                self.files.of_handle(g.hw, g.cpu.regs.bx())?;
                g.cpu.regs.set_al(0xFF);
                Ok(())
            }
            // Whether the drive's medium can be changed: 0 it can.
            0x08 => {
                let drive = self.ioctl_drive(g)?;
                g.cpu.regs.set_ax(u16::from(drive == DRIVE_C));
                Ok(())
            }
            // Whether the drive is remote (bit 12 of DX): it is not. The other bits are the driver's attributes.
            0x09 => {
                self.ioctl_drive(g)?;
                g.cpu.regs.set_dx(0x0842);
                Ok(())
            }
            // The same for a handle (bit 15).
            0x0A => self.device_information(g).map(|()| {
                let word = g.cpu.regs.dx() & 0x7FFF;
                g.cpu.regs.set_dx(word);
            }),
            // Retries of file sharing.
            0x0B => Ok(()),
            // The letter that a drive with several goes by: each has but one.
            0x0E | 0x0F => {
                self.ioctl_drive(g)?;
                g.cpu.regs.set_al(0);
                Ok(())
            }
            _ => Err(ErrorCode::InvalidFunction.into()),
        }
    }

    fn ioctl_drive(&mut self, g: &mut Guest) -> Result<u8, ErrorCode> {
        let given = g.cpu.regs.bl();
        self.drive_number(g, given).ok_or(ErrorCode::InvalidDrive)
    }

    fn device_information(&mut self, g: &mut Guest) -> Answer {
        let index = self.files.of_handle(g.hw, g.cpu.regs.bx())?;
        let word = self.files.get(index).ok_or(ErrorCode::InvalidHandle)?.information();
        g.cpu.regs.set_dx(word);
        g.cpu.regs.set_ax(word);
        Ok(())
    }

    /// 01: of a device, bit 5 (raw) can be set.
    fn set_device_information(&mut self, g: &mut Guest) -> Answer {
        let index = self.files.of_handle(g.hw, g.cpu.regs.bx())?;
        let word = g.cpu.regs.dx();
        let file = self.files.get_mut(index).ok_or(ErrorCode::InvalidHandle)?;
        if word >> 8 != 0 {
            return Err(ErrorCode::InvalidData.into());
        }
        match &mut file.kind {
            Kind::Con { raw } => *raw = word & 0x20 != 0,
            Kind::Device(_) => {}
            _ => return Err(ErrorCode::InvalidFunction.into()),
        }
        self.files.show(g.hw, index);
        Ok(())
    }

    /// 06: AL is FFh when a read gives something at once, 0 at the end of a file.
    fn input_ready(&mut self, g: &mut Guest, level: &mut Level) -> Answer {
        let index = self.files.of_handle(g.hw, g.cpu.regs.bx())?;
        let ready = match self.files.get(index).ok_or(ErrorCode::InvalidHandle)?.kind {
            Kind::Con { .. } => self.key_ready(g, level)?,
            Kind::HostInput => self.console.fed_ready(),
            Kind::File { .. } => !self.at_end(index),
            Kind::Device(_) => true,
            Kind::HostOutput { .. } => false,
        };
        g.cpu.regs.set_al(if ready { 0xFF } else { 0 });
        Ok(())
    }
}
