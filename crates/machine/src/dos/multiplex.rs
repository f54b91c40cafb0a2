//! INT 2Fh: installation checks. Hardly anything is installed, and the checks report that.

use super::{
    error::{Answer, Pause},
    pending::Call,
    state::{Dos, Handler},
    sysvars,
};
use crate::firmware::{Resume, XMS_ENTRY};
use crate::notice::NoticeKind;

/// By AX. A function that leaves AL at 0 is not installed.
#[rustfmt::skip]
const FUNCTIONS: [(u16, &str, Handler); 19] = [
    (0x0100, "PRINT installation check",                absent),
    (0x0600, "ASSIGN installation check",               absent),
    (0x0800, "DRIVER.SYS installation check",           absent),
    (0x1000, "SHARE installation check",                absent),
    (0x1100, "network redirector installation check",   absent),
    (0x1200, "DOS internal services installation check", |_, g| { g.cpu.regs.set_al(0xFF); Ok(()) }),
    (0x1203, "get DOS data segment",                    |_, g| { g.cpu.regs.set_ds(sysvars::DOS); Ok(()) }),
    (0x1400, "NLSFUNC installation check",              absent),
    // No drive letters.
    (0x1500, "MSCDEX installation check",               |_, g| { g.cpu.regs.set_bx(0); Ok(()) }),
    (0x1600, "Windows enhanced mode installation check", absent),
    (0x160A, "identify Windows version and type",       absent),
    (0x1680, "release current virtual machine's time slice", Dos::release_time_slice),
    // DPMI is absent, which AX other than 0 reports.
    (0x1687, "DPMI installation check",                 absent),
    (0x1A00, "ANSI.SYS installation check",             Dos::ansi_installed),
    (0x4300, "XMS installation check",                  Dos::xms_check),
    (0x4310, "get XMS driver address",                  Dos::xms_entry),
    (0x4A01, "query free HMA space",                    no_high_memory),
    (0x4A02, "allocate HMA space",                      no_high_memory),
    (0xB700, "APPEND installation check",               absent),
];

pub(super) fn name_of(ax: u16) -> Option<&'static str> {
    FUNCTIONS.iter().find(|(number, ..)| *number == ax).map(|(_, name, _)| *name)
}

fn absent(_: &mut Dos, _: &mut Call) -> Answer {
    Ok(())
}

/// No free bytes in the high memory area.
fn no_high_memory(_: &mut Dos, g: &mut Call) -> Answer {
    g.cpu.regs.set_bx(0);
    g.cpu.regs.set_es(0xFFFF);
    g.cpu.regs.set_di(0xFFFF);
    Ok(())
}

impl Dos {
    /// INT 2Fh.
    pub(super) fn multiplex(&mut self, g: &mut Call) -> Answer {
        let ax = g.cpu.regs.ax();
        match FUNCTIONS.iter().find(|(number, ..)| *number == ax) {
            Some((_, _, handler)) => handler(self, g),
            None => {
                // With AL = 0 it is the installation check of another program.
                if ax as u8 != 0 {
                    self.notice(g, NoticeKind::Subfunction { vector: 0x2F, ax });
                }
                Ok(())
            }
        }
    }

    /// AL is FFh if ANSI.SYS is installed.
    fn ansi_installed(&mut self, g: &mut Call) -> Answer {
        if self.console.ansi.is_on() {
            g.cpu.regs.set_al(0xFF);
        }
        Ok(())
    }

    /// 4300h: AL is 80h if the driver is installed.
    fn xms_check(&mut self, g: &mut Call) -> Answer {
        if self.xms.is_there {
            g.cpu.regs.set_al(0x80);
        }
        Ok(())
    }

    /// 4310h: returns the entry for its functions in ES:BX.
    fn xms_entry(&mut self, g: &mut Call) -> Answer {
        if self.xms.is_there {
            g.cpu.regs.set_es(XMS_ENTRY.segment);
            g.cpu.regs.set_bx(XMS_ENTRY.offset);
        }
        Ok(())
    }

    /// The program is idle: the rest of its time slice passes, until the next interrupt.
    fn release_time_slice(&mut self, g: &mut Call) -> Answer {
        if !g.pending.idled {
            g.pending.idled = true;
            return Err(Pause::Leave(Resume::Wait));
        }
        g.cpu.regs.set_al(0);
        Ok(())
    }
}
