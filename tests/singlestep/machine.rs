//! A processor over flat memory, and the ways in which a recording is run on it.

use oxbox::cpu::flat::Flat;
use oxbox::cpu::{Blocks, Bus, Cpu, Exit, Model};

/// How a record is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Uncached,
    Cached,
    JustWritten,
}

pub(crate) const WAYS: [Way; 3] = [Way::Uncached, Way::Cached, Way::JustWritten];

pub(crate) struct Machine {
    pub(crate) cpu: Cpu,
    pub(crate) bus: Flat,
    blocks: Blocks<Flat>,
}

impl Machine {
    pub(crate) fn new(model: Model, mask: u32, blocks: Blocks<Flat>) -> Self {
        let mut bus = Flat::new();
        bus.address_mask = mask;
        bus.writes = Some(Vec::new());
        Machine { cpu: Cpu::new(model), bus, blocks }
    }

    /// Executes one instruction with all REP turns, up to a handler's first instruction.
    pub(crate) fn execute(&mut self) -> Exit {
        let retired = self.cpu.retired;
        loop {
            let exit = self.cpu.run(&mut self.blocks, &mut self.bus, self.cpu.cycles + 1);
            if self.cpu.retired != retired || exit != Exit::Deadline {
                return exit;
            }
        }
    }

    /// Puts `code` where CS:IP is as the guest would: over code that has just been executed.
    pub(crate) fn write_code(&mut self, address: u32, code: &[u8]) {
        const NOP: u8 = 0x90;
        for at in (address..).take(code.len()) {
            self.bus.write8(at, NOP);
        }
        self.cpu.run(&mut self.blocks, &mut self.bus, self.cpu.cycles + 1);
        for (at, &byte) in (address..).zip(code) {
            self.bus.write8(at, byte);
        }
    }
}
