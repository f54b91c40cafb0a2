//! The differences between the 8087, the 80287 and the 80387.
//!
//! Sources: Intel's 80387 and 80287 data sheets, and the chapter on architecture compatibility of
//! the IA-32 manuals. The 8087 and the 80287 differ only in their connection to the processor.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub(crate) enum Model {
    I8087,
    I80287,
    #[default]
    I80387,
}

use Model::{I8087, I80287, I80387};

/// Operands.
impl Model {
    /// Whether unnormals, pseudo-zeros, pseudo-infinities and pseudo-NaNs are valid operands. On
    /// the 80387 they are invalid.
    pub(super) fn takes_unnormals(self) -> bool {
        self <= I80287
    }

    /// Whether every NaN is an invalid operand and stays as it is. The 80387 accepts quiet NaNs.
    pub(super) fn every_nan_signals(self) -> bool {
        self <= I80287
    }

    /// Whether a denormal in memory becomes an unnormal in the register. The 80387 normalises it.
    pub(super) fn loads_unnormals(self) -> bool {
        self <= I80287
    }

    /// Whether unnormalised operands are invalid for FSQRT, as divisors, for FPREM's divisor, and
    /// for conversion to integers.
    pub(super) fn needs_normal_operands(self) -> bool {
        self <= I80287
    }

    /// Whether an unmasked denormal operand takes precedence over every other exception.
    pub(super) fn denormal_comes_first(self) -> bool {
        self <= I80287
    }

    /// Whether FLD of a double extended denormal raises the denormal exception.
    pub(super) fn load_looks_at_extended(self) -> bool {
        self <= I80287
    }

    /// Whether transcendental instructions and FXTRACT check for denormal operands.
    pub(super) fn transcendentals_see_denormals(self) -> bool {
        self >= I80387
    }

    /// Whether bit 12 of the control word is the infinity control, with 0 for projective.
    pub(super) fn has_infinity_control(self) -> bool {
        self <= I80287
    }
}

/// Results.
impl Model {
    /// Whether a tiny result that is rounded towards zero underflows even if it is exact.
    pub(super) fn chopping_underflows(self) -> bool {
        self <= I80287
    }

    /// Whether the significand of a result whose exponent was adjusted for a handler is rounded.
    pub(super) fn rounds_adjusted(self) -> bool {
        self >= I80387
    }

    /// Whether FXTRACT of zero raises zero-divide. On earlier models it returns two zeros, and
    /// infinity is invalid.
    pub(super) fn extract_divides_by_zero(self) -> bool {
        self >= I80387
    }
}

/// Control and status words, pointers.
impl Model {
    /// Bit 6 of the control word is always 1.
    pub(super) const CONTROL_ALWAYS_SET: u16 = 0x40;

    /// Returns the control word after FINIT: all exceptions masked, 64 bits, round to nearest.
    pub(super) fn initial_control(self) -> u16 {
        if self == I8087 { 0x03FF } else { 0x037F }
    }

    /// Returns the control word after loading `word`: absent bits read as 0, bit 6 as 1.
    pub(super) fn control_bits(self, word: u16) -> u16 {
        word & self.changeable_control() | Model::CONTROL_ALWAYS_SET
    }

    /// Returns the bits of the control word that FLDCW can change.
    pub(super) const fn changeable_control(self) -> u16 {
        if matches!(self, I8087) { 0x1FBF } else { 0x1F3F }
    }

    /// Whether bit 7 of the control word masks all interrupts, and FENI and FDISI clear and set it.
    pub(super) fn has_interrupt_mask(self) -> bool {
        self == I8087
    }

    /// Whether FINIT clears the condition codes.
    pub(super) fn initializes_codes(self) -> bool {
        self >= I80387
    }

    /// Whether condition code 1 reports rounding up, and bit 6 of the status word a stack fault.
    pub(super) fn reports_rounding(self) -> bool {
        self >= I80387
    }

    pub(super) fn rounds_constants(self) -> bool {
        self >= I80387
    }

    /// Whether the instruction pointer is the ESC opcode's; on later models the first prefix's.
    pub(super) fn points_past_prefixes(self) -> bool {
        self == I8087
    }

    pub(super) fn has_status_to_ax(self) -> bool {
        self >= I80287
    }

    /// Whether FSIN, FCOS, FSINCOS, FUCOM, FUCOMP, FUCOMPP and FPREM1 exist.
    pub(super) fn has_387_instructions(self) -> bool {
        self >= I80387
    }
}
