//! The control word and the exceptions, as bits.

use serde::{Deserialize, Serialize};

/// Bits of the status word that say what happened.
pub(crate) struct Exceptions;

impl Exceptions {
    /// Invalid operation.
    pub(super) const IE: u16 = 1 << 0;
    /// Denormal operand.
    pub(super) const DE: u16 = 1 << 1;
    /// Zero divide.
    pub(super) const ZE: u16 = 1 << 2;
    /// Overflow.
    pub(super) const OE: u16 = 1 << 3;
    /// Underflow.
    pub(super) const UE: u16 = 1 << 4;
    /// Precision: the result is inexact.
    pub(super) const PE: u16 = 1 << 5;
    /// Stack fault: the invalid operation was an overflow or underflow of the stack.
    pub(super) const SF: u16 = 1 << 6;
    /// Condition code 1 says of an inexact result that it was rounded up, of a stack fault that it was an overflow.
    pub(super) const C1: u16 = 1 << 9;
    /// Those that can be masked.
    pub(super) const MASKS: u16 = 0x3F;
}

/// How results are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    Nearest,
    Down,
    Up,
    Chop,
}

/// The control word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Control(pub(super) u16);

impl Control {
    /// Bits of these exceptions that are masked.
    pub(super) fn masked(self, exceptions: u16) -> u16 {
        self.0 & exceptions & Exceptions::MASKS
    }

    /// RC, bits 10 and 11.
    pub(super) fn rounding(self) -> Rounding {
        match self.0 >> 10 & 3 {
            0 => Rounding::Nearest,
            1 => Rounding::Down,
            2 => Rounding::Up,
            _ => Rounding::Chop,
        }
    }

    /// PC, bits 8 and 9: bits of a significand. The reserved value means all of them.
    pub(super) fn precision(self) -> u32 {
        match self.0 >> 8 & 3 {
            0 => 24,
            2 => 53,
            _ => 64,
        }
    }

    /// IC, bit 12: affine closure, where there is a choice.
    pub(super) fn affine(self) -> bool {
        self.0 & 1 << 12 != 0
    }

    /// IEM, bit 7, on the 8087.
    pub(super) fn interrupts_masked(self) -> bool {
        self.0 & 1 << 7 != 0
    }
}
