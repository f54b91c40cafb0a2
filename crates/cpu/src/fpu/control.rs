//! The bits of the control word and of the exceptions.

use serde::{Deserialize, Serialize};

/// Bits of the status word that report exceptions.
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
    /// Condition code 1: an inexact result was rounded up, or a stack fault was an overflow.
    pub(super) const C1: u16 = 1 << 9;
    /// The exceptions that can be masked.
    pub(super) const MASKS: u16 = 0x3F;
}

/// The rounding mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    Nearest,
    Down,
    Up,
    Chop,
}

impl Rounding {
    /// Returns whether the remainder `rest`, in units in which `half` is half of the last bit,
    /// rounds the magnitude up.
    #[inline(always)]
    pub(super) fn rounds_up<T: Copy + Ord + Default>(self, sign: bool, odd: bool, rest: T, half: T) -> bool {
        match self {
            Rounding::Nearest => rest > half || rest == half && odd,
            Rounding::Down => sign && rest != T::default(),
            Rounding::Up => !sign && rest != T::default(),
            Rounding::Chop => false,
        }
    }
}

/// The control word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Control(pub(super) u16);

impl Control {
    /// Returns the masked ones of these exceptions.
    pub(super) fn masked(self, exceptions: u16) -> u16 {
        self.0 & exceptions & Exceptions::MASKS
    }

    /// RC, bits 10 and 11: the rounding mode.
    pub(super) fn rounding(self) -> Rounding {
        match self.0 >> 10 & 3 {
            0 => Rounding::Nearest,
            1 => Rounding::Down,
            2 => Rounding::Up,
            _ => Rounding::Chop,
        }
    }

    /// PC, bits 8 and 9: the bits of a significand. The reserved value means 64.
    pub(super) fn precision(self) -> u32 {
        match self.0 >> 8 & 3 {
            0 => 24,
            2 => 53,
            _ => 64,
        }
    }

    /// IC, bit 12: affine closure, on models that have both.
    pub(super) fn affine(self) -> bool {
        self.0 & 1 << 12 != 0
    }

    /// IEM, bit 7, on the 8087: all interrupts are masked.
    pub(super) fn interrupts_masked(self) -> bool {
        self.0 & 1 << 7 != 0
    }
}
