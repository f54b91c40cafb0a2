//! `-v`: prints the calls of BIOS and DOS by name, one line each on stderr, as they occur.
//!
//! A repeated call, such as a wait that is repeated after every interrupt, is one line with the
//! number of repetitions. Calls by hardware interrupts are printed with `-vv`.

use oxbox::cpu::Cpu;
use oxbox::hardware::Hardware;
use oxbox::machine::{Observer, Service};

#[derive(Debug)]
pub(crate) struct CallLog {
    /// Whether hardware interrupts are printed.
    interrupts: bool,
    last: String,
    repeats: u64,
}

impl CallLog {
    pub(crate) fn wanted() -> Option<CallLog> {
        let interrupts = log::log_enabled!(log::Level::Debug);
        log::log_enabled!(log::Level::Info).then_some(CallLog { interrupts, last: String::new(), repeats: 0 })
    }

    fn tell_repeats(&mut self) {
        match std::mem::take(&mut self.repeats) {
            0 => {}
            1 => log::info!("  once more"),
            repeats => log::info!("  {repeats} times more"),
        }
    }
}

impl Observer for CallLog {
    fn service(&mut self, vector: u8, cpu: &Cpu, _: &Hardware) {
        let service = Service::new(vector, cpu.regs.ax());
        if !self.interrupts && is_of_hardware(vector, cpu.regs.ah()) {
            return;
        }
        let line = service.to_string();
        if self.last == line {
            self.repeats += 1;
            return;
        }
        self.tell_repeats();
        log::info!("{line}");
        self.last = line;
    }
}

impl Drop for CallLog {
    fn drop(&mut self) {
        self.tell_repeats();
    }
}

/// Whether it is the timer, keyboard or clock interrupt, or a call by the keyboard's routine: the
/// intercept and the pause.
fn is_of_hardware(vector: u8, ah: u8) -> bool {
    matches!((vector, ah), (0x08 | 0x09 | 0x70 | 0xF8, _) | (0x15, 0x4F))
}
