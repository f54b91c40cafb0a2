//! Version and global settings of DOS: functions 2Eh, 30h, 33h, 37h, 54h, 5Dh.

use super::{
    error::{Answer, ErrorCode},
    names::DRIVE_C,
    pending::Call,
    state::{Dos, Handler},
    sysvars,
};
use crate::firmware::{Functions, GuestMemory, row};
use crate::notice::NoticeKind;

#[rustfmt::skip]
pub(super) static BREAK_CHECKING: Functions<Handler> = Functions::new(&[
    row(0x00, "get break flag",         Dos::get_break_flag),
    row(0x01, "set break flag",         Dos::set_break_flag),
    row(0x02, "get and set break flag", Dos::swap_break_flag),
    row(0x05, "get boot drive",         |_, g| { g.cpu.regs.set_dl(DRIVE_C + 1); Ok(()) }),
    row(0x06, "get true version",       Dos::true_version),
]);

/// The switch character is always `/`, as in DOS 5; device names do not need `\DEV\`.
#[rustfmt::skip]
pub(super) static SWITCH_CHARACTER: Functions<Handler> = Functions::new(&[
    row(0x00, "get switch character",    |_, g| { g.cpu.regs.set_al(0); g.cpu.regs.set_dl(b'/'); Ok(()) }),
    row(0x01, "set switch character",    |_, g| { g.cpu.regs.set_al(0); Ok(()) }),
    row(0x02, "get device availability", |_, g| { g.cpu.regs.set_al(0); g.cpu.regs.set_dl(0xFF); Ok(()) }),
    row(0x03, "set device availability", |_, g| { g.cpu.regs.set_al(0); Ok(()) }),
]);

#[rustfmt::skip]
pub(super) static SERVER: Functions<Handler> = Functions::new(&[
    row(0x06, "get address of swappable data area", Dos::swappable_data_area),
    row(0x0A, "set extended error information",     Dos::set_extended_error),
]);

impl Dos {
    /// 2Eh: sets the verify flag to bit 0 of AL.
    pub(super) fn set_verify(&mut self, g: &mut Call) -> Answer {
        self.settings.verify = g.cpu.regs.al() & 1 != 0;
        Ok(())
    }

    /// 54h: AL is 1 if verify is on.
    pub(super) fn get_verify(&mut self, g: &mut Call) -> Answer {
        g.cpu.regs.set_al(u8::from(self.settings.verify));
        Ok(())
    }

    /// 30h: version 5.00, OEM FFh, no serial number. AL = 1 requests the version flag instead of
    /// the OEM number: not in ROM, not in the HMA.
    pub(super) fn version(&mut self, g: &mut Call) -> Answer {
        let flag = g.cpu.regs.al() == 1;
        g.cpu.regs.set_ax(sysvars::VERSION);
        g.cpu.regs.set_bx(if flag { 0 } else { 0xFF00 });
        g.cpu.regs.set_cx(0);
        Ok(())
    }

    /// 3300h: returns the break flag in DL.
    fn get_break_flag(&mut self, g: &mut Call) -> Answer {
        let flag = g.hw.byte(sysvars::BREAK_CHECK);
        g.cpu.regs.set_dl(flag);
        Ok(())
    }

    /// 3301h: sets the break flag to DL.
    fn set_break_flag(&mut self, g: &mut Call) -> Answer {
        g.hw.set_byte(sysvars::BREAK_CHECK, g.cpu.regs.dl() & 1);
        Ok(())
    }

    /// 3302h: sets the break flag to DL, and returns the old one there.
    fn swap_break_flag(&mut self, g: &mut Call) -> Answer {
        let old = g.hw.byte(sysvars::BREAK_CHECK);
        self.set_break_flag(g)?;
        g.cpu.regs.set_dl(old);
        Ok(())
    }

    /// 3306h: returns the version in BX, which SETVER cannot change; revision 0, in low memory.
    fn true_version(&mut self, g: &mut Call) -> Answer {
        g.cpu.regs.set_bx(sysvars::VERSION);
        g.cpu.regs.set_dx(0);
        Ok(())
    }

    /// 5D06h: returns the area's address in DS:SI, and the sizes of its parts: swapped while InDOS
    /// in CX, always swapped in DX.
    fn swappable_data_area(&mut self, g: &mut Call) -> Answer {
        g.cpu.regs.set_ds(sysvars::SDA.segment);
        g.cpu.regs.set_si(sysvars::SDA.offset);
        g.cpu.regs.set_cx(sysvars::SDA_IN_DOS);
        g.cpu.regs.set_dx(sysvars::SDA_ALWAYS);
        Ok(())
    }

    /// 5Dh: the other subfunctions belong to a server, which does not exist.
    pub(super) fn no_server(&mut self, g: &mut Call) -> Answer {
        let ax = g.cpu.regs.ax();
        self.notice(g, NoticeKind::Subfunction { vector: 0x21, ax });
        Err(ErrorCode::InvalidFunction.into())
    }
}
