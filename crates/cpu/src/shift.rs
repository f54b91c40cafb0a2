//! Shifts and rotates: pure functions.
//!
//! The count is used as given (the 8086 does not mask it) and is not 0. The flags are those of the
//! last of `count` one-bit steps, as on the chips; the manuals leave them undefined for counts
//! above 1.

use super::size::Size;
use super::status::Status;

/// A shift or rotate of an operand by a count above 0. `before` is the status before it.
pub(super) trait Shift {
    fn apply<W: Size>(value: u32, count: u32, before: Status) -> (u32, Status);
}

#[derive(Debug)]
pub(super) struct Rol;
#[derive(Debug)]
pub(super) struct Ror;
#[derive(Debug)]
pub(super) struct Rcl;
#[derive(Debug)]
pub(super) struct Rcr;
#[derive(Debug)]
pub(super) struct Shl;
#[derive(Debug)]
pub(super) struct Shr;
#[derive(Debug)]
pub(super) struct Sar;
/// SETMO (8086 only): `D0..D3 /6` sets all bits.
#[derive(Debug)]
pub(super) struct SetMo;

/// A larger count has the same result as this one, which shifts out every bit of the operand.
const MOST: u32 = 63;

/// Returns the top bit of a `W`, moved to bit 31.
#[inline(always)]
fn at_top<W: Size>(value: u32) -> u32 {
    value << (32 - W::BITS)
}

/// Returns the status of a shift: SF, ZF and PF from the result, AF 0.
#[inline(always)]
fn shifted<W: Size>(value: u32, carry: u32, overflow: u32) -> (u32, Status) {
    (value, Status::logic(W::sign_extend(value)).with_carry(carry != 0).with_overflow(overflow))
}

/// Returns the status of a rotate, which changes CF and OF only.
#[inline(always)]
fn rotated(value: u32, carry: u32, overflow: u32, before: Status) -> (u32, Status) {
    (value, before.with_carry(carry != 0).with_overflow(overflow))
}

impl Shift for Shl {
    #[inline(always)]
    fn apply<W: Size>(value: u32, count: u32, _: Status) -> (u32, Status) {
        let wide = u64::from(value) << count.min(MOST);
        let result = wide as u32 & W::MASK;
        let carry = (wide >> W::BITS) as u32 & 1;
        shifted::<W>(result, carry, at_top::<W>(result) ^ (carry << 31))
    }
}

impl Shift for Shr {
    #[inline(always)]
    fn apply<W: Size>(value: u32, count: u32, _: Status) -> (u32, Status) {
        let last = (u64::from(value) >> (count - 1).min(MOST)) as u32;
        shifted::<W>(last >> 1, last & 1, at_top::<W>(last))
    }
}

impl Shift for Sar {
    #[inline(always)]
    fn apply<W: Size>(value: u32, count: u32, _: Status) -> (u32, Status) {
        let last = i64::from(W::sign_extend(value)) >> (count.min(W::BITS) - 1);
        shifted::<W>((last >> 1) as u32 & W::MASK, last as u32 & 1, 0)
    }
}

impl Shift for Rol {
    #[inline(always)]
    fn apply<W: Size>(value: u32, count: u32, before: Status) -> (u32, Status) {
        let n = count % W::BITS;
        let result = ((u64::from(value) << n | u64::from(value) >> (W::BITS - n)) as u32) & W::MASK;
        let carry = result & 1;
        rotated(result, carry, at_top::<W>(result) ^ (carry << 31), before)
    }
}

impl Shift for Ror {
    #[inline(always)]
    fn apply<W: Size>(value: u32, count: u32, before: Status) -> (u32, Status) {
        let n = count % W::BITS;
        let result = ((u64::from(value) >> n | u64::from(value) << (W::BITS - n)) as u32) & W::MASK;
        let carry = u32::from(result & W::SIGN != 0);
        rotated(result, carry, at_top::<W>(result ^ (result << 1)), before)
    }
}

impl Shift for Rcl {
    #[inline(always)]
    fn apply<W: Size>(value: u32, count: u32, before: Status) -> (u32, Status) {
        let bits = W::BITS + 1;
        let n = count % bits;
        let all = u64::from(before.cf()) << W::BITS | u64::from(value);
        let turned = (all << n | all >> (bits - n)) & ((1 << bits) - 1);
        let result = turned as u32 & W::MASK;
        let carry = (turned >> W::BITS) as u32;
        rotated(result, carry, at_top::<W>(result) ^ (carry << 31), before)
    }
}

impl Shift for Rcr {
    #[inline(always)]
    fn apply<W: Size>(value: u32, count: u32, before: Status) -> (u32, Status) {
        let bits = W::BITS + 1;
        let n = count % bits;
        let all = u64::from(before.cf()) << W::BITS | u64::from(value);
        let turned = (all >> n | all << (bits - n)) & ((1 << bits) - 1);
        let result = turned as u32 & W::MASK;
        let carry = (turned >> W::BITS) as u32;
        rotated(result, carry, at_top::<W>(result ^ (result << 1)), before)
    }
}

impl Shift for SetMo {
    #[inline(always)]
    fn apply<W: Size>(_: u32, _: u32, _: Status) -> (u32, Status) {
        shifted::<W>(W::MASK, 0, 0)
    }
}

/// SHLD: shifts `value` left and fills it from the top of `fill`. `count` is 1..=31.
///
/// The manual leaves the result undefined for a 16-bit operand and a count above 16. The 80386 then
/// continues with the bits of `value` after those of `fill`.
#[inline(always)]
pub(super) fn shld<W: Size>(value: u32, fill: u32, count: u32) -> (u32, Status) {
    let bits = W::BITS;
    let all = u128::from(value) << (2 * bits) | u128::from(fill) << bits | u128::from(value);
    let moved = all << count;
    let result = (moved >> (2 * bits)) as u32 & W::MASK;
    let carry = (moved >> (3 * bits)) as u32 & 1;
    shifted::<W>(result, carry, at_top::<W>(result) ^ (carry << 31))
}

/// SHRD: shifts `value` right and fills it from the bottom of `fill`. `count` is 1..=31.
#[inline(always)]
pub(super) fn shrd<W: Size>(value: u32, fill: u32, count: u32) -> (u32, Status) {
    let bits = W::BITS;
    let all = u128::from(value) << (2 * bits) | u128::from(fill) << bits | u128::from(value);
    let last = all >> (count - 1);
    let result = (last >> 1) as u32 & W::MASK;
    shifted::<W>(result, last as u32 & 1, at_top::<W>(result ^ (result << 1)))
}
