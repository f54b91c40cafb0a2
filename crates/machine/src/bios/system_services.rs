//! INT 15h: the system services of the AT.

use super::state::{Bios, Handler, done, failed};
use crate::firmware::{Functions, Guest, ROM_SEGMENT, Resume, row};
use crate::hardware::{Hardware, linear};
use oxbox_cpu::{Bus, Width};

/// The offset in the ROM of the table that AH=C0h returns.
const CONFIGURATION: u16 = 0x2200;

/// The configuration table: its length, model FCh (AT), submodel 01h, revision 0; features: second
/// 8259, real-time clock, INT 15h/4Fh.
const CONFIGURATION_TABLE: [u8; 10] = [8, 0, 0xFC, 0x01, 0x00, 0x70, 0, 0, 0, 0];

#[rustfmt::skip]
pub(super) static INT_15: Functions<Handler> = Functions::new(&[
    row(0x24, "A20 gate",                   a20_gate),
    // The keyboard intercept keeps the scan code; CF set means that it is processed.
    row(0x4F, "keyboard intercept",         |_, g| failed(g)),
    row(0x80, "device open",                nothing_to_do),
    row(0x81, "device close",               nothing_to_do),
    row(0x82, "program termination",        nothing_to_do),
    row(0x85, "SysRq key",                  nothing_to_do),
    row(0x86, "wait",                       Bios::wait),
    row(0x88, "get extended memory size",   extended_memory_size),
    row(0x90, "device busy",                nothing_to_do),
    row(0x91, "device post",                nothing_to_do),
    row(0xC0, "get configuration",          configuration),
]);

fn nothing_to_do(_: &mut Bios, g: &mut Guest) -> Resume {
    g.cpu.regs.set_ah(0);
    done(g)
}

/// Returns AH = 86h with CF set.
pub(super) fn unsupported(_: &mut Bios, g: &mut Guest) -> Resume {
    g.cpu.regs.set_ah(0x86);
    failed(g)
}

/// AH=88h: extended memory is 0 KiB.
fn extended_memory_size(_: &mut Bios, g: &mut Guest) -> Resume {
    g.cpu.regs.set_ax(0);
    done(g)
}

/// AH=C0h: returns the configuration table in ES:BX.
fn configuration(_: &mut Bios, g: &mut Guest) -> Resume {
    g.cpu.regs.set_es(ROM_SEGMENT);
    g.cpu.regs.set_bx(CONFIGURATION);
    g.cpu.regs.set_ah(0);
    done(g)
}

/// AH=24h: the A20 gate, through port 92h.
fn a20_gate(bios: &mut Bios, g: &mut Guest) -> Resume {
    let now = g.hw.now();
    let port = g.hw.input(0x92, Width::Byte, now) as u8;
    match g.cpu.regs.al() {
        0x00 => g.hw.output(0x92, Width::Byte, u32::from(port & !0x03), now),
        0x01 => g.hw.output(0x92, Width::Byte, u32::from(port & !0x01 | 0x02), now),
        0x02 => g.cpu.regs.set_al(port >> 1 & 1),
        0x03 => g.cpu.regs.set_bx(0x0003), // by the keyboard controller and by port 92h
        _ => return unsupported(bios, g),
    }
    g.cpu.regs.set_ah(0);
    done(g)
}

impl Bios {
    /// AH=86h: waits for CX:DX microseconds. The machine wakes the halted stub at that time.
    fn wait(&mut self, g: &mut Guest) -> Resume {
        let now = g.cpu.cycles;
        let (regs, clock) = (&g.cpu.regs, &g.hw.clock);
        let end = *self.wait_until.get_or_insert_with(|| {
            let microseconds = u64::from(regs.cx()) << 16 | u64::from(regs.dx());
            clock.cycle_at_nanoseconds(clock.nanoseconds(now) + microseconds * 1000)
        });
        if now < end {
            return Resume::Wait;
        }
        self.wait_until = None;
        done(g)
    }
}

/// Writes the tables that services point to.
pub(super) fn init(hw: &mut Hardware) {
    hw.memory.write_bytes(linear(ROM_SEGMENT, CONFIGURATION), &CONFIGURATION_TABLE);
}
