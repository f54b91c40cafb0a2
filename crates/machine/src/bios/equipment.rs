//! INT 11h, INT 12h, INT 14h and INT 17h: equipment, memory size, and the absent serial and
//! parallel ports.

use super::data::{EQUIPMENT, MEMORY_SIZE};
use super::state::{Bios, Handler};
use crate::firmware::{Functions, Guest, Resume, row};
use crate::hardware::SideEffect;

/// INT 11h: the equipment word.
pub(super) fn equipment(_: &mut Bios, g: &mut Guest) -> Resume {
    g.cpu.regs.set_ax(g.hw.memory.read16(EQUIPMENT));
    Resume::Return
}

/// INT 12h: conventional memory in KiB.
pub(super) fn memory_size(_: &mut Bios, g: &mut Guest) -> Resume {
    g.cpu.regs.set_ax(g.hw.memory.read16(MEMORY_SIZE));
    Resume::Return
}

/// Serial port: none exists; every call times out.
#[rustfmt::skip]
pub(super) static INT_14: Functions<Handler> = Functions::new(&[
    row(0x00, "initialize port",         no_serial_port),
    row(0x01, "write character to port", write_serial_port),
    row(0x02, "read character from port", no_serial_port),
    row(0x03, "get port status",         no_serial_port),
]);

pub(super) fn no_serial_port(_: &mut Bios, g: &mut Guest) -> Resume {
    g.cpu.regs.set_ah(0x80);
    Resume::Return
}

fn write_serial_port(bios: &mut Bios, g: &mut Guest) -> Resume {
    g.hw.note_side_effect(SideEffect::SerialPort);
    no_serial_port(bios, g)
}

/// Printer: none exists; every call times out.
#[rustfmt::skip]
pub(super) static INT_17: Functions<Handler> = Functions::new(&[
    row(0x00, "write character to printer", print),
    row(0x01, "initialize port",            no_printer),
    row(0x02, "get printer status",         no_printer),
]);

pub(super) fn no_printer(_: &mut Bios, g: &mut Guest) -> Resume {
    g.cpu.regs.set_ah(0x01);
    Resume::Return
}

fn print(bios: &mut Bios, g: &mut Guest) -> Resume {
    g.hw.note_side_effect(SideEffect::Printer);
    no_printer(bios, g)
}
