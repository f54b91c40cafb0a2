//! Values: the double extended format of the registers, operands of instructions, and numbers for
//! arithmetic.

use serde::{Deserialize, Serialize};

use super::model::Model;

/// Bias of the exponent in the double extended format.
pub(super) const BIAS: i32 = 16383;
/// The exponent of the largest numbers.
pub(super) const MAX_EXPONENT: i32 = 16383;
/// The exponent of the smallest normal numbers, and of all denormals.
pub(super) const MIN_EXPONENT: i32 = -16382;
pub(super) const INTEGER_BIT: u64 = 1 << 63;
/// The bit that distinguishes a quiet NaN.
pub(super) const QUIET_BIT: u64 = 1 << 62;

/// A double extended value as a register holds it.
///
/// The layout is C's: translated code loads and stores it as ten bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[repr(C)]
pub(crate) struct Extended {
    /// Integer bit and fraction.
    pub(super) significand: u64,
    /// Sign and biased exponent.
    pub(super) head: u16,
}

impl Extended {
    pub(super) const ZERO: Self = Self::new(0, 0);
    pub(super) const ONE: Self = Self::new(0x3FFF, INTEGER_BIT);
    /// The quiet NaN that results from an invalid operation.
    pub(super) const INDEFINITE: Self = Self::new(0xFFFF, INTEGER_BIT | QUIET_BIT);

    pub(super) const fn new(head: u16, significand: u64) -> Self {
        Extended { significand, head }
    }

    fn signed(sign: bool, exponent: u16, significand: u64) -> Self {
        Self::new(u16::from(sign) << 15 | exponent, significand)
    }

    pub(super) fn zero(sign: bool) -> Self {
        Self::signed(sign, 0, 0)
    }

    pub(super) fn infinity(sign: bool) -> Self {
        Self::signed(sign, 0x7FFF, INTEGER_BIT)
    }

    pub(super) fn normal(sign: bool, exponent: i32, significand: u64) -> Self {
        Self::signed(sign, (exponent + BIAS) as u16, significand)
    }

    /// Creates a number with the smallest exponent, encoded as 1 if the integer bit is set.
    pub(super) fn smallest(sign: bool, significand: u64) -> Self {
        Self::signed(sign, u16::from(significand & INTEGER_BIT != 0), significand)
    }

    pub(super) fn from_integer(value: i64) -> Self {
        if value == 0 {
            return Self::ZERO;
        }
        let magnitude = value.unsigned_abs();
        let shift = magnitude.leading_zeros();
        Self::normal(value < 0, 63 - shift as i32, magnitude << shift)
    }

    pub(super) fn from_bytes([a, b, c, d, e, f, g, h, i, j]: [u8; 10]) -> Self {
        Self::new(u16::from_le_bytes([i, j]), u64::from_le_bytes([a, b, c, d, e, f, g, h]))
    }

    pub(super) fn to_bytes(self) -> [u8; 10] {
        let ([a, b, c, d, e, f, g, h], [i, j]) = (self.significand.to_le_bytes(), self.head.to_le_bytes());
        [a, b, c, d, e, f, g, h, i, j]
    }

    pub(super) fn sign(self) -> bool {
        self.head & 0x8000 != 0
    }

    pub(super) fn exponent(self) -> u16 {
        self.head & 0x7FFF
    }

    pub(super) fn negated(self) -> Self {
        Self::new(self.head ^ 0x8000, self.significand)
    }

    pub(super) fn absolute(self) -> Self {
        Self::new(self.head & 0x7FFF, self.significand)
    }

    pub(super) fn is_zero(self) -> bool {
        self.exponent() == 0 && self.significand == 0
    }

    pub(super) fn is_denormal(self) -> bool {
        self.exponent() == 0 && self.significand != 0
    }

    /// Returns whether it is a number that is no zero, denormal or unnormal.
    pub(super) fn is_normal(self) -> bool {
        !matches!(self.exponent(), 0 | 0x7FFF) && self.significand & INTEGER_BIT != 0
    }

    /// Returns whether the exponent requires the integer bit and it is clear.
    pub(super) fn is_unnormal(self) -> bool {
        self.exponent() != 0 && self.significand & INTEGER_BIT == 0
    }

    pub(super) fn is_infinity(self) -> bool {
        self.exponent() == 0x7FFF && self.significand << 1 == 0
    }

    pub(super) fn is_nan(self) -> bool {
        self.exponent() == 0x7FFF && self.significand << 1 != 0
    }

    pub(super) fn is_quiet(self) -> bool {
        self.significand & QUIET_BIT != 0
    }

    pub(super) fn quieted(self) -> Self {
        Self::new(self.head, self.significand | QUIET_BIT)
    }
}

/// An operand: the value of a register, or a converted value from memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operand {
    pub(super) value: Extended,
    /// Whether it is a denormal in its own format.
    pub(super) denormal: bool,
}

impl From<Extended> for Operand {
    fn from(value: Extended) -> Self {
        Operand { value, denormal: value.is_denormal() }
    }
}

impl From<i64> for Operand {
    fn from(value: i64) -> Self {
        Extended::from_integer(value).into()
    }
}

impl Operand {
    pub(super) fn single(model: Model, bits: u32) -> Self {
        let fraction = u64::from(bits & 0x007F_FFFF) << 40;
        Self::narrow(model, bits >> 31 != 0, (bits >> 23 & 0xFF) as u16, fraction, 0xFF)
    }

    pub(super) fn double(model: Model, bits: u64) -> Self {
        let fraction = (bits & 0x000F_FFFF_FFFF_FFFF) << 11;
        Self::narrow(model, bits >> 63 != 0, (bits >> 52 & 0x7FF) as u16, fraction, 0x7FF)
    }

    /// Converts from a format whose largest biased exponent is `last`.
    fn narrow(model: Model, sign: bool, exponent: u16, fraction: u64, last: u16) -> Self {
        let bias = i32::from(last >> 1);
        let exact = |value| Operand { value, denormal: false };
        if exponent == last {
            return exact(Extended::signed(sign, 0x7FFF, INTEGER_BIT | fraction));
        }
        if exponent > 0 {
            return exact(Extended::normal(sign, i32::from(exponent) - bias, INTEGER_BIT | fraction));
        }
        if fraction == 0 {
            return exact(Extended::zero(sign));
        }
        let shift = if model.loads_unnormals() { 0 } else { fraction.leading_zeros() };
        let value = Extended::normal(sign, 1 - bias - shift as i32, fraction << shift);
        Operand { value, denormal: true }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Zero,
    Finite,
    Infinity,
}

/// A number in the form used for arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) sign: bool,
    pub(super) kind: Kind,
    /// The exponent of a finite number, whose value is significand * 2^(exponent - 63).
    pub(super) exponent: i32,
    /// The significand of a finite number, normalised: bit 63 is set.
    pub(super) significand: u64,
    /// Whether it was encoded as a denormal.
    pub(super) denormal: bool,
    /// Whether its encoding had no integer bit.
    pub(super) unnormal: bool,
}

impl Number {
    /// Converts an operand other than a NaN. Encodings that only the 8087 and 80287 accept keep
    /// their value.
    pub(super) fn new(operand: Operand) -> Self {
        let value = operand.value;
        let kind = match (value.exponent(), value.significand) {
            (0x7FFF, _) => Kind::Infinity,
            (_, 0) => Kind::Zero,
            _ => Kind::Finite,
        };
        let shift = if kind == Kind::Finite { value.significand.leading_zeros() } else { 0 };
        Number {
            sign: value.sign(),
            kind,
            exponent: i32::from(value.exponent().max(1)) - BIAS - shift as i32,
            significand: value.significand << shift,
            denormal: operand.denormal,
            unnormal: kind == Kind::Finite && value.significand & INTEGER_BIT == 0,
        }
    }

    pub(super) fn is_zero(self) -> bool {
        self.kind == Kind::Zero
    }

    pub(super) fn is_infinity(self) -> bool {
        self.kind == Kind::Infinity
    }
}
