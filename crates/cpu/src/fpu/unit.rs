//! The unit that programs see: control and status word, the stack's registers, the pointers of the last instruction.

use super::{
    calculation::Calculation,
    control::{Control, Exceptions},
    environment::Pointers,
    extended::Extended,
    model::Model,
};
use serde::{Deserialize, Serialize};

/// True of the instructions that are no work: those that set up the coprocessor, look for it or store its state. The
/// pointers of the last instruction leave them out.
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

/// Bits of the status word that are no exceptions.
pub(super) struct Status;

impl Status {
    /// Error summary: an exception that is not masked is pending. Bit 15, busy, is the same.
    pub(super) const ES: u16 = 1 << 7;
    pub(super) const BUSY: u16 = 1 << 15;
    /// Condition codes.
    pub(super) const C0: u16 = 1 << 8;
    pub(super) const C1: u16 = 1 << 9;
    pub(super) const C2: u16 = 1 << 10;
    pub(super) const C3: u16 = 1 << 14;
    pub(super) const CODES: u16 = Self::C0 | Self::C1 | Self::C2 | Self::C3;
    /// The register that is the top of the stack.
    pub(super) const TOP_SHIFT: u32 = 11;
    pub(super) const TOP: u16 = 7 << Self::TOP_SHIFT;
}

/// The state of a coprocessor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fpu {
    pub(super) model: Model,
    pub(super) control: Control,
    /// The status word, without TOP.
    pub(super) status: u16,
    /// The register that is ST(0).
    pub(super) top: u8,
    /// A bit for each register that holds a value.
    pub(super) filled: u8,
    pub(super) registers: [Extended; 8],
    /// The last instruction that was no control instruction.
    pub(super) pointers: Pointers,
}

impl Fpu {
    /// A coprocessor after reset.
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

    /// FINIT: what it leaves are the registers' values, and on the first models the condition codes.
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

    /// FSTENV masks all exceptions once the control word is stored.
    pub(super) fn mask_all(&mut self) {
        self.control = Control(self.control.0 | Exceptions::MASKS);
        self.summarize();
    }

    /// The status word as programs see it.
    pub(crate) fn status_word(&self) -> u16 {
        self.status | u16::from(self.top) << Status::TOP_SHIFT
    }

    /// An exception that is not masked is pending, and asks for attention.
    pub(crate) fn has_error(&self) -> bool {
        self.status & Status::ES != 0
            && !(self.model.has_interrupt_mask() && self.control.interrupts_masked())
    }

    /// True when an instruction that is done has left an exception to be reported: a new one, or one that nobody has
    /// cleared, if the instruction was work.
    pub(crate) fn asks_for_attention(&self, opcode: u16, had_error: bool) -> bool {
        let again = !self.model.has_interrupt_mask() && !is_control(opcode);
        self.has_error() && (!had_error || again)
    }

    /// The instruction's address is that of its opcode, and not that of its first prefix.
    pub(crate) fn points_past_prefixes(&self) -> bool {
        self.model.points_past_prefixes()
    }

    /// Keeps the addresses of an instruction, unless it is one that an exception's handler would use itself.
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

    /// Sets the summary of exceptions that are not masked.
    pub(super) fn summarize(&mut self) {
        let exceptions = self.status & Exceptions::MASKS;
        if exceptions == self.control.masked(exceptions) {
            self.status &= !(Status::ES | Status::BUSY);
        } else {
            self.status |= Status::ES | Status::BUSY;
        }
    }

    /// Does a calculation and keeps the exceptions that it raises.
    pub(super) fn calculate<T>(&mut self, calculation: impl FnOnce(&mut Calculation) -> T) -> T {
        let mut state = Calculation::new(self.model, self.control);
        let result = calculation(&mut state);
        self.note(state.raised);
        result
    }

    /// Keeps exceptions; condition code 1 says whether the result was rounded up.
    pub(super) fn note(&mut self, raised: u16) {
        if self.model.reports_rounding() {
            self.status &= !Status::C1;
            self.status |= raised;
        } else {
            self.status |= raised & Exceptions::MASKS;
        }
        self.summarize();
    }

    /// Clears condition code 1 as instructions do that cannot raise anything.
    pub(super) fn clear_c1(&mut self) {
        self.note(0);
    }

    pub(super) fn set_codes(&mut self, mask: u16, codes: u16) {
        self.status = self.status & !mask | codes;
    }
}
