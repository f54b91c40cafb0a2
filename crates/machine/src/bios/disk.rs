//! INT 13h: the board's drives by cylinder, head and sector; hard disks also by sector number.
//!
//! An error is in AH with CF set, and stays in the data area for function 01h. A floppy's transfer
//! uses DMA and one cylinder, and fails where a PC's does.
//! Source: Ralf Brown's interrupt list (INT 13h), the IBM PC/AT Technical Reference, Phoenix's
//! Enhanced Disk Drive Specification 1.1.

use super::data::{EQUIPMENT, FIXED_COUNT, FIXED_STATUS, FLOPPY_STATUS};
use super::state::{Bios, Handler, done, failed};
use crate::firmware::{
    CYCLES_A_CALL, CYCLES_A_SECTOR, Far, Functions, Guest, GuestMemory, ROM_SEGMENT, Resume, row,
};
use crate::hardware::disk::{DiskError, FIRST_FIXED, Image, SECTOR};
use crate::hardware::{Hardware, linear};

/// Status codes returned in AH.
mod status {
    pub(super) const OK: u8 = 0x00;
    pub(super) const BAD_COMMAND: u8 = 0x01;
    pub(super) const PROTECTED: u8 = 0x03;
    pub(super) const NOT_FOUND: u8 = 0x04;
    pub(super) const CHANGED: u8 = 0x06;
    pub(super) const DMA_BOUNDARY: u8 = 0x09;
    pub(super) const CONTROLLER: u8 = 0x20;
    pub(super) const NOT_READY: u8 = 0x80;
}

/// The offset of the disk base table in the ROM of a PC.
const BASE_TABLE: u16 = 0xEFC7;
/// Its vector, and the vectors of the two hard disks' tables.
const BASE_TABLE_VECTOR: u8 = 0x1E;
const FIXED_TABLE_VECTORS: [u8; 2] = [0x41, 0x46];
/// The offset of the hard disks' tables.
const FIXED_TABLES: u16 = 0xE401;

/// Step rate and head times, motor, bytes per sector (2 is 512), sectors per track, gaps, data
/// length, fill byte of a format, settle and start time.
const BASE: [u8; 11] = [0xDF, 0x02, 0x25, 0x02, 0x12, 0x1B, 0xFF, 0x6C, 0xF6, 0x0F, 0x08];
const SECTORS_IN_BASE: u16 = 4;
const FILL_IN_BASE: u16 = 8;

#[rustfmt::skip]
pub(super) static INT_13: Functions<Handler> = Functions::new(&[
    row(0x00, "reset disk system",              reset),
    row(0x01, "get status of last operation",   last_status),
    row(0x02, "read sectors",                   |_, g| transfer(g, Way::Read)),
    row(0x03, "write sectors",                  |_, g| transfer(g, Way::Write)),
    row(0x04, "verify sectors",                 |_, g| transfer(g, Way::Verify)),
    row(0x05, "format track",                   format),
    row(0x08, "get drive parameters",           parameters),
    row(0x09, "initialize drive parameters",    present),
    row(0x0C, "seek to cylinder",               seek),
    row(0x0D, "reset hard disks",               reset),
    row(0x10, "check if drive ready",           present),
    row(0x11, "recalibrate drive",              present),
    row(0x14, "controller internal diagnostic", present),
    row(0x15, "get disk type",                  disk_type),
    row(0x16, "detect disk change",             disk_change),
    row(0x17, "set disk type for format",       floppy_present),
    row(0x18, "set media type for format",      set_media_type),
    row(0x41, "check for extensions",           check_extensions),
    row(0x42, "extended read",                  |_, g| extended_transfer(g, Way::Read)),
    row(0x43, "extended write",                 |_, g| extended_transfer(g, Way::Write)),
    row(0x44, "extended verify",                |_, g| extended_transfer(g, Way::Verify)),
    row(0x47, "extended seek",                  |_, g| extended_transfer(g, Way::Verify)),
    row(0x48, "get extended drive parameters",  extended_parameters),
]);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Read,
    Write,
    Verify,
}

/// Returns a status, and stores it in the data area.
fn answer(g: &mut Guest, status: u8) -> Resume {
    g.hw.memory.write8(status_place(g.cpu.regs.dl()), status);
    tell(g, status)
}

fn tell(g: &mut Guest, status: u8) -> Resume {
    g.cpu.regs.set_ah(status);
    if status == status::OK { done(g) } else { failed(g) }
}

/// Returns the address of the status for drives of this kind.
fn status_place(drive: u8) -> u32 {
    if drive >= FIRST_FIXED { FIXED_STATUS } else { FLOPPY_STATUS }
}

fn of_error(error: DiskError) -> u8 {
    match error {
        DiskError::NotReady => status::NOT_READY,
        DiskError::NotFound => status::NOT_FOUND,
        DiskError::Protected => status::PROTECTED,
        DiskError::Failed => status::CONTROLLER,
    }
}

/// Handles functions that are not in the table.
pub(super) fn bad_command(_: &mut Bios, g: &mut Guest) -> Resume {
    let drive = g.cpu.regs.dl();
    answer(g, if g.hw.disks.get(drive).is_some() { status::BAD_COMMAND } else { status::NOT_READY })
}

/// AH=00h and 0Dh: the heads of these drives are always calibrated.
fn reset(_: &mut Bios, g: &mut Guest) -> Resume {
    answer(g, status::OK)
}

/// AH=01h: returns the last status without setting a new one.
fn last_status(_: &mut Bios, g: &mut Guest) -> Resume {
    let drive = g.cpu.regs.dl();
    if g.hw.disks.get(drive).is_none() {
        return answer(g, status::NOT_READY);
    }
    let last = g.hw.memory.read8(status_place(drive));
    tell(g, last)
}

/// Returns cylinder, head and number of the first sector, from CX and DH.
fn first_sector(g: &Guest) -> (u16, u16, u16) {
    let r = &g.cpu.regs;
    let cylinder = u16::from(r.ch()) | u16::from(r.cl() & 0xC0) << 2;
    (cylinder, u16::from(r.dh()), u16::from(r.cl() & 0x3F))
}

/// AH=02h to 04h: AL sectors from CX and DH, to or from ES:BX. Returns their number in AL.
fn transfer(g: &mut Guest, way: Way) -> Resume {
    let (drive, count) = (g.cpu.regs.dl(), g.cpu.regs.al());
    let (cylinder, head, number) = first_sector(g);
    let Some(image) = g.hw.disks.get(drive) else {
        g.cpu.regs.set_al(0);
        return answer(g, status::NOT_READY);
    };
    let geometry = image.geometry();
    let first = geometry.sector(cylinder, head, number);
    let is_floppy = drive < FIRST_FIXED;
    let to = g.es_bx();
    // A floppy transfer may continue at the next head, but not at the next cylinder.
    let left = match geometry.sector(cylinder, geometry.heads - 1, geometry.sectors).zip(first) {
        Some((last, first)) if is_floppy => last + 1 - first,
        Some((_, first)) => image.sectors().saturating_sub(first),
        None => 0,
    };
    let fits = if is_floppy && way != Way::Verify {
        (0x1_0000 - (to.linear() & 0xFFFF)) / SECTOR as u32
    } else {
        u32::MAX
    };
    if count == 0 || !is_floppy && count > 128 {
        return answer(g, status::BAD_COMMAND);
    }
    if u32::from(count) > fits {
        g.cpu.regs.set_al(0);
        return answer(g, status::DMA_BOUNDARY);
    }
    let wanted = u32::from(count).min(left);
    let (moved, result) = move_sectors(g, way, u64::from(first.unwrap_or(0)), wanted, to.linear());
    g.cpu.regs.set_al(moved as u8);
    let result = if result == status::OK && moved < u32::from(count) { status::NOT_FOUND } else { result };
    answer(g, result)
}

/// Transfers sectors between drive DL and linear memory. Returns how many, and the status.
fn move_sectors(g: &mut Guest, way: Way, first: u64, count: u32, address: u32) -> (u32, u8) {
    let drive = g.cpu.regs.dl();
    g.cpu.cycles += CYCLES_A_CALL;
    for moved in 0..count {
        let Ok(sector) = u32::try_from(first + u64::from(moved)) else { return (moved, status::NOT_FOUND) };
        let at = Far::of_linear(address + moved * SECTOR as u32);
        let result = match way {
            Way::Verify => g.hw.disks.read(drive, sector).map(|_| ()),
            Way::Read => g.read_sector(drive, sector, at),
            Way::Write => g.write_sector(drive, sector, at),
        };
        if let Err(error) = result {
            return (moved, of_error(error));
        }
        g.cpu.cycles += CYCLES_A_SECTOR;
    }
    (count, status::OK)
}

/// AH=05h: formats the sectors in the table at ES:BX (cylinder, head, number, size); on a hard disk
/// all sectors of the track.
fn format(_: &mut Bios, g: &mut Guest) -> Resume {
    let (drive, count, table) = (g.cpu.regs.dl(), g.cpu.regs.al(), g.es_bx());
    let (cylinder, head, _) = first_sector(g);
    let base = g.hw.vector(BASE_TABLE_VECTOR);
    let fill = if drive < FIRST_FIXED { g.hw.byte(base.plus(FILL_IN_BASE)) } else { 0 };
    let Some(geometry) = g.hw.disks.get(drive).map(Image::geometry) else {
        return answer(g, status::NOT_READY);
    };
    let numbers: Vec<u16> = if drive >= FIRST_FIXED {
        (1..=geometry.sectors).collect()
    } else {
        (0..u16::from(count)).map(|entry| u16::from(g.hw.byte(table.plus(entry * 4 + 2)))).collect()
    };
    g.cpu.cycles += CYCLES_A_CALL;
    for number in numbers {
        // A sector that the image does not contain: the disk cannot be formatted this way.
        let Some(sector) = geometry.sector(cylinder, head, number) else {
            return answer(g, status::NOT_FOUND);
        };
        if let Err(error) = g.hw.disks.write(drive, sector, &[fill; SECTOR]) {
            return answer(g, of_error(error));
        }
        g.cpu.cycles += CYCLES_A_SECTOR;
    }
    answer(g, status::OK)
}

/// Returns the type of a floppy drive that takes an image: 1 is 360 KB, 2 1.2 MB, 3 720 KB, 4 1.44
/// MB, 5 2.88 MB.
fn floppy_kind(image: &Image) -> u8 {
    let geometry = image.geometry();
    match (geometry.cylinders, geometry.sectors) {
        (..=40, _) => 1,
        (_, ..=9) => 3,
        (_, ..=15) => 2,
        (_, ..=21) => 4,
        _ => 5,
    }
}

/// AH=08h: the last cylinder, head and sector, the drives, a floppy drive's type and base table.
fn parameters(_: &mut Bios, g: &mut Guest) -> Resume {
    let drive = g.cpu.regs.dl();
    let Some(image) = g.hw.disks.get(drive) else { return answer(g, status::NOT_READY) };
    let (geometry, kind) = (image.geometry(), floppy_kind(image));
    let drives = if drive < FIRST_FIXED { g.hw.disks.floppies() } else { g.hw.disks.fixed() }.len();
    let last = geometry.cylinders - 1;
    let base = g.hw.vector(BASE_TABLE_VECTOR);
    let r = &mut g.cpu.regs;
    r.set_ax(0);
    r.set_cx((last & 0xFF) << 8 | (last >> 2 & 0xC0) | geometry.sectors);
    if drive < FIRST_FIXED {
        r.set_bx(u16::from(kind));
        r.set_es(base.segment);
        r.set_di(base.offset);
    }
    let resume = answer(g, status::OK);
    g.cpu.regs.set_dx((geometry.heads - 1) << 8 | drives as u16);
    resume
}

/// Succeeds if the drive exists, without another effect.
fn present(_: &mut Bios, g: &mut Guest) -> Resume {
    let is_there = g.hw.disks.get(g.cpu.regs.dl()).is_some();
    answer(g, if is_there { status::OK } else { status::NOT_READY })
}

/// Like [`present`], for floppy drives only.
fn floppy_present(bios: &mut Bios, g: &mut Guest) -> Resume {
    if g.cpu.regs.dl() >= FIRST_FIXED { bad_command(bios, g) } else { present(bios, g) }
}

/// AH=0Ch: succeeds if the cylinder exists.
fn seek(_: &mut Bios, g: &mut Guest) -> Resume {
    let (cylinder, head, _) = first_sector(g);
    let image = g.hw.disks.get(g.cpu.regs.dl());
    let result = match image.map(|image| image.geometry().sector(cylinder, head, 1)) {
        None => status::NOT_READY,
        Some(None) => status::NOT_FOUND,
        Some(Some(_)) => status::OK,
    };
    answer(g, result)
}

/// AH=15h: 0 no such drive, 1 a floppy drive without change line, 2 with change line, 3 a hard disk
/// of CX:DX sectors.
fn disk_type(_: &mut Bios, g: &mut Guest) -> Resume {
    let drive = g.cpu.regs.dl();
    let image = g.hw.disks.get(drive);
    let kind = match image {
        None => 0,
        Some(_) if drive >= FIRST_FIXED => 3,
        Some(image) => 1 + u8::from(floppy_kind(image) != 1),
    };
    let sectors = image.filter(|_| kind == 3).map(Image::sectors);
    answer(g, status::OK);
    g.cpu.regs.set_ah(kind);
    if let Some(sectors) = sectors {
        g.cpu.regs.set_cx((sectors >> 16) as u16);
        g.cpu.regs.set_dx(sectors as u16);
    }
    done(g)
}

/// AH=16h: disks are never changed; a drive without change line cannot report it.
fn disk_change(_: &mut Bios, g: &mut Guest) -> Resume {
    let drive = g.cpu.regs.dl();
    let result = match g.hw.disks.get(drive) {
        None => status::NOT_READY,
        Some(_) if drive >= FIRST_FIXED => status::BAD_COMMAND,
        Some(image) if floppy_kind(image) == 1 => status::CHANGED,
        Some(_) => status::OK,
    };
    answer(g, result)
}

/// AH=18h: CH and CL are the tracks and sectors to format; returns their base table in ES:DI.
fn set_media_type(_: &mut Bios, g: &mut Guest) -> Resume {
    let (cylinder, _, sectors) = first_sector(g);
    let drive = g.cpu.regs.dl();
    let geometry = g.hw.disks.get(drive).filter(|_| drive < FIRST_FIXED).map(Image::geometry);
    let result = match geometry {
        None => status::NOT_READY,
        // "Media unknown, or not supported by the drive".
        Some(geometry) if (cylinder + 1, sectors) != (geometry.cylinders, geometry.sectors) => 0x0C,
        Some(_) => status::OK,
    };
    if result == status::OK {
        let base = g.hw.vector(BASE_TABLE_VECTOR);
        g.cpu.regs.set_es(base.segment);
        g.cpu.regs.set_di(base.offset);
    }
    answer(g, result)
}

/// AH=41h: version 1.1, with packet access.
fn check_extensions(bios: &mut Bios, g: &mut Guest) -> Resume {
    let drive = g.cpu.regs.dl();
    if drive < FIRST_FIXED || g.hw.disks.get(drive).is_none() || g.cpu.regs.bx() != 0x55AA {
        return bad_command(bios, g);
    }
    answer(g, status::OK);
    g.cpu.regs.set_bx(0xAA55);
    g.cpu.regs.set_ah(0x21);
    g.cpu.regs.set_cx(0x0001);
    done(g)
}

/// AH=42h to 44h and 47h: the packet at DS:SI contains its length, the number of sectors, the
/// buffer's address and the first sector's number.
fn extended_transfer(g: &mut Guest, way: Way) -> Resume {
    let (drive, packet) = (g.cpu.regs.dl(), g.ds_si());
    if g.hw.disks.get(drive).is_none() {
        return answer(g, status::NOT_READY);
    }
    if drive < FIRST_FIXED || g.hw.byte(packet) < 16 {
        return answer(g, status::BAD_COMMAND);
    }
    let count = g.hw.word(packet.plus(2));
    let to = g.hw.far(packet.plus(4));
    let first = u64::from(g.hw.dword(packet.plus(8))) | u64::from(g.hw.dword(packet.plus(12))) << 32;
    if g.cpu.regs.ah() == 0x47 {
        let is_there = g.hw.disks.get(drive).is_some_and(|image| first < u64::from(image.sectors()));
        return answer(g, if is_there { status::OK } else { status::NOT_FOUND });
    }
    if count > 127 {
        return answer(g, status::BAD_COMMAND);
    }
    let (moved, result) = move_sectors(g, way, first, u32::from(count), to.linear());
    g.hw.set_word(packet.plus(2), moved as u16);
    answer(g, result)
}

/// AH=48h: stores at DS:SI flags, cylinders, heads, sectors per track, sectors, bytes per sector.
fn extended_parameters(_: &mut Bios, g: &mut Guest) -> Resume {
    let (drive, to) = (g.cpu.regs.dl(), g.ds_si());
    let Some(image) = g.hw.disks.get(drive) else { return answer(g, status::NOT_READY) };
    let (geometry, sectors) = (image.geometry(), image.sectors());
    if drive < FIRST_FIXED || g.hw.word(to) < 26 {
        return answer(g, status::BAD_COMMAND);
    }
    g.hw.set_word(to, 26);
    g.hw.set_word(to.plus(2), 0x0002); // geometry is valid
    g.hw.set_dword(to.plus(4), u32::from(geometry.cylinders));
    g.hw.set_dword(to.plus(8), u32::from(geometry.heads));
    g.hw.set_dword(to.plus(12), u32::from(geometry.sectors));
    g.hw.set_dword(to.plus(16), sectors);
    g.hw.set_dword(to.plus(20), 0);
    g.hw.set_word(to.plus(24), SECTOR as u16);
    answer(g, status::OK)
}

/// Records the drives in the equipment word, the data area and the CMOS memory, and points the
/// vectors to their tables, as the power-on test does.
pub(super) fn add_drives(hw: &mut Hardware) {
    let base = linear(ROM_SEGMENT, BASE_TABLE);
    hw.memory.write_bytes(base, &BASE);
    hw.set_vector(BASE_TABLE_VECTOR, Far::new(ROM_SEGMENT, BASE_TABLE));
    let mut kinds = [0; 2];
    for (kind, image) in kinds.iter_mut().zip(hw.disks.floppies()) {
        *kind = floppy_kind(image);
    }
    if let Some(first) = hw.disks.floppies().first() {
        let sectors = first.geometry().sectors as u8;
        hw.memory.write8(base + u32::from(SECTORS_IN_BASE), sectors);
        let word = hw.memory.read16(EQUIPMENT);
        let others = hw.disks.floppies().len() as u16 - 1;
        hw.memory.write16(EQUIPMENT, word | others << 6 | 0x01);
    }
    let fixed: Vec<_> = hw.disks.fixed().iter().map(Image::geometry).collect();
    hw.memory.write8(FIXED_COUNT, fixed.len() as u8);
    for ((geometry, vector), at) in fixed.iter().zip(FIXED_TABLE_VECTORS).zip((FIXED_TABLES..).step_by(16)) {
        let [low, high] = geometry.cylinders.to_le_bytes();
        let mut table = [0; 16];
        table[..3].copy_from_slice(&[low, high, geometry.heads as u8]);
        table[0x05..0x07].copy_from_slice(&[0xFF, 0xFF]); // no write precompensation
        table[0x08] = if geometry.heads > 8 { 0x08 } else { 0 };
        table[0x0C..0x0F].copy_from_slice(&[low, high, geometry.sectors as u8]);
        hw.memory.write_bytes(linear(ROM_SEGMENT, at), &table);
        hw.set_vector(vector, Far::new(ROM_SEGMENT, at));
    }
    hw.rtc.add_drives(kinds, fixed.len());
}

#[cfg(test)]
mod tests;
