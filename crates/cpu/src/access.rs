//! Memory access by segment and offset, the stack, and accesses that cross the end of a segment.
//!
//! A real-mode segment ends at FFFFh. An access that crosses the end wraps on the 8086 and 80186
//! and faults on later processors (#GP; through SS on the 80386 #SS).

use serde::{Deserialize, Serialize};

use super::bus::Bus;
use super::model::Model;
use super::registers::{Reg, Segment};
use super::size::{Size, Word};
use super::state::Cpu;

/// An exception to deliver, by its vector. The instruction has changed at most memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Fault(pub(super) u8);

impl Fault {
    pub(super) const DIVIDE: Fault = Fault(0);
    pub(super) const BOUND: Fault = Fault(5);
    pub(super) const UNDEFINED: Fault = Fault(6);
    pub(super) const NO_COPROCESSOR: Fault = Fault(7);
    pub(super) const STACK: Fault = Fault(12);
    pub(super) const PROTECTION: Fault = Fault(13);

    /// Returns the fault of an access beyond the end of `segment`.
    pub(super) fn overrun(model: Model, segment: Segment) -> Fault {
        if segment == Segment::Ss && model.has_stack_fault() { Fault::STACK } else { Fault::PROTECTION }
    }
}

/// The last offset at which `W` fits into a segment.
const fn last<W: Size>() -> u32 {
    0x1_0000 - W::BYTES
}

impl Cpu {
    /// Returns the linear address of offset 0 of a segment.
    #[inline(always)]
    pub(super) fn base(&self, segment: Segment) -> u32 {
        u32::from(self.regs.seg[segment as usize]) << 4
    }

    /// Reads `W` at `segment:offset`.
    #[inline(always)]
    pub(super) fn load<B: Bus, W: Size>(
        &mut self,
        bus: &mut B,
        segment: Segment,
        offset: u32,
    ) -> Result<u32, Fault> {
        if offset > const { last::<W>() } {
            return self.load_at_end::<B, W>(bus, segment, offset);
        }
        Ok(W::read(bus, self.base(segment) + offset))
    }

    /// Writes `W` at `segment:offset`.
    #[inline(always)]
    pub(super) fn store<B: Bus, W: Size>(
        &mut self,
        bus: &mut B,
        segment: Segment,
        offset: u32,
        value: u32,
    ) -> Result<(), Fault> {
        if offset > const { last::<W>() } {
            return self.store_at_end::<B, W>(bus, segment, offset, value);
        }
        W::write(bus, self.base(segment) + offset, value);
        Ok(())
    }

    /// Reads `W` if it is within the segment and in plain memory.
    #[inline(always)]
    pub(super) fn fast_load<B: Bus, W: Size>(&self, bus: &B, segment: Segment, offset: u32) -> Option<u32> {
        if offset > const { last::<W>() } {
            return None;
        }
        W::fast_read(bus, self.base(segment) + offset)
    }

    /// Writes `W` if it is within the segment, in plain memory, and not near decoded code.
    #[inline(always)]
    pub(super) fn fast_store<B: Bus, W: Size>(
        &self,
        bus: &mut B,
        segment: Segment,
        offset: u32,
        value: u32,
    ) -> bool {
        offset <= const { last::<W>() } && W::fast_write(bus, self.base(segment) + offset, value)
    }

    /// Like [`Cpu::fast_store`], also in granules with decoded code if no decoded byte is written.
    #[inline(always)]
    pub(super) fn store_beside_code<B: Bus, W: Size>(
        &self,
        bus: &mut B,
        segment: Segment,
        offset: u32,
        value: u32,
    ) -> bool {
        offset <= const { last::<W>() } && W::write_beside_code(bus, self.base(segment) + offset, value)
    }

    /// Reads `W` if it is within the segment and in device memory that is readable without effects.
    #[inline(always)]
    pub(super) fn device_load<B: Bus, W: Size>(
        &self,
        bus: &mut B,
        segment: Segment,
        offset: u32,
    ) -> Option<u32> {
        if offset > const { last::<W>() } {
            return None;
        }
        W::device_read(bus, self.base(segment) + offset)
    }

    /// Writes `W` if it is within the segment and in device memory that can be written without side
    /// effects.
    #[inline(always)]
    pub(super) fn device_store<B: Bus, W: Size>(
        &self,
        bus: &mut B,
        segment: Segment,
        offset: u32,
        value: u32,
    ) -> bool {
        offset <= const { last::<W>() } && W::device_write(bus, self.base(segment) + offset, value)
    }

    #[cold]
    #[inline(never)]
    fn load_at_end<B: Bus, W: Size>(
        &mut self,
        bus: &mut B,
        segment: Segment,
        offset: u32,
    ) -> Result<u32, Fault> {
        if !self.model.offsets_wrap() {
            return Err(Fault::overrun(self.model, segment));
        }
        let base = self.base(segment);
        let byte = |i: u32| base + (offset.wrapping_add(i) & 0xFFFF);
        Ok((0..W::BYTES).fold(0, |value, i| value | u32::from(bus.read8(byte(i))) << (i * 8)))
    }

    #[cold]
    #[inline(never)]
    fn store_at_end<B: Bus, W: Size>(
        &mut self,
        bus: &mut B,
        segment: Segment,
        offset: u32,
        value: u32,
    ) -> Result<(), Fault> {
        if !self.model.offsets_wrap() {
            return Err(Fault::overrun(self.model, segment));
        }
        let base = self.base(segment);
        for i in 0..W::BYTES {
            bus.write8(base + (offset.wrapping_add(i) & 0xFFFF), (value >> (i * 8)) as u8);
        }
        Ok(())
    }

    /// Returns whether an access at `offset` crosses the end of its segment and therefore faults.
    pub(super) fn overruns<W: Size>(&self, offset: u32) -> bool {
        offset > const { last::<W>() } && !self.model.offsets_wrap()
    }

    /// Returns SP plus `by` without storing it.
    #[inline(always)]
    pub(super) fn sp_moved(&self, by: i32) -> u32 {
        self.regs.gpr[4].wrapping_add(by as u32) & 0xFFFF
    }

    #[inline(always)]
    pub(super) fn set_sp(&mut self, sp: u32) {
        Word::set(self, Reg::Sp, sp);
    }

    /// Pushes `W`; SP moves only if the write succeeds.
    #[inline(always)]
    pub(super) fn push<B: Bus, W: Size>(&mut self, bus: &mut B, value: u32) -> Result<(), Fault> {
        let sp = self.sp_moved(-(W::BYTES as i32));
        self.store::<B, W>(bus, Segment::Ss, sp, value)?;
        self.set_sp(sp);
        Ok(())
    }

    /// Pops `W`; SP moves only if the read succeeds.
    #[inline(always)]
    pub(super) fn pop<B: Bus, W: Size>(&mut self, bus: &mut B) -> Result<u32, Fault> {
        let value = self.load::<B, W>(bus, Segment::Ss, self.sp_moved(0))?;
        self.set_sp(self.sp_moved(W::BYTES as i32));
        Ok(value)
    }

    /// Pushes `W` if SP does not wrap and the stack is plain memory. Returns whether it did.
    #[inline(always)]
    pub(super) fn fast_push<B: Bus, W: Size>(&mut self, bus: &mut B, value: u32) -> bool {
        let esp = self.regs.gpr[4];
        let fits = esp & 0xFFFF >= W::BYTES;
        let done = fits && W::fast_write(bus, self.base(Segment::Ss) + (esp & 0xFFFF) - W::BYTES, value);
        if done {
            self.regs.gpr[4] = esp - W::BYTES;
        }
        done
    }

    /// Pops `W` and releases `more` bytes above it, under the conditions of [`Cpu::fast_push`].
    #[inline(always)]
    pub(super) fn fast_pop<B: Bus, W: Size>(&mut self, bus: &B, more: u32) -> Option<u32> {
        let esp = self.regs.gpr[4];
        let by = W::BYTES + more;
        if (esp & 0xFFFF) + by > 0xFFFF {
            return None;
        }
        let value = W::fast_read(bus, self.base(Segment::Ss) + (esp & 0xFFFF))?;
        self.regs.gpr[4] = esp + by;
        Some(value)
    }

    /// Reads `W` on the stack, `above` bytes above SP.
    pub(super) fn peek<B: Bus, W: Size>(&mut self, bus: &mut B, above: u32) -> Result<u32, Fault> {
        self.load::<B, W>(bus, Segment::Ss, self.sp_moved(above as i32))
    }

    /// Returns the offset `by` bytes after `offset`, wrapped to 16 bits or, if `wide`, to 32.
    pub(super) fn pointer_step(&self, offset: u32, by: u32, wide: bool) -> u32 {
        let next = offset.wrapping_add(by);
        if wide { next } else { next & 0xFFFF }
    }
}
