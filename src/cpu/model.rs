//! The differences between the 8086, 80186, 80286 and 80386, in one place.
//!
//! Sources: Intel's 80286 and 80386 programmer's reference manuals (appendices on compatibility), and recordings of
//! the chips where the manuals are silent.

use serde::{Deserialize, Serialize};

/// Which processor is emulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum Model {
    /// Intel 8086.
    I8086,
    /// Intel 80186.
    I186,
    /// Intel 80286 in real mode.
    I286,
    /// Intel 80386 in real mode.
    #[default]
    I386,
}

use Model::{I186, I286, I386, I8086};

impl Model {
    /// Address lines of the processor: above 20 of them the second megabyte is there.
    pub fn address_lines(self) -> u32 {
        match self {
            I8086 | I186 => 20,
            I286 => 24,
            I386 => 32,
        }
    }

    /// Offsets wrap at FFFFh; otherwise an access across the end of a segment faults.
    #[inline(always)]
    pub(super) fn offsets_wrap(self) -> bool {
        self <= I186
    }

    /// An access across the end of the stack segment raises #SS; the 80286 in real mode knows only #GP.
    pub(super) fn has_stack_fault(self) -> bool {
        self >= I386
    }

    /// Bytes an instruction may have, prefixes included; longer ones raise #GP. The first two have no limit.
    pub(super) fn longest_instruction(self) -> usize {
        match self {
            I8086 | I186 => usize::MAX,
            I286 => 10,
            I386 => 15,
        }
    }

    /// `8F` with any `reg` field is POP; the 80286 raises #UD unless it is 0.
    pub(super) fn pop_ignores_reg(self) -> bool {
        self != I286
    }

    /// Bits of a shift or rotate count that are used.
    #[inline(always)]
    pub(super) fn shift_count_mask(self) -> u32 {
        if self == I8086 { 0xFF } else { 0x1F }
    }

    /// PUSH SP stores the value after the push instead of the one before.
    #[inline(always)]
    pub(super) fn pushes_sp_after(self) -> bool {
        self <= I186
    }

    /// #DE pushes the address of the next instruction; later processors restart the division.
    pub(super) fn divide_error_goes_on(self) -> bool {
        self <= I186
    }

    /// IDIV accepts the most negative quotient, 80h or 8000h.
    #[inline(always)]
    pub(super) fn idiv_takes_minimum(self) -> bool {
        self >= I286
    }

    /// A REP prefix before IDIV negates the quotient (the microcode shares the flag).
    #[inline(always)]
    pub(super) fn rep_negates_idiv(self) -> bool {
        self <= I186
    }

    /// Bits of EFLAGS that can be loaded. On the 8086 bits 12 to 15 always read 1, on the 80286 in real mode 0.
    #[inline(always)]
    pub(super) fn loadable_flags(self) -> u32 {
        match self {
            I8086 | I186 | I286 => 0x0FD5,
            I386 => 0x7FD5,
        }
    }

    /// Bits of EFLAGS that always read 1.
    #[inline(always)]
    pub(super) fn fixed_flags(self) -> u32 {
        match self {
            I8086 | I186 => 0xF002,
            I286 | I386 => 0x0002,
        }
    }

    /// AAA and AAS add or subtract the 6 from AX and so carry into AH (80286 and later: AL is corrected with a carry
    /// into AH); the 8086 corrects AL alone and AH by exactly one.
    #[inline(always)]
    pub(super) fn ascii_adjust_carries(self) -> bool {
        self >= I286
    }
}

impl Model {
    /// DAA and DAS correct the high digit of an AL above this.
    pub(super) fn decimal_limit(self, af: bool) -> u32 {
        if self <= I186 && af { 0x9F } else { 0x99 }
    }
}
