//! IRQ 12: passes the mouse's reports to the driver and to the program's handler.

use crate::bios::state::Bios;
use crate::firmware::{Guest, Resume};

/// Processes a report, and calls the program's handler if its mask selects the events.
pub(in crate::bios) fn interrupt(bios: &mut Bios, g: &mut Guest) -> Resume {
    let driver = &mut bios.mouse;
    let Some(report) = g.hw.take_mouse_report() else { return Resume::Return };
    let happened = driver.take(g.hw, report);
    let Some((handler, condition)) = driver.handler(g.hw, happened) else { return Resume::Return };
    let (x, y) = driver.told(g.hw);
    let r = &mut g.cpu.regs;
    r.set_ax(condition);
    r.set_bx(driver.buttons);
    r.set_cx(x);
    r.set_dx(y);
    r.set_si(driver.moved.0 as u16);
    r.set_di(driver.moved.1 as u16);
    // A far call: the handler returns to the routine after the trap.
    let (segment, offset) = (r.cs(), r.ip as u16);
    g.push(segment);
    g.push(offset);
    g.jump(handler);
    Resume::Jump
}
