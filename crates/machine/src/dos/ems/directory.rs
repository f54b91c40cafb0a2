//! Queries: handles with their pages, names and attributes, the slots of the frame, the board.

use super::board::{MOST_HANDLES, PAGE, PAGES, SLOTS, error, slot_segment};
use crate::dos::{pending::Call, state::Dos};
use crate::firmware::GuestMemory;

fn used(dos: &Dos) -> Vec<u16> {
    (0..).zip(&dos.ems.handles).filter(|(_, handle)| handle.is_some()).map(|(number, _)| number).collect()
}

/// 4Bh: returns the number of handles in use in BX.
pub(super) fn handles(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    g.cpu.regs.set_bx(used(dos).len() as u16);
    Ok(())
}

/// 4Ch: returns the number of pages of handle DX in BX.
pub(super) fn pages_of(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let pages = dos.ems.handle(g.cpu.regs.dx())?.pages.len();
    g.cpu.regs.set_bx(pages as u16);
    Ok(())
}

/// 4Dh: stores handle and number of pages of each handle at ES:DI, their count in BX.
pub(super) fn all_pages(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let to = g.es_di();
    let used = used(dos);
    for (number, handle) in (0..).zip(&used) {
        let pages = dos.ems.handle(*handle)?.pages.len();
        g.hw.set_word(to.plus(number * 4), *handle);
        g.hw.set_word(to.plus(number * 4 + 2), pages as u16);
    }
    g.cpu.regs.set_bx(used.len() as u16);
    Ok(())
}

/// 52h: all handles are volatile, which cannot be changed.
pub(super) fn attributes(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    match g.cpu.regs.al() {
        0 => dos.ems.handle(g.cpu.regs.dx()).map(|_| g.cpu.regs.set_al(0)),
        1 => match (dos.ems.handle(g.cpu.regs.dx()), g.cpu.regs.bl()) {
            (Err(error), _) => Err(error),
            (Ok(_), 0) => Ok(()),
            (Ok(_), _) => Err(error::NO_SUCH_ATTRIBUTE),
        },
        2 => {
            g.cpu.regs.set_al(0);
            Ok(())
        }
        _ => Err(error::BAD_SUBFUNCTION),
    }
}

/// 53h: stores the name of handle DX at ES:DI (AL 0), or sets it from DS:SI (1).
pub(super) fn name(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let handle = g.cpu.regs.dx();
    let (from, to) = (g.ds_si(), g.es_di());
    match g.cpu.regs.al() {
        0 => {
            let name = dos.ems.handle(handle)?.name;
            g.hw.set_bytes(to, &name);
        }
        1 => {
            dos.ems.handle(handle)?;
            let name = g.hw.bytes(from, 8).try_into().unwrap_or_default();
            if find(dos, &name).is_some_and(|other| other != handle) && name != [0; 8] {
                return Err(error::NAME_EXISTS);
            }
            dos.ems.handle_mut(handle)?.name = name;
        }
        _ => return Err(error::BAD_SUBFUNCTION),
    }
    Ok(())
}

fn find(dos: &Dos, name: &[u8; 8]) -> Option<u16> {
    used(dos).into_iter().find(|handle| dos.ems.handle(*handle).is_ok_and(|owner| owner.name == *name))
}

/// 54h: stores handles and names at ES:DI, their count in AL (AL 0); returns the handle with the
/// name at DS:SI in DX (1); returns the maximum number in BX (2).
pub(super) fn directory(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let (from, to) = (g.ds_si(), g.es_di());
    match g.cpu.regs.al() {
        0 => {
            let used = used(dos);
            for (number, handle) in (0..).zip(&used) {
                let name = dos.ems.handle(*handle)?.name;
                g.hw.set_word(to.plus(number * 10), *handle);
                g.hw.set_bytes(to.plus(number * 10 + 2), &name);
            }
            g.cpu.regs.set_al(used.len() as u8);
        }
        1 => {
            let name: [u8; 8] = g.hw.bytes(from, 8).try_into().unwrap_or_default();
            let handle = find(dos, &name).filter(|_| name != [0; 8]).ok_or(error::NO_SUCH_NAME)?;
            g.cpu.regs.set_dx(handle);
        }
        2 => g.cpu.regs.set_bx(MOST_HANDLES as u16),
        _ => return Err(error::BAD_SUBFUNCTION),
    }
    Ok(())
}

/// 58h: stores segment and number of each slot at ES:DI (AL 0); returns their number in CX (both).
pub(super) fn mappable(_: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let to = g.es_di();
    match g.cpu.regs.al() {
        0 => {
            for slot in 0..SLOTS {
                let at = to.plus(slot as u16 * 4);
                g.hw.set_word(at, slot_segment(slot));
                g.hw.set_word(at.plus(2), slot as u16);
            }
        }
        1 => {}
        _ => return Err(error::BAD_SUBFUNCTION),
    }
    g.cpu.regs.set_cx(SLOTS as u16);
    Ok(())
}

/// 59h: stores paragraphs of a raw page, alternate sets, bytes of a context, DMA sets and their
/// kind at ES:DI (AL 0); returns the free raw pages in BX and all in DX (1).
pub(super) fn hardware(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let to = g.es_di();
    match g.cpu.regs.al() {
        0 => {
            for (number, word) in (0..).zip([(PAGE / 16) as u16, 0, SLOTS as u16 * 4, 0, 0]) {
                g.hw.set_word(to.plus(number * 2), word);
            }
            Ok(())
        }
        1 => {
            g.cpu.regs.set_bx(dos.ems.free_pages().len() as u16);
            g.cpu.regs.set_dx(PAGES);
            Ok(())
        }
        _ => Err(error::BAD_SUBFUNCTION),
    }
}

/// The key that function 5Dh returns to the operating system.
const ACCESS_KEY: (u16, u16) = (0x786F, 0x6F62);

/// 5Dh: opens functions 59h and 5Bh to all programs (AL 0), or reserves them for the operating
/// system (1). The first caller gets the key in BX and CX; later calls must pass it there, until it
/// is returned (2).
pub(super) fn operating_system(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let (r, ems) = (&mut g.cpu.regs, &mut dos.ems);
    let choice = r.al();
    if choice > 2 {
        return Err(error::BAD_SUBFUNCTION);
    }
    let has_key = ems.key_is_given && (r.bx(), r.cx()) == ACCESS_KEY;
    if !has_key && (ems.key_is_given || choice == 2) {
        return Err(error::NOT_YOURS);
    }
    r.set_bx(ACCESS_KEY.0);
    r.set_cx(ACCESS_KEY.1);
    (ems.key_is_given, ems.is_reserved) = (choice != 2, choice == 1);
    Ok(())
}
