//! Partial remainders, rounding to an integer, scaling and extraction.

use super::calculation::{Answer, Calculation, Entry};
use super::control::Exceptions;
use super::extended::{Extended, Kind, Number, Operand};

/// The rounding of a remainder's quotient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotient {
    /// Towards zero: FPREM.
    Chopped,
    /// To nearest: FPREM1, as in IEEE 754.
    Nearest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reduction {
    /// The remainder was reached. The low bits of this quotient are valid.
    Complete(u64),
    /// More reductions are needed.
    Partial,
    /// The quotient is undefined.
    Without,
}

/// The fewest bits that a partial reduction removes. A reduction by more than 63 bits is partial.
const FEWEST_BITS: i32 = 32;

impl Calculation {
    /// Returns the remainder of a / b, or the result of one reduction step.
    pub(super) fn remainder(
        &mut self,
        a: Operand,
        b: Operand,
        kind: Quotient,
    ) -> Answer<(Extended, Reduction)> {
        let settled = |result| Ok((result, Reduction::Without));
        let complete = |result| Ok((result, Reduction::Complete(0)));
        let value = a.value;
        let (a, b) = match self.two(a, b)? {
            Entry::Numbers(numbers) => numbers,
            Entry::Settled(result) => return settled(result),
        };
        if a.is_infinity() || b.is_zero() || b.unnormal && self.model.needs_normal_operands() {
            return self.invalid().and_then(settled);
        }
        self.denormals(a.denormal || b.denormal)?;
        if a.is_zero() {
            return complete(Extended::zero(a.sign));
        }
        if b.is_infinity() {
            return complete(unchanged(value));
        }
        let difference = a.exponent - b.exponent;
        let smallest = if kind == Quotient::Nearest { -1 } else { 0 };
        if difference < smallest {
            return complete(self.finish_in(a.sign, a.exponent, u128::from(a.significand) << 64, 64));
        }
        if difference > 63 {
            let bits = FEWEST_BITS + difference % FEWEST_BITS;
            let rest = (u128::from(a.significand) << bits) % u128::from(b.significand);
            return Ok((self.exact(a.sign, a.exponent - bits, rest), Reduction::Partial));
        }
        Ok(self.whole_remainder(a, b, kind))
    }

    fn whole_remainder(&mut self, a: Number, b: Number, kind: Quotient) -> (Extended, Reduction) {
        let difference = a.exponent - b.exponent;
        // Both values in units of the smaller exponent.
        let dividend = u128::from(a.significand) << difference.max(0);
        let divisor = u128::from(b.significand) << (-difference).max(0);
        let (mut quotient, mut rest) = ((dividend / divisor) as u64, dividend % divisor);
        let mut sign = a.sign;
        let above = 2 * rest > divisor || 2 * rest == divisor && quotient & 1 != 0;
        if kind == Quotient::Nearest && above {
            quotient = quotient.wrapping_add(1);
            rest = divisor - rest;
            sign = !sign;
        }
        if rest == 0 {
            sign = a.sign;
        }
        (self.exact(sign, a.exponent.min(b.exponent), rest), Reduction::Complete(quotient))
    }

    /// Returns significand * 2^(exponent - 63), which must be exact.
    fn exact(&mut self, sign: bool, exponent: i32, significand: u128) -> Extended {
        if significand == 0 {
            return Extended::zero(sign);
        }
        self.finish_in(sign, exponent, significand << 64, 64)
    }

    /// FRNDINT.
    pub(super) fn round_to_integer(&mut self, a: Operand) -> Answer {
        let number = match self.one(a)? {
            Entry::Numbers(number) => number,
            Entry::Settled(result) => return Ok(result),
        };
        self.denormals(number.denormal)?;
        if number.kind != Kind::Finite || number.exponent >= 63 {
            return Ok(a.value);
        }
        let (integer, inexact, up) = self.round_fixed(number.sign, fixed(number));
        self.note_precision(inexact, up);
        if integer == 0 {
            return Ok(Extended::zero(number.sign));
        }
        let shift = integer.leading_zeros();
        Ok(Extended::normal(number.sign, 63 - shift as i32, integer << shift))
    }

    pub(super) fn note_precision(&mut self, inexact: bool, up: bool) {
        if inexact {
            self.raised |= Exceptions::PE;
        }
        if up {
            self.raised |= Exceptions::C1;
        }
    }

    /// FSCALE: returns a * 2^b, with b truncated.
    pub(super) fn scale(&mut self, a: Operand, b: Operand) -> Answer {
        let (x, y) = match self.two(a, b)? {
            Entry::Numbers(numbers) => numbers,
            Entry::Settled(result) => return Ok(result),
        };
        if y.is_infinity() && (if y.sign { x.is_infinity() } else { x.is_zero() }) {
            return self.invalid();
        }
        self.denormals(x.denormal || y.denormal)?;
        if y.is_infinity() {
            return Ok(if y.sign { Extended::zero(x.sign) } else { Extended::infinity(x.sign) });
        }
        if x.kind != Kind::Finite || y.is_zero() {
            return Ok(unchanged(a.value));
        }
        // Larger than any exponent needs.
        const LIMIT: i32 = 0x1_0000;
        let by = match y.exponent {
            ..0 => 0,
            0..16 => (y.significand >> (63 - y.exponent)) as i32,
            _ => LIMIT,
        };
        let by = if y.sign { -by } else { by };
        Ok(self.finish_in(x.sign, x.exponent + by, u128::from(x.significand) << 64, 64))
    }

    /// FXTRACT: returns exponent and significand.
    pub(super) fn extract(&mut self, a: Operand) -> Answer<(Extended, Extended)> {
        let number = match self.one(a)? {
            Entry::Numbers(number) => number,
            Entry::Settled(result) => return Ok((result, result)),
        };
        match number.kind {
            Kind::Zero if self.model.extract_divides_by_zero() => {
                self.raise(Exceptions::ZE)?;
                Ok((Extended::infinity(true), a.value))
            }
            Kind::Zero => Ok((a.value, a.value)),
            Kind::Infinity if self.model.extract_divides_by_zero() => {
                Ok((Extended::infinity(false), a.value))
            }
            Kind::Infinity => self.invalid().map(|nan| (nan, nan)),
            Kind::Finite => {
                self.denormals(number.denormal && self.model.transcendentals_see_denormals())?;
                let exponent = Extended::from_integer(number.exponent.into());
                Ok((exponent, Extended::normal(number.sign, 0, number.significand)))
            }
        }
    }
}

/// Returns a value as its own result: denormals do not underflow, pseudo-denormals are normalised.
fn unchanged(value: Extended) -> Extended {
    if value.is_denormal() { Extended::smallest(value.sign(), value.significand) } else { value }
}

/// Returns the magnitude of a number below 2^63 with 64 fraction bits. The lowest bit is sticky.
pub(super) fn fixed(number: Number) -> u128 {
    let significand = u128::from(number.significand) << 64;
    super::calculation::shift_right_sticky(significand, (63 - number.exponent) as u32)
}
