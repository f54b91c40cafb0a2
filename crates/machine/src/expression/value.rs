//! Values and arithmetic on them, at the width of their operands.

use super::error::ExpressionError;
use super::node::{Binary, Size, Unary};
use std::fmt;

/// The value of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value {
    number: i64,
    /// None for numbers, which take the size of the other operand.
    size: Option<Size>,
}

/// The result of a comparison that is true.
const TRUE: i64 = 0xFFFF;

impl Value {
    pub(super) fn number(number: i64) -> Value {
        Value { number, size: None }
    }

    pub(super) fn of_bits(number: impl Into<i64>, bits: u32) -> Value {
        Value { number: number.into(), size: Some(Size { bits, signed: false }) }
    }

    pub(super) fn truth(holds: bool) -> Value {
        Value::of_bits(if holds { TRUE } else { 0 }, 16)
    }

    /// Returns the value as a number: negative only if it is signed.
    pub fn get(self) -> i64 {
        self.number
    }

    /// Returns the value's bits at its size; 32 bits for a negative number without a size.
    pub fn bits(self) -> u64 {
        let bits = self.size.map_or(32, |size| size.bits);
        let is_negative = self.number < 0;
        (if is_negative { cut(self.number, Size { bits, signed: false }) } else { self.number }) as u64
    }

    /// Whether it is not zero.
    pub fn is_true(self) -> bool {
        self.number != 0
    }

    /// Returns the value at another size: truncated, or sign-extended.
    pub(super) fn cast(self, size: Size) -> Value {
        Value { number: cut(self.number, size), size: Some(size) }
    }

    pub(super) fn unary(self, operator: Unary) -> Value {
        let whole = |number: i64| match self.size {
            Some(size) => Value { number, ..self }.cast(size),
            None => Value::number(number),
        };
        match operator {
            Unary::Negative => whole(self.number.wrapping_neg()),
            Unary::Not => whole(!self.number),
            Unary::IsZero => Value::truth(!self.is_true()),
            Unary::High => Value::of_bits(self.number >> 8 & 0xFF, 8),
            // The operators on places are handled before.
            Unary::Low | Unary::Offset | Unary::Segment => Value::of_bits(self.number & 0xFF, 8),
        }
    }

    pub(super) fn binary(self, operator: Binary, right: Value) -> Result<Value, ExpressionError> {
        if let Binary::ShiftLeft | Binary::ShiftRight = operator {
            return Ok(self.shifted(operator == Binary::ShiftLeft, right.number));
        }
        let size = common(self, right);
        let [a, b] = [self, right].map(|value| size.map_or(value.number, |size| cut(value.number, size)));
        let number = match operator {
            Binary::Multiply => a.wrapping_mul(b),
            Binary::Divide if b != 0 => a.wrapping_div(b),
            Binary::Remainder if b != 0 => a.wrapping_rem(b),
            Binary::Divide | Binary::Remainder => return Err(ExpressionError::DivisionByZero),
            Binary::Add => a.wrapping_add(b),
            Binary::Subtract => a.wrapping_sub(b),
            Binary::And => a & b,
            Binary::Or => a | b,
            Binary::Xor => a ^ b,
            Binary::Equal => return Ok(Value::truth(a == b)),
            Binary::NotEqual => return Ok(Value::truth(a != b)),
            Binary::Less => return Ok(Value::truth(a < b)),
            Binary::LessOrEqual => return Ok(Value::truth(a <= b)),
            Binary::Greater => return Ok(Value::truth(a > b)),
            Binary::GreaterOrEqual => return Ok(Value::truth(a >= b)),
            Binary::Both => return Ok(Value::truth(a != 0 && b != 0)),
            // Shifts have returned above.
            Binary::Either | Binary::ShiftLeft | Binary::ShiftRight => {
                return Ok(Value::truth(a != 0 || b != 0));
            }
        };
        Ok(Value { number: size.map_or(number, |size| cut(number, size)), size })
    }

    fn shifted(self, is_left: bool, count: i64) -> Value {
        let number = match u32::try_from(count).ok().filter(|count| *count < 64) {
            Some(count) if is_left => self.number.wrapping_shl(count),
            Some(count) => self.number >> count,
            None => 0,
        };
        Value { number: self.size.map_or(number, |size| cut(number, size)), ..self }
    }
}

/// Truncates a number to a size.
fn cut(number: i64, Size { bits, signed }: Size) -> i64 {
    let spare = 64 - bits;
    if signed { number << spare >> spare } else { ((number as u64) << spare >> spare) as i64 }
}

/// Returns the size at which an operator works: that of the wider operand, signed if both are
/// signed. `None` for two numbers, and if an operand does not fit into 32 bits.
fn common(a: Value, b: Value) -> Option<Size> {
    match (a.size, b.size) {
        (None, None) => None,
        (Some(a), Some(b)) => Some(Size { bits: a.bits.max(b.bits), signed: a.signed && b.signed }),
        (Some(size), None) => fitting(size, b.number),
        (None, Some(size)) => fitting(size, a.number),
    }
}

/// Returns the size, widened until it holds the number.
fn fitting(size: Size, number: i64) -> Option<Size> {
    let wider = [size.bits, 8, 16, 32].into_iter().filter(|bits| *bits >= size.bits);
    let mut sizes = wider.map(|bits| Size { bits, ..size });
    sizes.find(|size| {
        let half = 1i64 << (size.bits - 1);
        (-half..if size.signed { half } else { 2 * half }).contains(&number)
    })
}

/// `1Fh (31)`; a negative value as `FFh (-1)`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:X}h ({})", self.bits(), self.number)
    }
}
