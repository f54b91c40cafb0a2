//! Addition, subtraction and logic: pure functions of operands to result and status.
//!
//! Operands are zero-extended to 32 bits. The flags are those of the Intel 386 manual; where it leaves AF undefined
//! (logic) AF is 0, as on the chips.

use super::size::Size;
use super::status::Status;

/// A two-operand instruction of the ALU.
pub(super) trait Binary {
    /// False for CMP and TEST, which only set flags.
    const WRITES: bool = true;
    /// The result and its status. `carry` is CF before.
    fn apply<W: Size>(a: u32, b: u32, carry: u32) -> (u32, Status);
}

/// `a + b + carry`, `carry` being 0 or 1.
#[inline(always)]
pub(super) fn add<W: Size>(a: u32, b: u32, carry: u32) -> (u32, Status) {
    let sum = u64::from(a) + u64::from(b) + u64::from(carry);
    let value = sum as u32 & W::MASK;
    let status = Status {
        result: i64::from(W::sign_extend(value)),
        carry: (sum >> W::BITS) as u32 & 1,
        adjust: a ^ b ^ value,
        overflow: ((a ^ value) & (b ^ value)) << (32 - W::BITS),
    };
    (value, status)
}

/// `a - b - borrow`, `borrow` being 0 or 1.
#[inline(always)]
pub(super) fn sub<W: Size>(a: u32, b: u32, borrow: u32) -> (u32, Status) {
    let difference = u64::from(a).wrapping_sub(u64::from(b)).wrapping_sub(u64::from(borrow));
    let value = difference as u32 & W::MASK;
    let status = Status {
        result: i64::from(W::sign_extend(value)),
        carry: (difference >> 63) as u32,
        adjust: a ^ b ^ value,
        overflow: ((a ^ b) & (a ^ value)) << (32 - W::BITS),
    };
    (value, status)
}

/// The status of a logic instruction's result.
#[inline(always)]
pub(super) fn logic<W: Size>(value: u32) -> (u32, Status) {
    (value, Status { result: i64::from(W::sign_extend(value)), carry: 0, adjust: 0, overflow: 0 })
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
    fn apply<W: Size>(a: u32, b: u32, _: u32) -> (u32, Status) {
        add::<W>(a, b, 0)
    }
}
impl Binary for Adc {
    #[inline(always)]
    fn apply<W: Size>(a: u32, b: u32, carry: u32) -> (u32, Status) {
        add::<W>(a, b, carry)
    }
}
impl Binary for Sub {
    #[inline(always)]
    fn apply<W: Size>(a: u32, b: u32, _: u32) -> (u32, Status) {
        sub::<W>(a, b, 0)
    }
}
impl Binary for Sbb {
    #[inline(always)]
    fn apply<W: Size>(a: u32, b: u32, carry: u32) -> (u32, Status) {
        sub::<W>(a, b, carry)
    }
}
impl Binary for Cmp {
    const WRITES: bool = false;
    #[inline(always)]
    fn apply<W: Size>(a: u32, b: u32, _: u32) -> (u32, Status) {
        sub::<W>(a, b, 0)
    }
}
impl Binary for Or {
    #[inline(always)]
    fn apply<W: Size>(a: u32, b: u32, _: u32) -> (u32, Status) {
        logic::<W>(a | b)
    }
}
impl Binary for And {
    #[inline(always)]
    fn apply<W: Size>(a: u32, b: u32, _: u32) -> (u32, Status) {
        logic::<W>(a & b)
    }
}
impl Binary for Xor {
    #[inline(always)]
    fn apply<W: Size>(a: u32, b: u32, _: u32) -> (u32, Status) {
        logic::<W>(a ^ b)
    }
}
impl Binary for Test {
    const WRITES: bool = false;
    #[inline(always)]
    fn apply<W: Size>(a: u32, b: u32, _: u32) -> (u32, Status) {
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

impl Unary for Inc {
    #[inline(always)]
    fn apply<W: Size>(a: u32, status: Status) -> (u32, Status) {
        let (value, new) = add::<W>(a, 1, 0);
        (value, Status { carry: status.carry, ..new })
    }
}
impl Unary for Dec {
    #[inline(always)]
    fn apply<W: Size>(a: u32, status: Status) -> (u32, Status) {
        let (value, new) = sub::<W>(a, 1, 0);
        (value, Status { carry: status.carry, ..new })
    }
}
impl Unary for Neg {
    #[inline(always)]
    fn apply<W: Size>(a: u32, _: Status) -> (u32, Status) {
        sub::<W>(0, a, 0)
    }
}
impl Unary for Not {
    #[inline(always)]
    fn apply<W: Size>(a: u32, status: Status) -> (u32, Status) {
        (!a & W::MASK, status)
    }
}
