//! Flat memory with a word on every port, and programs on it.

use super::super::{Blocks, Bus, Cpu, Model, Segment, Width};
use crate::hardware::Memory;

/// Memory; IN reads the port's number; OUT is noted with its time.
#[derive(Debug, Clone, Default)]
pub(super) struct Flat {
    pub(super) memory: Memory,
    pub(super) written: Vec<(u16, u32, u64)>,
    pub(super) next_event: Option<u64>,
}

impl Bus for Flat {
    fn read8(&mut self, address: u32) -> u8 {
        self.memory.read8(address)
    }
    fn write8(&mut self, address: u32, value: u8) {
        self.memory.write8(address, value);
    }
    fn input(&mut self, port: u16, width: Width, _: u64) -> u32 {
        u32::from(port) & if width == Width::Byte { 0xFF } else { u32::MAX }
    }
    fn output(&mut self, port: u16, _: Width, value: u32, now: u64) {
        self.written.push((port, value, now));
    }
    fn next_event(&self) -> u64 {
        self.next_event.unwrap_or(u64::MAX)
    }
    fn quick_read<const N: usize>(&self, address: u32) -> Option<[u8; N]> {
        self.memory.array(address)
    }
    fn quick_write<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
        self.memory.write_plain(address, bytes)
    }
    fn is_trap(&self, address: u32) -> bool {
        address >= 0xF_0000
    }
    fn watch_code(&mut self, address: u32, len: u32) {
        self.memory.watch_code(address, len);
    }
    fn code_written(&self) -> bool {
        self.memory.code_written()
    }
    fn take_code_writes(&mut self, drop_range: impl FnMut(u32, u32)) {
        self.memory.take_code_writes(drop_range);
    }
    fn ram(&self, address: u32, len: usize) -> Option<&[u8]> {
        self.memory.slice(address, len)
    }
    fn ram_mut(&mut self, address: u32, len: usize) -> Option<&mut [u8]> {
        self.memory.slice_mut(address, len)
    }
}

/// Segments of the test programs.
pub(super) const CODE: u16 = 0x1000;
pub(super) const DATA: u16 = 0x2000;
pub(super) const STACK: u16 = 0x3000;
pub(super) const EXTRA: u16 = 0x4000;
/// Where they start.
pub(super) const START: u32 = 0x100;
/// Handler of vector N: F100:N0, an IRET.
pub(super) const HANDLERS: u16 = 0xF100;

/// A processor, memory and a program at CODE:START.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) cpu: Cpu,
    pub(super) bus: Flat,
    pub(super) blocks: Blocks<Flat>,
}

impl Machine {
    pub(super) fn new(model: Model, code: &[u8], blocks: Blocks<Flat>) -> Self {
        const IRET: u8 = 0xCF;
        let mut bus = Flat::default();
        for vector in 0..=0xFFu16 {
            let offset = vector * 16;
            bus.memory.write16(u32::from(vector) * 4, offset);
            bus.memory.write16(u32::from(vector) * 4 + 2, HANDLERS);
            bus.memory.write8(u32::from(HANDLERS) * 16 + u32::from(offset), IRET);
        }
        bus.memory.write_bytes(u32::from(CODE) * 16 + START, code);
        let mut cpu = Cpu::new(model);
        cpu.regs.seg[Segment::Cs as usize] = CODE;
        cpu.regs.seg[Segment::Ds as usize] = DATA;
        cpu.regs.seg[Segment::Ss as usize] = STACK;
        cpu.regs.seg[Segment::Es as usize] = EXTRA;
        cpu.regs.set_sp(0x1000);
        cpu.regs.ip = START;
        Machine { cpu, bus, blocks }
    }
}

/// Bytes from hex text.
pub(super) fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).expect("hex bytes")).collect()
}
