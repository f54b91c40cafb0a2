//! Detects polling loops that cannot end without input, by comparing one iteration with the next.
//!
//! Some bytes and registers differ between iterations (a counter, the time of day, bytes that
//! interrupts leave below the stack pointer). An iteration is followed with all of them: values
//! computed from them differ as well, and all other values are the same each time. If no differing
//! value affects a jump or an address, and no more values differ at the end than at the beginning,
//! then the next iteration executes the same instructions, and so do all others.

use super::addresses::Addresses;
use super::decodings::Decodings;
use super::followed::nobody_listens;
use super::operands::bytes_of;
use super::parts::{Effect, Kind, Parts, differing, service};
use super::watch::timer_is_hooked;
use crate::bios::data::CLOCK;
use crate::hardware::{Hardware, linear};
use crate::machine::wait::asks_for_key;
use iced_x86::{Instruction, Mnemonic, OpAccess, OpKind};
use oxbox_cpu::{Cpu, Registers};
use std::ops::Range;

/// Bytes below the stack pointer that interrupts may have written since an iteration began.
const BELOW_STACK: u16 = 2048;
/// The maximum number of bytes that one interrupt writes there.
const INTERRUPTED: u16 = 64;
/// The end of conventional memory; higher addresses may be devices.
const MEMORY_END: u32 = 0xA_0000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::machine) struct Varying {
    parts: Parts,
    bytes: Addresses,
}

impl Varying {
    /// Returns the differences between two polls of a loop; `None` if counters do not explain all.
    pub(in crate::machine) fn between(
        [before, now]: [&Registers; 2],
        bytes: impl Iterator<Item = u32>,
        cpu: &Cpu,
        hardware: &Hardware,
    ) -> Option<Varying> {
        if !nobody_listens(hardware) || timer_is_hooked(hardware) {
            return None;
        }
        let mut varying = Varying { parts: differing(before, now)?, bytes: bytes.collect() };
        varying.bytes.insert(CLOCK);
        // Includes the poll's own return address and flags: the program is before them.
        varying.add_below_stack(cpu, cpu.regs.sp().wrapping_add(6), BELOW_STACK);
        Some(varying)
    }

    /// Whether all differences here are also differences there.
    pub(in crate::machine) fn is_within(&self, other: &Varying) -> bool {
        other.parts.has(self.parts) && self.bytes.is_subset(&other.bytes)
    }

    pub(in crate::machine) fn extend(&mut self, other: &Varying) {
        self.parts = self.parts.and(other.parts);
        self.bytes.extend(&other.bytes);
    }

    /// Whether only registers and bytes that differ have changed.
    pub(in crate::machine) fn explains(
        &self,
        registers: [&Registers; 2],
        mut bytes: impl Iterator<Item = u32>,
    ) -> bool {
        let [before, now] = registers;
        differing(before, now).is_some_and(|parts| self.parts.has(parts))
            && bytes.all(|at| self.bytes.contains(at))
    }

    /// Follows the program's instruction at CS:IP before it is executed. Returns false if a
    /// differing value may affect a jump or an address.
    pub(in crate::machine) fn follow(
        &mut self,
        decodings: &mut Decodings,
        cpu: &Cpu,
        hardware: &Hardware,
    ) -> bool {
        let decoded = decodings.at(cpu, hardware);
        let instruction = &decoded.instruction;
        let Effect { reads, kind, .. } = decoded.effect;
        self.add_below_stack(cpu, cpu.regs.sp(), INTERRUPTED);
        let code = linear(cpu.regs.cs(), cpu.regs.ip as u16);
        if is_of_a_device(instruction) || self.has_any(code..code + instruction.len() as u32) {
            return false;
        }
        if let Kind::Interrupt(vector) = kind {
            return self.poll(vector, cpu);
        }
        let mut differs = self.meets(reads);
        let mut written = Vec::new();
        for memory in &decoded.memory {
            let address = Parts::of_register(memory.base()).and(Parts::of_register(memory.index()));
            let Some(bytes) = bytes_of(cpu, instruction, memory) else { return false };
            if self.meets(address) || bytes.end > MEMORY_END || is_high(cpu, memory.segment()) {
                return false;
            }
            match memory.access() {
                OpAccess::Write => written.push(bytes),
                OpAccess::ReadWrite => {
                    differs |= self.has_any(bytes.clone());
                    written.push(bytes);
                }
                OpAccess::Read | OpAccess::CondRead => differs |= self.has_any(bytes),
                _ => return false,
            }
        }
        if matches!(kind, Kind::PopFlags(_) | Kind::InterruptReturn) {
            return false;
        }
        let is_on_stack = !matches!(kind, Kind::Plain | Kind::Move(..) | Kind::Exchange(..));
        if is_on_stack && self.meets(kind.moved()) {
            return false;
        }
        if differs {
            return !is_on_stack && self.spread(instruction, written);
        }
        self.parts = self.parts.without(decoded.effect.always_writes());
        if !instruction.has_rep_prefix() && !instruction.has_repne_prefix() {
            written.into_iter().for_each(|bytes| self.bytes.remove(bytes));
        }
        true
    }

    /// Follows a service: a poll for a key changes only its result, and the tick count differs.
    fn poll(&mut self, vector: u8, cpu: &Cpu) -> bool {
        let (reads, writes) = service(vector, cpu.regs.ah());
        if self.meets(reads.and(Parts::AH)) {
            return false;
        }
        if (vector, cpu.regs.ah()) == (0x1A, 0x00) {
            self.parts = self.parts.and(writes);
            return true;
        }
        if !asks_for_key(vector, cpu) {
            return false;
        }
        if self.meets(Parts::FLAGS) {
            self.add_below_stack(cpu, cpu.regs.sp(), 2);
        }
        self.parts = self.parts.without(writes);
        true
    }

    /// Adds the results that an instruction computes from differing values. Returns false if it
    /// does more than compute.
    fn spread(&mut self, instruction: &Instruction, written: Vec<Range<u32>>) -> bool {
        use Mnemonic::{
            Adc, Add, And, Cmp, Dec, Inc, Mov, Neg, Not, Or, Rol, Ror, Sar, Sbb, Shl, Shr, Sub, Test, Xor,
        };
        let (has_result, has_flags) = match instruction.mnemonic() {
            Mov | Not => (true, false),
            Cmp | Test => (false, true),
            Adc | Add | And | Dec | Inc | Neg | Or | Rol | Ror | Sar | Sbb | Shl | Shr | Sub | Xor => {
                (true, true)
            }
            _ => return false,
        };
        if has_flags {
            self.parts = self.parts.and(Parts::FLAGS);
        }
        if has_result && instruction.op0_kind() == OpKind::Register {
            let register = instruction.op0_register();
            let parts = Parts::of_register(register);
            // A doubleword's upper half and other segments are not followed.
            if parts.is_empty() || register.size() > 2 || register.is_segment_register() {
                return false;
            }
            self.parts = self.parts.and(parts);
        }
        written.into_iter().for_each(|bytes| self.bytes.insert(bytes));
        true
    }

    fn meets(&self, parts: Parts) -> bool {
        !self.parts.without(self.parts.without(parts)).is_empty()
    }

    fn has_any(&self, bytes: Range<u32>) -> bool {
        self.bytes.meets(&bytes)
    }

    fn add_below_stack(&mut self, cpu: &Cpu, sp: u16, bytes: u16) {
        let at = |offset| linear(cpu.regs.ss(), offset);
        let below = bytes.min(sp);
        self.bytes.insert(at(sp - below)..at(sp - below) + u32::from(below));
        // The rest is at the end of the segment.
        let wrapped = bytes - below;
        self.bytes.insert(at(wrapped.wrapping_neg())..at(wrapped.wrapping_neg()) + u32::from(wrapped));
    }
}

/// Whether the instruction does port I/O or waits for a device.
fn is_of_a_device(instruction: &Instruction) -> bool {
    use Mnemonic::{Hlt, In, Insb, Insd, Insw, Out, Outsb, Outsd, Outsw, Wait};
    let mnemonic = instruction.mnemonic();
    matches!(mnemonic, Hlt | In | Insb | Insd | Insw | Out | Outsb | Outsd | Outsw | Wait)
        || instruction.is_invalid()
        || instruction.code().cpuid_features().contains(&iced_x86::CpuidFeature::FPU)
}

/// Whether offsets of a segment may exceed conventional memory.
pub(super) fn is_high(cpu: &Cpu, segment: iced_x86::Register) -> bool {
    !segment.is_segment_register() || cpu.regs.seg[segment.number().min(5)] >= (MEMORY_END >> 4) as u16
}
