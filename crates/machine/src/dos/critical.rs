//! Critical errors: INT 24h.
//!
//! The floppy drives A: and B: exist, and are not ready without an image. As in DOS, the caller's
//! registers are on the handler's stack; AH contains the permitted answers, AL the drive, DI the
//! error, BP:SI the driver's header. The handler returns in AL: 0 ignore, 1 retry, 2 terminate the
//! program, 3 fail.

use super::{
    error::{ErrorCode, Pause},
    pending::Call,
    process::TerminationReason,
    state::Dos,
    sysvars,
};
use crate::firmware::{GuestMemory, Resume};

/// AH for the handler: directory area (04h), may fail (08h) or retry (10h); reading (01h clear).
const MAY_FAIL_OR_RETRY: u8 = 0x1C;

/// Device error: drive not ready.
const NOT_READY: u16 = 0x0002;

impl Dos {
    /// Reports a floppy drive without a disk: calls the program's handler, or acts on its answer.
    pub(super) fn not_ready(&mut self, g: &mut Call, drive: u8) -> Pause {
        if g.pending.critical {
            g.pending.critical = false;
            g.hw.set_byte(sysvars::CRITICAL_FLAG, 0);
            match g.pending.returned.as_ref().map_or(3, |returned| returned.al()) {
                1 => {}
                2 => {
                    return self
                        .terminate(g, 0, TerminationReason::CriticalError)
                        .err()
                        .unwrap_or(Pause::Leave(Resume::Jump));
                }
                // Ignoring was not permitted: DOS treats it as a failure.
                _ => return ErrorCode::FailOnCriticalError.into(),
            }
        }
        if !self.stubs.hooked(g.hw, 0x24) {
            return ErrorCode::FailOnCriticalError.into();
        }
        g.pending.critical = true;
        g.hw.set_byte(sysvars::CRITICAL_FLAG, 1);
        g.hw.set_byte(sysvars::ERROR_DRIVE, drive);
        let r = &g.cpu.regs;
        for word in [r.es(), r.ds(), r.bp(), r.di(), r.si(), r.dx(), r.cx(), r.bx(), r.ax()] {
            g.push(word);
        }
        g.pending.expected_sp = g.cpu.regs.sp();
        let driver = sysvars::block_header();
        g.cpu.regs.set_ax(u16::from(MAY_FAIL_OR_RETRY) << 8 | u16::from(drive));
        g.cpu.regs.set_di(NOT_READY);
        g.cpu.regs.set_bp(driver.segment);
        g.cpu.regs.set_si(driver.offset);
        Pause::Leave(Resume::Call(0x24))
    }
}
