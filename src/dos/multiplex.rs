//! INT 2Fh: installation checks. Next to nothing is installed; what asks is told so.

use super::{
    Dos,
    error::{Answer, Pause},
    guest::Guest,
    layout,
    level::Level,
};
use crate::firmware::Outcome;

impl Dos {
    /// By AX.
    pub(super) fn multiplex(&mut self, g: &mut Guest, level: &mut Level) -> Answer {
        match g.cpu.regs.ax() {
            // PRINT, ASSIGN, SHARE, network redirector, DOSSHELL, NLSFUNC, Windows, XMS, ANSI, DPMI, HIMEM's HMA, APPEND: AL stays 0,
            // which is "not installed, may be".
            0x0100 | 0x0600 | 0x0800 | 0x1000 | 0x1100 | 0x1400 | 0x1600 | 0x160A | 0x1A00 | 0x4300
            | 0xB700 => {}
            // MSCDEX: no drive letters.
            0x1500 => g.cpu.regs.set_bx(0),
            // DOS's own services: installed; and where its data segment is.
            0x1200 => g.cpu.regs.set_al(0xFF),
            0x1203 => g.cpu.regs.set_ds(layout::DOS),
            // A program has nothing to do: the rest of its time slice passes, until the next interrupt.
            0x1680 => {
                if !level.idled {
                    level.idled = true;
                    return Err(Pause::Leave(Outcome::Wait));
                }
                g.cpu.regs.set_al(0);
            }
            // DPMI: not there (AX is not 0).
            0x1687 => {}
            // HMA: no free bytes.
            0x4A01 | 0x4A02 => {
                g.cpu.regs.set_bx(0);
                g.cpu.regs.set_es(0xFFFF);
                g.cpu.regs.set_di(0xFFFF);
            }
            ax if ax as u8 == 0 => {}
            ax => self.notice(g, &format!("INT 2F AX={ax:04X}")),
        }
        Ok(())
    }
}
