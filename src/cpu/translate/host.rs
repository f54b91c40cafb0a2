//! The only unsafe room of the processor: memory that holds machine code, and the call into it.
//!
//! The code memory is mapped readable and executable; while something is added to it, readable and writable instead. It is
//! one mapping of [`Code::SIZE`] bytes, of which the host gives pages as they are used, and it never grows.
//!
//! What translated code may touch is what it is given by reference for the time of the call: the [`Context`]; plain memory, its marks
//! and the map of its decoded bytes; the planes of a display adapter, the marks of their pages, the latches and the [`Reach`]; and two
//! tables of cells that only this thread knows.

#![allow(unsafe_code)]

use std::cell::Cell;

use iced_x86::{Code as C, Register as R};
use memmap2::{Mmap, MmapMut};

use super::emit::{Emitter, Encoded};
use super::registers::{BUDGET, CONTEXT, GENERAL, IMAGE, MARKS};
use super::routines::Routines;
use crate::cpu::bus::PlainMemory;
use crate::cpu::planar::{Data, DirectMemory, Reach};

/// What translated code shares with the machine. Its layout is C's, since the code reaches the fields by their offsets.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Context {
    /// The general registers in the order of their encoding.
    pub(super) gpr: [u32; 8],
    /// The status flags: AH as LAHF leaves it in bits 8 to 15, OF in bit 0.
    pub(super) flags: u32,
    /// Where a computed jump goes.
    pub(super) ip: u32,
    /// Cycles left before the limit.
    pub(super) budget: i64,
    /// By segment register: its linear address.
    pub(super) base: [u32; 6],
    /// By width (1, 2, 4 bytes) and segment register: how many offsets there are, from 0 on, at which so many bytes lie within the
    /// segment and in plain memory.
    pub(super) room: [[u32; 6]; 3],
    /// By segment register: where its first byte is in the host's memory. Only good during a call.
    segments: [u64; 6],
    /// The marks of plain memory. Only good during a call.
    marks: u64,
    /// The table of computed jumps. Only good during a call.
    targets: u64,
    /// Which bytes of plain memory have been decoded. Only good during a call.
    code: u64,
    /// The display adapter's memory: its cells, the marks of its pages, the latches, and how the processor reaches it. Only good during
    /// a call.
    planes: u64,
    planes_written: u64,
    latch: u64,
    reach: u64,
    /// A value that is on its way from one place in memory to another.
    value: u64,
    /// The linear address where it goes.
    place: u32,
    /// What a string instruction adds to its indices, by element: 1, or -1 where DF is set.
    pub(super) direction: i32,
}

/// An entry of the table of computed jumps: a key and where its code is.
#[derive(Debug, Default)]
#[repr(C)]
pub(super) struct Target {
    pub(super) key: Cell<u64>,
    pub(super) code: Cell<u64>,
}

/// Entries of the table of computed jumps, a power of two.
pub(super) const TARGETS: usize = 1024;
/// Links there can be.
pub(super) const LINKS: usize = 1 << 14;

/// What translated code jumps through.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) targets: Box<[Target]>,
    /// The addresses that the exits of translated blocks jump to.
    pub(super) links: Box<[Cell<u64>]>,
}

impl Tables {
    pub(super) fn new() -> Self {
        let targets = (0..TARGETS).map(|_| Target { key: Cell::new(u64::MAX), code: Cell::new(0) }).collect();
        Tables { targets, links: vec![Cell::new(0); LINKS].into_boxed_slice() }
    }

    /// The address of a link, for the code that jumps through it.
    pub(super) fn link_address(&self, link: u32) -> u64 {
        std::ptr::from_ref(&self.links[link as usize]).expose_provenance() as u64
    }
}

impl Context {
    pub(super) fn new() -> Self {
        Context {
            gpr: [0; 8],
            flags: 0,
            ip: 0,
            budget: 0,
            base: [0; 6],
            room: [[0; 6]; 3],
            segments: [0; 6],
            marks: 0,
            targets: 0,
            code: 0,
            planes: 0,
            planes_written: 0,
            latch: 0,
            reach: 0,
            value: 0,
            place: 0,
            direction: 1,
        }
    }

    /// Where memory is, for the time of a call. Nothing if there are fewer marks than the memory needs.
    fn set_memory(&mut self, memory: &mut DirectMemory<'_>) -> Option<()> {
        let plain = &mut memory.plain;
        let granules = plain.cells.len().div_ceil(PlainMemory::GRANULE);
        if plain.marks.len() < granules || plain.code.len() < granules {
            return None;
        }
        let cells = plain.cells.as_mut_ptr().expose_provenance() as u64;
        self.marks = plain.marks.as_ptr().expose_provenance() as u64;
        self.code = plain.code.as_ptr().expose_provenance() as u64;
        for (segment, base) in self.segments.iter_mut().zip(self.base) {
            // It may lie beyond the memory, but is only used with offsets below `room`.
            *segment = cells.wrapping_add(base.into());
        }
        match &mut memory.planar {
            Some(planar) => {
                self.planes = planar.cells.as_mut_ptr().expose_provenance() as u64;
                self.planes_written = planar.written.as_mut_ptr().expose_provenance() as u64;
                self.latch = std::ptr::from_mut(planar.latch).expose_provenance() as u64;
                self.reach = std::ptr::from_ref(planar.reach).expose_provenance() as u64;
            }
            None => self.reach = std::ptr::from_ref(&NOWHERE).expose_provenance() as u64,
        }
        Some(())
    }
}

/// No display adapter: no window in which it would be looked for.
static NOWHERE: Reach = Reach {
    base: 0,
    readable: 0,
    writable: 0,
    text: 0,
    data: Data { open: 0, fixed: 0, mask: 0 },
    lanes: [0; 4],
    shifts: [0; 4],
    index_mask: 0,
};

/// Offsets of the fields, for the code that reaches them.
pub(super) mod offset {
    use super::Context;
    use std::mem::offset_of;

    pub(in super::super) const IP: i64 = offset_of!(Context, ip) as i64;
    pub(super) const FLAGS: i64 = offset_of!(Context, flags) as i64;
    pub(super) const BUDGET: i64 = offset_of!(Context, budget) as i64;
    pub(super) const MARKS: i64 = offset_of!(Context, marks) as i64;
    pub(in super::super) const TARGETS: i64 = offset_of!(Context, targets) as i64;
    pub(in super::super) const CODE: i64 = offset_of!(Context, code) as i64;
    pub(in super::super) const PLANES: i64 = offset_of!(Context, planes) as i64;
    pub(in super::super) const PLANES_WRITTEN: i64 = offset_of!(Context, planes_written) as i64;
    pub(in super::super) const LATCH: i64 = offset_of!(Context, latch) as i64;
    pub(in super::super) const REACH: i64 = offset_of!(Context, reach) as i64;
    pub(in super::super) const VALUE: i64 = offset_of!(Context, value) as i64;
    pub(in super::super) const PLACE: i64 = offset_of!(Context, place) as i64;
    pub(in super::super) const DIRECTION: i64 = offset_of!(Context, direction) as i64;

    pub(super) fn gpr(number: usize) -> i64 {
        (offset_of!(Context, gpr) + number * size_of::<u32>()) as i64
    }
    pub(in super::super) fn base(segment: usize) -> i64 {
        (offset_of!(Context, base) + segment * size_of::<u32>()) as i64
    }
    /// `width`: 0, 1, 2 for 1, 2, 4 bytes.
    pub(in super::super) fn room(width: usize, segment: usize) -> i64 {
        (offset_of!(Context, room) + (width * 6 + segment) * size_of::<u32>()) as i64
    }
    pub(in super::super) fn segment(segment: usize) -> i64 {
        (offset_of!(Context, segments) + segment * size_of::<u64>()) as i64
    }
}

/// Enters translated code: the context, and where the code is.
type Enter = unsafe extern "sysv64" fn(*mut Context, u64) -> u64;

/// Memory with machine code in it.
#[derive(Debug)]
pub(super) struct Code {
    /// `None` only while it is changed, or for ever after the host has refused that.
    memory: Option<Mmap>,
    used: usize,
    /// Where the way in and out ends.
    ways: usize,
    /// Where translated code goes when it leaves, with what it says in EAX.
    leave: u64,
    routines: Routines,
}

impl Code {
    /// Bytes of code there can be.
    const SIZE: usize = 4 << 20;
    /// The way in is at the beginning.
    const ENTER: usize = 0;

    /// Memory with nothing but the way in and out; nothing where the host gives no memory for code.
    pub(super) fn new() -> Option<Self> {
        let memory = MmapMut::map_anon(Code::SIZE).ok()?.make_exec().ok()?;
        let routines = Routines::default();
        let mut code = Code { memory: Some(memory), used: Code::ENTER, ways: 0, leave: 0, routines };
        code.add(way_in())?;
        code.leave = code.add(way_out())?;
        code.routines = Routines::write(|routine| code.add(routine))?;
        code.ways = code.used;
        Some(code)
    }

    /// The address at which the next code is going to be.
    pub(super) fn end(&self) -> Option<u64> {
        Some(self.memory.as_ref()?.as_ptr().addr() as u64 + self.used as u64)
    }

    /// Where translated code goes when it leaves.
    pub(super) fn leave(&self) -> u64 {
        self.leave
    }

    /// What translated code calls.
    pub(super) fn routines(&self) -> Routines {
        self.routines
    }

    fn add(&mut self, code: Emitter) -> Option<u64> {
        let encoded = code.encode(self.end()?)?;
        self.push(&encoded)
    }

    /// Adds code that was encoded for [`Code::end`], and says where it begins. Nothing if there is no room.
    pub(super) fn push(&mut self, code: &Encoded) -> Option<u64> {
        const ALIGNMENT: usize = 16;
        let begin = self.end()?;
        let end = self.used + code.bytes.len();
        if end > Code::SIZE - ALIGNMENT {
            return None;
        }
        let mut memory = self.memory.take()?.make_mut().ok()?;
        memory[self.used..end].copy_from_slice(&code.bytes);
        self.memory = Some(memory.make_exec().ok()?);
        self.used = end.next_multiple_of(ALIGNMENT);
        Some(begin)
    }

    /// Runs the code at an address that [`Code::push`] has given, or at a label of what it got: what it says in EAX. Nothing if the
    /// code is lost, or there are fewer marks than the memory needs.
    pub(super) fn call(
        &self,
        at: u64,
        context: &mut Context,
        memory: &mut DirectMemory<'_>,
        tables: &Tables,
    ) -> Option<u64> {
        let code = self.memory.as_ref()?;
        context.set_memory(memory)?;
        context.targets = tables.targets.as_ptr().expose_provenance() as u64;
        // SAFETY: `way_in` stands at the beginning of the code memory, which is executable and was written by `push` alone.
        let enter =
            unsafe { std::mem::transmute::<*const u8, Enter>(code.as_ptr().wrapping_add(Code::ENTER)) };
        // SAFETY: `at` is the beginning of translated code, or a label in it behind a handler. Links and the table of computed jumps hold
        // only such beginnings, of blocks that are there, or labels that lead out. That code reads and writes the context, which is borrowed; reads plain
        // memory at offsets below `room`, which `Context` keeps within its cells; writes there where the mark is 0, or where it is that of
        // code beside and no bit of it is met; reads a mark and a word of the map of such an address, for each of which there is one;
        // reads and writes the planes at an address of 16 bits, their page's mark and the latches, all of which are borrowed, where
        // `Reach` names a window, which `NOWHERE` does not; reads its arrays at an index of two bits; and reads the tables, which are
        // borrowed and consist of cells. It calls nothing but `Routines`, unwinds nothing, keeps the registers that its calling convention keeps, and returns by `way_out`.
        Some(unsafe { enter(std::ptr::from_mut(context), at) })
    }

    /// Forgets all code but the way in and out.
    pub(super) fn clear(&mut self) {
        self.used = self.ways;
    }
}

/// The registers that the calling convention keeps and that translated code uses.
const KEPT: [R; 6] = [R::RBX, R::RBP, R::R12, R::R13, R::R14, R::R15];

/// From Rust: saves the registers, loads the guest's, and jumps to the code.
fn way_in() -> Emitter {
    let mut code = Emitter::default();
    for register in KEPT {
        code.reg(C::Push_r64, register);
    }
    code.regs(C::Mov_r64_rm64, CONTEXT, R::RDI);
    code.regs(C::Mov_r64_rm64, R::RAX, R::RSI);
    for (number, register) in GENERAL.into_iter().enumerate() {
        code.load(C::Mov_r32_rm32, register, CONTEXT, offset::gpr(number));
    }
    code.load(C::Mov_r32_rm32, IMAGE, CONTEXT, offset::FLAGS);
    code.load(C::Mov_r64_rm64, BUDGET, CONTEXT, offset::BUDGET);
    code.load(C::Mov_r64_rm64, MARKS, CONTEXT, offset::MARKS);
    code.reg(C::Jmp_rm64, R::RAX);
    code
}

/// Back to Rust with EAX: stores the guest's registers.
fn way_out() -> Emitter {
    let mut code = Emitter::default();
    for (number, register) in GENERAL.into_iter().enumerate() {
        code.store(C::Mov_rm32_r32, CONTEXT, offset::gpr(number), register);
    }
    code.store(C::Mov_rm32_r32, CONTEXT, offset::FLAGS, IMAGE);
    code.store(C::Mov_rm64_r64, CONTEXT, offset::BUDGET, BUDGET);
    for register in KEPT.into_iter().rev() {
        code.reg(C::Pop_r64, register);
    }
    code.plain(C::Retnq);
    code
}
