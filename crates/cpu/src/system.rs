//! The system registers of the 80286 and 80386 that are accessible in real mode.

use serde::{Deserialize, Serialize};

use super::model::Model;

/// Bits of the machine status word, the low half of CR0.
pub(super) struct Msw;

impl Msw {
    /// Protection enable.
    pub(super) const PE: u32 = 1 << 0;
    /// Monitor coprocessor.
    pub(super) const MP: u32 = 1 << 1;
    /// Emulate coprocessor.
    pub(super) const EM: u32 = 1 << 2;
    /// Task switched.
    pub(super) const TS: u32 = 1 << 3;
    /// Extension type: a coprocessor is present.
    pub(super) const ET: u32 = 1 << 4;
}

/// Base and limit of a descriptor table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Table {
    pub(super) base: u32,
    pub(super) limit: u16,
}

/// CR0 to CR3, debug and test registers, GDTR and IDTR.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct System {
    pub(super) cr: [u32; 4],
    pub(super) dr: [u32; 8],
    pub(super) tr: [u32; 8],
    pub(super) gdtr: Table,
    pub(super) idtr: Table,
}

impl System {
    /// Returns the state after reset.
    pub(super) fn new(model: Model) -> Self {
        System {
            cr: [model.reset_status_word(), 0, 0, 0],
            dr: [0; 8],
            tr: [0; 8],
            gdtr: Table { base: 0, limit: 0xFFFF },
            idtr: Table { base: 0, limit: 0x3FF },
        }
    }

    /// Returns whether any of these bits of the machine status word is set.
    #[inline(always)]
    pub(super) fn msw_has(&self, bits: u32) -> bool {
        self.cr[0] & bits != 0
    }
}
