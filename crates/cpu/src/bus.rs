//! What the processor sees of the rest of the machine.
//!
//! Addresses are linear real-mode addresses (segment * 16 + offset, up to 10FFEFh, or any 32-bit value that the
//! model lets through); the A20 gate and the 1 MiB wrap of the 8086 are applied by the bus.

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

/// Memory, ports and the machine's events, as the processor reaches them.
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
    /// Reads a byte of an instruction. Must change nothing: how often code is fetched depends on what is kept of it.
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

    /// The bytes at `address` if they are plain RAM or ROM: the short way, for code that has the long way beside it.
    #[inline(always)]
    fn quick_read<const N: usize>(&self, address: u32) -> Option<[u8; N]> {
        let _ = address;
        None
    }
    /// Writes where there is plain RAM and no watched code nearby, and says whether it has done so.
    #[inline(always)]
    fn quick_write<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
        let _ = (address, bytes);
        false
    }
    /// The same where watched code may be near, but is not touched.
    #[inline(always)]
    fn write_beside_code<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
        let _ = (address, bytes);
        false
    }

    /// Reads memory of a device, where that is a matter of its present settings alone.
    #[inline(always)]
    fn device_read<const N: usize>(&mut self, address: u32) -> Option<[u8; N]> {
        let _ = address;
        None
    }
    /// Writes memory of a device, where that is a matter of its present settings alone; says whether it has done so.
    #[inline(always)]
    fn device_write<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
        let _ = (address, bytes);
        false
    }

    /// IN at the instant `now` (in cycles).
    fn input(&mut self, port: u16, width: Width, now: u64) -> u32;
    /// OUT at the instant `now` (in cycles).
    fn output(&mut self, port: u16, width: Width, value: u32, now: u64);
    /// OUT as by [`Bus::output`], where that moves neither an event nor code and is done in a few steps; false, with nothing
    /// done, elsewhere.
    #[inline(always)]
    fn output_at_once(&mut self, port: u16, width: Width, value: u32, now: u64) -> bool {
        let _ = (port, width, value, now);
        false
    }
    /// The instant (in cycles) at which the machine wants the processor back. Asked after each port access, since that
    /// may have moved it.
    fn next_event(&self) -> u64 {
        u64::MAX
    }

    /// The program has read the processor's own clock, by RDTSC.
    fn clock_was_read(&mut self) {}

    /// The coprocessor asks for attention at the instant `now`: an exception that is not masked. May move the next event.
    fn coprocessor_error(&mut self, now: u64) {
        let _ = now;
    }

    /// True when a firmware trap (`0F FF ib`) stands at this address: only ROM that the guest cannot write says so.
    fn is_trap(&self, address: u32) -> bool {
        let _ = address;
        false
    }

    /// Where a linear address ends up: what the A20 gate, or the 1 MiB wrap of the 8086, makes of it. Must not change
    /// while decoded code is watched, unless all of it is reported as written (`drop_range(0, u32::MAX)`).
    fn physical(&self, address: u32) -> u32 {
        address
    }

    /// True when code at this address may be kept in decoded form: writes to it are noticed, or impossible (ROM).
    fn is_cacheable(&self, address: u32) -> bool {
        let _ = address;
        true
    }

    /// The bytes `address..address+len` have been decoded: report writes to them by [`Bus::code_written`].
    fn watch_code(&mut self, address: u32, len: u32);
    /// True when a byte of watched code has been written since [`Bus::take_code_writes`]. Must be cheap.
    fn code_written(&self) -> bool;
    /// Hands over, and forgets, the written bytes of watched code: `drop_range(first, last)` in physical addresses.
    /// These bytes are no longer watched.
    fn take_code_writes(&mut self, drop_range: impl FnMut(u32, u32));

    /// Memory that translated code may use by itself; nothing where all accesses have to be told to the bus.
    #[inline(always)]
    fn direct_memory(&mut self) -> Option<DirectMemory<'_>> {
        None
    }

    /// `len` bytes of plain RAM at `address`, when all of it is RAM without side effects; for REP in bulk.
    fn ram(&self, address: u32, len: usize) -> Option<&[u8]> {
        let _ = (address, len);
        None
    }
    /// The same for writing; must not be given out over watched code.
    fn ram_mut(&mut self, address: u32, len: usize) -> Option<&mut [u8]> {
        let _ = (address, len);
        None
    }

    /// Writes an element (1, 2 or 4 bytes) `count` times, upwards, to memory of a device: as so many single writes would. False,
    /// with nothing done, where that is not to be had.
    fn fill_device(&mut self, address: u32, element: &[u8], count: u32) -> bool {
        let _ = (address, element, count);
        false
    }
    /// Copies `count` elements of `size` bytes, upwards, to memory of a device: as so many single reads and writes would.
    /// False, with nothing done, where that is not to be had.
    fn copy_to_device(&mut self, source: u32, target: u32, size: u32, count: u32) -> bool {
        let _ = (source, target, size, count);
        false
    }
}
