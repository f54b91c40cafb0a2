//! The interrupts of the BIOS by vector.

use super::{
    disk, equipment, keyboard, mouse,
    state::{Bios, Handler, failed},
    system_services, timer, video,
};
use crate::firmware::{Function, Functions, Guest, Names, Resume, Selector, row};

/// The dispatch of an interrupt.
enum Service {
    Whole(Handler),
    /// By AH. The handler gets functions that are not in the table.
    ByAh(&'static Functions<Handler>, Handler),
    /// By AL if AH is 0. The handler gets functions that are not in the table.
    ByAl(&'static Functions<Handler>, Handler),
    /// INT 10h: by AH; other functions do nothing.
    Video(&'static Functions<video::Function>),
}

use Service::{ByAh, ByAl, Video, Whole};

#[rustfmt::skip]
static INTERRUPTS: Functions<Service> = Functions::new(&[
    row(0x08, "timer tick",                   Whole(timer::tick)),
    row(0x09, "keyboard data ready",          Whole(keyboard::scan_code)),
    row(0x10, "video",                        Video(&video::INT_10)),
    row(0x11, "get equipment list",           Whole(equipment::equipment)),
    row(0x12, "get memory size",              Whole(equipment::memory_size)),
    row(0x13, "disk",                         ByAh(&disk::INT_13, disk::bad_command)),
    row(0x14, "serial port",                  ByAh(&equipment::INT_14, equipment::no_serial_port)),
    row(0x15, "system services",              ByAh(&system_services::INT_15, system_services::unsupported)),
    row(0x16, "keyboard",                     ByAh(&keyboard::INT_16, ignore)),
    row(0x17, "printer",                      ByAh(&equipment::INT_17, equipment::no_printer)),
    row(0x1A, "time",                         ByAh(&timer::INT_1A, |_, g| failed(g))),
    row(0x33, "mouse",                        ByAl(&mouse::INT_33, ignore)),
    // The vector of INT 13h before hard disks existed.
    row(0x40, "floppy disk",                  ByAh(&disk::INT_13, disk::bad_command)),
    row(0x70, "real-time clock",              Whole(timer::rtc_interrupt)),
    row(0x74, "mouse interrupt",              Whole(mouse::interrupt)),
]);

fn ignore(_: &mut Bios, _: &mut Guest) -> Resume {
    Resume::Return
}

/// Returns the names of a BIOS interrupt and, if selected by AH, of function and subfunction.
pub(crate) fn names_of(vector: u8, ax: u16) -> Option<Names> {
    let ah = (ax >> 8) as u8;
    let Function { name, handler, .. } = INTERRUPTS.get(vector)?;
    let (function, subfunction) = match handler {
        ByAh(functions, _) => (functions.get(ah).map(|row| row.name), None),
        ByAl(functions, _) => (functions.get(ax as u8).filter(|_| ah == 0).map(|row| row.name), None),
        Video(functions) => (functions.get(ah).map(|row| row.name), video::subfunction_name(ax)),
        Whole(_) => (None, None),
    };
    let selector = match handler {
        Whole(_) => Selector::None,
        ByAl(..) => Selector::Ax,
        _ if subfunction.is_some() => Selector::Ax,
        _ => Selector::Ah,
    };
    Some(Names { interrupt: name, selector, function, subfunction })
}

impl Bios {
    /// Handles a trap of the BIOS's vectors; `None` for other vectors.
    pub(crate) fn service(&mut self, vector: u8, g: &mut Guest) -> Option<Resume> {
        let ah = g.cpu.regs.ah();
        Some(match &INTERRUPTS.get(vector)?.handler {
            Whole(handler) => handler(self, g),
            ByAh(functions, otherwise) => functions.get(ah).map_or(*otherwise, |row| row.handler)(self, g),
            ByAl(functions, otherwise) => {
                let row = functions.get(g.cpu.regs.al()).filter(|_| ah == 0);
                row.map_or(*otherwise, |row| row.handler)(self, g)
            }
            Video(functions) => {
                if let Some(row) = functions.get(ah).filter(|_| video::has_function(g.hw.vga.kind(), ah)) {
                    (row.handler)(self, g);
                }
                Resume::Return
            }
        })
    }
}
