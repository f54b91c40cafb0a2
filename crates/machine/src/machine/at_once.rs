//! Services that are done without leaving the processor: those that programs call often.

#[cfg(test)]
mod tests;

use super::identity::watch::Watch;
use super::pc::Machine;
use super::stop::{Polls, Until};
use super::wait::{KeyWaitDetector, LookAhead};
use crate::bios::{Bios, video};
use crate::dos::Dos;
use crate::firmware::{self, Guest, Resume};
use crate::hardware::Hardware;
use oxbox_cpu::{Cpu, Exit, Served};

/// Prints a character at once if it can, with exactly the effect of [`Machine::trap`](super::Machine).
#[inline]
pub(super) fn print_at_once(
    dos: &mut Dos,
    keys: &mut KeyWaitDetector,
    cpu: &mut Cpu,
    hardware: &mut Hardware,
    vector: u8,
) -> Served {
    hardware.pass(cpu.cycles);
    let done = match vector {
        0x10 => video::serve_at_once(&mut cpu.regs, hardware),
        0x21 if dos.is_there() => dos.serve_at_once(&mut cpu.regs, hardware),
        _ => false,
    };
    if !done {
        return Served::No;
    }
    keys.served(vector, Resume::Return, dos);
    Served::Registers
}

/// The parts of the machine that a service needs, while the processor runs.
struct Services<'a> {
    bios: &'a mut Bios,
    dos: &'a mut Dos,
    keys: &'a mut KeyWaitDetector,
    watch: &'a mut Watch,
    /// Whether a poll for a key is nothing but a service.
    polls: bool,
}

impl Services<'_> {
    /// Serves a trap as [`Services::serve_another`] does, and the printing of a character with less work.
    #[inline(always)]
    fn serve(&mut self, cpu: &mut Cpu, hardware: &mut Hardware, vector: u8) -> Served {
        let prints = matches!((vector, cpu.regs.ah()), (0x10, 0x0E) | (0x21, 0x02));
        if prints && print_at_once(self.dos, self.keys, cpu, hardware, vector) == Served::Registers {
            return Served::Registers;
        }
        self.serve_another(cpu, hardware, vector)
    }

    /// Serves a trap like [`Machine::trap`](super::Machine), if that would do nothing else.
    #[inline(never)]
    fn serve_another(&mut self, cpu: &mut Cpu, hardware: &mut Hardware, vector: u8) -> Served {
        hardware.pass(cpu.cycles);
        if !self.may_serve(cpu, hardware, vector) {
            return Served::No;
        }
        self.watch.service(vector, cpu);
        let guest = &mut Guest::new(cpu, hardware);
        let how = match vector {
            0x21 => self.dos.service(vector, guest),
            _ => self.bios.service(vector, guest).unwrap_or(Resume::Return),
        };
        self.keys.served(vector, how, self.dos);
        firmware::resume(&mut Guest::new(cpu, hardware), how);
        Served::Anything
    }

    /// Whether a service does not end the program, gives no notice, costs the host little, and is no poll
    /// for a key at which a run may have to stop.
    fn may_serve(&mut self, cpu: &Cpu, hardware: &mut Hardware, vector: u8) -> bool {
        const A_LINE: u16 = 80;
        let regs = &cpu.regs;
        match (vector, regs.ah()) {
            (0x10, 0x09 | 0x0A) => regs.cx() <= A_LINE,
            (0x10, 0x01..=0x05 | 0x08 | 0x0B..=0x0F) | (0x11 | 0x12, _) | (0x1A, 0x00) => true,
            (0x16, 0x01 | 0x11) => {
                self.polls && !self.dos.has_fed_input(hardware) && self.keys.poll_at_once(cpu, hardware)
            }
            (0x16, 0x02 | 0x12) => self.keys.poll_at_once(cpu, hardware),
            (0x21, _) => self.dos.is_there() && self.dos.may_serve_at_once(regs, hardware),
            _ => false,
        }
    }
}

impl Machine {
    /// Runs the processor until it has to leave, and serves what it can without.
    #[inline(never)]
    pub(super) fn run_processor_serving(&mut self, deadline: u64, until: &Until) -> Exit {
        let is_plain =
            self.look_ahead == LookAhead::No && self.key_class.is_none() && !self.places.follow_a_key();
        let Machine { cpu, blocks, hardware, bios, dos, keys, watch, .. } = self;
        if !is_plain {
            return cpu.run_serving(blocks, hardware, deadline, |cpu, hardware, vector| {
                print_at_once(dos, keys, cpu, hardware, vector)
            });
        }
        let polls = !until.key_wait || matches!(until.polls, Polls::Waits | Polls::Rests);
        let mut services = Services { bios, dos, keys, watch, polls };
        cpu.run_serving(blocks, hardware, deadline, |cpu, hardware, vector| {
            services.serve(cpu, hardware, vector)
        })
    }
}
