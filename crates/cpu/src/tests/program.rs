//! Test programs on flat memory. Ports return their own number, and every vector has a handler.

use crate::flat::Flat;
use crate::{Blocks, Bus, Cpu, Model, Segment};

/// Segments of the test programs.
pub(super) const CODE: u16 = 0x1000;
pub(super) const DATA: u16 = 0x2000;
pub(super) const STACK: u16 = 0x3000;
pub(super) const EXTRA: u16 = 0x4000;
pub(super) const START: u32 = 0x100;
/// The segment of the handlers: that of vector N is at F100:N0, an IRET.
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
        let mut bus = Flat::new();
        bus.port = |port, _| u32::from(port);
        bus.traps_from = 0xF_0000;
        for vector in 0..=0xFFu16 {
            let offset = vector * 16;
            bus.write16(u32::from(vector) * 4, offset);
            bus.write16(u32::from(vector) * 4 + 2, HANDLERS);
            bus.write8(u32::from(HANDLERS) * 16 + u32::from(offset), IRET);
        }
        bus.write_bytes(u32::from(CODE) * 16 + START, code);
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

pub(super) fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).expect("hex bytes")).collect()
}
