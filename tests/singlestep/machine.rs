//! A processor with flat memory, and the ways of running a recording on it.

use oxbox::cpu::flat::Flat;
use oxbox::cpu::{Blocks, Bus, Cpu, Exit, Model};

/// The way in which a record is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Uncached,
    Cached,
    JustWritten,
    /// Translated to host code, each instruction separately, if there is a translator.
    Translated,
}

impl Way {
    pub(crate) fn machine(self) -> usize {
        match self {
            Way::Uncached => 0,
            Way::Cached | Way::JustWritten => 1,
            Way::Translated => 2,
        }
    }
}

pub(crate) const WAYS: [Way; 4] = [Way::Uncached, Way::Cached, Way::JustWritten, Way::Translated];

pub(crate) struct Machine {
    pub(crate) cpu: Cpu,
    pub(crate) bus: Flat,
    blocks: Blocks<Flat>,
    /// Whether every write is recorded; translated code records none.
    notes_writes: bool,
}

impl Machine {
    /// Returns a machine for each way, indexed by [`Way::machine`].
    pub(crate) fn all(model: Model, mask: u32) -> [Self; 3] {
        let mut translated = Blocks::new();
        translated.instructions_a_block(1);
        translated.translate_after(Some(0));
        [(Blocks::uncached(), true), (Blocks::new(), true), (translated, false)].map(
            |(blocks, notes_writes)| {
                let mut bus = Flat::new();
                bus.address_mask = mask;
                Machine { cpu: Cpu::new(model), bus, blocks, notes_writes }
            },
        )
    }

    pub(crate) fn note_writes(&mut self) {
        self.bus.writes = self.notes_writes.then(Vec::new);
    }

    /// Executes one instruction with all REP iterations, up to a handler's first instruction.
    pub(crate) fn execute(&mut self) -> Exit {
        let retired = self.cpu.retired;
        loop {
            let exit = self.cpu.run(&mut self.blocks, &mut self.bus, self.cpu.cycles + 1);
            if self.cpu.retired != retired || exit != Exit::Deadline {
                return exit;
            }
        }
    }

    /// Writes `code` at CS:IP like the guest: over code that has just been executed.
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
