//! The program's stack, and the bytes below the stack pointer that no program can rely on.

use crate::hardware::linear;
use oxbox_cpu::Cpu;
use std::ops::Range;

/// The program's own stack as linear addresses, from the lowest byte that certainly belongs to it
/// to its top.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stack(Range<u32>);

/// If the bounds of the stack are unknown, this many bytes below the pointer are left out: the
/// amount that the BIOS's own interrupts push.
const INTERRUPT_BYTES: u32 = 64;
/// The maximum number of bytes below the pointer that are left out: a program may keep data at the
/// far end of its stack's segment.
const MOST_STACK_BYTES: u32 = 2048;

impl Stack {
    /// Returns the stack of a program that has just been loaded and has not run yet.
    ///
    /// For an EXE it is the stack in the header; for a COM program the memory after the file's
    /// contents.
    pub fn of_loaded(cpu: &Cpu, file: &[u8]) -> Stack {
        let regs = &cpu.regs;
        let top = linear(regs.ss(), regs.sp());
        let is_exe = matches!(file, [b'M', b'Z', ..] | [b'Z', b'M', ..]);
        let bottom =
            if is_exe { linear(regs.ss(), 0) } else { linear(regs.cs(), regs.ip as u16) + file.len() as u32 };
        Stack(bottom..top)
    }

    /// Returns the bytes below the pointer that may change at any time.
    pub(super) fn unreliable(&self, pointer: u32) -> Range<u32> {
        let bytes = if self.0.contains(&pointer) {
            (pointer - self.0.start).min(MOST_STACK_BYTES)
        } else {
            INTERRUPT_BYTES.min(pointer)
        };
        pointer - bytes..pointer
    }
}
