//! Expanded memory: EMS 4.0, INT 67h, with a page frame of four pages at E000:.
//!
//! The frame is memory: mapping a page stores the frame's bytes back to the board and copies the
//! page's bytes into the frame. If a page is mapped to several slots, all show the memory of the
//! first of them. AH is 0 on success, otherwise the error.
//! Source: the LIM Expanded Memory Specification 4.0.

pub(super) mod board;
mod contexts;
mod directory;
mod move_region;
mod pages;

use super::{
    error::{Answer, Pause},
    pending::Call,
    state::Dos,
};
use crate::firmware::{Functions, Resume, row};
use crate::notice::NoticeKind;
use board::error::NOT_YOURS;

/// A function. Fails with the error for AH.
type Handler = fn(&mut Dos, &mut Call) -> Result<(), u8>;

#[rustfmt::skip]
static FUNCTIONS: Functions<Handler> = Functions::new(&[
    row(0x40, "get manager status",                |_, _| Ok(())),
    row(0x41, "get page frame segment",            pages::frame),
    row(0x42, "get number of pages",               pages::count),
    row(0x43, "get handle and allocate memory",    |dos, g| pages::allocate(dos, g, 1)),
    row(0x44, "map memory",                        pages::map),
    row(0x45, "release handle and memory",         pages::release),
    row(0x46, "get EMM version",                   |_, g| { g.cpu.regs.set_al(0x40); Ok(()) }),
    row(0x47, "save mapping context",              contexts::save),
    row(0x48, "restore mapping context",           contexts::restore),
    row(0x4B, "get number of EMM handles",         directory::handles),
    row(0x4C, "get pages owned by handle",         directory::pages_of),
    row(0x4D, "get pages for all handles",         directory::all_pages),
    row(0x4E, "page map",                          contexts::page_map),
    row(0x4F, "partial page map",                  contexts::partial_page_map),
    row(0x50, "map multiple pages",                pages::map_many),
    row(0x51, "reallocate pages",                  pages::reallocate),
    row(0x52, "handle attributes",                 directory::attributes),
    row(0x53, "handle name",                       directory::name),
    row(0x54, "handle directory",                  directory::directory),
    row(0x55, "alter page map and jump",           contexts::alter_and_jump),
    row(0x56, "alter page map and call",           contexts::alter_and_call),
    row(0x57, "move or exchange memory region",    move_region::function),
    row(0x58, "get mappable physical addresses",   directory::mappable),
    row(0x59, "get expanded memory hardware information", directory::hardware),
    row(0x5A, "allocate standard or raw pages",    |dos, g| pages::allocate(dos, g, 0)),
    row(0x5B, "alternate map register set",        contexts::alternate_set),
    row(0x5C, "prepare for warm boot",             |_, _| Ok(())),
    row(0x5D, "operating system functions",        directory::operating_system),
]);

/// The function does not exist.
const UNDEFINED: u8 = 0x84;

pub(super) fn name_of(ah: u8) -> Option<&'static str> {
    FUNCTIONS.get(ah).map(|row| row.name)
}

impl Dos {
    /// Returns from a routine that function 56h has called.
    pub(super) fn return_from_mapped_call(&mut self, g: &mut Call) -> Answer {
        let result = contexts::return_from_call(self, g);
        g.cpu.regs.set_ah(result.err().unwrap_or(0));
        Ok(())
    }

    /// INT 67h.
    pub(super) fn expanded_memory(&mut self, g: &mut Call) -> Answer {
        let ah = g.cpu.regs.ah();
        let result = match FUNCTIONS.get(ah) {
            Some(_) if matches!(ah, 0x59 | 0x5B) && self.ems.is_reserved => Err(NOT_YOURS),
            Some(row) => (row.handler)(self, g),
            None => {
                self.notice(g, NoticeKind::Function { vector: 0x67, ah });
                Err(UNDEFINED)
            }
        };
        g.cpu.regs.set_ah(result.err().unwrap_or(0));
        let jumped = std::mem::take(&mut self.ems.jumped);
        if jumped { Err(Pause::Leave(Resume::Jump)) } else { Ok(()) }
    }
}
