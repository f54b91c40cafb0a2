//! 128-bit numbers for the transcendental instructions. They have twice the precision of the
//! results, so that the errors of a series stay far below the rounding of the result.
//!
//! Each operation truncates, with an error below two units in the last of the 128 bits.

use super::extended::Number;

/// The number significand * 2^(exponent - 127), normalised, or zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wide {
    pub(super) sign: bool,
    pub(super) exponent: i32,
    pub(super) significand: u128,
}

/// 1 in fixed point with 127 fraction bits.
pub(super) const ONE_127: u128 = 1 << 127;
/// 1 in fixed point with 126 fraction bits.
pub(super) const ONE_126: u128 = 1 << 126;

impl Wide {
    pub(super) const ONE: Self = Wide::constant(0, 1 << 127);
    pub(super) const PI: Self = Wide::constant(1, 0xC90F_DAA2_2168_C234_C4C6_628B_80DC_1CD1);
    pub(super) const LN_2: Self = Wide::constant(-1, 0xB172_17F7_D1CF_79AB_C9E3_B398_03F2_F6AF);
    pub(super) const LOG2_E: Self = Wide::constant(0, 0xB8AA_3B29_5C17_F0BB_BE87_FED0_691D_3E88);

    const fn constant(exponent: i32, significand: u128) -> Self {
        Wide { sign: false, exponent, significand }
    }

    /// Returns the number multiplied by 2^`by`.
    pub(super) fn scaled(self, by: i32) -> Self {
        Wide { exponent: self.exponent + by, ..self }
    }

    pub(super) fn negated(self) -> Self {
        self.signed(!self.sign)
    }

    pub(super) fn signed(self, sign: bool) -> Self {
        Wide { sign, ..self }
    }

    /// Creates significand * 2^(exponent - 127) and normalises it.
    pub(super) fn new(sign: bool, exponent: i32, significand: u128) -> Self {
        if significand == 0 {
            return Wide { sign, exponent: 0, significand };
        }
        let shift = significand.leading_zeros();
        Wide { sign, exponent: exponent - shift as i32, significand: significand << shift }
    }

    pub(super) fn is_zero(self) -> bool {
        self.significand == 0
    }

    pub(super) fn times(self, other: Self) -> Self {
        let product = multiply_high(self.significand, other.significand);
        Self::new(self.sign ^ other.sign, self.exponent + other.exponent + 1, product)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        let swap = (self.exponent, self.significand) < (other.exponent, other.significand);
        let (large, small) = if swap { (other, self) } else { (self, other) };
        let by = large.exponent.abs_diff(small.exponent);
        if self.sign == other.sign {
            let (x, y) = (large.significand >> 1, small.significand.checked_shr(by + 1).unwrap_or(0));
            return Self::new(large.sign, large.exponent + 1, x + y);
        }
        Self::new(
            large.sign,
            large.exponent,
            large.significand - small.significand.checked_shr(by).unwrap_or(0),
        )
    }

    pub(super) fn minus(self, other: Self) -> Self {
        self.plus(other.negated())
    }

    pub(super) fn over(self, divisor: Self) -> Self {
        if self.is_zero() {
            return self;
        }
        let by = divisor.significand;
        // The dividend is halved for a quotient below 2; the comparison gives the first bit.
        let first = self.significand >= by;
        let rest = if first { self.significand - by } else { self.significand };
        let fraction = divide_fraction(rest, by);
        let significand = if first { 1 << 127 | fraction >> 1 } else { fraction };
        let exponent = self.exponent - divisor.exponent - i32::from(!first);
        Self::new(self.sign ^ divisor.sign, exponent, significand)
    }

    /// Converts a magnitude that fits to fixed point with `bits` fraction bits.
    pub(super) fn to_fixed(self, bits: i32) -> u128 {
        let by = 127 - bits - self.exponent;
        self.significand.checked_shr(by.unsigned_abs()).unwrap_or(0)
    }

    /// Returns the square of a magnitude below 1 in fixed point with 128 fraction bits.
    pub(super) fn square_fraction(self) -> u128 {
        let by = -2 * (self.exponent + 1);
        multiply_high(self.significand, self.significand).checked_shr(by.unsigned_abs()).unwrap_or(0)
    }
}

impl From<Number> for Wide {
    fn from(number: Number) -> Self {
        Wide {
            sign: number.sign,
            exponent: number.exponent,
            significand: u128::from(number.significand) << 64,
        }
    }
}

/// Returns a * b / 2^128, at most 2 too small, for sums that are truncated anyway.
pub(super) fn multiply_high_nearly(a: u128, b: u128) -> u128 {
    let ((a1, a0), (b1, b0)) = (halves(a), halves(b));
    a1 * b1 + ((a1 * b0) >> 64) + ((a0 * b1) >> 64)
}

/// Returns a * b / 2^128, truncated.
pub(super) fn multiply_high(a: u128, b: u128) -> u128 {
    let ((a1, a0), (b1, b0)) = (halves(a), halves(b));
    let (cross, other) = (a1 * b0, a0 * b1);
    let low = (a0 * b0) >> 64;
    let middle = low + (cross & u128::from(u64::MAX)) + (other & u128::from(u64::MAX));
    a1 * b1 + (cross >> 64) + (other >> 64) + (middle >> 64)
}

/// Returns the upper and the lower 64 bits.
fn halves(value: u128) -> (u128, u128) {
    (value >> 64, value & u128::from(u64::MAX))
}

/// Returns dividend * 2^128 / divisor, truncated. The dividend must be below the divisor, and the
/// divisor's top bit set.
fn divide_fraction(dividend: u128, divisor: u128) -> u128 {
    let (high, rest) = divide_step(dividend, divisor);
    let (low, _) = divide_step(rest, divisor);
    u128::from(high) << 64 | u128::from(low)
}

/// Returns dividend * 2^64 / divisor and the remainder, by Knuth's algorithm D with 64-bit digits.
fn divide_step(dividend: u128, divisor: u128) -> (u64, u128) {
    let (upper, lower) = (divisor >> 64, divisor & u128::from(u64::MAX));
    // A quotient estimated from the upper half of the divisor is at most two too large.
    let mut quotient = (dividend / upper).min(u128::from(u64::MAX));
    let mut rest = dividend - quotient * upper;
    // A remainder of more than 64 bits exceeds every product.
    while rest >> 64 == 0 && rest << 64 < quotient * lower {
        quotient -= 1;
        rest += upper;
    }
    (quotient as u64, (rest << 64).wrapping_sub(quotient * lower))
}
