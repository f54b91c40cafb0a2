//! Reading from and writing to handles: INT 21h functions 3Fh and 40h.

use super::{
    devices::Device,
    error::{Answer, ErrorCode},
    open_files::Kind,
    pending::Call,
    state::Dos,
    volumes::Place,
};
use crate::firmware::GuestMemory;

impl Dos {
    /// 3Fh: reads CX bytes of BX to DS:DX.
    pub(super) fn read(&mut self, g: &mut Call) -> Answer {
        let index = self.disk.files.of_handle(g.hw, g.cpu.regs.bx())?;
        let count = usize::from(g.cpu.regs.cx());
        let file = self.disk.files.get(index).ok_or(ErrorCode::InvalidHandle)?;
        if !file.may_read() {
            return Err(ErrorCode::AccessDenied.into());
        }
        let bytes = match file.kind {
            _ if count == 0 || file.is_ended() => Vec::new(),
            Kind::Device(Device::Con) => self.read_con(g, index, count)?,
            Kind::Device(Device::Nul) => {
                self.disk.files.end_input(g.hw, index);
                Vec::new()
            }
            Kind::Device(_) | Kind::HostOutput { .. } => Vec::new(),
            Kind::HostInput => match self.console.fed(count) {
                Some(bytes) => bytes,
                None => return Err(self.idle(g)),
            },
            Kind::File(_) => self.read_file(g, index, count)?,
        };
        g.hw.set_bytes(g.ds_dx(), &bytes);
        g.cpu.regs.set_ax(bytes.len() as u16);
        Ok(())
    }

    /// Reads a file at its position, and advances it.
    pub(super) fn read_file(
        &mut self,
        g: &mut Call,
        index: usize,
        count: usize,
    ) -> Result<Vec<u8>, ErrorCode> {
        let file = self.disk.files.get_mut(index).ok_or(ErrorCode::InvalidHandle)?;
        let Kind::File(Place { drive, node }) = file.kind else { return Err(ErrorCode::InvalidHandle) };
        let bytes = self.disk.volumes.on(&mut g.hw.disks, drive)?.read(node, file.position, count)?;
        file.position = file.position.saturating_add(bytes.len() as u32);
        self.disk.files.show_position(g.hw, index);
        Ok(bytes)
    }

    pub(super) fn at_end(&mut self, g: &mut Call, index: usize) -> bool {
        let Some(file) = self.disk.files.get(index) else { return true };
        let (kind, position) = (file.kind, file.position);
        let Kind::File(place) = kind else { return false };
        let size = self.on(g, place.drive).and_then(|mut files| files.size(place.node));
        size.is_ok_and(|size| position >= size)
    }

    /// 40h: writes CX bytes at DS:DX to BX. CX = 0 truncates or extends the file to its position.
    pub(super) fn write(&mut self, g: &mut Call) -> Answer {
        let index = self.disk.files.of_handle(g.hw, g.cpu.regs.bx())?;
        let count = usize::from(g.cpu.regs.cx());
        let file = self.disk.files.get(index).ok_or(ErrorCode::InvalidHandle)?;
        if !file.may_write() {
            return Err(ErrorCode::AccessDenied.into());
        }
        let (kind, raw) = (file.kind, file.is_raw());
        let bytes = g.hw.bytes(g.ds_dx(), count);
        let written = match kind {
            Kind::Device(Device::Con) => {
                // In cooked mode Ctrl-Z ends the output.
                let end = if raw { None } else { bytes.iter().position(|&b| b == 0x1A) };
                let shown = &bytes[..end.unwrap_or(count)];
                self.show(g, shown, !raw)?;
                self.disk.files.note_write(g.hw, index);
                shown.len()
            }
            _ => self.write_index(g, index, &bytes)?,
        };
        g.cpu.regs.set_ax(written as u16);
        Ok(())
    }

    /// Writes to anything except the console.
    fn write_index(&mut self, g: &mut Call, index: usize, bytes: &[u8]) -> Result<usize, ErrorCode> {
        let file = self.disk.files.get(index).ok_or(ErrorCode::InvalidHandle)?;
        let (kind, position) = (file.kind, file.position);
        match kind {
            Kind::Device(device) => {
                let effect = device.side_effect().filter(|_| !bytes.is_empty());
                effect.into_iter().for_each(|effect| g.hw.note_side_effect(effect));
                self.disk.files.note_write(g.hw, index);
                Ok(bytes.len())
            }
            Kind::HostInput => Err(ErrorCode::AccessDenied),
            Kind::HostOutput { errors } => {
                self.clock.deferred_cycles += bytes.len() as u64 / 8;
                Ok(self.console.capture(bytes, errors))
            }
            Kind::File(Place { drive, node }) => {
                let stamp = self.stamp_now(g.hw);
                let mut files = self.on(g, drive)?;
                let written = if bytes.is_empty() {
                    files.resize(node, position)?;
                    0
                } else {
                    files.write(node, position, bytes)?
                };
                files.set_stamp(node, stamp)?;
                if let Some(file) = self.disk.files.get_mut(index) {
                    file.position = file.position.saturating_add(written as u32);
                }
                self.disk.files.note_write(g.hw, index);
                Ok(written)
            }
        }
    }

    /// Writes to a standard handle that is not the console. Bytes that do not fit are lost.
    pub(super) fn write_standard(&mut self, g: &mut Call, handle: u16, bytes: &[u8]) -> Answer {
        let index = self.disk.files.of_handle(g.hw, handle)?;
        self.write_index(g, index, bytes)?;
        Ok(())
    }
}
