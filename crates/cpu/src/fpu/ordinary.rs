//! Addition, subtraction, multiplication and comparison of normal numbers with a normal result.
//!
//! [`Calculation`](super::calculation::Calculation) defines all results. This does the most frequent ones with
//! less work, and returns `None` for the others.

use std::cmp::Ordering;

use super::calculation::shift_right_sticky;
use super::control::{Control, Exceptions};
use super::extended::{BIAS, Extended, INTEGER_BIT, MAX_EXPONENT, MIN_EXPONENT, Operand};
use super::register::Binary;

/// A number before rounding: `high` with bit 63 set, then 64 bits, of which the lowest is the OR of itself and
/// all bits after it. The exponent is biased.
#[derive(Debug, Clone, Copy)]
struct Exact {
    negative: bool,
    exponent: i32,
    high: u64,
    low: u64,
}

fn are_normal(a: Extended, b: Operand) -> bool {
    a.is_normal() && b.value.is_normal() && !b.denormal
}

/// Returns the result for ST(0) and the other operand, and the exceptions and C1 that it raises. All of them
/// are masked.
#[inline(always)]
pub(super) fn binary(
    operation: Binary,
    control: Control,
    a: Extended,
    b: Operand,
) -> Option<(Extended, u16)> {
    if !are_normal(a, b) {
        return None;
    }
    let b = b.value;
    let exact = match operation {
        Binary::Multiply => product(a, b),
        Binary::Add | Binary::Subtract | Binary::SubtractReversed => {
            let negated_if =
                |value: Extended, is: Binary| if operation == is { value.negated() } else { value };
            sum(negated_if(a, Binary::SubtractReversed), negated_if(b, Binary::Subtract))?
        }
        _ => return None,
    };
    exact.rounded(control)
}

/// Compares ST(0) with the other operand.
pub(super) fn compare(a: Extended, b: Operand) -> Option<Ordering> {
    if !are_normal(a, b) {
        return None;
    }
    let b = b.value;
    Some(match (a.sign(), b.sign()) {
        (false, false) => magnitude(a).cmp(&magnitude(b)),
        (true, true) => magnitude(b).cmp(&magnitude(a)),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    })
}

fn magnitude(value: Extended) -> (u16, u64) {
    (value.exponent(), value.significand)
}

#[inline(always)]
fn product(a: Extended, b: Extended) -> Exact {
    let product = u128::from(a.significand) * u128::from(b.significand);
    let exponent = i32::from(a.exponent()) + i32::from(b.exponent()) - BIAS + 1;
    let exact =
        Exact { negative: a.sign() != b.sign(), exponent, high: (product >> 64) as u64, low: product as u64 };
    exact.normalised()
}

/// Returns the sum. `None` if it is less than 2^-63 of the larger operand.
#[inline(always)]
fn sum(a: Extended, b: Extended) -> Option<Exact> {
    let (large, small) = if magnitude(a) >= magnitude(b) { (a, b) } else { (b, a) };
    let distance = (large.exponent() - small.exponent()).into();
    let shifted = shift_right_sticky(u128::from(small.significand) << 64, distance);
    let (high, low) = ((shifted >> 64) as u64, shifted as u64);
    let exact = |high, low| Exact { negative: large.sign(), exponent: large.exponent().into(), high, low };
    if large.sign() == small.sign() {
        let (high, carry) = large.significand.overflowing_add(high);
        return Some(if carry { exact(high, low).carried() } else { exact(high, low) });
    }
    let (low, borrow) = 0u64.overflowing_sub(low);
    let high = large.significand - high - u64::from(borrow);
    (high != 0).then(|| exact(high, low).normalised())
}

impl Exact {
    /// Shifts bit 63 of `high` to its place. `high` is not 0.
    fn normalised(self) -> Self {
        let shift = self.high.leading_zeros();
        if shift == 0 {
            return self;
        }
        Exact {
            exponent: self.exponent - shift as i32,
            high: self.high << shift | self.low >> (64 - shift),
            low: self.low << shift,
            ..self
        }
    }

    /// Inserts a bit above `high`. The lowest bit of `low` is 0: only an operand shifted by less than 64 carries.
    fn carried(self) -> Self {
        Exact {
            exponent: self.exponent + 1,
            high: self.high >> 1 | INTEGER_BIT,
            low: self.high << 63 | self.low >> 1,
            ..self
        }
    }

    /// Rounds as the control word says. `None` if the result is not normal, or if it raises an unmasked
    /// exception.
    #[inline(always)]
    fn rounded(self, control: Control) -> Option<(Extended, u16)> {
        const HALF: u64 = 1 << 63;
        let Exact { negative, mut exponent, mut high, mut low } = self;
        // The bits of `high` that the precision drops.
        let dropped = 64 - control.precision();
        if dropped != 0 {
            let rest = high & ((1 << dropped) - 1);
            low = rest << (64 - dropped) | u64::from(low != 0);
            high -= rest;
        }
        let mut raised = 0;
        if low != 0 {
            raised = Exceptions::PE;
            let odd = high >> dropped & 1 != 0;
            if control.rounding().rounds_up(negative, odd, low, HALF) {
                raised |= Exceptions::C1;
                let (sum, carry) = high.overflowing_add(1 << dropped);
                (high, exponent) = if carry { (INTEGER_BIT, exponent + 1) } else { (sum, exponent) };
            }
        }
        let exponent = exponent - BIAS;
        let is_normal = (MIN_EXPONENT..=MAX_EXPONENT).contains(&exponent);
        let is_masked = raised == 0 || control.masked(Exceptions::PE) != 0;
        (is_normal && is_masked).then(|| (Extended::normal(negative, exponent, high), raised))
    }
}
