//! Memory that holds machine code, and the call into it: the only file of the processor with `unsafe`.
//!
//! The code memory is mapped readable and executable; while something is added to it, readable and writable instead. It is
//! one mapping of [`CodeMemory::SIZE`] bytes, of which the host gives pages as they are used. It never grows and never moves.
//!
//! Translated code may touch what it is given by reference for the time of the call: the [`Context`]; plain memory, its marks
//! and the map of its decoded bytes; the planes of a display adapter, the marks of their pages, the latches and the [`Reach`]; and the
//! [`Tables`] that it jumps through. [`CodeMemory::call`] says why that holds, and what this file cannot check.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use iced_x86::{Code as C, Register as R};
use memmap2::{Mmap, MmapMut};

use super::emit::{Emitter, Encoded, Label};
use super::registers::{BUDGET, CONTEXT, GENERAL, IMAGE, MARKS};
use super::routines::Routines;
use crate::memory::{Data, DirectMemory, PlainMemory, Reach};

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
    base: [u32; 6],
    /// By width (1, 2, 4 bytes) and segment register: how many offsets there are, from 0 on, at which so many bytes lie within the
    /// segment and in plain memory. The bounds of every access to plain memory.
    room: [[u32; 6]; 3],
    /// By segment register: the host's address of its first byte. Valid during a call.
    segments: [u64; 6],
    /// The marks of plain memory. Valid during a call.
    marks: u64,
    /// The table of computed jumps. Valid during a call.
    targets: u64,
    /// The map of decoded bytes of plain memory. Valid during a call.
    decoded: u64,
    /// The display adapter's memory: its cells, the marks of its pages, the latches, and how the processor reaches it. Valid during
    /// a call.
    planes: u64,
    planes_written: u64,
    latch: u64,
    reach: u64,
    /// Translated code's own: a value that is on its way from one place in memory to another.
    value: u64,
    /// Translated code's own: the linear address where the value goes, to be checked like any other.
    place: u32,
    /// What a string instruction adds to its indices, by element: 1, or -1 where DF is set.
    pub(super) direction: i32,
    /// The selectors and the length of plain memory from which `base` and `room` were computed.
    selectors: [u16; 6],
    plain: usize,
}

/// An address in the code memory at which translated code may be entered: the beginning of a block, or a label of one.
///
/// [`Placed::entry`] alone makes one, for code that [`CodeMemory::push`] has written. Whoever takes one compares its generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    at: u64,
    generation: Generation,
}

/// The code memory between two calls of [`CodeMemory::clear`]. No two code memories of the process have one in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Generation(u64);

impl Generation {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Generation(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Code that [`CodeMemory::push`] has written, and where.
#[derive(Debug)]
pub(super) struct Placed {
    code: Encoded,
    generation: Generation,
}

impl Placed {
    /// The entry at a label of the code.
    pub(super) fn entry(&self, label: Label) -> Entry {
        Entry { at: self.code.address() + self.code.offset(label) as u64, generation: self.generation }
    }
}

/// A slot of the table of computed jumps: a key and where its code is.
#[derive(Debug, Default)]
#[repr(C)]
struct Target {
    key: Cell<u64>,
    code: Cell<u64>,
}

/// Entries of the table of computed jumps, a power of two.
pub(super) const TARGETS: usize = 1024;
/// Links there can be.
pub(super) const LINKS: usize = 1 << 14;

/// A key that no computed jump has: that of an empty slot.
const NO_KEY: u64 = u64::MAX;

/// What translated code jumps through. Every address in it is that of an [`Entry`] of the present generation, or that of
/// [`CodeMemory::leave`], or stands in a slot with the key [`NO_KEY`].
#[derive(Debug)]
struct Tables {
    targets: Box<[Target]>,
    /// The addresses that the exits of translated blocks jump to.
    links: Box<[Cell<u64>]>,
}

impl Tables {
    fn new(leave: u64) -> Self {
        let targets = (0..TARGETS).map(|_| Target { key: Cell::new(NO_KEY), code: Cell::new(leave) });
        Tables { targets: targets.collect(), links: vec![Cell::new(leave); LINKS].into_boxed_slice() }
    }

    fn clear(&self, leave: u64) {
        self.targets.iter().for_each(|target| target.key.set(NO_KEY));
        self.links.iter().for_each(|link| link.set(leave));
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
            decoded: 0,
            planes: 0,
            planes_written: 0,
            latch: 0,
            reach: 0,
            value: 0,
            place: 0,
            direction: 1,
            selectors: [0; 6],
            plain: 0,
        }
    }

    /// Computes where the segments lie, and how much of each is plain memory, which has so many bytes from address 0 on.
    fn set_segments(&mut self, selectors: &[u16; 6], plain: usize) {
        if self.selectors == *selectors && self.plain == plain {
            return;
        }
        (self.selectors, self.plain) = (*selectors, plain);
        for (number, &selector) in selectors.iter().enumerate() {
            let base = u32::from(selector) << 4;
            self.base[number] = base;
            let inside = u32::try_from(plain).unwrap_or(u32::MAX).saturating_sub(base).min(0x1_0000);
            for (width, room) in self.room.iter_mut().enumerate() {
                // An access of 1 << width bytes at an offset below this ends at or before base + inside, which is at most `plain`.
                room[number] = inside.saturating_sub((1 << width) - 1);
            }
        }
    }

    /// Where memory is, for the time of a call. Nothing if there are fewer marks than the memory needs.
    fn set_memory(&mut self, selectors: &[u16; 6], memory: &mut DirectMemory<'_>) -> Option<()> {
        self.set_segments(selectors, memory.plain.cells.len());
        let plain = &mut memory.plain;
        let granules = plain.cells.len().div_ceil(PlainMemory::GRANULE);
        if plain.marks.len() < granules || plain.code.len() < granules {
            return None;
        }
        let cells = plain.cells.as_mut_ptr().expose_provenance() as u64;
        self.marks = plain.marks.as_ptr().expose_provenance() as u64;
        self.decoded = plain.code.as_ptr().expose_provenance() as u64;
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
            None => {
                (self.planes, self.planes_written, self.latch) = (0, 0, 0);
                self.reach = std::ptr::from_ref(&NOWHERE).expose_provenance() as u64;
            }
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
    pub(in super::super) const DECODED: i64 = offset_of!(Context, decoded) as i64;
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

/// Memory with machine code in it, and the tables that the code jumps through.
#[derive(Debug)]
pub(super) struct CodeMemory {
    /// `None` only while it is changed, or for ever after the host has refused that.
    memory: Option<Mmap>,
    used: usize,
    /// Where the code ends that is never cleared: the ways in and out, and the routines.
    permanent: usize,
    /// The address of the way out, to which translated code jumps with its answer in EAX.
    leave: u64,
    routines: Routines,
    tables: Tables,
    generation: Generation,
}

impl CodeMemory {
    /// Bytes of code there can be.
    const SIZE: usize = 4 << 20;
    /// Where the way in is.
    const ENTER: usize = 0;

    /// Memory with nothing but the ways in and out and the routines; nothing where the host gives no memory for code.
    pub(super) fn new() -> Option<Self> {
        let memory = MmapMut::map_anon(CodeMemory::SIZE).ok()?.make_exec().ok()?;
        let mut code = CodeMemory {
            memory: Some(memory),
            used: CodeMemory::ENTER,
            permanent: 0,
            leave: 0,
            routines: Routines::default(),
            tables: Tables::new(0),
            generation: Generation::new(),
        };
        code.add(way_in())?;
        code.leave = code.add(way_out())?;
        code.tables.clear(code.leave);
        code.routines = Routines::write(|routine| code.add(routine))?;
        code.permanent = code.used;
        Some(code)
    }

    /// The address for which the next code has to be encoded.
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
        let address = self.end()?;
        self.push(code.encode(address)?).map(|_| address)
    }

    /// Adds code. Returns nothing if it does not fit, or was encoded for another address than [`CodeMemory::end`].
    pub(super) fn push(&mut self, code: Encoded) -> Option<Placed> {
        const ALIGNMENT: usize = 16;
        let bytes = code.bytes();
        let end = self.used + bytes.len();
        if code.address() != self.end()? || end > CodeMemory::SIZE - ALIGNMENT {
            return None;
        }
        let mut memory = self.memory.take()?.make_mut().ok()?;
        memory[self.used..end].copy_from_slice(bytes);
        self.memory = Some(memory.make_exec().ok()?);
        self.used = end.next_multiple_of(ALIGNMENT);
        Some(Placed { code, generation: self.generation })
    }

    /// The address of the first of `count` links, which follow each other, for the code that jumps through them. Nothing if there are
    /// not so many.
    pub(super) fn link_address(&self, first: usize, count: usize) -> Option<u64> {
        let links = self.tables.links.get(first..first.checked_add(count)?)?;
        Some(links.as_ptr().expose_provenance() as u64)
    }

    /// Sets where a link leads: to an entry, or straight out. An entry that has been cleared changes nothing.
    pub(super) fn set_link(&self, link: usize, to: Option<Entry>) {
        if to.is_none_or(|entry| entry.generation == self.generation) {
            self.tables.links[link].set(to.map_or(self.leave, |entry| entry.at));
        }
    }

    /// Whether a link leads to an entry.
    pub(super) fn leads_to(&self, link: usize, to: Entry) -> bool {
        self.tables.links[link].get() == to.at
    }

    /// From now on computed jumps to this key lead to an entry. One that has been cleared changes nothing.
    pub(super) fn set_target(&self, slot: usize, key: u64, to: Entry) {
        if to.generation == self.generation && key != NO_KEY {
            self.tables.targets[slot].code.set(to.at);
            self.tables.targets[slot].key.set(key);
        }
    }

    /// From now on computed jumps to this key lead back to the run loop.
    pub(super) fn forget_target(&self, slot: usize, key: u64) {
        if self.tables.targets[slot].key.get() == key {
            self.tables.targets[slot].key.set(NO_KEY);
        }
    }

    /// Runs the code at an entry, with the segments at these selectors, and returns its answer, which is in EAX. Returns nothing, and
    /// runs nothing, if the code is lost, cleared or another memory's, or if there are fewer marks than the memory needs.
    pub(super) fn call(
        &self,
        entry: Entry,
        context: &mut Context,
        selectors: &[u16; 6],
        memory: &mut DirectMemory<'_>,
    ) -> Option<u64> {
        let code = self.memory.as_ref().filter(|_| entry.generation == self.generation)?;
        context.set_memory(selectors, memory)?;
        context.targets = self.tables.targets.as_ptr().expose_provenance() as u64;
        // SAFETY: `new` has written `way_in` to `ENTER`, `push` writes only at `used` and above, and `clear` never lowers `used` below
        // `permanent`: so it is still there. `way_in` takes two arguments as `Enter` says, in RDI and RSI. While `memory` is there the
        // mapping is readable and executable, and changing its protection does not move it. `push` and `clear` need `&mut self`: they
        // cannot happen during a call.
        let enter =
            unsafe { std::mem::transmute::<*const u8, Enter>(code.as_ptr().wrapping_add(CodeMemory::ENTER)) };
        // SAFETY: this call is sound only if `translate` emits correct code, which Rust cannot check. The boundary is that whole module:
        // a mistake in any file that emits or encodes code, or assigns registers, can break memory safety. What has to hold:
        // 1. Jumps. `entry` comes from `push` on this memory and has not been cleared since: no other memory has this generation.
        //    Code jumps by itself only within what was encoded with it, to `leave`, or to the routines, which are permanent. All other
        //    jumps go through `tables`, which this memory owns: links and targets hold entries of this generation, since `set_link` and
        //    `set_target` take no others, or the address of `leave`; `clear` sets all of them back. No jump has the key `NO_KEY`: the
        //    upper half of a key is CS, 16 bits, with or without the top bit of all.
        // 2. Memory. The pointers in `context` were set just now from what is borrowed here, so they are valid for the call. The
        //    addresses of links are in the code itself, and point into `tables`.
        //    - Plain memory is read and written, at most 4 bytes at a time, at offsets below `Context::room`: see `set_segments`.
        //    - Its marks and the map of decoded bytes are only read, at the granule in which an access begins: `set_memory` has checked
        //      that there is an entry for each granule.
        //    - Planes, marks of pages and latches are used only where `Reach` has a window, which `NOWHERE` has not. An index has 16
        //      bits, and `PLANE` cells are there.
        //    - `Reach` and `tables` are only read; `Context` is read and written.
        // 3. Convention. `way_in` saves and `way_out` restores every register that sysv64 keeps, at the same depth of the stack, which is
        //    used for nothing but calls of routines, without a red zone. The direction flag, the x87 and MXCSR are not touched. Nothing
        //    unwinds. `GENERAL`, `CONTEXT`, `IMAGE`, `BUDGET` and `MARKS` are different registers, and none is RAX.
        // To review it, read `emit`, `registers`, `flags`, `codegen`, `direct`, `address`, `stack`, `strings`, `slow_path`, `exits` and
        // `routines`. `tests::translated` compares their results with the interpreter's, which is evidence and no proof.
        Some(unsafe { enter(std::ptr::from_mut(context), entry.at) })
    }

    /// Forgets all code but the permanent, and where everything leads.
    pub(super) fn clear(&mut self) {
        self.used = self.permanent;
        self.generation = Generation::new();
        self.tables.clear(self.leave);
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

/// Back to Rust with the answer in EAX: stores the guest's registers.
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
