//! Functions that allocate, free and map pages.

use super::board::{Handle, MOST_HANDLES, PAGES, SLOTS, error, mapping, slot_at};
use crate::dos::{pending::Call, state::Dos};
use crate::firmware::{Far, GuestMemory};
use crate::hardware::PAGE_FRAME;

/// 41h.
pub(super) fn frame(_: &mut Dos, g: &mut Call) -> Result<(), u8> {
    g.cpu.regs.set_bx(PAGE_FRAME);
    Ok(())
}

/// 42h: returns the free pages in BX, all in DX.
pub(super) fn count(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    g.cpu.regs.set_bx(dos.ems.free_pages().len() as u16);
    g.cpu.regs.set_dx(PAGES);
    Ok(())
}

/// 43h and 5Ah: allocates BX pages for a new handle, DX.
pub(super) fn allocate(dos: &mut Dos, g: &mut Call, least: u16) -> Result<(), u8> {
    let wanted = g.cpu.regs.bx();
    if least == 0 && g.cpu.regs.al() > 1 {
        return Err(error::BAD_SUBFUNCTION);
    }
    if wanted < least {
        return Err(error::NO_PAGES);
    }
    let pages = take(dos, wanted)?;
    let handles = &mut dos.ems.handles;
    let place = handles.iter().position(Option::is_none).unwrap_or(handles.len());
    if place >= MOST_HANDLES {
        return Err(error::NO_HANDLES);
    }
    if place == handles.len() {
        handles.push(None);
    }
    handles[place] = Some(Handle { pages, ..Handle::default() });
    g.cpu.regs.set_dx(place as u16);
    Ok(())
}

/// Returns this many pages without an owner.
fn take(dos: &Dos, wanted: u16) -> Result<Vec<u16>, u8> {
    if wanted > PAGES {
        return Err(error::TOO_MANY);
    }
    let mut free = dos.ems.free_pages();
    if free.len() < usize::from(wanted) {
        return Err(error::NOT_ENOUGH);
    }
    free.truncate(usize::from(wanted));
    Ok(free)
}

/// 44h: maps page BX of handle DX to slot AL; FFFFh unmaps it.
pub(super) fn map(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let r = &g.cpu.regs;
    let (slot, page, handle) = (usize::from(r.al()), r.bx(), r.dx());
    dos.ems.handle(handle)?;
    if slot >= SLOTS {
        return Err(error::BAD_SLOT);
    }
    dos.ems.map(g.hw, slot, mapping(handle, page))
}

/// 45h: frees handle DX and its pages.
pub(super) fn release(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let handle = g.cpu.regs.dx();
    if dos.ems.handle(handle)?.saved.is_some() {
        return Err(error::CONTEXT_IS_SAVED);
    }
    dos.ems.drop_pages(g.hw, handle, 0);
    // The system's handle continues to exist.
    if handle != 0 {
        dos.ems.handles[usize::from(handle)] = None;
    }
    Ok(())
}

/// 50h: maps CX pairs at DS:SI of a page of handle DX and a slot, given by its number (AL 0) or its
/// segment (AL 1).
pub(super) fn map_many(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let (by_segment, count, handle) = (g.cpu.regs.al(), g.cpu.regs.cx(), g.cpu.regs.dx());
    let at = g.ds_si();
    if by_segment > 1 {
        return Err(error::BAD_SUBFUNCTION);
    }
    dos.ems.handle(handle)?;
    for pair in 0..count {
        map_pair(dos, g, handle, at.plus(pair.wrapping_mul(4)), by_segment == 1)?;
    }
    Ok(())
}

/// Maps a pair of words: a page, and the number or the segment of a slot.
pub(super) fn map_pair(
    dos: &mut Dos,
    g: &mut Call,
    handle: u16,
    at: Far,
    by_segment: bool,
) -> Result<(), u8> {
    let (page, place) = (g.hw.word(at), g.hw.word(at.plus(2)));
    let slot = if by_segment { slot_at(place)? } else { usize::from(place) };
    if slot >= SLOTS {
        return Err(error::BAD_SLOT);
    }
    dos.ems.map(g.hw, slot, mapping(handle, page))
}

/// 51h: changes the number of pages of handle DX to BX.
pub(super) fn reallocate(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let (handle, wanted) = (g.cpu.regs.dx(), g.cpu.regs.bx());
    let have = dos.ems.handle(handle)?.pages.len();
    if wanted > PAGES {
        return Err(error::TOO_MANY);
    }
    match usize::from(wanted).checked_sub(have) {
        Some(more) => {
            let pages = take(dos, more as u16)?;
            dos.ems.handle_mut(handle)?.pages.extend(pages);
        }
        None => dos.ems.drop_pages(g.hw, handle, usize::from(wanted)),
    }
    g.cpu.regs.set_bx(wanted);
    Ok(())
}
