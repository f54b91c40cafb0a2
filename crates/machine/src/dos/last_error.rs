//! The last error, kept in the swappable data area for functions 59h and 5D0Ah.

use super::{
    error::{Answer, Details, ErrorCode},
    pending::Call,
    state::Dos,
    sysvars,
};
use crate::firmware::{Far, GuestMemory};

impl Dos {
    /// Stores an error for function 59h.
    pub(super) fn remember_error(&mut self, g: &mut Call, error: ErrorCode) {
        let Details { class, action, locus } = error.details();
        g.hw.set_word(sysvars::ERROR_CODE, error.code());
        g.hw.set_byte(sysvars::ERROR_CLASS, class);
        g.hw.set_byte(sysvars::ERROR_ACTION, action);
        g.hw.set_byte(sysvars::ERROR_LOCUS, locus);
    }

    /// 59h: returns the last error: AX code, BH class, BL action, CH locus.
    pub(super) fn extended_error(&mut self, g: &mut Call) -> Answer {
        let code = g.hw.word(sysvars::ERROR_CODE);
        let (class, action) = (g.hw.byte(sysvars::ERROR_CLASS), g.hw.byte(sysvars::ERROR_ACTION));
        let locus = g.hw.byte(sysvars::ERROR_LOCUS);
        let pointer = g.hw.far(sysvars::ERROR_POINTER);
        let r = &mut g.cpu.regs;
        r.set_ax(code);
        r.set_bh(class);
        r.set_bl(action);
        r.set_ch(locus);
        r.set_es(pointer.segment);
        r.set_di(pointer.offset);
        Ok(())
    }

    /// 5D0Ah: sets the error for 59h, from the list at DS:DX: AX BX CX DX SI DI DS ES.
    pub(super) fn set_extended_error(&mut self, g: &mut Call) -> Answer {
        let at = g.ds_dx();
        let [code, bx, cx] = [0, 2, 4].map(|offset| g.hw.word(at.plus(offset)));
        g.hw.set_word(sysvars::ERROR_CODE, code);
        g.hw.set_byte(sysvars::ERROR_CLASS, (bx >> 8) as u8);
        g.hw.set_byte(sysvars::ERROR_ACTION, bx as u8);
        g.hw.set_byte(sysvars::ERROR_LOCUS, (cx >> 8) as u8);
        let pointer = Far::new(g.hw.word(at.plus(14)), g.hw.word(at.plus(10)));
        g.hw.set_far(sysvars::ERROR_POINTER, pointer);
        Ok(())
    }
}
