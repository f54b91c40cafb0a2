//! The state shared by translated code and the machine, and the offsets of its fields.

use crate::bus::Bus;
use crate::fpu::Fpu;
use crate::frequency::Frequency;
use crate::memory::{Data, DirectMemory, PlainMemory, PlanarMapping, PlanarMemory, PlanarRegisters};

/// Base-2 logarithm of the bytes of a granule.
pub(super) const GRANULE_BITS: i32 = PlainMemory::GRANULE.ilog2() as i32;

/// Size of an interrupt vector, and of all of them, in bytes.
pub(super) const VECTOR_BYTES: u32 = 4;
pub(super) const VECTORS_BYTES: u32 = 256 * VECTOR_BYTES;

/// The state shared by translated code and the machine. The layout is C's, because the code
/// accesses fields by offset.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Context {
    /// The general registers, in the order of their encoding. Valid during a call.
    general: u64,
    /// The status flags: AH as LAHF leaves it in bits 8 to 15, OF in bit 0.
    pub(super) flags: u32,
    /// The target of a computed jump.
    pub(super) ip: u32,
    /// Cycles left before the limit.
    pub(super) budget: i64,
    /// The linear address of each segment, by segment register.
    base: [u32; 6],
    /// Bounds for accesses to plain memory, by width (1, 2, 4 bytes) and segment register: the
    /// number of offsets, from 0 on, at which an access is within the segment and in plain memory.
    bounds: [[u32; 6]; 3],
    /// The host address of each segment's first byte, by segment register. Valid during a call.
    segments: [u64; 6],
    /// The granule flags of plain memory. Valid during a call.
    granule_flags: u64,
    /// The table of computed jumps. Valid during a call.
    targets: u64,
    /// The map of decoded bytes of plain memory. Valid during a call.
    decoded: u64,
    /// The display adapter's memory: cells, page flags, latches, and the mapping for the processor.
    /// Valid during a call.
    planes: u64,
    planes_written: u64,
    latch: u64,
    reach: u64,
    /// The registers of the display adapter that the code writes, or 0. Valid during a call.
    sequencer_index: u64,
    map_mask: u64,
    graphics_index: u64,
    graphics: u64,
    /// The budget before the last write to one of them, or [`Context::NO_OUTPUT`].
    output_budget: i64,
    /// Iterations of repeated string instructions that were not counted as instructions in this call.
    pub(super) iterations: u64,
    /// [`VECTORS_BYTES`] if the interrupt vectors are at address 0 and in plain memory, otherwise 0.
    vectors: u32,
    /// The flags whose change by POPF or IRET the interpreter must check.
    pub(super) checked_flags: u32,
    /// The bus, and the functions that call it. Valid during a call.
    bus: u64,
    functions: BusFunctions,
    /// The cycle count when the budget is 0, and the cycle at which the run ends, which a port may move.
    pub(super) end: u64,
    pub(super) limit: u64,
    /// The calls of the bus, and whether they are too frequent for a translation.
    pub(super) bus_calls: Frequency,
    pub(super) calls_too_often: bool,
    /// Scratch for translated code: a value in transit between two memory operands.
    value: u64,
    /// Scratch: the linear target address of the value, checked like any other.
    place: u32,
    /// The increment of string indices in elements: 1, or -1 if DF is set.
    pub(super) direction: i32,
    /// FLAGS without the status flags and DF.
    pub(super) other_flags: u32,
    /// The coprocessor's state if the host's x87 calculates as it does, otherwise 0. Valid during a call.
    fpu: u64,
    /// The same, once the host's x87 was prepared in this call.
    fpu_ready: u64,
    /// The control word for the host's x87, and its own.
    fpu_control: u16,
    host_control: u16,
    /// Scratch for a double extended value.
    fpu_scratch: [u64; 2],
    /// 0 if the host's x87 was not tried yet, 1 if it has 64-bit significands, otherwise 2.
    fpu_tried: u32,
    /// The selectors, and the length and first address of plain memory, from which `base` and
    /// `bounds` were computed.
    selectors: [u16; 6],
    plain_bytes: u32,
    direct_from: u32,
    /// The host address of plain memory. Valid during a call.
    cells: u64,
}

/// The addresses of the functions of `host/bus`.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(super) struct BusFunctions {
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) read: u64,
    pub(super) write: u64,
    pub(super) execute: u64,
    pub(super) fill: u64,
    pub(super) copy: u64,
}

impl Context {
    /// No budget: none is negative.
    const NO_OUTPUT: i64 = -1;

    pub(super) fn new() -> Self {
        Context {
            general: 0,
            flags: 0,
            ip: 0,
            budget: 0,
            base: [0; 6],
            bounds: [[0; 6]; 3],
            segments: [0; 6],
            granule_flags: 0,
            targets: 0,
            decoded: 0,
            planes: 0,
            planes_written: 0,
            latch: 0,
            reach: 0,
            sequencer_index: 0,
            map_mask: 0,
            graphics_index: 0,
            graphics: 0,
            output_budget: Context::NO_OUTPUT,
            iterations: 0,
            vectors: 0,
            checked_flags: 0,
            bus: 0,
            functions: BusFunctions::default(),
            end: 0,
            limit: 0,
            bus_calls: Frequency::default(),
            calls_too_often: false,
            value: 0,
            place: 0,
            direction: 1,
            other_flags: 0,
            fpu: 0,
            fpu_ready: 0,
            fpu_control: 0,
            host_control: 0,
            fpu_scratch: [0; 2],
            fpu_tried: 0,
            selectors: [0; 6],
            plain_bytes: 0,
            direct_from: 0,
            cells: 0,
        }
    }

    /// Computes base and bounds of the segments. Plain memory has `len` bytes from address 0 on;
    /// segments that begin below `direct_from` are not accessed.
    fn set_segments(&mut self, selectors: &[u16; 6], (len, direct_from): (usize, u32)) {
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        if self.selectors == *selectors && (self.plain_bytes, self.direct_from) == (len, direct_from) {
            return;
        }
        (self.selectors, self.plain_bytes, self.direct_from) = (*selectors, len, direct_from);
        for (number, &selector) in selectors.iter().enumerate() {
            let base = u32::from(selector) << 4;
            self.base[number] = base;
            let end = if base < direct_from { 0 } else { len };
            let inside = end.saturating_sub(base).min(0x1_0000);
            for (width, bounds) in self.bounds.iter_mut().enumerate() {
                // An access of 1 << width bytes at an offset below this ends at or before base +
                // inside, which is at most `len`.
                bounds[number] = inside.saturating_sub((1 << width) - 1);
            }
        }
    }

    /// Returns the selectors, which translated code changes.
    pub(super) fn selectors(&self) -> [u16; 6] {
        self.selectors
    }

    /// Sets the coprocessor for a call.
    pub(super) fn set_fpu(&mut self, fpu: Option<&mut Fpu>) {
        (self.fpu, self.fpu_ready) = (0, 0);
        if let Some(fpu) = fpu
            && let Some(control) = fpu.host_control()
        {
            self.fpu_control = control;
            self.fpu = std::ptr::from_mut(fpu).expose_provenance() as u64;
        }
    }

    /// Sets the control word for the host's x87.
    pub(super) fn set_fpu_control(&mut self, control: u16) {
        self.fpu_control = control;
    }

    /// Returns the address of the coprocessor's state; 0 if the host's x87 cannot be used.
    pub(super) fn fpu(&self) -> usize {
        self.fpu as usize
    }

    /// Sets whether the interrupt vectors are at address 0. For a call, after the memory pointers.
    pub(super) fn set_vectors(&mut self, are_at_0: bool) {
        let are_plain = are_at_0 && self.plain_bytes >= VECTORS_BYTES;
        self.vectors = if are_plain { VECTORS_BYTES } else { 0 };
    }

    /// Sets the address of the table of computed jumps for a call.
    pub(super) fn set_targets(&mut self, targets: u64) {
        self.targets = targets;
    }

    /// Sets the bus and the functions that call it for a call.
    #[inline(always)]
    pub(super) fn set_bus(&mut self, bus: u64, functions: BusFunctions) {
        (self.bus, self.functions) = (bus, functions);
    }

    /// Returns the address of the bus.
    pub(super) fn bus(&self) -> usize {
        self.bus as usize
    }

    /// Returns the cycle count at a budget.
    pub(super) fn cycles_at(&self, budget: i64) -> u64 {
        self.end.wrapping_sub_signed(budget)
    }

    /// Sets the memory pointers for these selectors, unless all are as they were. `None` if there is no memory, or if
    /// granule flags are missing for it.
    #[inline(always)]
    pub(super) fn keep_memory<B: Bus>(&mut self, selectors: &[u16; 6], bus: &mut B) -> Option<()> {
        let is_same = self.selectors == *selectors && self.has_pointers(&mut bus.direct_memory()?);
        if is_same { Some(()) } else { self.set_memory(selectors, &mut bus.direct_memory()?) }
    }

    /// Sets the memory pointers for a call. `None` if granule flags are missing for the memory.
    #[inline(never)]
    fn set_memory(&mut self, selectors: &[u16; 6], memory: &mut DirectMemory<'_>) -> Option<()> {
        self.set_segments(selectors, (memory.plain.cells.len(), memory.plain.direct_from));
        let plain = &mut memory.plain;
        if !has_all_flags(plain) {
            return None;
        }
        self.cells = plain.cells.as_mut_ptr().expose_provenance() as u64;
        self.granule_flags = plain.granule_flags.as_ptr().expose_provenance() as u64;
        self.decoded = plain.code.as_ptr().expose_provenance() as u64;
        for (segment, base) in self.segments.iter_mut().zip(self.base) {
            // This may be beyond the memory, but is only used with offsets below `bounds`.
            *segment = self.cells.wrapping_add(base.into());
        }
        self.set_planar(memory.planar.as_mut());
        Some(())
    }

    /// Sets the pointers to the display adapter's memory for a call.
    fn set_planar(&mut self, planar: Option<&mut PlanarMemory<'_>>) {
        match planar {
            Some(planar) => {
                self.planes = planar.cells.as_mut_ptr().expose_provenance() as u64;
                self.planes_written = planar.written.as_mut_ptr().expose_provenance() as u64;
                self.latch = std::ptr::from_mut(planar.latch).expose_provenance() as u64;
                self.reach = std::ptr::from_mut(planar.reach).expose_provenance() as u64;
                self.set_registers(planar.registers.as_mut());
            }
            None => {
                self.set_registers(None);
                (self.planes, self.planes_written, self.latch) = (0, 0, 0);
                self.reach = std::ptr::from_ref(&NOWHERE).expose_provenance() as u64;
            }
        }
    }

    /// Like [`Context::keep_memory`], after the bus has accessed memory, for the display adapter's memory alone.
    /// `None` if the plain memory is no longer the same.
    #[inline(always)]
    pub(super) fn keep_planar<B: Bus>(&mut self, bus: &mut B) -> Option<()> {
        let is_same = self.has_pointers(&mut bus.direct_memory()?);
        if is_same { Some(()) } else { self.renew_planar(&mut bus.direct_memory()?) }
    }

    /// Sets the pointers to the display adapter's memory again. `None` as for [`Context::keep_planar`].
    #[cold]
    #[inline(never)]
    fn renew_planar(&mut self, DirectMemory { plain, planar }: &mut DirectMemory<'_>) -> Option<()> {
        if !self.has_plain_pointers(plain) {
            return None;
        }
        self.set_planar(planar.as_mut());
        Some(())
    }

    /// Returns whether the pointers are those of this memory.
    #[inline(always)]
    fn has_pointers(&self, DirectMemory { plain, planar }: &mut DirectMemory<'_>) -> bool {
        self.has_plain_pointers(plain) && self.has_planar_pointers(planar.as_mut())
    }

    #[inline(always)]
    fn has_plain_pointers(&self, plain: &PlainMemory<'_>) -> bool {
        plain.cells.as_ptr().addr() as u64 == self.cells
            && plain.cells.len() == self.plain_bytes as usize
            && plain.direct_from == self.direct_from
            && plain.granule_flags.as_ptr().addr() as u64 == self.granule_flags
            && plain.code.as_ptr().addr() as u64 == self.decoded
            && has_all_flags(plain)
    }

    #[inline(always)]
    fn has_planar_pointers(&self, planar: Option<&mut PlanarMemory<'_>>) -> bool {
        let Some(planar) = planar else { return self.planes == 0 };
        let map_mask = planar.registers.as_mut().map_or(0, |registers| address(registers.map_mask));
        address(planar.cells) == self.planes
            && address(planar.written) == self.planes_written
            && address(planar.latch) == self.latch
            && address(planar.reach) == self.reach
            && map_mask == self.map_mask
    }

    /// Sets the pointers to the display adapter's registers for a call.
    fn set_registers(&mut self, registers: Option<&mut PlanarRegisters<'_>>) {
        let byte = |byte: &mut u8| std::ptr::from_mut(byte).expose_provenance() as u64;
        (self.sequencer_index, self.map_mask, self.graphics_index, self.graphics) = match registers {
            Some(registers) => (
                byte(registers.sequencer_index),
                byte(registers.map_mask),
                byte(registers.graphics_index),
                registers.graphics.as_mut_ptr().expose_provenance() as u64,
            ),
            None => (0, 0, 0, 0),
        };
        self.output_budget = Context::NO_OUTPUT;
    }

    /// Tells the bus of the last write to one of these registers, if there was one.
    pub(super) fn report_output<B: Bus>(&mut self, bus: &mut B) {
        let budget = std::mem::replace(&mut self.output_budget, Context::NO_OUTPUT);
        if budget != Context::NO_OUTPUT {
            bus.planar_registers_written(self.cycles_at(budget));
        }
    }
}

/// Returns whether there are flags and bits for each granule of plain memory, and bits for one more.
fn has_all_flags(plain: &PlainMemory<'_>) -> bool {
    let granules = plain.cells.len().div_ceil(PlainMemory::GRANULE);
    plain.granule_flags.len() >= granules && plain.code.len() > granules
}

fn address<T>(of: &mut T) -> u64 {
    std::ptr::from_mut(of).addr() as u64
}

/// The mapping without a display adapter: it has no window.
static NOWHERE: PlanarMapping = PlanarMapping {
    base: 0,
    readable: 0,
    writable: 0,
    text: 0,
    data: Data { open: 0, fixed: 0, mask: 0 },
    lanes: [0; 4],
    shifts: [0; 4],
    index_mask: 0,
};

/// Offsets of the fields, for translated code.
pub(super) mod offset {
    use super::Context;
    use std::mem::offset_of;

    pub(in super::super) const GENERAL: i64 = offset_of!(Context, general) as i64;
    pub(in super::super) const IP: i64 = offset_of!(Context, ip) as i64;
    pub(in super::super) const FLAGS: i64 = offset_of!(Context, flags) as i64;
    pub(in super::super) const BUDGET: i64 = offset_of!(Context, budget) as i64;
    pub(in super::super) const GRANULE_FLAGS: i64 = offset_of!(Context, granule_flags) as i64;
    pub(in super::super) const TARGETS: i64 = offset_of!(Context, targets) as i64;
    pub(in super::super) const DECODED: i64 = offset_of!(Context, decoded) as i64;
    pub(in super::super) const PLANES: i64 = offset_of!(Context, planes) as i64;
    pub(in super::super) const PLANES_WRITTEN: i64 = offset_of!(Context, planes_written) as i64;
    pub(in super::super) const LATCH: i64 = offset_of!(Context, latch) as i64;
    pub(in super::super) const REACH: i64 = offset_of!(Context, reach) as i64;
    pub(in super::super) const SEQUENCER_INDEX: i64 = offset_of!(Context, sequencer_index) as i64;
    pub(in super::super) const MAP_MASK: i64 = offset_of!(Context, map_mask) as i64;
    pub(in super::super) const GRAPHICS_INDEX: i64 = offset_of!(Context, graphics_index) as i64;
    pub(in super::super) const GRAPHICS: i64 = offset_of!(Context, graphics) as i64;
    pub(in super::super) const OUTPUT_BUDGET: i64 = offset_of!(Context, output_budget) as i64;
    pub(in super::super) const ITERATIONS: i64 = offset_of!(Context, iterations) as i64;
    pub(in super::super) const VECTORS: i64 = offset_of!(Context, vectors) as i64;
    pub(in super::super) const CHECKED_FLAGS: i64 = offset_of!(Context, checked_flags) as i64;
    pub(in super::super) const INPUT: i64 = offset_of!(Context, functions.input) as i64;
    pub(in super::super) const OUTPUT: i64 = offset_of!(Context, functions.output) as i64;
    pub(in super::super) const READ: i64 = offset_of!(Context, functions.read) as i64;
    pub(in super::super) const WRITE: i64 = offset_of!(Context, functions.write) as i64;
    pub(in super::super) const EXECUTE: i64 = offset_of!(Context, functions.execute) as i64;
    pub(in super::super) const FILL: i64 = offset_of!(Context, functions.fill) as i64;
    pub(in super::super) const COPY: i64 = offset_of!(Context, functions.copy) as i64;
    pub(in super::super) const VALUE: i64 = offset_of!(Context, value) as i64;
    pub(in super::super) const PLACE: i64 = offset_of!(Context, place) as i64;
    pub(in super::super) const DIRECTION: i64 = offset_of!(Context, direction) as i64;
    pub(in super::super) const OTHER_FLAGS: i64 = offset_of!(Context, other_flags) as i64;
    pub(in super::super) const FPU: i64 = offset_of!(Context, fpu) as i64;
    pub(in super::super) const FPU_READY: i64 = offset_of!(Context, fpu_ready) as i64;
    pub(in super::super) const FPU_CONTROL: i64 = offset_of!(Context, fpu_control) as i64;
    pub(in super::super) const HOST_CONTROL: i64 = offset_of!(Context, host_control) as i64;
    pub(in super::super) const FPU_SCRATCH: i64 = offset_of!(Context, fpu_scratch) as i64;
    pub(in super::super) const FPU_TRIED: i64 = offset_of!(Context, fpu_tried) as i64;
    pub(in super::super) const SELECTORS: i64 = offset_of!(Context, selectors) as i64;
    pub(in super::super) const PLAIN_BYTES: i64 = offset_of!(Context, plain_bytes) as i64;
    pub(in super::super) const DIRECT_FROM: i64 = offset_of!(Context, direct_from) as i64;
    pub(in super::super) const CELLS: i64 = offset_of!(Context, cells) as i64;

    pub(in super::super) fn base(segment: usize) -> i64 {
        (offset_of!(Context, base) + segment * size_of::<u32>()) as i64
    }
    /// `width`: 0, 1, 2 for 1, 2, 4 bytes.
    pub(in super::super) fn bounds(width: usize, segment: usize) -> i64 {
        (offset_of!(Context, bounds) + (width * 6 + segment) * size_of::<u32>()) as i64
    }
    pub(in super::super) fn segment(segment: usize) -> i64 {
        (offset_of!(Context, segments) + segment * size_of::<u64>()) as i64
    }
}
