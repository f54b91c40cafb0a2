//! The instruction families. Each file has the handlers of a family and the function that decodes
//! its instructions.

#![allow(clippy::needless_pass_by_value, reason = "a handler hands on what follows in the host's registers")]

pub(super) mod alu;
pub(super) mod bits;
pub(super) mod control;
pub(super) mod decimal;
pub(super) mod delay;
pub(super) mod esc;
pub(super) mod extend;
pub(super) mod flags;
pub(super) mod interrupt;
pub(super) mod io;
pub(super) mod jump;
pub(super) mod mov;
pub(super) mod muldiv;
pub(super) mod post_386;
pub(super) mod segment;
pub(super) mod shift;
pub(super) mod stack;
pub(super) mod string;
pub(super) mod system;

/// Unwraps a `Result<_, Fault>`. A fault is delivered and ends the operation.
macro_rules! attempt {
    ($cpu:ident, $bus:ident, $op:ident, $result:expr) => {
        match $result {
            Ok(value) => value,
            Err(fault) => return $cpu.fault($bus, $op, fault),
        }
    };
}
use attempt;

/// Selects the instance of a generic handler for a condition.
macro_rules! by_condition {
    ($condition:expr, $handler:ident::<$($t:ty),*>) => {
        match $condition & 15 {
            0 => $handler::<$($t),*, 0>,
            1 => $handler::<$($t),*, 1>,
            2 => $handler::<$($t),*, 2>,
            3 => $handler::<$($t),*, 3>,
            4 => $handler::<$($t),*, 4>,
            5 => $handler::<$($t),*, 5>,
            6 => $handler::<$($t),*, 6>,
            7 => $handler::<$($t),*, 7>,
            8 => $handler::<$($t),*, 8>,
            9 => $handler::<$($t),*, 9>,
            10 => $handler::<$($t),*, 10>,
            11 => $handler::<$($t),*, 11>,
            12 => $handler::<$($t),*, 12>,
            13 => $handler::<$($t),*, 13>,
            14 => $handler::<$($t),*, 14>,
            _ => $handler::<$($t),*, 15>,
        }
    };
}
use by_condition;
