//! Addition, subtraction, multiplication and comparison of normal numbers with a normal result.
//!
//! [`Calculation`](super::calculation::Calculation) defines all results. This does the most frequent ones with
//! less work, and returns `None` for the others.

use std::cmp::Ordering;

use super::control::{Control, Exceptions, Rounding};
use super::extended::{BIAS, Extended, INTEGER_BIT};
use super::register::Binary;

const LARGEST_EXPONENT: u16 = 0x7FFE;

/// A number before rounding: `high` with bit 63 set, then 64 bits, of which the lowest is the OR of itself and
/// all bits after it. The exponent is biased.
#[derive(Debug, Clone, Copy)]
struct Exact {
    negative: bool,
    exponent: i32,
    high: u64,
    low: u64,
}

fn is_normal(value: Extended) -> bool {
    matches!(value.exponent(), 1..=LARGEST_EXPONENT) && value.significand & INTEGER_BIT != 0
}

/// Returns the result for ST(0) and the other operand, and the exceptions and C1 that it raises. All of them
/// are masked.
#[inline(always)]
pub(super) fn binary(
    operation: Binary,
    control: Control,
    a: Extended,
    b: Extended,
) -> Option<(Extended, u16)> {
    if !is_normal(a) || !is_normal(b) {
        return None;
    }
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
pub(super) fn compare(a: Extended, b: Extended) -> Option<Ordering> {
    if !is_normal(a) || !is_normal(b) {
        return None;
    }
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
    let (high, low) = shifted_right(small.significand, large.exponent() - small.exponent());
    let exact = |high, low| Exact { negative: large.sign(), exponent: large.exponent().into(), high, low };
    if large.sign() == small.sign() {
        let (high, carry) = large.significand.overflowing_add(high);
        return Some(if carry { exact(high, low).carried() } else { exact(high, low) });
    }
    let (low, borrow) = 0u64.overflowing_sub(low);
    let high = large.significand - high - u64::from(borrow);
    (high != 0).then(|| exact(high, low).normalised())
}

/// Returns a significand shifted right, and the next 64 bits, of which the lowest is the OR of itself and all
/// bits after it.
fn shifted_right(significand: u64, by: u16) -> (u64, u64) {
    match by {
        0 => (significand, 0),
        1..64 => (significand >> by, significand << (64 - by)),
        64 => (0, significand),
        65..128 => (0, significand >> (by - 64) | u64::from(significand << (128 - by) != 0)),
        _ => (0, 1),
    }
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
            let up = match control.rounding() {
                Rounding::Nearest => low > HALF || low == HALF && high >> dropped & 1 != 0,
                Rounding::Down => negative,
                Rounding::Up => !negative,
                Rounding::Chop => false,
            };
            if up {
                raised |= Exceptions::C1;
                let (sum, carry) = high.overflowing_add(1 << dropped);
                (high, exponent) = if carry { (INTEGER_BIT, exponent + 1) } else { (sum, exponent) };
            }
        }
        let is_normal = (1..=LARGEST_EXPONENT.into()).contains(&exponent);
        let is_masked = raised == 0 || control.masked(Exceptions::PE) != 0;
        let head = u16::from(negative) << 15 | exponent as u16;
        (is_normal && is_masked).then(|| (Extended::new(head, high), raised))
    }
}
