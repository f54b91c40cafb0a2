//! Arithmetic on numbers of which the bounds are known.

use super::state::Value;

const MOST: u64 = u32::MAX as u64;

/// Adds to a number in 32 bits. Returns the sum, and whether it may wrap.
pub(super) fn moved(value: Value, by: i64) -> (Value, bool) {
    let (least, most) = value.range();
    let sums = least.checked_add_signed(by).zip(most.checked_add_signed(by));
    match sums.filter(|(_, most)| *most <= MOST) {
        Some((least, most)) => (Value::Number { least, most, zeros: 0 }, false),
        None => (Value::up_to(MOST), true),
    }
}

/// ANDs a number with a constant.
pub(super) fn masked(value: Value, bits: u64) -> Value {
    Value::up_to(value.range().1.min(bits))
}

pub(super) fn shifted_right(value: Value, bits: u64) -> Value {
    let (least, most) = value.range();
    Value::Number { least: least >> (bits & 63), most: most >> (bits & 63), zeros: 0 }
}

/// Shifts a number left in 32 or 64 bits.
pub(super) fn shifted_left(value: Value, bits: u64, is_wide: bool) -> Value {
    let most = if is_wide { u64::MAX } else { MOST };
    let zeros = if let Value::Number { zeros, .. } = value { zeros } else { 0 };
    let bits = (bits & if is_wide { 63 } else { 31 }) as u32;
    let zeros = (zeros + bits).min(63);
    let (least, greatest) = value.range();
    match greatest.checked_mul(1 << bits).filter(|greatest| *greatest <= most) {
        Some(greatest) => Value::Number { least: least << bits, most: greatest, zeros },
        None => Value::Number { least: 0, most, zeros },
    }
}

/// Returns the bounds of OR or XOR of two numbers: at least `least`, and of no more bits than both.
pub(super) fn united(value: Value, other: Value, least: u64) -> Value {
    let most = value.range().1 | other.range().1;
    Value::Number {
        least,
        most: most | most.checked_next_power_of_two().map_or(u64::MAX, |power| power - 1),
        zeros: 0,
    }
}
