//! The simplest machine a processor runs on: flat memory, and ports that note what is done to them. For tests,
//! benches and examples.

use std::ops::Range;

use super::bus::{Bus, Width};
use super::memory::DirectMemory;
use super::memory::PlainMemory;

/// Bytes of memory: all that real mode reaches, 1 MiB and the 64 KiB above it.
pub const SIZE: usize = 0x11_0000;

/// Bytes that a mark, and an element of the map of decoded bytes, stands for.
const GRANULE: usize = PlainMemory::GRANULE;

/// The bit of an address in its element of the map of decoded bytes.
fn bit(at: usize) -> u16 {
    1 << (at % GRANULE)
}

/// An access to a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortAccess {
    /// True for OUT.
    pub is_write: bool,
    /// The port's number.
    pub port: u16,
    /// How much was read or written.
    pub width: Width,
    /// What was read or written.
    pub value: u32,
    /// When, in cycles.
    pub now: u64,
}

/// Flat memory, and ports that lead nowhere.
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
    /// A bit for each decoded byte of a granule.
    code: Vec<u16>,
    /// 1 for each granule from which on a write may meet a decoded byte.
    marks: Vec<u8>,
    /// Decoded bytes that have been written since.
    code_writes: Vec<u32>,
    /// Address lines that count.
    pub address_mask: u32,
    /// What IN reads from a port at an instant; all ones by default.
    pub port: fn(u16, u64) -> u32,
    /// Every IN and OUT so far.
    pub accesses: Vec<PortAccess>,
    /// The instant at which the processor is wanted back.
    pub next_event: u64,
    /// Firmware traps count from this address on; nowhere by default.
    pub traps_from: u32,
    /// The address of every byte written, if that is to be noted.
    pub writes: Option<Vec<u32>>,
}

impl Default for Flat {
    fn default() -> Self {
        Flat::new()
    }
}

impl Flat {
    /// Memory of zeros.
    pub fn new() -> Self {
        Flat {
            ram: vec![0; SIZE],
            code: vec![0; SIZE / GRANULE],
            marks: vec![0; SIZE / GRANULE],
            code_writes: Vec::new(),
            address_mask: u32::MAX,
            port: |_, _| u32::MAX,
            accesses: Vec::new(),
            next_event: u64::MAX,
            traps_from: u32::MAX,
            writes: None,
        }
    }

    /// All of memory.
    pub fn bytes(&self) -> &[u8] {
        &self.ram
    }

    /// Writes bytes one by one, as the processor does.
    pub fn write_bytes(&mut self, address: u32, bytes: &[u8]) {
        for (at, &byte) in (address..).zip(bytes) {
            self.write8(at, byte);
        }
    }

    #[inline(always)]
    fn at(&self, address: u32) -> usize {
        (address & self.address_mask) as usize
    }

    /// Where a run of bytes lies, if no address line that does not count cuts it in two.
    #[inline(always)]
    fn range(&self, address: u32, len: usize) -> Option<Range<usize>> {
        let end = (address as usize).checked_add(len)?;
        let is_whole = end as u64 <= u64::from(self.address_mask) + 1;
        is_whole.then_some(address as usize..end)
    }

    /// True when all bytes are there, their writes are not noted and none of them has been decoded.
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
    fn quick_read<const N: usize>(&self, address: u32) -> Option<[u8; N]> {
        self.ram.get(self.range(address, N)?)?.try_into().ok()
    }

    #[inline(always)]
    fn quick_write<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
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
                self.marks[granule.saturating_sub(1)..=granule].fill(PlainMemory::BESIDE_CODE);
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
        let plain = PlainMemory { cells: &mut self.ram[..end], marks: &self.marks, code: &self.code };
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
