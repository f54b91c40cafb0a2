//! The coprocessor's state as translated code accesses it.

use super::control::Exceptions;
use super::extended::Extended;
use super::model::Model;
use super::unit::{Fpu, Status};

/// Offsets of the fields in bytes.
pub(crate) mod field {
    use super::Fpu;
    use std::mem::offset_of;

    pub(crate) const CONTROL: i64 = offset_of!(Fpu, control) as i64;
    pub(crate) const STATUS: i64 = offset_of!(Fpu, status) as i64;
    pub(crate) const TOP: i64 = offset_of!(Fpu, top) as i64;
    pub(crate) const FILLED: i64 = offset_of!(Fpu, filled) as i64;
    pub(crate) const REGISTERS: i64 = offset_of!(Fpu, registers) as i64;
    pub(crate) const CODE: i64 = offset_of!(Fpu, pointers.code) as i64;
    pub(crate) const DATA: i64 = offset_of!(Fpu, pointers.data) as i64;
    pub(crate) const OPCODE: i64 = offset_of!(Fpu, pointers.opcode) as i64;
}

/// Bits of the status word, for instructions with 32-bit operands.
pub(crate) mod status {
    use super::{Exceptions, Status};

    /// The exceptions except an inexact result.
    pub(crate) const EXCEPTIONS: i32 =
        (Exceptions::IE | Exceptions::DE | Exceptions::ZE | Exceptions::OE | Exceptions::UE) as i32;
    /// Inexact result.
    pub(crate) const PE: i32 = Exceptions::PE as i32;
    /// Condition code 1: a result was rounded up.
    pub(crate) const C1: i32 = Status::C1 as i32;
    /// All condition codes.
    pub(crate) const CODES: i32 = Status::CODES as i32;
    pub(crate) const TOP_SHIFT: i32 = Status::TOP_SHIFT as i32;
}

/// Bits of the 80387's control word, for instructions with 32-bit operands.
pub(crate) mod control_word {
    use super::{Exceptions, Model};

    pub(crate) const MASKS: i32 = Exceptions::MASKS as i32;
    pub(crate) const PRECISION: i32 = 3 << 8;
    pub(crate) const RESERVED_PRECISION: i32 = 1 << 8;
    /// The bits that FLDCW sets, and those that are always 1.
    pub(crate) const CHANGEABLE: i32 = Model::I80387.changeable_control() as i32;
    pub(crate) const ALWAYS_SET: i32 = Model::CONTROL_ALWAYS_SET as i32;
}

impl Fpu {
    /// The size of a register in bytes.
    pub(crate) const REGISTER_BYTES: usize = size_of::<Extended>();

    /// Returns the control word with which an x87 calculates as this coprocessor does, with all
    /// exceptions masked. `None` if it differs from an x87, if an exception is pending, or if an
    /// inexact result would raise one.
    pub(crate) fn host_control(&self) -> Option<u16> {
        let control = self.control.0;
        let is_like_host = self.model == Model::I80387
            && self.status & Status::ES == 0
            && self.control.masked(Exceptions::PE) != 0
            && i32::from(control) & control_word::PRECISION != control_word::RESERVED_PRECISION;
        is_like_host.then_some(control | Exceptions::MASKS)
    }
}
