//! The environment of FSTENV and FSAVE: control, status and tag words, and the pointers of the last
//! instruction, in the 16-bit and 32-bit real-mode formats.

use serde::{Deserialize, Serialize};

use super::control::Exceptions;
use super::extended::{Extended, INTEGER_BIT};
use super::unit::{Fpu, Status};

/// The last instruction other than a control instruction, for exception handlers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Pointers {
    /// Linear address of the instruction.
    pub(crate) code: u32,
    /// Linear address of its memory operand, if it had one.
    pub(crate) data: u32,
    /// The lower three bits of its first byte, and its second byte.
    pub(crate) opcode: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Environment {
    /// Seven words.
    Word,
    /// Seven doublewords.
    Dword,
}

/// Size of a register in memory, in bytes.
const REGISTER_BYTES: usize = 10;
/// Size of the largest state, in bytes.
pub(crate) const LONGEST: usize = 28 + 8 * REGISTER_BYTES;

/// The tags of a register.
const VALID: u16 = 0;
const ZERO: u16 = 1;
const SPECIAL: u16 = 2;
const EMPTY: u16 = 3;

impl Environment {
    pub(super) fn bytes(self) -> usize {
        7 * self.width()
    }

    pub(super) fn state_bytes(self) -> usize {
        self.bytes() + 8 * REGISTER_BYTES
    }

    fn width(self) -> usize {
        match self {
            Environment::Word => 2,
            Environment::Dword => 4,
        }
    }

    /// Returns the address bits above 15, which the field has from bit 12 on.
    fn upper(self, field: u32) -> u32 {
        match self {
            Environment::Word => (field & 0xF000) << 4,
            Environment::Dword => (field & 0x0FFF_F000) << 4,
        }
    }
}

fn tag(value: Extended) -> u16 {
    match value.exponent() {
        0 if value.significand == 0 => ZERO,
        1..0x7FFF if value.significand & INTEGER_BIT != 0 => VALID,
        _ => SPECIAL,
    }
}

impl Fpu {
    fn tag_word(&self) -> u16 {
        let tag = |i: usize| if self.filled & 1 << i == 0 { EMPTY } else { tag(self.registers[i]) };
        (0..8).map(|i| tag(i) << (2 * i)).sum()
    }

    /// Stores the environment into the first bytes of `to`.
    pub(super) fn store_environment(&self, form: Environment, to: &mut [u8]) {
        let Pointers { code, data, opcode } = self.pointers;
        let words =
            [self.control.0, self.status_word(), self.tag_word()].map(|word| u32::from(word) | 0xFFFF_0000);
        let addresses = [
            code & 0xFFFF | 0xFFFF_0000,
            (code & 0xFFFF_0000) >> 4 | u32::from(opcode),
            data & 0xFFFF | 0xFFFF_0000,
            (data & 0xFFFF_0000) >> 4,
        ];
        let width = form.width();
        for (bytes, field) in to.chunks_exact_mut(width).zip(words.into_iter().chain(addresses)) {
            bytes.copy_from_slice(&field.to_le_bytes()[..width]);
        }
    }

    /// Loads the environment from the first bytes of `from`. Of the tags only "empty" matters: the
    /// others are computed when they are stored.
    pub(super) fn load_environment(&mut self, form: Environment, from: &[u8]) {
        let mut fields = [0u32; 7];
        for (field, bytes) in fields.iter_mut().zip(from.chunks_exact(form.width())) {
            *field = bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
        }
        let [control, status, tags, code, code_upper, data, data_upper] = fields;
        self.top = (status as u16 >> Status::TOP_SHIFT & 7) as u8;
        self.status = status as u16 & !Status::TOP;
        if !self.model.reports_rounding() {
            self.status &= !Exceptions::SF;
        }
        self.filled = (0..8).filter(|i| tags >> (2 * i) & 3 != u32::from(EMPTY)).map(|i| 1 << i).sum();
        self.pointers = Pointers {
            code: code & 0xFFFF | form.upper(code_upper),
            data: data & 0xFFFF | form.upper(data_upper),
            opcode: code_upper as u16 & 0x07FF,
        };
        self.set_control(control as u16);
    }

    /// Stores the whole state: the environment, then the registers from ST(0) on.
    pub(super) fn store_state(&self, form: Environment, to: &mut [u8]) {
        self.store_environment(form, to);
        let registers = to.get_mut(form.bytes()..).unwrap_or_default();
        for (i, bytes) in (0..8).zip(registers.chunks_exact_mut(REGISTER_BYTES)) {
            bytes.copy_from_slice(&self.registers[usize::from((self.top + i) & 7)].to_bytes());
        }
    }

    pub(super) fn load_state(&mut self, form: Environment, from: &[u8]) {
        self.load_environment(form, from);
        let (registers, _) = from.get(form.bytes()..).unwrap_or_default().as_chunks::<REGISTER_BYTES>();
        for (i, bytes) in (0..8).zip(registers) {
            self.registers[usize::from((self.top + i) & 7)] = Extended::from_bytes(*bytes);
        }
    }
}
