//! One calculation: its environment, the exceptions before the result, and rounding.

use super::control::{Control, Exceptions, Rounding};
use super::extended::{Extended, MAX_EXPONENT, MIN_EXPONENT, Number, Operand};
use super::model::Model;

/// An unmasked exception prevents the result: the destination keeps its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unmasked;

/// A result, or an unmasked exception that prevents it.
pub(crate) type Answer<T = Extended> = Result<T, Unmasked>;

/// The operands, or the result if they determine it directly.
pub(super) enum Entry<T> {
    Numbers(T),
    Settled(Extended),
}

/// The adjustment of a result's exponent when an overflow or underflow handler is called.
const ADJUSTMENT: i32 = 24576;

#[derive(Debug, Clone)]
pub(crate) struct Calculation {
    pub(super) model: Model,
    pub(super) control: Control,
    /// The bits of [`Exceptions`] raised until now.
    pub(super) raised: u16,
}

pub(super) struct Rounded {
    /// Normalised again: bit 127 is set if it was set before.
    pub(super) significand: u128,
    /// The increment of the exponent.
    pub(super) carry: i32,
    pub(super) inexact: bool,
    pub(super) up: bool,
}

/// Shifts right. The lowest bit is the OR of itself and all bits shifted out.
pub(super) fn shift_right_sticky(significand: u128, by: u32) -> u128 {
    match by {
        0 => significand,
        1..128 => significand >> by | u128::from(significand << (128 - by) != 0),
        _ => u128::from(significand != 0),
    }
}

/// Exceptions.
impl Calculation {
    pub(super) fn new(model: Model, control: Control) -> Self {
        Calculation { model, control, raised: 0 }
    }

    /// Raises an exception that precedes the result.
    pub(super) fn raise(&mut self, exception: u16) -> Answer<()> {
        self.raised |= exception;
        if self.control.masked(exception) == 0 { Err(Unmasked) } else { Ok(()) }
    }

    /// Raises an invalid operation and returns its result.
    pub(super) fn invalid(&mut self) -> Answer {
        self.raise(Exceptions::IE).map(|()| Extended::INDEFINITE)
    }

    /// Raises the denormal exception if `any` operand is a denormal that the model checks.
    pub(super) fn denormals(&mut self, any: bool) -> Answer<()> {
        if any { self.raise(Exceptions::DE) } else { Ok(()) }
    }

    pub(super) fn is_chopping(&self) -> bool {
        self.control.rounding() == Rounding::Chop
    }

    /// Returns whether infinity is projective: unsigned.
    pub(super) fn projective(&self) -> bool {
        self.model.has_infinity_control() && !self.control.affine()
    }

    fn is_unsupported(&self, value: Extended) -> bool {
        value.is_unnormal() && !self.model.takes_unnormals()
    }

    pub(super) fn signals(&self, value: Extended) -> bool {
        value.is_nan() && (self.model.every_nan_signals() || !value.is_quiet())
    }

    fn quieted(&self, nan: Extended) -> Extended {
        if self.model.every_nan_signals() { nan } else { nan.quieted() }
    }

    fn denormal_first(&mut self, any: bool) -> Answer<()> {
        if any && self.model.denormal_comes_first() && self.control.masked(Exceptions::DE) == 0 {
            return self.raise(Exceptions::DE);
        }
        Ok(())
    }

    /// Converts an operand to a number, unless it determines the result.
    pub(super) fn one(&mut self, a: Operand) -> Answer<Entry<Number>> {
        self.denormal_first(a.denormal)?;
        if self.is_unsupported(a.value) {
            return self.invalid().map(Entry::Settled);
        }
        if a.value.is_nan() {
            if self.signals(a.value) {
                self.raise(Exceptions::IE)?;
            }
            return Ok(Entry::Settled(self.quieted(a.value)));
        }
        Ok(Entry::Numbers(Number::new(a)))
    }

    /// Converts two operands to numbers, unless they determine the result.
    pub(super) fn two(&mut self, a: Operand, b: Operand) -> Answer<Entry<(Number, Number)>> {
        self.denormal_first(a.denormal || b.denormal)?;
        if self.is_unsupported(a.value) || self.is_unsupported(b.value) {
            return self.invalid().map(Entry::Settled);
        }
        if a.value.is_nan() || b.value.is_nan() {
            return self.nan_of_two(a.value, b.value).map(Entry::Settled);
        }
        Ok(Entry::Numbers((Number::new(a), Number::new(b))))
    }

    /// Selects one of two NaNs: the quiet one, the larger significand, then the positive one.
    fn nan_of_two(&mut self, a: Extended, b: Extended) -> Answer {
        if self.signals(a) || self.signals(b) {
            self.raise(Exceptions::IE)?;
        }
        let both = a.is_nan() && b.is_nan();
        let chosen = if !both {
            if a.is_nan() { a } else { b }
        } else if !self.model.every_nan_signals() && a.is_quiet() != b.is_quiet() {
            if a.is_quiet() { a } else { b }
        } else if a.significand == b.significand {
            if a.sign() { b } else { a }
        } else if a.significand > b.significand {
            a
        } else {
            b
        };
        Ok(self.quieted(chosen))
    }

    /// Reports an inexact result, and whether it was rounded up.
    pub(super) fn precision(&mut self, rounded: &Rounded) {
        if rounded.inexact {
            self.raised |= Exceptions::PE;
            if rounded.up {
                self.raised |= Exceptions::C1;
            }
        }
    }
}

/// Rounding.
impl Calculation {
    /// Rounds to the upper `bits` bits (1 to 127).
    pub(super) fn round(&self, sign: bool, significand: u128, bits: u32) -> Rounded {
        let last = 1u128 << (128 - bits);
        let rest = significand & (last - 1);
        let kept = significand - rest;
        let up = self.control.rounding().rounds_up(sign, significand & last != 0, rest, last >> 1);
        let inexact = rest != 0;
        if !up {
            return Rounded { significand: kept, carry: 0, inexact, up };
        }
        match kept.checked_add(last) {
            Some(significand) => Rounded { significand, carry: 0, inexact, up },
            None => Rounded { significand: 1 << 127, carry: 1, inexact, up },
        }
    }

    /// Rounds a magnitude with 64 fraction bits to an integer.
    pub(super) fn round_fixed(&self, sign: bool, magnitude: u128) -> (u64, bool, bool) {
        let (kept, rest) = ((magnitude >> 64) as u64, magnitude & u128::from(u64::MAX));
        let up = self.control.rounding().rounds_up(sign, kept & 1 != 0, rest, 1 << 63);
        (kept.wrapping_add(u64::from(up)), rest != 0, up)
    }

    /// Returns significand * 2^(exponent - 127), rounded as the precision control says.
    pub(super) fn finish(&mut self, sign: bool, exponent: i32, significand: u128) -> Extended {
        self.finish_in(sign, exponent, significand, self.control.precision())
    }

    /// Like [`Self::finish`] for `bits` bits. The significand is not 0; its low bit may be sticky.
    pub(super) fn finish_in(&mut self, sign: bool, exponent: i32, significand: u128, bits: u32) -> Extended {
        let shift = significand.leading_zeros();
        let (exponent, significand) = (exponent - shift as i32, significand << shift);
        let rounded = self.round(sign, significand, bits);
        let grown = exponent + rounded.carry;
        if grown > MAX_EXPONENT {
            return self.overflow(sign, exponent, significand, bits, &rounded);
        }
        if grown < MIN_EXPONENT {
            return self.underflow(sign, exponent, significand, bits, &rounded);
        }
        self.precision(&rounded);
        Extended::normal(sign, grown, (rounded.significand >> 64) as u64)
    }

    fn overflow(
        &mut self,
        sign: bool,
        exponent: i32,
        significand: u128,
        bits: u32,
        rounded: &Rounded,
    ) -> Extended {
        self.raised |= Exceptions::OE;
        if self.control.masked(Exceptions::OE) == 0 {
            return self.adjusted(sign, exponent - ADJUSTMENT, significand, rounded);
        }
        self.raised |= Exceptions::PE;
        let (infinite, largest) = self.beyond(sign, bits);
        if infinite {
            self.raised |= Exceptions::C1;
            return Extended::infinity(sign);
        }
        Extended::normal(sign, MAX_EXPONENT, largest)
    }

    /// Returns whether an overflow rounds to infinity, and the largest significand of `bits` bits.
    pub(super) fn beyond(&self, sign: bool, bits: u32) -> (bool, u64) {
        (self.control.rounding().rounds_up(sign, true, 1, 0), u64::MAX << (64 - bits))
    }

    fn underflow(
        &mut self,
        sign: bool,
        exponent: i32,
        significand: u128,
        bits: u32,
        rounded: &Rounded,
    ) -> Extended {
        if self.control.masked(Exceptions::UE) == 0 {
            self.raised |= Exceptions::UE;
            return self.adjusted(sign, exponent + ADJUSTMENT, significand, rounded);
        }
        let by = (MIN_EXPONENT - exponent) as u32;
        let rounded = self.round(sign, shift_right_sticky(significand, by), bits);
        self.precision(&rounded);
        if rounded.inexact || self.is_chopping() && self.model.chopping_underflows() {
            self.raised |= Exceptions::UE;
        }
        Extended::smallest(sign, (rounded.significand >> 64) as u64)
    }

    /// Returns a result whose exponent was adjusted for a handler. Only FSCALE exceeds the range.
    fn adjusted(&mut self, sign: bool, exponent: i32, significand: u128, rounded: &Rounded) -> Extended {
        if !self.model.rounds_adjusted() {
            let exponent = exponent.clamp(MIN_EXPONENT, MAX_EXPONENT);
            return Extended::normal(sign, exponent, (significand >> 64) as u64);
        }
        self.precision(rounded);
        let exponent = exponent + rounded.carry;
        if exponent > MAX_EXPONENT {
            self.raised |= Exceptions::PE | Exceptions::C1;
            Extended::infinity(sign)
        } else if exponent < MIN_EXPONENT {
            self.raised |= Exceptions::PE;
            Extended::zero(sign)
        } else {
            Extended::normal(sign, exponent, (rounded.significand >> 64) as u64)
        }
    }
}
