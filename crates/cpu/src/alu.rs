//! Addition, subtraction and logic: pure functions of operands to result and status.
//!
//! Operands are zero-extended to 32 bits. The flags are those of the Intel 386 manual; where it leaves AF undefined
//! (logic) AF is 0, as on the chips.

use super::size::Size;
use super::status::Status;

/// A two-operand instruction of the ALU.
pub(super) trait Binary {
    /// Whether the result is stored. False for CMP and TEST.
    const WRITES: bool = true;
    /// Returns the result and its status. `carry` is CF before the instruction.
    fn apply<W: Size>(a: u32, b: u32, carry: bool) -> (u32, Status);
}

/// Sign-extends an operand.
#[inline(always)]
fn signed<W: Size>(value: u32) -> i64 {
    i64::from(W::sign_extend(value))
}

/// `a + b`.
#[inline(always)]
pub(super) fn add<W: Size>(a: u32, b: u32) -> (u32, Status) {
    let exact = signed::<W>(a) + signed::<W>(b);
    let value = exact as u32 & W::MASK;
    (value, Status::arithmetic(W::sign_extend(value), exact, a ^ b, value < a))
}

/// `a + b + carry`.
#[inline(always)]
fn add_with_carry<W: Size>(a: u32, b: u32, carry: bool) -> (u32, Status) {
    let exact = signed::<W>(a) + signed::<W>(b) + i64::from(carry);
    let sum = u64::from(a) + u64::from(b) + u64::from(carry);
    let value = sum as u32 & W::MASK;
    (value, Status::arithmetic(W::sign_extend(value), exact, a ^ b, sum > u64::from(W::MASK)))
}

/// `a - b`.
#[inline(always)]
pub(super) fn sub<W: Size>(a: u32, b: u32) -> (u32, Status) {
    let exact = signed::<W>(a) - signed::<W>(b);
    let value = exact as u32 & W::MASK;
    (value, Status::arithmetic(W::sign_extend(value), exact, a ^ b, a < b))
}

/// `a - b - borrow`.
#[inline(always)]
fn sub_with_borrow<W: Size>(a: u32, b: u32, borrow: bool) -> (u32, Status) {
    let exact = signed::<W>(a) - signed::<W>(b) - i64::from(borrow);
    let value = exact as u32 & W::MASK;
    let carry = u64::from(a) < u64::from(b) + u64::from(borrow);
    (value, Status::arithmetic(W::sign_extend(value), exact, a ^ b, carry))
}

/// Returns the status of a logic instruction's result.
#[inline(always)]
pub(super) fn logic<W: Size>(value: u32) -> (u32, Status) {
    (value, Status::logic(W::sign_extend(value)))
}

#[derive(Debug)]
pub(super) struct Add;
#[derive(Debug)]
pub(super) struct Or;
#[derive(Debug)]
pub(super) struct Adc;
#[derive(Debug)]
pub(super) struct Sbb;
#[derive(Debug)]
pub(super) struct And;
#[derive(Debug)]
pub(super) struct Sub;
#[derive(Debug)]
pub(super) struct Xor;
#[derive(Debug)]
pub(super) struct Cmp;
#[derive(Debug)]
pub(super) struct Test;

impl Binary for Add {
    #[inline(always)]
    fn apply<W: Size>(a: u32, b: u32, _: bool) -> (u32, Status) {
        add::<W>(a, b)
    }
}
impl Binary for Adc {
    #[inline(always)]
    fn apply<W: Size>(a: u32, b: u32, carry: bool) -> (u32, Status) {
        add_with_carry::<W>(a, b, carry)
    }
}
impl Binary for Sub {
    #[inline(always)]
    fn apply<W: Size>(a: u32, b: u32, _: bool) -> (u32, Status) {
        sub::<W>(a, b)
    }
}
impl Binary for Sbb {
    #[inline(always)]
    fn apply<W: Size>(a: u32, b: u32, carry: bool) -> (u32, Status) {
        sub_with_borrow::<W>(a, b, carry)
    }
}
impl Binary for Cmp {
    const WRITES: bool = false;
    #[inline(always)]
    fn apply<W: Size>(a: u32, b: u32, _: bool) -> (u32, Status) {
        sub::<W>(a, b)
    }
}
impl Binary for Or {
    #[inline(always)]
    fn apply<W: Size>(a: u32, b: u32, _: bool) -> (u32, Status) {
        logic::<W>(a | b)
    }
}
impl Binary for And {
    #[inline(always)]
    fn apply<W: Size>(a: u32, b: u32, _: bool) -> (u32, Status) {
        logic::<W>(a & b)
    }
}
impl Binary for Xor {
    #[inline(always)]
    fn apply<W: Size>(a: u32, b: u32, _: bool) -> (u32, Status) {
        logic::<W>(a ^ b)
    }
}
impl Binary for Test {
    const WRITES: bool = false;
    #[inline(always)]
    fn apply<W: Size>(a: u32, b: u32, _: bool) -> (u32, Status) {
        logic::<W>(a & b)
    }
}

/// A one-operand instruction of the ALU.
pub(super) trait Unary {
    fn apply<W: Size>(a: u32, status: Status) -> (u32, Status);
}

#[derive(Debug)]
pub(super) struct Inc;
#[derive(Debug)]
pub(super) struct Dec;
#[derive(Debug)]
pub(super) struct Neg;
#[derive(Debug)]
pub(super) struct Not;

/// Returns `a` plus 1 or -1 and keeps CF. AF depends on bit 4 alone, which the 1 does not change.
#[inline(always)]
fn by_one<W: Size>(a: u32, by: i64, before: Status) -> (u32, Status) {
    let exact = signed::<W>(a) + by;
    let value = exact as u32 & W::MASK;
    (value, Status::arithmetic(W::sign_extend(value), exact, a, before.cf()))
}

impl Unary for Inc {
    #[inline(always)]
    fn apply<W: Size>(a: u32, before: Status) -> (u32, Status) {
        by_one::<W>(a, 1, before)
    }
}
impl Unary for Dec {
    #[inline(always)]
    fn apply<W: Size>(a: u32, before: Status) -> (u32, Status) {
        by_one::<W>(a, -1, before)
    }
}
impl Unary for Neg {
    #[inline(always)]
    fn apply<W: Size>(a: u32, _: Status) -> (u32, Status) {
        sub::<W>(0, a)
    }
}
impl Unary for Not {
    #[inline(always)]
    fn apply<W: Size>(a: u32, before: Status) -> (u32, Status) {
        (!a & W::MASK, before)
    }
}
