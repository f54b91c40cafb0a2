//! Critical errors: INT 24h, and the absolute disk calls INT 25h and 26h.
//!
//! The floppy drives A: and B: are there but never ready. The handler finds the caller's registers on the stack, as DOS pushes them, AH
//! with what it may answer, AL the drive, DI the error, BP:SI the driver's header; it answers in AL: 0 ignore, 1 retry, 2 end the program,
//! 3 fail.

use super::{
    error::{Answer, ErrorCode, Pause},
    names::DRIVE_C,
    pending::Call,
    process::Ending,
    state::Dos,
    sysvars,
};
use crate::{
    cpu::{Flags, Registers},
    firmware::{GuestMemory, Resume},
};

/// AH at the handler: directory area (04h), fail (08h) and retry (10h) are allowed, reading (01h clear).
const MAY_FAIL_OR_RETRY: u8 = 0x1C;

/// Device error: drive not ready.
const NOT_READY: u16 = 0x0002;

impl Dos {
    /// A floppy drive is wanted: asks the program's handler, or acts on its answer.
    pub(super) fn not_ready(&mut self, g: &mut Call, drive: u8) -> Pause {
        if g.pending.critical {
            g.pending.critical = false;
            g.hw.set_byte(sysvars::CRITICAL_FLAG, 0);
            match g.pending.returned.as_ref().map_or(3, Registers::al) {
                1 => {}
                2 => {
                    return self
                        .terminate(g, 0, Ending::CriticalError)
                        .err()
                        .unwrap_or(Pause::Leave(Resume::Jump));
                }
                // Ignoring is not among what was allowed: DOS takes it for a failure.
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

    /// INT 25h and 26h: there are no sectors. The caller's flags stay on the stack, as these two calls leave them.
    pub(super) fn absolute_disk(&mut self, g: &mut Call) -> Answer {
        self.notice(g, "INT 25/26 (absolute disk access)");
        let error = match g.cpu.regs.al() {
            0 | 1 => 0x8002,
            // Sector not found, unknown unit.
            DRIVE_C => 0x0408,
            _ => 0x0201,
        };
        g.cpu.regs.set_ax(error);
        let back = g.caller();
        let sp = g.cpu.regs.sp().wrapping_add(4);
        g.cpu.regs.set_sp(sp);
        g.cpu.regs.set_flag(Flags::CF, true);
        g.cpu.regs.set_flag(Flags::IF, true);
        g.jump(back);
        Err(Pause::Leave(Resume::Jump))
    }
}
