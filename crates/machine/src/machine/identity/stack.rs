//! The program's stack: which bytes below the stack pointer no program can rely on.

use crate::hardware::linear;
use oxbox_cpu::Cpu;
use std::ops::Range;

/// The program's own stack, as linear addresses: from the lowest byte that is surely stack to its top.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stack(Range<u32>);

/// Of a stack whose bounds are not known, so many bytes below the pointer are left out: what the BIOS's own interrupts
/// push.
const INTERRUPT_BYTES: u32 = 64;
/// Below the pointer at most so many bytes are left out: a program may keep data at the far end of its stack's segment.
const MOST_STACK_BYTES: u32 = 2048;

impl Stack {
    /// The stack of the program that has just been loaded and not run yet.
    ///
    /// In an EXE program it is what the header names as stack; in a COM program what lies behind the file's contents.
    pub fn of_loaded(cpu: &Cpu, file: &[u8]) -> Stack {
        let regs = &cpu.regs;
        let top = linear(regs.ss(), regs.sp());
        let is_exe = matches!(file, [b'M', b'Z', ..] | [b'Z', b'M', ..]);
        let bottom =
            if is_exe { linear(regs.ss(), 0) } else { linear(regs.cs(), regs.ip as u16) + file.len() as u32 };
        Stack(bottom..top)
    }

    /// The bytes below the pointer that may change at any moment.
    pub(super) fn unreliable(&self, pointer: u32) -> Range<u32> {
        let bytes = if self.0.contains(&pointer) {
            (pointer - self.0.start).min(MOST_STACK_BYTES)
        } else {
            INTERRUPT_BYTES.min(pointer)
        };
        pointer - bytes..pointer
    }
}
