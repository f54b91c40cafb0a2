//! The processor's interface to the rest of the machine.
//!
//! Addresses are linear: segment * 16 + offset, up to 10FFEFh, or any 32-bit value that the model
//! permits. The bus applies the A20 gate and the 1 MiB wrap of the 8086.

use super::memory::DirectMemory;

/// Width of an operand or of a port access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// 8 bits.
    Byte,
    /// 16 bits.
    Word,
    /// 32 bits.
    Dword,
}

/// Access to memory, ports and the machine's events.
pub trait Bus {
    /// Reads a byte.
    fn read8(&mut self, address: u32) -> u8;
    /// Reads a word, low byte first.
    fn read16(&mut self, address: u32) -> u16 {
        u16::from(self.read8(address)) | u16::from(self.read8(address.wrapping_add(1))) << 8
    }
    /// Reads a doubleword, low byte first.
    fn read32(&mut self, address: u32) -> u32 {
        u32::from(self.read16(address)) | u32::from(self.read16(address.wrapping_add(2))) << 16
    }
    /// Reads a byte of an instruction. No side effects: the number of fetches depends on the cache.
    fn fetch8(&mut self, address: u32) -> u8 {
        self.read8(address)
    }
    /// Writes a byte.
    fn write8(&mut self, address: u32, value: u8);
    /// Writes a word, low byte first.
    fn write16(&mut self, address: u32, value: u16) {
        self.write8(address, value as u8);
        self.write8(address.wrapping_add(1), (value >> 8) as u8);
    }
    /// Writes a doubleword, low byte first.
    fn write32(&mut self, address: u32, value: u32) {
        self.write16(address, value as u16);
        self.write16(address.wrapping_add(2), (value >> 16) as u16);
    }

    /// Reads plain RAM or ROM; `None` for other memory, which the caller reads in the general way.
    #[inline(always)]
    fn fast_read<const N: usize>(&self, address: u32) -> Option<[u8; N]> {
        let _ = address;
        None
    }
    /// Writes plain RAM that has no watched code nearby. Returns whether it did.
    #[inline(always)]
    fn fast_write<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
        let _ = (address, bytes);
        false
    }
    /// Like [`Bus::fast_write`], also in granules with watched code if no watched byte changes.
    #[inline(always)]
    fn write_beside_code<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
        let _ = (address, bytes);
        false
    }

    /// Reads device memory if the result depends on the device's current settings alone.
    #[inline(always)]
    fn device_read<const N: usize>(&mut self, address: u32) -> Option<[u8; N]> {
        let _ = address;
        None
    }
    /// Writes device memory if the effect depends on the device's current settings alone. Returns
    /// whether it did.
    #[inline(always)]
    fn device_write<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
        let _ = (address, bytes);
        false
    }

    /// Executes IN at cycle `now`.
    fn input(&mut self, port: u16, width: Width, now: u64) -> u32;
    /// Executes OUT at cycle `now`.
    fn output(&mut self, port: u16, width: Width, value: u32, now: u64);
    /// Like [`Bus::output`], but only if the write moves no event, changes no code and takes a few
    /// steps. Otherwise does nothing and returns false.
    #[inline(always)]
    fn fast_output(&mut self, port: u16, width: Width, value: u32, now: u64) -> bool {
        let _ = (port, width, value, now);
        false
    }
    /// Called after translated code has written registers of the display adapter that
    /// [`Bus::direct_memory`] gave it, for the last time at cycle `now`.
    fn planar_registers_written(&mut self, now: u64) {
        let _ = now;
    }
    /// Returns the cycle of the next event, at which `run` must return to the machine. The
    /// processor asks after each port access, which may have moved it.
    fn next_event(&self) -> u64 {
        u64::MAX
    }

    /// Called when the program reads the processor's own clock (RDTSC).
    fn clock_was_read(&mut self) {}

    /// Called when the coprocessor reports an unmasked exception at `now`. May move the next event.
    fn coprocessor_error(&mut self, now: u64) {
        let _ = now;
    }

    /// Returns whether a firmware trap (`0F FF ib`) may be here: only in read-only memory.
    fn is_trap(&self, address: u32) -> bool {
        let _ = address;
        false
    }

    /// Converts a linear address to a physical one by the A20 gate or the 1 MiB wrap of the 8086.
    /// The conversion must not change while decoded code is watched, unless all of it is reported
    /// as written (`drop_range(0, u32::MAX)`).
    fn physical(&self, address: u32) -> u32 {
        address
    }

    /// Returns whether code here may be cached: writes to it are detected, or impossible (ROM).
    fn is_cacheable(&self, address: u32) -> bool {
        let _ = address;
        true
    }

    /// Watches the bytes `address..address+len`, which were decoded: [`Bus::code_written`] reports
    /// writes to them.
    fn watch_code(&mut self, address: u32, len: u32);
    /// Returns whether a watched byte was written since [`Bus::take_code_writes`]. Must be cheap.
    fn code_written(&self) -> bool;
    /// Reports the written bytes of watched code as `drop_range(first, last)`, in physical
    /// addresses, and stops watching them.
    fn take_code_writes(&mut self, drop_range: impl FnMut(u32, u32));

    /// Returns the memory that translated code may access; `None` if the bus must see each access.
    #[inline(always)]
    fn direct_memory(&mut self) -> Option<DirectMemory<'_>> {
        None
    }

    /// Returns `len` bytes at `address` if all of them are RAM without side effects, for REP.
    fn ram(&self, address: u32, len: usize) -> Option<&[u8]> {
        let _ = (address, len);
        None
    }
    /// Like [`Bus::ram`], for writing. Must not return memory with watched code.
    fn ram_mut(&mut self, address: u32, len: usize) -> Option<&mut [u8]> {
        let _ = (address, len);
        None
    }

    /// Writes an element (1, 2 or 4 bytes) `count` times, upwards, to device memory, with the
    /// effect of single writes. Returns false, having done nothing, if the device cannot do that.
    fn fill_device(&mut self, address: u32, element: &[u8], count: u32) -> bool {
        let _ = (address, element, count);
        false
    }
    /// Copies `count` elements of `size` bytes, upwards, to device memory, with the effect of
    /// single reads and writes. Returns false, having done nothing, if the device cannot do that.
    fn copy_to_device(&mut self, source: u32, target: u32, size: u32, count: u32) -> bool {
        let _ = (source, target, size, count);
        false
    }
    /// Copies `len` bytes, upwards, from device memory to RAM, with the effect of single reads. Returns
    /// false, having done nothing, if the device cannot do that or the RAM has watched code.
    fn copy_from_device(&mut self, source: u32, target: u32, len: u32) -> bool {
        let _ = (source, target, len);
        false
    }
}

/// Copies `count` elements of `size` bytes, upwards, to device memory or from it. Returns false, having done
/// nothing, if the devices cannot do that.
#[inline]
pub(crate) fn copy_by_device<B: Bus>(bus: &mut B, source: u32, target: u32, size: u32, count: u32) -> bool {
    bus.copy_to_device(source, target, size, count) || bus.copy_from_device(source, target, size * count)
}
