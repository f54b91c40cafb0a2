//! Addition, subtraction, multiplication, division, square root and comparison.

use super::calculation::{Answer, Calculation, Entry, shift_right_sticky};
use super::control::{Exceptions, Rounding};
use super::extended::{Extended, Kind, Number, Operand};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Less,
    Equal,
    Greater,
    Unordered,
}

impl From<std::cmp::Ordering> for Order {
    fn from(order: std::cmp::Ordering) -> Self {
        match order {
            std::cmp::Ordering::Less => Order::Less,
            std::cmp::Ordering::Equal => Order::Equal,
            std::cmp::Ordering::Greater => Order::Greater,
        }
    }
}

/// Returns a key that orders magnitudes: exponent, then significand.
fn magnitude(number: Number) -> (Kind, i32, u64) {
    match number.kind {
        Kind::Finite => (Kind::Finite, number.exponent, number.significand),
        kind => (kind, 0, 0),
    }
}

impl Calculation {
    pub(super) fn add(&mut self, a: Operand, b: Operand) -> Answer {
        self.add_signed(a, b, false)
    }

    pub(super) fn subtract(&mut self, a: Operand, b: Operand) -> Answer {
        self.add_signed(a, b, true)
    }

    fn add_signed(&mut self, a: Operand, b: Operand, negate: bool) -> Answer {
        let (a, mut b) = match self.two(a, b)? {
            Entry::Numbers(numbers) => numbers,
            Entry::Settled(result) => return Ok(result),
        };
        b.sign ^= negate;
        let infinities = a.is_infinity() && b.is_infinity();
        if infinities && (a.sign != b.sign || self.projective()) {
            return self.invalid();
        }
        self.denormals(a.denormal || b.denormal)?;
        match (a.kind, b.kind) {
            (Kind::Infinity, _) => Ok(Extended::infinity(a.sign)),
            (_, Kind::Infinity) => Ok(Extended::infinity(b.sign)),
            (Kind::Zero, Kind::Zero) if a.sign == b.sign => Ok(Extended::zero(a.sign)),
            (Kind::Zero, Kind::Zero) => Ok(self.cancelled()),
            (Kind::Zero, Kind::Finite) => {
                Ok(self.finish(b.sign, b.exponent, u128::from(b.significand) << 64))
            }
            (Kind::Finite, Kind::Zero) => {
                Ok(self.finish(a.sign, a.exponent, u128::from(a.significand) << 64))
            }
            (Kind::Finite, Kind::Finite) => Ok(self.sum(a, b)),
        }
    }

    /// Returns the zero that results from equal numbers of different sign.
    fn cancelled(&self) -> Extended {
        Extended::zero(self.control.rounding() == Rounding::Down)
    }

    fn sum(&mut self, a: Number, b: Number) -> Extended {
        let (large, small) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
        // One bit is left free for the carry.
        let x = u128::from(large.significand) << 63;
        let y =
            shift_right_sticky(u128::from(small.significand) << 63, large.exponent.abs_diff(small.exponent));
        let exponent = large.exponent + 1;
        if a.sign == b.sign {
            return self.finish(a.sign, exponent, x + y);
        }
        match x.cmp(&y) {
            std::cmp::Ordering::Equal => self.cancelled(),
            std::cmp::Ordering::Greater => self.finish(large.sign, exponent, x - y),
            std::cmp::Ordering::Less => self.finish(small.sign, exponent, y - x),
        }
    }

    pub(super) fn multiply(&mut self, a: Operand, b: Operand) -> Answer {
        let (a, b) = match self.two(a, b)? {
            Entry::Numbers(numbers) => numbers,
            Entry::Settled(result) => return Ok(result),
        };
        let sign = a.sign ^ b.sign;
        if a.is_infinity() && b.is_zero() || a.is_zero() && b.is_infinity() {
            return self.invalid();
        }
        self.denormals(a.denormal || b.denormal)?;
        if a.is_infinity() || b.is_infinity() {
            return Ok(Extended::infinity(sign));
        }
        if a.is_zero() || b.is_zero() {
            return Ok(Extended::zero(sign));
        }
        let product = u128::from(a.significand) * u128::from(b.significand);
        Ok(self.finish(sign, a.exponent + b.exponent + 1, product))
    }

    pub(super) fn divide(&mut self, a: Operand, b: Operand) -> Answer {
        let (a, b) = match self.two(a, b)? {
            Entry::Numbers(numbers) => numbers,
            Entry::Settled(result) => return Ok(result),
        };
        let sign = a.sign ^ b.sign;
        if a.is_infinity() && b.is_infinity() || a.is_zero() && b.is_zero() {
            return self.invalid();
        }
        if b.unnormal && self.model.needs_normal_operands() {
            return self.invalid();
        }
        if b.is_zero() && !a.is_infinity() {
            self.raise(Exceptions::ZE)?;
            return Ok(Extended::infinity(sign));
        }
        self.denormals(a.denormal || b.denormal)?;
        if a.is_infinity() {
            return Ok(Extended::infinity(sign));
        }
        if a.is_zero() || b.is_infinity() {
            return Ok(Extended::zero(sign));
        }
        let divisor = u128::from(b.significand);
        let dividend = u128::from(a.significand) << 64;
        let (quotient, remainder) = (dividend / divisor, 2 * (dividend % divisor));
        // The quotient has 64 or 65 bits; then come the next bit and a sticky bit.
        let next = remainder >= divisor;
        let rest = remainder - if next { divisor } else { 0 };
        let significand = quotient << 63 | u128::from(next) << 62 | u128::from(rest != 0);
        Ok(self.finish(sign, a.exponent - b.exponent, significand))
    }

    pub(super) fn square_root(&mut self, a: Operand) -> Answer {
        let a = match self.one(a)? {
            Entry::Numbers(number) => number,
            Entry::Settled(result) => return Ok(result),
        };
        if a.is_zero() {
            return Ok(Extended::zero(a.sign));
        }
        if a.sign || a.unnormal && self.model.needs_normal_operands() || a.is_infinity() && self.projective()
        {
            return self.invalid();
        }
        self.denormals(a.denormal)?;
        if a.is_infinity() {
            return Ok(Extended::infinity(false));
        }
        // radicand * 2^(2 * half)
        let odd = a.exponent & 1;
        let radicand = u128::from(a.significand) << (63 + odd);
        let half = (a.exponent - 126 - odd) / 2;
        let root = radicand.isqrt();
        let rest = radicand - root * root;
        // The square of root + 1/2 is less than the radicand if the remainder is larger than the
        // root.
        let significand = root << 64 | u128::from(rest > root) << 63 | u128::from(rest != 0);
        Ok(self.finish(false, half + 63, significand))
    }

    /// Compares. A quiet NaN is an invalid operand only for ordered comparisons. With an unmasked
    /// denormal exception the order is still returned: the condition codes show it, but nothing is
    /// popped.
    pub(super) fn compare(&mut self, a: Operand, b: Operand, ordered: bool) -> Answer<(Order, Answer<()>)> {
        let (a, b) = match self.two(a, b)? {
            Entry::Numbers(numbers) => numbers,
            Entry::Settled(_) => {
                if ordered {
                    self.raise(Exceptions::IE)?;
                }
                return Ok((Order::Unordered, Ok(())));
            }
        };
        if self.projective() && a.is_infinity() != b.is_infinity() {
            self.raise(Exceptions::IE)?;
            return Ok((Order::Unordered, Ok(())));
        }
        let equal = a.is_zero() && b.is_zero() || self.projective() && a.is_infinity() && b.is_infinity();
        let order = match (equal, a.sign, b.sign) {
            (true, _, _) => Order::Equal,
            (_, false, false) => compare_magnitudes(a, b).into(),
            (_, true, true) => compare_magnitudes(b, a).into(),
            (_, true, false) => Order::Less,
            (_, false, true) => Order::Greater,
        };
        Ok((order, self.denormals(a.denormal || b.denormal)))
    }
}

fn compare_magnitudes(a: Number, b: Number) -> std::cmp::Ordering {
    magnitude(a).cmp(&magnitude(b))
}
