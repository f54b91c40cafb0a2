//! The instructions, by family. Each file has the handlers of a family and the function that picks one for a decoded
//! instruction.

pub(super) mod alu;
pub(super) mod bits;
pub(super) mod control;
pub(super) mod decimal;
pub(super) mod flags;
pub(super) mod io;
pub(super) mod jump;
pub(super) mod mov;
pub(super) mod muldiv;
pub(super) mod shift;
pub(super) mod stack;
pub(super) mod string;
pub(super) mod system;

/// The value of a `Result<_, Fault>`; a fault is delivered and ends the operation.
macro_rules! attempt {
    ($cpu:ident, $bus:ident, $op:ident, $result:expr) => {
        match $result {
            Ok(value) => value,
            Err(fault) => return $cpu.fault($bus, $op, fault),
        }
    };
}
pub(super) use attempt;

/// A handler by operand size: `by_size!(size, handler::<B, _, X>)` with `_` for the size.
macro_rules! by_size {
    ($size:expr, |$w:ident| $handler:expr) => {
        match $size {
            1 => {
                type $w = crate::cpu::operand::Byte;
                $handler
            }
            2 => {
                type $w = crate::cpu::operand::Word;
                $handler
            }
            _ => {
                type $w = crate::cpu::operand::Dword;
                $handler
            }
        }
    };
}
pub(super) use by_size;
