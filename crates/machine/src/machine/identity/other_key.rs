//! A key that was not typed, and its differences from the run of the one that was.

use super::parts::Parts;
use crate::hardware::Hardware;
use oxbox_cpu::{Blocks, Cpu, Registers};
use std::collections::BTreeMap;
use std::ops::Range;

/// A key that may lead to the same state as the one that is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherKey {
    /// The caller's number for it.
    pub number: usize,
    /// The scan code above the character, as [`Machine::key_taken`] returns it.
    ///
    /// [`Machine::key_taken`]: crate::machine::Machine::key_taken
    pub code: u16,
    /// Whether the keyboard sends as many scan codes for it, with the same shift keys, as for the key
    /// that is typed: [`Key::sends_like`](crate::machine::Key::sends_like).
    pub sends_alike: bool,
}

/// A key that was not typed.
#[derive(Debug)]
pub(super) struct Other {
    pub(super) key: OtherKey,
    /// Its registers; between instructions only the parts that differ are valid.
    pub(super) registers: Registers,
    /// The parts that differ from those of the run.
    pub(super) parts: Parts,
    /// Whether the instruction has the same effect as in the run, and was not executed for this key.
    pub(super) is_same_effect: bool,
    /// Bytes of memory with this key, where they differ.
    pub(super) bytes: BTreeMap<u32, u8>,
    /// The bytes that the instruction writes with this key.
    pub(super) written: Vec<(u32, u8)>,
    /// The second byte of an extended code, until DOS has returned it.
    pub(super) second: Option<u8>,
}

impl Other {
    pub(super) fn differs(&self) -> bool {
        !self.parts.is_empty() || !self.bytes.is_empty() || self.second.is_some()
    }

    /// Whether one of these bytes differs.
    pub(super) fn has_any(&self, bytes: &Range<u32>) -> bool {
        !self.bytes.is_empty() && self.bytes.range(bytes.clone()).next().is_some()
    }

    /// Completes the registers of this key with those of the run.
    pub(super) fn complete(&mut self, run: &Registers) {
        let own = std::mem::replace(&mut self.registers, run.clone());
        self.parts.copy(&own, &mut self.registers);
    }

    /// Executes the next instruction with the registers of this key. Returns whether nothing else
    /// happened: no interrupt or exit.
    pub(super) fn step(
        &mut self,
        cpu: &mut Cpu,
        blocks: &mut Blocks<Hardware>,
        hardware: &mut Hardware,
    ) -> bool {
        cpu.regs.clone_from(&self.registers);
        let step = cpu.step(blocks, hardware, u64::MAX);
        self.registers.clone_from(&cpu.regs);
        !step.interrupted && step.exit.is_none()
    }
}

/// The differences of all other keys together.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// The parts that differ for one of them.
    pub(super) parts: Parts,
    /// Whether bytes of memory differ.
    pub(super) has_bytes: bool,
    /// Whether the instruction has the same effect for all.
    pub(super) is_same_effect: bool,
}

impl Summary {
    pub(super) fn of(others: &[Other]) -> Summary {
        let parts = others.iter().fold(Parts::NONE, |parts, other| parts.and(other.parts));
        Summary {
            parts,
            has_bytes: others.iter().any(|other| !other.bytes.is_empty()),
            is_same_effect: false,
        }
    }
}
