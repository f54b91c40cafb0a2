//! Function 57h: copies or exchanges regions of conventional or expanded memory.

use super::board::{Mapping, PAGE, error};
use crate::dos::{pending::Call, state::Dos};
use crate::firmware::{Far, GuestMemory};
use crate::hardware::Bank;

/// The maximum size of a region in bytes.
const MOST: u32 = 0x10_0000;
/// Bytes that are copied per cycle of virtual time.
const BYTES_A_CYCLE: u32 = 8;
/// Bytes of conventional memory that are copied at once.
const CHUNK: usize = 4096;

#[derive(Debug, Clone, Copy)]
enum Region {
    Conventional(u32),
    Expanded { handle: u16, page: u16, offset: u16 },
}

/// 57h: DS:SI has the length, then for source and target the kind, handle, offset, and segment or
/// page. AL 1 exchanges them.
pub(super) fn function(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let exchanges = match g.cpu.regs.al() {
        0 => false,
        1 => true,
        _ => return Err(error::BAD_SUBFUNCTION),
    };
    let packet = g.ds_si();
    let len = g.hw.dword(packet);
    if len > MOST {
        return Err(error::TOO_LONG);
    }
    let source = region(dos, g, packet.plus(4), len)?;
    let target = region(dos, g, packet.plus(0x0B), len)?;
    let overlap = overlaps(source, target, len);
    if overlap && exchanges {
        return Err(error::EXCHANGE_OVERLAPS);
    }
    // The mapped pages are stored to the board for the duration of the copy.
    dos.ems.store_all(g.hw);
    let bytes = read(dos, g, source, len)?;
    if exchanges {
        let other = read(dos, g, target, len)?;
        write(dos, g, source, &other)?;
    }
    write(dos, g, target, &bytes)?;
    dos.ems.load_all(g.hw);
    dos.clock.deferred_cycles += u64::from(len / BYTES_A_CYCLE);
    if overlap { Err(error::OVERLAPS) } else { Ok(()) }
}

fn region(dos: &Dos, g: &mut Call, at: Far, len: u32) -> Result<Region, u8> {
    let (kind, handle) = (g.hw.byte(at), g.hw.word(at.plus(1)));
    let (offset, place) = (g.hw.word(at.plus(3)), g.hw.word(at.plus(5)));
    match kind {
        0 => {
            let address = Far::new(place, offset).linear();
            if address + len > MOST { Err(error::WRAPS) } else { Ok(Region::Conventional(address)) }
        }
        1 => {
            let pages = dos.ems.handle(handle)?.pages.len();
            if u32::from(offset) >= PAGE {
                return Err(error::BAD_OFFSET);
            }
            if usize::from(place) >= pages {
                return Err(error::BAD_PAGE);
            }
            let end = u64::from(place) * u64::from(PAGE) + u64::from(offset) + u64::from(len);
            let fits = end <= pages as u64 * u64::from(PAGE);
            if fits { Ok(Region::Expanded { handle, page: place, offset }) } else { Err(error::BEYOND_PAGES) }
        }
        _ => Err(error::BAD_TYPE),
    }
}

fn overlaps(a: Region, b: Region, len: u32) -> bool {
    let near = |a: u32, b: u32| a.abs_diff(b) < len;
    match (a, b) {
        (Region::Conventional(a), Region::Conventional(b)) => near(a, b),
        (Region::Expanded { handle, page, offset }, Region::Expanded { handle: h, page: p, offset: o }) => {
            let at = |page: u16, offset: u16| u32::from(page) * PAGE + u32::from(offset);
            handle == h && near(at(page, offset), at(p, o))
        }
        _ => false,
    }
}

/// Splits a region into parts within a page: the address on the board and the length of each.
fn parts(dos: &Dos, handle: u16, page: u16, offset: u16, len: u32) -> Result<Vec<(u32, usize)>, u8> {
    let mut parts = Vec::new();
    let (mut page, mut offset, mut left) = (page, u32::from(offset), len);
    while left > 0 {
        let part = (PAGE - offset).min(left);
        parts.push((dos.ems.address(Mapping { handle, page })? + offset, part as usize));
        (page, offset, left) = (page + 1, 0, left - part);
    }
    Ok(parts)
}

fn read(dos: &Dos, g: &mut Call, region: Region, len: u32) -> Result<Vec<u8>, u8> {
    let mut bytes = vec![0; len as usize];
    match region {
        Region::Conventional(address) => {
            for (at, part) in (address..).step_by(CHUNK).zip(bytes.chunks_mut(CHUNK)) {
                part.copy_from_slice(&g.hw.bytes(Far::of_linear(at), part.len()));
            }
        }
        Region::Expanded { handle, page, offset } => {
            let mut rest = &mut bytes[..];
            for (at, len) in parts(dos, handle, page, offset, len)? {
                let (part, behind) = rest.split_at_mut(len);
                g.hw.expansion.read(Bank::Expanded, at, part);
                rest = behind;
            }
        }
    }
    Ok(bytes)
}

fn write(dos: &Dos, g: &mut Call, region: Region, bytes: &[u8]) -> Result<(), u8> {
    match region {
        Region::Conventional(address) => {
            for (at, part) in (address..).step_by(CHUNK).zip(bytes.chunks(CHUNK)) {
                g.hw.set_bytes(Far::of_linear(at), part);
            }
        }
        Region::Expanded { handle, page, offset } => {
            let mut rest = bytes;
            for (at, len) in parts(dos, handle, page, offset, bytes.len() as u32)? {
                let (part, behind) = rest.split_at(len);
                g.hw.expansion.write(Bank::Expanded, at, part);
                rest = behind;
            }
        }
    }
    Ok(())
}
