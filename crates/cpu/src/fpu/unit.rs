//! The programmer's model: control and status words, register stack, and pointers to the last
//! instruction.

use super::{
    calculation::Calculation,
    control::{Control, Exceptions},
    environment::Pointers,
    extended::Extended,
    model::Model,
};
use serde::{Deserialize, Serialize};

/// Returns whether an opcode is a control instruction: one that initialises, detects or saves the
/// coprocessor. The pointers to the last instruction do not include these.
pub(crate) fn is_control(opcode: u16) -> bool {
    let (group, second) = (opcode >> 8 & 7, opcode & 0xFF);
    match (group, second) {
        (3, 0xE0..=0xE4) | (7, 0xE0) => true,
        (_, 0xC0..) => false,
        (1, _) => second & 0x20 != 0,
        (5, _) => matches!(second >> 3 & 7, 4 | 6 | 7),
        _ => false,
    }
}

/// Bits of the status word other than exceptions.
pub(super) struct Status;

impl Status {
    /// Error summary: an unmasked exception is pending. Bit 15 (busy) is the same.
    pub(super) const ES: u16 = 1 << 7;
    pub(super) const BUSY: u16 = 1 << 15;
    /// Condition codes 0 to 3.
    pub(super) const C0: u16 = 1 << 8;
    pub(super) const C1: u16 = 1 << 9;
    pub(super) const C2: u16 = 1 << 10;
    pub(super) const C3: u16 = 1 << 14;
    pub(super) const CODES: u16 = Self::C0 | Self::C1 | Self::C2 | Self::C3;
    pub(super) const TOP_SHIFT: u32 = 11;
    pub(super) const TOP: u16 = 7 << Self::TOP_SHIFT;
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fpu {
    pub(super) model: Model,
    pub(super) control: Control,
    /// The status word, without TOP.
    pub(super) status: u16,
    /// The register number of ST(0).
    pub(super) top: u8,
    /// One bit per register that holds a value.
    pub(super) filled: u8,
    pub(super) registers: [Extended; 8],
    /// The last instruction other than a control instruction.
    pub(super) pointers: Pointers,
}

impl Fpu {
    /// Creates a coprocessor in its reset state.
    pub(crate) fn new(model: Model) -> Self {
        Fpu {
            model,
            control: Control(model.initial_control()),
            status: 0,
            top: 0,
            filled: 0,
            registers: [Extended::ZERO; 8],
            pointers: Pointers::default(),
        }
    }

    /// FINIT. Keeps the values of the registers and, on the 8087 and 80287, the condition codes.
    pub(super) fn initialize(&mut self) {
        self.control = Control(self.model.initial_control());
        self.status &= if self.model.initializes_codes() { 0 } else { Status::CODES };
        self.top = 0;
        self.filled = 0;
        self.pointers = Pointers::default();
    }

    /// FCLEX.
    pub(super) fn clear_exceptions(&mut self) {
        self.status &= !(Exceptions::MASKS | Exceptions::SF);
        self.summarize();
    }

    /// Masks all exceptions, as FSTENV does after storing the control word.
    pub(super) fn mask_all(&mut self) {
        self.control = Control(self.control.0 | Exceptions::MASKS);
        self.summarize();
    }

    /// Returns the status word with TOP.
    pub(crate) fn status_word(&self) -> u16 {
        self.status | u16::from(self.top) << Status::TOP_SHIFT
    }

    /// Returns whether an unmasked exception is pending.
    #[inline]
    pub(crate) fn has_error(&self) -> bool {
        self.status & Status::ES != 0
            && !(self.model.has_interrupt_mask() && self.control.interrupts_masked())
    }

    /// Returns whether a completed instruction must report an exception: a new one, or, for other
    /// than control instructions, one that was not cleared.
    #[inline]
    pub(crate) fn asks_for_attention(&self, opcode: u16, had_error: bool) -> bool {
        let again = || !self.model.has_interrupt_mask() && !is_control(opcode);
        self.has_error() && (!had_error || again())
    }

    /// Returns whether the instruction pointer is that of the opcode, not of its first prefix.
    pub(crate) fn points_past_prefixes(&self) -> bool {
        self.model.points_past_prefixes()
    }

    /// Records the addresses of an instruction, except control instructions, which handlers use.
    pub(super) fn point(&mut self, opcode: u16, code: u32, data: Option<u32>) {
        if !is_control(opcode) {
            let data = data.unwrap_or(self.pointers.data);
            self.pointers = Pointers { code, data, opcode: opcode & 0x07FF };
        }
    }

    pub(super) fn set_control(&mut self, word: u16) {
        self.control = Control(self.model.control_bits(word));
        self.summarize();
    }

    /// Updates the error summary.
    pub(super) fn summarize(&mut self) {
        let exceptions = self.status & Exceptions::MASKS;
        if exceptions == self.control.masked(exceptions) {
            self.status &= !(Status::ES | Status::BUSY);
        } else {
            self.status |= Status::ES | Status::BUSY;
        }
    }

    /// Does a calculation and records the exceptions that it raises.
    pub(super) fn calculate<T>(&mut self, calculation: impl FnOnce(&mut Calculation) -> T) -> T {
        let mut state = Calculation::new(self.model, self.control);
        let result = calculation(&mut state);
        self.note(state.raised);
        result
    }

    /// Records exceptions. Sets condition code 1 if the result was rounded up.
    pub(super) fn note(&mut self, raised: u16) {
        if self.model.reports_rounding() {
            self.status &= !Status::C1;
            self.status |= raised;
        } else {
            self.status |= raised & Exceptions::MASKS;
        }
        self.summarize();
    }

    /// Clears condition code 1, as instructions that raise no exception do.
    pub(super) fn clear_c1(&mut self) {
        self.note(0);
    }

    pub(super) fn set_codes(&mut self, mask: u16, codes: u16) {
        self.status = self.status & !mask | codes;
    }
}
