//! Compares the pure functions with the host's instructions, flags included.
//!
//! This requires inline assembly. Each block executes one arithmetic instruction on registers and
//! reads FLAGS through the stack.
#![allow(unsafe_code)]

use std::arch::asm;

use proptest::prelude::*;

use crate::alu::{self, Binary, Unary};
use crate::arithmetic;
use crate::model::Model;
use crate::registers::Flags;
use crate::shift::{self, Shift};
use crate::size::{Byte, Dword, Size, Word};
use crate::status::Status;

/// Executes a host instruction on two operands and CF; returns result and FLAGS.
type HostInstruction = fn(u32, u32, bool) -> (u32, u32);

const STATUS: u32 = Status::MASK;
const CF: u32 = Flags::CF;
const OF: u32 = Flags::OF;
const AF: u32 = Flags::AF;

/// Defines a function: an instruction on two operands and CF, with its result and FLAGS.
macro_rules! host {
    ($name:ident, $instruction:literal, $type:ty, $class:ident, $a:literal, $b:literal) => {
        fn $name(a: u32, b: u32, carry: bool) -> (u32, u32) {
            let mut value = a as $type;
            let flags: u64;
            // SAFETY: changes only the declared registers and FLAGS, and restores the stack.
            unsafe {
                asm!(
                    "bt {c:e}, 0",
                    concat!($instruction, " {a", $a, "}, {b", $b, "}"),
                    "pushfq",
                    "pop {f}",
                    a = inout($class) value,
                    b = in($class) b as $type,
                    c = in(reg) u32::from(carry),
                    f = lateout(reg) flags,
                );
            }
            (u32::from(value), flags as u32)
        }
    };
}

/// Defines such a function in all sizes.
macro_rules! host_sizes {
    ($($module:ident $instruction:literal),* $(,)?) => {$(
        mod $module {
            use std::arch::asm;
            host!(byte, $instruction, u8, reg_byte, "", "");
            host!(word, $instruction, u16, reg, ":x", ":x");
            host!(dword, $instruction, u32, reg, ":e", ":e");
            pub(super) const SIZES: [super::HostInstruction; 3] = [byte, word, dword];
        }
    )*};
}

host_sizes! {
    add "add", adc "adc", sub "sub", sbb "sbb", and "and", or "or", xor "xor", cmp "cmp", test "test",
}

/// Defines a shift of the first operand by CL.
macro_rules! host_shift {
    ($name:ident, $instruction:literal, $type:ty, $class:ident, $a:literal) => {
        fn $name(a: u32, count: u32, carry: bool) -> (u32, u32) {
            let mut value = a as $type;
            let flags: u64;
            // SAFETY: as above.
            unsafe {
                asm!(
                    "bt {c:e}, 0",
                    concat!($instruction, " {a", $a, "}, cl"),
                    "pushfq",
                    "pop {f}",
                    a = inout($class) value,
                    c = in(reg) u32::from(carry),
                    in("ecx") count,
                    f = lateout(reg) flags,
                );
            }
            (u32::from(value), flags as u32)
        }
    };
}

macro_rules! host_shift_sizes {
    ($($module:ident $instruction:literal),* $(,)?) => {$(
        mod $module {
            use std::arch::asm;
            host_shift!(byte, $instruction, u8, reg_byte, "");
            host_shift!(word, $instruction, u16, reg, ":x");
            host_shift!(dword, $instruction, u32, reg, ":e");
            pub(super) const SIZES: [super::HostInstruction; 3] = [byte, word, dword];
        }
    )*};
}

host_shift_sizes! {
    rol "rol", ror "ror", rcl "rcl", rcr "rcr", shl "shl", shr "shr", sar "sar",
}

/// Defines a double shift of the first operand by CL, filled from the second.
macro_rules! host_double {
    ($name:ident, $instruction:literal, $type:ty, $size:literal) => {
        fn $name(a: u32, fill: u32, count: u32) -> (u32, u32) {
            let mut value = a as $type;
            let flags: u64;
            // SAFETY: as above.
            unsafe {
                asm!(
                    concat!($instruction, " {a", $size, "}, {b", $size, "}, cl"),
                    "pushfq",
                    "pop {f}",
                    a = inout(reg) value,
                    b = in(reg) fill as $type,
                    in("ecx") count,
                    f = lateout(reg) flags,
                );
            }
            (u32::from(value), flags as u32)
        }
    };
}

host_double!(host_shld_word, "shld", u16, ":x");
host_double!(host_shld_dword, "shld", u32, ":e");
host_double!(host_shrd_word, "shrd", u16, ":x");
host_double!(host_shrd_dword, "shrd", u32, ":e");

/// Draws operands: near 0, near the sign bit, near the maximum, or random.
fn operand() -> impl Strategy<Value = u32> {
    let near =
        prop_oneof![Just(0u32), Just(0x80), Just(0x8000), Just(0x8000_0000), Just(0x10), Just(u32::MAX)];
    prop_oneof![any::<u32>(), (near, -2i32..=2).prop_map(|(value, by)| value.wrapping_add_signed(by))]
}

fn binary<O: Binary, W: Size>(host: HostInstruction, a: u32, b: u32, carry: bool, mask: u32) {
    let (a, b) = (a & W::MASK, b & W::MASK);
    let (value, flags) = host(a, b, carry);
    let (ours, status) = O::apply::<W>(a, b, carry);
    if O::WRITES {
        assert_eq!(ours, value, "{} bits: {a:X}, {b:X}, {carry}", W::BITS);
    }
    assert_eq!(status.bits() & mask, flags & mask, "{} bits: {a:X}, {b:X}, {carry}: flags", W::BITS);
}

fn binaries<O: Binary>(hosts: [HostInstruction; 3], a: u32, b: u32, carry: bool, mask: u32) {
    binary::<O, Byte>(hosts[0], a, b, carry, mask);
    binary::<O, Word>(hosts[1], a, b, carry, mask);
    binary::<O, Dword>(hosts[2], a, b, carry, mask);
}

fn one_shift<O: Shift, W: Size>(host: HostInstruction, a: u32, count: u32, carry: bool, mask: u32) {
    let a = a & W::MASK;
    let (value, flags) = host(a, count, carry);
    let before = Status::from_bits(u32::from(carry));
    let (ours, status) = O::apply::<W>(a, count, before);
    assert_eq!(ours, value, "{} bits: {a:X} by {count}, {carry}", W::BITS);
    // OF is defined for one step; CF of SHL and SHR up to the width of the operand.
    let mut mask = if count == 1 { mask } else { mask & !OF };
    if count > W::BITS {
        mask &= !CF;
    }
    assert_eq!(status.bits() & mask, flags & mask, "{} bits: {a:X} by {count}, {carry}: flags", W::BITS);
}

fn shifts<O: Shift>(hosts: [HostInstruction; 3], a: u32, count: u32, carry: bool, mask: u32) {
    one_shift::<O, Byte>(hosts[0], a, count, carry, mask);
    one_shift::<O, Word>(hosts[1], a, count, carry, mask);
    one_shift::<O, Dword>(hosts[2], a, count, carry, mask);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn two_operands(a in operand(), b in operand(), carry: bool) {
        binaries::<alu::Add>(add::SIZES, a, b, carry, STATUS);
        binaries::<alu::Adc>(adc::SIZES, a, b, carry, STATUS);
        binaries::<alu::Sub>(sub::SIZES, a, b, carry, STATUS);
        binaries::<alu::Sbb>(sbb::SIZES, a, b, carry, STATUS);
        binaries::<alu::Cmp>(cmp::SIZES, a, b, carry, STATUS);
        // AF is undefined after logic.
        binaries::<alu::And>(and::SIZES, a, b, carry, STATUS & !AF);
        binaries::<alu::Or>(or::SIZES, a, b, carry, STATUS & !AF);
        binaries::<alu::Xor>(xor::SIZES, a, b, carry, STATUS & !AF);
        binaries::<alu::Test>(test::SIZES, a, b, carry, STATUS & !AF);
    }

    #[test]
    fn one_operand(a in operand(), carry: bool) {
        // INC and DEC are ADD and SUB of 1 that keep CF; NEG is SUB from 0.
        fn check<W: Size>(hosts: [HostInstruction; 2], a: u32, carry: bool) {
            let a = a & W::MASK;
            let before = Status::from_bits(u32::from(carry));
            let keep = |flags: u32| flags & STATUS & !CF | u32::from(carry);
            let (value, flags) = hosts[0](a, 1, false);
            let (ours, status) = alu::Inc::apply::<W>(a, before);
            assert_eq!((ours, status.bits()), (value, keep(flags)));
            let (value, flags) = hosts[1](a, 1, false);
            let (ours, status) = alu::Dec::apply::<W>(a, before);
            assert_eq!((ours, status.bits()), (value, keep(flags)));
            let (value, flags) = hosts[1](0, a, false);
            let (ours, status) = alu::Neg::apply::<W>(a, before);
            assert_eq!((ours, status.bits()), (value, flags & STATUS));
        }
        check::<Byte>([add::SIZES[0], sub::SIZES[0]], a, carry);
        check::<Word>([add::SIZES[1], sub::SIZES[1]], a, carry);
        check::<Dword>([add::SIZES[2], sub::SIZES[2]], a, carry);
    }

    #[test]
    fn shifts_and_rotates(a in operand(), count in 1u32..32, carry: bool) {
        // Rotates change only CF and OF. Shifts leave AF undefined.
        shifts::<shift::Rol>(rol::SIZES, a, count, carry, CF | OF);
        shifts::<shift::Ror>(ror::SIZES, a, count, carry, CF | OF);
        shifts::<shift::Rcl>(rcl::SIZES, a, count, carry, CF | OF);
        shifts::<shift::Rcr>(rcr::SIZES, a, count, carry, CF | OF);
        shifts::<shift::Shl>(shl::SIZES, a, count, carry, STATUS & !AF);
        shifts::<shift::Shr>(shr::SIZES, a, count, carry, STATUS & !AF);
        shifts::<shift::Sar>(sar::SIZES, a, count, carry, STATUS & !AF);
    }

    #[test]
    fn double_shifts(a in operand(), fill in operand(), count in 1u32..32) {
        let mask = if count == 1 { STATUS & !AF } else { STATUS & !AF & !OF };
        let (value, flags) = host_shld_dword(a, fill, count);
        let (ours, status) = shift::shld::<Dword>(a, fill, count);
        prop_assert_eq!((ours, status.bits() & mask), (value, flags & mask));
        let (value, flags) = host_shrd_dword(a, fill, count);
        let (ours, status) = shift::shrd::<Dword>(a, fill, count);
        prop_assert_eq!((ours, status.bits() & mask), (value, flags & mask));
        // For counts above the width of a word the result is undefined.
        if count <= 16 {
            let (a, fill) = (a & 0xFFFF, fill & 0xFFFF);
            let (value, flags) = host_shld_word(a, fill, count);
            let (ours, status) = shift::shld::<Word>(a, fill, count);
            prop_assert_eq!((ours, status.bits() & mask), (value, flags & mask));
            let (value, flags) = host_shrd_word(a, fill, count);
            let (ours, status) = shift::shrd::<Word>(a, fill, count);
            prop_assert_eq!((ours, status.bits() & mask), (value, flags & mask));
        }
    }

    #[test]
    fn products(a in operand(), b in operand()) {
        let (mut low, mut high, flags): (u32, u32, u64);
        // SAFETY: as above.
        unsafe {
            asm!("mul {b:e}", "pushfq", "pop {f}", b = in(reg) b, f = lateout(reg) flags,
                inout("eax") a => low, lateout("edx") high);
        }
        prop_assert_eq!(arithmetic::mul::<Dword>(a, b), (low, high, flags as u32 & CF != 0));
        let flags: u64;
        // SAFETY: as above.
        unsafe {
            asm!("imul {b:e}", "pushfq", "pop {f}", b = in(reg) b, f = lateout(reg) flags,
                inout("eax") a => low, lateout("edx") high);
        }
        prop_assert_eq!(arithmetic::imul::<Dword>(a, b), (low, high, flags as u32 & CF != 0));
        let (x, y): (u16, u16) = (a as u16, b as u16);
        let (low, high, flags): (u16, u16, u64);
        // SAFETY: as above.
        unsafe {
            asm!("imul {b:x}", "pushfq", "pop {f}", b = in(reg) y, f = lateout(reg) flags,
                inout("ax") x => low, lateout("dx") high);
        }
        let ours = arithmetic::imul::<Word>(u32::from(x), u32::from(y));
        prop_assert_eq!(ours, (u32::from(low), u32::from(high), flags as u32 & CF != 0));
        let (x, y): (u8, u8) = (a as u8, b as u8);
        let (product, flags): (u16, u64);
        // SAFETY: as above.
        unsafe {
            asm!("imul {b}", "pushfq", "pop {f}", b = in(reg_byte) y, f = lateout(reg) flags,
                inout("ax") u16::from(x) => product);
        }
        let ours = arithmetic::imul::<Byte>(u32::from(x), u32::from(y));
        prop_assert_eq!(ours, (u32::from(product & 0xFF), u32::from(product >> 8), flags as u32 & CF != 0));
    }

    #[test]
    fn quotients(high in operand(), low in operand(), divisor in operand()) {
        // The host divides only if we report no divide error. Multiplying back checks the reported
        // errors.
        if let Some(ours) = arithmetic::div::<Dword>(high, low, divisor) {
            let (quotient, remainder): (u32, u32);
            // SAFETY: as above; the quotient fits.
            unsafe {
                asm!("div {b:e}", b = in(reg) divisor, inout("eax") low => quotient, inout("edx") high => remainder);
            }
            prop_assert_eq!(ours, (quotient, remainder));
        } else {
            let dividend = u64::from(high) << 32 | u64::from(low);
            prop_assert!(divisor == 0 || dividend / u64::from(divisor) > u64::from(u32::MAX));
        }
        let dividend = i64::from(high as i32) << 32 | i64::from(low);
        let signed = i64::from(divisor as i32);
        let exact = dividend.checked_div(signed);
        let ours = arithmetic::idiv::<Dword>(Model::I386, high, low, divisor);
        prop_assert_eq!(ours.is_some(), exact.is_some_and(|q| i32::try_from(q).is_ok()));
        if let Some(ours) = ours {
            let (quotient, remainder): (u32, u32);
            // SAFETY: as above; the quotient fits.
            unsafe {
                asm!("idiv {b:e}", b = in(reg) divisor, inout("eax") low => quotient, inout("edx") high => remainder);
            }
            prop_assert_eq!(ours, (quotient, remainder));
        }
        let (high, low, divisor) = (high & 0xFFFF, low & 0xFFFF, divisor & 0xFFFF);
        if let Some(ours) = arithmetic::idiv::<Word>(Model::I386, high, low, divisor) {
            let (quotient, remainder): (u16, u16);
            // SAFETY: as above; the quotient fits.
            unsafe {
                asm!("idiv {b:x}", b = in(reg) divisor as u16, inout("ax") low as u16 => quotient,
                    inout("dx") high as u16 => remainder);
            }
            prop_assert_eq!(ours, (u32::from(quotient), u32::from(remainder)));
        }
        let (ah, al, divisor) = (high & 0xFF, low & 0xFF, divisor & 0xFF);
        if let Some(ours) = arithmetic::idiv::<Byte>(Model::I386, ah, al, divisor) {
            let ax: u16;
            // SAFETY: as above; the quotient fits.
            unsafe {
                asm!("idiv {b}", b = in(reg_byte) divisor as u8, inout("ax") (ah << 8 | al) as u16 => ax);
            }
            prop_assert_eq!(ours, (u32::from(ax & 0xFF), u32::from(ax >> 8)));
        }
    }
}
