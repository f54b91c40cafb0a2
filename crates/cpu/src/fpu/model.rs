//! The differences between the 8087, 80287 and 80387, in one place.
//!
//! Sources: Intel's 80387 and 80287 data sheets, and the chapter on architecture compatibility of the IA-32 manuals.
//! The first two differ from each other only in how they are connected.

use serde::{Deserialize, Serialize};

/// Which coprocessor is emulated.
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
    /// Unnormals, pseudo-zeros, pseudo-infinities and pseudo-NaNs are numbers; the 80387 calls them invalid.
    pub(super) fn takes_unnormals(self) -> bool {
        self <= I80287
    }

    /// Every NaN is an invalid operand, and none is made quiet; the 80387 lets quiet ones through.
    pub(super) fn every_nan_signals(self) -> bool {
        self <= I80287
    }

    /// A denormal in memory becomes an unnormal in the register; the 80387 normalises it.
    pub(super) fn loads_unnormals(self) -> bool {
        self <= I80287
    }

    /// FSQRT, division by, FPREM by, and conversion to integers of what is not normalised are invalid.
    pub(super) fn needs_normal_operands(self) -> bool {
        self <= I80287
    }

    /// An unmasked denormal operand comes before every other exception.
    pub(super) fn denormal_comes_first(self) -> bool {
        self <= I80287
    }

    /// FLD of a double extended denormal raises the denormal exception too.
    pub(super) fn load_looks_at_extended(self) -> bool {
        self <= I80287
    }

    /// Transcendental instructions and FXTRACT look for denormal operands.
    pub(super) fn transcendentals_see_denormals(self) -> bool {
        self >= I80387
    }

    /// Bit 12 of the control word is the infinity control, and 0 means projective.
    pub(super) fn has_infinity_control(self) -> bool {
        self <= I80287
    }
}

/// Results.
impl Model {
    /// A tiny result underflows when rounded towards zero, even when it is exact.
    pub(super) fn chopping_underflows(self) -> bool {
        self <= I80287
    }

    /// The significand of a result whose exponent was adjusted for a handler is rounded.
    pub(super) fn rounds_adjusted(self) -> bool {
        self >= I80387
    }

    /// FXTRACT of zero divides by zero; earlier it gives zero twice, and infinity is invalid.
    pub(super) fn extract_divides_by_zero(self) -> bool {
        self >= I80387
    }
}

/// Control and status words, pointers.
impl Model {
    /// The control word after FINIT: everything masked, all 64 bits, to the nearest.
    pub(super) fn initial_control(self) -> u16 {
        if self == I8087 { 0x03FF } else { 0x037F }
    }

    /// What a control word becomes when it is loaded: bits that are not there read as 0, bit 6 as 1.
    pub(super) fn control_bits(self, word: u16) -> u16 {
        let there = if self == I8087 { 0x1FBF } else { 0x1F3F };
        word & there | 0x40
    }

    /// Bit 7 of the control word masks all interrupts; FENI and FDISI clear and set it.
    pub(super) fn has_interrupt_mask(self) -> bool {
        self == I8087
    }

    /// FINIT clears the condition codes.
    pub(super) fn initializes_codes(self) -> bool {
        self >= I80387
    }

    /// Condition code 1 says that a result was rounded up, bit 6 of the status word that the stack is at fault.
    pub(super) fn reports_rounding(self) -> bool {
        self >= I80387
    }

    /// The rounding control is in effect for the constants.
    pub(super) fn rounds_constants(self) -> bool {
        self >= I80387
    }

    /// The instruction pointer is that of the ESC opcode; later it is that of its first prefix.
    pub(super) fn points_past_prefixes(self) -> bool {
        self == I8087
    }

    /// FSTSW AX.
    pub(super) fn has_status_to_ax(self) -> bool {
        self >= I80287
    }

    /// FSIN, FCOS, FSINCOS, FUCOM, FUCOMP, FUCOMPP and FPREM1.
    pub(super) fn has_387_instructions(self) -> bool {
        self >= I80387
    }
}
