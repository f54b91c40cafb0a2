//! Conversions to the formats in memory: integers, packed decimal, single and double.

use super::calculation::{Answer, Calculation, Entry, Unmasked, shift_right_sticky};
use super::control::Exceptions;
use super::extended::{Extended, INTEGER_BIT, Kind, Operand};
use super::remainder::fixed;

/// A binary format of 32 or 64 bits.
struct Format {
    /// Bits of a significand, including the integer bit, which is not stored.
    bits: u32,
    bias: i32,
}

const SINGLE: Format = Format { bits: 24, bias: 127 };
const DOUBLE: Format = Format { bits: 53, bias: 1023 };

impl Format {
    /// Packs a biased exponent and a significand whose integer bit is bit 63. That bit is not stored.
    fn pack(&self, sign: bool, exponent: i32, significand: u64) -> u64 {
        let width = self.bits + (2 * self.bias + 1).count_ones();
        u64::from(sign) << (width - 1)
            | (exponent as u64) << (self.bits - 1)
            | (significand & !INTEGER_BIT) >> (64 - self.bits)
    }

    /// Returns the biased exponent of infinities and NaNs.
    fn last(&self) -> i32 {
        2 * self.bias + 1
    }
}

const LARGEST_DECIMAL: u64 = 999_999_999_999_999_999;
/// The result of an invalid conversion to packed decimal.
const INDEFINITE_DECIMAL: [u8; 10] = [0, 0, 0, 0, 0, 0, 0, 0xC0, 0xFF, 0xFF];

impl Calculation {
    /// FLD: returns the value for a register. A signalling NaN in double extended format is loaded
    /// unchanged, without an exception.
    pub(super) fn load(&mut self, a: Operand, extended: bool) -> Answer {
        if extended {
            let denormal = a.denormal && self.model.load_looks_at_extended();
            self.raised |= if denormal { Exceptions::DE } else { 0 };
            return Ok(a.value);
        }
        if a.value.is_nan() {
            return match self.model.every_nan_signals() {
                true => Ok(a.value),
                false => self.one(a).map(|entry| match entry {
                    Entry::Settled(value) => value,
                    Entry::Numbers(_) => a.value,
                }),
            };
        }
        // If the exception is unmasked, the value is loaded nevertheless.
        self.raised |= if a.denormal { Exceptions::DE } else { 0 };
        Ok(a.value)
    }

    pub(super) fn store_single(&mut self, a: Operand) -> Answer<u32> {
        self.store_format(a, &SINGLE).map(|bits| bits as u32)
    }

    pub(super) fn store_double(&mut self, a: Operand) -> Answer<u64> {
        self.store_format(a, &DOUBLE)
    }

    fn store_format(&mut self, a: Operand, format: &Format) -> Answer<u64> {
        let a = match self.one(Operand { denormal: false, ..a })? {
            Entry::Numbers(number) => number,
            Entry::Settled(nan) => return Ok(format.pack(nan.sign(), format.last(), nan.significand)),
        };
        match a.kind {
            Kind::Zero => return Ok(format.pack(a.sign, 0, 0)),
            Kind::Infinity => return Ok(format.pack(a.sign, format.last(), 0)),
            Kind::Finite => {}
        }
        let significand = u128::from(a.significand) << 64;
        let rounded = self.round(a.sign, significand, format.bits);
        let exponent = a.exponent + rounded.carry + format.bias;
        if exponent >= format.last() {
            self.raise(Exceptions::OE)?;
            self.raised |= Exceptions::PE;
            let (infinite, largest) = self.beyond(a.sign, format.bits);
            if infinite {
                self.raised |= Exceptions::C1;
                return Ok(format.pack(a.sign, format.last(), 0));
            }
            return Ok(format.pack(a.sign, format.last() - 1, largest));
        }
        if exponent >= 1 {
            self.precision(&rounded);
            return Ok(format.pack(a.sign, exponent, (rounded.significand >> 64) as u64));
        }
        if self.control.masked(Exceptions::UE) == 0 {
            self.raised |= Exceptions::UE;
            return Err(Unmasked);
        }
        let by = (1 - format.bias - a.exponent) as u32;
        let rounded = self.round(a.sign, shift_right_sticky(significand, by), format.bits);
        self.precision(&rounded);
        if rounded.inexact || self.is_chopping() && self.model.chopping_underflows() {
            self.raised |= Exceptions::UE;
        }
        let significand = (rounded.significand >> 64) as u64;
        Ok(format.pack(a.sign, i32::from(significand & INTEGER_BIT != 0), significand))
    }

    /// Rounds to an integer, and returns its sign and magnitude. Raises `IE` and returns `None` for a
    /// NaN, and if the magnitude exceeds `largest` (for a negative number `largest + 1` if `minimum`
    /// is set).
    fn magnitude(&mut self, a: Operand, largest: u64, minimum: bool) -> Answer<Option<(bool, u64)>> {
        let number = match self.one(Operand { denormal: false, ..a })? {
            Entry::Numbers(number) => number,
            Entry::Settled(_) => {
                self.raise(Exceptions::IE)?;
                return Ok(None);
            }
        };
        let unusable = number.unnormal && self.model.needs_normal_operands();
        let small = match number.kind {
            Kind::Zero => return Ok(Some((number.sign, 0))),
            Kind::Finite => number.exponent <= 63 && !unusable,
            Kind::Infinity => false,
        };
        if small {
            let (integer, inexact, up) = self.round_fixed(number.sign, fixed(number));
            // If rounding up reached 2^64, the integer wrapped to 0.
            let wrapped = up && integer == 0;
            if !wrapped && integer <= largest + u64::from(minimum && number.sign) {
                self.note_precision(inexact, up);
                return Ok(Some((number.sign, integer)));
            }
        }
        self.raise(Exceptions::IE)?;
        Ok(None)
    }

    /// Converts to a signed integer of 16, 32 or 64 bits.
    pub(super) fn store_integer(&mut self, a: Operand, bits: u32) -> Answer<i64> {
        let shift = 64 - bits;
        let largest = (i64::MAX >> shift) as u64;
        Ok(match self.magnitude(a, largest, true)? {
            Some((false, magnitude)) => magnitude as i64,
            Some((true, magnitude)) => (magnitude as i64).wrapping_neg(),
            None => i64::MIN >> shift,
        })
    }

    /// Converts to eighteen packed decimal digits and a sign.
    pub(super) fn store_decimal(&mut self, a: Operand) -> Answer<[u8; 10]> {
        let Some((sign, mut rest)) = self.magnitude(a, LARGEST_DECIMAL, false)? else {
            return Ok(INDEFINITE_DECIMAL);
        };
        let mut bytes = [0; 10];
        for byte in &mut bytes[..9] {
            let pair = (rest % 100) as u8;
            rest /= 100;
            *byte = 16 * (pair / 10) + pair % 10;
        }
        bytes[9] = u8::from(sign) << 7;
        Ok(bytes)
    }
}

/// Converts from eighteen packed decimal digits. A digit above nine counts with its value.
pub(super) fn from_decimal(bytes: [u8; 10]) -> Extended {
    let digits = bytes[..9].iter().rev().flat_map(|byte| [byte >> 4, byte & 15]);
    let magnitude = digits.fold(0i64, |value, digit| value * 10 + i64::from(digit));
    let value = Extended::from_integer(magnitude);
    if bytes[9] & 0x80 != 0 { value.negated() } else { value }
}
