//! A minimal bus for tests, benchmarks and examples: flat memory, and ports that log accesses.

use std::ops::Range;

use super::bus::{Bus, Width};
use super::memory::DirectMemory;
use super::memory::PlainMemory;

/// Size of the memory in bytes: 1 MiB and the 64 KiB above it that real mode reaches.
pub const SIZE: usize = 0x11_0000;

/// Bytes per granule: per mark and per element of the map of decoded bytes.
const GRANULE: usize = PlainMemory::GRANULE;

/// Returns the bit of an address in its element of the map of decoded bytes.
fn bit(at: usize) -> u16 {
    1 << (at % GRANULE)
}

/// A logged port access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortAccess {
    /// Whether the access was an OUT.
    pub is_write: bool,
    /// The port's number.
    pub port: u16,
    /// The width of the access.
    pub width: Width,
    /// The value read or written.
    pub value: u32,
    /// The time in cycles.
    pub now: u64,
}

/// Flat memory, and ports without devices.
///
/// ```
/// use oxbox_cpu::flat::Flat;
/// use oxbox_cpu::{Blocks, Cpu, Exit, Model};
///
/// let mut bus = Flat::new();
/// bus.write_bytes(0x500, &[0xB0, 0x2A, 0xE6, 0x80, 0xF4]); // mov al, 42; out 80h, al; hlt
/// let mut cpu = Cpu::new(Model::I8086);
/// cpu.regs.set_cs(0x50);
/// cpu.regs.ip = 0;
/// assert_eq!(cpu.run(&mut Blocks::new(), &mut bus, u64::MAX), Exit::Halt);
/// assert_eq!((bus.accesses[0].port, bus.accesses[0].value), (0x80, 42));
/// ```
#[derive(Debug, Clone)]
pub struct Flat {
    ram: Vec<u8>,
    /// One bit per decoded byte of a granule.
    code: Vec<u16>,
    /// 1 for each granule in which a write may reach a decoded byte.
    granule_flags: Vec<u8>,
    /// Addresses of decoded bytes that were written.
    code_writes: Vec<u32>,
    /// Mask of the connected address lines.
    pub address_mask: u32,
    /// Returns the value that IN reads from a port at a time in cycles; all ones by default.
    pub port: fn(u16, u64) -> u32,
    /// The log of all IN and OUT accesses.
    pub accesses: Vec<PortAccess>,
    /// The cycle at which `run` returns.
    pub next_event: u64,
    /// The first address at which firmware traps are decoded; none by default.
    pub traps_from: u32,
    /// If set, records the address of every byte written.
    pub writes: Option<Vec<u32>>,
}

impl Default for Flat {
    fn default() -> Self {
        Flat::new()
    }
}

impl Flat {
    /// Creates memory filled with zeros.
    pub fn new() -> Self {
        Flat {
            ram: vec![0; SIZE],
            code: vec![0; SIZE / GRANULE + 1],
            granule_flags: vec![0; SIZE / GRANULE],
            code_writes: Vec::new(),
            address_mask: u32::MAX,
            port: |_, _| u32::MAX,
            accesses: Vec::new(),
            next_event: u64::MAX,
            traps_from: u32::MAX,
            writes: None,
        }
    }

    /// Returns all of memory.
    pub fn bytes(&self) -> &[u8] {
        &self.ram
    }

    /// Writes bytes singly, as the processor does.
    pub fn write_bytes(&mut self, address: u32, bytes: &[u8]) {
        for (at, &byte) in (address..).zip(bytes) {
            self.write8(at, byte);
        }
    }

    #[inline(always)]
    fn at(&self, address: u32) -> usize {
        (address & self.address_mask) as usize
    }

    /// Returns the index range of `len` bytes at `address`, unless the address mask splits it.
    #[inline(always)]
    fn range(&self, address: u32, len: usize) -> Option<Range<usize>> {
        let end = (address as usize).checked_add(len)?;
        let is_whole = end as u64 <= u64::from(self.address_mask) + 1;
        is_whole.then_some(address as usize..end)
    }

    /// Returns whether all bytes exist, writes are not recorded, and no byte was decoded.
    fn is_plain(&self, mut range: Range<usize>) -> bool {
        self.writes.is_none() && range.end <= SIZE && range.all(|at| self.code[at / GRANULE] & bit(at) == 0)
    }
}

impl Bus for Flat {
    #[inline(always)]
    fn read8(&mut self, address: u32) -> u8 {
        self.ram.get(self.at(address)).copied().unwrap_or(0xFF)
    }

    fn write8(&mut self, address: u32, value: u8) {
        let at = self.at(address);
        let Some(byte) = self.ram.get_mut(at) else { return };
        if self.code[at / GRANULE] & bit(at) != 0 && *byte != value {
            self.code[at / GRANULE] &= !bit(at);
            self.code_writes.push(at as u32);
        }
        *byte = value;
        if let Some(writes) = &mut self.writes {
            writes.push(at as u32);
        }
    }

    #[inline(always)]
    fn fast_read<const N: usize>(&self, address: u32) -> Option<[u8; N]> {
        self.ram.get(self.range(address, N)?)?.try_into().ok()
    }

    #[inline(always)]
    fn fast_write<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
        let Some(range) = self.range(address, N) else { return false };
        let is_plain = self.is_plain(range.clone());
        if is_plain {
            self.ram[range].copy_from_slice(&bytes);
        }
        is_plain
    }

    fn input(&mut self, port: u16, width: Width, now: u64) -> u32 {
        let mask = match width {
            Width::Byte => 0xFF,
            Width::Word => 0xFFFF,
            Width::Dword => u32::MAX,
        };
        let value = (self.port)(port, now) & mask;
        self.accesses.push(PortAccess { is_write: false, port, width, value, now });
        value
    }

    fn output(&mut self, port: u16, width: Width, value: u32, now: u64) {
        self.accesses.push(PortAccess { is_write: true, port, width, value, now });
    }

    fn next_event(&self) -> u64 {
        self.next_event
    }

    fn is_trap(&self, address: u32) -> bool {
        address >= self.traps_from
    }

    fn physical(&self, address: u32) -> u32 {
        address & self.address_mask
    }

    fn watch_code(&mut self, address: u32, len: u32) {
        for index in 0..len {
            let at = self.at(address.wrapping_add(index));
            let granule = at / GRANULE;
            if let Some(code) = self.code.get_mut(granule) {
                *code |= bit(at);
                self.granule_flags[granule.saturating_sub(1)..=granule].fill(PlainMemory::BESIDE_CODE);
            }
        }
    }

    #[inline(always)]
    fn code_written(&self) -> bool {
        !self.code_writes.is_empty()
    }

    fn take_code_writes(&mut self, mut drop_range: impl FnMut(u32, u32)) {
        for at in self.code_writes.drain(..) {
            drop_range(at, at);
        }
    }

    fn direct_memory(&mut self) -> Option<DirectMemory<'_>> {
        if self.writes.is_some() {
            return None;
        }
        let end = SIZE.min(self.address_mask as usize + 1);
        let plain = PlainMemory {
            cells: &mut self.ram[..end],
            direct_from: 0,
            granule_flags: &self.granule_flags,
            code: &self.code,
        };
        Some(DirectMemory { plain, planar: None })
    }

    fn ram(&self, address: u32, len: usize) -> Option<&[u8]> {
        self.ram.get(self.range(address, len)?)
    }

    fn ram_mut(&mut self, address: u32, len: usize) -> Option<&mut [u8]> {
        let range = self.range(address, len)?;
        if self.is_plain(range.clone()) { self.ram.get_mut(range) } else { None }
    }
}
