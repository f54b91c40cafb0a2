//! The coprocessor: 8087, 80287 and 80387.
//!
//! The lower half is arithmetic on the double extended format, in integers alone, so that results do not depend on the
//! host: `extended` (values), `calculation` (exceptions and rounding), `arithmetic`, `remainder`, `convert`, and on 128
//! bits (`wide`) `trigonometry` and `logarithm`. It is our own, since the soft float that is kept (`rustc_apfloat`) has
//! neither precision control nor square root, does not say that an operand was a denormal or that a result was rounded
//! up, and knows no unmasked responses. The upper half is the unit that programs see: `stack`, `environment`, and the
//! instructions, `register` and `memory`.

mod arithmetic;
mod calculation;
mod control;
mod convert;
mod environment;
mod extended;
mod logarithm;
mod memory;
mod model;
mod register;
mod remainder;
mod stack;
#[cfg(test)]
mod tests;
mod trigonometry;
mod wide;

use serde::{Deserialize, Serialize};

use calculation::Calculation;
use control::{Control, Exceptions};
use extended::Extended;

pub(super) use environment::{Environment, LONGEST};
pub(super) use memory::{Memory, Transfer};
pub(super) use model::Model;

use environment::Pointers;

/// True of the instructions that are no work: those that set up the coprocessor, look for it or store its state. The
/// pointers of the last instruction leave them out.
pub(super) fn is_control(opcode: u16) -> bool {
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
struct Status;

impl Status {
    /// Error summary: an exception that is not masked is pending. Bit 15, busy, is the same.
    const ES: u16 = 1 << 7;
    const BUSY: u16 = 1 << 15;
    /// Condition codes.
    const C0: u16 = 1 << 8;
    const C1: u16 = 1 << 9;
    const C2: u16 = 1 << 10;
    const C3: u16 = 1 << 14;
    const CODES: u16 = Self::C0 | Self::C1 | Self::C2 | Self::C3;
    /// The register that is the top of the stack.
    const TOP_SHIFT: u32 = 11;
    const TOP: u16 = 7 << Self::TOP_SHIFT;
}

/// The state of a coprocessor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::cpu) struct Fpu {
    model: Model,
    control: Control,
    /// The status word, without TOP.
    status: u16,
    /// The register that is ST(0).
    top: u8,
    /// A bit for each register that holds a value.
    filled: u8,
    registers: [Extended; 8],
    /// The last instruction that was no control instruction.
    pointers: Pointers,
}

impl Fpu {
    /// A coprocessor after reset.
    pub(super) fn new(model: Model) -> Self {
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
    fn initialize(&mut self) {
        self.control = Control(self.model.initial_control());
        self.status &= if self.model.initializes_codes() { 0 } else { Status::CODES };
        self.top = 0;
        self.filled = 0;
        self.pointers = Pointers::default();
    }

    /// FCLEX.
    fn clear_exceptions(&mut self) {
        self.status &= !(Exceptions::MASKS | Exceptions::SF);
        self.summarize();
    }

    /// FSTENV masks all exceptions once the control word is stored.
    fn mask_all(&mut self) {
        self.control = Control(self.control.0 | Exceptions::MASKS);
        self.summarize();
    }

    /// The status word as programs see it.
    pub(super) fn status_word(&self) -> u16 {
        self.status | u16::from(self.top) << Status::TOP_SHIFT
    }

    /// An exception that is not masked is pending, and asks for attention.
    pub(super) fn has_error(&self) -> bool {
        self.status & Status::ES != 0
            && !(self.model.has_interrupt_mask() && self.control.interrupts_masked())
    }

    /// True when an instruction that is done has left an exception to be reported: a new one, or one that nobody has
    /// cleared, if the instruction was work.
    pub(super) fn asks_for_attention(&self, opcode: u16, had_error: bool) -> bool {
        let again = !self.model.has_interrupt_mask() && !is_control(opcode);
        self.has_error() && (!had_error || again)
    }

    /// The instruction's address is that of its opcode, and not that of its first prefix.
    pub(super) fn points_past_prefixes(&self) -> bool {
        self.model.points_past_prefixes()
    }

    /// Keeps the addresses of an instruction, unless it is one that an exception's handler would use itself.
    fn point(&mut self, opcode: u16, code: u32, data: Option<u32>) {
        if !is_control(opcode) {
            let data = data.unwrap_or(self.pointers.data);
            self.pointers = Pointers { code, data, opcode: opcode & 0x07FF };
        }
    }

    fn set_control(&mut self, word: u16) {
        self.control = Control(self.model.control_bits(word));
        self.summarize();
    }

    /// Sets the summary of exceptions that are not masked.
    fn summarize(&mut self) {
        let exceptions = self.status & Exceptions::MASKS;
        if exceptions == self.control.masked(exceptions) {
            self.status &= !(Status::ES | Status::BUSY);
        } else {
            self.status |= Status::ES | Status::BUSY;
        }
    }

    /// Does a calculation and keeps the exceptions that it raises.
    fn calculate<T>(&mut self, calculation: impl FnOnce(&mut Calculation) -> T) -> T {
        let mut state = Calculation::new(self.model, self.control);
        let result = calculation(&mut state);
        self.note(state.raised);
        result
    }

    /// Keeps exceptions; condition code 1 says whether the result was rounded up.
    fn note(&mut self, raised: u16) {
        if self.model.reports_rounding() {
            self.status &= !Status::C1;
            self.status |= raised;
        } else {
            self.status |= raised & Exceptions::MASKS;
        }
        self.summarize();
    }

    /// Clears condition code 1 as instructions do that cannot raise anything.
    fn clear_c1(&mut self) {
        self.note(0);
    }

    fn set_codes(&mut self, mask: u16, codes: u16) {
        self.status = self.status & !mask | codes;
    }
}
