//! Files and directories by handle and path: functions 39h to 43h, 47h, 56h, 57h, 5Ah to 5Ch, 60h, 68h, 6Ch.

use super::{
    devices::Device,
    drive::{Timestamp, attribute},
    error::{Answer, ErrorCode, Pause},
    names::{self, DRIVE_Z, Name, Path, Presence, Target},
    open_files::{Kind, OpenFile},
    pending::Call,
    state::{Dos, Handler},
    sysvars,
    volumes::{Files, Place},
};
use crate::firmware::{Far, Functions, GuestMemory, row};
use crate::hardware::Hardware;
use crate::notice::NoticeKind;

/// The maximum length of a path from a program, in bytes.
const LONGEST_PATH: usize = 128;

/// The maximum length of a current directory, without drive and root: 64 bytes with its zero.
const LONGEST_DIRECTORY: usize = 63;

/// Attributes that function 43h sets: read-only, hidden, system, archive.
const CHANGEABLE: u16 = 0x27;

#[rustfmt::skip]
pub(super) static ATTRIBUTES: Functions<Handler> = Functions::new(&[
    row(0x00, "get file attributes", Dos::get_attributes),
    row(0x01, "set file attributes", Dos::set_attributes),
]);

#[rustfmt::skip]
pub(super) static STAMP: Functions<Handler> = Functions::new(&[
    row(0x00, "get file's last-written date and time", Dos::get_stamp),
    row(0x01, "set file's last-written date and time", Dos::set_stamp),
]);

impl Dos {
    /// Resolves a path from a program with the current drive and directory.
    pub(super) fn target(&mut self, g: &mut Call, text: &[u8]) -> Result<Target, ErrorCode> {
        let drive = g.hw.byte(sysvars::CURRENT_DRIVE);
        let target = names::resolve(text, drive, |drive| self.disk.volumes.presence(drive));
        if target.is_err()
            && let (Some(drive), _) = names::split_drive(text)
            && matches!(self.disk.volumes.presence(drive), Presence::MissingDevices)
        {
            let letter = char::from(b'A' + drive);
            self.notice(g, NoticeKind::Drive(letter));
        }
        let (target, folder) = target?;
        if let Some((drive, folder)) = folder {
            self.on(g, drive)?.find_directory(&folder).map_err(|_| ErrorCode::PathNotFound)?;
        }
        // Without expanded memory, its manager's device does not exist.
        if matches!(target, Target::Device(Device::Ems, _)) && !self.has_expanded_memory() {
            return Err(ErrorCode::FileNotFound);
        }
        Ok(target)
    }

    pub(super) fn on<'a>(&'a mut self, g: &'a mut Call, drive: u8) -> Result<Files<'a>, ErrorCode> {
        self.disk.volumes.on(&mut g.hw.disks, drive)
    }

    /// Whether a drive's current directory is this path, or below it.
    fn stands_in(&self, drive: u8, path: &[Name]) -> bool {
        self.disk.volumes.get(drive).is_some_and(|volume| volume.directory.starts_with(path))
    }

    /// Returns the drive and the path at DS:DX for a function that needs a disk. A floppy drive
    /// without one causes a critical error.
    fn disk_path(&mut self, g: &mut Call, at: Far) -> Answer<(u8, Path)> {
        match self.target_at(g, at)? {
            Target::Disk { drive, path, wild: false } => Ok((drive, path)),
            Target::Disk { .. } => Err(ErrorCode::PathNotFound.into()),
            Target::Device(..) | Target::NotReady(_) => Err(ErrorCode::AccessDenied.into()),
        }
    }

    pub(super) fn target_at(&mut self, g: &mut Call, at: Far) -> Answer<Target> {
        let text = g.hw.text(at, 0, LONGEST_PATH);
        match self.target(g, &text)? {
            Target::NotReady(drive) => Err(self.not_ready(g, drive)),
            target => Ok(target),
        }
    }

    /// 39h: creates the directory DS:DX.
    pub(super) fn make_directory(&mut self, g: &mut Call) -> Answer {
        let (drive, path) = self.disk_path(g, g.ds_dx())?;
        let stamp = self.stamp_now(g.hw);
        self.on(g, drive)?.make_directory(&path, stamp)?;
        Ok(())
    }

    /// 3Ah: removes the directory DS:DX.
    pub(super) fn remove_directory(&mut self, g: &mut Call) -> Answer {
        let (drive, path) = self.disk_path(g, g.ds_dx())?;
        if self.stands_in(drive, &path) {
            return Err(ErrorCode::CurrentDirectory.into());
        }
        self.on(g, drive)?.remove_directory(&path)?;
        Ok(())
    }

    /// 3Bh: sets the current directory to DS:DX.
    pub(super) fn change_directory(&mut self, g: &mut Call) -> Answer {
        let (drive, path) = match self.disk_path(g, g.ds_dx()) {
            Err(Pause::Fail(_)) => return Err(ErrorCode::PathNotFound.into()),
            found => found?,
        };
        let text = names::display_path(&path);
        if text.len() - 1 > LONGEST_DIRECTORY {
            return Err(ErrorCode::PathNotFound.into());
        }
        self.on(g, drive)?.find_directory(&path)?;
        // On Z: the root is the only directory, and always current.
        let Some(volume) = self.disk.volumes.get_mut(drive) else { return Ok(()) };
        volume.directory = path;
        let at = sysvars::cds(g.hw, drive).plus(2);
        g.hw.set_bytes(at, &text);
        g.hw.set_byte(at.plus(text.len() as u16), 0);
        Ok(())
    }

    /// 47h: stores the current directory of drive DL (0: the current drive) at DS:SI, without drive
    /// and root.
    pub(super) fn current_directory(&mut self, g: &mut Call) -> Answer {
        if g.cpu.regs.dl() == DRIVE_Z + 1 {
            let at = g.ds_si();
            g.hw.set_byte(at, 0);
            g.cpu.regs.set_ax(0x0100);
            return Ok(());
        }
        let drive = self.drive_number(g, g.cpu.regs.dl()).ok_or(ErrorCode::InvalidDrive)?;
        let Some(volume) = self.disk.volumes.get(drive) else { return Err(self.not_ready(g, drive)) };
        let text = names::display_path(&volume.directory);
        let at = g.ds_si();
        g.hw.set_bytes(at, &text[1..]);
        g.hw.set_byte(at.plus(text.len() as u16 - 1), 0);
        g.cpu.regs.set_ax(0x0100);
        Ok(())
    }

    /// 3Ch: creates or truncates the file DS:DX with the attributes CX.
    pub(super) fn create(&mut self, g: &mut Call) -> Answer {
        let attributes = g.cpu.regs.cx() as u8;
        let target = self.target_at(g, g.ds_dx())?;
        let handle = self.create_target(g, target, attributes, 2)?;
        g.cpu.regs.set_ax(handle);
        Ok(())
    }

    fn create_target(
        &mut self,
        g: &mut Call,
        target: Target,
        attributes: u8,
        mode: u8,
    ) -> Result<u16, Pause> {
        match target {
            Target::Device(device, name) => Ok(self.open_device(g, device, name, mode)?),
            Target::Disk { drive, path, wild: false } => {
                self.free_handle(g)?;
                if attributes & (attribute::DIRECTORY | attribute::LABEL) != 0 {
                    return Err(ErrorCode::AccessDenied.into());
                }
                let stamp = self.stamp_now(g.hw);
                let mut files = self.on(g, drive)?;
                let node = files.create(&path, attributes)?;
                files.set_stamp(node, stamp)?;
                let name = *path.last().ok_or(ErrorCode::AccessDenied)?;
                Ok(self.open_handle(g, OpenFile::new(Kind::File(Place { drive, node }), name, mode))?)
            }
            _ => Err(ErrorCode::FileNotFound.into()),
        }
    }

    fn open_device(&mut self, g: &mut Call, device: Device, name: Name, mode: u8) -> Result<u16, ErrorCode> {
        self.open_handle(g, OpenFile::new(Kind::Device(device), name, mode))
    }

    /// 3Dh: opens DS:DX with the access mode AL.
    pub(super) fn open(&mut self, g: &mut Call) -> Answer {
        let mode = g.cpu.regs.al();
        let target = self.target_at(g, g.ds_dx())?;
        let handle = self.open_target(g, target, mode)?;
        g.cpu.regs.set_ax(handle);
        Ok(())
    }

    fn open_target(&mut self, g: &mut Call, target: Target, mode: u8) -> Result<u16, Pause> {
        if mode & 7 > 2 || mode >> 4 & 7 > 4 {
            return Err(ErrorCode::InvalidAccessCode.into());
        }
        match target {
            Target::Device(device, name) => Ok(self.open_device(g, device, name, mode)?),
            Target::Disk { drive, path, wild: false } => {
                let mut files = self.on(g, drive)?;
                let node = files.find(&path)?;
                let attributes = files.attributes(node)?;
                let protected = attributes & attribute::READ_ONLY != 0;
                if attributes & attribute::DIRECTORY != 0 || protected && mode & 7 != 0 {
                    return Err(ErrorCode::AccessDenied.into());
                }
                if mode & 7 != 0 {
                    files.lets_write(node)?;
                }
                let name = *path.last().ok_or(ErrorCode::FileNotFound)?;
                Ok(self.open_handle(g, OpenFile::new(Kind::File(Place { drive, node }), name, mode))?)
            }
            _ => Err(ErrorCode::FileNotFound.into()),
        }
    }

    /// 6Ch: opens, creates or truncates the file DS:SI, as selected by DX.
    pub(super) fn extended_open(&mut self, g: &mut Call) -> Answer {
        let (mode, attributes, action) = (g.cpu.regs.bl(), g.cpu.regs.cx() as u8, g.cpu.regs.dx());
        if action & 0xFFEC != 0 || action & 3 == 3 || g.cpu.regs.al() != 0 {
            return Err(ErrorCode::InvalidFunction.into());
        }
        let target = self.target_at(g, g.ds_si())?;
        let exists = match &target {
            Target::Disk { drive, path, .. } => self.on(g, *drive)?.find(path).is_ok(),
            _ => true,
        };
        let device = matches!(target, Target::Device(..));
        let (handle, done) = match (exists, action & 0x0F, action & 0x10 != 0) {
            (true, 1, _) => (self.open_target(g, target, mode)?, 1),
            (true, 2, _) if device => (self.open_target(g, target, mode)?, 1),
            (true, 2, _) => (self.create_target(g, target, attributes, mode)?, 3),
            (true, ..) => return Err(ErrorCode::FileExists.into()),
            (false, _, true) => (self.create_target(g, target, attributes, mode)?, 2),
            (false, ..) => return Err(ErrorCode::FileNotFound.into()),
        };
        g.cpu.regs.set_ax(handle);
        g.cpu.regs.set_cx(done);
        Ok(())
    }

    /// 5Ah: creates a file with a unique name in the directory DS:DX, and appends the name there.
    pub(super) fn create_temporary(&mut self, g: &mut Call) -> Answer {
        let at = g.ds_dx();
        let attributes = g.cpu.regs.cx() as u8;
        let mut text = g.hw.text(at, 0, LONGEST_PATH);
        if !text.is_empty() && !matches!(text.last(), Some(b'\\' | b'/' | b':')) {
            text.push(b'\\');
        }
        // DOS derives the name from the time. A counter has the same effect, and never repeats.
        for _ in 0..0x1_0000u32 {
            let mut full = text.clone();
            let number = self.settings.temporary;
            self.settings.temporary = self.settings.temporary.wrapping_add(1);
            full.extend((0..8).rev().map(|digit| b'A' + (number >> (4 * digit) & 0x0F) as u8));
            let target = match self.target(g, &full)? {
                Target::NotReady(drive) => return Err(self.not_ready(g, drive)),
                target => target,
            };
            let Target::Disk { drive, path, .. } = &target else {
                return Err(ErrorCode::PathNotFound.into());
            };
            match self.on(g, *drive)?.find(path) {
                Ok(_) => continue,
                Err(ErrorCode::FileNotFound) => {}
                Err(error) => return Err(error.into()),
            }
            let handle = self.create_target(g, target, attributes, 2)?;
            g.hw.set_bytes(at, &full);
            g.hw.set_byte(at.plus(full.len() as u16), 0);
            g.cpu.regs.set_ax(handle);
            return Ok(());
        }
        Err(ErrorCode::AccessDenied.into())
    }

    /// 5Bh: like 3Ch, but the file must not exist.
    pub(super) fn create_new(&mut self, g: &mut Call) -> Answer {
        let target = self.target_at(g, g.ds_dx())?;
        if let Target::Disk { drive, path, .. } = &target
            && self.on(g, *drive)?.find(path).is_ok()
        {
            return Err(ErrorCode::FileExists.into());
        }
        let attributes = g.cpu.regs.cx() as u8;
        let handle = self.create_target(g, target, attributes, 2)?;
        g.cpu.regs.set_ax(handle);
        Ok(())
    }

    /// 41h: deletes the file DS:DX.
    pub(super) fn delete(&mut self, g: &mut Call) -> Answer {
        let (drive, path) = self.disk_path(g, g.ds_dx())?;
        let mut files = self.on(g, drive)?;
        let node = files.find(&path)?;
        files.delete(node)?;
        Ok(())
    }

    /// 42h: sets the position of BX to CX:DX from the start (AL 0), the position (1) or the end
    /// (2). DX:AX is the new position.
    pub(super) fn seek(&mut self, g: &mut Call) -> Answer {
        let index = self.disk.files.of_handle(g.hw, g.cpu.regs.bx())?;
        let r = &g.cpu.regs;
        let distance = u32::from(r.cx()) << 16 | u32::from(r.dx());
        let file = self.disk.files.get_mut(index).ok_or(ErrorCode::InvalidHandle)?;
        let from = match (r.al(), file.kind) {
            (0, _) => 0,
            (1, _) => file.position,
            (2, Kind::File(place)) => self.disk.volumes.on(&mut g.hw.disks, place.drive)?.size(place.node)?,
            (2, _) => 0,
            _ => return Err(ErrorCode::InvalidFunction.into()),
        };
        // DOS counts modulo 2^32: a position before the start is one far beyond the end.
        file.position = if matches!(file.kind, Kind::File(_)) { from.wrapping_add(distance) } else { 0 };
        let position = file.position;
        self.disk.files.show_position(g.hw, index);
        g.cpu.regs.set_dx((position >> 16) as u16);
        g.cpu.regs.set_ax(position as u16);
        Ok(())
    }

    /// 4300h: returns the attributes of DS:DX in CX.
    fn get_attributes(&mut self, g: &mut Call) -> Answer {
        let (drive, path) = self.named_file(g)?;
        let mut files = self.on(g, drive)?;
        let node = files.find(&path)?;
        let attributes = u16::from(files.attributes(node)?);
        g.cpu.regs.set_cx(attributes);
        g.cpu.regs.set_ax(attributes);
        Ok(())
    }

    /// 4301h: sets the attributes of DS:DX from CX.
    fn set_attributes(&mut self, g: &mut Call) -> Answer {
        let (drive, path) = self.named_file(g)?;
        let wanted = g.cpu.regs.cx();
        // Neither label nor directory can be set, even for a directory.
        if wanted & !CHANGEABLE != 0 {
            return Err(ErrorCode::AccessDenied.into());
        }
        let mut files = self.on(g, drive)?;
        let node = files.find(&path)?;
        files.set_attributes(node, wanted as u8)?;
        Ok(())
    }

    /// Returns the drive and the path at DS:DX of a file or directory.
    fn named_file(&mut self, g: &mut Call) -> Answer<(u8, Path)> {
        match self.target_at(g, g.ds_dx())? {
            Target::Disk { drive, path, wild: false } => Ok((drive, path)),
            Target::Disk { .. } => Err(ErrorCode::PathNotFound.into()),
            _ => Err(ErrorCode::FileNotFound.into()),
        }
    }

    /// 56h: renames DS:DX to ES:DI.
    pub(super) fn rename(&mut self, g: &mut Call) -> Answer {
        let (drive, from) = self.disk_path(g, g.ds_dx())?;
        let text = g.hw.text(g.es_di(), 0, LONGEST_PATH);
        let to = match self.target(g, &text)? {
            Target::Disk { drive: other, .. } if other != drive => {
                return Err(ErrorCode::NotSameDevice.into());
            }
            Target::Disk { path, wild: false, .. } => path,
            Target::NotReady(_) => return Err(ErrorCode::NotSameDevice.into()),
            Target::Device(..) => return Err(ErrorCode::AccessDenied.into()),
            Target::Disk { .. } => return Err(ErrorCode::PathNotFound.into()),
        };
        // A current directory cannot be renamed, and a directory cannot move below itself.
        let stands_there = self.stands_in(drive, &from);
        let mut files = self.on(g, drive)?;
        let node = files.find(&from)?;
        if files.find(&to).is_ok() {
            return Err(ErrorCode::AccessDenied.into());
        }
        if stands_there {
            return Err(ErrorCode::CurrentDirectory.into());
        }
        files.rename(node, &to)?;
        Ok(())
    }

    /// 5700h: returns date and time of BX in DX and CX.
    fn get_stamp(&mut self, g: &mut Call) -> Answer {
        let stamp = match self.kind_of_bx(g)? {
            Kind::File(place) => self.on(g, place.drive)?.stamp(place.node),
            _ => self.stamp_now(g.hw),
        };
        g.cpu.regs.set_dx(stamp.date);
        g.cpu.regs.set_cx(stamp.time);
        Ok(())
    }

    /// 5701h: sets date and time of BX from DX and CX.
    fn set_stamp(&mut self, g: &mut Call) -> Answer {
        let index = self.disk.files.of_handle(g.hw, g.cpu.regs.bx())?;
        if let Some(Kind::File(place)) = self.disk.files.get(index).map(|file| file.kind) {
            let stamp = Timestamp { date: g.cpu.regs.dx(), time: g.cpu.regs.cx() };
            self.on(g, place.drive)?.set_stamp(place.node, stamp)?;
            self.disk.files.note_write(g.hw, index);
        }
        Ok(())
    }

    /// 57h: other subfunctions, which DOS refuses after checking the handle.
    pub(super) fn no_stamp(&mut self, g: &mut Call) -> Answer {
        self.kind_of_bx(g)?;
        Err(ErrorCode::InvalidFunction.into())
    }

    fn kind_of_bx(&mut self, g: &mut Call) -> Result<Kind, ErrorCode> {
        let index = self.disk.files.of_handle(g.hw, g.cpu.regs.bx())?;
        Ok(self.disk.files.get(index).ok_or(ErrorCode::InvalidHandle)?.kind)
    }

    /// 60h: stores the full name of DS:SI at ES:DI.
    pub(super) fn true_name(&mut self, g: &mut Call) -> Answer {
        let text = g.hw.text(g.ds_si(), 0, LONGEST_PATH);
        if text.is_empty() {
            return Err(ErrorCode::FileNotFound.into());
        }
        let mut full = match self.target(g, &text)? {
            Target::Device(_, name) => [b"C:/", &names::display(&name)[..]].concat(),
            Target::Disk { drive, path, .. } => names::full_path(drive, &path),
            Target::NotReady(drive) => vec![b'A' + drive, b':', b'\\'],
        };
        full.push(0);
        g.hw.set_bytes(g.es_di(), &full);
        Ok(())
    }

    /// 68h and 6Ah: stores written data of BX on the host.
    pub(super) fn commit(&mut self, g: &mut Call) -> Answer {
        let index = self.disk.files.of_handle(g.hw, g.cpu.regs.bx())?;
        self.commit_index(g.hw, index)?;
        Ok(())
    }

    pub(super) fn commit_index(&mut self, hw: &mut Hardware, index: usize) -> Result<(), ErrorCode> {
        match self.disk.files.get(index).map(|file| file.kind) {
            Some(Kind::File(place)) => self.commit_place(hw, place),
            _ => Ok(()),
        }
    }

    pub(super) fn commit_place(&mut self, hw: &mut Hardware, place: Place) -> Result<(), ErrorCode> {
        self.disk.volumes.on(&mut hw.disks, place.drive)?.commit(place.node)
    }
}
