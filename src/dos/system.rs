//! Vectors, version, break checking, DTA, PSP, the list of lists, extended errors: the small calls about DOS itself.

use super::{
    Dos,
    error::{Answer, ErrorCode},
    guest::{Far, Guest, GuestMemory},
    layout,
};
use crate::firmware::Outcome;

/// Highest function of CP/M calls.
const LAST_CPM_FUNCTION: u8 = 0x24;

impl Dos {
    /// 30h: version 5.00, OEM FFh, no serial number. AL = 1 asks for the version flag instead of the OEM: not in ROM, not in the HMA.
    pub(super) fn version(&mut self, g: &mut Guest) {
        let flag = g.cpu.regs.al() == 1;
        g.cpu.regs.set_ax(0x0005);
        g.cpu.regs.set_bx(if flag { 0 } else { 0xFF00 });
        g.cpu.regs.set_cx(0);
    }

    /// 33h: the break flag, the boot drive, the true version.
    pub(super) fn break_state(&mut self, g: &mut Guest) {
        let old = g.hw.byte(layout::BREAK_CHECK);
        let r = &mut g.cpu.regs;
        match r.al() {
            0 => r.set_dl(old),
            1 => {
                let new = r.dl() & 1;
                g.hw.set_byte(layout::BREAK_CHECK, new);
            }
            2 => {
                let new = r.dl() & 1;
                r.set_dl(old);
                g.hw.set_byte(layout::BREAK_CHECK, new);
            }
            5 => r.set_dl(super::names::DRIVE_C + 1),
            6 => {
                r.set_bx(0x0005);
                r.set_dx(0);
            }
            _ => r.set_al(0xFF),
        }
    }

    /// 37h: the switch character is `/` and stays it, as in DOS 5; device names need no `\DEV\`.
    pub(super) fn switch_character(&mut self, g: &mut Guest) {
        match g.cpu.regs.al() {
            0 => g.cpu.regs.set_dl(b'/'),
            1 | 3 => {}
            2 => g.cpu.regs.set_dl(0xFF),
            _ => {
                g.cpu.regs.set_al(0xFF);
                return;
            }
        }
        g.cpu.regs.set_al(0);
    }

    /// Notes an error for function 59h.
    pub(super) fn remember_error(&mut self, g: &mut Guest, error: ErrorCode) {
        let details = error.details();
        g.hw.set_word(layout::ERROR_CODE, error.code());
        g.hw.set_byte(layout::ERROR_CLASS, details.class);
        g.hw.set_byte(layout::ERROR_ACTION, details.action);
        g.hw.set_byte(layout::ERROR_LOCUS, details.locus);
    }

    /// 59h: the last error: AX code, BH class, BL action, CH locus.
    pub(super) fn extended_error(&mut self, g: &mut Guest) {
        let code = g.hw.word(layout::ERROR_CODE);
        let (class, action) = (g.hw.byte(layout::ERROR_CLASS), g.hw.byte(layout::ERROR_ACTION));
        let locus = g.hw.byte(layout::ERROR_LOCUS);
        let pointer = g.hw.far(layout::ERROR_POINTER);
        let r = &mut g.cpu.regs;
        r.set_ax(code);
        r.set_bh(class);
        r.set_bl(action);
        r.set_ch(locus);
        r.set_es(pointer.segment);
        r.set_di(pointer.offset);
    }

    /// 5Dh: the swappable data area (06), setting the extended error (0A); the rest is the server's, and there is none.
    pub(super) fn server_call(&mut self, g: &mut Guest) -> Answer {
        match g.cpu.regs.al() {
            0x06 => {
                g.cpu.regs.set_ds(layout::SDA.segment);
                g.cpu.regs.set_si(layout::SDA.offset);
                g.cpu.regs.set_cx(layout::SDA_IN_DOS);
                g.cpu.regs.set_dx(layout::SDA_ALWAYS);
                Ok(())
            }
            // The list at DS:DX: AX BX CX DX SI DI DS ES, as 59h gives them.
            0x0A => {
                let at = g.ds_dx();
                let [code, bx, cx] = [0, 2, 4].map(|offset| g.hw.word(at.plus(offset)));
                g.hw.set_word(layout::ERROR_CODE, code);
                g.hw.set_byte(layout::ERROR_CLASS, (bx >> 8) as u8);
                g.hw.set_byte(layout::ERROR_ACTION, bx as u8);
                g.hw.set_byte(layout::ERROR_LOCUS, (cx >> 8) as u8);
                let pointer = Far::new(g.hw.word(at.plus(14)), g.hw.word(at.plus(10)));
                g.hw.set_far(layout::ERROR_POINTER, pointer);
                Ok(())
            }
            _ => {
                self.notice_function(g);
                Err(ErrorCode::InvalidFunction.into())
            }
        }
    }

    /// 69h: serial number, label and file system of drive BL, to DS:DX.
    pub(super) fn volume_serial(&mut self, g: &mut Guest) -> Answer {
        let given = g.cpu.regs.bl();
        let drive = self.drive_number(g, given).ok_or(ErrorCode::InvalidDrive)?;
        if g.cpu.regs.al() != 0 || drive != super::names::DRIVE_C {
            return Err(ErrorCode::AccessDenied.into());
        }
        let at = g.ds_dx();
        g.hw.set_word(at, 0);
        g.hw.set_dword(at.plus(2), 0x0B0C_1980);
        g.hw.set_bytes(at.plus(6), b"NO NAME    FAT16   ");
        Ok(())
    }

    /// The entry of CP/M calls, INT 30h: CL is the function. The program has called offset 5 of its PSP, so that the stack holds the
    /// far address behind that call, and below it the near address to go on at. They become what INT leaves there.
    pub(super) fn cpm_call(&mut self, g: &mut Guest) -> Answer {
        let stack = g.stack();
        let (segment, near) = (g.hw.word(stack.plus(2)), g.hw.word(stack.plus(4)));
        let flags = g.cpu.regs.flags as u16;
        g.hw.set_word(stack, near);
        g.hw.set_word(stack.plus(2), segment);
        g.hw.set_word(stack.plus(4), flags);
        let function = g.cpu.regs.cl();
        if function > LAST_CPM_FUNCTION {
            // The stub's IRET goes back with the stack as it is now.
            g.cpu.regs.set_al(0);
            return Ok(());
        }
        g.cpu.regs.set_ah(function);
        let entry = self.stubs.of(0x21);
        g.jump(entry);
        Err(super::error::Pause::Leave(Outcome::Jump))
    }
}
