//! Multiplication, division and decimal adjustment: pure functions.
//!
//! Flags that the manuals leave undefined keep their values.

use super::alu;
use super::model::Model;
use super::size::{Byte, Size};
use super::status::Status;

/// `a * b`, unsigned: low half, high half, and whether the high half is not 0.
#[inline(always)]
pub(super) fn mul<W: Size>(a: u32, b: u32) -> (u32, u32, bool) {
    let product = u64::from(a) * u64::from(b);
    let high = (product >> W::BITS) as u32 & W::MASK;
    (product as u32 & W::MASK, high, high != 0)
}

/// `a * b`, signed: low half, high half, and whether the product does not fit into the low half.
#[inline(always)]
pub(super) fn imul<W: Size>(a: u32, b: u32) -> (u32, u32, bool) {
    let product = i64::from(W::sign_extend(a)) * i64::from(W::sign_extend(b));
    let low = product as u32 & W::MASK;
    (low, (product >> W::BITS) as u32 & W::MASK, product != i64::from(W::sign_extend(low)))
}

/// Quotient and remainder of `high:low / divisor`, unsigned; `None` for a divide error.
#[inline(always)]
pub(super) fn div<W: Size>(high: u32, low: u32, divisor: u32) -> Option<(u32, u32)> {
    if high >= divisor {
        return None;
    }
    let dividend = u64::from(high) << W::BITS | u64::from(low);
    Some(((dividend / u64::from(divisor)) as u32, (dividend % u64::from(divisor)) as u32))
}

/// Quotient and remainder of `high:low / divisor`, signed; `None` for a divide error.
#[inline(always)]
pub(super) fn idiv<W: Size>(model: Model, high: u32, low: u32, divisor: u32) -> Option<(u32, u32)> {
    let dividend = i64::from(W::sign_extend(high)) << W::BITS | i64::from(low);
    let divisor = i64::from(W::sign_extend(divisor));
    let quotient = dividend.checked_div(divisor)?;
    let most = i64::from(W::MASK >> 1);
    let least = if model.idiv_takes_minimum() { -most - 1 } else { -most };
    if quotient < least || quotient > most {
        return if model.idiv_loses_carry() { overlooked_overflow::<W>(dividend, divisor) } else { None };
    }
    Some((quotient as u32 & W::MASK, (dividend % divisor) as u32 & W::MASK))
}

/// Quotient and remainder of a signed division whose overflow the 80286 does not detect; `None` for
/// other divisions. In these the first step leaves exactly the sign bit, the second shifts it out,
/// and the remainder is less than the divisor. The quotient is then the most negative number.
fn overlooked_overflow<W: Size>(dividend: i64, divisor: i64) -> Option<(u32, u32)> {
    let (magnitude, by) = (dividend.unsigned_abs(), divisor.unsigned_abs());
    let sign_bit = u64::from(W::MASK >> 1) + 1;
    let first_step = (magnitude >> (W::BITS - 1)).checked_sub(by)?;
    let rest = magnitude & (sign_bit - 1);
    let is_negative = (dividend < 0) != (divisor < 0);
    let remainder = if dividend < 0 { rest.wrapping_neg() } else { rest };
    (is_negative && first_step == sign_bit && rest < by)
        .then_some((sign_bit as u32, remainder as u32 & W::MASK))
}

/// DAA and DAS: AL and status.
pub(super) fn decimal_adjust(model: Model, al: u32, status: Status, subtract: bool) -> (u32, Status) {
    let low = al & 0xF > 9 || status.af();
    let high = al > model.decimal_limit(status.af()) || status.cf();
    let correction = if low { 6 } else { 0 } + if high { 0x60 } else { 0 };
    let value = if subtract { al.wrapping_sub(correction) } else { al + correction } & 0xFF;
    let borrow = subtract && low && al < 6 && model.das_low_digit_borrows();
    let (_, new) = alu::logic::<Byte>(value);
    (value, new.with_carry(high || borrow).with_adjust(low))
}

/// AAA (`sign` 1) and AAS (`sign` -1): AX and status.
pub(super) fn ascii_adjust(model: Model, ax: u32, status: Status, sign: i32) -> (u32, Status) {
    let adjust = ax & 0xF > 9 || status.af();
    let mut value = ax;
    if adjust {
        value = if model.ascii_adjust_carries() {
            ax.wrapping_add((0x106 * sign) as u32)
        } else {
            let al = ax.wrapping_add((6 * sign) as u32) & 0xFF;
            let ah = (ax >> 8).wrapping_add(sign as u32) & 0xFF;
            ah << 8 | al
        };
    }
    (value & 0xFF0F, status.with_carry(adjust).with_adjust(adjust))
}

/// AAM: AX and status; `None` for a divisor of 0.
pub(super) fn aam(al: u32, divisor: u32) -> Option<(u32, Status)> {
    let (ah, al) = (al.checked_div(divisor)?, al.checked_rem(divisor)?);
    Some((ah << 8 | al, alu::logic::<Byte>(al).1))
}

pub(super) fn aad(ax: u32, factor: u32) -> (u32, Status) {
    alu::add::<Byte>(ax & 0xFF, ((ax >> 8 & 0xFF) * factor) & 0xFF)
}
