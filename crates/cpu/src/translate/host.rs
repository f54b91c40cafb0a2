//! Memory for machine code, and calls into it. This file and `host/bus`, the functions that the code calls,
//! are the only ones of this crate with `unsafe`.
//!
//! Code memory is a list of mappings of [`CHUNK`] bytes, of which the host provides pages as they are
//! used. None of them moves. Each is readable and executable; the one to which code is being added
//! is readable and writable instead.
//!
//! Translated code may access what it receives by reference during a call: the [`Context`]; plain
//! memory, its granule flags and the map of decoded bytes; the planes of a display adapter, their
//! page flags, the latches, the [`PlanarMapping`] and some registers; and the [`Tables`] that it
//! jumps through.
//! [`CodeMemory::call`] says why this holds, and what this file cannot check.

#![allow(unsafe_code)]

mod bus;

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::{Mmap, MmapMut};

use self::bus::functions;
use super::context::Context;
use super::emit::{Emitter, Encoded, Label};
use super::frame::{epilogue, prologue};
use super::repeated::Repeated;
use super::routines::Routines;
use super::string_routines;
use crate::bus::Bus;
use crate::fpu::Fpu;
use crate::registers::Registers;

/// An entry point in code memory: the start of a block, or a label in it.
///
/// Only [`Placed::entry`] creates one, for code that [`CodeMemory::push`] has written. Users
/// compare its generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    at: u64,
    generation: Generation,
}

/// A period between two calls of [`CodeMemory::clear`], unique in the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Generation(u64);

impl Generation {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Generation(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Code that [`CodeMemory::push`] has written, and its position.
#[derive(Debug)]
pub(super) struct Placed {
    code: Encoded,
    generation: Generation,
}

impl Placed {
    pub(super) fn entry(&self, label: Label) -> Entry {
        Entry { at: self.code.address() + self.code.offset(label) as u64, generation: self.generation }
    }
}

/// The number of slots of the table of computed jumps: one for each IP.
pub(super) const TARGETS: usize = 1 << 16;
/// The number of links: four for each block that is translated before all are dropped.
const LINKS: usize = 1 << 18;

/// The size of one mapping of code memory in bytes. Adding code changes its protection, which costs
/// the host time for each page.
const CHUNK: usize = 128 << 10;
/// The longest code that is added at once.
const LONGEST: usize = 32 << 10;
/// The most mappings: 64 MiB, and in tests 3 MiB.
const MOST_CHUNKS: usize = if cfg!(test) { 24 } else { 512 };

/// Set in the keys of the table of computed jumps, so that no key is 0, the key of an empty slot.
pub(super) const IN_USE: u64 = 1 << 61;

/// Returns the key under which the table of computed jumps has a block.
pub(super) fn target_key(key: u64) -> u64 {
    key | IN_USE
}

/// The bits of CS in a slot's number are those of its product with this number.
pub(super) const SPREAD: u16 = 0x9E37;
/// Base-2 logarithm of the size of a slot in bytes: a key and an address.
pub(super) const SLOT_BITS: i32 = 4;

/// Returns the slot of a key in the table of computed jumps: its IP, and bits of its CS. The slots of
/// two keys with the same CS differ by XOR as their IPs do.
pub(super) fn slot(key: u64) -> usize {
    usize::from(key as u16 ^ ((key >> 32) as u16).wrapping_mul(SPREAD))
}

/// The tables through which translated code jumps. Every address is that of an [`Entry`] of the
/// current generation or of [`CodeMemory::leave`]. Cells that are not in use are 0: no code refers to
/// such a link, and no jump has the key of such a slot.
#[derive(Debug)]
struct Tables {
    /// The slots of the table of computed jumps: a key and an address each.
    targets: Box<[Cell<u64>]>,
    /// The addresses to which the exits of translated blocks jump.
    links: Box<[Cell<u64>]>,
}

impl Tables {
    fn new() -> Self {
        Tables { targets: zeroed(2 * TARGETS), links: zeroed(LINKS) }
    }
}

/// Allocates cells of 0, for which the host provides memory when they are written.
fn zeroed(count: usize) -> Box<[Cell<u64>]> {
    let numbers = Box::into_raw(vec![0u64; count].into_boxed_slice());
    // SAFETY: the pointer is that of a box, and `Cell<u64>` has the layout of `u64`.
    unsafe { Box::from_raw(numbers as *mut [Cell<u64>]) }
}

/// The function that enters translated code: takes the context, the code's address, and the general registers.
type Enter = unsafe extern "sysv64" fn(*mut Context, u64, *mut [u32; 8]) -> u64;

/// Memory with machine code, and the tables through which the code jumps.
#[derive(Debug)]
pub(super) struct CodeMemory {
    /// Empty after the host refused to change a protection: then all code is lost. The first begins
    /// with the permanent code.
    chunks: Vec<Mmap>,
    /// The bytes in use of the last mapping.
    used: usize,
    /// The end of the code that is never cleared: prologue, epilogue and routines.
    permanent: usize,
    /// The address of the epilogue, to which translated code jumps with its result in EAX.
    leave: u64,
    routines: Routines,
    tables: Tables,
    generation: Generation,
}

impl CodeMemory {
    /// The position of the prologue in the first mapping.
    const ENTER: usize = 0;

    /// Creates memory with the prologue, the epilogue and the routines; `None` if the host provides
    /// no memory for code.
    pub(super) fn new() -> Option<Self> {
        let mut code = CodeMemory {
            chunks: vec![CodeMemory::chunk()?],
            used: CodeMemory::ENTER,
            permanent: 0,
            leave: 0,
            routines: Routines::default(),
            tables: Tables::new(),
            generation: Generation::new(),
        };
        code.add(prologue())?;
        code.leave = code.add(epilogue())?;
        code.routines = Routines::write(|routine| code.add(routine))?;
        code.permanent = code.used;
        Some(code)
    }

    fn chunk() -> Option<Mmap> {
        MmapMut::map_anon(CHUNK).ok()?.make_exec().ok()
    }

    /// Returns whether there is no room for more code until [`CodeMemory::clear`].
    pub(super) fn is_full(&self) -> bool {
        self.chunks.len() >= MOST_CHUNKS && self.used + LONGEST > CHUNK
    }

    /// Returns the address for which the next code must be encoded; `None` if the memory is full, or
    /// if the host provides none.
    pub(super) fn next(&mut self) -> Option<u64> {
        if self.is_full() {
            return None;
        }
        if self.used + LONGEST > CHUNK {
            self.chunks.push(CodeMemory::chunk()?);
            self.used = 0;
        }
        Some(self.chunks.last()?.as_ptr().addr() as u64 + self.used as u64)
    }

    /// Returns the address to which translated code returns.
    pub(super) fn leave(&self) -> u64 {
        self.leave
    }

    pub(super) fn routines(&self) -> Routines {
        self.routines
    }

    /// Writes the routine of a repeated string instruction, unless it is there: few programs need more than
    /// two of them. `None` if there is no memory for it.
    pub(super) fn add_string_routine(&mut self, repeated: Repeated, bytes: u32) -> Option<()> {
        let (row, width) = (repeated as usize, bytes.ilog2() as usize);
        if self.routines.repeat[row][width] == 0 {
            self.routines.repeat[row][width] = self.add(string_routines::routine(repeated, bytes))?;
        }
        Some(())
    }

    fn add(&mut self, code: Emitter) -> Option<u64> {
        let address = self.next()?;
        self.push(code.encode(address)?).map(|_| address)
    }

    /// Adds code. Returns `None` if it is longer than [`LONGEST`], or was not encoded for
    /// [`CodeMemory::next`].
    pub(super) fn push(&mut self, code: Encoded) -> Option<Placed> {
        const ALIGNMENT: usize = 16;
        let bytes = code.bytes();
        let end = self.used + bytes.len();
        if Some(code.address()) != self.next() || bytes.len() > LONGEST {
            return None;
        }
        let last = self.chunks.pop()?;
        let added = last.make_mut().and_then(|mut memory| {
            memory[self.used..end].copy_from_slice(bytes);
            memory.make_exec()
        });
        match added {
            Ok(memory) => self.chunks.push(memory),
            Err(_) => self.chunks.clear(),
        }
        self.used = end.next_multiple_of(ALIGNMENT);
        (!self.chunks.is_empty()).then_some(Placed { code, generation: self.generation })
    }

    /// Returns the address of the first of `count` consecutive links; `None` if there are fewer.
    pub(super) fn link_address(&self, first: usize, count: usize) -> Option<u64> {
        let links = self.tables.links.get(first..first.checked_add(count)?)?;
        Some(links.as_ptr().expose_provenance() as u64)
    }

    /// Sets a link to an entry point, or to the epilogue. A cleared entry changes nothing.
    pub(super) fn set_link(&self, link: usize, to: Option<Entry>) {
        if to.is_none_or(|entry| entry.generation == self.generation) {
            self.tables.links[link].set(to.map_or(self.leave, |entry| entry.at));
        }
    }

    pub(super) fn leads_to(&self, link: usize, to: Entry) -> bool {
        self.tables.links[link].get() == to.at
    }

    /// Sets the entry point of computed jumps to this key. A cleared entry changes nothing.
    pub(super) fn set_target(&self, key: u64, to: Entry) {
        if to.generation == self.generation {
            let [own, code] = self.target(key);
            code.set(to.at);
            own.set(target_key(key));
        }
    }

    /// Makes computed jumps to this key return to the run loop.
    pub(super) fn forget_target(&self, key: u64) {
        let [own, _] = self.target(key);
        if own.get() == target_key(key) {
            own.set(0);
        }
    }

    fn target(&self, key: u64) -> [&Cell<u64>; 2] {
        let first = 2 * slot(key);
        [&self.tables.targets[first], &self.tables.targets[first + 1]]
    }

    /// Runs the code at an entry point with these registers and this coprocessor, if it is
    /// switched on, and returns its result from EAX. `vectors_at_0`: the interrupt vectors are at address 0.
    /// Runs nothing and returns `None` if the code is lost, cleared or another memory's, if the bus has no direct
    /// memory, or if there are fewer granule flags than the memory needs.
    #[inline(always)]
    pub(super) fn call<B: Bus>(
        &self,
        entry: Entry,
        context: &mut Context,
        registers: &mut Registers,
        bus: &mut B,
        fpu: Option<&mut Fpu>,
        vectors_at_0: bool,
    ) -> Option<u64> {
        let code = self.chunks.first().filter(|_| entry.generation == self.generation)?;
        let bus = std::ptr::from_mut(bus);
        context.set_bus(bus.expose_provenance() as u64, functions::<B>());
        // SAFETY: the pointer is that of a reference, which is not used before the end of this function.
        context.keep_memory(&registers.seg, unsafe { &mut *bus })?;
        context.set_vectors(vectors_at_0);
        context.set_fpu(fpu);
        context.set_targets(self.tables.targets.as_ptr().expose_provenance() as u64);
        // SAFETY: `new` has written `prologue` to `ENTER` of the first mapping, `push` writes only at
        // `used` and above of the last, and `clear` never lowers `used` below `permanent` when it
        // leaves only the first: so it is still there. `prologue` takes three arguments as `Enter`
        // says, in RDI, RSI and RDX. The mappings in `chunks` are readable and executable, and changing
        // their protection does not move them. `push` and `clear` need `&mut self`: they cannot
        // happen during a call.
        let enter =
            unsafe { std::mem::transmute::<*const u8, Enter>(code.as_ptr().wrapping_add(CodeMemory::ENTER)) };
        // SAFETY: this call is sound only if `translate` emits correct code, which Rust cannot
        // check. The boundary is that whole module: a mistake in any file that emits or encodes
        // code, or assigns registers, can break memory safety. The invariants:
        // 1. Jumps. `entry` comes from `push` on this memory and has not been cleared since: no
        // other memory has this generation. Code jumps directly only within the code encoded with
        // it, to `leave`, or to the routines, which are permanent, or dropped with all code that calls
        // them. All other jumps use `tables`, which this memory owns: links and targets hold entries
        // of this generation, since `set_link` and `set_target` accept no others, or the address of `leave`. `clear` drops the
        // code that refers to the links, and empties the targets. The links of a block are set
        // before its code can be entered. No jump has the key 0 of an empty slot: `IN_USE` is set
        // in all of theirs.
        // 2. Memory. The pointers in `context` were just set from the borrowed arguments, or are equal to those,
        // so they are valid for the call. Only `prologue` and `epilogue` use that to the general registers, of which
        // there are eight. The addresses of links are in the code itself, and point into
        // `tables`.
        // - Plain memory is read and written, at most 4 bytes at a time, at offsets below
        // `Context::bounds`: see `set_segments`, and `load_segment` in `routines`, which computes
        // the same for one register. Of longer operands, those of the coprocessor and of PUSHA and
        // POPA, the part with the highest offset is checked so, and each part if the offset may wrap. Of
        // repeated strings, `string_routines` check the highest element and that the lowest offset is
        // not below 0. Of a window of the stack, its routine checks the lowest and the highest offset.
        // - Interrupt vectors are read only by `read_vector`, if `set_vectors` found them in plain memory,
        // by a number of 8 bits.
        // - Its granule flags and the map of decoded bytes are only read, at the granule in which
        // an access begins, the map also at the next, at all granules of a repeated store, or at those in
        // which the words of a window of the stack begin, up to the last word that is written: `set_memory`
        // has checked that there is an entry for each granule, and in the map one more.
        // - Planes, page flags and latches are used only if `PlanarMapping` has a window, which
        // `NOWHERE` has not. An index has 16 bits, and there are `PLANE` cells.
        // - Registers of the display adapter are written only by `port_routines`, which check
        // that there is a pointer; the number of the graphics controller's is one of three constants.
        // - The coprocessor's state is accessed by the offsets in `fpu::field`; the number of a
        // register has 3 bits.
        // - `PlanarMapping` is written only by these routines, and `tables` are only read; `Context` is
        // read and written.
        // - The code calls the functions of `host/bus` for this type of bus, at the addresses in `Context`, and
        // uses neither the bus nor the pointers from it, nor the coprocessor's state, meanwhile. They set these
        // pointers again. If there are none, or if plain memory has moved during an access to memory, they tell
        // the code to leave, which it does without an access to memory.
        // 3. Calling convention. `prologue` saves and `epilogue` restores every register that
        // sysv64 preserves, at the same stack depth. The stack is used only for calls of routines,
        // without a red zone. `bus_calls` saves the registers that a function may change,
        // finds the stack aligned, and restores the x87's control word before it calls one. The direction
        // flag is set only for the one instruction of a string that goes down. MXCSR is not touched. The
        // x87 stack is empty between runs of instructions, and `epilogue` restores the x87's control word.
        // Nothing unwinds. `GENERAL`, `CONTEXT`, `IMAGE`, `BUDGET` and `GRANULE_FLAGS` are different
        // registers, and none is RAX.
        // To review it, read `emit`, `registers`, `frame`, `flags`, `codegen`, `direct`, `multiply`, `address`,
        // `stack`, `window`, `far`, `segment`, `control`, `interrupts`, `ports`, `fpu`, `fpu_run`, `fpu_control`,
        // `strings`, `slow_path`, `exits`, `routines`, `fpu_routines`, `bus_calls`, `video_routines`,
        // `port_routines` and `string_routines`. `tests::translated`, `tests::strings_translated`,
        // `tests::divisions` and `tests::fpu_translated` compare their results with the interpreter's, which is
        // evidence and not a proof. `check` verifies most of this for each block, from its bytes, with debug
        // assertions or if it is asked to.
        Some(unsafe { enter(std::ptr::from_mut(context), entry.at, &raw mut registers.gpr) })
    }

    /// Drops all code except the permanent part, and empties the table of computed jumps.
    pub(super) fn clear(&mut self) {
        self.chunks.truncate(1);
        self.used = self.permanent;
        self.routines.repeat = Routines::default().repeat;
        self.generation = Generation::new();
        self.tables.targets = zeroed(2 * TARGETS);
    }
}

#[cfg(test)]
mod tests {
    use iced_x86::Register as R;

    use super::*;

    /// Adds code of some 30 KB.
    fn add(memory: &mut CodeMemory) -> Option<u64> {
        let mut code = Emitter::default();
        for number in 0..3000 {
            code.imm64(R::RAX, 1 << 40 | number);
        }
        memory.add(code)
    }

    #[test]
    fn full_memory_takes_code_again_when_it_is_cleared() {
        let mut memory = CodeMemory::new().expect("memory for code");
        let first = add(&mut memory);
        let count = (1..).take_while(|_| add(&mut memory).is_some()).count();
        assert!(memory.is_full());
        assert!((3 * MOST_CHUNKS - 2..=4 * MOST_CHUNKS).contains(&count), "{count}");
        memory.clear();
        assert!(!memory.is_full());
        assert_eq!(add(&mut memory), first);
    }
}
