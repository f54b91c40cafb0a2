//! The structures of DOS in guest memory: their addresses, and their content after boot.
//!
//! One segment, [`DOS`], contains the structures that programs access: the list of lists, the
//! device headers, the swappable data area, the tables. Values that a program may change there
//! (current PSP, DTA, drive, InDOS, break flag) are stored only there.
//! Source: Ralf Brown's interrupt list, tables 01627 (list of lists, DOS 5), 01646 (device header),
//! 01643 (CDS), 01395 (DPB), 01642 (SFT), 01690 (swappable data area).

use super::{
    codepage::upper,
    devices::{DEVICES, Device, EXPANDED_MEMORY},
};
use crate::firmware::{Far, GuestMemory, ROM_SEGMENT, stub};
use crate::hardware::Hardware;
use std::ops::Range;

/// 5.00, major version low.
pub(crate) const VERSION: u16 = 0x0005;

/// The DOS data segment.
pub(crate) const DOS: u16 = 0x0080;
/// The list of lists, returned by function 52h.
pub(crate) const LISTS: Far = Far::new(DOS, 0x0026);
/// The segment of the first memory control block, just before the list of lists.
pub(crate) const FIRST_BLOCK: Far = Far::new(DOS, 0x0024);
/// Header of NUL, within the list of lists.
const NUL: Far = Far::new(DOS, 0x0048);
/// Headers of the other devices, 18 bytes each, in the order of [`chain`].
const HEADERS: u16 = 0x0080;
/// Strategy and interrupt routine of all devices.
const DRIVER: u16 = 0x0180;
/// Set by DOS's handler of INT 1Bh, cleared when DOS has processed it.
pub(crate) const BREAK_FLAG: Far = Far::new(DOS, 0x01A6);

/// The swappable data area.
pub(crate) const SDA: Far = Far::new(DOS, 0x0320);
/// Sizes in bytes of the parts that a program swaps always, and while InDOS.
pub(crate) const SDA_ALWAYS: u16 = 0x18;
pub(crate) const SDA_IN_DOS: u16 = 0x80;
pub(crate) const CRITICAL_FLAG: Far = SDA;
pub(crate) const IN_DOS: Far = SDA.plus(0x01);
pub(crate) const ERROR_DRIVE: Far = SDA.plus(0x02);
pub(crate) const ERROR_LOCUS: Far = SDA.plus(0x03);
pub(crate) const ERROR_CODE: Far = SDA.plus(0x04);
pub(crate) const ERROR_ACTION: Far = SDA.plus(0x06);
pub(crate) const ERROR_CLASS: Far = SDA.plus(0x07);
pub(crate) const ERROR_POINTER: Far = SDA.plus(0x08);
pub(crate) const DTA: Far = SDA.plus(0x0C);
pub(crate) const CURRENT_PSP: Far = SDA.plus(0x10);
pub(crate) const RETURN_CODE: Far = SDA.plus(0x14);
pub(crate) const CURRENT_DRIVE: Far = SDA.plus(0x16);
pub(crate) const BREAK_CHECK: Far = SDA.plus(0x17);

/// Tables of functions 38h, 63h and 65h.
pub(crate) const DBCS: Far = Far::new(DOS, 0x03C0);
pub(crate) const CAPITALS: Far = Far::new(DOS, 0x03D0);
pub(crate) const NAME_CAPITALS: Far = Far::new(DOS, 0x0460);
pub(crate) const NAME_CHARACTERS: Far = Far::new(DOS, 0x04F0);
pub(crate) const COLLATING: Far = Far::new(DOS, 0x0510);
pub(crate) const CASE_MAP: Far = Far::new(DOS, 0x0620);

/// Current directory structures of A: to E:, 58h bytes each, and drive parameter blocks of A: to
/// C:, 21h bytes each.
const CDS: Far = Far::new(DOS, 0x0640);
const DPB: Far = Far::new(DOS, 0x0800);
/// `LASTDRIVE=` of CONFIG.SYS, and its address in the list of lists: higher with more drives.
const LAST_DRIVE: u8 = 5;
pub(crate) const LAST_DRIVE_AT: Far = LISTS.plus(0x21);
/// The tables' address if these have too few entries for the drives, within the system's memory.
const LARGE_CDS: Far = Far::new(DOS, 0x2000);
const LARGE_DPB: Far = Far::new(DOS, 0x2900);
/// System file table: one block of [`FILES`] entries.
pub(crate) const SFT: Far = Far::new(DOS, 0x0870);
/// `FILES=` of CONFIG.SYS.
pub(crate) const FILES: usize = 40;
pub(crate) const SFT_ENTRY: u16 = 0x3B;
const FCB_TABLE: Far = Far::new(DOS, 0x11B0);
const BUFFERS: Far = Far::new(DOS, 0x11C0);
/// The entry point of CP/M calls jumps from the vector 30h to the firmware's stub of that vector.
pub(crate) const CPM_VECTOR: u8 = 0x30;

/// First memory control block; the system is below it.
pub(crate) const SYSTEM_BLOCK: u16 = 0x01A0;
/// The command interpreter's PSP: the parent of the first program. It is where MS-DOS 5 has it with
/// `DOS=HIGH,UMB`, HIMEM.SYS and EMM386.EXE, about 24 KiB from the bottom. The first program is
/// loaded about 1 KiB above.
pub(crate) const SHELL: u16 = 0x05F0;
/// The size of a PSP.
pub(crate) const PSP_BYTES: u16 = 0x100;
/// Its environment.
pub(crate) const SHELL_ENVIRONMENT: u16 = 0x0611;

/// The block driver of A: to C: in the chain of devices: its three units, and its attributes.
const BLOCK_DRIVER: (&[u8; 8], u16) = (b"\x03       ", 0x08C2);
const CLOCK_HEADER: usize = 3;
const BLOCK_HEADER: usize = 4;

/// Linear addresses that each program changes: errors, InDOS, the current PSP and DTA, the exit code, the
/// break flag, the references to open files, the command interpreter's stack.
pub(crate) const CHANGING: [Range<u32>; 4] = [
    BREAK_FLAG.linear()..BREAK_FLAG.linear() + 1,
    SDA.linear()..CURRENT_DRIVE.linear(),
    SFT.linear()..FCB_TABLE.linear(),
    Far::new(SHELL, PSP_BYTES).linear()..Far::new(SHELL_ENVIRONMENT, 0).linear(),
];

/// Returns segment and offset of the disk transfer area.
pub fn transfer_area(hw: &Hardware) -> (u16, u16) {
    (hw.memory.read16(DTA.plus(2).linear()), hw.memory.read16(DTA.linear()))
}

/// The header of EMMXXXX0. INT 67h points to its segment: programs look for the name at 0Ah.
const EMM: Far = Far::new(DOS + 0x2D0, 0);

/// Writes the device of the expanded memory manager, first in the chain after NUL, and INT 67h.
pub(crate) fn write_expanded_memory(hw: &mut Hardware) {
    const VECTOR: u8 = 0x67;
    /// Offsets of the target of INT 67h (a far jump to the firmware's stub) and of a far return for
    /// calls to the driver itself.
    const ENTRY: u16 = 0x12;
    const DRIVER: u16 = 0x17;
    let next = hw.far(NUL);
    hw.set_far(EMM, next);
    hw.set_word(EMM.plus(4), Device::Ems.attributes());
    hw.set_word(EMM.plus(6), DRIVER);
    hw.set_word(EMM.plus(8), DRIVER);
    hw.set_bytes(EMM.plus(10), EXPANDED_MEMORY);
    let jump = Far::new(ROM_SEGMENT, stub(VECTOR)).to_dword().to_le_bytes();
    hw.set_bytes(EMM.plus(ENTRY), &[0xEA, jump[0], jump[1], jump[2], jump[3], 0xCB]);
    hw.set_far(NUL, EMM);
    hw.set_vector(VECTOR, EMM.plus(ENTRY));
}

fn header(index: usize) -> Far {
    Far::new(DOS, HEADERS + index as u16 * 18)
}

/// Returns names and attributes of the drivers after NUL.
fn chain() -> impl Iterator<Item = (&'static [u8; 8], u16)> {
    let (before, behind) = DEVICES[1..].split_at(BLOCK_HEADER);
    let named = |&(name, _, attributes): &(&'static [u8; 8], _, u16)| (name, attributes);
    before.iter().map(named).chain([BLOCK_DRIVER]).chain(behind.iter().map(named))
}

pub(crate) fn device_header(device: Device) -> Far {
    match device {
        Device::Nul => NUL,
        Device::Con => header(0),
        Device::Aux => header(1),
        Device::Prn => header(2),
        Device::Clock => header(CLOCK_HEADER),
        Device::Ems => EMM,
    }
}

pub(crate) fn block_header() -> Far {
    header(BLOCK_HEADER)
}

pub(crate) fn cds(hw: &mut Hardware, drive: u8) -> Far {
    hw.far(LISTS.plus(0x16)).plus(u16::from(drive) * 0x58)
}

/// Returns the parameter block of a drive; for Z:, which has none, that of C:.
pub(crate) fn dpb(hw: &mut Hardware, drive: u8) -> Far {
    let is_shown = drive < hw.byte(LAST_DRIVE_AT);
    let at = cds(hw, if is_shown { drive } else { super::names::DRIVE_C }).plus(0x45);
    hw.far(at)
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ShownDrive {
    pub(crate) drive: u8,
    /// Highest sector of a cluster, and its shift.
    pub(crate) cluster: [u8; 2],
    pub(crate) reserved: u16,
    pub(crate) tables: u8,
    pub(crate) root_entries: u16,
    pub(crate) data: u16,
    pub(crate) highest: u16,
    pub(crate) table: u16,
    pub(crate) root: u16,
    pub(crate) media: u8,
}

impl ShownDrive {
    /// Returns a floppy drive without a disk: 1.44 MB.
    pub(crate) fn empty_floppy(drive: u8) -> ShownDrive {
        ShownDrive {
            drive,
            cluster: [0, 0],
            reserved: 1,
            tables: 2,
            root_entries: 224,
            data: 33,
            highest: 2848,
            table: 9,
            root: 19,
            media: 0xF0,
        }
    }

    /// Returns a folder as a hard disk.
    pub(crate) fn folder(drive: u8) -> ShownDrive {
        ShownDrive {
            drive,
            cluster: [63, 6],
            reserved: 1,
            tables: 2,
            root_entries: 512,
            data: 99,
            highest: 0x2001,
            table: 33,
            root: 67,
            media: 0xF8,
        }
    }
}

/// Writes everything except the memory blocks and the vectors.
pub(crate) fn write(hw: &mut Hardware, drives: &[ShownDrive]) {
    // Byte 4 of the segment is the format of the swappable data area: 1 is DOS 4 to 6.
    hw.set_byte(Far::new(DOS, 4), 1);
    write_lists(hw);
    write_devices(hw);
    write_drives(hw, drives);
    write_tables(hw);
    hw.set_dword(SFT, 0xFFFF_FFFF);
    hw.set_word(SFT.plus(4), FILES as u16);
    hw.set_byte(ERROR_DRIVE, 0xFF);
    hw.set_byte(CURRENT_DRIVE, super::names::DRIVE_C);
}

fn write_lists(hw: &mut Hardware) {
    let at = |offset| LISTS.plus(offset);
    hw.set_word(FIRST_BLOCK, SYSTEM_BLOCK);
    hw.set_far(at(0x04), SFT);
    hw.set_far(at(0x08), device_header(Device::Clock));
    hw.set_far(at(0x0C), device_header(Device::Con));
    hw.set_word(at(0x10), 512);
    hw.set_far(at(0x12), BUFFERS);
    hw.set_far(at(0x1A), FCB_TABLE);
    hw.set_word(at(0x3F), 20);
    hw.set_byte(at(0x43), super::names::DRIVE_C + 1);
    hw.set_dword(FCB_TABLE, 0xFFFF_FFFF);
    // Disk buffer information: no buffer is in use, none is dirty.
    hw.set_dword(BUFFERS, 0xFFFF_FFFF);
}

fn write_devices(hw: &mut Hardware) {
    let write_header = |hw: &mut Hardware, at: Far, next: Far, attributes: u16, name: &[u8; 8]| {
        hw.set_far(at, next);
        hw.set_word(at.plus(4), attributes);
        hw.set_word(at.plus(6), DRIVER);
        hw.set_word(at.plus(8), DRIVER + 0x0B);
        hw.set_bytes(at.plus(10), name);
    };
    let [(nul, _, attributes), ..] = DEVICES;
    write_header(hw, NUL, header(0), attributes, nul);
    let mut chain = chain().enumerate().peekable();
    while let Some((i, (name, attributes))) = chain.next() {
        let next = chain.peek().map_or(Far::new(0xFFFF, 0xFFFF), |&(next, _)| header(next));
        write_header(hw, header(i), next, attributes, name);
    }
    // A program that calls a driver itself gets "unknown command" (8103h): the devices work through
    // DOS.
    // The word at DRIVER+1Ch holds the request's address between the two calls.
    let strategy = [0x2E, 0x89, 0x1E, 0x9C, 0x01, 0x2E, 0x8C, 0x06, 0x9E, 0x01, 0xCB];
    // PUSH DS / PUSH BX / LDS BX,CS:[019C] / MOV WORD [BX+3],8103 / POP BX / POP DS / RETF
    let interrupt =
        [0x1E, 0x53, 0x2E, 0xC5, 0x1E, 0x9C, 0x01, 0xC7, 0x47, 0x03, 0x03, 0x81, 0x5B, 0x1F, 0xCB];
    hw.set_bytes(Far::new(DOS, DRIVER), &strategy);
    hw.set_bytes(Far::new(DOS, DRIVER + strategy.len() as u16), &interrupt);
}

fn write_drives(hw: &mut Hardware, drives: &[ShownDrive]) {
    let last = drives.iter().map(|shown| shown.drive + 1).fold(LAST_DRIVE, u8::max);
    let large = last > LAST_DRIVE || drives.len() > 3;
    let (cds, dpb) = if large { (LARGE_CDS, LARGE_DPB) } else { (CDS, DPB) };
    hw.set_far(LISTS, dpb);
    hw.set_far(LISTS.plus(0x16), cds);
    hw.set_byte(LISTS.plus(0x20), drives.len() as u8);
    hw.set_byte(LAST_DRIVE_AT, last);
    for drive in 0..last {
        let at = cds.plus(u16::from(drive) * 0x58);
        hw.set_bytes(at, &[b'A' + drive, b':', b'\\', 0]);
        let place = drives.iter().position(|shown| shown.drive == drive);
        hw.set_word(at.plus(0x43), if place.is_some() { 0x4000 } else { 0 });
        if let Some(place) = place {
            hw.set_far(at.plus(0x45), dpb.plus(place as u16 * 0x21));
        }
        hw.set_word(at.plus(0x4F), 2);
    }
    for (place, shown) in (1..).zip(drives) {
        let at = dpb.plus((place - 1) * 0x21);
        hw.set_byte(at, shown.drive);
        hw.set_byte(at.plus(1), shown.drive);
        hw.set_word(at.plus(2), 512);
        // Highest sector in a cluster, shift; reserved sectors; FATs; root entries; first data
        // sector; highest cluster.
        hw.set_bytes(at.plus(4), &shown.cluster);
        hw.set_word(at.plus(6), shown.reserved);
        hw.set_byte(at.plus(8), shown.tables);
        hw.set_word(at.plus(9), shown.root_entries);
        hw.set_word(at.plus(0x0B), shown.data);
        hw.set_word(at.plus(0x0D), shown.highest);
        hw.set_word(at.plus(0x0F), shown.table);
        hw.set_word(at.plus(0x11), shown.root);
        hw.set_far(at.plus(0x13), block_header());
        hw.set_byte(at.plus(0x17), shown.media);
        let is_last = usize::from(place) == drives.len();
        hw.set_far(at.plus(0x19), if is_last { Far::new(0xFFFF, 0xFFFF) } else { at.plus(0x21) });
        hw.set_word(at.plus(0x1F), 0xFFFF);
    }
}

fn write_tables(hw: &mut Hardware) {
    // No lead bytes of two-byte characters: an empty list. The word before it is its length.
    hw.set_dword(DBCS, 0);
    for table in [CAPITALS, NAME_CAPITALS] {
        hw.set_word(table, 0x80);
        let capitals: Vec<u8> = (0x80..=0xFF).map(upper).collect();
        hw.set_bytes(table.plus(2), &capitals);
    }
    // Characters of file names: 00 to FF permitted, 00 to 20 excluded, 14 separators.
    let characters = b"\x16\x00\x01\x00\xFF\x00\x00\x20\x02\x0E.\"/\\[]:|<>+=;,";
    hw.set_bytes(NAME_CHARACTERS, characters);
    hw.set_word(COLLATING, 0x100);
    let collating: Vec<u8> = (0..=0xFF).map(upper).collect();
    hw.set_bytes(COLLATING.plus(2), &collating);
    // CMP AL,80 / JB out / PUSH BX / MOV BX,CAPITALS+2-80 / XLAT CS: / POP BX / out: RETF
    let table = CAPITALS.offset.wrapping_add(2).wrapping_sub(0x80).to_le_bytes();
    hw.set_bytes(CASE_MAP, &[0x3C, 0x80, 0x72, 0x07, 0x53, 0xBB, table[0], table[1], 0x2E, 0xD7, 0x5B, 0xCB]);
}
